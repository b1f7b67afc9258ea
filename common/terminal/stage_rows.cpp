#include "common/terminal/stage_rows.hpp"

#include <algorithm>

#include "common/base/element.hpp"
#include "common/scene/held.hpp"
#include "common/scene/outline.hpp"
#include "common/scene/part.hpp"
#include "common/terminal/screen.hpp"

namespace lanewise::terminal {
namespace {

using Role = scene::ValueRow::Role;

Row::Cell cell_of(std::string text) { return {true, false, Element::f32, 0, std::move(text)}; }

Row::Cell cell_of(const scene::ValueRow& value) {
    if (value.is_value) return {true, true, value.type, value.bits, ""};
    if (value.text == "undefined") return cell_of("undef");
    return cell_of(value.text == "not recorded" ? "·" : value.text);
}

Row numbers(int lanes) {
    Row row{"lane", Row::Kind::numbers, Role::quiet, {}};
    for (int lane = 0; lane < lanes; ++lane) row.cells.push_back(cell_of(std::to_string(lane)));
    return row;
}

// The source lane of each lane.
Row sources(const scene::Part& part) {
    Row row{"from lane", Row::Kind::text, Role::source, std::vector<Row::Cell>(part.facts.size())};
    for (const scene::LaneFacts& facts : part.facts) {
        const int source = facts.view.source;
        if (facts.active)
            row.cells[static_cast<std::size_t>(facts.lane)] = cell_of(source < 0 ? "?" : std::to_string(source));
    }
    return row;
}

Row held(const char* label, const steps::Steps& steps, std::size_t k, const WarpRef& warp, int lanes) {
    Row row{label, Row::Kind::value, Role::plain, std::vector<Row::Cell>(static_cast<std::size_t>(lanes))};
    const PerLane<scene::LaneCell> cells = scene::held_by_warp(steps, k, warp);
    for (std::size_t lane = 0; lane < row.cells.size(); ++lane)
        if (cells[lane].known && !cells[lane].more.empty()) row.cells[lane] = cell_of(scene::value_text(cells[lane]));
        else if (cells[lane].known) row.cells[lane] = {true, true, cells[lane].type, cells[lane].bits, ""};
    return row;
}

// The places of memory that a row names, one line for each array.
void add_places(std::vector<Row>& rows, const scene::WarpRow& lane_row) {
    const std::size_t first = rows.size();
    for (std::size_t lane = 0; lane < lane_row.lanes.size(); ++lane) {
        if (!lane_row.lanes[lane]) continue;
        const std::string& token = lane_row.lanes[lane]->word;
        const std::size_t bracket = token.find('[');
        if (bracket == std::string::npos) continue;
        const std::string label = token.substr(0, bracket) + "[ ]";
        const auto same = [&](const Row& row) { return row.label == label; };
        auto row = std::find_if(rows.begin() + static_cast<std::ptrdiff_t>(first), rows.end(), same);
        if (row == rows.end())
            row = rows.insert(
                row, {label, Row::Kind::text, Role::quiet, std::vector<Row::Cell>(lane_row.lanes.size())});
        row->cells[lane] = cell_of(token.substr(bracket + 1, token.size() - bracket - 2));
    }
}

void add_rows(std::vector<Row>& rows, const steps::Steps& steps, std::size_t k, const WarpRef& warp) {
    for (const scene::WarpRow& lane_row : scene::warp_rows(steps, k, warp)) {
        add_places(rows, lane_row);
        Row row{lane_row.label, Row::Kind::value, Role::plain, std::vector<Row::Cell>(lane_row.lanes.size())};
        for (std::size_t lane = 0; lane < lane_row.lanes.size(); ++lane) {
            const auto& mine = lane_row.lanes[lane];
            if (!mine) continue;
            row.cells[lane] = cell_of(*mine);
            // The first that is known: what is missing in one lane does not make its row quiet.
            if (row.role == Role::plain && mine->role != Role::quiet) row.role = mine->role;
        }
        rows.push_back(std::move(row));
    }
}

}  // namespace

std::vector<Row> stage_rows(const steps::Steps& steps, std::size_t k, const WarpRef& warp) {
    std::vector<Row> rows;
    if (k >= scene::step_count(steps)) return rows;
    const scene::Part part = scene::part_of(steps, k, warp);
    rows.push_back(numbers(part.lanes));
    // An exchange shows by itself what was there before and after.
    const bool exchanges = part.takes_part && (part.kind == StepKind::shuffle || part.kind == StepKind::reduce);
    if (!exchanges) rows.push_back(held("holds", steps, k == 0 ? kNoStep : k - 1, warp, part.lanes));
    if (part.takes_part) add_rows(rows, steps, k, warp);
    if (part.takes_part && part.kind == StepKind::shuffle)
        rows.insert(rows.begin() + std::min<std::ptrdiff_t>(2, std::ssize(rows)), sources(part));
    if (!exchanges) rows.push_back(held("then holds", steps, k, warp, part.lanes));
    return rows;
}

Grid grid_of(const std::vector<Row>& rows, int columns, int height) {
    int longest = 2;
    for (const Row& row : rows)
        for (const Row::Cell& each : row.cells)
            if (each.has)
                longest = std::max(longest, width_of(each.is_value ? format_element(each.type, each.bits) : each.text));
    const int lanes = rows.empty() ? 32 : lanes_of(rows), room = columns - kLabels;
    Grid best{};
    bool found = false;
    for (int across = 32; across >= 4; across /= 2) {
        const int cell = std::min(room / std::min(across, std::max(lanes, 1)), 12);
        const int groups = (lanes + across - 1) / across;
        const int lines = groups * static_cast<int>(rows.size());
        if (cell < 3 || (lines > height && found)) continue;
        if (lines > height) break;
        best = {across, cell, lines + groups - 1 <= height ? 1 : 0};
        found = true;
        if (cell > longest) break;
    }
    if (!found) best = {16, std::max(room / 16, 3), 0};
    return best;
}

int stage_height(const std::vector<Row>& rows, int columns, int screen_rows) {
    const Grid grid = grid_of(rows, columns, screen_rows - 9);
    const int groups = (lanes_of(rows) + grid.across - 1) / grid.across;
    return 1 + groups * (static_cast<int>(rows.size()) + grid.gap);
}

void make_fit(std::vector<Row>& rows, int columns, int height) {
    for (const char* spare : {"holds", "then holds"}) {
        const Grid tight = grid_of(rows, columns, height);
        const int need = (lanes_of(rows) + tight.across - 1) / tight.across * static_cast<int>(rows.size());
        if (need > height && rows.size() > 4) std::erase_if(rows, [&](const Row& row) { return row.label == spare; });
    }
}

}  // namespace lanewise::terminal
