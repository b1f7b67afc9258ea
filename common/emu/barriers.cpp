// Block barriers: what is not the usual arrival (machine.cpp), and what is wrong when lanes come to different ones.
#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "common/base/lanes.hpp"
#include "common/emu/machine.hpp"

namespace lanewise::emu {

void Machine::sync_block_vote(int line, trace::Op op, bool predicate) {
    runnable_[current / kWarpSize] &= ~(1u << current % kWarpSize);
    sync_block_slowly(line, op, predicate, nullptr);
}

void Machine::sync_block_slowly(int line, trace::Op op, bool predicate, const void* pc) {
    barrier_pc_ = pc;
    barrier_mixed_ = barrier_mixed_ || (waiting_ != 0 && (barrier_line_ != line || barrier_op_ != op));
    line_[current] = line;
    barrier_line_ = line;
    barrier_op_ = op;
    barrier_op_of_[current] = op;
    if (op != trace::Op::sync_block) {
        barrier_votes_ = true;
        arg_[current] = predicate;
    }
    quick_line_ = reports_arrivals_ || barrier_votes_ ? kNoLine : line;
    if (reports_arrivals_) observer_->at_barrier({current, line, op, predicate});
    if (++waiting_ < alive_) return yield();
    release_barrier();
    const auto to = static_cast<std::uint32_t>(first_runnable(0));
    if (to != current) go_to(to);
}

// All that live are here, so all can continue.
void Machine::release_barrier() {
    if (barrier_mixed_) judge_barrier();
    count_barrier();
    if (barrier_votes_) count_barrier_votes();
    if (observer_) observer_->barrier_complete(result);
    ++changes_;
    waiting_ = 0;
    quick_line_ = kNoLine;
    for (std::uint32_t i = 0; i < warp_count_; ++i) runnable_[i] = warps_[i].alive;
    turn(barrier_line_);
}

// A lane that returned counts as arrived: `if (i >= n) return;` before a barrier is common, and GPUs have it so. But
// one that came to this very call before, in a loop, and left while others continue, did not join them as often as they
// did.
void Machine::count_barrier() {
    const std::uint32_t number = ++barriers_;
    const auto call = std::find_if(barrier_calls_.begin(), barrier_calls_.end(), [&](const BarrierCall& known) {
        return known.pc == barrier_pc_ && known.line == barrier_line_;
    });
    if (call == barrier_calls_.end()) {
        barrier_calls_.push_back({barrier_pc_, barrier_line_, number});
        return;
    }
    if (last_return_ <= call->first) return;
    for (std::uint32_t warp = 0; warp < warp_count_; ++warp) {
        std::uint32_t lanes = 0, most = 0;
        for (std::uint32_t rest = warps_[warp].exists & ~warps_[warp].alive; rest; rest &= rest - 1) {
            const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
            const std::uint32_t after = returned_after_[warp * kWarpSize + lane];
            if (after <= call->first) continue;
            lanes |= 1u << lane;
            most = std::max(most, after - 1);
        }
        if (lanes == 0) continue;
        report("barrier_divergence", warp, barrier_line_, lanes,
               fmt::format("{} of warp {} returned after {} barriers of block {}, the one on line {} among them, which "
                           "other threads come to once more: all threads must come to it equally often. If it is in a "
                           "branch, move it out of the branch; if in a loop, let all threads take the same number of "
                           "turns, and guard the work inside.",
                           lane_list(lanes), warp, most, block_number_, barrier_line_));
        return;
    }
}

// Lanes are at different barriers. Within one warp that is wrong. Whole warps are counted by the GPU wherever they
// wait, so the barrier holds today; CUDA promises nothing.
void Machine::judge_barrier() {
    barrier_mixed_ = false;
    const auto same = [&](std::uint32_t a, std::uint32_t b) {
        return line_[a] == line_[b] && barrier_op_of_[a] == barrier_op_of_[b];
    };
    const auto report_at = [&](std::uint32_t first, std::uint32_t at, std::uint32_t lanes, trace::Severity severity) {
        const std::uint32_t warp = at / kWarpSize;
        report(
            "barrier_divergence", warp, line_[at], lanes,
            fmt::format("{} of warp {} reached {} on line {} while {} wait at {} on line {}; every thread of a block "
                        "that has not returned must reach the same barrier: move it out of the branch.",
                        lane_list(lanes), warp, cuda_name(barrier_op_of_[at]), line_[at],
                        first / kWarpSize == warp ? "others of it" : "other warps", cuda_name(barrier_op_of_[first]),
                        line_[first]),
            {nullptr, severity,
             trace::FindingPlace{line_[first],
                                 static_cast<std::uint32_t>(block_number_),
                                 first / kWarpSize,
                                 1u << first % kWarpSize,
                                 -1,
                                 {}}});
    };
    const std::uint32_t none = kMaxThreads;
    std::uint32_t first_of_block = none;
    for (std::uint32_t warp = 0; warp < warp_count_; ++warp) {
        std::uint32_t first = none, other = none, others = 0;
        for (std::uint32_t rest = warps_[warp].alive; rest; rest &= rest - 1) {
            const std::uint32_t at = warp * kWarpSize + static_cast<std::uint32_t>(std::countr_zero(rest));
            if (first == none) first = at;
            if (same(first, at)) continue;
            if (other == none) other = at;
            if (same(other, at)) others |= 1u << at % kWarpSize;
        }
        if (first == none) continue;
        if (other != none) report_at(first, other, others, trace::Severity::wrong);
        if (first_of_block == none) first_of_block = first;
        else if (!same(first_of_block, first))
            report_at(first_of_block, first, warps_[warp].alive, trace::Severity::note);
    }
}

// All that live are at the barrier; where some of them (a finding was made of it) brought no predicate, the others'
// count.
void Machine::count_barrier_votes() {
    std::uint64_t voters = 0, agreeing = 0;
    const auto each_voter = [&](auto&& seen) {
        for (std::uint32_t warp = 0; warp < warp_count_; ++warp)
            for (std::uint32_t rest = warps_[warp].alive; rest; rest &= rest - 1) {
                const std::uint32_t at = warp * kWarpSize + static_cast<std::uint32_t>(std::countr_zero(rest));
                if (barrier_op_of_[at] != trace::Op::sync_block) seen(at);
            }
    };
    each_voter([&](std::uint32_t at) {
        ++voters;
        agreeing += arg_[at] != 0;
    });
    each_voter([&](std::uint32_t at) {
        const trace::Op op = barrier_op_of_[at];
        result[at] = op == trace::Op::sync_block_count ? agreeing
                     : op == trace::Op::sync_block_and ? agreeing == voters
                                                       : agreeing != 0;
        barrier_op_of_[at] = trace::Op::sync_block;  // as it stays for those who come by the quick way
    });
    barrier_votes_ = false;
}

}  // namespace lanewise::emu
