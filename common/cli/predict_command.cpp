#include "common/cli/predict_command.hpp"

#include <algorithm>
#include <iostream>
#include <istream>
#include <ostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/plain_text.hpp"
#include "common/cli/presentation.hpp"
#include "common/player/answers.hpp"
#include "common/player/prediction.hpp"
#include "common/player/questions.hpp"
#include "common/steps/steps.hpp"

namespace lanewise::cli {

using player::PredictMode;
using player::Question;
using player::QuestionSources;

namespace {

std::string source_line(const std::string& source, int line) {
    std::size_t at = 0;
    for (int k = 1; k < line && at != std::string::npos; ++k) {
        at = source.find('\n', at);
        if (at != std::string::npos) ++at;
    }
    if (line < 1 || at == std::string::npos) return {};
    const std::string text = source.substr(at, source.find('\n', at) - at);
    const auto first = text.find_first_not_of(" \t");
    return first == std::string::npos ? "" : text.substr(first);
}

void list(Session& s, const std::string& name) {
    const auto run = s.run(name);
    const steps::Steps& steps = run->steps;
    const QuestionSources sources = player::question_sources(presentation_of(s));
    for (std::size_t k = 0; k < steps.size(); ++k)
        for (const steps::WarpRef& warp : steps.warps)
            for (const Question& question : player::questions_of(steps, k, warp, sources)) {
                // Of times there is one, whichever warp is looked at.
                if (!question.against.empty() && !(warp == steps.warps.front())) continue;
                nlohmann::ordered_json json{{"variant", name},
                                            {"kind", player::question_kind_name(question.kind)},
                                            {"step", k + 1},
                                            {"launch", warp.launch},
                                            {"block", warp.block},
                                            {"warp", warp.warp},
                                            {"record", question.record},
                                            {"lane", question.lane},
                                            {"question", question.text},
                                            {"answer", question.answer}};
                if (!question.records.empty()) json["records"] = question.records;
                if (!question.against.empty())
                    json.update({{"against", question.against}, {"n", question.n}, {"size", question.size}});
                if (question.of_text) json["of_text"] = true;
                json["wrong"] = nlohmann::ordered_json::array();
                for (const player::WrongAnswer& wrong : question.wrong)
                    json["wrong"].push_back({wrong.answer, wrong.reveals, wrong.refuted_by});
                s.console.out << json.dump() << '\n';
            }
}

// One line of what is typed; false at its end.
bool read_answer(Session& s, std::string& answer) {
    std::istream& in = s.console.in ? *s.console.in : std::cin;
    s.console.out << "  > " << std::flush;
    return static_cast<bool>(std::getline(in, answer));
}

// What has been asked and answered so far.
struct Score {
    int asked = 0;
    int right = 0;
    bool ended = false;
};

void ask(Session& s, const std::string& variant, const Question& question, bool exam, Score& score) {
    s.console.out << "  " << s.paint.strong(question.text) << '\n';
    player::Marked marked;
    std::string answer;
    while (!marked.understood) {
        if (!read_answer(s, answer) || answer == "q") {
            score.ended = true;
            return;
        }
        if (answer.empty() && !exam) {
            s.console.out << "  skipped: " << question.answer << '\n';
            return;
        }
        marked = player::mark(question, answer);
        if (!marked.understood)
            s.console.out << fmt::format("  '{}' is no answer; give {}, or q to quit.\n",
                                         plain_text(answer.substr(0, 40)), player::answer_form(question.kind));
    }
    ++score.asked;
    score.right += marked.right;
    if (!s.program.answers.add(s.lesson.name(), variant, question, answer, marked.right))
        s.console.err << "The answer could not be kept beside the settings.\n";
    s.console.out << (marked.right ? s.paint.result("  right") : s.paint.warning("  no: it is " + question.answer))
                  << '\n';
    if (!marked.reveals.empty()) s.console.out << "  " << marked.reveals << '\n';
    if (marked.refuted_by == "view:timings") s.console.out << s.paint.faint("  --time shows these times.") << '\n';
}

void ask_all(Session& s, const std::string& name, bool exam) {
    const auto run = s.run(name);
    const steps::Steps& steps = run->steps;
    print::print_heading(s.console.out, s.lesson, *run, exam ? "exam" : "predict", s.paint);
    if (steps.warps.empty()) return;
    const WarpRef warp = s.focused(*run).value_or(steps.warps.front());
    const QuestionSources sources = player::question_sources(presentation_of(s));
    Score score;
    for (std::size_t k = 0; k < steps.size() && !score.ended; ++k) {
        const auto questions =
            player::questions_before(steps, k, warp, exam ? PredictMode::exam : PredictMode::gentle, sources);
        if (questions.empty()) continue;
        const steps::Step& step = steps.steps[k];
        s.console.out << '\n'
                      << s.paint.faint(fmt::format("step {} of {} · ", k + 1, steps.size()))
                      << s.paint.strong(step.label) << '\n'
                      << s.paint.faint(fmt::format("{:>6} │ ", step.line)) << source_line(run->source, step.line)
                      << '\n';
        int shown = -1;
        for (const Question& question : questions) {
            ask(s, name, question, exam, score);
            if (score.ended) break;
            shown = std::max(shown, question.lane);
        }
        if (shown >= 0 && !score.ended)
            s.console.out << s.paint.faint("  " + steps::formula(steps, k, warp, shown)) << '\n';
    }
    s.console.out << fmt::format("\n{} of {} right\n", score.right, score.asked);
    if (exam && !score.ended && score.asked > 0)
        s.program.answers.add_exam(s.lesson.name(), name, score.right, score.asked);
}

}  // namespace

void predict(Session& s) {
    for (const auto& name : s.looked_at()) {
        if (s.options.predict == "list") list(s, name);
        else ask_all(s, name, s.options.predict == "exam");
    }
}

}  // namespace lanewise::cli
