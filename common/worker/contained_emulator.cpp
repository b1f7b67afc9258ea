#include "common/worker/contained_emulator.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <stop_token>

#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/base/error.hpp"
#include "common/check/checker.hpp"
#include "common/emu/execute.hpp"
#include "common/emu/machine.hpp"
#include "common/emu/recording.hpp"
#include "common/emu/resident_blocks.hpp"
#include "common/emu/stacks.hpp"
#include "common/worker/cause.hpp"
#include "common/worker/library.hpp"
#include "common/worker/message_fields.hpp"
#include "common/worker/watch.hpp"

namespace lanewise::worker {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kPreemptAfter = std::chrono::milliseconds(30);   // without a block that ends
constexpr auto kPreemptEvery = std::chrono::milliseconds(2);
constexpr auto kLook = std::chrono::milliseconds(10);
// A worker that is asked to say where it is has this long; then it is killed.
constexpr auto kReportTime = std::chrono::milliseconds(100);

// What a worker is given.
struct Job {
    launch::Plan plan;
    launch::Request request;
    std::vector<emu::Runnable> kernels;
    std::size_t memory = 0;
    std::string library;   // that the kernels are in; empty: the program itself
};
template <class A>
void fields(A& a, Job& job) {
    a(job.plan, job.request, job.kernels, job.memory, job.library);
}

// A runaway must not take the machine. Stacks count as what they reserve.
void limit_memory(const Job& job) {
    std::uint64_t lanes = 0;
    for (std::size_t i = 0; i < job.kernels.size(); ++i) {
        const std::uint64_t warp = job.kernels[i].warp_size;   // a teaching warp's lanes have a whole one's places
        lanes = std::max(lanes, (job.plan.launches[i].block.count() + warp - 1) / warp * trace::kWarpSize);
    }
    // Where blocks wait for each other several are under way.
    std::uint64_t threads = static_cast<std::uint64_t>(emu::threads_of(job.request)), resident = 0;
    for (const auto& launch : job.plan.launches)
        resident = std::max(resident, std::min<std::uint64_t>(launch.grid.count(), static_cast<std::uint64_t>(
                                                                  emu::most_resident_blocks(launch.block))));
    threads += resident;
    const std::uint64_t stacks =
        lanes * (emu::StackPool::kStackBytes + emu::StackPool::kGuardBytes);
    constexpr std::uint64_t kThread = std::uint64_t{16} << 20;   // its stack, and what malloc reserves for it
    // The checks reserve 8 bytes for each byte of a kernel's arrays, 32 where lanes touch parts of words; they touch
    // what the kernel touches.
    std::uint64_t checks = 0;
    if (job.request.checks) checks = (std::uint64_t{256} << 20) + 9 * emu::DeviceHeap::kArenaBytes;
    for (const auto& buffer : job.plan.buffers) checks += job.request.checks ? 48 * buffer.bytes() : 0;
    const std::uint64_t bytes = job.memory + checks + threads * (stacks + kThread);
    const rlimit limit{bytes, bytes};
    setrlimit(RLIMIT_DATA, &limit);
}

// Of kernels in a library what is given is where they are, counted from its beginning.
void place_kernels(std::vector<emu::Runnable>& kernels, std::uint64_t base) {
    for (emu::Runnable& kernel : kernels)
        kernel.body = reinterpret_cast<launch::EmulatedBody>(reinterpret_cast<std::uint64_t>(kernel.body) + base);
}

void run_job(int socket, std::span<const std::byte> bytes, int memory_fd) {
    Job job;
    Unpacker unpack(bytes);
    unpack(job);
    emu::RunMemory memory(job.plan, emu::RunMemory::kind_of(job.request), memory_fd);
    listen_for_death(memory.state());
    limit_memory(job);
    try {
        if (!job.library.empty()) {
            const std::uint64_t base = load_library(job.library).base;
            memory.state().library_base = base;
            place_kernels(job.kernels, base);
            for (const auto& variable : job.plan.variables)
                std::memcpy(reinterpret_cast<void*>(base + variable.place), variable.contents.data(),
                            variable.contents.size());
        }
        emu::execute(job.plan, job.kernels, job.request, memory, check::make_checker,
                     listen_on_this_thread);
    } catch (const std::bad_alloc&) {
        memory.journal().add_text(
            emu::EntryKind::error,
            "There is not enough memory for this run; record fewer blocks or give a smaller --n.");
    } catch (const std::exception& error) {
        memory.journal().add_text(emu::EntryKind::error, error.what());
    }
    memory.state().done = 1;
    std::fflush(stdout);
    send_message(socket, {});
    _exit(0);   // what the program left to do at its end is the program's
}

// One run, seen from the program.
class Watch {
public:
    Watch(const Child& child, emu::RunMemory& memory, const launch::Request& request, const Limits& limits,
          std::span<const emu::Runnable> kernels, emu::SourceLines& lines)
        : child_(child), memory_(memory), request_(request), limits_(limits), kernels_(kernels), lines_(lines) {}

    // Waits until the worker is done or has ended. True where it is done.
    bool wait() {
        const StopEvent stop(request_.stop);
        begin_block();
        for (;;) {
            std::array<pollfd, 4> fds{{{child_.socket(), POLLIN, 0},
                                       {output_.fd(), POLLIN, 0},
                                       {ended_ == Ended::not_by_us ? stop.fd() : -1, POLLIN, 0},
                                       {child_.process(), POLLIN, 0}}};
            poll(fds.data(), fds.size(), timeout());
            if (fds[1].revents && !output_.pass() && ended_ == Ended::not_by_us) end(Ended::too_much_output);
            if (fds[0].revents || fds[3].revents) break;
            if (fds[2].revents) end(Ended::cancelled);
            look();
        }
        // What it said before it ended is there now.
        std::vector<std::byte> nothing;
        const bool done = receive_message(child_.socket(), nothing) || memory_.state().done != 0;
        if (!done) wait_for_end();
        output_.finish();
        return done;
    }

    Ended ended() const { return ended_; }
    double seconds() const { return seconds_; }

private:
    void begin_block() {
        blocks_ = memory_.state().blocks_done;
        began_ = Clock::now();
        seconds_at_ = -1;
    }

    int timeout() const {
        const auto next = preempting_ ? kPreemptEvery : kLook;
        return static_cast<int>(next.count());
    }

    void wait_for_end() {
        pollfd process{child_.process(), POLLIN, 0};
        if (poll(&process, 1, static_cast<int>(kReportTime.count())) == 0) child_.signal(SIGKILL);
        poll(&process, 1, 1000);
    }

    void look() {
        const std::uint64_t blocks = memory_.state().blocks_done;
        if (request_.progress && (blocks != reported_ || blocks == 0)) {
            reported_ = blocks;
            request_.progress({memory_.state().launch, blocks});
        }
        const auto now = Clock::now();
        if (blocks != blocks_) {
            begin_block();
            preempting_ = false;
            return;
        }
        if (ended_ != Ended::not_by_us) {
            if (now - asked_ > kReportTime) child_.signal(SIGKILL);
            return;
        }
        if (now - began_ < kPreemptAfter) return;
        const double seconds = child_.seconds();
        if (seconds_at_ < 0) seconds_at_ = seconds;
        const double waited = std::chrono::duration<double>(now - began_).count();
        // Threads share the time that is counted.
        const double threads = emu::threads_of(request_);
        if ((seconds - seconds_at_) / threads > limits_.seconds || waited > limits_.patience) {
            seconds_ = waited;
            end(Ended::too_long);
        } else if (!request_.record && !request_.checks) {
            preempt();
        }
    }

    // Where nothing is recorded a lane may wait for another in a loop that never comes here: it is interrupted, in its
    // kernel's own code, and others run.
    void preempt() {
        if (!preempting_) {
            preempting_ = true;
            CrashReport& report = crash_report(memory_.state());
            const std::uint32_t launch = memory_.state().launch;
            const auto ranges = launch < kernels_.size()
                                    ? lines_.unit_of(reinterpret_cast<const void*>(kernels_[launch].body))
                                    : std::vector<emu::CodeRange>{};
            const auto count = static_cast<std::uint32_t>(std::min(ranges.size(), CrashReport::kRanges));
            report.ranges = 0;
            for (std::uint32_t i = 0; i < count; ++i) {
                report.range[2 * i] = ranges[i].begin;
                report.range[2 * i + 1] = ranges[i].end;
            }
            report.ranges = count;
        }
        child_.signal(kPreemptSignal);
    }

    void end(Ended why) {
        ended_ = why;
        asked_ = Clock::now();
        child_.signal(kStopSignal);
    }

    const Child& child_;
    emu::RunMemory& memory_;
    const launch::Request& request_;
    const Limits& limits_;
    std::span<const emu::Runnable> kernels_;
    emu::SourceLines& lines_;
    Ended ended_ = Ended::not_by_us;
    Clock::time_point asked_;
    Clock::time_point began_;
    double seconds_at_ = -1;      // the worker's processor time when the block had begun
    double seconds_ = 0;          // that it was given
    std::uint64_t blocks_ = 0, reported_ = 0;
    Output output_{child_.output(), limits_.output};
    bool preempting_ = false;
};

class ContainedEmulator final : public launch::Backend {
public:
    ContainedEmulator(std::shared_ptr<Pool> pool, Limits limits) : pool_(std::move(pool)), limits_(limits) {}

    launch::Outcome run(const launch::Plan& plan, const launch::KernelSet& kernels,
                        const launch::Request& request) override {
        Job job{plan_without_contents(plan), request, emu::check_launches(plan, kernels, request), limits_.memory,
                kernels.library()};
        emu::RunMemory memory(plan, emu::RunMemory::kind_of(request), true);
        std::fflush(stdout);   // what the kernel prints comes after it
        Child child = pool_->take();
        Packer pack;
        pack(job);
        const int fd = memory.fd();
        if (!send_message(child.socket(), pack.bytes(), {&fd, 1}))
            throw Error("The process that was to run the kernel has ended; try again.", kExitFailed);
        Watch watch(child, memory, request, limits_, job.kernels, lines_);
        const bool done = watch.wait();
        const std::uint64_t base = memory.state().library_base;
        if (base != 0) {
            lines_.library_at(job.library, base);
            place_kernels(job.kernels, base);
        }
        const auto end = done                                   ? emu::RunEnd::by_itself
                         : watch.ended() == Ended::cancelled ? emu::RunEnd::cancelled
                         : watch.ended() != Ended::not_by_us ? emu::RunEnd::runaway
                                                             : emu::RunEnd::by_itself;
        launch::Outcome outcome = emu::collect(plan, kernels, request, memory, lines_, end);
        if (!done) {
            outcome.findings.push_back(
                cause_of_death(memory, plan, job.kernels, lines_, watch.ended(), watch.seconds()));
            if (outcome.trace) {
                outcome.trace->findings = outcome.findings;
                if (end == emu::RunEnd::by_itself) emu::end_early(*outcome.trace);
                emu::add_line_of_end(*outcome.trace, outcome.findings.back().line);
            }
            if (request.checks) emu::judge(outcome);
        }
        return outcome;
    }

    trace::Source describe() const override { return {}; }

private:
    static launch::Plan plan_without_contents(const launch::Plan& plan) {
        launch::Plan shape;
        for (const auto& spec : plan.buffers)
            shape.buffers.push_back({spec.name, spec.role, spec.element, spec.count, {}});
        shape.launches = plan.launches;
        shape.snapshots = plan.snapshots;
        shape.variables = plan.variables;
        return shape;
    }

    std::shared_ptr<Pool> pool_;
    Limits limits_;
    emu::SourceLines lines_;
};

}  // namespace

void serve_emulator(int socket, const void*) {
    std::vector<std::byte> bytes;
    std::vector<Fd> fds;
    if (receive_message(socket, bytes, &fds) && fds.size() == 1) run_job(socket, bytes, fds[0].release());
}

std::unique_ptr<launch::Backend> contained_emulator(std::shared_ptr<Pool> pool, Limits limits) {
    return std::make_unique<ContainedEmulator>(std::move(pool), limits);
}

}  // namespace lanewise::worker
