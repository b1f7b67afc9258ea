// CUB's reductions behind plain functions, so that only two small files need CUB's headers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "common/base/element.hpp"

struct CUstream_st;

namespace lanewise::measure {

// In the form that CUB's device functions have: without `memory` it only says in `bytes` how much it needs. `in` are n
// values of the function's type. Returns a cudaError_t. Up to INT_MAX values CUB is called with an int, as most
// programs do, and beyond with 64 bits. `out` is one float, or one int for integers.
using CubReduce = int (*)(void* memory, std::size_t& bytes, const void* in, void* out, std::uint64_t n,
                          CUstream_st* stream);

enum class Reduction : std::uint8_t { sum, max, min };

struct Baseline {
    const char* name;      // what is asked for
    Element element;       // of the input
    const char* row;       // what is said to have been measured
    CubReduce run;
    Reduction reduction;
};

// Of f32: in every program.
std::span<const Baseline> cub_of_floats();

// The sums of f16 and bf16 with plus<float>: a float accumulates. Of 8 bits: each value is converted as it is read (a
// transform iterator), and a float accumulates, or an int. Null but in programs that link lanewise_measure_formats.
[[gnu::weak]] std::span<const Baseline> cub_of_formats();

// The most values that this toolkit's CUB takes.
std::uint64_t cub_most_values();

}  // namespace lanewise::measure
