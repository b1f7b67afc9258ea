#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/base/counted.hpp"
#include "common/base/lanes.hpp"
#include "common/base/short_number.hpp"
#include "common/player/playhead.hpp"
#include "common/print/print_steps.hpp"
#include "common/scene/lane_facts.hpp"
#include "common/scene/outline.hpp"
#include "common/scene/part.hpp"
#include "common/scene/permutation.hpp"
#include "common/scene/utilization.hpp"
#include "common/scene/warps.hpp"

namespace lanewise::print {

using run::Run;

namespace {

using scene::Part;

constexpr std::size_t kLabelColumns = 15;
constexpr int kValueColumns = 9;      // the most a value takes: longer ones lose digits
constexpr std::size_t kMaxShown = 32; // elements of a shared array at a barrier

// One line of cells: a label and a text for each lane.
struct Row {
    std::string label;
    PerLane<std::string> cells;
    std::string (Paint::*colour)(const std::string&) const = nullptr;
};

// Rows one above the other, 16, 8 or 4 lanes across, as wide as the widest cell asks; lanes that no row has are left
// out.
void print_rows(std::ostream& out, const std::vector<Row>& rows, std::uint32_t lanes, const TextView& view) {
    const Paint& paint = view.paint;
    std::size_t widest = 3;
    for (const auto& row : rows)
        for (const auto& cell : row.cells) widest = std::max(widest, static_cast<std::size_t>(count_signs(cell)));
    std::size_t labels = kLabelColumns;
    for (const auto& row : rows) labels = std::max(labels, row.label.size() + 5);
    int across = 16;
    while (across > 4 && labels + static_cast<std::size_t>(across) * (widest + 1) > view.columns) across /= 2;
    for (int first = 0; first < kWarpSize; first += across) {
        const std::uint32_t here = lanes >> first & ((1u << across) - 1);
        if (here == 0) continue;
        for (const auto& row : rows) {
            std::string line;
            for (int lane = first; lane < first + across; ++lane) line += pad_left(row.cells[lane], widest + 1);
            line.erase(line.find_last_not_of(' ') + 1);
            const std::string label = paint.faint(pad_right("    " + row.label, labels));
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

}  // namespace

class StepPrinter::Impl {
public:
    Impl(std::ostream& out, const Run& run, const TextView& view)
        : out_(out), outline_(scene::outline_of(run)), trace_(run.trace), steps_(run.steps), view_(view),
          paint_(view.paint) {
        const std::string& source = run.source;
        for (std::size_t at = 0; at < source.size();) {
            const auto end = std::min(source.find('\n', at), source.size());
            lines_.push_back(source.substr(at, end - at));
            at = end + 1;
        }
        home_ = focus_ = view.focus.value_or(outline_.warps.empty() ? WarpRef{} : outline_.warps.front());
    }

    // `title` comes before the heading: whose step it is, where several runs are printed.
    void print_step(std::size_t k, const std::string& title) {
        const scene::StepHead& step = outline_.steps[k];
        focus_ = place_at(k);
        // Of the warp that is shown, as in the window; where it has no part, of all.
        const auto own = static_cast<std::uint64_t>(std::popcount(scene::active_lanes(steps_, k, focus_)));
        std::uint64_t at_work = own;
        if (own == 0)
            for (const scene::WorkStep& block : scene::work_at(steps_, k)) at_work += block.lanes;
        const std::string head = fmt::format("step {} of {} · ", k + 1, outline_.steps.size());
        const std::string right = scene::lanes_text(step.kind, static_cast<int>(at_work));
        const std::string whose = title.empty() ? "" : title + " · ";
        const std::size_t used = head.size() - 1 + step.label.size() + right.size() +
                                 (title.empty() ? 0 : title.size() + 3);  // "·": a column
        out_ << '\n' << paint_.result(whose) << paint_.faint(head) << paint_.strong(step.label)
             << std::string(used < view_.columns ? view_.columns - used : 1, ' ') << paint_.faint(right) << '\n';
        if (const std::string text = source_line(step.line); !text.empty())
            out_ << paint_.faint(fmt::format("{:>6} │ ", step.line)) << text << '\n';
        const Part mine = scene::part_of(steps_, k, focus_);
        if (!(focus_ == home_)) out_ << paint_.faint("    " + scene::warp_name(steps_, focus_)) << '\n';
        if (mine.takes_part) {
            print_warp(mine);
            print_formula(mine);
            if (view_.permutation) print_permutation(k);
        } else {
            out_ << paint_.faint(
                        fmt::format("    warp {} of block {} has no part in this step", focus_.warp, focus_.block))
                 << '\n';
        }
        print_others(k, mine.takes_part);
    }

    void print_findings() {
        for (const auto& finding : trace_.findings) print_finding(out_, finding, paint_);
    }

private:
    // The warp that is shown; at a step of a launch or block that it is no part of, one that works there, as in the
    // window. One that was asked for gives way to its own place in another launch alone.
    WarpRef place_at(std::size_t k) const {
        if (!view_.focus) return player::working_warp(steps_, k, home_);
        for (const steps::WarpStep& part : steps_.steps[k].warps)
            if (part.warp.block == home_.block && part.warp.warp == home_.warp) return part.warp;
        return home_;
    }

    std::string source_line(int line) const {
        if (line < 1 || static_cast<std::size_t>(line) > lines_.size()) return {};
        const std::string& text = lines_[static_cast<std::size_t>(line) - 1];
        const auto first = text.find_first_not_of(" \t");
        return first == std::string::npos ? "" : text.substr(first);
    }

    void print_warp(const Part& part) {
        if (part.instructions.empty()) return;
        switch (part.kind) {
            case StepKind::shuffle: return print_shuffle(part);
            case StepKind::reduce: return print_reduce(part);
            case StepKind::vote: return print_vote(part);
            case StepKind::active_mask: return print_active_mask(part);
            case StepKind::fence: return print_fence(part);
            case StepKind::warp_barrier:
            case StepKind::block_barrier: return print_barrier(part);
            case StepKind::load:
            case StepKind::store:
            case StepKind::atomic: return print_memory(part);
        }
    }

    void fill(Row& row, std::uint32_t lanes, const std::function<std::string(int)>& cell) const {
        for (int lane = 0; lane < kWarpSize; ++lane)
            if (lanes >> lane & 1u) row.cells[static_cast<std::size_t>(lane)] = cell(lane);
    }

    static const scene::LaneFacts& facts(const Part& part, int lane) {
        return part.facts[static_cast<std::size_t>(lane)];
    }

    // Rows of an exchange from the value received on.
    void add_exchange(const Part& part, std::vector<Row>& rows) const {
        const auto value = [&](std::uint64_t bits) { return format_element(part.type, bits, kValueColumns); };
        Row received{"receives", {}, &Paint::source}, after{"then holds", {}, &Paint::result};
        fill(received, part.active, [&](int lane) {
            return facts(part, lane).view.undefined ? "undef" : value(facts(part, lane).view.received);
        });
        fill(after, part.active, [&](int lane) {
            return facts(part, lane).view.has_after ? value(facts(part, lane).view.after) : "·";
        });
        rows.push_back(std::move(received));
        rows.push_back(std::move(after));
    }

    // Rows of an exchange of values with parts, those of all parts together.
    void add_parts(const Part& part, const std::vector<scene::LaneFacts::ValuePart>& names, Row from,
                   std::vector<Row>& rows) const {
        using ValuePart = scene::LaneFacts::ValuePart;
        const auto add = [&](const char* label, std::uint64_t ValuePart::*which, decltype(Row::colour) ink) {
            for (std::size_t k = 0; k < names.size(); ++k) {
                Row row{label + (" " + names[k].name), {}, ink};
                fill(row, part.active, [&](int lane) -> std::string {
                    const ValuePart& value = facts(part, lane).parts.at(k);
                    if (which == &ValuePart::received && facts(part, lane).view.undefined) return "undef";
                    if (which == &ValuePart::after && !value.has_after) return "·";
                    return format_element(value.type, value.*which, kValueColumns);
                });
                rows.push_back(std::move(row));
            }
        };
        add("holds", &ValuePart::before, decltype(Row::colour){});
        rows.push_back(std::move(from));
        add("receives", &ValuePart::received, &Paint::source);
        add("then", &ValuePart::after, &Paint::result);
    }

    Row offered(const char* label, const Part& part) const {
        Row row{label, {}};
        fill(row, part.active,
             [&](int lane) { return format_element(part.type, facts(part, lane).view.before, kValueColumns); });
        return row;
    }

    void print_shuffle(const Part& part) {
        Row from{"reads lane", {}, &Paint::source};
        fill(from, part.active, [&](int lane) {
            const int source = facts(part, lane).view.source;
            return source < 0 ? "?" : fmt::format("{}", source);
        });
        std::vector<Row> rows{lane_numbers(part.active)};
        const auto first = std::find_if(part.facts.begin(), part.facts.end(),
                                        [](const scene::LaneFacts& each) { return !each.parts.empty(); });
        if (first != part.facts.end()) {
            add_parts(part, first->parts, std::move(from), rows);
        } else {
            rows.push_back(offered("holds", part));
            rows.push_back(std::move(from));
            add_exchange(part, rows);
        }
        print_rows(out_, rows, part.active, view_);
    }

    // All receive the same: it is below, in the sentence, and in the row where lanes join it to their own.
    void print_reduce(const Part& part) {
        std::vector<Row> rows{lane_numbers(part.active), offered("offers", part)};
        add_exchange(part, rows);
        print_rows(out_, rows, part.active, view_);
    }

    void print_vote(const Part& part) {
        Row given{part.compares ? "offers" : "votes", {}}, answer{"receives", {}, &Paint::result};
        fill(given, part.active, [&](int lane) {
            return part.compares ? format_element(part.type, facts(part, lane).offered, kValueColumns)
                                 : fmt::format("{}", facts(part, lane).says);
        });
        fill(answer, part.active, [&](int lane) {
            return part.compares || part.ballots ? fmt::format("{:x}", facts(part, lane).answer)
                                                 : fmt::format("{}", facts(part, lane).answer);
        });
        print_rows(out_, {lane_numbers(part.active), given, answer}, part.active, view_);
    }

    void print_active_mask(const Part& part) {
        for (const scene::MaskFound& found : part.masks)
            out_ << fmt::format("    lanes {} find 0x{:08x}\n", lane_ranges(found.lanes), found.mask);
    }

    void print_fence(const Part& part) {
        out_ << fmt::format("    lanes {} pass, waiting for no other thread\n", lane_ranges(part.active));
    }

    void print_memory(const Part& part) {
        std::vector<Row> rows{lane_numbers(part.active)};
        for (const scene::MemoryAccess& access : part.accesses) {
            const bool reads = access.touch == scene::Touch::read, atomic = access.touch == scene::Touch::atomic;
            const std::string verb = atomic ? "gives" : reads ? "reads" : "writes";
            const std::string name = access.array.size() > kLabelColumns - 5
                                         ? access.array.substr(0, kLabelColumns - 6) + "…"
                                         : access.array;
            Row place{name, {}, access.touch == scene::Touch::write ? nullptr : &Paint::source};
            fill(place, access.lanes,
                 [&](int lane) { return fmt::format("[{}]", access.index[static_cast<std::size_t>(lane)]); });
            rows.push_back(std::move(place));
            // A vector takes a row for each element.
            for (int e = 0; e < access.elements; ++e) {
                Row value{e == 0 ? verb : fmt::format("  +{}", e), {}, reads ? nullptr : &Paint::result};
                fill(value, access.lanes,
                     [&](int lane) { return format_element(access.type, access.value(lane, e), kValueColumns); });
                rows.push_back(std::move(value));
            }
            if (!atomic) continue;
            Row old{"finds", {}, &Paint::source};
            fill(old, access.lanes, [&](int lane) {
                return format_element(part.type, access.found[static_cast<std::size_t>(lane)], kValueColumns);
            });
            rows.push_back(std::move(old));
        }
        print_rows(out_, rows, part.active, view_);
    }

    // The shared memory that a block's first warp carries is below the barrier, whichever warp is looked at.
    void print_barrier(const Part& part) {
        out_ << fmt::format("    lanes {} wait here for the others\n", lane_ranges(part.active));
        if (part.says && part.kind == StepKind::block_barrier && part.active != 0) {
            std::uint32_t yes = 0;
            for (const scene::LaneFacts& each : part.facts)
                if (each.active && each.says > 0) yes |= 1u << each.lane;
            out_ << fmt::format("    lanes {} say yes; the block's answer is {}\n", lane_ranges(yes),
                                facts(part, std::countr_zero(part.active)).answer);
        }
        for (const scene::BarrierImage& image : part.images) print_image(image);
    }

    void print_image(const scene::BarrierImage& image) {
        for (std::size_t first = 0; first < std::min(image.bits.size(), kMaxShown); first += 8) {
            std::string line;
            for (std::size_t i = first; i < std::min({image.bits.size(), first + 8, kMaxShown}); ++i) {
                line += pad_left(image.known[i] ? format_element(image.type, image.bits[i], kValueColumns) : "·",
                                 kValueColumns + 1);
            }
            out_ << paint_.faint(pad_right(fmt::format("    {}[{}]", image.array, image.first + first), 20)) << line
                 << '\n';
        }
        if (image.bits.size() > kMaxShown)
            out_ << paint_.faint(fmt::format("    … and {} more", image.bits.size() - kMaxShown)) << '\n';
    }

    void print_formula(const Part& part) {
        if (part.active == 0 || (part.kind == StepKind::block_barrier && !part.says)) return;
        const int wanted = view_.lane.value_or(part.active >> 5 & 1u ? 5 : std::countr_zero(part.active));
        const std::string formula = scene::formula_line(steps_, part.step, focus_, wanted);
        if (!formula.empty()) out_ << "    " << formula << '\n';
    }

    // A row for each lane, a column for each source lane; next to it what becomes of the lane number's bits.
    void print_permutation(std::size_t k) {
        using scene::LaneSource;
        const auto rows = scene::permutation_of(steps_, k, focus_);
        if (rows.empty()) return;
        out_ << paint_.faint("    lane   reads (a column for each lane)") << '\n';
        for (const scene::PermutationRow& row : rows) {
            std::string line;
            for (int column = 0; column < static_cast<int>(rows.size()); ++column)
                line += row.kind == LaneSource::inactive || column != row.source ? "·"
                        : row.kind == LaneSource::read                           ? "■"
                        : row.kind == LaneSource::clamped                        ? "○"
                                                                                 : "?";
            const std::string meaning = row.kind == LaneSource::inactive  ? "not in the mask"
                                        : row.kind == LaneSource::clamped ? fmt::format("{}: keeps its own", row.bits)
                                        : row.kind == LaneSource::undefined
                                            ? fmt::format("{}: lane {} is inactive, undefined", row.bits, row.source)
                                            : row.bits;
            out_ << fmt::format("    {:>4}   {}   {}\n", row.lane, line, paint_.faint(meaning));
        }
    }

    void print_others(std::size_t k, bool focus_shown) {
        std::map<std::uint32_t, std::uint64_t> others;
        for (const std::size_t w : scene::warps_in(steps_, k)) {
            const WarpRef& warp = outline_.warps[w];
            if (!(focus_shown && warp == focus_)) ++others[warp.block];
        }
        if (others.empty()) return;
        std::vector<std::string> parts;
        for (const auto& [block, count] : others)
            parts.push_back(fmt::format(
                "{} of block {}", counted(count, focus_shown && block == focus_.block ? "other warp" : "warp"), block));
        out_ << paint_.faint(fmt::format("    at this step also: {}", fmt::join(parts, ", "))) << '\n';
    }

    std::ostream& out_;
    scene::Outline outline_;
    const trace::Trace& trace_;
    const steps::Steps& steps_;
    const TextView view_;
    const Paint paint_;
    std::vector<std::string> lines_;
    WarpRef home_, focus_;   // that was asked for, or the first; that is shown at the present step
};

StepPrinter::StepPrinter(std::ostream& out, const Run& run, const TextView& view)
    : impl_(std::make_unique<Impl>(out, run, view)) {}
StepPrinter::~StepPrinter() = default;
void StepPrinter::print_step(std::size_t k, const std::string& title) { impl_->print_step(k, title); }
void StepPrinter::print_findings() { impl_->print_findings(); }

void print_text(std::ostream& out, const lesson::Lesson& lesson, const runner::FinishedRun& finished,
                const TextView& view) {
    const Run& run = *finished.run;
    print_heading(out, lesson, run, "", view.paint);
    StepPrinter printer(out, run, view);
    for (std::size_t k = 0; k < run.steps.size(); ++k)
        if (!view.step || *view.step == k) printer.print_step(k);
    printer.print_findings();
    out << '\n' << view.paint.strong("The whole run") << '\n';
    print_results(out, finished, view.paint);
    print_totals(out, run, view.paint);
    print_reruns(out, run.trace, view.paint);
}

}  // namespace lanewise::print
