// Texts as the parser gets them: with chosen branches of conditional directives, and without launches and inline PTX.
#pragma once

#include <string>
#include <vector>

#include "common/annotate/source.hpp"

namespace lanewise::annotate {

// #if … #elif … #else … #endif. Each branch has the directive in front of it, and reaches to the next one.
struct Chain {
    struct Branch {
        const Directive* directive = nullptr;
        Span body;
        bool shown = false;  // in some configuration so far
    };
    std::vector<Branch> branches;
    std::size_t chosen = 0;   // branches.size(): none
    bool forced = false;      // as chosen, whatever its conditions say
};

// Makes blanks of these bytes, but for what ends and joins lines.
void blank(std::string& text, Span span);

// The chains of a file, an outer one before those in it.
std::vector<Chain> chains_of(const Source& source);

// Notes what a parse has shown, which hid `hidden`, and forces branches not shown so far. False when all were.
bool choose_next(std::vector<Chain>& chains, const std::vector<Span>& hidden);

// The text of `source` with the chains' forced branches, and blanks for the <<<…>>> of launches and for asm(…), whose
// constraints are another machine's. No byte moves.
std::string text_for_parser(const Source& source, const std::vector<Chain>& chains);

// What is in `wide` and not in `narrow`, both sorted.
std::vector<Span> without(const std::vector<Span>& wide, const std::vector<Span>& narrow);

}  // namespace lanewise::annotate
