// A scene is laid out once and then moved: scrolled, dragged, eased from where it stood a step ago.
#include <tuple>

#include "viz/views/stage/scene.hpp"

namespace lanewise::viz {
namespace {

// Every place in a band's content, once.
template <class OnPoint, class OnBox>
void each_place(Band& band, const OnPoint& on_point, const OnBox& on_box) {
    for (Arc& arc : band.arcs) {
        on_point(arc.from);
        on_point(arc.to);
    }
    for (Word& word : band.words) {
        on_box(word.box);
        on_box(word.tag_box);
    }
    for (WordLine& line : band.lines) {
        for (Point* point : {&line.from, &line.to, &line.over, &line.under}) on_point(*point);
    }
    for (WordRow& row : band.word_rows) {
        on_box(row.strip);
        on_box(row.caption_box);
    }
    for (WordBracket& bracket : band.brackets) {
        on_box(bracket.box);
        on_box(bracket.label_box);
    }
}

}  // namespace

int Scene::lane_at(float x) const {
    if (x < lanes_x0 || cell <= 0) return -1;
    const int lane = static_cast<int>((x - lanes_x0) / cell);
    return lane < lanes ? lane : -1;
}

std::size_t Scene::band_at(float y) const {
    for (std::size_t i = 0; i < bands.size(); ++i) {
        if (y >= rows[i].y1 && y < rows[i + 1].y1) return i;
    }
    return bands.size();
}

void Scene::move(float dx, float dy) {
    lanes_x0 += dx;
    const auto point = [&](Point& p) { p = {p.x + dx, p.y + dy}; };
    const auto box = [&](Rect& r) { r = r.moved(dx, dy); };
    for (Row& row : rows) {
        row.y0 += dy;
        row.y1 += dy;
        for (LaneCell& each : row.lanes) {
            box(each.box);
            box(each.text_box);
        }
    }
    for (Band& band : bands) {
        box(band.box);
        each_place(band, point, box);
    }
}

void Scene::place_rows(const std::vector<std::pair<float, float>>& places) {
    if (places.size() != rows.size()) return;
    std::vector<std::pair<float, float>> before;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        Row& row = rows[i];
        before.emplace_back(row.y0, row.y1);
        std::tie(row.y0, row.y1) = places[i];
        for (LaneCell& each : row.lanes) {
            each.box.y0 = each.text_box.y0 = row.y0;
            each.box.y1 = each.text_box.y1 = row.y1;
        }
    }
    for (std::size_t i = 0; i < bands.size(); ++i) {
        const float from = before[i].second, room = before[i + 1].first - from;
        const float to = rows[i].y1;
        const float share = room > 0 ? (rows[i + 1].y0 - to) / room : 1;
        const auto y_of = [&](float y) { return to + (y - from) * share; };
        const auto point = [&](Point& p) { p.y = y_of(p.y); };
        // Boxes with text in them keep their height.
        const auto box = [&](Rect& r) { r = r.moved(0, y_of(r.center().y) - r.center().y); };
        bands[i].box.y0 = y_of(bands[i].box.y0);
        bands[i].box.y1 = y_of(bands[i].box.y1);
        each_place(bands[i], point, box);
    }
}

}  // namespace lanewise::viz
