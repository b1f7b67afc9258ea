#include "common/worker/crash_report.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>

#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include "common/emu/machine.hpp"

namespace lanewise::worker {

namespace {

constexpr std::size_t kSignalStackBytes = 64 * 1024;
constexpr std::size_t kMaxThreads = 1024;

// A worker has one run, and its handlers must find its report.
CrashReport* report = nullptr;
std::array<std::atomic<pid_t>, kMaxThreads> threads;
std::atomic<std::uint32_t> thread_count{0};

emu::Machine* machine() { return static_cast<emu::Machine*>(lanewise_emulated::board); }

_Unwind_Reason_Code add_frame(_Unwind_Context* context, void*) {
    const std::uint32_t at = report->frames.load(std::memory_order_relaxed);
    if (at >= CrashReport::kFrames) return _URC_END_OF_STACK;
    report->frame[at] = _Unwind_GetIP(context);
    report->frames.store(at + 1, std::memory_order_release);
    return _URC_NO_REASON;
}

// False on all threads but the first.
bool begin(Death death) {
    if (report->begun.exchange(1) != 0) return false;
    report->death = death;
    if (const emu::Machine* here = machine()) {
        report->in_lane = 1;
        report->slot = here->current;
        report->block = here->block_number();
    }
    return true;
}

// Ends the worker. What can go wrong comes after what is sure.
[[noreturn]] void end() {
    report->complete.store(1, std::memory_order_release);
    _Unwind_Backtrace(add_frame, nullptr);
    // Lanes are past their last stores: the record takes up what those wrote.
    if (emu::Machine* here = machine())
        if (auto* observer = here->observer()) observer->block_ends();
    _exit(1);
}

// The others' turn: each gets the signal.
void signal_other_threads(int number) {
    const auto self = static_cast<pid_t>(syscall(SYS_gettid));
    for (std::uint32_t i = 0; i < std::min<std::uint32_t>(thread_count, kMaxThreads); ++i)
        if (const pid_t other = threads[i]; other != 0 && other != self)
            syscall(SYS_tgkill, getpid(), other, number);
}

void on_fault(int number, siginfo_t* info, void* context) {
    if (!begin(number == SIGABRT ? Death::aborted : Death::signal)) {
        if (report->complete.load() != 0 || number != SIGABRT) _exit(1);
        for (;;) pause();   // another thread writes the report
    }
    const auto* registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
    report->signal = number;
    report->code = info->si_code;
    report->address = reinterpret_cast<std::uint64_t>(info->si_addr);
    report->pc = static_cast<std::uint64_t>(registers[REG_RIP]);
    if (const emu::Machine* here = machine()) report->in_guard = here->stacks().is_guard(info->si_addr);
    report->complete.store(1, std::memory_order_release);
    // Each of these may fault again, which ends the worker with what is written.
    const bool nowhere = report->pc == report->address && number == SIGSEGV;
    if (nowhere || number == SIGILL)
        std::memcpy(&report->stack_top, reinterpret_cast<const void*>(registers[REG_RSP]), sizeof report->stack_top);
    if (!nowhere)
        std::memcpy(report->instruction.data(), reinterpret_cast<const void*>(report->pc), report->instruction.size());
    end();
}

void on_stop(int, siginfo_t*, void* context) {
    if (!machine() && report->begun == 0 && thread_count > 1) {
        signal_other_threads(kStopSignal);
        return;
    }
    if (!begin(Death::stopped)) {
        for (;;) pause();
    }
    report->pc = static_cast<std::uint64_t>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
    end();
}

// On the lane's own stack: the lane continues from here when it has its turn again.
void on_preempt(int, siginfo_t* info, void* context) {
    const int kept = errno;
    if (info->si_code != SI_TKILL) signal_other_threads(kPreemptSignal);
    emu::Machine* here = machine();
    const auto pc = static_cast<std::uint64_t>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
    const std::uint32_t ranges = report->ranges.load(std::memory_order_acquire);
    for (std::uint32_t i = 0; here && i < std::min<std::uint32_t>(ranges, CrashReport::kRanges); ++i)
        if (pc >= report->range[2 * i] && pc < report->range[2 * i + 1]) {
            here->let_others_run();
            here->waits(0, nullptr, emu::kPatience / 16);
            break;
        }
    errno = kept;
}

void on_exit() {
    if (!machine() || !begin(Death::exited)) return;
    end();
}

void on_terminate() {
    if (begin(Death::exception)) {
        if (const std::exception_ptr thrown = std::current_exception()) {
            try {
                std::rethrow_exception(thrown);
            } catch (const std::exception& error) {
                std::strncpy(report->text.data(), error.what(), report->text.size() - 1);
            } catch (...) {
            }
        }
        end();
    }
    _exit(1);
}

}  // namespace

void listen_on_this_thread() {
    void* memory = mmap(nullptr, kSignalStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return;
    stack_t stack{};
    stack.ss_sp = memory;
    stack.ss_size = kSignalStackBytes;
    sigaltstack(&stack, nullptr);
    const std::uint32_t at = thread_count.fetch_add(1);
    if (at < kMaxThreads) threads[at] = static_cast<pid_t>(syscall(SYS_gettid));
}

void listen_for_death(emu::RunState& state) {
    report = &crash_report(state);
    _Unwind_Backtrace([](_Unwind_Context*, void*) { return _URC_END_OF_STACK; }, nullptr);  // loads what it needs
    listen_on_this_thread();
    struct sigaction action {};
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    action.sa_sigaction = on_fault;
    for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT})
        sigaction(number, &action, nullptr);
    action.sa_flags |= SA_RESTART;
    action.sa_sigaction = on_stop;
    sigaction(kStopSignal, &action, nullptr);
    action.sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER;
    action.sa_sigaction = on_preempt;
    sigaction(kPreemptSignal, &action, nullptr);
    std::atexit(on_exit);
    std::at_quick_exit(on_exit);
    std::set_terminate(on_terminate);
}

}  // namespace lanewise::worker
