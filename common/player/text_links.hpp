// What a link of a lesson's text leads to, inside the window. One or more parts, separated by commas:
//
//   variant:NAME      shows that variant
//   step:K            goes to that step, counted from 1
//   lane:L            pins a lane, 0 to 31
//   view:NAME         stage, rounding, tree, table, timings, roofline or costs in the middle
//   compare:A+B[+C…]  sets two to four variants next to each other
//   lesson:NAME       continues with another lesson, 06_grid_stride
//   ask:KIND          asks about that step before it is shown: a kind of question (questions.hpp), about that lane
//   is:ANSWER         of ask:written, a question whose answer the text gives itself; a comma is written ;
//   wrong:ANSWER=CLAIM  an answer that the misconception leads to with which a paragraph of this text begins,
//                     **"CLAIM…"**: the paragraph says what is wrong with it, and where its first link leads refutes it
//   set:FIELD=VALUE   changes the run as the flag --FIELD does; %20 is a space, ; a comma: set:arg=lane%20^%205
//
// as in [lane 31](variant:warp_sum_down,step:2,lane:31); or a term of the glossary, ../GLOSSARY.md#bank-conflict. All
// other targets are not links of the window.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/run/front_end.hpp"

namespace lanewise::player {

enum class QuestionKind : std::uint8_t;

struct Link {
    std::string variant;
    std::vector<std::string> compare;
    std::optional<std::size_t> step;   // counted from 0
    int lane = -1;
    std::optional<run::View> view;
    std::string lesson;
    run::RunChanges changes;
    std::optional<QuestionKind> ask;
    std::string is;
    std::vector<std::pair<std::string, std::string>> wrong;   // answer, how the claim begins
    std::string term;                  // "bank-conflict": its heading in the glossary, in small letters, with hyphens
};

// Throws Error that names the part that is none.
Link parse_link(const std::string& target);

// The targets of a text's links, in their order.
std::vector<std::string> links_of_text(std::string_view markdown);

// "tree" of View::tree, and back.
std::string_view view_name(run::View view);
std::optional<run::View> view_named(std::string_view name);

}  // namespace lanewise::player
