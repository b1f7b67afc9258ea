#include "common/worker/contained_gpu.hpp"

#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <optional>

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include "common/base/error.hpp"
#include "common/emu/run_memory.hpp"
#include "common/worker/message_fields.hpp"
#include "common/worker/watch.hpp"

namespace lanewise::worker {

namespace {

using Clock = std::chrono::steady_clock;

// Bytes of a plan that reach the GPU and come back in a second, on a slow machine.
constexpr double kBytesASecond = 256e6;

struct GpuJob {
    launch::Plan plan;
    launch::Request request;
};
template <class A>
void fields(A& a, GpuJob& job) {
    a(job.plan, job.request);
}

// What a worker says when it has started, and after each run. The contents of buffers lie in the run's memory.
struct Answer {
    std::string error;       // a sentence; empty where all went well
    int exit_status = 0;
    trace::Source source;
    std::vector<trace::Finding> findings;
    bool has_trace = false;
    trace::Trace trace;
};
template <class A>
void fields(A& a, Answer& answer) {
    a(answer.error, answer.exit_status, answer.source, answer.findings, answer.has_trace, answer.trace);
}

bool send(int socket, const Answer& answer) {
    Packer pack;
    pack(answer);
    return send_message(socket, pack.bytes());
}

Answer run_job(launch::Backend& backend, const launch::KernelSet& kernels, std::span<const std::byte> bytes, int fd) {
    GpuJob job;
    Unpacker unpack(bytes);
    unpack(job);
    emu::RunMemory memory(job.plan, emu::RunMemory::Kind{}, fd);
    for (std::size_t i = 0; i < job.plan.buffers.size(); ++i) {
        auto& spec = job.plan.buffers[i];
        if (spec.role == launch::BufferRole::input)
            spec.contents.assign(memory.buffer(i), memory.buffer(i) + spec.bytes());
    }
    launch::Outcome outcome = backend.run(job.plan, kernels, job.request);
    for (std::size_t i = 0; i < outcome.buffers.size() && i < job.plan.buffers.size(); ++i)
        if (outcome.buffers[i].size() == job.plan.buffers[i].bytes() && !outcome.buffers[i].empty())
            std::memcpy(memory.buffer(i), outcome.buffers[i].data(), outcome.buffers[i].size());
    Answer answer;
    answer.findings = std::move(outcome.findings);
    answer.has_trace = outcome.trace.has_value();
    if (outcome.trace) answer.trace = std::move(*outcome.trace);
    return answer;
}

Answer failure(const std::exception& error) {
    Answer answer;
    answer.error = error.what();
    const auto* ours = dynamic_cast<const Error*>(&error);
    answer.exit_status = ours ? ours->exit_status() : kExitFailed;
    return answer;
}

void serve_gpu(int socket, const void* argument) {
    const auto& parts = *static_cast<const GpuParts*>(argument);
    std::unique_ptr<launch::Backend> backend;
    launch::KernelSet kernels;
    try {
        kernels = parts.make_kernels();
        backend = parts.make_backend();
        Answer hello;
        hello.source = backend->describe();
        send(socket, hello);
    } catch (const std::exception& error) {
        send(socket, failure(error));
        return;
    }
    std::vector<std::byte> bytes;
    for (std::vector<Fd> fds; receive_message(socket, bytes, &fds) && fds.size() == 1; fds.clear()) {
        Answer answer;
        try {
            answer = run_job(*backend, kernels, bytes, fds[0].release());
        } catch (const std::exception& error) {
            answer = failure(error);
        }
        std::fflush(stdout);
        if (!send(socket, answer)) break;
    }
    _exit(0);   // CUDA's own end can take long, and nothing is lost without it
}

class ContainedGpu final : public launch::Backend {
public:
    ContainedGpu(std::shared_ptr<Pool> pool, const GpuParts& parts, Limits limits)
        : pool_(std::move(pool)), parts_(parts), limits_(limits) {
        start();
        greet();
    }

    launch::Outcome run(const launch::Plan& plan, const launch::KernelSet&, const launch::Request& request) override {
        const std::lock_guard lock(mutex_);
        if (!greeted_) greet();
        emu::RunMemory memory(plan, emu::RunMemory::Kind{}, true);
        GpuJob job;
        for (const auto& spec : plan.buffers)
            job.plan.buffers.push_back({spec.name, spec.role, spec.element, spec.count, {}});
        job.plan.launches = plan.launches;
        job.plan.snapshots = plan.snapshots;
        job.request = request;
        Packer pack;
        pack(job);
        const int fd = memory.fd();
        std::fflush(stdout);
        std::vector<std::byte> bytes;
        std::uint64_t moved = 0;
        for (const auto& spec : plan.buffers) moved += spec.bytes();
        const double patience = limits_.patience + static_cast<double>(moved) / kBytesASecond;
        if (!send_message(child_->socket(), pack.bytes(), {&fd, 1}) || !wait(request.stop, patience) ||
            !receive_message(child_->socket(), bytes))
            fail("the process that ran it ended without a message. The next run starts afresh.", kExitFailed);
        Answer answer;
        Unpacker unpack(bytes);
        unpack(answer);
        if (!answer.error.empty()) {
            // A failed CUDA call may have poisoned the context, and every call after it fails too.
            if (answer.exit_status == kExitFailed) start();
            throw Error(answer.error, answer.exit_status);
        }
        launch::Outcome outcome;
        outcome.findings = std::move(answer.findings);
        if (answer.has_trace) outcome.trace = std::move(answer.trace);
        for (std::size_t i = 0; i < plan.buffers.size(); ++i)
            outcome.buffers.emplace_back(memory.buffer(i), memory.buffer(i) + plan.buffers[i].bytes());
        return outcome;
    }

    trace::Source describe() const override { return source_; }

private:
    // The next worker begins to start CUDA; no run waits for it yet.
    void start() {
        greeted_ = false;
        child_.reset();
        child_.emplace(pool_->make(serve_gpu, &parts_));
    }

    void greet() {
        std::vector<std::byte> bytes;
        if (!receive_message(child_->socket(), bytes))
            throw Error("The process for the GPU ended while it started CUDA; use --backend cpu (the emulator).",
                        kExitFailed);
        Answer hello;
        Unpacker unpack(bytes);
        unpack(hello);
        if (!hello.error.empty()) throw Error(hello.error, hello.exit_status);
        source_ = hello.source;
        greeted_ = true;
    }

    // Until there is an answer. False where the worker ended instead; throws Error where it was ended.
    bool wait(const std::stop_token& stop, double patience) {
        const StopEvent event(stop);
        Output output(child_->output(), limits_.output);
        const auto began = Clock::now();
        for (;;) {
            std::array<pollfd, 4> fds{{{child_->socket(), POLLIN, 0},
                                       {output.fd(), POLLIN, 0},
                                       {event.fd(), POLLIN, 0},
                                       {child_->process(), POLLIN, 0}}};
            poll(fds.data(), fds.size(), 100);
            if (fds[1].revents && !output.pass())
                fail(fmt::format("it printed more than {} KB and was stopped; print less.", limits_.output >> 10),
                     kExitFailed);
            if (fds[0].revents || fds[3].revents) {
                output.finish();
                return (fds[0].revents & POLLIN) != 0;
            }
            if (fds[2].revents) fail("it was cancelled.", kExitFailed);
            const std::chrono::duration<double> waited = Clock::now() - began;
            if (waited.count() > patience)
                fail(fmt::format("it did not end within {:.3g} s and was stopped; look at the conditions of its loops.",
                                 patience), kExitFailed);
        }
    }

    // Ends the worker; the next one starts.
    [[noreturn]] void fail(const std::string& why, int status) {
        start();
        throw Error("The run on the GPU has no result: " + why, status);
    }

    std::shared_ptr<Pool> pool_;
    const GpuParts& parts_;
    Limits limits_;
    std::mutex mutex_;
    std::optional<Child> child_;
    bool greeted_ = false;
    trace::Source source_;
};

}  // namespace

std::unique_ptr<launch::Backend> contained_gpu(std::shared_ptr<Pool> pool, const GpuParts& parts, Limits limits) {
    return std::make_unique<ContainedGpu>(std::move(pool), parts, limits);
}

}  // namespace lanewise::worker
