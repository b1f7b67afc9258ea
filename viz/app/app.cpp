#include "viz/app/app.hpp"

#include <algorithm>

namespace lanewise::viz {
namespace {

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
    view_ = request.view;
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

std::string App::title(bool whole) const {
    std::string name = lesson_name(presentation_) + " · " + tab_title(names_[0]);
    if (comparing_) name += " | " + tab_title(names_[1]);
    return whole ? "Lanewise · " + name + " · " + origin() : name;
}

std::string App::state() const {
    return "variant=" + names_[0] + " step=" + std::to_string(playhead_.step + 1) + " of=" + std::to_string(playhead_.count) +
           " lane=" + std::to_string(selection_.lane()) + " compare=" + (comparing_ ? names_[1] : "");
}

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
        case Kind::faster: playhead_.faster(); break;
        case Kind::slower: playhead_.slower(); break;
        case Kind::variant:
            if (intent.value < tab_names_.size()) choose(tab_names_[intent.value]);
            break;
        case Kind::next_variant: next_variant(intent.value == 0 ? -1 : 1); break;
        case Kind::compare: toggle_compare(); break;
        case Kind::keys: keys_.open = !keys_.open; break;
        case Kind::pin: selection_.pinned_lane = selection_.pinned_lane == selection_.lane() ? -1 : selection_.lane(); break;
        case Kind::timings: timing_.all = !timing_.all; break;
        case Kind::next_lane:
            if (shown_[0]) {
                const int lanes = lanes_of(shown_[0]->steps(), selection_.warp);
                const int lane = selection_.pinned_lane;
                selection_.pinned_lane = intent.value ? (lane + 1) % lanes : (lane < 1 ? lanes : lane) - 1;
            }
            break;
        case Kind::next_warp:
            if (shown_[0]) selection_.warp = lesson::warp_beside(shown_[0]->steps(), selection_.warp, intent.value ? 1 : -1);
            break;
        case Kind::next_block:
            if (shown_[0]) selection_.warp = lesson::block_beside(shown_[0]->steps(), selection_.warp, intent.value ? 1 : -1);
            break;
        case Kind::focus: focus_ = !focus_; break;
        case Kind::theme: dark_ = !dark_; break;
        case Kind::colors: selection_.display.colors = selection_.display.colors == ColorBy::value ? ColorBy::inputs : ColorBy::value; break;
        case Kind::motion: playhead_.motion = !playhead_.motion; break;
        case Kind::zoom: break;
        case Kind::rounding: toggle(View::rounding); break;
        case Kind::table: toggle(View::table); break;
        case Kind::panel: toggle_panel(intent.value); break;
        case Kind::memory:
            stage_.memory.next();
            for (StageView& stage : compare_.stages) stage.memory.show = stage_.memory.show;
            break;
        case Kind::close:
            if (keys_.open) keys_.open = false;
            else if (view_ == View::table) view_ = View::stage;
            else if (selection_.pinned_lane >= 0) selection_.pinned_lane = -1;
            else if (view_ != View::stage) view_ = View::stage;
            else if (comparing_) toggle_compare();
            else focus_ = false;
            break;
        default: break;   // of the terminal
    }
}

// In a narrow window the text and the source share a place: their keys bring one of them to the front.
void App::toggle_panel(std::size_t which) {
    bool& shown = which == 0 ? panels_.show_text : which == 1 ? panels_.show_side : panels_.show_timeline;
    if (focus_ && which < 2) {
        focus_ = false;
        shown = true;
    } else if (shared_place_ && which < 2) {
        const bool text = which == 0;
        if (text_tab_ == text) panels_.show_side = false;
        text_tab_ = text;
    } else {
        shown = !shown;
        if (which == 0 && shown) text_tab_ = true;
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
    playhead_.go_to(lesson::step_of_next_stage(shown_[0]->steps(), playhead_.step, direction));
}

}  // namespace lanewise::viz
