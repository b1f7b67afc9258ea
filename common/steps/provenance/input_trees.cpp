#include "common/steps/provenance/input_trees.hpp"

#include <bit>
#include <utility>

namespace lanewise::steps {
namespace {

constexpr std::uint64_t kMix = 0x9e3779b97f4a7c15u;
constexpr std::size_t kRemembered = std::size_t{1} << 14;   // 256 KiB

std::uint64_t mixed(std::uint64_t hash, std::uint64_t with) {
    hash = (hash ^ with) * kMix;
    return hash ^ hash >> 29;
}

}  // namespace

std::uint64_t InputTrees::Node::hash() const {
    std::uint64_t hash = level;
    for (unsigned i = 0; i < kBranches; i += 2) hash = mixed(hash, std::uint64_t{parts[i]} << 32 | parts[i + 1]);
    return hash;
}

InputTrees::InputTrees(std::uint64_t end) {
    while (levels_ < 9 && std::uint64_t{1} << shift_of(levels_ + 1) < std::min(end, kMost)) ++levels_;
}

std::uint64_t InputTrees::leaf_bits(Tree tree) const {
    if (tree == kEmpty) return 0;
    if (is_one(tree)) return std::uint64_t{1} << (tree & 63u);
    const Node& node = nodes_[tree];
    return std::uint64_t{node.parts[1]} << 32 | node.parts[0];
}

// Numbers in a part are counted from where it begins: parts in different places can be one.
InputTrees::Tree InputTrees::part_of(Tree tree, int level, unsigned branch) const {
    if (tree == kEmpty) return kEmpty;
    if (!is_one(tree)) return nodes_[tree].parts[branch];
    const std::uint32_t number = tree & ~kOne;
    const std::uint32_t below = (std::uint32_t{1} << shift_of(level)) - 1;
    return number >> shift_of(level) == branch ? kOne | (number & below) : kEmpty;
}

InputTrees::Tree InputTrees::leaf(std::uint64_t bits) {
    if (bits == 0) return kEmpty;
    if (std::has_single_bit(bits)) return kOne | static_cast<Tree>(std::countr_zero(bits));
    Node node;
    node.parts[0] = static_cast<std::uint32_t>(bits);
    node.parts[1] = static_cast<std::uint32_t>(bits >> 32);
    node.count = static_cast<std::uint32_t>(std::popcount(bits));
    return nodes_.number_of(node);
}

InputTrees::Joined& InputTrees::remembered(Tree a, Tree b, std::uint32_t how) {
    if (joined_.empty()) joined_.resize(kRemembered);
    return joined_[mixed(how, std::uint64_t{a} << 32 | b) & (kRemembered - 1)];
}

InputTrees::Tree InputTrees::join(Tree a, Tree b, int level, Join as) {
    const bool both = as == Join::both;
    if (a == b) return a;
    if (a == kEmpty || b == kEmpty) return both ? kEmpty : std::max(a, b);
    if (level == 0) return leaf(both ? leaf_bits(a) & leaf_bits(b) : leaf_bits(a) | leaf_bits(b));
    if (a > b) std::swap(a, b);
    const std::uint32_t how = 2 * static_cast<std::uint32_t>(level) + (both ? 1 : 0);
    const bool remembers = !is_one(b);
    if (remembers) {
        const Joined& known = remembered(a, b, how);
        if (known.a == a && known.b == b && known.how == how) return known.result;
    }
    Node node;
    node.level = static_cast<std::uint32_t>(level);
    Tree last = kEmpty;
    unsigned branch = 0;
    for (unsigned i = 0; i < kBranches; ++i) {
        const Tree part = join(part_of(a, level, i), part_of(b, level, i), level - 1, as);
        node.parts[i] = part;
        node.count += static_cast<std::uint32_t>(count(part));
        if (part == kEmpty) continue;
        last = part;
        branch = i;
    }
    Tree result = kEmpty;
    if (node.count == 1) result = last | branch << shift_of(level);
    else if (node.count > 1) result = nodes_.number_of(node);
    if (remembers) remembered(a, b, how) = {a, b, result, how};
    return result;
}

std::size_t InputTrees::count(Tree tree) const {
    return tree == kEmpty ? 0 : is_one(tree) ? 1 : nodes_[tree].count;
}

std::size_t InputTrees::count(Tree tree, int level, std::uint64_t first, std::uint64_t last) const {
    if (tree == kEmpty || first >= last) return 0;
    if (is_one(tree)) return (tree & ~kOne) >= first && (tree & ~kOne) < last;
    const std::uint64_t size = std::uint64_t{1} << shift_of(level + 1);
    if (first == 0 && last >= size) return count(tree);
    if (level == 0) {
        const std::uint64_t below = last >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << last) - 1;
        return static_cast<std::size_t>(std::popcount(leaf_bits(tree) & below & ~((std::uint64_t{1} << first) - 1)));
    }
    std::size_t held = 0;
    const std::uint64_t part = size / kBranches;
    for (unsigned i = 0; i < kBranches; ++i) {
        const std::uint64_t begin = i * part;
        if (last <= begin || first >= begin + part) continue;
        held += count(nodes_[tree].parts[i], level - 1, first > begin ? first - begin : 0,
                      std::min(part, last - begin));
    }
    return held;
}

std::size_t InputTrees::count(Tree tree, std::uint64_t first, std::uint64_t last) const {
    return count(tree, levels_, first, last);
}

bool InputTrees::holds(Tree tree, std::uint64_t number) const {
    for (int level = levels_; level > 0; --level) {
        if (tree == kEmpty) return false;
        if (is_one(tree)) return (tree & ~kOne) == number;
        if (number >> shift_of(level) >= kBranches) return false;
        tree = nodes_[tree].parts[number >> shift_of(level)];
        number &= (std::uint64_t{1} << shift_of(level)) - 1;
    }
    return number < 64 && (leaf_bits(tree) >> number & 1) != 0;
}

}  // namespace lanewise::steps
