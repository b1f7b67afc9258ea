#include "common/steps/provenance/provenance.hpp"

#include <fmt/format.h>

#include "common/base/error.hpp"

namespace lanewise::steps {

std::size_t Provenance::count() const { return trees_->count(once_); }
bool Provenance::holds(std::size_t input) const { return trees_->holds(once_, input); }
bool Provenance::counted_twice() const { return twice_ != InputTrees::kEmpty; }
bool Provenance::holds_twice(std::size_t input) const { return trees_->holds(twice_, input); }

std::size_t Provenance::count(std::size_t first, std::size_t last) const { return trees_->count(once_, first, last); }
std::size_t Provenance::count_twice(std::size_t first, std::size_t last) const {
    return trees_->count(twice_, first, last);
}

std::optional<std::size_t> Provenance::only() const {
    if (undefined || counted_twice() || !InputTrees::is_one(once_)) return std::nullopt;
    return once_ & ~InputTrees::kOne;
}

std::uint64_t Provenances::Set::hash() const {
    std::uint64_t hash = (std::uint64_t{once} << 32 | twice) * 0x9e3779b97f4a7c15u;
    hash = (hash ^ hash >> 32 ^ flags) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

Provenances::Set Provenances::set_of(Id id) const {
    if (id == kNothing) return {};
    return InputTrees::is_one(id) ? Set{id} : sets_[id];
}

Provenances::Id Provenances::number_of(const Set& set) {
    const bool plain = set.twice == InputTrees::kEmpty && set.flags == 0;
    return plain && (set.once == InputTrees::kEmpty || InputTrees::is_one(set.once)) ? set.once : sets_.number_of(set);
}

Provenance Provenances::at(Id id) const {
    if (!InputTrees::is_one(id) && id > sets_.size())
        throw Error(fmt::format("There is no set of inputs {}; there are {}.", id, size()));
    const Set set = set_of(id);
    Provenance provenance(trees_, set.once, set.twice);
    provenance.undefined = (set.flags & 1u) != 0;
    provenance.unknown = (set.flags & 2u) != 0;
    return provenance;
}

Provenances::Id Provenances::single(std::size_t input) {
    lost_ |= input >= InputTrees::kMost;
    return lost_ ? kNothing : InputTrees::kOne | static_cast<Id>(input);
}

Provenances::Id Provenances::join(Id a, Id b) {
    if (a == kNothing || b == kNothing) return a | b;
    if (over_budget()) return kNothing;
    const Set own = set_of(a), other = set_of(b);
    const InputTrees::Tree twice =
        trees_.unite(trees_.unite(own.twice, other.twice), trees_.intersect(own.once, other.once));
    return number_of({trees_.unite(own.once, other.once), twice, own.flags | other.flags});
}

Provenances::Id Provenances::undefined(Id id) {
    Set set = set_of(id);
    set.flags |= 1u;
    return number_of(set);
}

Provenances::Id Provenances::unknown(Id id) {
    Set set = set_of(id);
    set.flags |= 2u;
    return number_of(set);
}

}  // namespace lanewise::steps
