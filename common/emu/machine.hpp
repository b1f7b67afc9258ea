// One block of lanes on one OS thread: which lane runs next, which waits for which.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "common/emu/device_heap.hpp"
#include "common/emu/fiber.hpp"
#include "common/emu/journal.hpp"
#include "common/emu/observer.hpp"
#include "common/emu/stacks.hpp"
#include "common/launch/backend.hpp"
#include "common/launch/kernel.hpp"
#include "common/prelude/emulated/emulated_runtime.hpp"
#include "common/trace/trace.hpp"

namespace lanewise::emu {

inline constexpr int kWarpSize = trace::kWarpSize;
inline constexpr std::uint32_t kMaxThreads = 1024;
// Barriers and collectives in one block after which a kernel is taken to run for ever. This many took 1.6 s on one
// core of an AMD EPYC: far more than a lesson's kernel needs, and short enough to wait for.
inline constexpr std::uint64_t kMaxTurns = std::uint64_t{1} << 24;
inline constexpr std::uint32_t kMaxWarps = kMaxThreads / kWarpSize;

// Turns of lanes that wait, after which another block may be what they wait for.
inline constexpr std::uint32_t kPatience = 2048;
// The same where nothing changes meanwhile: each lane has looked so many times.
inline constexpr std::uint32_t kLooks = 4;
inline constexpr std::uint32_t kLongestPatience = 64;

// Consecutive atomics of one lane after which it is taken to wait for another one, which is then let run.
inline constexpr std::uint32_t kSpins = 1024;

// Lanes that ask for the same thing under the same mask.
struct Collective {
    std::uint32_t mask = 0;
    std::uint32_t arrived = 0;
    trace::Op op = trace::Op::sync_warp;
    Element type = Element::u32;
    bool reported = false;       // a finding already says why it cannot complete
};

struct Warp {
    std::uint32_t exists = 0;    // lanes the launch has
    std::uint32_t alive = 0;     // lanes that have not returned
    std::uint32_t asking = 0;    // lanes that are at an __activemask
    std::int32_t open_count = 0;
    std::array<Collective, kWarpSize> open;  // collectives that wait for lanes
};

// What the undefined looks like: a NaN in every floating-point format, from fp8 to f64, whatever part of it is read;
// as an integer of 4 bytes 2147450879.
inline constexpr std::uint32_t kPoison32 = 0x7fff7fff;
inline constexpr std::uint64_t kPoison64 = 0x7fff7fff7fff7fffull;

// Fills memory with it.
void poison(void* memory, std::size_t bytes);

// Static shared memory that a kernel may declare, and all that a block may have of both kinds (sm_90).
inline constexpr std::size_t kMaxStaticShared = 48 * 1024;
inline constexpr std::size_t kMaxShared = lanewise_emulated::kMaxDynamicShared;

// The name of the intrinsic that `op` is.
const char* cuda_name(trace::Op op);

// What a lane needs at every turn is in arrays over the block's threads, so that a turn touches few cache lines:
// with 256 lanes it is the caches, not the instructions, that decide how fast a barrier is.
class Machine : public lanewise_emulated::Board {
public:
    Machine();
    ~Machine();
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;

    struct Program {
        launch::EmulatedBody body = nullptr;
        void** arguments = nullptr;
        launch::Grid grid;
        launch::Block block;
        std::string kernel;          // for findings
        launch::Order order;         // of lanes and warps
        launch::Order block_order;   // of blocks
        std::uint32_t warp_size = kWarpSize;  // 4, 8 or 16: a teaching warp
        std::uint32_t launch = 0;             // its number in the plan
        Journal journal = {};                 // findings go there as they are made
        DeviceHeap* heap = nullptr;           // of the run
        SpareStacks* spare_stacks = nullptr;  // where stacks come from and go to; null: made, and unmade
    };

    // Takes up a launch: lays out warps and lanes. Its spare_stacks must outlive the machine.
    void load(const Program& program);

    // Runs one block of the launch to its end. `observer` may be null.
    void run_block(std::uint64_t number, Observer* observer);

    // What becomes of a block that only waits: others have run, which it may have waited for; all of them have waited
    // for very long; no thread has changed anything for very long; or the launch has ended meanwhile.
    enum class Others { ran, too_long, stuck, ended };
    // What lets them run. Without it a block that waits for another one is stopped.
    void set_others(std::function<Others(std::uint32_t turns)> let_run) { let_other_blocks_run_ = std::move(let_run); }
    // A lane has waited `turns` times for something that another lane may change, perhaps one of another block.
    void waits(int line, const void* pc, std::uint32_t turns);
    // A store, or an atomic that leaves another value; where lanes are watched (see run_block), each one is reported.
    void memory_changes() {
        ++changes_;
        if (looks_any_) looks_[current] = {};
    }
    // Such changes, and barriers and collectives that were completed, so far.
    std::uint64_t changes() const { return changes_; }
    bool is_watched() const { return observer_ != nullptr; }

    const std::vector<trace::Finding>& findings() const { return findings_; }
    // The last block ran away and was stopped.
    bool stopped() const { return stopped_; }
    std::uint64_t block_number() const { return block_number_; }
    const StackPool& stacks() const { return *stacks_; }   // of the launch

    // Called by lanes, through the prelude.
    void sync_block(int line);
    void sync_block_vote(int line, trace::Op op, bool predicate);
    void active_mask(int line);
    void pause(int line, const void* pc = nullptr);
    void atomic_done(const lanewise_emulated::Atomic& what, bool changed);
    // Everybody else who can run has a turn first.
    void let_others_run();
    // Before a volatile access: a lane that reads one word again and again waits for another lane, which is let run.
    void volatile_access(const void* address, const void* pc, int line = 0);
    // An access of `bytes` at an address that is no multiple of that.
    [[noreturn]] void misaligned(std::size_t bytes, const void* pc);
    // An integer division, or a remainder; the lane continues with what a GPU gives.
    void divided_by_zero(int line);
    // The kernel's own malloc and free.
    void* device_malloc(std::size_t bytes);
    void device_free(void* address, const void* pc);
    std::int64_t clock_count() { return clock_ += kClockStep; }
    // Calls function(argument) on the stack of the host, which is as large as any.
    void on_host(void (*function)(void*), void* argument);
    // A finding that ends the launch. Where the line is not known: `pc` is an address in the kernel.
    [[noreturn]] void fail(const char* kind, int line, std::string sentence, const void* pc = nullptr);
    bool is_first_use(const void* address, unsigned id);
    // A lane came to the declaration of a shared array that no lane of the block came to before.
    void first_use_of_shared(int line, const void* address, std::size_t bytes);
    void warp_collective(lanewise_emulated::Call call, std::uint32_t mask, std::uint64_t offered, int arg, int width);
    Observer* observer() const { return observer_; }
    // The same where it takes what statements do, else null.
    Observer* statement_observer() const { return statement_observer_; }
    // Ends the launch because an observer refused what the running lane was about to do, and has said why.
    [[noreturn]] void fault() { end_launch(); }
    const std::byte* stacks_begin() const { return stacks_->begin(); }
    std::byte* dynamic_shared() const { return dynamic_shared_.get(); }
    std::uint32_t dynamic_shared_bytes() const { return program_.block.dynamic_shared_bytes; }

private:
    static constexpr int kNoLine = -1;
    static constexpr std::int64_t kClockStep = 64;
    static void lane_main(void* machine);
    void prepare_lane(std::uint32_t thread);
    void release_stacks();
    void order_lanes();
    void begin_shared();
    void finish();
    [[gnu::noinline]] void sync_block_slowly(int line, trace::Op op, bool predicate, const void* pc);
    [[gnu::noinline]] void join_slowly(lanewise_emulated::Call call, std::uint32_t mask);
    void yield();
    void go_to(std::uint32_t thread);
    int first_runnable(std::uint32_t from) const;
    std::uint32_t first_runnable_of(std::uint32_t warp) const;
    void go_to_first_of(std::uint32_t warp);
    bool is_runnable(std::uint32_t number) const { return runnable_[number / kWarpSize] >> number % kWarpSize & 1; }
    void release_barrier();
    void count_barrier_votes();
    void judge_barrier();
    void count_barrier();
    void answer_active_masks(Warp& warp);
    void turn(int line, const void* pc = nullptr);
    int open_collective(Warp& warp, int line, trace::Op op, Element type, std::uint32_t mask);
    void report_mismatch(const Warp& warp, const Collective& open, int line, trace::Op op, std::uint32_t mask);
    void complete(Warp& warp, int which);
    void normalize_widths(std::uint32_t base, const Collective& collective);
    std::uint32_t shuffle(Warp& warp, const Collective& collective);
    std::uint32_t exchange(std::uint32_t base, const Collective& collective);
    void reduce(std::uint32_t base, const Collective& collective);
    void vote(std::uint32_t base, const Collective& collective);
    void match(std::uint32_t base, const Collective& collective);
    bool complete_ready(Warp& warp);
    void resolve_deadlock();
    void report_inactive_source(const Warp& warp, const Collective& collective, std::uint32_t undefined);
    void announce(const Warp& warp, const Collective& collective, std::uint32_t undefined);
    std::uint32_t number_of(const Warp& warp) const { return static_cast<std::uint32_t>(&warp - warps_.data()); }
    std::uint32_t base_of(const Warp& warp) const { return number_of(warp) * kWarpSize; }
    // What a finding may have besides the rest. Where its line is not known: `pc` is an address in the kernel.
    struct More {
        const void* pc = nullptr;
        trace::Severity severity = trace::Severity::wrong;
        std::optional<trace::FindingPlace> other = {};
    };
    // Makes a finding, or counts the one of the same kind, line and severity once more.
    void report(const char* kind, std::uint32_t warp, int line, std::uint32_t lanes, std::string sentence,
                const More& more);
    void report(const char* kind, std::uint32_t warp, int line, std::uint32_t lanes, std::string sentence) {
        report(kind, warp, line, lanes, std::move(sentence), More{});
    }
    [[noreturn]] void stop(int line, const void* pc);
    [[noreturn]] void end_launch();

    std::uint32_t alive_ = 0;
    std::uint32_t waiting_ = 0;        // lanes at the block barrier
    int barrier_line_ = 0;             // where they wait, and at which of the barriers
    trace::Op barrier_op_ = trace::Op::sync_block;
    bool barrier_votes_ = false;       // some of them brought a predicate
    const void* barrier_pc_ = nullptr; // where one of them came from; null: not known
    // The barriers of the block so far, and which of them each call was first. Lanes that returned: after how many, +
    // 1.
    struct BarrierCall {
        const void* pc;
        int line;
        std::uint32_t first;
    };
    std::uint32_t barriers_ = 0;
    std::vector<BarrierCall> barrier_calls_;
    std::array<std::uint32_t, kMaxThreads> returned_after_{};
    std::uint32_t last_return_ = 0;    // the most of them
    int quick_line_ = kNoLine;         // the same while an arrival there is nothing special: some wait, no observer
    std::uint32_t warp_count_ = 0;
    std::uint32_t lane_mask_ = ~0u;    // the lanes a warp can have
    std::array<std::uint32_t, kMaxWarps> runnable_{};  // lanes of each warp that can continue
    std::array<Fiber, kMaxThreads> fibers_;
    std::array<std::uint16_t, kMaxThreads> next_{};   // which lane runs after which: a ring in each warp
    std::array<Warp, kMaxWarps> warps_;
    std::array<std::uint64_t, kMaxThreads> offered_{};
    std::array<std::int32_t, kMaxThreads> arg_{};
    std::array<std::int32_t, kMaxThreads> width_{};
    std::array<std::int32_t, kMaxThreads> line_{};
    std::array<trace::Op, kMaxThreads> barrier_op_of_;  // lanes at the block barrier: how they called it

    Program program_;
    Observer* observer_ = nullptr;
    Observer* statement_observer_ = nullptr;
    bool reports_arrivals_ = false;
    std::uint64_t block_number_ = 0;
    std::uint64_t turns_ = 0;          // barriers, collectives and pauses in this block, to stop one that never ends
    std::int64_t clock_ = 0;
    std::function<Others(std::uint32_t)> let_other_blocks_run_;
    Others others_ = Others::ran;      // what it said
    std::uint32_t waited_ = 0;         // turns since the others ran
    std::uint32_t quiet_ = 0;          // … and since something changed
    std::uint32_t looks_apart_ = 1;    // the patience grows while nothing changes
    std::uint64_t changes_ = 0, changes_before_ = 0;
    std::uint32_t spinning_ = 0;       // who did the last atomics, and how many on end
    std::uint32_t spins_ = 0;
    // The places and words that each lane looked at last and since it changed anything, as numbers that
    // distinguish them.
    using Looks = std::array<std::uint64_t, 4>;
    std::array<Looks, kMaxThreads> looks_{};
    bool looks_any_ = false;           // some are set
    void (*host_function_)(void*) = nullptr;  // what a lane wants done on the host's stack
    void* host_argument_ = nullptr;
    bool barrier_mixed_ = false;       // they are at different ones
    bool stopped_ = false;
    std::vector<std::uint32_t> warp_order_;
    std::vector<std::uint32_t> warp_place_;  // where a warp is in warp_order_
    std::vector<std::uint16_t> first_;       // the thread a warp begins with
    std::vector<uint3> threads_;
    std::uint32_t prepared_ = 0;             // fibers that exist
    std::unique_ptr<StackPool> stacks_;      // as many as the launch has lanes, or more
    std::unique_ptr<std::byte[]> dynamic_shared_;
    std::size_t static_shared_ = 0;          // bytes of the arrays that the block has come to
    std::vector<SharedUse> more_shared_uses_;  // those that have no room on the board
    Fiber host_;
    std::vector<trace::Finding> findings_;
    std::vector<FindingEntry*> entries_;     // each finding, in the journal
};

}  // namespace lanewise::emu
