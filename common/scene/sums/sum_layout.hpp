// The additions that led to one sum, laid out without pixels: a box for each sum, in levels and columns; what has no
// room is collapsed. The summation tree and the rounding lens are this layout, with one of three things said of each
// sum.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/scene/sums/sums.hpp"

namespace lanewise::run {
struct Run;
}
namespace lanewise::rounding {
struct AdditionTree;
}

namespace lanewise::scene {

// What is said of each sum: its number, the warp that adds it, how far it is off the exact one (precision_of()).
enum class SumOverlay : std::uint8_t { value, warp, error };

// How the parts of a sum came together.
enum class SumJoin : std::uint8_t {
    input,     // it has none: an input
    pair,      // two were added
    in_turn,   // several, one after the other: by one lane, or by atomics on one word
    at_once,   // all lanes' values
    again,     // it is in the tree already: it came in more than once
};

// A sum of a subtree that is drawn small.
struct SumTwig {
    int parent = -1;                        // in SumBox::twigs: what it was added to; -1: the last
    int height = 0;                         // additions on the longest way from an input; 0: an input
    std::size_t step = 0;                   // at which it came about
};

// One sum, or several that are drawn as one.
struct SumBox {
    std::int32_t sum = Sum::kNone;          // of several: the last
    int parent = -1;                        // in SumLayout::boxes: what it was added to
    bool own = false;                       // its lane (its word) held it: nothing moved
    int level = 0;                          // in SumLayout::levels
    float first = 0, share = 1;             // columns: as wide as everything above it
    SumJoin join = SumJoin::input;
    std::size_t parts = 0;                  // that were added
    std::uint32_t adder = 0;                // the warp that adds it; of an input, that adds it first
    int node = 0;                           // of a tree: in rounding::AdditionTree

    // Folded: more is above than is drawn.
    bool collapsed = false;
    std::string name = {};                  // "warp 3", "block 1", "lane 5", the word that atomics join
    std::size_t leaves = 1;
    int height = 0;                         // additions on the longest way from an input
    std::vector<std::int32_t> inputs = {};  // from left to right
    std::vector<std::size_t> steps = {};    // of its additions, in order
    std::vector<SumTwig> twigs = {};        // all its sums, each after its parts, where they are few enough to be drawn

    // Of the lens: more led to it than is drawn; a lane's additions one after the other, first to last.
    bool more = false;
    std::vector<std::int32_t> run = {};
    double low = 0, high = 0;               // the range of the run's sums, exact and rounded, and 0
    std::size_t stop = 0;                   // the first of them that stopped growing; run.size(): none
};

// Sums next to each other: of a tree those of one step, the first level that of the inputs; of the lens those as far
// from the last sum, which is level 0.
struct SumLevel {
    std::size_t step = kNoStep;
    std::string label = {};                 // "xor 16"
};

struct SumLayout {
    // What was collapsed to make room: what one lane adds one after the other; what one warp adds; the other blocks,
    // and the warps of the one that is looked at; or all that lies too far above the total.
    enum class Fold : std::uint8_t { none, runs, warps, blocks, deep };

    std::vector<SumBox> boxes;              // the last sum first, each before those added to it
    std::vector<SumLevel> levels;
    Fold fold = Fold::none;
    float columns = 0;                      // of all
    std::int32_t worst = Sum::kNone;        // of the lens: the addition that alone lost most
    int worst_box = -1;                     // the box that it is drawn in, or above
};

// How much a front end can draw: widths and heights in any unit.
struct SumRoom {
    float width = 0, height = 0;
    float leaf = 13, fold = 34, roomy_fold = 52;   // least widths; of a fold that shows how it adds
    float level = 34;                              // least height
    float first_level = 38, first_folds = 96;      // height of the inputs, without and with folds
};

// What a tree's last sum is to the run: "the total: ", or why it is not the result ("one of 2 partial sums: ").
std::string root_name(const run::Run& run, const Sum& root, bool stored);

// A summation tree, with what is said of the whole of it.
struct SummationTree {
    std::vector<std::int32_t> roots;               // the last is drawn; those before it lead back
    bool stored = false;                           // the run ends with the first of them
    std::shared_ptr<const rounding::AdditionTree> tree;
    std::string summary;                           // "496 = the sum of 32 inputs, by 31 additions in 5 steps"
    std::string others;                            // what the other lanes hold
    std::vector<std::size_t> made;                 // the steps of all additions, in order

    bool empty() const;
};

// The tree of a lane's sum; -1: of what the run ends with, or near it. `roots`: sums in it that were chosen, one in the
// other. Throws Stopped where `stop` asks for that, as all here that take one.
SummationTree summation_tree(const Sums& sums, const WarpRef& warp, int lane, std::vector<std::int32_t> roots,
                             const std::stop_token& stop = {});
// Why there is none, as a sentence; empty where there is one.
std::string why_no_tree(const Sums& sums);

// A level for each step that adds. `near`: whose block is opened where not all have room.
SumLayout tree_layout(const Sums& sums, const SummationTree& tree, const SumRoom& room, const WarpRef& near,
                      const std::stop_token& stop = {});
// The additions below which `root` is, at most so many levels; a lane's own additions are one box.
SumLayout lens_layout(const Sums& sums, std::int32_t root, int most_levels = 6);

// A sum in three lines: which and when, how, of what.
std::string sum_text(const Sums& sums, const SummationTree& tree, const SumBox& box);

}  // namespace lanewise::scene
