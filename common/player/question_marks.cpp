// Whether an answer is right, written as people write.
#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>

#include "common/base/error.hpp"
#include "common/player/questions.hpp"

namespace lanewise::player {
namespace {

constexpr std::string_view kNumber = "a number", kYesNo = "yes or no", kLanes = "lanes, such as 0-7, or all",
                           kFaster = "yes, no or same", kAny = "a number, yes or no, or lanes";

struct KindNames {
    QuestionKind kind;
    const char* name;
    std::string_view form;
};
constexpr std::array<KindNames, 18> kKinds = {{{QuestionKind::source_lane, "source_lane", kNumber},
                                               {QuestionKind::is_defined, "is_defined", kYesNo},
                                               {QuestionKind::value_after, "value_after", kNumber},
                                               {QuestionKind::vote, "vote", kNumber},
                                               {QuestionKind::holds_total, "holds_total", kLanes},
                                               {QuestionKind::element, "element", kNumber},
                                               {QuestionKind::active_threads, "active_threads", kNumber},
                                               {QuestionKind::active_warps, "active_warps", kNumber},
                                               {QuestionKind::sectors, "sectors", kNumber},
                                               {QuestionKind::wavefronts, "wavefronts", kNumber},
                                               {QuestionKind::barriers, "barriers", kNumber},
                                               {QuestionKind::ordered, "ordered", kYesNo},
                                               {QuestionKind::orders_memory, "orders_memory", kYesNo},
                                               {QuestionKind::waits, "waits", kYesNo},
                                               {QuestionKind::latency, "latency", kNumber},
                                               {QuestionKind::faster, "faster", kFaster},
                                               {QuestionKind::percent_slower, "percent_slower", kNumber},
                                               {QuestionKind::written, "written", kAny}}};

std::string plain(const std::string& answer) {
    std::string text;
    for (const char c : answer) text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    for (const char* unit : {"lanes", "lane", "percent", "%"})
        if (text.find(unit) != std::string::npos) text.erase(text.find(unit), std::string(unit).size());
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first == std::string::npos) return "";
    return text.substr(first, text.find_last_not_of(" \t\r\n.") + 1 - first);
}

std::optional<double> number_in(const std::string& text) {
    double value = 0;
    const char* end_of_text = text.data() + text.size();
    if (text.starts_with("0x")) {
        std::uint64_t bits = 0;
        const auto [end, error] = std::from_chars(text.data() + 2, end_of_text, bits, 16);
        return error == std::errc{} && end == end_of_text ? std::optional(static_cast<double>(bits)) : std::nullopt;
    }
    const auto [end, error] = std::from_chars(text.data(), end_of_text, value);
    return error == std::errc{} && end == end_of_text && !text.empty() ? std::optional(value) : std::nullopt;
}

// "0-7, 9", "0…7 9", "all", "none".
std::optional<std::uint32_t> lanes_in(std::string text) {
    if (text == "all") return 0xffffffffu;
    if (text == "none") return 0u;
    for (const std::string dash : {"…", "–", " to "})
        for (auto at = text.find(dash); at != std::string::npos; at = text.find(dash))
            text.replace(at, dash.size(), "-");
    std::uint32_t lanes = 0;
    for (std::size_t at = 0; at < text.size();) {
        const auto end = std::min(text.find_first_of(", ", at), text.size());
        const std::string part = text.substr(at, end - at);
        at = end + 1;
        if (part.empty()) continue;
        const auto dash = part.find('-');
        const auto first = number_in(part.substr(0, dash)),
                   last = dash == std::string::npos ? first : number_in(part.substr(dash + 1));
        if (!first || !last || !(*first >= 0 && *first <= *last && *last < kWarpSize)) return std::nullopt;
        for (int lane = static_cast<int>(*first); lane <= static_cast<int>(*last); ++lane) lanes |= 1u << lane;
    }
    return text.empty() ? std::nullopt : std::optional(lanes);
}

bool is_choice(const std::string& text) { return text == "yes" || text == "no" || text == "same"; }

// "y" is yes, "equal" is same; nothing where it is none of them.
std::optional<std::string> choice_in(const std::string& text) {
    if (text == "y" || text == "yes") return "yes";
    if (text == "n" || text == "no") return "no";
    if (text == "same" || text == "equal" || text == "s") return "same";
    return std::nullopt;
}

// Is `given` that answer? Nothing where it cannot be one.
std::optional<bool> is_answer(QuestionKind kind, const std::string& given, const std::string& answer) {
    const bool lanes =
        kind == QuestionKind::holds_total ||
        (kind == QuestionKind::written && (answer.find('-') > 0 && answer.find_first_of("-,") < answer.size()));
    if (kind == QuestionKind::is_defined || kind == QuestionKind::faster || is_choice(answer)) {
        const auto choice = choice_in(given);
        if (!choice || (*choice == "same" && kind != QuestionKind::faster)) return std::nullopt;
        return *choice == answer;
    }
    if (lanes) {
        const auto named = lanes_in(given);
        return named ? std::optional(named == lanes_in(answer)) : std::nullopt;
    }
    const auto number = number_in(given);
    if (!number && given != "nan" && given != "inf" && given != "-inf") return std::nullopt;
    const auto wanted = number_in(answer);
    if (given == answer) return true;
    if (!number || !wanted) return false;
    // By about how much: half as much again, or two thirds.
    if (kind == QuestionKind::percent_slower) return *number <= *wanted * 1.5 && *number >= *wanted / 1.5;
    if (kind == QuestionKind::latency) return *number <= *wanted * 1.25 && *number >= *wanted * 0.75;
    // A fraction is shown with as many digits as its type needs: three of them suffice.
    const bool fraction =
        (kind == QuestionKind::value_after || kind == QuestionKind::written) && *wanted != std::floor(*wanted);
    return std::abs(*number - *wanted) <= (fraction ? std::abs(*wanted) * 0.005 : 0);
}

}  // namespace

const char* question_kind_name(QuestionKind kind) {
    return std::find_if(kKinds.begin(), kKinds.end(), [&](const KindNames& each) { return each.kind == kind; })->name;
}

std::string_view answer_form(QuestionKind kind) {
    return std::find_if(kKinds.begin(), kKinds.end(), [&](const KindNames& each) { return each.kind == kind; })->form;
}

QuestionKind question_kind_named(std::string_view name) {
    std::string names;
    for (const KindNames& kind : kKinds) {
        if (kind.name == name) return kind.kind;
        names += (names.empty() ? "" : ", ") + std::string(kind.name);
    }
    throw Error("There are no questions of kind '" + std::string(name) + "'; there are " + names + ".");
}

Marked mark(const Question& question, const std::string& answer) {
    const std::string given = plain(answer);
    const auto right = is_answer(question.kind, given, question.answer);
    Marked marked{right.has_value(), right.value_or(false), "", ""};
    if (!marked.understood || marked.right) return marked;
    for (const WrongAnswer& wrong : question.wrong)
        if (is_answer(question.kind, given, wrong.answer).value_or(false)) {
            marked.reveals = wrong.reveals;
            marked.refuted_by = wrong.refuted_by;
            break;
        }
    return marked;
}

}  // namespace lanewise::player
