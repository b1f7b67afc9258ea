// A run's scenes as compact text: what every front end draws, for golden files.
#pragma once

#include <sstream>
#include <string>

#include "common/base/lanes.hpp"
#include "common/run/run.hpp"
#include "common/scene/describe.hpp"
#include "common/scene/memory/memory_panel.hpp"
#include "common/scene/outline.hpp"
#include "common/scene/stage.hpp"
#include "common/scene/sums/atomic_chain.hpp"
#include "common/scene/sums/sum_layout.hpp"
#include "common/scene/warp_states.hpp"
#include "common/scene/warps.hpp"
#include "common/scene/utilization.hpp"
#include "common/steps/steps.hpp"

namespace lanewise::scene::testing {

class Dump {
public:
    explicit Dump(const run::Run& run) : steps_(run.steps), outline_(outline_of(run)) {
        out_ << outline_.variant << " · " << outline_.steps.size() << " steps · " << outline_.warps.size()
             << " warps · " << outline_.input_count << " inputs\n";
        for (const FindingNote& finding : outline_.findings) out_ << "finding  " << finding.text << "\n";
    }

    // Every step of one warp, then its sums.
    std::string warp(const WarpRef& ref) {
        out_ << "\n" << warp_name(steps_, ref) << "\n";
        for (std::size_t k = 0; k < outline_.steps.size(); ++k) step(k, ref);
        sums(ref);
        return out_.str();
    }

private:
    static std::string value(Element type, std::uint64_t bits) {
        return format_element(type, bits) + "/" + format_bits(type, bits);
    }

    void step(std::size_t k, const WarpRef& ref) {
        const StepHead& head = outline_.steps[k];
        out_ << "step " << k + 1 << "  " << head.label << "  [" << head.stage << "]  line " << head.line << "  "
             << state_text(state_of(steps_, k, ref)) << "\n";
        for (const std::size_t i : outline_.findings_at[k]) out_ << "  mark  finding " << i << "\n";
        const Stage stage = stage_of(steps_, k, ref);
        if (stage.rows.empty()) return;
        std::size_t present = 0;
        while (present < stage.bands.size() && !stage.bands[present].present) ++present;
        row("before", stage.rows[present], stage.lanes);
        part(stage.part);
        for (const WordRow& each : stage.word_rows) words(each);
        memory(k, ref);
        for (const Chain& chain : chains_at(steps_, k, ref)) out_ << "  chain  " << chain_sentence(chain) << "\n";
        row("after", stage.rows[present + 1], stage.lanes);
    }

    // A letter after a value: t twice, u undefined, m perhaps more; after the bar the number of inputs included.
    void row(const char* name, const StageRow& row, int lanes) {
        out_ << "  " << name << " ";
        for (int lane = 0; lane < lanes; ++lane) {
            const LaneCell& cell = row.lanes[static_cast<std::size_t>(lane)];
            out_ << " ";
            if (!cell.known) out_ << "·";
            else
                out_ << value(cell.type, cell.bits) << "|" << cell.inputs << (cell.counted_twice ? "t" : "")
                     << (cell.undefined ? "u" : "") << (cell.more_perhaps ? "m" : "");
        }
        out_ << "\n";
    }

    void part(const Part& part) {
        out_ << "  part  " << (part.takes_part ? part.op : "none") << "  lanes " << lane_ranges(part.active) << "\n";
        if (!part.takes_part) return;
        if (!part.arcs.empty()) out_ << "  arcs ";
        for (const Arc& arc : part.arcs)
            out_ << " " << arc.source << ">" << arc.reader << (arc.used ? "" : "-") << (arc.undefined ? "?" : "");
        if (!part.arcs.empty()) out_ << "\n";
        if (const std::string text = caption_of(part); !text.empty())
            out_ << "  caption  " << text << caption_goes_on(part) << "\n";
        if (!part.groups.empty()) out_ << "  groups ";
        for (const int group : part.groups) out_ << (group < 0 ? "." : group_name(group));
        if (!part.groups.empty()) out_ << "\n";
        for (const MaskFound& found : part.masks)
            out_ << "  mask  " << found.mask << "  lanes " << lane_ranges(found.lanes) << "\n";
        for (const WarpRow& row : warp_rows(steps_, part.step, part.warp)) {
            out_ << "  row  " << row.label << " ";
            for (const auto& each : row.lanes) {
                out_ << " ";
                if (!each) out_ << "·";
                else
                    out_ << (each->word.empty() ? "" : each->word + "=")
                         << (each->is_value ? value(each->type, each->bits) : "\"" + each->text + "\"");
            }
            out_ << "\n";
        }
        for (const LaneFacts& facts : part.facts)
            if (facts.active)
                out_ << "  lane " << facts.lane << "  "
                     << formula_line(steps_, part.step, part.warp, facts.lane) << "\n";
        for (const BarrierImage& image : part.images) {
            out_ << "  image  " << image.array << "[" << image.first << "] ";
            for (std::size_t i = 0; i < image.bits.size(); ++i)
                out_ << " " << (image.known[i] ? format_element(image.type, image.bits[i]) : "·");
            out_ << "\n";
        }
    }

    void words(const WordRow& row) {
        out_ << "  words  " << (row.write ? "written " : "read ") << row.caption << " ";
        for (const Word& word : row.words) {
            out_ << " " << word.index << "@" << word.column << "=";
            if (!word.known) out_ << "?";
            else
                for (std::size_t k = 0; k < word.values.size(); ++k)
                    out_ << (k ? "," : "") << format_element(word.type, word.values[k]);
            out_ << "{" << lane_ranges(word.lanes) << "}";
            if (word.bank >= 0) out_ << "b" << word.bank << (word.waits ? "!" : "");
        }
        out_ << "\n  spans ";
        for (const WordSpan& span : row.spans) out_ << " " << span.first << "-" << span.last;
        out_ << "\n";
    }

    void memory(std::size_t k, const WarpRef& ref) {
        const GlobalUse use(steps_, ref);
        for (const Space space : {Space::shared, Space::global}) {
            const bool any = space == Space::shared ? !shared_arrays_of(steps_, ref.launch).empty() : !use.empty();
            if (!any) continue;
            const MemoryPanel panel = memory_panel(steps_, k, ref, space, use, {});
            for (const std::string& caption : panel.captions) out_ << "  memory  " << caption << "\n";
            if (!panel.changed.empty()) out_ << "  memory  " << panel.changed << "\n";
            if (!panel.moved.empty()) out_ << "  sectors ";
            for (const std::int64_t sector : panel.moved) out_ << " " << sector;
            if (!panel.moved.empty()) out_ << "\n";
            for (std::size_t bank = 0; bank < panel.conflicts.size() && space == Space::shared; ++bank)
                if (panel.conflicts[bank] > 1)
                    out_ << "  bank " << bank << "  " << static_cast<int>(panel.conflicts[bank]) << "\n";
        }
    }

    void sums(const WarpRef& ref) {
        const Sums sums(steps_);
        if (!sums.why_not().empty()) {
            out_ << "sums  " << sums.why_not() << "\n";
            return;
        }
        const SummationTree tree = summation_tree(sums, ref, -1, {});
        out_ << "tree  " << tree.summary << "\n" << (tree.others.empty() ? "" : "      " + tree.others + "\n");
        layout(sums, tree_layout(sums, tree, {1000, 600}, ref));
        const std::int32_t root = sums.to_show(outline_.steps.size() - 1, ref, -1);
        out_ << "lens\n";
        if (root != Sum::kNone) layout(sums, lens_layout(sums, root));
    }

    // One layout; three overlays of each sum.
    void layout(const Sums& sums, const SumLayout& layout) {
        for (std::size_t b = 0; b < layout.boxes.size(); ++b) {
            const SumBox& box = layout.boxes[b];
            const Sum& sum = sums.at(box.sum);
            out_ << "  " << b << " to " << box.parent << (box.own ? " own" : "") << "  level " << box.level << "  at "
                 << box.first << "+" << box.share << "  value " << value(sum.type, sum.bits) << "  warp " << box.adder
                 << "  error " << precision_name(precision_of(sum));
            if (box.collapsed) out_ << "  folded " << box.name << " of " << box.inputs.size();
            if (!box.run.empty()) out_ << "  run of " << box.run.size();
            if (box.more) out_ << "  more";
            out_ << "\n";
        }
    }

    const steps::Steps& steps_;
    Outline outline_;
    std::ostringstream out_;
};

}  // namespace lanewise::scene::testing
