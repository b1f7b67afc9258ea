#include "viz/views/shell/menu.hpp"

#include <algorithm>

namespace lanewise::viz {
namespace {

constexpr float kMenuRow = 27;
constexpr float kMenuHead = 30;
constexpr float kMenuColumn = 312, kLeastMenuColumn = 270;

// "stage larger (Shift Z: smaller)" is "Stage larger" in a menu, and "rounding: each sum compared with the exact one"
// is "Rounding".
std::string menu_text(std::string what) {
    what = what.substr(0, std::min({what.find(" ("), what.find(": "), what.find(", or "), what.find(" on or off")}));
    if (!what.empty() && what[0] >= 'a' && what[0] <= 'z') what[0] = static_cast<char>(what[0] - 'a' + 'A');
    return what;
}

void check_mark(const Brush& brush, Point c, Color color) {
    const float r = brush.px(4.5f);
    hairline(brush, {c.x - r, c.y}, {c.x - r * 0.25f, c.y + r * 0.8f}, color, brush.px(1.8f));
    hairline(brush, {c.x - r * 0.25f, c.y + r * 0.8f}, {c.x + r * 1.1f, c.y - r * 0.9f}, color, brush.px(1.8f));
}

}  // namespace

MenuSection section_of(Group group) {
    MenuSection section{std::string(player::group_title(group)), {}};
    for (const Action& action : actions()) {
        const bool of_the_menu = action.intent.kind == Intent::Kind::menu || action.intent.kind == Intent::Kind::close;
        if (action.group != group || of_the_menu || !*action.shown || !is_on(action.where, player::Surface::window))
            continue;
        // Two keys for two directions are no command.
        const std::string_view keys = action.shown;
        if (action.intent.kind == Intent::Kind::faster) {
            section.items.push_back({"Play faster", "+", action.intent, std::nullopt});
            section.items.push_back({"Play slower", "-", {Intent::Kind::slower, 0}, std::nullopt});
        }
        if (keys.find(' ') != std::string_view::npos && !(keys.starts_with("Shift ") && keys.rfind(' ') == 5)) continue;
        section.items.push_back({menu_text(action.what), action.shown, action.intent, std::nullopt});
    }
    return section;
}

void Menu::toggle() {
    open_ = !open_;
    chosen_ = -1;
    taken_ = false;
}

bool Menu::press(Key key) {
    if (key == Key::down) chosen_ = count_ > 0 ? (chosen_ + 1) % count_ : -1;
    else if (key == Key::up) chosen_ = count_ > 0 ? (chosen_ <= 0 ? count_ : chosen_) - 1 : -1;
    else if (key == Key::enter) taken_ = chosen_ >= 0;
    else return false;
    return true;
}

Intent Menu::draw(const Look& look, const Rect& window, Point corner,
                  const std::vector<std::vector<MenuSection>>& wanted) {
    if (!open_) return {};
    // In a narrow window two columns are under each other, so that their labels are whole.
    std::vector<std::vector<MenuSection>> columns = wanted;
    while (columns.size() > 1 &&
           (window.width() - corner.x - look.px(24)) / static_cast<float>(columns.size()) < look.px(kLeastMenuColumn)) {
        std::vector<std::vector<MenuSection>> fewer;
        for (std::size_t i = 0; i < columns.size(); ++i) {
            if (i % 2 == 0) fewer.emplace_back();
            fewer.back().insert(fewer.back().end(), columns[i].begin(), columns[i].end());
        }
        columns = std::move(fewer);
    }
    const Theme& colors = look.colors();
    const Pane pane(look, "menu", window);
    float tallest = 0;
    for (const auto& column : columns) {
        float height = 0;
        for (const MenuSection& section : column)
            height += kMenuHead + kMenuRow * static_cast<float>(section.items.size());
        tallest = std::max(tallest, height);
    }
    // In a small window rows stand closer and columns are narrower.
    const float most = window.y1 - corner.y - look.px(34);
    const float row_height = std::min(look.px(kMenuRow), most / tallest * kMenuRow);
    const float wide =
        std::min(look.px(kMenuColumn), (window.width() - corner.x - look.px(24)) / static_cast<float>(columns.size()));
    const Rect card{corner.x, corner.y, corner.x + wide * static_cast<float>(columns.size()) + look.px(12),
                    corner.y + row_height / kMenuRow * tallest + look.px(20)};
    raised_card(pane.brush, card);
    Intent intent;
    int at = 0;
    float x = card.x0 + look.px(6);
    for (const auto& column : columns) {
        float y = card.y0 + look.px(6);
        for (const MenuSection& section : column) {
            const float head = row_height / kMenuRow * kMenuHead;
            text_in(pane.brush, Face::strong, {x + look.px(14), y + head * 0.12f, x + wide, y + head}, colors.accent,
                    section.title, Align::left);
            y += head;
            for (const MenuItem& item : section.items) {
                const Rect row{x + look.px(2), y, x + wide - look.px(2), y + row_height};
                y += row_height;
                const bool hovered = pane.hovers(row);
                if (hovered && (ImGui::GetIO().MouseDelta.x != 0 || ImGui::GetIO().MouseDelta.y != 0)) chosen_ = at;
                const bool chosen = chosen_ == at;
                if (chosen || hovered) fill(pane.brush, row.inset(0, pane.px(1)), colors.raised, pane.px(5));
                if (item.checked.value_or(false))
                    check_mark(pane.brush, {row.x0 + look.px(17), row.center().y}, colors.accent);
                const float key_width = item.key.empty() ? 0 : text_width(look, Face::small, item.key) + look.px(10);
                const Rect text_box{row.x0 + look.px(34), row.y0, row.x1 - key_width - look.px(16), row.y1};
                const std::string fitted = fit_text(look, Face::body, item.label, text_box.width());
                text_in(pane.brush, Face::body, text_box,
                        item.warned         ? colors.warning
                        : chosen || hovered ? colors.strong
                                            : colors.text,
                        fitted, Align::left);
                if (hovered && fitted != item.label) hint_card(look, item.label);
                if (key_width > 0) {
                    const Rect cap{row.x1 - look.px(8) - key_width, row.center().y - look.px(9), row.x1 - look.px(8),
                                   row.center().y + look.px(9)};
                    if (!(chosen || hovered)) fill(pane.brush, cap, colors.raised, look.px(4));
                    text_in(pane.brush, Face::small, cap, colors.quiet, item.key);
                }
                if (pane.button(row) || (chosen && taken_)) intent = item.intent;
                ++at;
            }
        }
        x += wide;
    }
    count_ = at;
    taken_ = false;
    if (intent || (pane.clicked(window) && !card.contains(pane.pointer()))) close();
    return intent;
}

}  // namespace lanewise::viz
