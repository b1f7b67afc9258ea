// The sums of a run as they are found: what each is made of, and what it would be without rounding.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "common/rounding/rounding.hpp"

namespace lanewise::rounding {

// Sum::inputs of a word, or of a part of what was read.
inline constexpr std::uint32_t kUnknownInputs = 0;

// A sum, by its place; Sum::kNone: nothing but a zero; none: not known to be a sum of inputs.
using Found = std::optional<std::int32_t>;

// A value in another format, rounded where that has fewer bits.
inline std::uint64_t converted(Element from, std::uint64_t bits, Element to) {
    return from == to ? bits : element_from_double(to, element_to_double(from, bits));
}

// Fills RoundingLens::sums and ::exact.
class SumTree {
public:
    // `with_exact`: false where only what is made of what is asked for; RoundingLens::exact and all that follows from
    // it then stay empty.
    SumTree(const steps::Steps& steps, RoundingLens& lens, bool with_exact, const std::stop_token& stop);

    // Where inputs that are met for the first time come in.
    void at_step(std::size_t step) { step_ = step; }

    // The sum that a value is, by the inputs in it: `likely`, where that fits, else any of just those inputs. Widening
    // and rounding to another format pass.
    Found find(std::int32_t likely, std::uint32_t inputs, Element type, std::uint64_t bits);
    // The input that a set of inputs is, where it is one.
    Found single(std::uint32_t inputs);
    // The input that an element of an array is.
    Found input(std::uint32_t array, std::int64_t element);
    // Is that value this sum?
    bool holds(std::int32_t sum, Element type, std::uint64_t bits) const;

    // Keeps a sum, with all that follows from its exact value.
    std::int32_t keep(Sum sum, const ExactSum& exact);
    // Keeps the sum of two parts. A zero that holds no input adds nothing: the other part is the sum.
    std::int32_t join(Sum sum, Found own, Found other);

private:
    double value_of(std::int32_t sum) const;
    // Fills in what follows from the exact value.
    void measure(Sum& sum, const ExactSum& exact) const;
    Found leaf(std::int64_t element);

    const steps::Steps& steps_;
    RoundingLens& lens_;
    bool with_exact_;
    std::stop_token stop_;
    std::optional<std::uint32_t> array_;                                 // of the inputs
    struct Input {
        std::uint64_t bits = 0;   // as read
        Element type = Element::f32;
        std::int32_t sum = Sum::kNone;
    };
    std::unordered_map<std::int64_t, Input> inputs_;
    std::unordered_multimap<std::uint32_t, std::int32_t> by_inputs_;
    std::size_t step_ = 0;
};

}  // namespace lanewise::rounding
