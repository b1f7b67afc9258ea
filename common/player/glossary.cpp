#include "common/player/glossary.hpp"

#include <algorithm>
#include <cctype>

namespace lanewise::player {
namespace {

bool is_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string in_small(std::string_view text) {
    std::string small(text);
    std::transform(small.begin(), small.end(), small.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return small;
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.back() == '\r' || text.back() == ' ')) text.remove_suffix(1);
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    return text;
}

// Where `term`, singular or plural, ends that begins at `at`; `at` where it is not there or is part of longer text.
std::size_t end_of_term(std::string_view text, std::size_t at, std::string_view term) {
    if ((at > 0 && is_letter(text[at - 1])) || text.substr(at, term.size()) != term) return at;
    std::size_t end = at + term.size();
    for (const std::string_view many : {"es", "s"}) {
        if (!text.substr(end).starts_with(many)) continue;
        if (end + many.size() < text.size() && is_letter(text[end + many.size()])) continue;
        return end + many.size();
    }
    return end < text.size() && is_letter(text[end]) ? at : end;
}

}  // namespace

Glossary::Glossary(std::string_view markdown) {
    while (!markdown.empty()) {
        const std::size_t end = std::min(markdown.find('\n'), markdown.size());
        const std::string_view line = trimmed(markdown.substr(0, end));
        markdown.remove_prefix(std::min(end + 1, markdown.size()));
        if (line.starts_with("## ")) {
            terms_.push_back({std::string(trimmed(line.substr(3))), {}, {}});
            small_.push_back(in_small(terms_.back().name));
        } else if (!terms_.empty() && line.starts_with("Source: ")) {
            terms_.back().source = line.substr(8);
        } else if (!terms_.empty() && !line.empty()) {
            std::string& sentence = terms_.back().sentence;
            sentence += (sentence.empty() ? "" : " ") + std::string(line);
        }
    }
}

const Term* Glossary::find(std::string_view link) const {
    std::string name = in_small(link);
    for (std::size_t i = 0; i < terms_.size(); ++i) {
        std::string linked = small_[i];
        std::replace(linked.begin(), linked.end(), ' ', '-');
        if (linked == name) return &terms_[i];
    }
    return nullptr;
}

const Term* Glossary::at(std::string_view text, std::size_t place) const {
    const std::string small = in_small(text);
    const Term* best = nullptr;
    std::size_t longest = 0;
    for (std::size_t i = 0; i < terms_.size(); ++i) {
        for (std::size_t at = small.find(small_[i]); at != std::string::npos; at = small.find(small_[i], at + 1)) {
            const std::size_t end = end_of_term(small, at, small_[i]);
            if (place < at || place >= end || end - at <= longest) continue;
            best = &terms_[i];
            longest = end - at;
        }
    }
    return best;
}

std::vector<const Term*> Glossary::in(std::string_view text) const {
    std::vector<const Term*> all;
    for (std::size_t place = 0; place < text.size(); ++place) {
        if (!is_letter(text[place]) || (place > 0 && is_letter(text[place - 1]))) continue;
        const Term* term = at(text, place);
        if (term && std::find(all.begin(), all.end(), term) == all.end()) all.push_back(term);
    }
    return all;
}

}  // namespace lanewise::player
