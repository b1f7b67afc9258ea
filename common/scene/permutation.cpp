#include "common/scene/permutation.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include <fmt/format.h>

#include "common/base/lanes.hpp"
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

std::vector<std::string> permutation_facts(const std::vector<PermutationRow>& rows) {
    std::vector<std::string> facts;
    std::vector<int> readers(rows.size(), 0);
    std::uint32_t clamped = 0, undefined = 0, unread = 0, all = 0;
    for (const PermutationRow& row : rows) {
        all |= 1u << row.lane;
        if (row.source >= 0 && row.source < static_cast<int>(rows.size()))
            ++readers[static_cast<std::size_t>(row.source)];
        if (row.kind == LaneSource::clamped) clamped |= 1u << row.lane;
        if (row.kind == LaneSource::undefined) undefined |= 1u << row.lane;
    }
    for (std::size_t lane = 0; lane < rows.size(); ++lane) unread |= (readers[lane] == 0 ? 1u : 0u) << lane;
    if (rows.empty()) return facts;
    if (unread == 0) {
        // How often until every lane holds its own value again: the lengths of the cycles together.
        std::uint64_t turns = 1;
        for (const PermutationRow& row : rows) {
            std::uint64_t length = 1;
            for (int at = row.source; at != row.lane; at = rows[static_cast<std::size_t>(at)].source) ++length;
            turns = std::lcm(turns, length);
        }
        facts.push_back("A permutation: every lane is read once, and no value is lost.");
        facts.push_back(
            turns == 1 ? "Every lane reads itself."
            : turns == 2
                ? "Its own inverse: done twice, every lane has its own value again."
                : fmt::format("Not its own inverse: every lane has its own value again after {} times.", turns));
    } else {
        const auto most = static_cast<std::size_t>(std::max_element(readers.begin(), readers.end()) - readers.begin());
        if (readers[most] > 1) facts.push_back(fmt::format("Lane {} is read by {} lanes.", most, readers[most]));
        facts.push_back(unread == all
                            ? "No lane is read."
                            : fmt::format("No lane reads {} {}.", std::has_single_bit(unread) ? "lane" : "lanes",
                                          lane_ranges(unread)));
    }
    if (clamped)
        facts.push_back(fmt::format(
            "Lanes {}: the rule leads past the edge of the group, and they keep their own values. That is defined.",
            lane_ranges(clamped)));
    if (undefined)
        facts.push_back(
            fmt::format("Lanes {}: undefined, because the lane that is named takes no part.", lane_ranges(undefined)));
    return facts;
}

}  // namespace lanewise::scene
