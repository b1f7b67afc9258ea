#include <algorithm>
#include <ostream>

#include <fmt/format.h>

#include "common/print/print_steps.hpp"
#include "common/scene/compare/comparison_sentence.hpp"
#include "common/scene/compare/source_diff.hpp"
#include "common/scene/compare/side_by_side.hpp"

namespace lanewise::print {

using run::Run;

namespace {

// `text` in lines of `columns`, broken at blanks; lines after the first begin two columns in.
std::string wrapped(const std::string& text, std::size_t columns) {
    std::string all;
    std::size_t column = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        const std::string token = text.substr(at, end - at);
        const auto size = static_cast<std::size_t>(std::count_if(
            token.begin(), token.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
        if (column > 0 && column + 1 + size > columns) {
            all += "\n  ";
            column = 2;
        } else if (column > 0) {
            all += ' ';
            ++column;
        }
        all += token;
        column += size;
        at = end + 1;
    }
    return all;
}

// Lines that only one of two kernels has, with their numbers in its file.
void print_diff(std::ostream& out, const ComparedText& left, const ComparedText& right, const Paint& paint) {
    const auto lines = scene::source_diff(*left.finished->run, *right.finished->run);
    const bool any = std::any_of(lines.begin(), lines.end(), [](const auto& line) { return line.differs(); });
    out << '\n' << paint.faint(fmt::format("Lines of source only in {} (-) and only in {} (+){}", left.title,
                                          right.title, any ? "" : ": none")) << '\n';
    for (const scene::DiffLine& line : lines) {
        if (!line.differs()) continue;
        const bool is_left = line.right == 0;
        const std::string text =
            fmt::format("{} {:>4} │ {}", is_left ? "-" : "+", is_left ? line.left : line.right, line.code.text);
        out << (is_left ? paint.source(text) : paint.result(text)) << '\n';
    }
}

}  // namespace

void print_compared_text(std::ostream& out, const lesson::Lesson& lesson, const std::vector<ComparedText>& sides,
                         const timing::TimingTable& times, const TextView& view) {
    std::vector<const Run*> runs;
    std::vector<scene::ComparedRun> compared;
    std::vector<std::unique_ptr<StepPrinter>> printers;
    std::string titles;
    for (const ComparedText& side : sides) {
        const Run& run = *side.finished->run;
        runs.push_back(&run);
        compared.push_back({run.trace.header.variant, &run, side.title});
        titles += (titles.empty() ? "" : " | ") + side.title;
        TextView own = view;
        const auto& warps = run.steps.warps;
        if (own.focus && !warps.empty()) own.focus = scene::matching_warp(run.steps, *own.focus);
        printers.push_back(std::make_unique<StepPrinter>(out, run, own));
    }
    scene::SideBySide steps;
    steps.align(runs);
    const scene::ComparisonSentence comparison = scene::comparison_sentence(compared, times);
    out << view.paint.strong(fmt::format("{} · {}", lesson.title(), titles)) << '\n'
        << (comparison.same_input ? view.paint.faint(wrapped(comparison.input, view.columns))
                                  : view.paint.warning(wrapped(comparison.input, view.columns))) << '\n'
        << wrapped(comparison.text(), view.columns) << '\n';
    if (!times.rows.empty()) out << view.paint.faint("times: " + timing::times_from(times)) << '\n';
    for (const ComparedText& side : sides) {
        const Run& run = *side.finished->run;
        out << view.paint.result("● ") << fmt::format("{}: {} · {} · block {}\n", side.title, run.trace.header.variant,
                                                     run.origin, trace::block_text(run.trace.header));
        if (!run.notice.empty()) out << view.paint.warning(run.notice) << '\n';
    }
    for (std::size_t s = 1; s < sides.size(); ++s) print_diff(out, sides[0], sides[s], view.paint);
    const WarpRef warp = view.focus.value_or(runs[0]->steps.warps.empty() ? WarpRef{} : runs[0]->steps.warps.front());
    for (std::size_t place = 0; place < steps.size(); ++place) {
        if (view.step && *view.step != place) continue;
        const scene::CompareScene here = scene::build_compare_scene(compared, steps, times, place, warp);
        const std::string head = fmt::format("── {} of {} · {}", place + 1, steps.size(), steps.name(place));
        out << '\n' << view.paint.strong(head) << '\n';
        for (std::size_t s = 0; s < sides.size(); ++s) {
            if (here.sides[s].own) printers[s]->print_step(here.sides[s].step, sides[s].title);
            else
                out << '\n'
                    << view.paint.result(sides[s].title) << view.paint.faint(" · " + here.sides[s].stands) << '\n';
        }
    }
    for (std::size_t s = 0; s < sides.size(); ++s) {
        printers[s]->print_findings();
        out << '\n' << view.paint.strong("The whole run of " + sides[s].title) << '\n';
        print_results(out, *sides[s].finished, view.paint);
        print_totals(out, *runs[s], view.paint);
    }
}

}  // namespace lanewise::print
