// What a warp asks of memory in a step, counted from the records and told in words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/steps/memory_cost.hpp"
#include "common/steps/steps.hpp"

namespace lanewise::scene {

// Does a record read or write a word of memory?
inline bool touches_memory(const trace::Record& record) {
    return trace::is_access(record.op) || trace::is_atomic(record.op);
}

// One load, store or atomic of one warp.
struct Request {
    std::size_t record = 0;            // in Trace::records
    trace::Op op = trace::Op::load;
    std::uint32_t array = 0;
    trace::Space space = trace::Space::global;
    int lanes = 0;
    int bytes = 0;                     // that each lane asks for
    int words = 0;                     // different elements asked for
    std::uint32_t useful = 0;          // bytes, those that several lanes ask for counted once
    std::vector<std::int64_t> sectors; // global memory: touched, ascending
    steps::BankUse banks;              // shared memory

    std::uint32_t moved() const { return static_cast<std::uint32_t>(sectors.size()) * steps::kSectorBytes; }
    // More than twice the sectors that its bytes would fill.
    bool is_scattered() const {
        return sectors.size() > 2 * ((useful + steps::kSectorBytes - 1) / steps::kSectorBytes);
    }
    // Lanes wait for one another at some bank.
    bool conflict() const { return space == trace::Space::shared && banks.passes > banks.turns; }
};

// Those of the warp in step `step`, in order; empty where it has no part or asks nothing of memory.
std::vector<Request> requests_of(const steps::Steps& steps, std::size_t step, const steps::WarpRef& warp);

// Sentences on the requests of one space, equal ones told once:
//     "warp 0 reads in: 32 lanes × 4 bytes = 128 bytes, 4 sectors of 32 bytes, all used"
//     "warp 0 reads in: 32 lanes × 4 bytes = 128 bytes, 32 sectors of 32 bytes: 1024 bytes moved for 128 used (12 %)"
//     "warp 0 reads tree: 32 lanes, 8 passes: 8 different words wanted of bank 0, 16"
// `brief` leaves out what was asked for and keeps what it costs.
std::vector<std::string> request_captions(const steps::Steps& steps, const std::vector<Request>& requests,
                                          trace::Space space, bool brief = false);

// Where who-touches-what comes from: "accesses from the emulator", where a GPU told only what memory held; a sentence
// where it is not known at all; empty where the run itself told.
std::string accesses_origin(const trace::Trace& trace);
// Was any load or store recorded?
bool accesses_known(const trace::Trace& trace);

}  // namespace lanewise::scene
