#include "common/scene/permutation.hpp"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "common/scene/warps.hpp"
#include "common/steps/steps.hpp"

namespace lanewise::scene {
namespace {

using trace::Op;

// Where the rule leads, before any clamp, and the text of it.
std::string bits_of(Op op, int lane, int arg, int width) {
    const int low = arg & 31;  // the hardware takes five bits
    const int first = lane & ~(width - 1), last = first + width - 1;
    if (op == Op::shfl_xor) {
        const int wanted = lane ^ low;
        return wanted > last ? fmt::format("{:05b} ^ {:05b} = {:05b} > {:05b}", lane, low, wanted, last)
                             : fmt::format("{:05b} ^ {:05b} = {:05b}", lane, low, wanted);
    }
    if (op == Op::shfl_down)
        return lane + low > last ? fmt::format("{:05b} + {:05b} > {:05b}", lane, low, last)
                                 : fmt::format("{:05b} + {:05b} = {:05b}", lane, low, lane + low);
    if (op == Op::shfl_up)
        return lane - low < first ? fmt::format("{:05b} - {:05b} < {:05b}", lane, low, first)
                                  : fmt::format("{:05b} - {:05b} = {:05b}", lane, low, lane - low);
    const int index = arg & (width - 1);
    if (width == 1) return fmt::format("{:05b}, a group of one lane", first);
    return fmt::format("{:05b} + {:0{}b} = {:05b}", first, index, std::countr_zero(static_cast<unsigned>(width)),
                       first + index);
}

bool is_clamped(Op op, int lane, int arg, int width) {
    const int low = arg & 31, first = lane & ~(width - 1), last = first + width - 1;
    if (op == Op::shfl_xor) return (lane ^ low) > last;
    if (op == Op::shfl_down) return lane + low > last;
    return op == Op::shfl_up && lane - low < first;
}

}  // namespace

std::vector<PermutationRow> permutation_of(const steps::Steps& steps, std::size_t step, const WarpRef& warp) {
    const steps::WarpStep* part = step < steps.size() ? steps.steps[step].find(warp) : nullptr;
    if (!part || part->records.empty()) return {};
    const trace::Record& record = steps.trace->records[part->records.front()];
    if (!trace::is_shuffle(record.op)) return {};
    const int lanes = static_cast<int>(warp_size(steps)), width = std::min(record.width, lanes);
    std::vector<PermutationRow> rows;
    for (int lane = 0; lane < lanes; ++lane) {
        const auto at = static_cast<std::size_t>(lane);
        PermutationRow row{lane, LaneSource::inactive, -1, ""};
        if (record.active >> lane & 1u) {
            row.source = record.source[at];
            row.kind = record.undefined >> lane & 1u                        ? LaneSource::undefined
                       : is_clamped(record.op, lane, record.arg[at], width) ? LaneSource::clamped
                                                                            : LaneSource::read;
            row.bits = bits_of(record.op, lane, record.arg[at], width);
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace lanewise::scene
