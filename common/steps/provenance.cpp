#include <algorithm>
#include <bit>

#include "common/steps/interner.hpp"

namespace lanewise::steps {
namespace {

// One form for each set: no zero words at the end.
void trim(std::vector<std::uint64_t>& words) {
    while (!words.empty() && words.back() == 0) words.pop_back();
}

}  // namespace

std::size_t Provenance::count() const {
    std::size_t inputs = 0;
    for (const std::uint64_t word : once) inputs += static_cast<std::size_t>(std::popcount(word));
    return inputs;
}

bool Provenance::holds(std::size_t input) const {
    return input / 64 < once.size() && once[input / 64] >> (input % 64) & 1;
}

bool Provenance::counted_twice() const {
    return std::any_of(twice.begin(), twice.end(), [](std::uint64_t word) { return word != 0; });
}

void Provenance::join(const Provenance& other) {
    const std::size_t common = std::min(once.size(), other.once.size());
    twice.resize(std::max({twice.size(), other.twice.size(), common}));
    for (std::size_t i = 0; i < other.twice.size(); ++i) twice[i] |= other.twice[i];
    for (std::size_t i = 0; i < common; ++i) twice[i] |= once[i] & other.once[i];
    once.resize(std::max(once.size(), other.once.size()));
    for (std::size_t i = 0; i < other.once.size(); ++i) once[i] |= other.once[i];
    trim(once);
    trim(twice);
    undefined |= other.undefined;
    untold |= other.untold;
}

Interner::Interner() { number_of(Provenance()); }

std::uint32_t Interner::number_of(Provenance provenance) {
    std::uint64_t hash = (provenance.undefined ? 1u : 0u) | (provenance.untold ? 2u : 0u);
    const auto add = [&hash](const std::vector<std::uint64_t>& words) {
        for (const std::uint64_t word : words) hash = (std::rotl(hash, 7) ^ word) * 0x9e3779b97f4a7c15u;
        hash = (hash ^ words.size()) * 0x9e3779b97f4a7c15u;
    };
    add(provenance.once);
    add(provenance.twice);
    const auto [first, last] = by_hash_.equal_range(hash);
    for (auto it = first; it != last; ++it)
        if (all_[it->second] == provenance) return it->second;
    const auto number = static_cast<std::uint32_t>(all_.size());
    words_ += provenance.once.size() + provenance.twice.size();
    all_.push_back(std::move(provenance));
    by_hash_.emplace(hash, number);
    return number;
}

std::uint32_t Interner::single(std::size_t input) {
    if (input / 64 >= kMaxWords) words_ += kMaxWords + 1;   // one such set alone is too much
    if (over_budget()) return kNothing;
    Provenance provenance;
    provenance.once.resize(input / 64 + 1);
    provenance.once.back() = std::uint64_t{1} << (input % 64);
    return number_of(std::move(provenance));
}

std::uint32_t Interner::join(std::uint32_t a, std::uint32_t b) {
    if (a == kNothing) return b;
    if (b == kNothing) return a;
    if (over_budget()) return kNothing;
    const auto [known, added] = joins_.try_emplace(std::uint64_t{std::min(a, b)} << 32 | std::max(a, b), kNothing);
    if (!added) return known->second;
    Provenance both = all_[a];
    both.join(all_[b]);
    const std::uint32_t number = number_of(std::move(both));
    joins_[std::uint64_t{std::min(a, b)} << 32 | std::max(a, b)] = number;
    return number;
}

std::uint32_t Interner::undefined(std::uint32_t id) {
    Provenance provenance = all_[id];
    provenance.undefined = true;
    return number_of(std::move(provenance));
}

std::uint32_t Interner::untold(std::uint32_t id) {
    Provenance provenance = all_[id];
    provenance.untold = true;
    return number_of(std::move(provenance));
}

}  // namespace lanewise::steps
