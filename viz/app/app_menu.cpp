// The menu, the page of all lessons, and the cards over the window with the keys that they take.
#include <algorithm>
#include <utility>
#include <filesystem>

#include "viz/app/app.hpp"

namespace lanewise::viz {
namespace {

std::vector<KeyGroup> key_groups() {
    std::vector<KeyGroup> groups;
    for (const Group group :
         {Group::play, Group::variant, Group::look, Group::view, Group::panel, Group::file, Group::help})
        groups.push_back({std::string(player::group_title(group)), key_rows(group)});
    return groups;
}

}  // namespace

std::optional<bool> App::is_on(const Intent& intent) const {
    using Kind = Intent::Kind;
    switch (intent.kind) {
        case Kind::compare: return comparing();
        case Kind::rounding: return view_ == View::rounding;
        case Kind::tree: return view_ == View::tree || view_ == View::boxes;
        case Kind::table: return view_ == View::table;
        case Kind::costs: return view_ == View::costs;
        case Kind::focus: return focus_;
        case Kind::panel:
            if (comparing() && intent.value < 2)
                return intent.value == 0 ? compare_.show_text : compare_.sources_shown();
            return intent.value == 0   ? panels_.show_text && !focus_
                   : intent.value == 1 ? panels_.show_side && !focus_
                                       : panels_.show_timeline;
        case Kind::motion: return playhead_.motion;
        case Kind::colors: return selection_.display.colors == ColorBy::value;
        case Kind::variant: return intent.value == tab_of(names_[chosen_side()]);
        case Kind::start_page: return start_open_;
        default: return std::nullopt;
    }
}

std::vector<std::vector<MenuSection>> App::menu_columns() const {
    MenuSection file = section_of(Group::file);
    for (std::size_t i = 0; i < std::min<std::size_t>(settings_.recent.size(), 4); ++i)
        file.items.push_back({std::filesystem::path(settings_.recent[i]).filename().string(),
                              {},
                              {Intent::Kind::recent, i},
                              std::nullopt});
    const std::pair<const char*, player::ExportKind> files[] = {
        {"Save this view as a picture (SVG)", player::ExportKind::picture},
        {"Save a page to step through (HTML)", player::ExportKind::page},
        {"Save every value (CSV)", player::ExportKind::values},
        {"Save the times (CSV)", player::ExportKind::times}};
    for (const auto& [label, what] : files)
        file.items.push_back({label, {}, {Intent::Kind::export_run, static_cast<std::size_t>(what)}, std::nullopt});
    file.items.push_back({"Close the window", "Ctrl Q", {Intent::Kind::quit, 0}, std::nullopt});
    MenuSection variants{std::string(player::group_title(Group::variant)), {}};
    constexpr std::size_t kMostVariants = 16;
    for (std::size_t i = 0; i < std::min(presentation_.variants.size(), kMostVariants); ++i) {
        const run::VariantInfo& info = presentation_.variants[i];
        variants.items.push_back({tab_title(info.name), i < 9 ? std::to_string(i + 1) : "",
                                  {Intent::Kind::variant, i}, std::nullopt, info.declared_wrong});
    }
    std::vector<std::vector<MenuSection>> columns = {{file, section_of(Group::help)},
                                                     {section_of(Group::view), section_of(Group::play)},
                                                     {section_of(Group::panel), section_of(Group::look)},
                                                     {variants}};
    for (auto& column : columns)
        for (MenuSection& section : column)
            for (MenuItem& item : section.items) item.checked = is_on(item.intent);
    return columns;
}

Intent App::draw_start(const Look& look, const Rect& body) {
    const Pane pane(look, "start", body, look.colors().panel, Pane::Scroll::vertical);
    turn(pane);
    if (const auto add_ladder = std::exchange(presentation_.services.add_ladder, nullptr)) add_ladder(presentation_);
    return start_.draw(pane, lesson_rows(), presentation_.ladder_source);
}

// What lies over everything else; the last one is on top.
Intent App::draw_cards(const Look& look, const Rect& window, const Rect& header) {
    Intent intent;
    const Rect button = HeaderBar::menu_button(look, header);
    if (const Intent asked = menu_.draw(look, window, {button.x0, button.y1 + look.px(4)}, menu_columns()))
        intent = asked;
    open_card_.draw(look, window);
    if (const std::string file = open_card_.taken(); !file.empty()) open_file(file);
    if (keys_.open) {
        const Pane pane(look, "keys", window);
        if (const Intent asked = keys_.draw(pane, key_groups())) intent = asked;
    }
    if (terms_.open)
        if (const Intent asked = terms_.draw(look, window, glossary_)) intent = asked;
    return intent;
}

// A card that is open takes the keys that it knows, and what is typed.
bool App::press_on_card(Key key, bool shift) {
    if (open_card_.is_open()) {
        open_card_.press(key);
        again_ = true;
        if (const std::string file = open_card_.taken(); !file.empty()) open_file(file);
        return true;
    }
    if (menu_.is_open() && menu_.press(key)) return again_ = true;
    const bool question = whole_ && !menu_.is_open() && !keys_.open && !terms_.open && !run_bar_.is_open();
    if (question && key == Key::escape && prediction_.open() && prediction_.mode() == player::PredictMode::gentle) {
        apply_question({QuestionAsk::Kind::skip});
        return true;
    }
    if (question && key == Key::escape && prediction_.open()) {
        predict(player::PredictMode::off);
        return true;
    }
    if (question && key == Key::enter && prediction_.last_answered() && !prediction_.open()) {
        apply_question({QuestionAsk::Kind::go_on});
        return true;
    }
    if (!menu_.is_open() && !keys_.open && run_bar_.press(key, shift, run_line())) return again_ = true;
    if (terms_.open && terms_.press(key)) return again_ = true;
    if (!start_open_) return false;
    const int count = static_cast<int>(presentation_.lessons.size());
    if (key != Key::down && key != Key::up && key != Key::enter) return false;
    // Nothing chosen yet: what is marked as the one to continue with.
    if (start_.chosen < 0 && count > 0) {
        const std::vector<LessonRow> rows = lesson_rows();
        const auto next = std::find_if(rows.begin(), rows.end(), [](const LessonRow& row) { return row.next; });
        start_.chosen = static_cast<int>(next != rows.end() ? next - rows.begin()
                                                            : static_cast<std::ptrdiff_t>(own_place()));
    }
    if (key != Key::enter) return again_ = start_.move(key == Key::down ? 1 : -1, count);
    open_lesson(start_.chosen >= 0 ? static_cast<std::size_t>(start_.chosen) : own_place());
    return again_ = true;
}

}  // namespace lanewise::viz
