// The numbers a variant is run on: their count, where they come from, and the values themselves, the same on every
// machine.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "common/lesson/controls.hpp"

namespace lanewise::lesson {

// The most values a run may have; the emulator, which takes about a hundred thousand times longer for each, has a
// limit of its own.
inline constexpr std::uint64_t kMaxValues = std::uint64_t{1} << 28;
inline constexpr std::uint64_t kMaxEmulatedValues = std::uint64_t{1} << 26;

// The kinds of input that need no file, in terms of r, random in [-1, 1).
struct GeneratedInput {
    const char* name;
    const char* what;   // for --help
    bool seeded;        // other values for another seed
};
inline constexpr GeneratedInput kGeneratedInputs[] = {
    {"ramp", "0, 1, 2...", false},
    {"ramp1", "1, 2, 3...", false},
    {"random", "-1 to 1", true},
    {"small", "each 2^-9: a long sum stops growing", false},
    {"mean", "100 + r: a large mean, a small spread", true},
    {"cancel", "256 r, then the same negated, but for r / 8", true},
    {"huge", "32768 among values from 0 to 1", true},
};

// The kind of values that were typed (--values), and how many of them there may be: a trace keeps as many.
inline constexpr const char* kTypedInput = "values";
inline constexpr std::size_t kMaxTypedValues = 1024;

// For kernels that count in 64 bits (Variant::large_n).
inline constexpr std::uint64_t kMaxLargeValues = std::uint64_t{1} << 32;

// What a plan may shape its launches by. The defaults are an H200's, so that the emulator and a recording from one run
// the same grid; but without an architecture, which only a GPU has.
struct Machine {
    std::uint32_t multiprocessors = 132;
    std::uint32_t threads_per_multiprocessor = 2048;
    std::uint32_t architecture = 0;   // 90 for compute capability 9.0; 0: no GPU
    std::uint64_t l2_bytes = std::uint64_t{60} << 20;
    std::uint32_t memory_gb_per_s = 0;   // at its highest clock; 0: not known
};

// What a plan is built from.
struct Inputs {
    std::uint64_t n = 32;        // how many values
    std::uint64_t columns = 0;   // values a row, of a lesson on rows (rows.hpp); 0: the values are no rows
    std::uint32_t block = 32;    // threads a block: chooses the kernel's instance
    std::uint32_t offset = 0;    // elements that come before the values: `--offset 1` misaligns them
    std::uint32_t warp = 32;     // lanes a warp: 4, 8 or 16 choose an instance for teaching warps (WARP_ENTRY)
    std::uint64_t seed = 1;      // of the kinds with random values
    std::string kind = "ramp";   // one of kGeneratedInputs, kTypedInput, else the name of a file
    std::shared_ptr<const std::vector<double>> file;  // its numbers, when `kind` names one; those that were typed
    ChosenControls controls;     // what was chosen of the variant's controls
    Machine machine;             // where the plan is to run

    // The first n values as T: floating types are rounded, integers truncated. Random values lie in [-1, 1) and are
    // exact in a float; random integers lie in -1000…999. A sum of `cancel` is that of the second half's r / 8 alone;
    // `huge` has its large value at n / 3.
    template <class T>
    std::vector<T> values() const {
        const Generator generate = generator();
        const double scale = std::is_integral_v<T> && kind == "random" ? 1000.0 : 1.0;
        std::vector<T> result(n);
        for (std::uint64_t i = 0; i < n; ++i) result[i] = static_cast<T>(generate(*this, i) * scale);
        return result;
    }

    // A part of values<double>(): `count` of them, from number `first` on.
    std::vector<double> part(std::uint64_t first, std::uint64_t count) const {
        const Generator generate = generator();
        std::vector<double> result(count);
        for (std::uint64_t i = 0; i < count; ++i) result[i] = generate(*this, first + i);
        return result;
    }

    // The number of blocks of `block` threads that n values fill, a value a thread; the last may be partly empty.
    std::uint32_t blocks() const { return static_cast<std::uint32_t>((n + block - 1) / block); }

private:
    using Generator = double (*)(const Inputs&, std::uint64_t index);
    Generator generator() const;  // chosen once, not for each value
};

// Is this one of the kinds that need no file?
bool is_generated_input(const std::string& kind);

// Has this kind other values for another seed?
bool is_seeded_input(const std::string& kind);

// "ramp, ramp1, …": for sentences.
std::string generated_input_names();

// Numbers with commas between, as typed after --values. Throws Error that names the one that is none.
std::vector<double> read_typed_values(const std::string& text);

// The numbers of a text file, separated by white space. Throws Error naming the file, and the line of what is not a
// number.
std::vector<double> read_numbers(const std::string& path);

}  // namespace lanewise::lesson
