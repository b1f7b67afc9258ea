#include "viz/views/memory/memory_view.hpp"

#include <algorithm>

#include "viz/model/lane_colors.hpp"

namespace lanewise::viz {
namespace {

constexpr float kTitle = 21;
constexpr float kCaption = 15;
constexpr float kFoot = 6;
constexpr std::size_t kMostCaptionLines = 3;
constexpr std::size_t kMostGlobalRows = 8;
constexpr std::size_t kMostBankRows = 12;

// Lines no wider than `width`: what fits next to each other shares one, what is too long is broken at spaces.
std::vector<std::string> lines_of(const Look& look, const std::vector<std::string>& captions, float width) {
    const auto fits = [&](const std::string& text) { return text_width(look, Face::caption, text) <= width; };
    std::vector<std::string> lines;
    for (const std::string& caption : captions) {
        if (!lines.empty() && fits(lines.back() + "  ·  " + caption)) {
            lines.back() += "  ·  " + caption;
            continue;
        }
        std::string line;
        for (std::size_t at = 0; at < caption.size();) {
            const std::size_t end = std::min(caption.find(' ', at), caption.size());
            const std::string text = caption.substr(at, end - at);
            if (!line.empty() && !fits(line + " " + text)) {
                lines.push_back(line);
                line.clear();
            }
            line += (line.empty() ? "" : " ") + text;
            at = end + 1;
        }
        lines.push_back(line);
    }
    return lines;
}

}  // namespace

void MemoryView::next() {
    show = show == Show::follow ? Show::shared : show == Show::shared ? Show::global : Show::follow;
}

void MemoryView::learn(const Look& look, const RunView& run_view, const WarpRef& warp, float width, float most) {
    const bool same = run_.run == run_view.run && run_.warp == warp;
    if (same && run_.width == width && run_.scale == look.scale && run_.most == most) return;
    const steps::Steps& steps = run_view.steps();
    if (!same) {
        ready_ = false;
        run_ = {};
        run_.run = run_view.run;
        run_.warp = warp;
        run_.shared_arrays = shared_arrays_of(steps, warp.launch);
        run_.shared = !run_.shared_arrays.empty();
        for (const std::uint32_t array : run_.shared_arrays) {
            const ArrayHead& each = run_view.outline.arrays[array];
            run_.shared_rows += bank_row_count(each.count, each.element);
        }
        run_.use = std::make_shared<const GlobalUse>(steps, warp);
        run_.global = !run_.use->empty();
    }
    run_.width = width;
    run_.scale = look.scale;
    run_.most = most;
    std::vector<std::vector<Request>> requests;
    for (std::size_t k = 0; k < run_view.outline.steps.size(); ++k) {
        requests.push_back(requests_of(steps, k, warp));
        run_.conflicts |= std::any_of(requests.back().begin(), requests.back().end(),
                                      [](const scene::Request& request) { return request.conflict(); });
    }
    // Where a caption is longer than a line, all are shortened.
    for (const bool brief : {false, true}) {
        run_.brief = brief;
        bool fits = true;
        run_.caption_lines = 1;
        for (const std::vector<scene::Request>& each : requests) {
            for (const Space space : {Space::shared, Space::global}) {
                const std::vector<std::string> captions = scene::request_captions(steps, each, space, brief);
                const std::size_t lines = lines_of(look, captions, width).size();
                fits &= lines <= captions.size();
                run_.caption_lines = std::max(run_.caption_lines, std::min(lines, kMostCaptionLines));
            }
        }
        if (fits) break;
    }
    const float around = look.px(kTitle + kCaption * static_cast<float>(run_.caption_lines) + kFoot);
    // A row of sectors wants 18 pixels.
    const float room = std::max(most - around, 0.0f);
    const std::size_t most_rows =
        std::clamp<std::size_t>(static_cast<std::size_t>(room / look.px(17)), 1, kMostGlobalRows);
    run_.global_rows = run_.use->rows(most_rows);
    ready_ = false;

    BanksView banks;
    banks.marks = run_.conflicts;
    // Rows of banks have numbers from 13 pixels on.
    const auto fitting = static_cast<std::size_t>(std::max(room - banks.height(look, 0), 0.0f) / look.px(13.5f));
    run_.bank_rows = std::min(run_.shared_rows, std::clamp<std::size_t>(fitting, 1, kMostBankRows));
    const float shared = run_.shared ? banks.height(look, run_.bank_rows) : 0;
    const float global = run_.global ? SectorsView{}.height(look, run_.global_rows) : 0;
    run_.height = run_.shared || run_.global ? std::min(around + std::max(shared, global), most) : 0;
}

float MemoryView::height(const Look& look, const RunView& run_view, const Selection& selection, float width,
                         float most) {
    learn(look, run_view, selection.warp, width, most);
    return run_.height;
}

Space MemoryView::choose(const steps::Steps& steps, std::size_t step, const WarpRef& warp) const {
    if (!run_.shared || !run_.global) return run_.shared ? Space::shared : Space::global;
    if (show != Show::follow) return show == Show::shared ? Space::shared : Space::global;
    return space_of(steps, step, warp, requests_of(steps, step, warp));
}

void MemoryView::look_at(const steps::Steps& steps, std::size_t step, const WarpRef& warp) {
    if (ready_ && step_ == step && showed_ == show) return;
    ready_ = true;
    step_ = step;
    showed_ = show;
    now_ = memory_panel(steps, step, warp, choose(steps, step, warp), *run_.use,
                        {run_.bank_rows, run_.global_rows, run_.brief});
}

void MemoryView::draw(const Pane& pane, const Rect& where, const RunView& run_view, const Playhead& playhead,
                      Selection& selection) {
    if (!run_.shared && !run_.global) return;
    const steps::Steps& steps = run_view.steps();
    const Theme& colors = pane.colors();
    hairline(pane.brush, {where.x0, where.y0}, {where.x1, where.y0}, colors.line);
    Rect rest = where;
    const Rect title = rest.cut_top(pane.px(kTitle));
    look_at(steps, playhead.step, selection.warp);
    draw_title(pane, title, run_view.outline, selection.warp);

    std::vector<std::string> lines = lines_of(pane.look(), now_.captions, cell * 32);
    // What went wrong comes before what it cost.
    const bool changed = !now_.changed.empty();
    if (changed) lines.insert(lines.begin(), fit_text(pane.look(), Face::caption, now_.changed, cell * 32));
    lines.resize(std::min(lines.size(), run_.caption_lines));
    Rect text_box = rest.cut_top(pane.px(kCaption) * static_cast<float>(run_.caption_lines));
    for (const std::string& line : lines) {
        Rect row = text_box.cut_top(pane.px(kCaption));
        row.x0 = lanes_x0;
        const bool warns = changed && &line == &lines.front();
        text_in(pane.brush, Face::caption, row,
                warns        ? colors.warning
                : now_.quiet ? colors.quiet
                : now_.costly ? colors.warning
                             : colors.text,
                line, Align::left);
    }
    rest.cut_top(pane.px(2));
    rest.cut_bottom(pane.px(kFoot - 2));
    // As on the stage: one value, one colour; or none.
    const ValueScale plain = plain_words(colors);
    const ValueScale& scale = selection.display.colors == ColorBy::value ? run_view.scale_of(selection.warp) : plain;
    lights_.look(run_view, selection);
    const std::string uses = use_text(lights_.uses(), playhead.step);
    if (now_.space == Space::shared) {
        const BanksView banks{lanes_x0, cell, run_.conflicts, uses};
        banks.draw(pane, rest, now_.shared, now_.rows, now_.conflicts, scale, selection);
    } else if (now_.window.array < run_view.outline.arrays.size()) {
        const SectorsView sectors{lanes_x0, cell, uses};
        sectors.draw(pane, rest, run_view.outline.arrays[now_.window.array], now_.window, now_.global, now_.moved,
                     scale, selection);
    }
}

void MemoryView::draw_title(const Pane& pane, const Rect& where, const Outline& outline,
                            const WarpRef& warp) {
    const Theme& colors = pane.colors();
    const float right = lanes_x0 + cell * 32;
    const bool shared = now_.space == Space::shared;
    float x = lanes_x0;
    if (run_.shared && run_.global) {
        for (const Space space : {Space::shared, Space::global}) {
            const char* name = space == Space::shared ? "Shared" : "Global";
            const Rect tab{x, where.y0, x + text_width(pane.look(), Face::caption, name), where.y1};
            const bool chosen = space == now_.space;
            text_in(pane.brush, Face::caption, tab, chosen ? colors.strong : colors.quiet, name, Align::left);
            const Color line = show == Show::follow ? colors.quiet : colors.accent;
            if (chosen) fill(pane.brush, {tab.x0, tab.y1 - pane.px(3), tab.x1, tab.y1 - pane.px(1)}, line);
            const Show asked = space == Space::shared ? Show::shared : Show::global;
            if (pane.hovers(tab))
                hint_card(pane.look(),
                          show == asked ? "stays; click to follow the steps again" : "click to keep this in sight");
            if (pane.button(tab)) show = show == asked ? Show::follow : asked;
            x = tab.x1 + pane.px(12);
        }
        x += pane.px(4);
    }
    std::string text;
    std::vector<std::string> ways;   // to continue, the longest first
    const bool alone = !(run_.shared && run_.global);
    if (shared) {
        text = std::string(alone ? "shared memory of block " : "block ") + std::to_string(warp.block) +
                " · one column a bank";
        if (run_.bank_rows < run_.shared_rows)
            text += " · " + std::to_string(now_.rows.size()) + " of " + std::to_string(run_.shared_rows) + " rows";
    } else {
        text = (alone ? "global memory · " : "") + now_.global.name;
        ways = now_.window.packed
                   ? std::vector<std::string>{" · the sectors that are moved, each with its first index",
                                              " · the sectors that are moved"}
                   : std::vector<std::string>{" · a row is 128 bytes: 4 sectors of 32", " · 4 sectors a row"};
    }
    const auto reads = std::count_if(now_.requests.begin(), now_.requests.end(), [&](const scene::Request& request) {
        return request.space == now_.space && request.touch == scene::Touch::read;
    });
    std::vector<Mark> marks{Mark::written, Mark::read};
    if (reads > 1) marks.push_back(Mark::second_read);
    if (!shared) marks.insert(marks.begin(), {Mark::sector, Mark::unused});
    const float key = mark_key(pane, x + pane.px(150), right, where.center().y, marks);
    const float room = key - x - pane.px(6);
    for (const std::string& way : ways) {
        if (text_width(pane.look(), Face::caption, text + way) > room) continue;
        text += way;
        break;
    }
    if (!outline.accesses_added_from.empty()) text += " · " + outline.accesses_added_from;
    text_in(pane.brush, Face::caption, {x, where.y0, right, where.y1}, colors.quiet,
            fit_text(pane.look(), Face::caption, text, room), Align::left);
}

}  // namespace lanewise::viz
