// The questions that a lesson's text asks.
#include <algorithm>

#include "common/player/questions.hpp"

namespace lanewise::lesson {
namespace {

// A paragraph's words without their marks: "*Before:* see [lane 5](step:2)" is "Before: see lane 5".
std::string words_of(std::string_view markdown) {
    std::string words;
    for (std::size_t at = 0; at < markdown.size(); ++at) {
        const char c = markdown[at];
        if (c == '*') continue;
        if (c == '[') continue;
        if (c == ']' && at + 1 < markdown.size() && markdown[at + 1] == '(') {
            at = std::min(markdown.find(')', at), markdown.size());
            continue;
        }
        words += c == '\n' ? ' ' : c;
    }
    const auto first = words.find_first_not_of(' ');
    return first == std::string::npos ? "" : words.substr(first, words.find_last_not_of(' ') + 1 - first);
}

}  // namespace

std::vector<TextQuestion> questions_of_text(std::string_view markdown) {
    std::vector<TextQuestion> questions;
    std::size_t begin = 0;  // of the words of the next question: its paragraph, or behind the last link that asks
    for (std::size_t at = markdown.find("]("); at != std::string_view::npos; at = markdown.find("](", at + 2)) {
        const std::size_t end = markdown.find(')', at), open = markdown.rfind('[', at);
        if (end == std::string_view::npos || open == std::string_view::npos) break;
        const std::string target(markdown.substr(at + 2, end - at - 2));
        if (target.find("ask:") == std::string::npos) continue;
        const std::size_t paragraph = markdown.rfind("\n\n", open);
        begin = std::max(begin, paragraph == std::string_view::npos ? 0 : paragraph + 2);
        questions.push_back({words_of(markdown.substr(begin, open - begin)), parse_link(target)});
        begin = end + 1;
    }
    return questions;
}

}  // namespace lanewise::lesson
