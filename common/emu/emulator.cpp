#include "common/emu/emulator.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <thread>

#include <fmt/format.h>
#include <sys/mman.h>

#include "common/base/error.hpp"
#include "common/emu/block_order.hpp"
#include "common/emu/machine.hpp"
#include "common/emu/program_objects.hpp"
#include "common/emu/recorder.hpp"

namespace lanewise::emu {

namespace {

// A buffer with the alignment cudaMalloc gives. Scratch memory is filled with a value nobody mistakes for a result.
class HostBuffer {
public:
    // `apart`: the buffer's number, where buffers are to lie so far apart that no index of 32 bits leads from one into
    // another; -1: anywhere.
    HostBuffer(const launch::BufferSpec& spec, int apart) : bytes_(spec.bytes()) {
        data_.reset(allocated(apart));
        if (!data_)
            throw Error(fmt::format("the emulator could not allocate {} MB for the buffer '{}'; give a smaller --n.",
                                    bytes_ >> 20, spec.name));
        switch (spec.role) {
            case launch::BufferRole::input:
                if (bytes_) std::memcpy(data_.get(), spec.contents.data(), bytes_);
                break;
            case launch::BufferRole::output:
            case launch::BufferRole::kept: std::memset(data_.get(), 0, bytes_); break;
            case launch::BufferRole::scratch: poison(data_.get(), bytes_); break;
        }
    }
    std::byte* data() const { return data_.get(); }
    std::uint64_t bytes() const { return bytes_; }

private:
    struct Free {
        std::size_t mapped;   // 0: from the heap
        void operator()(std::byte* pointer) const {
            if (mapped) munmap(pointer, mapped);
            else std::free(pointer);
        }
    };

    std::byte* allocated(int apart) {
        constexpr std::size_t kAlignment = 256;
        const std::size_t room = (bytes_ + kAlignment - 1) / kAlignment * kAlignment + kAlignment;
        if (apart < 0) return static_cast<std::byte*>(std::aligned_alloc(kAlignment, room));
        constexpr std::uint64_t kFirst = std::uint64_t{1} << 45, kStep = std::uint64_t{1} << 37;
        void* wished = reinterpret_cast<void*>(kFirst + kStep * static_cast<std::uint64_t>(apart % 256));
        void* mapped = mmap(wished, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (mapped == MAP_FAILED) return nullptr;
        data_.get_deleter().mapped = room;
        return static_cast<std::byte*>(mapped);
    }

    std::uint64_t bytes_;
    std::unique_ptr<std::byte, Free> data_{nullptr, Free{0}};
};

// The values a launch passes, as the addresses a kernel body unpacks.
struct Arguments {
    Arguments(const launch::LaunchSpec& launch, const std::vector<HostBuffer>& buffers) {
        values.resize(launch.values.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
            const auto& given = launch.values[i];
            values[i] = given.value;
            if (given.is_buffer) {
                std::byte* pointer = buffers.at(given.buffer).data() + given.offset_bytes;
                std::memcpy(values[i].data(), &pointer, sizeof pointer);
            }
        }
        for (auto& value : values) addresses.push_back(value.data());
    }
    struct alignas(16) Value : std::array<std::byte, 16> {
        Value& operator=(const std::array<std::byte, 16>& other) {
            std::array<std::byte, 16>::operator=(other);
            return *this;
        }
    };
    std::vector<Value> values;
    std::vector<void*> addresses;
};

void merge(std::vector<trace::Finding>& all, const std::vector<trace::Finding>& more) {
    for (const auto& finding : more) {
        const auto same = std::find_if(all.begin(), all.end(), [&](const trace::Finding& other) {
            return other.kind == finding.kind && other.kernel == finding.kernel && other.line == finding.line &&
                   other.severity == finding.severity;
        });
        if (same == all.end()) {
            all.push_back(finding);
        } else {
            const std::uint64_t count = same->count + finding.count;
            if (finding.block < same->block) *same = finding;  // whichever thread ran it, the first block is told
            same->count = count;
        }
    }
}

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

class Emulator : public launch::Backend {
public:
    explicit Emulator(MakeChecker make_checker) : make_checker_(std::move(make_checker)) {}

    launch::Outcome run(const launch::Plan& plan, const launch::KernelSet& kernels,
                        const launch::Request& request) override;

    trace::Source describe() const override { return {}; }

private:
    // Blocks are handed out in chunks, so that a thread seldom asks. Returns whether one ran away.
    bool run_blocks(const Machine::Program& program, int threads, std::vector<trace::Finding>& findings);

    // Gives the variables of the plan's kernel files what they hold when a program starts.
    void reset_variables(const launch::Plan& plan, const launch::KernelSet& kernels, bool record);

    MakeChecker make_checker_;
    SourceLines lines_;
};

void Emulator::reset_variables(const launch::Plan& plan, const launch::KernelSet& kernels, bool record) {
    std::set<std::shared_ptr<const ProgramObjects>> seen;
    for (const auto& spec : plan.launches) {
        const auto& kernel = kernels.find(spec.kernel, spec.arguments);
        const auto entry = record ? kernel.emulated_traced : kernel.emulated;
        if (entry) seen.insert(ProgramObjects::of(entry.address));
    }
    for (const auto& objects : seen) objects->reset();
}

bool Emulator::run_blocks(const Machine::Program& program, int threads, std::vector<trace::Finding>& findings) {
    const std::uint64_t blocks = program.grid.count();
    const BlockOrder order(program.block_order, blocks);
    const std::uint64_t chunk = std::max<std::uint64_t>(1, blocks / (static_cast<std::uint64_t>(threads) * 16));
    std::atomic<std::uint64_t> next{0};
    std::mutex mutex;
    std::exception_ptr failure;
    std::atomic<bool> ran_away{false};
    const auto work = [&] {
        try {
            Machine machine;
            machine.load(program);
            for (std::uint64_t begin; (begin = next.fetch_add(chunk)) < blocks;)
                for (std::uint64_t i = begin; i < std::min(begin + chunk, blocks) && !ran_away; ++i) {
                    machine.run_block(order[i], nullptr);
                    if (machine.stopped()) {
                        ran_away = true;
                        next = blocks;
                    }
                }
            const std::lock_guard lock(mutex);
            merge(findings, machine.findings());
        } catch (...) {
            const std::lock_guard lock(mutex);
            failure = std::current_exception();
            next = blocks;
        }
    };
    std::vector<std::thread> others;
    for (int i = 1; i < threads && static_cast<std::uint64_t>(i) < blocks; ++i) others.emplace_back(work);
    work();
    for (auto& other : others) other.join();
    if (failure) std::rethrow_exception(failure);
    return ran_away;
}

// The rest of what is told of a checked launch.
CheckedLaunch described(const launch::LaunchSpec& spec, std::uint32_t number, const Machine::Program& program,
                        const launch::KernelFile& file, Machine& machine) {
    CheckedLaunch launch;
    launch.number = number;
    launch.kernel = program.kernel;
    launch.block = spec.block;
    launch.code = reinterpret_cast<const void*>(program.body);
    launch.stacks = machine.stacks_begin();
    launch.stack_bytes = StackPool::kStackBytes;
    launch.dynamic_shared = machine.dynamic_shared();
    launch.shared_names = file.shared_names;
    launch.program = ProgramObjects::of(launch.code);
    return launch;
}

// Runs all blocks of one launch on this thread, watched by what is there of checker and recorder. Returns whether the
// launch was stopped.
bool run_watched(Machine& machine, const Machine::Program& program, const std::vector<std::uint32_t>& recorded,
                 const launch::Order& blocks, Checker* checker, CheckedLaunch& checked, Recorder* recorder) {
    std::optional<BothObservers> both;
    if (checker && recorder) both.emplace(*checker, *recorder);
    bool is_recorded = false;
    checked.events_of = [&](std::uint32_t thread) {
        return is_recorded ? static_cast<std::int64_t>(recorder->events_of(thread)) : std::int64_t{-1};
    };
    if (checker) checker->launch_begins(checked);
    const BlockOrder order(blocks, program.grid.count());
    for (std::uint64_t place = 0; place < program.grid.count() && !machine.stopped(); ++place) {
        const std::uint64_t block = order[place];
        is_recorded = recorder && std::find(recorded.begin(), recorded.end(), block) != recorded.end();
        Observer* observer = checker;
        if (is_recorded) observer = both ? static_cast<Observer*>(&*both) : recorder;
        machine.run_block(block, observer);
    }
    return machine.stopped();
}

// Wrong: something is. Not decided: a limit came first.
void judge(launch::Outcome& outcome, const std::string& undecided) {
    const auto is_wrong = [](const trace::Finding& finding) {
        return finding.severity == trace::Severity::wrong && finding.kind != "runaway";
    };
    const auto runaway = std::find_if(outcome.findings.begin(), outcome.findings.end(),
                                      [](const trace::Finding& finding) { return finding.kind == "runaway"; });
    outcome.undecided = !undecided.empty() || runaway == outcome.findings.end() ? undecided : runaway->sentence;
    outcome.verdict = std::any_of(outcome.findings.begin(), outcome.findings.end(), is_wrong) ? trace::Verdict::wrong
                      : outcome.undecided.empty() ? trace::Verdict::clean
                                                  : trace::Verdict::not_decided;
}

// Throws Error where the launch is not possible.
Machine::Program program_of(const launch::Kernel& kernel, const launch::LaunchSpec& spec,
                            const launch::Request& request, Arguments& arguments) {
    if (!kernel.gpu_only()) launch::check_arguments(kernel, spec);
    if (spec.block.dynamic_shared_bytes > lanewise_emulated::kMaxDynamicShared)
        throw Error(fmt::format("{} asks for {} bytes of dynamic shared memory; a block can have up to {}.",
                                kernel.full_name(), spec.block.dynamic_shared_bytes,
                                lanewise_emulated::kMaxDynamicShared));
    const auto entry = request.record || request.checks ? kernel.emulated_traced : kernel.emulated;
    if (!entry) throw Error(launch::why_not_emulated(kernel));
    Machine::Program program;
    program.body = reinterpret_cast<launch::EmulatedBody>(const_cast<void*>(entry.address));
    program.arguments = arguments.addresses.data();
    program.grid = spec.grid;
    program.block = spec.block;
    program.kernel = kernel.full_name();
    program.order = request.order;
    program.warp_size = kernel.warp_size;
    return program;
}

// What the trace keeps of a launch that was recorded.
void record_launch(trace::Trace& trace, Recorder& recorder, launch::ArrayNumbering& numbering,
                   const launch::Kernel& kernel, const launch::LaunchSpec& spec, const launch::KernelFile& file,
                   const launch::Request& request) {
    trace.header.warp_size = kernel.warp_size;
    trace.header.statements = file.statements;
    recorder.finish(numbering, file.shared_names, trace.records);
    trace.header.launches.push_back({kernel.full_name(),
                                     {spec.grid.x, spec.grid.y, spec.grid.z},
                                     {spec.block.x, spec.block.y, spec.block.z},
                                     spec.block.dynamic_shared_bytes});
    auto& blocks = trace.header.blocks;
    for (const std::uint32_t block : request.blocks)
        if (block < spec.grid.count() && std::find(blocks.begin(), blocks.end(), block) == blocks.end())
            blocks.push_back(block);
}

launch::Outcome Emulator::run(const launch::Plan& plan, const launch::KernelSet& kernels,
                              const launch::Request& request) {
    if (request.checks && !make_checker_) throw Error("this emulator was made without checks: run without --check.");
    const auto checker = request.checks ? make_checker_() : nullptr;
    std::vector<HostBuffer> buffers;
    std::vector<BufferPlace> places;
    std::vector<CheckedBuffer> checked_buffers;
    for (const auto& spec : plan.buffers) {
        buffers.emplace_back(spec, checker ? static_cast<int>(buffers.size()) : -1);
        places.push_back({buffers.back().data(), spec.bytes(), spec.element, spec.role});
        checked_buffers.push_back({spec.name, buffers.back().data(), spec.bytes(), spec.element,
                                   spec.role != launch::BufferRole::scratch});
    }
    if (checker) checker->run_begins(checked_buffers);
    launch::Outcome outcome;
    launch::ArrayNumbering numbering(plan);
    if (request.record) {
        outcome.trace.emplace();
        outcome.trace->header.source.kind = trace::SourceKind::emulator;
        outcome.trace->header.source.order = request.order.name();
    }
    const launch::Order blocks = request.block_order.value_or(request.order);
    bool stopped = false;
    reset_variables(plan, kernels, request.record || request.checks);
    for (std::uint32_t number = 0; number < plan.launches.size() && !stopped; ++number) {
        const auto& spec = plan.launches[number];
        const auto& kernel = kernels.find(spec.kernel, spec.arguments);
        Arguments arguments(spec, buffers);
        Machine::Program program = program_of(kernel, spec, request, arguments);
        program.block_order = blocks;
        check_warps(kernel, spec, kernels.find(plan.launches[0].kernel, plan.launches[0].arguments));
        if (!request.record && !checker) {
            stopped = run_blocks(program, std::max(1, request.threads), outcome.findings);
            continue;
        }
        const launch::KernelFile& file = kernels.file_of(kernel);
        std::optional<Recorder> recorder;
        if (request.record) recorder.emplace(number, places, plan.snapshots, lines_);
        const auto machine = std::make_unique<Machine>();
        machine->load(program);
        CheckedLaunch checked;
        if (checker) checked = described(spec, number, program, file, *machine);
        stopped = run_watched(*machine, program, request.blocks, blocks, checker.get(), checked,
                              recorder ? &*recorder : nullptr);
        std::vector<trace::Finding> findings = machine->findings();
        for (auto& finding : findings) finding.launch = number;
        merge(outcome.findings, findings);
        if (recorder) record_launch(*outcome.trace, *recorder, numbering, kernel, spec, file, request);
        if (!checker) continue;
        std::vector<Found> found = checker->launch_ends(lines_);
        if (recorder) locate_records(found, outcome.trace->records, numbering.arrays());
        for (Found& one : found) outcome.findings.push_back(std::move(one.finding));
    }
    if (checker) judge(outcome, checker->undecided());
    if (request.record) {
        outcome.trace->arrays = numbering.arrays();
        outcome.trace->findings = outcome.findings;
        outcome.trace->verdict = outcome.verdict;
        outcome.trace->undecided = outcome.undecided;
    }
    for (std::size_t i = 0; i < buffers.size(); ++i)
        outcome.buffers.emplace_back(buffers[i].data(), buffers[i].data() + buffers[i].bytes());
    return outcome;
}

}  // namespace

std::unique_ptr<launch::Backend> make_emulator(MakeChecker make_checker) {
    return std::make_unique<Emulator>(std::move(make_checker));
}

}  // namespace lanewise::emu
