// The terms of the lessons and of the screens, each with one sentence and its source: lessons/GLOSSARY.md, read once.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lanewise::player {

struct Term {
    std::string name;       // "bank conflict"
    std::string sentence;
    std::string source;     // "Guide, Shared Memory"
};

class Glossary {
public:
    Glossary() = default;
    // A heading "## term", its sentence, a line "Source: …".
    explicit Glossary(std::string_view markdown);

    const std::vector<Term>& terms() const { return terms_; }
    // The term of a link, "bank-conflict"; null where there is none.
    const Term* find(std::string_view link) const;
    // The longest term around the sign at `place` of `text`, singular or plural ("two shuffles"); null where there is
    // none.
    const Term* at(std::string_view text, std::size_t place) const;
    // All terms in a text, in its order, each once.
    std::vector<const Term*> in(std::string_view text) const;

private:
    std::vector<Term> terms_;
    std::vector<std::string> small_;   // their names in small letters
};

}  // namespace lanewise::player
