#include "common/player/text_links.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "common/base/error.hpp"
#include "common/player/questions.hpp"

namespace lanewise::player {

using run::View;

namespace {

constexpr std::array<std::pair<View, std::string_view>, 8> kViews = {{{View::stage, "stage"},
                                                                      {View::rounding, "rounding"},
                                                                      {View::tree, "tree"},
                                                                      {View::boxes, "boxes"},
                                                                      {View::table, "table"},
                                                                      {View::timings, "timings"},
                                                                      {View::roofline, "roofline"},
                                                                      {View::costs, "costs"}}};

std::vector<std::string> split(std::string_view text, char at) {
    std::vector<std::string> parts;
    while (true) {
        const std::size_t end = std::min(text.find(at), text.size());
        parts.emplace_back(text.substr(0, end));
        if (end == text.size()) return parts;
        text.remove_prefix(end + 1);
    }
}

[[noreturn]] void refuse(const std::string& target, const std::string& part, const std::string& why) {
    throw Error("The link '" + target + "' has '" + part + "', " + why + ".");
}

std::size_t number(const std::string& target, const std::string& part, const std::string& text, std::size_t low,
                   std::size_t high) {
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < low || value > high)
        refuse(target, part, "which is no number from " + std::to_string(low) + " to " + std::to_string(high));
    return value;
}

// What a link writes otherwise: "lane%20^%205" is "lane ^ 5", "1;2" is "1,2".
std::string field_text(std::string text) {
    for (auto at = text.find("%20"); at != std::string::npos; at = text.find("%20")) text.replace(at, 3, " ");
    std::replace(text.begin(), text.end(), ';', ',');
    return text;
}

}  // namespace

std::string_view view_name(View view) {
    for (const auto& [each, name] : kViews)
        if (each == view) return name;
    return {};
}

std::optional<View> view_named(std::string_view name) {
    for (const auto& [view, each] : kViews)
        if (each == name) return view;
    return std::nullopt;
}

Link parse_link(const std::string& target) {
    Link link;
    constexpr std::string_view kGlossary = "../GLOSSARY.md#";
    if (target.starts_with(kGlossary)) {
        link.term = target.substr(kGlossary.size());
        if (link.term.empty()) refuse(target, target, "which names no term");
        return link;
    }
    for (const std::string& part : split(target, ',')) {
        const std::size_t colon = part.find(':');
        if (colon == std::string::npos || colon + 1 == part.size())
            refuse(target, part, "which is no part of a link: write KIND:VALUE");
        const std::string kind = part.substr(0, colon), value = part.substr(colon + 1);
        if (kind == "variant") link.variant = value;
        else if (kind == "lesson") link.lesson = value;
        else if (kind == "step") link.step = number(target, part, value, 1, 1'000'000'000) - 1;
        else if (kind == "lane") link.lane = static_cast<int>(number(target, part, value, 0, 31));
        else if (kind == "set") {
            const std::size_t equals = value.find('=');
            if (equals == 0 || equals == std::string::npos) refuse(target, part, "which sets nothing: write set:n=33");
            run::set_change(link.changes, value.substr(0, equals), field_text(value.substr(equals + 1)));
        } else if (kind == "compare") {
            link.compare = split(value, '+');
            if (link.compare.size() < 2 || link.compare.size() > 4)
                refuse(target, part, "but two to four variants can be compared");
        } else if (kind == "ask") {
            link.ask = question_kind_named(value);
        } else if (kind == "is") {
            link.is = field_text(value);
        } else if (kind == "wrong") {
            const std::size_t equals = value.find('=');
            if (equals == 0 || equals == std::string::npos || equals + 1 == value.size())
                refuse(target, part, "which names no claim: write wrong:1=A%20shuffle");
            link.wrong.emplace_back(field_text(value.substr(0, equals)), field_text(value.substr(equals + 1)));
        } else if (kind == "view") {
            link.view = view_named(value);
            if (!link.view)
                refuse(target, part,
                       "but the views are stage, rounding, tree, boxes, table, timings, roofline and costs");
        } else {
            refuse(target, part,
                   "but the kinds are variant, step, lane, view, compare, ask, is, wrong, set and lesson; a term is "
                   "../GLOSSARY.md#TERM");
        }
    }
    if (link.ask && (!link.step || link.variant.empty() || (link.ask == QuestionKind::written) == link.is.empty()))
        refuse(target, "ask", "but a question needs variant:, step: and, where it is ask:written, is:");
    return link;
}

std::vector<std::string> links_of_text(std::string_view markdown) {
    std::vector<std::string> targets;
    for (std::size_t at = markdown.find("]("); at != std::string_view::npos; at = markdown.find("](", at + 2)) {
        const std::size_t end = markdown.find(')', at);
        if (end == std::string_view::npos) break;
        targets.emplace_back(markdown.substr(at + 2, end - at - 2));
    }
    return targets;
}

}  // namespace lanewise::player
