// ImGui without a window, for tests: frames are laid out and their draw lists thrown away; the mouse is moved by hand.
#pragma once

#include <functional>

#include "viz/views/pane.hpp"

namespace lanewise::viz::testing {

class Headless {
public:
    Headless(float width, float height, float scale = 1) : scale_(scale) {
        context_ = ImGui::CreateContext();
        ImGui::SetCurrentContext(context_);
        ImGuiIO& io = ImGui::GetIO();
        io.IniFilename = nullptr;
        io.DisplaySize = {width, height};
        fonts = Fonts::load(scale);
        unsigned char* pixels = nullptr;
        int w = 0, h = 0;
        io.Fonts->GetTexDataAsAlpha8(&pixels, &w, &h);
    }
    ~Headless() { ImGui::DestroyContext(context_); }
    Headless(const Headless&) = delete;
    Headless& operator=(const Headless&) = delete;

    Fonts fonts;
    Point mouse{-1e6f, -1e6f};
    bool down = false, right = false;   // buttons
    bool ctrl = false;
    float wheel = 0;                    // notches in every frame

    Look look() const { return {&dark_theme(), &fonts, scale_}; }
    Rect window() const { return {0, 0, ImGui::GetIO().DisplaySize.x, ImGui::GetIO().DisplaySize.y}; }

    // One frame: `draw` is called inside it. Returns the number of vertices it made.
    int frame(const std::function<void()>& draw) {
        ImGui::SetCurrentContext(context_);
        ImGuiIO& io = ImGui::GetIO();
        io.DeltaTime = 1.0f / 60;
        io.MousePos = {mouse.x, mouse.y};
        io.MouseDown[0] = down;
        io.MouseDown[1] = right;
        io.KeyCtrl = ctrl;
        io.MouseWheel = wheel;
        ImGui::NewFrame();
        draw();
        ImGui::Render();
        return ImGui::GetDrawData()->TotalVtxCount;
    }

private:
    ImGuiContext* context_ = nullptr;
    float scale_;
};

}  // namespace lanewise::viz::testing
