#include "common/annotate/edits.hpp"

#include <algorithm>

namespace lanewise::annotate {

void Edits::add(const Edits& more, const std::vector<Span>* spans) {
    for (const Edit& edit : more.edits_)
        if (spans == nullptr || std::any_of(spans->begin(), spans->end(),
                                            [&](const Span& span) { return span.holds(edit.offset); }))
            edits_.push_back(edit);
}

std::string Edits::apply(const std::string& text) const {
    std::vector<Edit> sorted = edits_;
    std::stable_sort(sorted.begin(), sorted.end(), [](const Edit& a, const Edit& b) {
        if (a.offset != b.offset) return a.offset < b.offset;
        if ((a.length == 0) != (b.length == 0))
            return a.length == 0;  // what is inserted is in front of what is replaced
        return a.rank < b.rank;
    });
    std::string result;
    std::size_t at = 0;
    for (const Edit& edit : sorted) {
        if (edit.offset < at) continue;  // inside what was replaced already
        result.append(text, at, edit.offset - at);
        result += edit.text;
        const auto gone = text.begin() + static_cast<std::ptrdiff_t>(edit.offset);
        const auto lost = std::count(gone, gone + static_cast<std::ptrdiff_t>(edit.length), '\n') -
                          std::count(edit.text.begin(), edit.text.end(), '\n');
        if (lost > 0) result.append(static_cast<std::size_t>(lost), '\n');
        at = edit.offset + edit.length;
    }
    return result.append(text, at);
}

}  // namespace lanewise::annotate
