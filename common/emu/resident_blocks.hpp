// The blocks of a launch as one OS thread runs them: one after the other, and where a block does nothing but wait, the
// next ones beside it, as on a GPU that has room for several. Each block under way has an OS thread of its own, since
// its shared memory is that thread's, but only one of them runs at a time.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "common/emu/checks.hpp"
#include "common/emu/machine.hpp"

namespace lanewise::emu {

class ResidentBlocks {
public:
    struct Calls {
        std::function<std::optional<std::uint64_t>()> next;   // the next block of the launch; none: that was the last
        // A block is about to begin, or continues. Returns who watches it.
        std::function<Observer*(std::uint64_t block, const Machine& machine, bool begins)> runs;
        std::function<void()> done;                           // a block has ended
        void (*begins_thread)() = nullptr;                    // on each OS thread but the first
        int most = 1;                                         // blocks under way at once
    };
    ResidentBlocks(const Machine::Program& program, Calls calls) : program_(program), calls_(std::move(calls)) {}
    ResidentBlocks(const ResidentBlocks&) = delete;
    ResidentBlocks& operator=(const ResidentBlocks&) = delete;

    // Runs them all. Returns whether one was stopped, which ends the others. Throws what a block's thread throws.
    bool run();

    // Blocks waited for others, and there were more than can be under way at once.
    bool too_many() const { return too_many_; }

private:
    struct Member {
        std::unique_ptr<Machine> machine;
        std::thread thread;                  // not the first one's
        std::condition_variable has_turn;
        std::optional<std::uint64_t> block;  // that it is to run or runs
        bool waits = false;                  // in the middle of its block
    };

    Member& add_member();
    void run_block(Member& member, std::uint64_t block);
    Machine::Others let_others_run(Member& member, std::uint32_t turns);
    void serve(Member& member);
    void give_turn(std::unique_lock<std::mutex>& lock, Member& from, Member& to);
    Member* oldest_waiting();

    Machine::Program program_;
    Calls calls_;
    std::mutex mutex_;
    std::deque<Member> members_;
    std::deque<Member*> waiting_;    // in the order in which they began to wait
    Member* turn_ = nullptr;         // the one that runs
    std::uint64_t waited_ = 0;       // turns, since a block began or ended
    std::uint64_t quiet_ = 0;        // … and since a thread changed something
    std::uint64_t changes_ = 0;      // of all machines
    bool ended_ = false;             // the launch was stopped, or is over
    bool stopped_ = false;
    bool too_many_ = false;
    std::exception_ptr failure_;
};

// How many blocks of so many threads can be under way at once.
int most_resident_blocks(const launch::Block& block);

}  // namespace lanewise::emu
