// ImGui without a renderer, for pictures that are not pixels: frames are laid out, and what panes draw goes to a
// canvas.
#pragma once

#include <cstdio>

#include "viz/widgets/paint.hpp"

namespace lanewise::viz {

class Paper {
public:
    Paper(float width, float height, float scale)
        : scale_(scale), before_(ImGui::GetCurrentContext()), context_(ImGui::CreateContext()) {
        ImGui::SetCurrentContext(context_);
        ImGuiIO& io = ImGui::GetIO();
        io.IniFilename = nullptr;
        io.LogFilename = nullptr;
        io.DisplaySize = {width, height};
        io.MousePos = {-1e6f, -1e6f};
        io.DeltaTime = 1;   // motion is over
        fonts_ = Fonts::load(scale);
        if (!fonts_.notice().empty()) std::fprintf(stderr, "%s\n", fonts_.notice().c_str());
        unsigned char* pixels = nullptr;
        int w = 0, h = 0;
        io.Fonts->GetTexDataAsAlpha8(&pixels, &w, &h);   // a frame cannot begin before the atlas is built
    }
    ~Paper() {
        ImGui::DestroyContext(context_);
        ImGui::SetCurrentContext(before_);
    }
    Paper(const Paper&) = delete;
    Paper& operator=(const Paper&) = delete;

    const Fonts& fonts() const { return fonts_; }
    Rect page() const { return {0, 0, ImGui::GetIO().DisplaySize.x, ImGui::GetIO().DisplaySize.y}; }
    // Lays out one frame: `draw` is called in it.
    template <typename Draw>
    void frame(const Theme& theme, Canvas* canvas, const Draw& draw) {
        ImGui::NewFrame();
        draw(Look{&theme, &fonts_, scale_, canvas});
        ImGui::EndFrame();
    }

private:
    float scale_;
    ImGuiContext* before_;   // a window may be in the middle of its own frame
    ImGuiContext* context_;
    Fonts fonts_;
};

}  // namespace lanewise::viz
