// Which inputs a value includes, by number: equal sets share one, and sets share the parts that they have in
// common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "common/steps/provenance/input_trees.hpp"

namespace lanewise::steps {

class Provenances;

// One set, as long as the Provenances that it is of: inputs by their place in the first input array.
class Provenance {
public:
    bool undefined = false;   // something undefined came in (an inactive source lane)
    bool unknown = false;      // others may have come in: the kernel's text does not say (an `if` around `sum += p;`)

    std::size_t count() const;                // inputs held at least once
    bool holds(std::size_t input) const;
    bool counted_twice() const;               // is any held more than once?
    bool holds_twice(std::size_t input) const;
    // Of the inputs from `first` to `last` - 1.
    std::size_t count(std::size_t first, std::size_t last) const;
    std::size_t count_twice(std::size_t first, std::size_t last) const;
    // The one input that it holds, once; none where it holds none, or several.
    std::optional<std::size_t> only() const;

private:
    friend class Provenances;
    Provenance(const InputTrees& trees, InputTrees::Tree once, InputTrees::Tree twice)
        : trees_(&trees), once_(once), twice_(twice) {}

    const InputTrees* trees_;
    InputTrees::Tree once_, twice_;   // twice: of those in once
};

class Provenances {
public:
    using Id = std::uint32_t;
    static constexpr Id kNothing = 0;

    // Of arrays of so many inputs.
    explicit Provenances(std::size_t inputs = 0) : trees_(inputs) {}

    // The set that is one input; kNothing where there are too many inputs to distinguish.
    Id single(std::size_t input);
    Id join(Id a, Id b);
    Id undefined(Id id);
    Id unknown(Id id);   // these, and perhaps others

    // Throws Error where there is no set of that number.
    Provenance at(Id id) const;
    Provenance operator[](Id id) const { return at(id); }

    std::size_t size() const { return sets_.size() + 1; }   // without those of one input
    // More than half a GiB: sets that share nothing, different in every lane.
    bool over_budget() const { return lost_ || trees_.nodes() > kMostNodes || sets_.size() > kMostNodes; }

private:
    static constexpr std::size_t kMostNodes = std::size_t{8} << 20;

    struct Set {
        InputTrees::Tree once = InputTrees::kEmpty, twice = InputTrees::kEmpty;
        std::uint32_t flags = 0;   // 1: undefined, 2: unknown
        std::uint64_t hash() const;
        bool operator==(const Set&) const = default;
    };
    // A plain set of one input has its number, and is not kept.
    Set set_of(Id id) const;
    Id number_of(const Set& set);

    InputTrees trees_;
    Interned<Set> sets_;
    bool lost_ = false;   // there was an input beyond those that can be distinguished
};

}  // namespace lanewise::steps
