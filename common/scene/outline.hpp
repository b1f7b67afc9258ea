// A run by the names of its parts: steps, warps, blocks, arrays, findings. Made once; what a step shows comes from the
// other scenes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/base/element.hpp"
#include "common/base/warp.hpp"
#include "common/scene/handles.hpp"
#include "common/scene/outcome.hpp"

namespace lanewise::scene {

struct StepHead {
    StepKind kind = StepKind::load;
    std::string label;   // "xor 16"
    std::string stage;   // "warp rounds"
    int line = 0;        // of the kernel file
};

// What the emulator found wrong.
struct FindingNote {
    std::string text;
    std::uint32_t block = 0;
    std::uint32_t warp = 0;
    std::uint32_t lanes = 0;
    int line = 0;         // of the kernel file; 0: not known
    int other_line = 0;   // of the other access, where it is about two
};

struct ArrayHead {
    std::string name;
    Element element = Element::f32;
    std::uint64_t count = 0;
    Space space = Space::global;
};

// One output, compared with its reference: as run::Result.
struct ResultHead {
    std::string output;
    bool summed = false;
    std::uint64_t count = 1;
    double value = 0, reference = 0, error = 0, bound = 0;
    bool ok = true;
    std::string reason;
};

struct Outline {
    std::string variant;
    std::string date;                   // of the run, ISO 8601
    std::string origin, note, notice;   // as run::Run's
    std::string kernel_file, source;
    std::string result;                 // result_text()
    bool right = true;                  // came_out_right()
    std::string mistakes;               // mistakes_found()
    std::vector<ResultHead> results;
    std::uint64_t n = 0, seed = 0;      // as trace::Header's
    std::string block;                  // block_text()
    std::string input;
    std::vector<StepHead> steps;
    std::vector<WarpRef> warps, blocks; // that were recorded
    std::vector<ArrayHead> arrays;
    std::vector<FindingNote> findings;
    StepFindings findings_at;           // for each step, which of `findings` are shown at it
    std::vector<FindingStop> finding_stops;
    std::vector<std::string> parts;     // of a value that has some: "max", "sum"; empty where none has
    std::size_t launches = 1;
    std::size_t input_count = 0;        // 0: the trace has no loads
    int warp_size = kWarpSize;
    std::string accesses_known_from;    // accesses_origin()
    std::string accesses_added_from;    // the same, where accesses were added to the trace of a GPU
};
Outline outline_of(const run::Run& run);

// What scenes of the run are made from.
const steps::Steps& steps_of(const run::Run& run);

// Does the warp take part in the step?
bool has_part(const steps::Steps& steps, std::size_t step, const WarpRef& warp);
// The warps that take part in a step: places in Outline::warps, in order.
std::vector<std::size_t> warps_in(const steps::Steps& steps, std::size_t step);
// Was anything recorded of the warp?
bool is_recorded(const steps::Steps& steps, const WarpRef& warp);
std::size_t step_count(const steps::Steps& steps);

}  // namespace lanewise::scene
