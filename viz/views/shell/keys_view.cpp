#include "viz/views/shell/keys_view.hpp"

#include <algorithm>

namespace lanewise::viz {

namespace {

constexpr float kPitch = 25;
constexpr float kKeysTitle = 34;
constexpr float kColumn = 384, kLeastColumn = 330;
constexpr float kLeastPitch = 0.7f;   // of kPitch: less is hard to read

float height_of(const KeyGroup& group) { return kKeysTitle + kPitch * static_cast<float>(group.rows.size()); }

// The groups of each column: in their order, columns about equally long.
std::vector<std::vector<const KeyGroup*>> in_columns(const std::vector<KeyGroup>& groups, std::size_t count) {
    float total = 0;
    for (const KeyGroup& group : groups) total += height_of(group);
    std::vector<std::vector<const KeyGroup*>> columns(1);
    float before = 0;
    for (const KeyGroup& group : groups) {
        // A group goes where its middle falls.
        const float middle = before + height_of(group) / 2;
        const auto column = std::min(count - 1, static_cast<std::size_t>(middle / total * static_cast<float>(count)));
        if (column >= columns.size()) columns.emplace_back();
        columns.back().push_back(&group);
        before += height_of(group);
    }
    return columns;
}

void draw_group(const Pane& pane, Rect& rest, const KeyGroup& group, float pitch) {
    const Theme& colors = pane.colors();
    rest.cut_top(pitch * 0.36f);
    text_in(pane.brush, Face::strong, rest.cut_top(pitch), colors.accent, group.title, Align::left);
    for (const auto& [key, what] : group.rows) {
        Rect row = rest.cut_top(pitch);
        const Rect column = row.cut_left(std::min(pane.px(86), row.width() * 0.24f));
        const float half = std::min(pane.px(9.5f), pitch * 0.4f);
        const float cap_width = std::max(text_width(pane.look(), Face::small, key) + pane.px(12), pane.px(21));
        const Rect cap{column.x0, row.center().y - half, column.x0 + cap_width, row.center().y + half};
        fill(pane.brush, cap, colors.raised, pane.px(4));
        text_in(pane.brush, Face::small, cap, colors.strong, key);
        // Smaller before shorter.
        const Face face = text_width(pane.look(), Face::body, what) <= row.width() ? Face::body : Face::caption;
        // Without what is in brackets before it is cut.
        const bool whole = text_width(pane.look(), face, what) <= row.width();
        const std::string fitted =
            whole ? what : fit_text(pane.look(), face, what.substr(0, what.find(" (")), row.width());
        text_in(pane.brush, face, row, colors.text, fitted, Align::left);
        if (pane.hovers(row) && fitted != what) hint_card(pane.look(), what);
    }
}

}  // namespace

Intent KeysView::draw(const Pane& pane, const std::vector<KeyGroup>& groups) const {
    const Theme& colors = pane.colors();
    fill(pane.brush, pane.box, with_alpha(colors.ground, 0.72));
    const auto room = static_cast<std::size_t>(std::max(1.0f, (pane.box.width() - pane.px(80)) / pane.px(kColumn)));
    auto columns = in_columns(groups, std::min<std::size_t>(room, 3));
    const auto height_of_all = [&] {
        float tallest = 0;
        for (const auto& column : columns) {
            float height = 0;
            for (const KeyGroup* group : column) height += height_of(*group);
            tallest = std::max(tallest, height);
        }
        return tallest;
    };
    const float outer = pane.px(28) + pane.px(40);
    // In a low window rows stand closer, in more columns.
    while (pane.px(height_of_all()) * kLeastPitch > pane.box.height() - pane.px(84) && columns.size() < groups.size() &&
           (pane.box.width() - outer) / static_cast<float>(columns.size() + 1) >= pane.px(kLeastColumn))
        columns = in_columns(groups, columns.size() + 1);
    const float tallest = height_of_all();
    const float wide = std::min(pane.px(kColumn), (pane.box.width() - outer) / static_cast<float>(columns.size()));
    const float most = pane.box.height() - pane.px(84);
    const float pitch = pane.px(kPitch) * std::clamp(most / pane.px(std::max(tallest, 1.0f)), 0.5f, 1.0f);
    const float width = wide * static_cast<float>(columns.size()) + pane.px(28);
    const float height = pitch / kPitch * tallest + pane.px(72);
    const Point c = pane.box.center();
    const Rect card{c.x - width / 2, std::max(pane.box.y0, c.y - height / 2), c.x + width / 2,
                    std::min(pane.box.y1, c.y + height / 2)};
    raised_card(pane.brush, card);
    Rect rest = card.inset(pane.px(26), pane.px(18));
    const Rect head = rest.cut_top(pane.px(28));
    text_in(pane.brush, Face::title, head, colors.strong, "Keys", Align::left);
    text_in(pane.brush, Face::caption, head, colors.quiet, "Esc closes", Align::right);
    for (const auto& column : columns) {
        Rect box = rest.cut_left(wide);
        box.x1 -= pane.px(14);
        for (const KeyGroup* group : column) draw_group(pane, box, *group, pitch);
    }
    return pane.clicked(pane.box) ? Intent{Intent::Kind::keys, 0} : Intent{};
}

}  // namespace lanewise::viz
