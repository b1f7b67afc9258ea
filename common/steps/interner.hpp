// Provenances by number: equal ones share one, and joining two is remembered, because a warp's lanes join the same
// pairs again and again.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "common/steps/steps.hpp"

namespace lanewise::steps {

class Interner {
public:
    static constexpr std::uint32_t kNothing = 0;

    Interner();

    // The provenance that is one input.
    std::uint32_t single(std::size_t input);
    std::uint32_t join(std::uint32_t a, std::uint32_t b);
    std::uint32_t undefined(std::uint32_t id);
    std::uint32_t untold(std::uint32_t id);   // these, and perhaps others

    // Too much to keep: bit sets over a large input, different in every lane.
    bool over_budget() const { return words_ > kMaxWords; }

    std::vector<Provenance> take() { return std::move(all_); }

private:
    static constexpr std::size_t kMaxWords = 8u << 20;  // 64 MiB

    std::uint32_t number_of(Provenance provenance);

    std::vector<Provenance> all_;
    std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash_;
    std::unordered_map<std::uint64_t, std::uint32_t> joins_;
    std::size_t words_ = 0;
};

}  // namespace lanewise::steps
