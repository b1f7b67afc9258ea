#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/base/counted.hpp"
#include "common/base/lanes.hpp"
#include "common/print/print.hpp"
#include "common/scene/lane_facts.hpp"

namespace lanewise::lesson {

namespace {

using steps::Step;
using steps::WarpRef;
using steps::WarpStep;
using trace::kWarpSize;

constexpr std::size_t kLabelColumns = 15;
constexpr int kValueColumns = 9;      // the most a value takes: longer ones lose digits
constexpr std::size_t kMaxShown = 32; // elements of a shared array at a barrier

// One line of cells: a label and a text for each lane.
struct Row {
    std::string label;
    trace::PerLane<std::string> cells;
    std::string (Paint::*colour)(const std::string&) const = nullptr;
};

// Rows one above the other, 16, 8 or 4 lanes across, as wide as the widest cell asks; lanes that no row has are left
// out.
void print_rows(std::ostream& out, const std::vector<Row>& rows, std::uint32_t lanes, const Paint& paint) {
    std::size_t widest = 3;
    for (const auto& row : rows)
        for (const auto& cell : row.cells) widest = std::max(widest, cell.size());
    int across = 16;
    while (across > 4 && kLabelColumns + static_cast<std::size_t>(across) * (widest + 1) > kColumns) across /= 2;
    for (int first = 0; first < kWarpSize; first += across) {
        const std::uint32_t here = lanes >> first & ((1u << across) - 1);
        if (here == 0) continue;
        for (const auto& row : rows) {
            std::string line;
            for (int lane = first; lane < first + across; ++lane) line += pad_left(row.cells[lane], widest + 1);
            line.erase(line.find_last_not_of(' ') + 1);
            const std::string label = paint.faint(pad_right("    " + row.label, kLabelColumns));
            out << label << (row.colour ? (paint.*row.colour)(line) : line) << '\n';
        }
    }
}

Row lane_numbers(std::uint32_t lanes) {
    Row row{"lane", {}, &Paint::faint};
    for (int lane = 0; lane < kWarpSize; ++lane)
        if (lanes >> lane & 1u) row.cells[lane] = fmt::format("{}", lane);
    return row;
}

class TextPrinter {
public:
    TextPrinter(std::ostream& out, const Run& run, const std::string& source, const TextView& view)
        : out_(out), trace_(run.trace), steps_(run.steps), view_(view), paint_(view.paint) {
        for (std::size_t at = 0; at < source.size();) {
            const auto end = std::min(source.find('\n', at), source.size());
            lines_.push_back(source.substr(at, end - at));
            at = end + 1;
        }
        focus_ = view.focus.value_or(steps_.warps.empty() ? WarpRef{} : steps_.warps.front());
    }

    void print_step(std::size_t k) {
        const Step& step = steps_.steps[k];
        std::uint64_t at_work = 0;
        for (const auto& counters : step.counters) at_work += counters.active_lanes;
        const std::string head = fmt::format("step {} of {} · ", k + 1, steps_.size());
        const std::string right = counted(at_work, "lane") + " at work";
        const std::size_t used = head.size() - 1 + step.label.size() + right.size();  // "·" takes one column
        out_ << '\n' << paint_.faint(head) << paint_.strong(step.label)
             << std::string(used < kColumns ? kColumns - used : 1, ' ') << paint_.faint(right) << '\n';
        if (const std::string text = source_line(step.line); !text.empty())
            out_ << paint_.faint(fmt::format("{:>6} │ ", step.line)) << text << '\n';
        const WarpStep* mine = step.find(focus_);
        if (mine) {
            print_warp(step, *mine);
            print_formula(k, *mine);
        } else {
            out_ << paint_.faint(
                        fmt::format("    warp {} of block {} has no part in this step", focus_.warp, focus_.block))
                 << '\n';
        }
        print_others(step, mine != nullptr);
    }

    void print_findings() {
        for (const auto& finding : trace_.findings) print_finding(out_, finding, paint_);
    }

private:
    std::string source_line(int line) const {
        if (line < 1 || static_cast<std::size_t>(line) > lines_.size()) return {};
        const std::string& text = lines_[static_cast<std::size_t>(line) - 1];
        const auto first = text.find_first_not_of(" \t");
        return first == std::string::npos ? "" : text.substr(first);
    }

    void print_warp(const Step& step, const WarpStep& part) {
        if (part.records.empty()) return;
        const trace::Record& first = trace_.records[part.records.front()];
        switch (step.kind) {
            case steps::StepKind::shuffle: return print_shuffle(part, first);
            case steps::StepKind::reduce: return print_reduce(part, first);
            case steps::StepKind::vote: return print_vote(part, first);
            case steps::StepKind::active_mask: return print_active_mask(part);
            case steps::StepKind::fence: return print_fence(part);
            case steps::StepKind::warp_barrier:
            case steps::StepKind::block_barrier: return print_barrier(part, first);
            case steps::StepKind::load:
            case steps::StepKind::store:
            case steps::StepKind::atomic: return print_memory(part);
        }
    }

    void fill(Row& row, std::uint32_t lanes, const std::function<std::string(int)>& cell) const {
        for (int lane = 0; lane < kWarpSize; ++lane)
            if (lanes >> lane & 1u) row.cells[lane] = cell(lane);
    }

    std::uint32_t lanes_of(const WarpStep& part) const { return scene::active_lanes(steps_, &part); }

    void print_shuffle(const WarpStep& part, const trace::Record& record) {
        const std::uint32_t lanes = lanes_of(part);
        const auto value = [&](std::uint64_t bits) { return format_element(record.type, bits, kValueColumns); };
        Row before{"holds", {}}, from{"reads lane", {}, &Paint::source}, received{"receives", {}, &Paint::source},
            after{"then holds", {}, &Paint::result};
        fill(before, lanes, [&](int lane) { return value(part.lanes[lane].before); });
        fill(from, lanes,
             [&](int lane) { return part.lanes[lane].source < 0 ? "?" : fmt::format("{}", part.lanes[lane].source); });
        fill(received, lanes,
             [&](int lane) { return part.lanes[lane].undefined ? "undef" : value(part.lanes[lane].received); });
        fill(after, lanes, [&](int lane) { return part.lanes[lane].has_after ? value(part.lanes[lane].after) : "·"; });
        print_rows(out_, {lane_numbers(lanes), before, from, received, after}, lanes, paint_);
    }

    // All receive the same: it stands below, in the sentence, and in the row where lanes join it to their own.
    void print_reduce(const WarpStep& part, const trace::Record& record) {
        const std::uint32_t lanes = lanes_of(part);
        const auto value = [&](std::uint64_t bits) { return format_element(record.type, bits, kValueColumns); };
        Row offered{"offers", {}}, received{"receives", {}, &Paint::source}, after{"then holds", {}, &Paint::result};
        fill(offered, lanes, [&](int lane) { return value(part.lanes[lane].before); });
        fill(received, lanes,
             [&](int lane) { return part.lanes[lane].undefined ? "undef" : value(part.lanes[lane].received); });
        fill(after, lanes, [&](int lane) { return part.lanes[lane].has_after ? value(part.lanes[lane].after) : "·"; });
        print_rows(out_, {lane_numbers(lanes), offered, received, after}, lanes, paint_);
    }

    void print_vote(const WarpStep& part, const trace::Record& record) {
        const std::uint32_t lanes = lanes_of(part);
        const bool compares = !trace::is_predicate_vote(record.op);
        Row given{compares ? "offers" : "votes", {}}, answer{"receives", {}, &Paint::result};
        fill(given, lanes, [&](int lane) {
            return compares ? format_element(record.type, record.before[lane], kValueColumns)
                            : fmt::format("{}", record.arg[lane]);
        });
        fill(answer, lanes, [&](int lane) {
            return compares || record.op == trace::Op::vote_ballot ? fmt::format("{:x}", record.received[lane])
                                                                   : fmt::format("{}", record.received[lane]);
        });
        print_rows(out_, {lane_numbers(lanes), given, answer}, lanes, paint_);
    }

    void print_active_mask(const WarpStep& part) {
        std::map<std::uint64_t, std::uint32_t> answers;   // lanes by the mask they found
        for (const auto index : part.records) {
            const trace::Record& record = trace_.records[index];
            for (int lane = 0; lane < kWarpSize; ++lane)
                if (record.active >> lane & 1u) answers[record.received[lane]] |= 1u << lane;
        }
        for (const auto& [mask, lanes] : answers)
            out_ << fmt::format("    lanes {} find 0x{:08x}\n", lane_ranges(lanes), mask);
    }

    void print_fence(const WarpStep& part) {
        out_ << fmt::format("    lanes {} pass, waiting for nobody\n", lane_ranges(lanes_of(part)));
    }

    void print_memory(const WarpStep& part) {
        std::vector<Row> rows{lane_numbers(lanes_of(part))};
        for (const auto index : part.records) {
            const trace::Record& record = trace_.records[index];
            const trace::Array& array = trace_.arrays.at(record.array);
            const bool is_store = record.op == trace::Op::store;
            const std::string verb = trace::is_atomic(record.op) ? "gives" : is_store ? "writes" : "reads";
            const std::string name =
                array.name.size() > kLabelColumns - 5 ? array.name.substr(0, kLabelColumns - 6) + "…" : array.name;
            Row place{name, {}, is_store ? nullptr : &Paint::source};
            fill(place, record.active, [&](int lane) { return fmt::format("[{}]", record.element_index[lane]); });
            rows.push_back(std::move(place));
            // A pack takes a row for each element.
            for (int e = 0; e < record.elements; ++e) {
                const bool is_given = is_store || trace::is_atomic(record.op);
                Row value{e == 0 ? verb : fmt::format("  +{}", e), {}, is_given ? &Paint::result : nullptr};
                fill(value, record.active, [&](int lane) {
                    return format_element(array.element, trace::element_at(record.value[lane], array.element, e),
                                          kValueColumns);
                });
                rows.push_back(std::move(value));
            }
            if (trace::is_atomic(record.op)) {
                Row old{"finds", {}, &Paint::source};
                fill(old, record.active,
                     [&](int lane) { return format_element(record.type, record.received[lane], kValueColumns); });
                rows.push_back(std::move(old));
            }
        }
        print_rows(out_, rows, lanes_of(part), paint_);
    }

    // The shared memory that a block's first warp carries stands below the barrier, whichever warp is looked at.
    void print_barrier(const WarpStep& part, const trace::Record& record) {
        out_ << fmt::format("    lanes {} wait here for the others\n", lane_ranges(lanes_of(part)));
        if (trace::is_barrier_vote(record.op)) {
            std::uint32_t yes = 0;
            for (int lane = 0; lane < kWarpSize; ++lane)
                if (record.active >> lane & 1u && record.arg[lane] != 0) yes |= 1u << lane;
            const auto first = static_cast<std::size_t>(std::countr_zero(record.active));
            out_ << fmt::format("    lanes {} say yes; the block's answer is {}\n", lane_ranges(yes),
                                record.received[first % kWarpSize]);
        }
        for (const auto index : part.records)
            for (const auto& image : trace_.records[index].shared) print_image(image);
    }

    void print_image(const trace::ArrayImage& image) {
        const trace::Array& array = trace_.arrays.at(image.array);
        for (std::size_t first = 0; first < std::min(image.values.size(), kMaxShown); first += 8) {
            std::string line;
            for (std::size_t i = first; i < std::min({image.values.size(), first + 8, kMaxShown}); ++i) {
                const bool known = image.written.empty() || image.written[i];
                line += pad_left(known ? format_element(array.element, image.values[i], kValueColumns) : "·",
                                 kValueColumns + 1);
            }
            out_ << paint_.faint(pad_right(fmt::format("    {}[{}]", array.name, image.first + first), 20)) << line
                 << '\n';
        }
        if (image.values.size() > kMaxShown)
            out_ << paint_.faint(fmt::format("    … and {} more", image.values.size() - kMaxShown)) << '\n';
    }

    void print_formula(std::size_t k, const WarpStep& part) {
        const std::uint32_t lanes = lanes_of(part);
        const auto kind = steps_.steps[k].kind;
        const bool is_plain_barrier = kind == steps::StepKind::block_barrier &&
                                      !trace::is_barrier_vote(trace_.records[part.records.front()].op);
        if (lanes == 0 || is_plain_barrier) return;
        const int wanted = view_.lane.value_or(lanes >> 5 & 1u ? 5 : std::countr_zero(lanes));
        const std::string formula = steps::formula(steps_, k, focus_, wanted);
        if (!formula.empty()) out_ << "    " << formula << '\n';
    }

    void print_others(const Step& step, bool focus_shown) {
        std::map<std::uint32_t, std::uint64_t> others;
        for (const auto& part : step.warps)
            if (!(focus_shown && part.warp == focus_)) ++others[part.warp.block];
        if (others.empty()) return;
        std::vector<std::string> parts;
        for (const auto& [block, count] : others)
            parts.push_back(fmt::format(
                "{} of block {}", counted(count, focus_shown && block == focus_.block ? "other warp" : "warp"), block));
        out_ << paint_.faint(fmt::format("    at this step also: {}", fmt::join(parts, ", "))) << '\n';
    }

    std::ostream& out_;
    const trace::Trace& trace_;
    const steps::Steps& steps_;
    const TextView& view_;
    const Paint& paint_;
    std::vector<std::string> lines_;
    WarpRef focus_;
};

}  // namespace

void print_text(std::ostream& out, const Lesson& lesson, const FinishedRun& finished, const std::string& source,
                const TextView& view) {
    const Run& run = *finished.run;
    print_heading(out, lesson, run, "", view.paint);
    TextPrinter printer(out, run, source, view);
    for (std::size_t k = 0; k < run.steps.size(); ++k)
        if (!view.step || *view.step == k) printer.print_step(k);
    printer.print_findings();
    out << '\n' << view.paint.strong("The whole run") << '\n';
    print_results(out, finished, view.paint);
    print_totals(out, run, view.paint);
    print_reruns(out, run.trace, view.paint);
}

}  // namespace lanewise::lesson
