// Collectives: lanes that wait for each other, and what is wrong when they wait in vain.
#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "common/base/lanes.hpp"
#include "common/emu/machine.hpp"
#include "common/trace/shuffle_rule.hpp"

namespace lanewise::emu {

using lanewise_emulated::Call;
using trace::Op;

const char* cuda_name(Op op) {
    switch (op) {
        case Op::shfl_idx: return "__shfl_sync";
        case Op::shfl_up: return "__shfl_up_sync";
        case Op::shfl_down: return "__shfl_down_sync";
        case Op::shfl_xor: return "__shfl_xor_sync";
        case Op::vote_any: return "__any_sync";
        case Op::vote_all: return "__all_sync";
        case Op::vote_ballot: return "__ballot_sync";
        case Op::vote_match_any: return "__match_any_sync";
        case Op::vote_match_all: return "__match_all_sync";
        case Op::reduce_add: return "__reduce_add_sync";
        case Op::reduce_min: return "__reduce_min_sync";
        case Op::reduce_max: return "__reduce_max_sync";
        case Op::reduce_and: return "__reduce_and_sync";
        case Op::reduce_or: return "__reduce_or_sync";
        case Op::reduce_xor: return "__reduce_xor_sync";
        case Op::sync_block: return "__syncthreads";
        case Op::sync_block_count: return "__syncthreads_count";
        case Op::sync_block_and: return "__syncthreads_and";
        case Op::sync_block_or: return "__syncthreads_or";
        case Op::active_mask: return "__activemask";
        default: return "__syncwarp";
    }
}

namespace {

const char* wait_or_waits(std::uint32_t lanes) { return std::has_single_bit(lanes) ? "waits" : "wait"; }

bool valid_width(int width) { return width >= 1 && width <= kWarpSize && std::has_single_bit(unsigned(width)); }

template <class T>
T joined(Op op, T a, T b) {
    switch (op) {
        case Op::reduce_add: return static_cast<T>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
        case Op::reduce_min: return b < a ? b : a;
        case Op::reduce_max: return a < b ? b : a;
        case Op::reduce_and: return a & b;
        case Op::reduce_or: return a | b;
        default: return a ^ b;
    }
}

std::uint64_t poison_of(Element type) { return element_size(type) == 8 ? kPoison64 : kPoison32; }

// Shuffles and matches move bits: those of a float and of an int are one instruction, those of 8 bytes another. To a
// reduction the type says what is done.
bool same_call(const Collective& open, Op op, Element type) {
    if (open.op != op) return false;
    if (open.type == type || op == Op::reduce_add) return true;
    return !trace::is_reduce(op) && (element_size(open.type) == 8) == (element_size(type) == 8);
}

// Do all lanes give the same offset and take the whole warp as one segment? Nearly every shuffle of a reduction does.
bool uniform(const std::int32_t* arg, const std::int32_t* width) {
    std::int32_t differs = 0;
    for (int i = 0; i < kWarpSize; ++i) differs |= (arg[i] ^ arg[0]) | (width[i] ^ kWarpSize);
    return differs == 0;
}

template <Op kOp>
void exchange_uniform(const std::uint64_t* offered, std::uint64_t* result, int arg) {
    for (int i = 0; i < kWarpSize; ++i) result[i] = offered[trace::source_lane(kOp, i, arg, kWarpSize)];
}

void exchange_uniform(Op op, const std::uint64_t* offered, std::uint64_t* result, int arg) {
    switch (op) {
        case Op::shfl_idx: return exchange_uniform<Op::shfl_idx>(offered, result, arg);
        case Op::shfl_up: return exchange_uniform<Op::shfl_up>(offered, result, arg);
        case Op::shfl_down: return exchange_uniform<Op::shfl_down>(offered, result, arg);
        default: return exchange_uniform<Op::shfl_xor>(offered, result, arg);
    }
}

}  // namespace

void Machine::warp_collective(Call call, std::uint32_t mask, std::uint64_t offered, int arg, int width) {
    const std::uint32_t me = current;
    const std::uint32_t bit = 1u << me % kWarpSize;
    Warp& warp = warps_[me / kWarpSize];
    offered_[me] = offered;
    arg_[me] = arg;
    width_[me] = width;
    line_[me] = call.line();
    runnable_[me / kWarpSize] &= ~bit;
    // Nearly every arrival: the warp's one open collective is this one, others are still to come, and the next lane can
    // run.
    Collective& open = warp.open[0];
    const std::uint32_t to = next_[me];
    if (warp.open_count == 1 && open.mask == mask && Call::kind_of(open.op, open.type) == call.kind() && (mask & bit) &&
        (open.arrived | bit) != (mask & warp.alive) && is_runnable(to)) {
        open.arrived |= bit;
        return go_to(to);
    }
    join_slowly(call, mask);
}

void Machine::join_slowly(Call call, std::uint32_t mask) {
    Warp& warp = warps_[current / kWarpSize];
    const std::uint32_t bit = 1u << current % kWarpSize;
    mask &= lane_mask_;  // a teaching warp's arrivals all come this way where their mask names more lanes than it has
    runnable_[current / kWarpSize] |= bit;
    const int which = open_collective(warp, call.line(), call.op(), call.type(), mask);
    if (which < 0) return;
    turn(call.line());
    const Collective& collective = warp.open[static_cast<std::size_t>(which)];
    if (collective.arrived == (mask & warp.alive)) {
        complete(warp, which);
        return go_to_first_of(number_of(warp));
    }
    runnable_[current / kWarpSize] &= ~bit;
    yield();
}

// The collective that the lane joins, opened where there is none. -1: it asked for something that cannot be, which was
// reported, and continues alone with an undefined result.
int Machine::open_collective(Warp& warp, int line, Op op, Element type, std::uint32_t mask) {
    const std::uint32_t lane = current % kWarpSize;
    const std::uint32_t bit = 1u << lane;
    if (!(mask & bit)) {
        report("mask_without_caller", number_of(warp), line, bit,
               fmt::format("lane {} calls {} on line {} with the mask 0x{:08x}, which does not name it; the result is "
                           "undefined. Name every lane that calls, or keep the others out with an if.",
                           lane, cuda_name(op), line, mask));
        result[current] = poison_of(type);
        if (observer_) announce(warp, {mask, bit, op, type, true}, bit);
        return -1;
    }
    bool mismatch = false;
    for (int i = 0; i < warp.open_count; ++i) {
        Collective& open = warp.open[static_cast<std::size_t>(i)];
        if (open.mask == mask && same_call(open, op, type)) {
            open.arrived |= bit;
            return i;
        }
        // Each waits for the other: neither can come.
        if ((open.mask & bit) && (mask & open.arrived) && !open.reported) {
            open.reported = mismatch = true;
            report_mismatch(warp, open, line, op, mask);
        }
    }
    warp.open[static_cast<std::size_t>(warp.open_count)] = {mask, bit, op, type, mismatch};
    return warp.open_count++;
}

void Machine::report_mismatch(const Warp& warp, const Collective& open, int line, Op op, std::uint32_t mask) {
    const std::uint32_t lane = current % kWarpSize;
    const int there = line_[base_of(warp) + static_cast<std::uint32_t>(std::countr_zero(open.arrived))];
    if (open.mask != mask)
        report("mask_mismatch", number_of(warp), line, open.arrived | 1u << lane,
               fmt::format("lane {} calls {} on line {} with the mask 0x{:08x}, but {} {} for it on line {} with the "
                           "mask 0x{:08x}; all participating lanes must name the same mask.",
                           lane, cuda_name(op), line, mask, lane_list(open.arrived), wait_or_waits(open.arrived),
                           there, open.mask));
    else
        report(
            "intrinsic_mismatch", number_of(warp), line, open.arrived | 1u << lane,
            fmt::format("lane {} calls {} on line {}, but {} {} for it in {}{} on line {}; all lanes named in a mask "
                        "must make the same call.",
                        lane, cuda_name(op), line, lane_list(open.arrived), wait_or_waits(open.arrived),
                        cuda_name(open.op), open.op == op ? " of another size" : "", there));
}

// Gives every lane that came its result; returns those whose source takes no part.
std::uint32_t Machine::exchange(std::uint32_t base, const Collective& collective) {
    std::uint32_t undefined = 0;
    for (std::uint32_t rest = collective.arrived; rest; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const std::uint32_t at = base + static_cast<std::uint32_t>(lane);
        const int source = trace::source_lane(collective.op, lane, arg_[at], width_[at]);
        if (collective.arrived >> source & 1) {
            result[at] = offered_[base + static_cast<std::uint32_t>(source)];
        } else {
            result[at] = poison_of(collective.type);
            undefined |= 1u << lane;
        }
    }
    return undefined;
}

void Machine::reduce(std::uint32_t base, const Collective& collective) {
    std::uint32_t rest = collective.arrived;
    std::uint32_t value =
        static_cast<std::uint32_t>(offered_[base + static_cast<std::uint32_t>(std::countr_zero(rest))]);
    while (rest &= rest - 1) {
        const auto next =
            static_cast<std::uint32_t>(offered_[base + static_cast<std::uint32_t>(std::countr_zero(rest))]);
        value = collective.type == Element::i32
                    ? static_cast<std::uint32_t>(
                          joined(collective.op, static_cast<std::int32_t>(value), static_cast<std::int32_t>(next)))
                    : joined(collective.op, value, next);
    }
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane)
        if (collective.arrived >> lane & 1) result[base + lane] = value;
}

// PTX ISA, match.sync: a lane receives the lanes that have not exited and hold its value, or all of them if they hold
// the same one.
void Machine::match(std::uint32_t base, const Collective& collective) {
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
        if (!(collective.arrived >> lane & 1)) continue;
        std::uint32_t alike = 0;
        for (std::uint32_t other = 0; other < kWarpSize; ++other)
            if (collective.arrived >> other & 1 && offered_[base + other] == offered_[base + lane])
                alike |= 1u << other;
        result[base + lane] = collective.op == Op::vote_match_any || alike == collective.arrived ? alike : 0;
    }
}

void Machine::vote(std::uint32_t base, const Collective& collective) {
    std::uint32_t ballot = 0;
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane)
        if (collective.arrived >> lane & 1 && arg_[base + lane]) ballot |= 1u << lane;
    const std::uint64_t answer = collective.op == Op::vote_ballot ? ballot
                                 : collective.op == Op::vote_any  ? ballot != 0
                                                               : ballot == collective.arrived;
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane)
        if (collective.arrived >> lane & 1) result[base + lane] = answer;
}

// CUDA leaves other widths undefined; they are reported and taken as the whole warp. To a teaching warp a wider one
// is the same.
void Machine::normalize_widths(std::uint32_t base, const Collective& collective) {
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
        const std::uint32_t at = base + lane;
        if (!(collective.arrived >> lane & 1)) continue;
        if (valid_width(width_[at])) {
            width_[at] = std::min(width_[at], static_cast<std::int32_t>(program_.warp_size));
            continue;
        }
        report("bad_width", base / kWarpSize, line_[at], 1u << lane,
               fmt::format("{} on line {} is given a width of {}; it must be 1, 2, 4, 8, 16 or 32.",
                           cuda_name(collective.op), line_[at], width_[at]));
        width_[at] = static_cast<std::int32_t>(program_.warp_size);
    }
}

void Machine::report_inactive_source(const Warp& warp, const Collective& collective, std::uint32_t undefined) {
    const int lane = std::countr_zero(undefined);
    const std::uint32_t at = base_of(warp) + static_cast<std::uint32_t>(lane);
    const int source = trace::source_lane(collective.op, lane, arg_[at], width_[at]);
    const char* why = !(warp.exists >> source & 1)    ? "does not exist in this block"
                      : !(warp.alive >> source & 1)   ? "has returned"
                      : !(collective.mask >> source & 1) ? "is not named in the mask"
                                                      : "does not take part";
    report("inactive_source", number_of(warp), line_[at], undefined,
           fmt::format("in {} on line {}, {} {} from a lane that takes no part (lane {} reads lane {}, which {}): the "
                       "value is undefined. Let the whole warp call, or do not use what these lanes receive.",
                       cuda_name(collective.op), line_[at], lane_list(undefined),
                       std::has_single_bit(undefined) ? "reads" : "read", lane, source, why));
}

void Machine::complete(Warp& warp, int which) {
    const Collective collective = warp.open[static_cast<std::size_t>(which)];
    warp.open[static_cast<std::size_t>(which)] = warp.open[static_cast<std::size_t>(--warp.open_count)];
    const std::uint32_t base = base_of(warp);
    std::uint32_t undefined = 0;
    if (collective.op <= Op::shfl_xor) undefined = shuffle(warp, collective);
    else if (collective.op <= Op::reduce_xor) reduce(base, collective);
    else if (collective.op <= Op::vote_ballot) vote(base, collective);
    else if (collective.op <= Op::vote_match_all) match(base, collective);
    runnable_[number_of(warp)] |= collective.arrived;
    ++changes_;
    if (observer_) announce(warp, collective, undefined);
}

std::uint32_t Machine::shuffle(Warp& warp, const Collective& collective) {
    const std::uint32_t base = base_of(warp);
    if (collective.arrived == ~0u && uniform(&arg_[base], &width_[base])) {
        exchange_uniform(collective.op, &offered_[base], &result[base], arg_[base]);
        return 0;
    }
    normalize_widths(base, collective);
    const std::uint32_t undefined = exchange(base, collective);
    if (undefined) report_inactive_source(warp, collective, undefined);
    return undefined;
}

void Machine::active_mask(int line) {
    turn(line);
    const std::uint32_t bit = 1u << current % kWarpSize;
    line_[current] = line;
    warps_[current / kWarpSize].asking |= bit;
    runnable_[current / kWarpSize] &= ~bit;
    yield();
}

// Every lane of the warp waits, has returned or asks: those that ask at one place are active together there.
void Machine::answer_active_masks(Warp& warp) {
    const std::uint32_t base = base_of(warp);
    runnable_[number_of(warp)] |= warp.asking;
    while (warp.asking) {
        const std::int32_t line = line_[base + static_cast<std::uint32_t>(std::countr_zero(warp.asking))];
        std::uint32_t together = 0;
        for (std::uint32_t lane = 0; lane < kWarpSize; ++lane)
            if (warp.asking >> lane & 1 && line_[base + lane] == line) together |= 1u << lane;
        for (std::uint32_t lane = 0; lane < kWarpSize; ++lane)
            if (together >> lane & 1) result[base + lane] = together;
        warp.asking &= ~together;
        if (observer_) announce(warp, {0, together, Op::active_mask, Element::u32, false}, 0);
    }
}

void Machine::announce(const Warp& warp, const Collective& collective, std::uint32_t undefined) {
    const std::uint32_t base = base_of(warp);
    observer_->collective({number_of(warp), collective.op, collective.type, collective.mask, collective.arrived,
                           warp.exists, undefined, &offered_[base], &result[base], &arg_[base], &width_[base],
                           &line_[base]});
}

// Returns whether one was.
bool Machine::complete_ready(Warp& warp) {
    bool any = false;
    for (int i = 0; i < warp.open_count;) {
        const Collective& open = warp.open[static_cast<std::size_t>(i)];
        const bool ready = open.arrived == (open.mask & warp.alive);
        if (ready) complete(warp, i);
        else ++i;
        any = any || ready;
    }
    return any;
}

// Nothing can run: some collective waits for lanes that wait elsewhere. It is reported, and completed with the lanes
// that take part, so that the learner sees the rest of the program.
void Machine::resolve_deadlock() {
    for (const std::uint32_t number : warp_order_) {
        Warp& warp = warps_[number];
        if (warp.open_count == 0) continue;
        const Collective& open = warp.open[0];
        if (!open.reported) {
            std::uint32_t in_collectives = 0;
            for (int i = 0; i < warp.open_count; ++i) in_collectives |= warp.open[static_cast<std::size_t>(i)].arrived;
            const std::uint32_t missing = open.mask & warp.alive & ~open.arrived;
            const std::uint32_t base = base_of(warp);
            const auto line_of = [&](std::uint32_t lanes) {
                return line_[base + static_cast<std::uint32_t>(std::countr_zero(lanes))];
            };
            const std::string where = missing & ~in_collectives
                                          ? fmt::format("at {} on line {}", cuda_name(barrier_op_), barrier_line_)
                                          : fmt::format("on line {}", line_of(missing));
            const int line = line_of(open.arrived);
            report("deadlock", number, line, open.arrived,
                   fmt::format("{} {} in {} on line {} for {}, named in the mask 0x{:08x}, which {} {}: a GPU may hang "
                               "here. Every lane named in a mask must make the call.",
                               lane_list(open.arrived), wait_or_waits(open.arrived), cuda_name(open.op), line,
                               lane_list(missing), open.mask, wait_or_waits(missing), where));
        }
        return complete(warp, 0);
    }
}

void Machine::report(const char* kind, std::uint32_t warp, int line, std::uint32_t lanes, std::string sentence,
                     const More& more) {
    for (std::size_t i = 0; i < findings_.size(); ++i) {
        if (findings_[i].kind != kind || findings_[i].line != line || findings_[i].severity != more.severity) continue;
        ++findings_[i].count;
        if (entries_[i]) ++entries_[i]->count;
        return;
    }
    Found found;
    trace::Finding& finding = found.finding;
    finding.kind = kind;
    finding.kernel = program_.kernel;
    finding.launch = program_.launch;
    finding.line = line;
    finding.block = static_cast<std::uint32_t>(block_number_);
    finding.warp = warp;
    finding.lanes = lanes;
    finding.sentence = std::move(sentence);
    finding.severity = more.severity;
    finding.other = more.other;
    found.pc = more.pc;
    entries_.push_back(program_.journal.add(found));
    findings_.push_back(std::move(finding));
}

}  // namespace lanewise::emu

void lanewise_emulated::warp_collective(Call call, unsigned mask, std::uint64_t bits, int arg, int width) {
    static_cast<lanewise::emu::Machine*>(board)->warp_collective(call, mask, bits, arg, width);
}
