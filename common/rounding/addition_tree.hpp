// The summation tree: the additions that led to one sum, as a tree, and which sum a run ends with. From the sums that
// the rounding lens knows (rounding.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/rounding/rounding.hpp"
#include "common/steps/steps.hpp"

namespace lanewise::rounding {

struct AdditionNode {
    // How its parts came together.
    enum class Kind : std::uint8_t {
        input,     // a leaf
        join,      // two were added
        run,       // one lane added several, one after the other
        word,      // several atomics added to one word, one after the other
        reduce,    // all lanes' values at once
        again,     // a sum that is elsewhere in the tree: it came in more than once. A leaf here
    };

    Kind kind = Kind::input;
    std::int32_t sum = Sum::kNone;        // in RoundingLens::sums; of a run or a word: the last
    int parent = -1;
    std::vector<int> parts = {};          // nodes: what the lane (the word) held, then what came to it, in that order
    std::vector<std::int32_t> running = {};   // the sum after the second part, the third, …; its last is `sum`
    std::size_t leaves = 1;               // inputs below, or 1
    int height = 0;                       // 0: a leaf
};

struct AdditionTree {
    std::vector<AdditionNode> nodes;      // the root first, each before its parts

    bool empty() const { return nodes.empty(); }
    const AdditionNode& operator[](int node) const { return nodes[static_cast<std::size_t>(node)]; }
    // The additions of a node and of all below it: places in RoundingLens::sums, in the order in which they came about.
    std::vector<std::int32_t> additions(int node = 0) const;
    // The inputs below: places in RoundingLens::sums, from left to right.
    std::vector<std::int32_t> inputs(int node = 0) const;
};

// Throws Stopped where `stop` asks for that, as all here that take one.
AdditionTree build_addition_tree(const steps::Steps& steps, const RoundingLens& lens, std::int32_t root,
                                 const std::stop_token& stop = {});

// The sum that a lane ends with; kNone where it adds nothing.
std::int32_t sum_of_lane(const steps::Steps& steps, const RoundingLens& lens, const WarpRef& warp, int lane);

// The sum that the run ends with: of those that stores and atomics leave in global memory at the end the one of the
// most inputs; of several, that of the block of `near`, then of its warp, then the first. kNone where none of them is
// known.
std::int32_t stored_sum(const steps::Steps& steps, const RoundingLens& lens, const WarpRef& near,
                        const std::stop_token& stop = {});
// The same; where none is known, of the sums with the most inputs the latest. kNone where nothing was added.
std::int32_t sum_of_run(const steps::Steps& steps, const RoundingLens& lens, const WarpRef& near,
                        const std::stop_token& stop = {});

// What the other lanes of the warp that came to `root` end with, in a sentence: "All 32 lanes hold the sum of these
// inputs, each by a tree of its own; this is lane 0's." Of an atomic: how many came to the word.
std::string others_beside(const steps::Steps& steps, const RoundingLens& lens, const AdditionTree& tree);

// "32 inputs"; "32 inputs, of them 29 different", where some came in more than once.
std::string inputs_text(const RoundingLens& lens, const AdditionTree& tree);

// Why there is no tree, as a sentence; empty where there is one.
std::string why_no_tree(const RoundingLens& lens);

// "lane 5 of block 0 · warp 1", "out[0], at lane 0 of block 3 · warp 0", "in[7]"
std::string place_of_sum(const steps::Steps& steps, const Sum& sum);

// The whole tree as text, an addition a line in the order in which they came about; at step `now`:
//
//     tree  lane 0 of block 0 · warp 0  496 (0x43f80000)  32 inputs, 31 additions in 5 steps
//     All 32 lanes hold …
//     added  step 2 xor 16  lane 0 of block 0 · warp 0  0 (0x00000000) + 16 (0x41800000) = 16 (0x41800000)  2 inputs
//     now added  step 3 xor 8 …  later
std::string describe_tree(const steps::Steps& steps, const RoundingLens& lens, const AdditionTree& tree,
                          std::size_t now);

}  // namespace lanewise::rounding
