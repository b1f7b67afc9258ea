#include "viz/app/app.hpp"

#include <algorithm>

#include "common/base/error.hpp"

namespace lanewise::viz {
namespace {

// Under this width (at scale 1) the text and the source share a column, so that 32 lanes keep room for their numbers.
constexpr float kWide = 1440;

std::string lesson_name(const lesson::Presentation& presentation) {
    const std::string number = presentation.lesson.substr(0, presentation.lesson.find_first_not_of("0123456789"));
    return number.empty() ? presentation.title : number + " " + presentation.title;
}

}  // namespace

App::App(const lesson::Presentation& presentation, const lesson::WindowRequest& request, std::function<void()> wake)
    : presentation_(presentation), request_(request), loader_(presentation.run, presentation.measure, std::move(wake)) {
    const auto ensure_tab = [&](const std::string& name) {
        if (!name.empty() && tab_of(name) == presentation_.variants.size()) presentation_.variants.push_back({name, name, "", false});
    };
    comparing_ = request.compare.size() >= 2;
    names_[0] = comparing_ ? request.compare[0] : request.variant;
    if (names_[0].empty() && !presentation_.variants.empty()) names_[0] = presentation_.variants.front().name;
    if (comparing_) names_[1] = request.compare[1];
    ensure_tab(names_[0]);
    ensure_tab(names_[1]);
    for (const lesson::VariantInfo& variant : presentation_.variants) tab_names_.push_back(variant.name);
    source_.set_source(presentation_.kernel_file, presentation_.source);
    text_.set_text(presentation_.text);
    selection_.pinned_lane = request.lane;
    rounding_open_ = request.rounding;
    table_open_ = request.table;
    table_.sorted = !request.sort.empty();
    if (table_.sorted) table_.sorting = lesson::parse_sorting(request.sort);
    loader_.get(names_[0]);
    if (comparing_) loader_.get(names_[1]);
}

void App::frame(const Look& look, const Rect& window, float seconds) {
    adopt_runs();
    playhead_.advance(seconds);
    again_ = false;
    const Intent intent = draw(look, window);
    apply(intent);
    again_ |= selection_.turn();
}

// --- what is shown -------------------------------------------------------------------------------------------------

void App::adopt_runs() {
    if (const auto times = loader_.times(); times && times != measured_) {
        measured_ = times;
        presentation_.timings = *times;
    }
    const int sides = comparing_ ? 2 : 1;
    bool changed = false;
    for (int side = 0; side < sides; ++side) {
        const RunLoader::Result result = loader_.get(names_[side]);
        errors_[side] = result.error;
        if (!result.exhibit || result.exhibit == shown_[side]) continue;
        changed = true;
        if (side == 0) show_run(result.exhibit);
        else shown_[1] = result.exhibit;
    }
    if (comparing_ && changed && shown_[0] && shown_[1]) show_pair();
}

void App::show_run(std::shared_ptr<const Exhibit> exhibit) {
    const std::shared_ptr<const Exhibit> last = shown_[0];
    shown_[0] = std::move(exhibit);
    // A lesson may have several kernel files: the one that ran is shown.
    if (const lesson::Run& run = *shown_[0]->run; !run.source.empty() && run.kernel_file != source_.file)
        source_.set_source(run.kernel_file, run.source);
    const steps::Steps& steps = shown_[0]->steps();
    const auto recorded = [&](const steps::WarpRef& warp) { return std::find(steps.warps.begin(), steps.warps.end(), warp) != steps.warps.end(); };
    if (first_run_) {
        for (const steps::WarpRef& warp : steps.warps) {
            const bool fits = (request_.block < 0 || warp.block == static_cast<std::uint32_t>(request_.block)) &&
                              (request_.warp < 0 || warp.warp == static_cast<std::uint32_t>(request_.warp));
            if (!fits) continue;
            selection_.warp = warp;
            break;
        }
    }
    if (!recorded(selection_.warp) && !steps.warps.empty()) selection_.warp = steps.warps.front();

    // The learner stays at the stage where the last variant was.
    std::size_t step = playhead_.step;
    if (last && !comparing_) {
        for (const auto& [before, now] : steps::align(last->steps(), steps)) {
            if (now != steps::kNoStep) step = now;
            if (before == playhead_.step) break;
        }
        if (playhead_.step == 0) step = 0;
    }
    playhead_.count = steps.size();
    if (first_run_ && request_.has_step) step = request_.step;
    playhead_.step = steps.size() == 0 ? 0 : std::min(step, steps.size() - 1);
    playhead_.since_step = 1e9f;
    if (!comparing_) first_run_ = false;
}

void App::show_pair() {
    const std::size_t step = first_run_ && request_.has_step ? request_.step : playhead_.step;
    compare_.align(*shown_[0], *shown_[1]);
    playhead_.count = compare_.size();
    playhead_.step = std::min(compare_.place_of(0, step), compare_.size() == 0 ? 0 : compare_.size() - 1);
    playhead_.since_step = 1e9f;
    first_run_ = false;
}

void App::leave_pair() {
    const bool paired = shown_[0] && shown_[1] && compare_.size() > 0;
    shown_[1] = nullptr;
    if (!paired) return;
    const std::size_t step = compare_.step_of(0, playhead_.step);
    playhead_.count = shown_[0]->steps().size();
    playhead_.step = step == steps::kNoStep ? 0 : std::min(step, playhead_.count == 0 ? 0 : playhead_.count - 1);
}

std::size_t App::tab_of(const std::string& variant) const {
    const auto at = std::find_if(presentation_.variants.begin(), presentation_.variants.end(),
                                 [&](const lesson::VariantInfo& info) { return info.name == variant; });
    return static_cast<std::size_t>(at - presentation_.variants.begin());
}

const std::string& App::tab_title(const std::string& variant) const {
    const std::size_t tab = tab_of(variant);
    if (tab >= presentation_.variants.size() || presentation_.variants[tab].title.empty()) return variant;
    return presentation_.variants[tab].title;
}

std::string App::origin() const {
    if (!errors_[0].empty()) return "no run";
    if (!shown_[0]) return "running…";
    if (comparing_ && shown_[1] && shown_[1]->run->origin != shown_[0]->run->origin) {
        return shown_[0]->run->origin + " | " + shown_[1]->run->origin;
    }
    return shown_[0]->run->origin;
}

std::string App::title() const {
    std::string name = "Lanewise · " + lesson_name(presentation_) + " · " + tab_title(names_[0]);
    if (comparing_) name += " | " + tab_title(names_[1]);
    return name + " · " + origin();
}

std::string App::state() const {
    return "variant=" + names_[0] + " step=" + std::to_string(playhead_.step + 1) + " of=" + std::to_string(playhead_.count) +
           " lane=" + std::to_string(selection_.lane()) + " compare=" + (comparing_ ? names_[1] : "");
}

void App::settle() {
    for (int side = 0; side < (comparing_ ? 2 : 1); ++side) {
        const RunLoader::Result result = loader_.wait(names_[side]);
        if (!result.error.empty()) throw Error(result.error);
    }
    loader_.wait_for_times();
    if (table_open_)
        for (const std::string& name : presentation_.all_variants) loader_.wait(name);   // one that fails stands in its row
    adopt_runs();
}

// --- what is asked -------------------------------------------------------------------------------------------------

void App::press(Key key, bool shift) {
    if (ImGui::GetIO().WantTextInput) return;
    if (const auto intent = intent_of_key(key, shift)) apply(*intent);
}

void App::apply(Intent intent) {
    using Kind = Intent::Kind;
    if (intent) again_ = true;
    switch (intent.kind) {
        case Kind::none: break;
        case Kind::go_to: playhead_.playing = false; playhead_.go_to(intent.value); break;
        case Kind::step_back: playhead_.playing = false; playhead_.back(); break;
        case Kind::step_forward: playhead_.playing = false; playhead_.forward(); break;
        case Kind::first: playhead_.playing = false; playhead_.first(); break;
        case Kind::last: playhead_.playing = false; playhead_.last(); break;
        case Kind::stage_back: go_to_stage(-1); break;
        case Kind::stage_forward: go_to_stage(1); break;
        case Kind::toggle_play: playhead_.toggle_play(); break;
        case Kind::faster: playhead_.speed = std::min(playhead_.speed * 1.5f, 8.0f); break;
        case Kind::slower: playhead_.speed = std::max(playhead_.speed / 1.5f, 0.2f); break;
        case Kind::variant:
            if (intent.value < tab_names_.size()) choose(tab_names_[intent.value]);
            break;
        case Kind::next_variant: next_variant(intent.value == 0 ? -1 : 1); break;
        case Kind::compare: toggle_compare(); break;
        case Kind::keys: keys_.open = !keys_.open; break;
        case Kind::pin: selection_.pinned_lane = selection_.pinned_lane == selection_.lane() ? -1 : selection_.lane(); break;
        case Kind::timings: timing_.all = !timing_.all; break;
        case Kind::theme: dark_ = !dark_; break;
        case Kind::rounding: rounding_open_ = !rounding_open_; break;
        case Kind::table: table_open_ = !table_open_; break;
        case Kind::panel: text_tab_ = !text_tab_; break;
        case Kind::memory:
            stage_.memory.next();
            for (StageView& stage : compare_.stages) stage.memory.show = stage_.memory.show;
            break;
        case Kind::close:
            if (keys_.open) keys_.open = false;
            else if (table_open_) table_open_ = false;
            else if (selection_.pinned_lane >= 0) selection_.pinned_lane = -1;
            else if (rounding_open_) rounding_open_ = false;
            else if (comparing_) toggle_compare();
            break;
    }
}

void App::choose(const std::string& variant) {
    // In a comparison the tabs choose the right-hand side.
    std::string& name = names_[comparing_ ? 1 : 0];
    if (name == variant) return;
    name = variant;
    playhead_.playing = false;
    if (comparing_) leave_pair();
    loader_.get(variant);
}

void App::next_variant(int direction) {
    if (tab_names_.empty()) return;
    const auto count = static_cast<int>(tab_names_.size());
    int at = static_cast<int>(tab_of(names_[comparing_ ? 1 : 0]));
    do at = (at + direction + count) % count;
    while (comparing_ && count > 1 && tab_names_[static_cast<std::size_t>(at)] == names_[0]);
    choose(tab_names_[static_cast<std::size_t>(at)]);
}

void App::toggle_compare() {
    playhead_.playing = false;
    if (comparing_) {
        leave_pair();
        comparing_ = false;
        return;
    }
    if (tab_names_.size() < 2) return;
    comparing_ = true;
    shown_[1] = nullptr;
    if (names_[1].empty() || names_[1] == names_[0]) {
        names_[1] = tab_names_[(tab_of(names_[0]) + 1) % tab_names_.size()];
    }
    loader_.get(names_[1]);
}

void App::go_to_stage(int direction) {
    playhead_.playing = false;
    if (comparing_ || !shown_[0]) {
        direction < 0 ? playhead_.back() : playhead_.forward();
        return;
    }
    const auto& steps = shown_[0]->steps().steps;
    if (steps.empty()) return;
    const auto last = static_cast<int>(steps.size()) - 1;
    int at = static_cast<int>(playhead_.step);
    const std::string stage = steps[playhead_.step].stage;
    while (at + direction >= 0 && at + direction <= last && steps[static_cast<std::size_t>(at)].stage == stage) at += direction;
    playhead_.go_to(static_cast<std::size_t>(at));
}

// --- the window ----------------------------------------------------------------------------------------------------

Intent App::draw(const Look& look, const Rect& window) {
    ImGui::SetNextWindowPos({window.x0, window.y0});
    ImGui::SetNextWindowSize({window.width(), window.height()});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0.0f);
    ImGui::PushStyleVar(ImGuiStyleVar_ScrollbarSize, look.px(8));
    ImGui::PushStyleColor(ImGuiCol_WindowBg, look.colors().ground);
    ImGui::PushStyleColor(ImGuiCol_ScrollbarBg, ImU32{0});
    ImGui::PushStyleColor(ImGuiCol_ScrollbarGrab, look.colors().raised);
    ImGui::Begin("Lanewise", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                     ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoScrollWithMouse);
    Rect body = window;
    Intent intent;
    const auto keep = [&](Intent asked) {
        if (asked) intent = asked;
    };
    header_.tab = tab_of(names_[0]);
    header_.second_tab = tab_of(names_[1]);
    header_.comparing = comparing_;
    {
        const Rect top = body.cut_top(HeaderBar::height(look, presentation_, window.width()));
        const Pane pane(look, "header", top, look.colors().panel);
        keep(header_.draw(pane, presentation_, origin()));
    }
    if (table_open_) keep(draw_table(look, body));
    else keep(comparing_ ? draw_compare(look, body) : draw_single(look, body));
    if (keys_.open) {
        const Pane pane(look, "keys", window);
        keep(keys_.draw(pane, key_rows()));
    }
    ImGui::End();
    ImGui::PopStyleColor(3);
    ImGui::PopStyleVar(3);
    return intent;
}

Intent App::draw_single(const Look& look, Rect body) {
    Intent intent;
    const auto keep = [&](Intent asked) {
        if (asked) intent = asked;
    };
    const bool wide = body.width() >= look.px(kWide);
    const bool has_text = !presentation_.text.empty();
    const Rect bottom = body.cut_bottom(std::min(TimelineView::height(look), body.height() * 0.4f));
    if (wide && has_text) {
        const Rect column = body.cut_left(std::clamp(body.width() * 0.17f, look.px(272), look.px(380)));
        const Pane pane(look, "text", column, look.colors().panel, Pane::Scroll::vertical);
        keep(text_.draw(pane, tab_names_));
        hairline(pane.brush, {column.x1 - 1, column.y0}, {column.x1 - 1, column.y1}, look.colors().line);
    }
    const Rect right = body.cut_right(wide ? std::clamp(body.width() * 0.24f, look.px(370), look.px(470)) : std::min(look.px(302), body.width() * 0.4f));
    keep(draw_right(look, right, !wide && has_text));
    if (!shown_[0] || !errors_[0].empty()) {
        draw_waiting(look, body, names_[0], errors_[0]);
    } else {
        const Pane pane(look, "stage", body, look.colors().ground);
        if (rounding_open_) keep(rounding_[0].draw(pane, *shown_[0], playhead_, selection_));
        else stage_.draw(pane, *shown_[0], playhead_, selection_);
    }
    const Pane pane(look, "timeline", bottom, look.colors().panel);
    keep(shown_[0] ? timeline_.draw(pane, *shown_[0], playhead_, selection_) : timeline_.draw_entries(pane, {}, {}, playhead_));
    return intent;
}

Intent App::draw_right(const Look& look, Rect column, bool with_text) {
    Intent intent;
    const auto keep = [&](Intent asked) {
        if (asked) intent = asked;
    };
    const Theme& colors = look.colors();
    const Pane ground(look, "right", column, colors.panel);
    hairline(ground.brush, {column.x0, column.y0}, {column.x0, column.y1}, colors.line);
    column.x0 += 1;

    const std::string own = shown_[0] ? shown_[0]->trace().header.variant : names_[0];
    timing_.few = column.height() > look.px(760) ? 5 : column.height() > look.px(640) ? 3 : 2;
    const float times = timing_.height(look, presentation_.timings, own);
    if (times > 0) {
        const Rect box = column.cut_bottom(std::min(times, column.height() * (timing_.all ? 0.7f : 0.26f)));
        const Pane pane(look, "times", box);
        timing_.draw(pane, presentation_.timings, own);
    }
    reruns_.most = static_cast<std::size_t>(std::clamp((column.height() * 0.32f / look.scale - 70) / 18, 2.0f, 9.0f));
    const float orders = shown_[0] ? reruns_.height(look, shown_[0]->trace()) : 0;
    if (orders > 0) {
        const Pane pane(look, "orders", column.cut_bottom(orders));
        reruns_.draw(pane, shown_[0]->trace());
    }
    const Rect top = column.cut_top(column.height() * (with_text ? 0.43f : 0.48f));
    Rect body = top;
    const Rect head = body.cut_top(look.px(34));
    if (with_text) {
        // Narrow: lesson and source share the place, chosen here.
        Rect tabs = head.inset(look.px(10), look.px(4));
        const Pane pane(look, "panel tabs", head);
        for (const bool text : {true, false}) {
            const char* name = text ? "Lesson" : "Source";
            const Rect tab = tabs.cut_left(text_width(look, Face::strong, name) + look.px(20));
            const bool shown = text == text_tab_;
            text_in(pane.brush, Face::strong, tab, shown ? colors.strong : colors.quiet, name);
            if (shown) fill(pane.brush, {tab.x0 + look.px(8), tab.y1 - look.px(2), tab.x1 - look.px(8), tab.y1}, colors.accent);
            if (pane.button(tab)) text_tab_ = text;
        }
        key_hint(pane.brush, {head.x1 - look.px(74), head.center().y - look.px(8.5f)}, "L", "switch");
    }
    const steps::Steps* steps = shown_[0] ? &shown_[0]->steps() : nullptr;
    if (with_text && text_tab_) {
        const Pane pane(look, "narrow text", body, 0, Pane::Scroll::vertical);
        keep(text_.draw(pane, tab_names_));
    } else {
        Rect title = head;
        if (with_text) title = body.cut_top(look.px(24));
        source_.draw_title(ground, title, steps, playhead_);
        const Pane pane(look, "source", body, 0, Pane::Scroll::vertical);
        keep(source_.draw(pane, steps, playhead_, selection_));
    }
    hairline(ground.brush, {column.x0, top.y1}, {column.x1, top.y1}, colors.line);
    if (shown_[0]) {
        const Pane pane(look, "inspector", column.inset(0, 1), 0, Pane::Scroll::vertical);
        keep(inspector_.draw(pane, *shown_[0], playhead_, selection_));
    }
    return intent;
}

Intent App::draw_compare(const Look& look, Rect body) {
    Intent intent;
    const Rect bottom = body.cut_bottom(std::min(TimelineView::height(look), body.height() * 0.4f));
    const Rect halves[2] = {body.cut_left(body.width() / 2), body};
    const bool both = shown_[0] && shown_[1] && playhead_.count == compare_.size();
    for (int side = 0; side < 2; ++side) {
        const Rect& box = halves[side];
        const std::string id = side == 0 ? "side a" : "side b";
        if (!both) {
            draw_waiting(look, box, names_[side], errors_[side]);
            continue;
        }
        const Pane pane(look, id.c_str(), box, look.colors().ground);
        if (rounding_open_) {
            RoundingView& lens = rounding_[static_cast<std::size_t>(side)];
            const std::size_t step = compare_.step_of(side, playhead_.step);
            Playhead here = playhead_;
            here.step = step == steps::kNoStep ? 0 : step;
            lens.heading = tab_title(names_[side]);
            const Intent asked = lens.draw(pane, *shown_[side], here, selection_);
            if (asked) intent = {asked.kind, compare_.place_of(side, asked.value)};
            if (side == 1) fill(pane.brush, {box.x0, box.y0, box.x0 + look.px(1), box.y1}, look.colors().line);
            continue;
        }
        compare_.draw_side(pane, side, tab_title(names_[side]), *shown_[side], *shown_[1 - side], presentation_.timings, playhead_, selection_);
        if (side == 1) fill(pane.brush, {box.x0, box.y0, box.x0 + look.px(1), box.y1}, look.colors().line);
    }
    const Pane pane(look, "compare timeline", bottom, look.colors().panel);
    const Intent asked = both ? compare_.draw_timeline(pane, *shown_[0], *shown_[1], playhead_, selection_)
                              : timeline_.draw_entries(pane, {}, {}, playhead_);
    if (asked) intent = asked;
    return intent;
}

Intent App::draw_table(const Look& look, const Rect& body) {
    const Pane pane(look, "table", body, look.colors().panel, Pane::Scroll::vertical);
    const lesson::Comparison rows = comparison();
    const Intent asked = table_.draw(pane, rows, names_[0]);
    if (asked.kind != Intent::Kind::variant || asked.value >= rows.rows.size()) return asked;
    // A variant without a tab gets one.
    const std::string& name = rows.rows[asked.value].variant;
    if (tab_of(name) == presentation_.variants.size()) {
        presentation_.variants.push_back({name, name, "", false});
        tab_names_.push_back(name);
    }
    table_open_ = false;
    return {Intent::Kind::variant, tab_of(name)};
}

lesson::Comparison App::comparison() {
    const timing::TimingTable& times = presentation_.timings;
    const std::vector<std::string>& wrong = presentation_.declared_wrong;
    lesson::Comparison all{{}, lesson::times_from(times)};
    for (const std::string& name : presentation_.all_variants) {
        const RunLoader::Result result = loader_.get(name);
        if (!result.exhibit) {
            all.rows.push_back(lesson::compared(name, result.error.empty() ? "It is still running." : result.error, times));
            continue;
        }
        Row& row = rows_[name];
        if (row.exhibit != result.exhibit || row.times_from != all.times_from) row = {result.exhibit, all.times_from, lesson::compared(*result.exhibit->run, times)};
        row.row.declared_wrong = std::find(wrong.begin(), wrong.end(), name) != wrong.end();
        all.rows.push_back(row.row);
    }
    return all;
}

void App::draw_waiting(const Look& look, const Rect& where, const std::string& variant, const std::string& error) {
    const Pane pane(look, ("waiting " + variant).c_str(), where, look.colors().ground);
    if (!error.empty()) sentence_card(pane, where, "This variant did not run", error, look.colors().warning);
    else text_in(pane.brush, Face::title, where, look.colors().quiet, "running " + tab_title(variant) + "…");
}

}  // namespace lanewise::viz
