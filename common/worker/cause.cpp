#include "common/worker/cause.hpp"

#include <algorithm>
#include <csignal>
#include <cstring>

#include <fmt/format.h>

#include "common/emu/stacks.hpp"

namespace lanewise::worker {

namespace {

constexpr std::uint64_t kNearNull = 1 << 16;

// A 16-byte access of the kind that must be aligned: movaps, movapd, movdqa and their VEX forms, and arithmetic with a
// packed operand in memory.
bool is_aligned_access(const std::array<unsigned char, 16>& code) {
    std::size_t at = 0;
    if (code[0] == 0xc5 || code[0] == 0xc4) {
        const unsigned char opcode = code[code[0] == 0xc5 ? 2 : 3];
        return opcode == 0x28 || opcode == 0x29 || opcode == 0x6f || opcode == 0x7f;
    }
    while (at < 4 && (code[at] == 0x66 || code[at] == 0xf2 || code[at] == 0xf3 || (code[at] & 0xf0) == 0x40)) ++at;
    return code[at] == 0x0f;
}

// The end of a run that a worker reported: where it was, and what happened.
class Crash {
public:
    Crash(const emu::RunMemory& memory, const launch::Plan& plan, emu::SourceLines& lines)
        : memory_(memory), plan_(plan), report_(crash_report(memory.state())), lines_(lines) {}

    const CrashReport& report() const { return report_; }

    // The innermost line of the kernel that the lane was at.
    int line() {
        if (report_.pc != 0 && report_.death != Death::exited)
            if (const int line = line_at(report_.pc + 1)) return line;
        if (report_.stack_top != 0)
            if (const int line = line_at(report_.stack_top)) return line;
        const std::uint32_t frames = std::min<std::uint32_t>(report_.frames, CrashReport::kFrames);
        for (std::uint32_t i = 0; i < frames; ++i)
            if (const int line = line_at(report_.frame[i])) return line;
        return 0;
    }

    // What happened, for a fault.
    void describe_fault(trace::Finding& finding) const {
        switch (report_.signal) {
            case SIGFPE:
                set(finding, "division_by_zero", "divides an integer by zero (or the least integer by -1)",
                    "On a GPU the result is undefined: keep the divisor from being 0.");
                return;
            case SIGILL:
            case SIGTRAP:
                set(finding, "illegal_instruction", "comes to an instruction that does not exist",
                    "It called through a pointer that is no function, ran past the end of a function that must return "
                    "a value, or reached __builtin_unreachable().");
                return;
            case SIGBUS:
                set(finding, "misaligned_access", "makes an access that memory refused",
                    "A vector access needs an address that is a multiple of its size, and memory must be there.");
                return;
            default: break;
        }
        if (report_.in_guard) {
            set(finding, "local_memory",
                fmt::format("needs more than {} KB of local memory", emu::StackPool::kLocalBytes >> 10),
                "That is all a thread has on a GPU: end the recursion, or keep large arrays in shared or global "
                "memory.");
        } else if (report_.signal == SIGSEGV && report_.pc == report_.address) {
            set(finding, "jump_nowhere", fmt::format("jumps to address 0x{:x}, where there is no code", report_.pc),
                "It calls through a pointer that is no function.");
        } else if (report_.signal == SIGSEGV && report_.code > 0 && report_.code != SI_KERNEL) {
            describe_address(finding);
        } else if (is_aligned_access(report_.instruction)) {
            set(finding, "misaligned_access", "makes a 16-byte access at an address that is no multiple of 16",
                "A float4 or another vector of 16 bytes must begin at a multiple of 16: count in whole vectors, or load "
                "the elements one by one.");
        } else {
            set(finding, "invalid_address", "uses an address that no memory can have",
                "Look at the pointer and at what its index is made of.");
        }
    }

private:
    int line_at(std::uint64_t return_address) {
        return lines_.find_kernel(reinterpret_cast<const void*>(return_address)).line;
    }

    void describe_address(trace::Finding& finding) const {
        emu::RunMemory::Place place;
        if (report_.address < kNearNull) {
            set(finding, "invalid_address",
                fmt::format("uses address 0x{:x}, a null pointer or an index into one", report_.address),
                "Pass a buffer for each pointer, and test what may be null before it is used.");
        } else if (memory_.find(report_.address, place)) {
            const auto& buffer = plan_.buffers[place.buffer];
            const std::int64_t size = element_size(buffer.element);
            const std::int64_t index = place.byte >= 0 ? place.byte / size : (place.byte - size + 1) / size;
            set(finding, "out_of_bounds",
                fmt::format("uses {}[{}], but {} has {} elements", buffer.name, index, buffer.name, buffer.count),
                "Keep the index below the number of elements, and above 0.");
        } else {
            set(finding, "invalid_address",
                fmt::format("uses address 0x{:x}, which is no memory of this run", report_.address),
                "Look at the pointer and at what its index is made of.");
        }
    }

    // What the lane does; the sentence is made whole where the lane and its line are known.
    static void set(trace::Finding& finding, const char* kind, std::string does, const char* advice) {
        finding.kind = kind;
        finding.sentence = std::move(does) + "|" + advice;
    }

    const emu::RunMemory& memory_;
    const launch::Plan& plan_;
    const CrashReport& report_;
    emu::SourceLines& lines_;
};

// "lane 3 of warp 0 in block 2 ", or that nothing is known of it.
std::string who(const trace::Finding& finding, const CrashReport& report) {
    if (!report.in_lane) return "the run";
    return fmt::format("lane {} of warp {} in block {}", report.slot % trace::kWarpSize, finding.warp, finding.block);
}

}  // namespace

trace::Finding cause_of_death(const emu::RunMemory& memory, const launch::Plan& plan,
                              std::span<const emu::Runnable> kernels, emu::SourceLines& lines, Ended ended,
                              double seconds) {
    Crash crash(memory, plan, lines);
    const CrashReport& report = crash.report();
    const bool complete = report.complete != 0;
    trace::Finding finding;
    const std::uint32_t launch = memory.state().launch;
    if (launch < kernels.size()) finding.kernel = kernels[launch].name;
    if (complete && report.in_lane) {
        finding.block = static_cast<std::uint32_t>(report.block);
        finding.warp = report.slot / trace::kWarpSize;
        finding.lanes = 1u << report.slot % trace::kWarpSize;
    }
    if (complete) finding.line = crash.line();
    // Where all that is left of a kernel is a jump to itself, it has no lines but its first.
    if (finding.line == 0 && launch < kernels.size())
        finding.line = lines.line_of_function(reinterpret_cast<const void*>(kernels[launch].body),
                                              std::string_view(finding.kernel).substr(0, finding.kernel.find('<')));
    const std::string lane = complete ? who(finding, report) : "the run";
    const std::string where = finding.line ? fmt::format(" on line {}", finding.line) : std::string();
    if (ended == Ended::cancelled) {
        finding.kind = "cancelled";
        finding.sentence = fmt::format("the run was cancelled while {} was{}; what is shown happened before.",
                                       lane == "the run" ? "it" : lane,
                                       finding.line ? where : std::string(" running"));
    } else if (ended == Ended::too_long) {
        finding.kind = "runaway";
        finding.sentence = fmt::format(
            "{} was still running{} after {:.3g} s without an end to its block, and was stopped. Look at the condition of "
            "the loop there; a loop that waits for a plain variable never ends, for the compiler may read this once: "
            "make it volatile or read it with an atomic.",
            lane, where, seconds);
    } else if (ended == Ended::too_much_output) {
        finding.kind = "too_much_output";
        finding.sentence = fmt::format("{} had printed more than a run may{} and was stopped; print less, or from one "
                                       "lane alone.", lane, where);
    } else if (!complete) {
        finding.kind = "worker_died";
        finding.sentence = "the process that ran the kernel ended without a message: it called _exit(), or the system "
                           "killed it, perhaps for want of memory. What is shown happened before.";
    } else if (report.death == Death::exited) {
        finding.kind = "exit_called";
        finding.sentence =
            fmt::format("{} calls exit(){}, which ends the whole program: a kernel returns instead.", lane, where);
    } else if (report.death == Death::exception) {
        char text[sizeof report.text] = {};
        std::memcpy(text, report.text.data(), sizeof text - 1);
        finding.kind = "exception_thrown";
        finding.sentence =
            fmt::format("{} throws an exception that nothing catches{}{}{}: device code has no exceptions.", lane,
                        where, text[0] ? ": " : "", text);
    } else if (report.death == Death::aborted) {
        finding.kind = "abort_called";
        finding.sentence =
            fmt::format("{} calls abort(){}, which ends the whole program; __trap() ends a launch.", lane, where);
    } else {
        crash.describe_fault(finding);
        const std::size_t bar = finding.sentence.find('|');
        finding.sentence = fmt::format("{} {}{}, which ends the launch. {}", lane, finding.sentence.substr(0, bar),
                                       where, finding.sentence.substr(bar + 1));
        if (!report.in_lane) {
            finding.kind = "worker_died";
            finding.sentence = fmt::format("the emulator itself failed (signal {}{}); what is shown happened before.",
                                           report.signal, where);
        }
    }
    return finding;
}

}  // namespace lanewise::worker
