// Sets of whole numbers that share what they have in common: a lane that reads a million inputs goes through a million
// sets, each with one number more than the last.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lanewise::steps {

// Values by number, from 1; equal ones share one. `T` has hash() and ==.
template <class T>
class Interned {
public:
    std::uint32_t number_of(const T& value) {
        if ((values_.size() + 1) * 2 > slots_.size()) grow();
        std::size_t slot = static_cast<std::size_t>(value.hash()) & (slots_.size() - 1);
        for (; slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1))
            if ((*this)[slots_[slot]] == value) return slots_[slot];
        values_.push_back(value);
        return slots_[slot] = static_cast<std::uint32_t>(values_.size());
    }
    const T& operator[](std::uint32_t number) const { return values_[number - 1]; }
    std::size_t size() const { return values_.size(); }

private:
    void grow() {
        slots_.assign(std::max<std::size_t>(64, slots_.size() * 2), 0);
        for (std::size_t i = 0; i < values_.size(); ++i) {
            std::size_t slot = static_cast<std::size_t>(values_[i].hash()) & (slots_.size() - 1);
            while (slots_[slot] != 0) slot = (slot + 1) & (slots_.size() - 1);
            slots_[slot] = static_cast<std::uint32_t>(i + 1);
        }
    }

    std::vector<T> values_;
    std::vector<std::uint32_t> slots_;   // open addressing: at most half are taken
};

// A set is a tree of leaves of 64 bits under nodes of eight branches. Parts that are equal are one node, wherever in
// however many sets they stand, so equal sets have one number. The empty set and sets of one have no node.
class InputTrees {
public:
    using Tree = std::uint32_t;
    static constexpr Tree kEmpty = 0;
    static constexpr Tree kOne = std::uint32_t{1} << 31;   // kOne | i: just i
    static constexpr std::uint64_t kMost = kOne;           // numbers that a set may hold: 0 to kMost - 1

    // Sets of numbers below `end`, at most kMost.
    explicit InputTrees(std::uint64_t end);

    static bool is_one(Tree tree) { return (tree & kOne) != 0; }
    Tree unite(Tree a, Tree b) { return join(a, b, levels_, Join::either); }
    Tree intersect(Tree a, Tree b) { return join(a, b, levels_, Join::both); }
    std::size_t count(Tree tree) const;
    std::size_t count(Tree tree, std::uint64_t first, std::uint64_t last) const;   // of first to last - 1
    bool holds(Tree tree, std::uint64_t number) const;
    std::size_t nodes() const { return nodes_.size(); }

private:
    static constexpr int kLeafBits = 6, kBranchBits = 3;   // of a number
    static constexpr unsigned kBranches = 1u << kBranchBits;

    struct Node {
        std::array<Tree, kBranches> parts{};   // level 0: the leaf's bits in two halves
        std::uint32_t level = 0;
        std::uint32_t count = 0;               // numbers in it
        std::uint64_t hash() const;
        bool operator==(const Node& other) const { return level == other.level && parts == other.parts; }
    };
    enum class Join : std::uint8_t { either, both };   // of two sets
    // What was last joined, by place: the lanes of a warp join the same parts again and again.
    struct Joined {
        Tree a = 0, b = 0, result = 0;
        std::uint32_t how = 0;                 // 0: nothing here
    };

    static int shift_of(int level) { return kLeafBits + kBranchBits * (level - 1); }
    std::uint64_t leaf_bits(Tree tree) const;
    Tree part_of(Tree tree, int level, unsigned branch) const;
    Tree leaf(std::uint64_t bits);
    Tree join(Tree a, Tree b, int level, Join as);
    Joined& remembered(Tree a, Tree b, std::uint32_t how);
    std::size_t count(Tree tree, int level, std::uint64_t first, std::uint64_t last) const;

    int levels_ = 0;   // nodes above a leaf
    Interned<Node> nodes_;
    std::vector<Joined> joined_;
};

}  // namespace lanewise::steps
