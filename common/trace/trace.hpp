// A trace: what happened in one run of one variant, as plain data. The same from a GPU and from the emulator; it
// holds no pointers and nothing of a window.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/base/element.hpp"
#include "common/base/warp.hpp"
#include "common/trace/op.hpp"

namespace lanewise::trace {

using lanewise::kWarpSize;
inline constexpr int kFormatMajor = 1;
inline constexpr int kFormatMinor = 5;

Op op_from_name(const std::string& name); // throws Error naming it when there is none

using lanewise::PerLane;

// Up to 16 bytes of one lane's access, in memory order from the low end of the first 8 bytes.
using Bytes16 = std::array<std::uint64_t, 2>;

// The k-th element of an access.
inline std::uint64_t element_at(const Bytes16& bytes, Element element, int k) {
    const int size = element_size(element);
    const int bit = k * size * 8;
    const std::uint64_t value = bytes[static_cast<std::size_t>(bit / 64)] >> (bit % 64);
    return size == 8 ? value : value & ((std::uint64_t{1} << (size * 8)) - 1);
}

// What a statement does with the value that a lane receives in it, read from the kernel's text, never from values.
enum class Effect : std::uint8_t {
    unknown,   // the text does not say
    replace,   // X = shfl(…): the lane now holds what it received
    join,      // X op= shfl(…): the lane holds its own and what it received
    keep,      // the lane received something and did not use it (if (lane >= d) X += p; on the lower lanes)
};

using lanewise::Space;

// An array that accesses, atomics and snapshots refer to by its place in Trace::arrays.
struct Array {
    std::string name;
    Space space = Space::global;
    Element element = Element::f32;
    std::uint64_t count = 0;  // elements
};

// The contents of one shared array at a block barrier, or of the part of a global buffer that the block works in
// (launch::Plan::snapshot).
struct ArrayImage {
    std::uint32_t array = 0;
    std::uint64_t first = 0;            // element of the array that values[0] is: not 0 only in global memory
    std::vector<std::uint64_t> values;  // bits, one for each element
    std::vector<bool> written;          // false: never written in this block; what it holds means nothing.
                                        // Empty: unknown (a GPU does not say)
};

// One instruction of one warp. Per-lane fields mean something only where `active` has the lane's bit.
struct Record {
    std::uint32_t launch = 0;   // which of Header::launches
    std::uint32_t block = 0;    // linear block number
    std::uint32_t warp = 0;     // in its block
    std::uint32_t index = 0;    // its number in that warp, from 0
    Op op = Op::load;
    Element type = Element::f32;
    int line = 0;               // in the kernel file
    std::uint32_t active = 0;   // lanes that took part
    std::uint32_t mask = 0;     // as the kernel gave it; 0 for accesses, atomics and block barriers
    int width = kWarpSize;      // shuffles
    PerLane<std::int32_t> arg{};      // shuffles: offset, delta, xor mask or source lane, as each lane gave it;
                                      // votes and block barriers that vote: the predicate (0 or 1);
                                      // fences: 0 block, 1 device, 2 system
    PerLane<std::int8_t> source{};    // shuffles: the lane read; -1 when there is none
    PerLane<std::uint64_t> before{};  // shuffles, reductions, matches: the value a lane offered
    PerLane<std::uint64_t> received{};  // shuffles, reductions, votes, block barriers that vote, active_mask: what
                                        // came back; atomics: the old value
    PerLane<std::uint64_t> after{};   // shuffles, reductions: what the lane's variable held after the statement; loads:
                                      // what the variable held that the loaded value was joined to, where one was
    std::uint32_t has_after = 0;      // lanes whose `after` was recorded
    Element after_type = Element::f32;  // loads: of `after`; shuffles and reductions have `type`
    std::uint32_t undefined = 0;      // lanes whose `received` CUDA leaves undefined (an inactive source)
    PerLane<Effect> effect{};         // shuffles, reductions

    // Accesses and atomics.
    std::uint32_t array = 0;
    int elements = 1;                 // elements each lane touched (a float4 load of a float array: 4)
    PerLane<std::int64_t> element_index{};
    PerLane<Bytes16> value{};         // what was read, written, or the operand of the atomic: `elements` elements
    // A block barrier: shared memory as it was when all had arrived, in the record of the block's first warp.
    std::vector<ArrayImage> shared;
};

// The type of Record::received: matches answer with a mask, block barriers with a number, whatever was offered.
Element received_type(const Record& record);

// What a statement of the kernel file assigns, from its text: steps follow it for accesses.
struct Statement {
    int line = 0;                     // first line of the statement
    int last_line = 0;
    Effect effect = Effect::unknown;  // replace: X = …; join: X op= … or X = …X…
    std::string target;               // "value", "tree[thread]"
    bool to_memory = false;           // the target is an element of an array
    bool conditional = false;         // what is assigned is a `c ? a : b`: loads in it may be made by some lanes only
    // What steps need to follow a value through statements that leave no record (`sum += p.x + p.y;`); unknown in
    // files of minor version 0, where `function` is empty.
    bool copies = false;              // the value is one element of memory, unchanged: what was read is what is held
    bool calls = false;               // a function of the kernel file is called in it
    int loads = 0;                    // elements (or vectors) of memory that one lane reads in it, as its text says
    std::vector<std::string> uses;    // names that the value is made of: not those in subscripts and conditions, nor in
                                      // the arguments of warp intrinsics and atomics
    struct Lines {
        int first = 0, last = 0;      // 0: none
        bool has(int at) const { return at >= first && at <= last; }
        bool operator==(const Lines&) const = default;
    };
    Lines function, loop, branch;     // innermost around it
    // Since minor version 3.
    std::string offers = {};          // the part of a value that an exchange in it is offered: "pair.sum". Exchanges of
                                      // the parts of one value, one after the other, are one step
    std::string call = {};            // the function of the kernel file that the value is one call of: "merge"
};

struct Launch {
    std::string kernel;               // "block_sum_two_level<256>"
    std::array<std::uint32_t, 3> grid{1, 1, 1};
    std::array<std::uint32_t, 3> block{1, 1, 1};
    std::uint32_t dynamic_shared_bytes = 0;
};

// Wrong: CUDA leaves undefined what happens. A note: legal or tolerated, and worth knowing.
enum class Severity : std::uint8_t { wrong, note };

// What the checks of one run came to. Clean holds for this run alone: other inputs may still go wrong.
enum class Verdict : std::uint8_t { not_checked, clean, wrong, not_decided };
const char* verdict_name(Verdict verdict);   // "clean for this run"

// The other one of two accesses or calls that a finding is about: the one that came first.
struct FindingPlace {
    int line = 0;
    std::uint32_t block = 0;
    std::uint32_t warp = 0;
    std::uint32_t lanes = 0;
    std::int64_t record = -1;  // Record::index of it in that warp; -1: not recorded
    std::string value;         // what was read or written; empty: not known
};

// Something that the emulator saw. A finding is reported, never thrown.
struct Finding {
    std::string kind;      // "mask_without_caller", "mask_mismatch", "intrinsic_mismatch", "deadlock",
                           // "inactive_source", "barrier_divergence", "race", "out_of_bounds", …
    std::string kernel;
    int line = 0;
    std::uint32_t block = 0;
    std::uint32_t warp = 0;
    std::uint32_t lanes = 0;
    std::uint64_t count = 1;   // how often it was seen; the rest of the fields describe the first
    std::string sentence;      // what is wrong
    // Since minor version 2.
    Severity severity = Severity::wrong;
    std::string advice = {};         // what to do about it; empty: the sentence says it
    std::uint32_t launch = 0;        // which of Header::launches
    std::string array = {};          // of an access; empty: there is none
    std::int64_t index = 0;          // element of it
    std::int64_t record = -1;        // as FindingPlace's
    std::string value = {};          // what was read or written, as its type shows it; empty: not known
    std::optional<FindingPlace> other = {};
};

enum class SourceKind : std::uint8_t { gpu, emulator };

struct Source {
    SourceKind kind = SourceKind::emulator;
    std::string gpu;                  // "NVIDIA H200"
    std::string driver;               // "13.0"
    std::string compute_capability;   // "9.0"
    std::string order;                // emulator: "ascending", "descending", "seed 7"
};

// The final contents of a named output, so that a run's totals travel with it (the first kMaxOutput elements).
struct Output {
    std::string name;
    Element element = Element::f32;
    std::uint64_t count = 0;
    std::vector<std::uint64_t> values;
};
inline constexpr std::size_t kMaxOutput = 64;

// The same variant and input run again, where the order in which blocks run decides the last bits
// (lesson::Variant::reruns). Only outputs are kept; never compared.
struct Rerun {
    std::string how;                  // "descending", "seed 3"; on a GPU: "launch 2", all of the plain build
    std::vector<Output> outputs;
};

// What a run of one source is called in a list next to reruns: "ascending", "traced run".
std::string run_name(const Source& source);

struct Header {
    int major = kFormatMajor;
    int minor = kFormatMinor;
    std::string lesson;      // "05_warp_shuffle"
    std::string variant;
    Source source;
    std::string date;        // ISO 8601, "2026-11-21"
    std::uint64_t n = 0;
    std::uint64_t columns = 0;  // values a row, of a lesson on rows; 0: no rows. Since minor version 3
    std::uint32_t block = 0; // threads
    std::uint32_t offset = 0;  // elements that were before the values in their buffer
    std::uint32_t warp_size = kWarpSize;  // 4, 8 or 16: a teaching warp, on the emulator only
    std::uint64_t seed = 0;
    std::string input;       // "ramp", "random", a file's name
    // What was chosen of the variant's controls: names and texts. Since minor version 4.
    std::vector<std::pair<std::string, std::string>> controls;
    std::vector<double> values;  // the input's numbers, where few were typed or read from a file. Since minor version 4
    double tolerance = 0;    // transcendental functions (expf) are in the kernel: floating values of two runs are equal
                             // where they differ by at most so much of the larger one, or of 1; 0: bit by bit. Since
                             // minor version 3
    std::string kernel_file; // relative to the lesson's folder: "kernels.cuh"
    std::string kernel_hash; // FNV-1a 64 of that file, 16 hex digits
    std::string code_hash;   // the same without comments (code_of in kernel_text.hpp). Since minor version 5
    std::vector<Launch> launches;
    std::vector<Statement> statements;
    std::vector<std::uint32_t> blocks;  // the blocks that were recorded
    std::string accesses_from;          // "emulator" where loads and stores in a GPU's trace are the emulator's (see
                                        // emulated_accesses.hpp)
};

// Are both of the same kernel code? Comments count where one of them is of before minor version 5.
bool of_same_code(const Header& a, const Header& b);

// What a run was on, as a heading says it: "ramp", "random · seed 3" where `seeded`; then its controls, " · op xor".
std::string input_text(const Header& header, bool seeded);

// The threads of a block as they were launched: "256", "16 x 16", "64, 32" where launches differ. The block that a run
// was asked for, Header::block, may be another: a plan has its own for packs of values, rows and clusters.
std::string block_text(const Header& header);

struct Trace {
    Header header;
    std::vector<Array> arrays;
    std::vector<Record> records;   // by launch, block, warp, index
    std::vector<Finding> findings;
    std::vector<Output> outputs;   // of the run whose records these are
    std::vector<Output> plain;     // on a GPU: of a launch of the plain build, which no tracing changes; never compared
    std::vector<Rerun> reruns;
    Verdict verdict = Verdict::not_checked;
    std::string undecided = {};    // which limit was reached, a sentence, when the verdict is not decided
    bool partial = false;          // read from a truncated file: only a valid prefix is here
    std::string partial_reason;    // a sentence, when partial
};

// Were loads and stores recorded? A GPU's trace alone has neither, nor the atomics of inline PTX.
bool records_accesses(const Trace& trace);

// Shows shared arrays of these names as floats. One of uint4 is recorded as whole numbers of 32 bits, whatever its packs
// hold; arrays of other types stay as they are.
void show_as_floats(Trace& trace, const std::vector<std::string>& names);

}  // namespace lanewise::trace
