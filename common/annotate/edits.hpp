// Changes to a text, collected in any order and applied at once.
#pragma once

#include <string>
#include <vector>

#include "common/annotate/source.hpp"

namespace lanewise::annotate {

class Edits {
public:
    // At one place, what is inserted first comes first.
    void insert(std::size_t offset, std::string text) { replace(offset, 0, std::move(text)); }
    void replace(std::size_t offset, std::size_t length, std::string text) {
        edits_.push_back({offset, length, std::move(text), 0});
    }
    // Puts an expression between two texts: at one place, `before` stands behind all that is inserted, and `behind` in
    // front of it. Of two expressions with one end, the outer one comes first.
    void wrap(std::size_t begin, std::string before, std::size_t end, std::string behind) {
        edits_.push_back({begin, 0, std::move(before), 1});
        edits_.push_back({end, 0, std::move(behind), -1 - ++wraps_});
    }

    // The edits of `more`; where `spans` is not null, those in it.
    void add(const Edits& more, const std::vector<Span>* spans);

    // A replacement that has fewer lines than what it replaces is filled up with empty ones.
    std::string apply(const std::string& text) const;

private:
    struct Edit {
        std::size_t offset;
        std::size_t length;
        std::string text;
        int rank;  // at one place, the lower one comes first
    };
    std::vector<Edit> edits_;
    int wraps_ = 0;
};

}  // namespace lanewise::annotate
