// Changes to a text, collected in any order and applied at once.
#pragma once

#include <string>
#include <vector>

#include "common/annotate/source.hpp"

namespace lanewise::annotate {

class Edits {
public:
    // At one place, what is inserted first stands first.
    void insert(std::size_t offset, std::string text) { replace(offset, 0, std::move(text)); }
    void replace(std::size_t offset, std::size_t length, std::string text) {
        edits_.push_back({offset, length, std::move(text)});
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
    };
    std::vector<Edit> edits_;
};

}  // namespace lanewise::annotate
