// What a warp asks of memory in a step, counted from the records, as text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/memory_units.hpp"
#include "common/base/warp.hpp"
#include "common/scene/lane_facts.hpp"

namespace lanewise::scene {

// One load, store or atomic of one warp.
struct Request {
    std::size_t record = 0;            // in Trace::records
    Touch touch = Touch::read;
    std::string_view op = "load";
    std::uint32_t array = 0;
    Space space = Space::global;
    int lanes = 0;
    int bytes = 0;                     // that each lane asks for
    int words = 0;                     // different elements asked for
    std::uint32_t useful = 0;          // bytes, those that several lanes ask for counted once
    std::vector<std::int64_t> sectors; // global memory: touched, ascending
    BankUse banks;              // shared memory

    std::uint32_t moved() const { return static_cast<std::uint32_t>(sectors.size()) * kSectorBytes; }
    // More than twice the sectors that its bytes would fill.
    bool is_scattered() const {
        return sectors.size() > 2 * ((useful + kSectorBytes - 1) / kSectorBytes);
    }
    // Lanes wait for one another at some bank.
    bool conflict() const { return space == Space::shared && banks.wavefronts > banks.turns; }
};

// Those of the warp in step `step`, in order; empty where it has no part or asks nothing of memory.
std::vector<Request> requests_of(const steps::Steps& steps, std::size_t step, const WarpRef& warp);

// Sentences on the requests of one space, equal ones said once:
//     "warp 0 reads in: 32 lanes × 4 bytes = 128 bytes, 4 sectors of 32 bytes, all used"
//     "warp 0 reads in: 32 lanes × 4 bytes = 128 bytes, 32 sectors of 32 bytes: 1024 bytes moved for 128 used (12 %)"
//     "warp 0 reads tree: 32 lanes, 8 wavefronts: 8-way bank conflict in banks 0, 16"
// `brief` leaves out what was asked for and keeps what it costs.
std::vector<std::string> request_captions(const steps::Steps& steps, const std::vector<Request>& requests,
                                          Space space, bool brief = false);

// Where who-touches-what comes from: "accesses from the emulator", where a GPU recorded only what memory held; a
// sentence where it is not known at all; empty where the run itself recorded it.
std::string accesses_origin(const trace::Trace& trace);
// Was any load or store recorded?
bool accesses_known(const trace::Trace& trace);

}  // namespace lanewise::scene
