#include "common/emu/execute.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/emu/block_order.hpp"
#include "common/emu/machine.hpp"
#include "common/emu/program_objects.hpp"
#include "common/emu/recorder.hpp"
#include "common/emu/resident_blocks.hpp"

namespace lanewise::emu {

namespace {

// The values a launch passes, as the addresses a kernel body unpacks.
struct Arguments {
    Arguments(const launch::LaunchSpec& launch, const RunMemory& memory) {
        values.resize(launch.values.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
            const auto& given = launch.values[i];
            values[i] = given.value;
            if (given.is_buffer) {
                std::byte* pointer = memory.buffer(given.buffer) + given.offset_bytes;
                std::memcpy(values[i].data(), &pointer, sizeof pointer);
            }
            for (const auto& within : given.pointers) {
                std::byte* pointer = memory.buffer(within.buffer) + within.offset_bytes;
                std::memcpy(values[i].data() + within.at, &pointer, sizeof pointer);
            }
        }
        for (auto& value : values) addresses.push_back(value.data());
    }
    using Bytes = std::array<std::byte, launch::kMaxArgumentBytes>;
    struct alignas(16) Value : Bytes {
        Value& operator=(const Bytes& other) {
            Bytes::operator=(other);
            return *this;
        }
    };
    std::vector<Value> values;
    std::vector<void*> addresses;
};

// Throws Error where a launch's teaching warps are not those of the plan's `first` kernel, or too many for a block.
void check_warps(const launch::Kernel& kernel, const launch::LaunchSpec& spec, const launch::Kernel& first) {
    if (kernel.warp_size != first.warp_size)
        throw Error(
            fmt::format("{} is made for warps of {} lanes and {} for warps of {}; launches of one plan must have "
                        "warps of one size.",
                        first.full_name(), first.warp_size, kernel.full_name(), kernel.warp_size));
    if (spec.block.count() > kMaxWarps * kernel.warp_size)
        throw Error(
            fmt::format("{} cannot run with {} threads in a block: with warps of {} lanes the emulator takes up to "
                        "{} (32 warps).",
                        kernel.full_name(), spec.block.count(), kernel.warp_size, kMaxWarps * kernel.warp_size));
}

std::string too_many_blocks(int most) {
    return fmt::format(
        "blocks of this launch wait for others of it, and it has more of them than the emulator lets run at "
        "once ({} of this size): launch fewer.",
        most);
}

// Blocks are handed out in chunks, so that a thread seldom asks. Returns whether one ran away.
bool run_blocks(const Machine::Program& program, int threads, RunState& state, void (*begins_thread)()) {
    const std::uint64_t blocks = program.grid.count();
    const BlockOrder order(program.block_order, blocks);
    const std::uint64_t chunk = std::max<std::uint64_t>(1, blocks / (static_cast<std::uint64_t>(threads) * 16));
    std::atomic<std::uint64_t> next{0};
    std::mutex mutex;
    std::exception_ptr failure;
    std::atomic<bool> ran_away{false};
    const int most = std::max(1, most_resident_blocks(program.block) / threads);
    const auto work = [&] {
        std::uint64_t at = 0, end = 0;
        ResidentBlocks::Calls calls;
        calls.next = [&]() -> std::optional<std::uint64_t> {
            if (ran_away) return std::nullopt;
            if (at == end) {
                at = std::min(blocks, next.fetch_add(chunk));
                end = std::min(blocks, at + chunk);
                if (at == end) return std::nullopt;
            }
            return order[at++];
        };
        calls.runs = [](std::uint64_t, const Machine&, bool) { return nullptr; };
        calls.done = [&] { state.blocks_done.fetch_add(1, std::memory_order_relaxed); };
        calls.begins_thread = begins_thread;
        calls.most = most;
        try {
            ResidentBlocks resident(program, std::move(calls));
            if (resident.run()) {
                ran_away = true;
                next = blocks;
            }
            if (resident.too_many()) throw Error(too_many_blocks(most));
        } catch (...) {
            const std::lock_guard lock(mutex);
            failure = std::current_exception();
            next = blocks;
        }
    };
    std::vector<std::thread> others;
    for (int i = 1; i < threads && static_cast<std::uint64_t>(i) < blocks; ++i)
        others.emplace_back([&] {
            if (begins_thread) begins_thread();
            work();
        });
    work();
    for (auto& other : others) other.join();
    if (failure) std::rethrow_exception(failure);
    return ran_away;
}

// What a checker knows of a launch.
CheckedLaunch checked_launch(const Machine::Program& program, const Runnable& kernel) {
    CheckedLaunch launch;
    launch.number = program.launch;
    launch.kernel = program.kernel;
    launch.block = program.block;
    launch.code = reinterpret_cast<const void*>(program.body);
    launch.shared_names = kernel.shared_names;
    launch.constant_names = kernel.constant_names;
    launch.program = ProgramObjects::of(launch.code);
    launch.journal = program.journal;
    launch.heap = program.heap;
    return launch;
}

BlockMemory memory_of(const Machine& machine) {
    return {machine.stacks_begin(), StackPool::kStride, machine.stacks().size(), machine.dynamic_shared()};
}

// Who watches the blocks of a launch; either may be null.
struct Watchers {
    Checker* checker = nullptr;     // all of them
    Recorder* recorder = nullptr;   // those that were asked for
};

// One launch, a block at a time. Returns whether it was stopped.
bool watch_blocks(Machine::Program program, const Runnable& kernel, const launch::Request& request,
                  const Watchers& watchers, RunState& state, void (*begins_thread)()) {
    std::optional<BothObservers> both;
    if (watchers.checker && watchers.recorder) both.emplace(*watchers.checker, *watchers.recorder);
    bool is_recorded = false;
    if (watchers.checker) {
        CheckedLaunch checked = checked_launch(program, kernel);
        checked.events_of = [&](std::uint32_t thread) {
            return is_recorded ? static_cast<std::int64_t>(watchers.recorder->events_of(thread)) : std::int64_t{-1};
        };
        watchers.checker->launch_begins(checked);
    }
    const BlockOrder order(program.block_order, program.grid.count());
    std::uint64_t place = 0;
    ResidentBlocks::Calls calls;
    calls.next = [&]() -> std::optional<std::uint64_t> {
        if (place == program.grid.count()) return std::nullopt;
        return order[place++];
    };
    calls.runs = [&](std::uint64_t block, const Machine& machine, bool begins) {
        is_recorded = watchers.recorder &&
                      std::find(request.blocks.begin(), request.blocks.end(), block) != request.blocks.end();
        if (watchers.checker) watchers.checker->block_memory(memory_of(machine));
        Observer* observer = watchers.checker;
        if (is_recorded) observer = both ? static_cast<Observer*>(&*both) : watchers.recorder;
        if (!begins && observer) observer->block_goes_on(block);
        return observer;
    };
    calls.done = [&] { state.blocks_done.fetch_add(1, std::memory_order_relaxed); };
    calls.begins_thread = begins_thread;
    calls.most = most_resident_blocks(program.block);
    const int most = calls.most;
    ResidentBlocks resident(program, std::move(calls));
    const bool stopped = resident.run();
    if (resident.too_many()) {
        if (!watchers.checker) throw Error(too_many_blocks(most));
        program.journal.add_text(EntryKind::undecided, too_many_blocks(most));
    }
    return stopped;
}

const launch::Order& block_order(const launch::Request& request) {
    return request.block_order ? *request.block_order : request.order;
}

}  // namespace

std::vector<Runnable> check_launches(const launch::Plan& plan, const launch::KernelSet& kernels,
                                     const launch::Request& request) {
    std::vector<Runnable> runnable;
    for (const auto& spec : plan.launches) {
        const auto& kernel = kernels.find(spec.kernel, spec.arguments);
        if (!kernel.gpu_only()) launch::check_arguments(kernel, spec);
        if (spec.block.dynamic_shared_bytes > lanewise_emulated::kMaxDynamicShared)
            throw Error(
                fmt::format("{} asks for {} bytes of dynamic shared memory; the emulator gives a block up to {}.",
                            kernel.full_name(), spec.block.dynamic_shared_bytes, lanewise_emulated::kMaxDynamicShared));
        const auto entry = request.record || request.checks ? kernel.emulated_traced : kernel.emulated;
        if (!entry) throw Error(launch::why_not_emulated(kernel));
        check_warps(kernel, spec, kernels.find(plan.launches[0].kernel, plan.launches[0].arguments));
        const BlockOrder order(block_order(request), spec.grid.count());   // it must fit the grid
        runnable.push_back({reinterpret_cast<launch::EmulatedBody>(const_cast<void*>(entry.address)),
                            kernel.full_name(), kernel.warp_size, kernels.file_of(kernel).shared_names,
                            kernels.file_of(kernel).constant_names});
    }
    return runnable;
}

int threads_of(const launch::Request& request) {
    return request.record || request.checks ? 1 : std::max(1, request.threads);
}

void execute(const launch::Plan& plan, std::span<const Runnable> kernels, const launch::Request& request,
             RunMemory& memory, const MakeChecker& make_checker, void (*begins_thread)(), SpareStacks* spare_stacks) {
    if (request.checks && !make_checker)
        throw Error("this emulator was made without checks: run without them, or make it with a checker.");
    std::vector<BufferPlace> places;
    std::vector<CheckedBuffer> checked;
    for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
        const auto& spec = plan.buffers[i];
        places.push_back({memory.buffer(i), spec.bytes(), spec.element, spec.role});
        checked.push_back({spec.name, memory.buffer(i), spec.bytes(), spec.element,
                           spec.role != launch::BufferRole::scratch});
    }
    Journal journal = memory.journal();
    RunState& state = memory.state();
    const auto checker = request.checks ? make_checker() : nullptr;
    if (checker) checker->run_begins(checked);
    std::uint64_t events = 0;
    DeviceHeap heap;   // what a launch allocates, the next ones find
    bool stopped = false;
    for (std::uint32_t number = 0; number < plan.launches.size() && !stopped; ++number) {
        const auto& spec = plan.launches[number];
        state.launch = number;
        journal.add(EntryKind::launch_begins, LaunchEntry{number});
        Arguments arguments(spec, memory);
        Machine::Program program;
        program.body = kernels[number].body;
        program.arguments = arguments.addresses.data();
        program.grid = spec.grid;
        program.block = spec.block;
        program.kernel = kernels[number].name;
        program.order = request.order;
        program.block_order = block_order(request);
        program.warp_size = kernels[number].warp_size;
        program.launch = number;
        program.journal = journal;
        program.heap = &heap;
        program.spare_stacks = spare_stacks;
        if (request.record || checker) {
            std::optional<Recorder> recorder;
            if (request.record) recorder.emplace(places, plan.snapshots, journal, events);
            stopped = watch_blocks(program, kernels[number], request,
                                   {checker.get(), recorder ? &*recorder : nullptr}, state, begins_thread);
        } else {
            const int fitting = StackPool::most_pools(spec.block.count());
            stopped = run_blocks(program, std::clamp(threads_of(request), 1, fitting), state, begins_thread);
        }
    }
    if (checker)
        if (const std::string why = checker->undecided(); !why.empty()) journal.add_text(EntryKind::undecided, why);
    state.ended_early = stopped;
    state.done = 1;
}

}  // namespace lanewise::emu
