// The questions that a lesson's text asks.
#include <algorithm>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/player/questions.hpp"

namespace lanewise::player {
namespace {

// A paragraph's text without its marks: "*Before:* see [lane 5](step:2)" is "Before: see lane 5".
std::string without_marks(std::string_view markdown) {
    std::string text;
    for (std::size_t at = 0; at < markdown.size(); ++at) {
        const char c = markdown[at];
        if (c == '*') continue;
        // Of a link its text alone; other brackets stay, as in E[x].
        if (c == '[') {
            const std::size_t close = markdown.find(']', at);
            if (close != std::string_view::npos && close + 1 < markdown.size() && markdown[close + 1] == '(') continue;
        }
        if (c == ']' && at + 1 < markdown.size() && markdown[at + 1] == '(') {
            at = std::min(markdown.find(')', at), markdown.size());
            continue;
        }
        text += c == '\n' ? ' ' : c;
    }
    const auto first = text.find_first_not_of(' ');
    return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

// "Often believed: …", by the first sentences of the paragraph that begins with the claim; and where its first
// link leads.
WrongAnswer wrong_answer(std::string_view markdown, const Link& link, const std::string& answer,
                         const std::string& claim) {
    const std::size_t begin = markdown.find("**\"" + claim);
    if (begin == std::string_view::npos)
        throw Error(
            fmt::format("The link to ask:{} of step {} names '{}', but no paragraph of the text begins with **\"{}.",
                        question_kind_name(*link.ask), *link.step + 1, claim, claim));
    const std::string_view paragraph = markdown.substr(begin, markdown.find("\n\n", begin) - begin);
    std::string text = without_marks(paragraph);
    std::erase(text, '`');
    constexpr std::size_t kMost = 340;   // letters: what the card has room for
    if (text.size() > kMost)
        if (const std::size_t end = text.rfind(". ", kMost); end != std::string::npos) text.resize(end + 1);
    WrongAnswer wrong{answer, "Often believed: " + text, fmt::format("step:{}", *link.step + 1)};
    if (const auto targets = links_of_text(paragraph); !targets.empty())
        for (const std::string& target : targets)
            if (parse_link(target).term.empty()) {
                wrong.refuted_by = target;
                break;
            }
    return wrong;
}

}  // namespace

std::vector<TextQuestion> questions_of_text(std::string_view markdown) {
    std::vector<TextQuestion> questions;
    std::size_t begin = 0;  // of the text of the next question: its paragraph, or after the last link that asks
    for (std::size_t at = markdown.find("]("); at != std::string_view::npos; at = markdown.find("](", at + 2)) {
        const std::size_t end = markdown.find(')', at), open = markdown.rfind('[', at);
        if (end == std::string_view::npos || open == std::string_view::npos) break;
        const std::string target(markdown.substr(at + 2, end - at - 2));
        if (target.find("ask:") == std::string::npos) continue;
        const std::size_t paragraph = markdown.rfind("\n\n", open);
        begin = std::max(begin, paragraph == std::string_view::npos ? 0 : paragraph + 2);
        questions.push_back({without_marks(markdown.substr(begin, open - begin)), parse_link(target)});
        TextQuestion& asked = questions.back();
        for (const auto& [answer, claim] : asked.link.wrong)
            asked.wrong.push_back(wrong_answer(markdown, asked.link, answer, claim));
        begin = end + 1;
    }
    return questions;
}

}  // namespace lanewise::player
