// What a dying worker leaves: written by a signal handler into the run's memory, with plain stores and nothing that
// could wait or allocate. The program reads it afterwards.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "common/emu/run_memory.hpp"

namespace lanewise::worker {

// Asks the worker to say where it is and to end; and to let another lane run.
inline constexpr int kStopSignal = 12;      // SIGUSR2
inline constexpr int kPreemptSignal = 23;   // SIGURG

enum class Death : std::uint32_t { none, signal, stopped, exited, aborted, exception };

struct CrashReport {
    static constexpr std::size_t kFrames = 48;

    std::atomic<std::uint32_t> begun;
    std::atomic<std::uint32_t> complete;    // all but the frames is there
    Death death;
    std::int32_t signal;
    std::int32_t code;                      // of the siginfo
    std::uint32_t in_lane;                  // a lane was running: `slot` and `block` are known
    std::uint32_t slot;
    std::uint32_t in_guard;                 // the address is in the guard below a lane's stack
    std::uint64_t block;
    std::uint64_t address;                  // that could not be accessed
    std::uint64_t pc;
    std::uint64_t stack_top;                // the 8 bytes there: where a jump nowhere came from
    std::array<unsigned char, 16> instruction;
    std::array<char, 256> text;             // of an exception
    std::atomic<std::uint32_t> frames;
    std::array<std::uint64_t, kFrames> frame;   // return addresses, innermost first

    // Set by the program: the code in which a lane may be interrupted, as pairs of addresses.
    static constexpr std::size_t kRanges = 64;
    std::atomic<std::uint32_t> ranges;
    std::array<std::uint64_t, 2 * kRanges> range;
};
static_assert(sizeof(CrashReport) <= sizeof(emu::RunState::room));

inline CrashReport& crash_report(emu::RunState& state) { return *reinterpret_cast<CrashReport*>(state.room); }

// In a worker, before its run: from now on signals, abort(), exit() and uncaught exceptions are reported in `state`.
void listen_for_death(emu::RunState& state);
// On each other thread that runs blocks.
void listen_on_this_thread();

}  // namespace lanewise::worker
