// Measures what a whole screen writes: text that overlaps text, or is cut off at a side.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "viz/testing/headless.testing.hpp"

namespace lanewise::viz::testing {

// Keeps texts as they are drawn; what is drawn over them later takes them away.
class TextCanvas final : public Canvas {
public:
    struct Label {
        std::string text;
        Rect box;    // from the baseline to the height of capitals
        Rect clip;
    };
    std::vector<Label> labels;

    void fill(const Rect& box, Color color, float) override {
        if (color >> 24 < 0xc0) return;
        const Rect seen = cut(box);
        std::erase_if(
            labels, [&](const Label& label) { return label.box.overlaps(seen) && seen.contains(label.box.center()); });
        // A card that hides an end of a label leaves the rest.
        for (Label& label : labels) {
            if (!label.box.overlaps(seen) || seen.y0 > label.box.y0 || seen.y1 < label.box.y1) continue;
            if (seen.x1 >= label.box.x1) label.box.x1 = label.clip.x1 = seen.x0;
            else if (seen.x0 <= label.box.x0) label.box.x0 = label.clip.x0 = seen.x1;
        }
    }
    void outline(const Rect&, Color, float, float) override {}
    void line(Point, Point, Color, float) override {}
    void polyline(std::span<const Point>, Color, float) override {}
    void polygon(std::span<const Point>, Color) override {}
    void circle(Point, float, Color) override {}
    void ring(Point, float, Color, float) override {}
    void arc(Point, Point, const ArcStyle&) override {}
    // What is scrolled away fades: its labels are half there.
    void gradient(const Rect& box, Color from, Color to, Towards) override {
        if (from >> 24 == 0 || to >> 24 == 0)
            std::erase_if(labels, [&](const Label& label) { return label.box.overlaps(cut(box)); });
    }
    void text(const Fonts::Cut& font, Point at, Color color, std::string_view text, float width) override {
        if (text.empty() || color >> 24 < 0x30) return;
        labels.push_back({std::string(text),
                          {at.x, at.y + font.ascent - font.cap, at.x + width, at.y + font.ascent},
                          clips_.back()});
    }
    void push_clip(const Rect& box) override { clips_.push_back(cut(box)); }
    void pop_clip() override { clips_.pop_back(); }

    // A sentence for each fault, at most `most`.
    std::vector<std::string> faults(float scale, std::size_t most = 8) const {
        std::vector<std::string> found;
        const auto seen = [](const Label& label) {
            return label.box.y0 >= label.clip.y0 && label.box.y1 <= label.clip.y1 && label.clip.x1 > label.clip.x0;
        };
        std::vector<const Label*> all;
        for (const Label& label : labels)
            if (seen(label)) all.push_back(&label);
        std::sort(all.begin(), all.end(), [](const Label* a, const Label* b) { return a->box.y0 < b->box.y0; });
        for (std::size_t i = 0; i < all.size() && found.size() < most; ++i) {
            const Label& label = *all[i];
            if (label.box.x1 <= label.clip.x0 || label.box.x0 >= label.clip.x1) continue;
            if (label.box.x0 < label.clip.x0 - scale || label.box.x1 > label.clip.x1 + scale)
                found.push_back("\"" + label.text + "\" is cut off at a side");
            for (std::size_t k = i + 1; k < all.size() && all[k]->box.y0 < label.box.y1; ++k)
                if (label.box.inset(scale * 0.6f).overlaps(all[k]->box.inset(scale * 0.6f)) &&
                    label.clip.overlaps(all[k]->clip))
                    found.push_back("\"" + label.text + "\" and \"" + all[k]->text + "\" overlap");
        }
        return found;
    }

private:
    Rect cut(const Rect& box) const {
        const Rect& now = clips_.back();
        return {std::max(box.x0, now.x0), std::max(box.y0, now.y0), std::min(box.x1, now.x1), std::min(box.y1, now.y1)};
    }
    std::vector<Rect> clips_{Rect{-1e9f, -1e9f, 1e9f, 1e9f}};
};

}  // namespace lanewise::viz::testing
