// ImGui without a window, for tests: frames are laid out and their draw lists thrown away; the mouse is moved by hand.
#pragma once

#include <functional>

#include "viz/model/run_view.hpp"
#include "viz/model/pane.hpp"
#include "viz/model/selection.hpp"

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
    Canvas* canvas = nullptr;           // where panes draw; null: on the screen

    Look look() const { return {&dark_theme(), &fonts, scale_, canvas}; }
    Rect window() const { return {0, 0, ImGui::GetIO().DisplaySize.x, ImGui::GetIO().DisplaySize.y}; }

    // One frame: `draw` is called inside it. Returns the number of vertices it made.
    int frame(const std::function<void()>& draw) {
        ImGui::SetCurrentContext(context_);
        ImGuiIO& io = ImGui::GetIO();
        io.DeltaTime = 1.0f / 60;
        io.MousePos = {mouse.x, mouse.y};
        io.MouseDown[0] = down;
        io.MouseDown[1] = right;
        hold_ctrl(io);
        io.MouseWheel = wheel;
        ImGui::NewFrame();
        draw();
        ImGui::Render();
        return ImGui::GetDrawData()->TotalVtxCount;
    }

    // The same inside a window that fills the display.
    int in_window(const std::function<void()>& draw) {
        return frame([&] {
            ImGui::SetNextWindowPos({0, 0});
            ImGui::SetNextWindowSize(ImGui::GetIO().DisplaySize);
            ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
            ImGui::Begin("test", nullptr, ImGuiWindowFlags_NoDecoration);
            draw();
            ImGui::End();
            ImGui::PopStyleVar();
        });
    }
    // The same inside a pane that fills the window.
    int in_pane(const std::function<void(const Pane&)>& draw, Pane::Scroll scroll = Pane::Scroll::none) {
        return in_window([&] {
            const Pane pane(look(), "pane", window(), 0, scroll);
            draw(pane);
        });
    }
    // A click of the left button. `frame` draws a frame and returns what was asked in it; so does this.
    template <class Frame>
    Intent click(Point at, const Frame& frame) {
        mouse = at;
        Intent asked;
        for (const bool pressed : {false, true, false}) {
            down = pressed;
            if (const Intent intent = frame()) asked = intent;
        }
        return asked;
    }

private:
    // 1.92 works out KeyCtrl from events alone.
    void hold_ctrl(ImGuiIO& io) const {
#if IMGUI_VERSION_NUM >= 18900
        io.AddKeyEvent(ImGuiMod_Ctrl, ctrl);
#else
        io.KeyCtrl = ctrl;
#endif
    }

    ImGuiContext* context_ = nullptr;
    float scale_;
};

// Standing still at a step.
inline Playhead at_step(const RunView& run_view, std::size_t step) {
    Playhead playhead;
    playhead.count = run_view.steps().size();
    playhead.step = step;
    return playhead;
}

}  // namespace lanewise::viz::testing
