// Who runs next. The collectives are in collectives.cpp.
#include "common/emu/machine.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <span>

#include <fmt/format.h>

#include "common/base/lanes.hpp"
#include "common/emu/mix.hpp"

namespace lanewise::emu {

namespace {

template <class T>
void permute(std::span<T> sequence, std::uint64_t& state) {
    for (std::size_t i = sequence.size(); i > 1; --i) std::swap(sequence[i - 1], sequence[mix(state) % i]);
}

}  // namespace

Machine::Machine()
    : dynamic_shared_(std::make_unique<std::byte[]>(lanewise_emulated::kMaxDynamicShared)) {
    adopt(host_);
    barrier_op_of_.fill(trace::Op::sync_block);
}

Machine::~Machine() { release_stacks(); }

void Machine::release_stacks() {
    if (stacks_ && program_.spare_stacks) program_.spare_stacks->give_back(std::move(stacks_), prepared_);
    stacks_.reset();
    prepared_ = 0;
}

void poison(void* memory, std::size_t bytes) {
    auto* to = static_cast<std::byte*>(memory);
    const std::size_t whole = bytes / sizeof kPoison64 * sizeof kPoison64;
    for (std::size_t at = 0; at < whole; at += sizeof kPoison64) std::memcpy(to + at, &kPoison64, sizeof kPoison64);
    std::memcpy(to + whole, &kPoison64, bytes - whole);
}

// What the block before left in shared memory is not this block's: static arrays are poisoned as the block comes to
// them.
void Machine::begin_shared() {
    shared_count = 0;
    for (SharedUse& use : shared_uses) use = {};
    more_shared_uses_.clear();
    static_shared_ = 0;
    poison(dynamic_shared_.get(), program_.block.dynamic_shared_bytes);
}

bool Machine::is_first_use(const void* address, unsigned id) {
    for (const SharedUse& use : more_shared_uses_)
        if (use.address == address && use.id == id) return false;
    if (shared_count < std::size(shared_uses)) shared_uses[shared_count++] = {address, id};
    else more_shared_uses_.push_back({address, id});
    return true;
}

void Machine::first_use_of_shared(int line, const void* address, std::size_t bytes) {
    static_shared_ += bytes;
    const std::size_t all = static_shared_ + program_.block.dynamic_shared_bytes;
    if (static_shared_ > kMaxStaticShared)
        fail("too_much_shared", line,
             fmt::format("the kernel declares at least {} bytes of static shared memory; CUDA allows {}. Make the "
                         "arrays smaller, or take dynamic shared memory (extern __shared__).",
                         static_shared_, kMaxStaticShared));
    if (all > kMaxShared)
        fail(
            "too_much_shared", line,
            fmt::format("a block needs at least {} bytes of shared memory, {} of them dynamic; it can have {}. Ask for "
                        "less.",
                        all, program_.block.dynamic_shared_bytes, kMaxShared));
    poison(const_cast<void*>(address), bytes);
}

void Machine::prepare_lane(std::uint32_t thread) {
    prepare(fibers_[thread], stacks_->bottom(thread), stacks_->top(thread), &Machine::lane_main, this);
}

void Machine::load(const Program& program) {
    if (program.spare_stacks != program_.spare_stacks) release_stacks();
    program_ = program;
    const std::uint32_t count = program.block.count();
    const std::uint32_t lanes = program.warp_size;
    lane_mask_ = static_cast<std::uint32_t>((std::uint64_t{1} << lanes) - 1);
    warp_count_ = (count + lanes - 1) / lanes;
    if (!stacks_ || stacks_->size() < warp_count_ * kWarpSize) {
        release_stacks();
        const std::size_t wanted = warp_count_ * kWarpSize;
        stacks_ = program_.spare_stacks ? program_.spare_stacks->take(wanted) : std::make_unique<StackPool>(wanted);
    }
    while (prepared_ < warp_count_ * kWarpSize) prepare_lane(prepared_++);
    threads_.assign(warp_count_ * kWarpSize, {});
    for (auto& warp : warps_) warp = Warp{};
    for (std::uint32_t i = 0; i < count; ++i) {
        const launch::Block& shape = program.block;
        threads_[i / lanes * kWarpSize + i % lanes] = {i % shape.x, i / shape.x % shape.y, i / shape.x / shape.y};
        warps_[i / lanes].exists |= 1u << i % lanes;
    }
    threads = threads_.data();
    block_dim = {program.block.x, program.block.y, program.block.z};
    grid_dim = {program.grid.x, program.grid.y, program.grid.z};
    order_lanes();
}

// Fills in the rings: which lane runs after which. A seeded order is another one in every block.
void Machine::order_lanes() {
    using Kind = launch::Order::Kind;
    const Kind kind = program_.order.kind;
    std::uint64_t state = program_.order.seed ^ (block_number_ + 1) * 0xd1342543de82ef95ull;
    warp_order_.resize(warp_count_);
    warp_place_.resize(warp_count_);
    first_.resize(warp_count_);
    std::iota(warp_order_.begin(), warp_order_.end(), 0u);
    if (kind == Kind::descending) std::reverse(warp_order_.begin(), warp_order_.end());
    if (kind == Kind::seeded) permute(std::span(warp_order_), state);
    for (std::uint32_t place = 0; place < warp_count_; ++place) warp_place_[warp_order_[place]] = place;
    for (std::uint32_t warp = 0; warp < warp_count_; ++warp) {
        const auto base = static_cast<std::uint16_t>(warp * kWarpSize);
        const auto count = static_cast<std::uint32_t>(std::popcount(warps_[warp].exists));
        std::array<std::uint16_t, kWarpSize> ring;
        std::iota(ring.begin(), ring.end(), base);
        const std::span used(ring.data(), count);
        if (kind == Kind::descending) std::reverse(used.begin(), used.end());
        if (kind == Kind::seeded) permute(used, state);
        first_[warp] = used[0];
        for (std::uint32_t i = 0; i < count; ++i) next_[used[i]] = used[(i + 1) % count];
    }
}

void Machine::run_block(std::uint64_t number, Observer* observer) {
    block_number_ = number;
    observer_ = observer;
    statement_observer_ = observer && observer->takes_statements() ? observer : nullptr;
    reports_arrivals_ = observer && observer->takes_arrivals();
    alive_ = program_.block.count();
    waiting_ = 0;
    quick_line_ = kNoLine;
    turns_ = 0;
    spins_ = 0;
    waited_ = quiet_ = 0;
    looks_apart_ = 1;
    stopped_ = false;
    barrier_mixed_ = false;
    barrier_votes_ = false;
    barriers_ = 0;
    barrier_calls_.clear();
    last_return_ = 0;
    if (looks_any_) looks_.fill({});
    looks_any_ = false;
    block = {static_cast<std::uint32_t>(number % program_.grid.x),
             static_cast<std::uint32_t>(number / program_.grid.x % program_.grid.y),
             static_cast<std::uint32_t>(number / program_.grid.x / program_.grid.y)};
    for (std::uint32_t i = 0; i < warp_count_; ++i) {
        Warp& warp = warps_[i];
        warp.alive = runnable_[i] = warp.exists;
        warp.open_count = 0;
        warp.asking = 0;
    }
    if (program_.order.kind == launch::Order::Kind::seeded) order_lanes();
    begin_shared();
    if (observer_) observer_->block_begins(number, warp_count_ * kWarpSize);
    lanewise_emulated::board = this;
    warpSize = static_cast<int>(program_.warp_size);
    current = static_cast<std::uint32_t>(first_runnable(0));
    jump(host_, fibers_[current]);
    while (host_function_) {
        host_function_(host_argument_);
        host_function_ = nullptr;
        if (stopped_) break;   // the launch has ended while this block waited
        jump(host_, fibers_[current]);
    }
    lanewise_emulated::board = nullptr;
    if (stopped_) {
        for (std::uint32_t i = 0; i < prepared_; ++i) prepare_lane(i);
        barrier_op_of_.fill(trace::Op::sync_block);
    }
    if (observer_) observer_->block_ends();
    observer_ = statement_observer_ = nullptr;
}

void Machine::lane_main(void* argument) {
    Machine& machine = *static_cast<Machine*>(argument);
    arrived(machine.fibers_[machine.current]);
    for (;;) {
        machine.program_.body(machine.program_.arguments);
        machine.finish();  // comes back for the next block
    }
}

void Machine::finish() {
    Warp& warp = warps_[current / kWarpSize];
    const std::uint32_t bit = 1u << current % kWarpSize;
    if (observer_) observer_->thread_ends(current);
    warp.alive &= ~bit;
    runnable_[current / kWarpSize] &= ~bit;
    --alive_;
    returned_after_[current] = last_return_ = barriers_ + 1;
    // No lane waits for this one any more: a lane that has returned may still be named.
    const bool completed = warp.open_count && complete_ready(warp);
    if (alive_ == 0) return jump(fibers_[current], host_);
    if (waiting_ == alive_) {
        release_barrier();
        return go_to(static_cast<std::uint32_t>(first_runnable(0)));
    }
    if (completed) return go_to_first_of(number_of(warp));
    yield();
}

void Machine::go_to(std::uint32_t to) {
    const std::uint32_t from = current;
    // The stack of the lane after that, while this one still has something to do.
    const char* soon = static_cast<const char*>(fibers_[next_[to]].sp);
    __builtin_prefetch(soon);
    __builtin_prefetch(soon + 64);
    current = to;
    jump(fibers_[from], fibers_[to]);
}

void Machine::sync_block(int line) {
    const std::uint32_t to = next_[current];
    runnable_[current / kWarpSize] &= ~(1u << current % kWarpSize);
    // Nearly every arrival: neither the first nor the last, and the next lane of the warp has yet to come.
    if (quick_line_ == line && waiting_ + 1 < alive_ && is_runnable(to)) {
        ++waiting_;
        line_[current] = line;
        return go_to(to);
    }
    sync_block_slowly(line, trace::Op::sync_block, false, __builtin_return_address(0));
}

// The first lane that can run, of the warps from place `from` of the order on; -1 when there is none.
int Machine::first_runnable(std::uint32_t from) const {
    for (std::uint32_t i = 0, place = from; i < warp_count_; ++i, ++place) {
        if (place >= warp_count_) place -= warp_count_;
        const std::uint32_t number = warp_order_[place];
        if (!runnable_[number]) continue;
        return static_cast<int>(first_runnable_of(number));
    }
    return -1;
}

// The first lane in the order that can run, of a warp that has one.
std::uint32_t Machine::first_runnable_of(std::uint32_t warp) const {
    std::uint32_t thread_number = first_[warp];
    while (!is_runnable(thread_number)) thread_number = next_[thread_number];
    return thread_number;
}

// After a collective the order begins anew, whichever lane came last.
void Machine::go_to_first_of(std::uint32_t warp) {
    const std::uint32_t to = first_runnable_of(warp);
    if (to != current) go_to(to);
}

// Lets another lane run; the lane has said before whether it still can.
void Machine::yield() {
    if (runnable_[current / kWarpSize]) {
        std::uint32_t to = next_[current];
        while (!is_runnable(to)) to = next_[to];
        if (to != current) go_to(to);
        return;
    }
    if (Warp& warp = warps_[current / kWarpSize]; warp.asking) {
        answer_active_masks(warp);
        return go_to_first_of(number_of(warp));
    }
    int to = first_runnable(warp_place_[current / kWarpSize] + 1);
    while (to < 0) {
        resolve_deadlock();
        to = first_runnable(0);
    }
    if (static_cast<std::uint32_t>(to) != current) go_to(static_cast<std::uint32_t>(to));
}

void Machine::pause(int line, const void* pc) {
    turn(line, pc);
    let_others_run();
}

void Machine::let_others_run() {
    const std::uint32_t warp = current / kWarpSize;
    std::uint32_t to = next_[current];
    while (to != first_[warp] && !is_runnable(to)) to = next_[to];
    // The ring has come round: the other warps' turn. This lane can run, so one is found.
    if (to == first_[warp]) to = static_cast<std::uint32_t>(first_runnable(warp_place_[warp] + 1));
    if (to != current) go_to(to);
}

// A lane that does nothing but atomics may wait for what another lane has yet to write: a lock, a flag. One that looks
// at the same word again, by an atomic that leaves it as it is, does.
void Machine::atomic_done(const lanewise_emulated::Atomic& what, bool changed) {
    if (changed) memory_changes();
    else volatile_access(what.address, what.line ? nullptr : what.pc, what.line);
    if (spinning_ != current) {
        spinning_ = current;
        spins_ = 0;
    } else if (++spins_ == kSpins) {
        spins_ = 0;
        turns_ += kSpins / 16;
        pause(what.line, what.pc);
        waits(what.line, what.pc, kSpins / 16);
    }
}

void Machine::volatile_access(const void* address, const void* pc, int line) {
    const auto place = reinterpret_cast<std::uint64_t>(pc) + static_cast<std::uint64_t>(line) + 1;
    const std::uint64_t look = reinterpret_cast<std::uint64_t>(address) ^ place * 0x9e3779b97f4a7c15ull;
    Looks& looks = looks_[current];
    if (std::find(looks.begin(), looks.end(), look) == looks.end()) {
        std::shift_right(looks.begin(), looks.end(), 1);
        looks[0] = look;
        looks_any_ = true;
        return;
    }
    turn(line, pc);
    let_others_run();
    waits(line, pc, 1);
}

void Machine::waits(int line, const void* pc, std::uint32_t turns) {
    if (!let_other_blocks_run_) return;
    if (!is_watched() || changes_ != changes_before_) {
        quiet_ = 0;
        looks_apart_ = 1;
    }
    changes_before_ = changes_;
    waited_ += turns;
    quiet_ += turns;
    if (waited_ < kPatience * looks_apart_ && (!is_watched() || quiet_ < kLooks * alive_ * looks_apart_)) return;
    if (is_watched()) looks_apart_ = std::min(looks_apart_ * 2, kLongestPatience);   // it may take them longer
    on_host(
        [](void* argument) {
            Machine& machine = *static_cast<Machine*>(argument);
            lanewise_emulated::board = nullptr;   // no lane runs on this thread meanwhile
            machine.others_ = machine.let_other_blocks_run_(machine.waited_);
            lanewise_emulated::board = &machine;
            machine.stopped_ = machine.others_ == Others::ended;
        },
        this);
    waited_ = quiet_ = 0;
    if (others_ == Others::too_long) stop(line, pc);
    if (others_ == Others::stuck)
        fail("hang", line,
             fmt::format(
                 "lane {} of warp {} in block {} waits for a value that no thread will store any more: all others "
                 "wait too or have returned. Let a thread that does not wait store it first.",
                 current % kWarpSize, current / kWarpSize, block_number_),
             pc);
}

void Machine::misaligned(std::size_t bytes, const void* pc) {
    fail("misaligned_access", 0,
         fmt::format("lane {} of warp {} in block {} makes a {}-byte access at an address that is no multiple of {}, "
                     "which ends the launch: a vector must begin at a multiple of its size. Count in whole vectors, or "
                     "load the elements one by one.",
                     current % kWarpSize, current / kWarpSize, block_number_, bytes, bytes),
         pc);
}

void Machine::divided_by_zero(int line) {
    const std::uint32_t warp = current / kWarpSize, lane = current % kWarpSize;
    report("division_by_zero", warp, line, 1u << lane,
           fmt::format("lane {} of warp {} in block {} divides an integer by zero on line {}: on a GPU the result is "
                       "undefined. Keep the divisor from being 0.",
                       lane, warp, block_number_, line));
}

void* Machine::device_malloc(std::size_t bytes) {
    void* address = program_.heap ? program_.heap->allocate(bytes) : nullptr;
    if (!address) return nullptr;
    poison(address, bytes);
    if (observer_) observer_->heap_changes({address, bytes, false});
    return address;
}

void Machine::device_free(void* address, const void* pc) {
    if (!address || !program_.heap) return;
    const DeviceHeap::Block freed_block = program_.heap->block_before(address);
    const auto freed = program_.heap->free(address);
    if (freed == DeviceHeap::Freed::now) {
        if (observer_) observer_->heap_changes({address, freed_block.bytes, true});
        return;
    }
    const std::uint32_t warp = current / kWarpSize, lane = current % kWarpSize;
    report("invalid_free", warp, 0, 1u << lane,
           fmt::format("lane {} of warp {} in block {} frees {}. Free what malloc or new gave, once.", lane, warp,
                       block_number_,
                       freed == DeviceHeap::Freed::before ? "memory that was freed before"
                                                          : "a pointer that no malloc or new gave"),
           {.pc = pc});
}

void Machine::on_host(void (*function)(void*), void* argument) {
    host_argument_ = argument;
    host_function_ = function;
    jump(fibers_[current], host_);
}

void Machine::turn(int line, const void* pc) {
    if (++turns_ > kMaxTurns) stop(line, pc);
}

void Machine::stop(int line, const void* pc) {
    const std::string where = line ? fmt::format("the loop around line {}", line) : "the loop that this line is in";
    fail("runaway", line,
         fmt::format("a block came to {} barriers, shuffles and pauses without an end and was stopped; look at the "
                     "condition of {}.",
                     turns_, where),
         pc);
}

void Machine::fail(const char* kind, int line, std::string sentence, const void* pc) {
    report(kind, current / kWarpSize, line, 1u << current % kWarpSize, std::move(sentence), {.pc = pc});
    end_launch();
}

void Machine::end_launch() {
    stopped_ = true;
    // The lanes are left where they are; their stacks are laid out anew once the host runs again.
    jump(fibers_[current], host_);
    __builtin_unreachable();
}

}  // namespace lanewise::emu

// Here, and not with the prelude's other functions (runtime.cpp), so that nothing is between a kernel and its turn.
void lanewise_emulated::sync_block(int line) { static_cast<lanewise::emu::Machine*>(board)->sync_block(line); }
