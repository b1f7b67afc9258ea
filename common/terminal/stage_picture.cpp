#include "common/terminal/stage_picture.hpp"

#include <algorithm>
#include <bit>

#include "common/base/counted.hpp"
#include "common/base/element.hpp"
#include "common/base/short_number.hpp"
#include "common/scene/lane_facts.hpp"
#include "common/scene/utilization.hpp"
#include "common/scene/viridis.hpp"
#include "common/scene/warps.hpp"
#include "common/terminal/stage_rows.hpp"

namespace lanewise::terminal {
namespace {

class StagePicture {
public:
    StagePicture(Screen& screen, const StageLook& look)
        : screen_(screen), steps_(look.steps), head_(look.outline.steps[look.step]),
          part_(scene::part_of(look.steps, look.step, look.warp)), at_(look.step), warp_(look.warp), lane_(look.lane),
          scale_(look.scale), colors_(look.colors) {}

    void draw(int top, int bottom) {
        const std::uint32_t active = part_.active;
        const int active_lanes = std::popcount(active);
        int x = screen_.put(0, top, scene::warp_name(steps_, warp_), {.strong = true});
        x = screen_.put(x, top, "  " + head_.label, ink(colors_.of_step(head_.kind), true));
        const std::string which = scene::lanes_text(head_.kind, active_lanes);
        const std::string description = part_.takes_part ? which + answer_of_all() : "has no part in this step";
        x = screen_.put(x, top, "  " + description, colors_.quietly());
        const std::string source = "line " + std::to_string(head_.line);
        screen_.put_right(x + 1, screen_.columns(), top, source, ink(colors_.accent));
        std::vector<Row> rows = stage_rows(steps_, at_, warp_);
        const int height = bottom - top - 1;
        // Where it is tight, what a lane held goes first, then what it holds then: what it reads and writes stays.
        make_fit(rows, screen_.columns(), height);
        const Grid grid = grid_of(rows, screen_.columns(), height);
        const int lanes = lanes_of(rows);
        const bool exchanges = part_.takes_part && lane_ >= 0 && lane_ < part_.lanes && head_.kind == StepKind::shuffle;
        const int source_lane = exchanges ? part_.facts[static_cast<std::size_t>(lane_)].view.source : -1;
        const int across = std::min(grid.across, lanes);
        // The group that is looked at comes into sight where not all fit.
        const int groups = (lanes + across - 1) / across, lines = static_cast<int>(rows.size()) + grid.gap;
        const int fit = std::max(1, (height + grid.gap) / std::max(lines, 1));
        int first_group = 0;
        if (groups > fit && lane_ >= 0) first_group = std::clamp(lane_ / across, 0, groups - fit);
        int y = top + 1;
        for (int group = first_group; group < groups; ++group) {
            for (const Row& row : rows) {
                if (y >= bottom) return;
                screen_.put(0, y, fitted_label(row.label), colors_.quietly());
                for (int i = 0; i < across && group * across + i < lanes; ++i) {
                    const int lane = group * across + i;
                    const bool is_source =
                        lane == source_lane && (row.label == "before" || row.kind == Row::Kind::numbers);
                    draw_cell(row, lane, kLabels + i * grid.cell, y, grid.cell, is_source,
                              part_.takes_part && !((active >> lane) & 1u));
                }
                ++y;
            }
            y += grid.gap;
        }
    }

private:
    // Of a vote the mask that every lane receives: a lane's few columns do not hold it.
    std::string answer_of_all() const {
        std::uint64_t answer = 0;
        bool any = false;
        for (const scene::LaneFacts& facts : part_.facts) {
            if (part_.kind != StepKind::vote || !facts.active || !facts.has_answer) continue;
            if (facts.answer <= 1 || (any && facts.answer != answer)) return "";
            answer = facts.answer;
            any = true;
        }
        return any ? " · each receives 0x" + format_bits(Element::u32, answer) : "";
    }

    Style style_of(scene::ValueRow::Role role) const {
        using Role = scene::ValueRow::Role;
        switch (role) {
            case Role::source: return ink(colors_.accent);
            case Role::result: return ink(colors_.result);
            case Role::warning: return ink(colors_.warning);
            case Role::quiet: return colors_.quietly();
            default: return {};
        }
    }

    // "warp_su…[ ]": what it is must stay.
    static std::string fitted_label(const std::string& label) {
        const bool is_array = label.ends_with("[ ]");
        return is_array ? fitted(label.substr(0, label.size() - 3), kLabels - 4) + "[ ]" : fitted(label, kLabels - 1);
    }

    void draw_cell(const Row& row, int lane, int x, int y, int width, bool is_source, bool idle) {
        const Row::Cell& cell = row.cells[static_cast<std::size_t>(lane)];
        const bool looked_at = lane == lane_;
        // A sign marks the lane, and the lane it reads: colour is not the only one.
        if (looked_at) screen_.put(x, y, "▸", ink(colors_.accent, true));
        else if (is_source) screen_.put(x, y, "•", ink(colors_.accent, true));
        if (!cell.has) {
            if (row.kind == Row::Kind::value) screen_.put_right(x + 1, x + width, y, "·", colors_.quietly());
            return;
        }
        const std::string whole = cell.is_value ? format_element(cell.type, cell.bits) : "";
        std::string text = cell.is_value ? number_in_columns(whole, width - 1) : fitted(cell.text, width - 1);
        int from = x + 1;
        // Without a digit it says nothing; one column more has "32k…" or "-.04", whose mark, point or sign keeps it
        // apart from its neighbours.
        const auto has_digit = [](std::string_view number) {
            return number.substr(0, number.find('e')).find_first_of("123456789") != std::string_view::npos;
        };
        const bool marked = looked_at || is_source;
        if (cell.is_value && !marked && has_digit(whole) && !has_digit(text))
            if (const std::string wider = number_in_columns(whole, width);
                has_digit(wider) || text.starts_with("-…")) {
                text = wider;
                from = x;
            }
        Style style = style_of(row.role);
        if (cell.is_value) {
            const Rgb ground = scene::viridis(0.06 + 0.94 * scale_.place(element_to_double(cell.type, cell.bits)));
            style = {.ink = ink_on(ground), .ground = ground};
            screen_.put(from, y, std::string(static_cast<std::size_t>(x + width - from), ' '), style);
        }
        style.strong = looked_at || is_source;
        style.faint = idle && !cell.is_value;
        screen_.put_right(from, x + width, y, text, style);
    }

    Screen& screen_;
    const steps::Steps& steps_;
    const scene::StepHead& head_;
    scene::Part part_;
    std::size_t at_;
    WarpRef warp_;
    int lane_;
    const scene::ValueScale& scale_;
    const Palette& colors_;
};

}  // namespace

void draw_stage(Screen& screen, const StageLook& look, int top, int bottom) {
    StagePicture(screen, look).draw(top, bottom);
}

}  // namespace lanewise::terminal
