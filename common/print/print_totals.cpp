#include <algorithm>
#include <cmath>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/base/counted.hpp"
#include "common/print/print.hpp"
#include "common/scene/sums/absorbed.hpp"
#include "common/steps/memory_cost.hpp"

namespace lanewise::print {

using run::Run;

namespace {

using steps::Step;
using steps::WarpRef;

// `knows_memory`: loads, stores and atomics were recorded.
std::string totals_of(const Step::Counters& c, bool knows_memory) {
    std::vector<std::string> parts{counted(c.shuffles, "shuffle round"), counted(c.block_barriers, "block barrier")};
    if (c.warp_barriers > 0) parts.push_back(counted(c.warp_barriers, "warp barrier"));
    if (!knows_memory) return fmt::format("{} · loads, stores and atomics not recorded", fmt::join(parts, " · "));
    parts.push_back(counted(c.shared_accesses, "shared access"));
    parts.push_back(counted(c.global_accesses, "global access"));
    parts.push_back(counted(c.atomics, "atomic"));
    return fmt::format("{}", fmt::join(parts, " · "));
}

// "14.2 % lane utilization in add steps: 127 of 896"
std::string utilization_text_of(const Step::Counters& c) {
    return fmt::format("{:.1f} % lane utilization in add steps: {} of {}", 100 * c.utilization(), c.added,
                       c.add_slots);
}

std::string global_of(const Step::Counters& c) {
    const double moved = static_cast<double>(c.global_sectors) * steps::kSectorBytes;
    return fmt::format("global memory: {} · {} of {} bytes · {:.1f} sectors a request · {} of {} bytes used",
                       counted(c.global_requests, "request"), counted(c.global_sectors, "sector"), steps::kSectorBytes,
                       static_cast<double>(c.global_sectors) / c.global_requests, c.global_bytes,
                       format_number(moved));
}

std::string shared_of(const Step::Counters& c) {
    const std::uint32_t extra = c.shared_wavefronts - std::min(c.shared_wavefronts, c.shared_requests);
    return fmt::format("shared memory: {} · {}{}", counted(c.shared_requests, "request"),
                       counted(c.shared_wavefronts, "wavefront"),
                       extra == 0 ? std::string(" · no bank conflicts")
                                  : fmt::format(" · {} more for bank conflicts and wide accesses", extra));
}

// What one block cost, or several together: a line each for utilization, global and shared memory, where there is any.
std::vector<std::string> costs_of(const Step::Counters& c) {
    std::vector<std::string> lines;
    if (c.add_slots > 0) lines.push_back(utilization_text_of(c));
    if (c.global_requests > 0) lines.push_back(global_of(c));
    if (c.shared_requests > 0) lines.push_back(shared_of(c));
    return lines;
}

Step::Counters together(const std::vector<Step::Counters>& blocks) {
    Step::Counters all;
    for (const auto& block : blocks) {
        all.added += block.added;
        all.add_slots += block.add_slots;
        all.global_requests += block.global_requests;
        all.global_sectors += block.global_sectors;
        all.global_bytes += block.global_bytes;
        all.shared_requests += block.shared_requests;
        all.shared_wavefronts += block.shared_wavefronts;
    }
    return all;
}

// How many lanes were active in a step in which some were, on average over all blocks; empty where that is not known.
std::string average_of(const Run& run) {
    std::uint64_t active = 0, present = 0;
    for (const auto& step : run.steps.steps)
        for (std::size_t b = 0; b < step.counters.size(); ++b) {
            const auto launch = run.steps.blocks[b].launch;
            if (step.counters[b].active_lanes == 0 || launch >= run.trace.header.launches.size()) continue;
            const auto& block = run.trace.header.launches[launch].block;
            active += step.counters[b].active_lanes;
            present += std::uint64_t{block[0]} * block[1] * block[2];
        }
    if (present == 0) return {};
    return fmt::format("{:.0f} % of the lanes active in a step, on average",
                       100.0 * static_cast<double>(active) / static_cast<double>(present));
}

template <class T>
bool all_alike(const std::vector<T>& each) {
    return std::all_of(each.begin(), each.end(), [&](const T& one) { return one == each.front(); });
}

// Bits as a number that counts up with the value, so that two neighbouring floats are one apart; whole numbers as they
// are.
std::int64_t place_in_order(Element element, std::uint64_t bits) {
    const bool is_float = element == Element::f16 || element == Element::bf16 || element == Element::f32 ||
                          element == Element::f64;
    const int width = element_size(element) * 8;
    if (!is_float) return static_cast<std::int64_t>(bits << (64 - width)) >> (64 - width);
    const std::uint64_t magnitude = bits & ((std::uint64_t{1} << (width - 1)) - 1);
    return bits >> (width - 1) & 1 ? -static_cast<std::int64_t>(magnitude) : static_cast<std::int64_t>(magnitude);
}

}  // namespace

// Counts are one block's: once where they are the same in all. So are costs, but where they differ the blocks' are
// added up, and the heading says so.
void print_totals(std::ostream& out, const Run& run, const Paint& paint) {
    const auto& steps = run.steps;
    if (steps.steps.empty()) return;
    const auto& last = steps.steps.back().counters;
    std::vector<std::string> totals;
    std::vector<std::vector<std::string>> costs;
    const bool knows_memory = trace::records_accesses(run.trace);
    for (const auto& counters : last) {
        totals.push_back(totals_of(counters, knows_memory));
        costs.push_back(costs_of(counters));
    }
    const bool launches = steps.blocks.front().launch != steps.blocks.back().launch;
    const auto name = [&](std::size_t b) {
        const WarpRef& block = steps.blocks[b];
        return launches ? fmt::format("block {} of launch {}", block.block, block.launch)
                        : fmt::format("block {}", block.block);
    };
    const std::string each = last.size() == 1 ? name(0) : fmt::format("each of {} recorded blocks", last.size());
    const bool costs_alike = all_alike(costs);
    if (all_alike(totals)) {
        out << paint.faint("  " + each) << '\n' << "    " << totals.front() << '\n';
    } else {
        for (std::size_t b = 0; b < totals.size(); ++b)
            out << paint.faint("  " + name(b)) << '\n' << "    " << totals[b] << '\n';
        if (costs_alike) out << paint.faint("  " + each) << '\n';
    }
    if (!costs_alike) out << paint.faint(fmt::format("  the {} recorded blocks together", last.size())) << '\n';
    for (const std::string& line : costs_alike ? costs.front() : costs_of(together(last)))
        out << "    " << line << '\n';
    if (const std::string average = average_of(run); !average.empty()) out << "    " << average << '\n';
}

void print_results(std::ostream& out, const runner::FinishedRun& finished, const Paint& paint) {
    for (const auto& r : finished.results()) {
        const std::string verdict = r.ok ? paint.result("within its bound") : paint.warning("OUTSIDE its bound");
        const std::string bound = r.bound == 0 ? "0" : fmt::format("{:.2e}", r.bound);
        const std::string name = r.summed       ? fmt::format("sum of {}", r.output)
                                 : r.count == 1 ? r.output
                                                : r.output + "[0]";
        out << fmt::format("    {} = ", name) << paint.strong(format_number(r.value))
            << fmt::format(" · reference {} · ", format_number(r.reference))
            << (r.count == 1 || r.summed ? fmt::format("error {:.2g}", r.error)
                                         : fmt::format("largest error of {} elements {:.2g}", r.count, r.error))
            << fmt::format(" · bound {} · ", bound) << verdict << '\n';
    }
    if (const std::string absorbed = scene::absorbed_text(*finished.run); !absorbed.empty())
        out << paint.warning(fmt::format("    but {}: --rounding shows where", absorbed)) << '\n';
    if (!finished.results().empty()) return;
    for (const auto& output : finished.run->trace.outputs)
        if (!output.values.empty())
            out << fmt::format("    {}{} = ", output.name, output.count > 1 ? "[0]" : "")
                << paint.strong(format_element(output.element, output.values.front())) << '\n';
}

void print_reruns(std::ostream& out, const trace::Trace& trace, const Paint& paint) {
    if (trace.reruns.empty() || trace.outputs.empty() || trace.outputs.front().values.empty()) return;
    const trace::Output& first = trace.outputs.front();
    const std::uint64_t bits = first.values.front();
    struct Line {
        std::string how, value, hex, ulps;
    };
    std::vector<Line> lines{{"order", "value", "bits", "ulp from the first"}};
    const auto add = [&](const std::string& how, std::uint64_t here) {
        const std::int64_t ulps = place_in_order(first.element, here) - place_in_order(first.element, bits);
        lines.push_back({how, format_element(first.element, here), "0x" + format_bits(first.element, here),
                         same_value(first.element, bits, here) ? std::string("0") : fmt::format("{:+}", ulps)});
    };
    add(trace::run_name(trace.header.source), bits);
    for (const trace::Rerun& rerun : trace.reruns)
        for (const trace::Output& output : rerun.outputs)
            if (output.name == first.name && output.element == first.element && !output.values.empty())
                add(rerun.how, output.values.front());
    std::size_t how = 0, value = 0;
    for (const Line& line : lines) {
        how = std::max(how, line.how.size());
        value = std::max(value, line.value.size());
    }
    out << paint.faint(fmt::format("  the same {} in other orders of the blocks", first.name)) << '\n';
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const Line& line = lines[i];
        const std::string text =
            fmt::format("    {}  {}  {}  {}", pad_right(line.how, how), pad_left(line.value, value),
                        pad_right(line.hex, lines[1].hex.size()), line.ulps);
        out << (i == 0 ? paint.faint(text) : text) << '\n';
    }
}

}  // namespace lanewise::print
