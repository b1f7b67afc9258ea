// What memory holds before the first launch, from how it was written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "common/base/bytes.hpp"
#include "common/base/element.hpp"
#include "common/own/spec.hpp"

namespace lanewise::own {

// What the memory is made of.
struct EntryType {
    Element element = Element::f32;  // of one number in it
    std::uint64_t per_entry = 1;     // numbers an entry: four of a float4
    bool is_class = false;           // entries are structures: no number means anything
    std::string name;                // "float4"
};

// What all buffers of a program may take together.
inline constexpr std::uint64_t kMostBytes = std::uint64_t{4} << 30;

struct Contents {
    std::uint64_t count = 0;       // numbers
    Bytes bytes;                   // empty: zeros, or nothing that means anything
    bool is_zero = false, is_undefined = false;
};

// Throws Error, without a place in a line, where the fill is not possible. Files are looked for in `folder`. `seed`:
// of random values. `taken`: bytes that other buffers have already.
Contents make_contents(const Fill& fill, const EntryType& type, const std::filesystem::path& folder,
                       std::uint64_t seed, std::uint64_t taken = 0);

// The numbers in memory, as doubles.
std::vector<double> numbers_of(std::span<const std::byte> bytes, Element element);

// The numbers that a fill gives, not rounded to any element: what is expected.
std::vector<double> expected_numbers(const Fill& fill, Element element, const std::filesystem::path& folder);

}  // namespace lanewise::own
