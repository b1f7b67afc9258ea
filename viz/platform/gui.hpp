// ImGui for as long as this lives: a context without files of its own, fonts, and the OpenGL backend.
#pragma once

#if __has_include(<backends/imgui_impl_opengl3.h>)
#include <backends/imgui_impl_opengl3.h>
#else
#include <imgui_impl_opengl3.h>
#endif

#include <cstdio>

#include "common/base/error.hpp"
#include "viz/widgets/paint.hpp"

namespace lanewise::viz {

class Gui {
public:
    // With an OpenGL context current. `scale` is that of the monitor or of the picture.
    explicit Gui(float scale) : scale_(scale) {
        IMGUI_CHECKVERSION();
        ImGui::CreateContext();
        ImGuiIO& io = ImGui::GetIO();
        io.IniFilename = nullptr;
        io.LogFilename = nullptr;
        fonts_ = Fonts::load(scale);
        if (!fonts_.notice().empty()) std::fprintf(stderr, "%s\n", fonts_.notice().c_str());
        if (!ImGui_ImplOpenGL3_Init("#version 150")) {
            ImGui::DestroyContext();
            throw NoDisplay("OpenGL 3.2 could not be set up for the window.");
        }
    }
    ~Gui() {
        ImGui_ImplOpenGL3_Shutdown();
        ImGui::DestroyContext();
    }
    Gui(const Gui&) = delete;
    Gui& operator=(const Gui&) = delete;

    Look look(const Theme& theme) const { return {&theme, &fonts_, scale_}; }
    float scale() const { return scale_; }

    // After ImGui::Render(): draws the frame into the current framebuffer, on the theme's ground. No view fills that
    // ground itself: at 1920x1080 on one core of llvmpipe each layer over the whole window takes 17 ms, and this none.
    void draw(const Theme& theme) const;

    // Between frames: fonts of another size, or with letters that were not needed before. Does nothing where neither is
    // so.
    void fit(float scale, const std::string& outside) {
        if (scale == scale_ && fonts_.covers(outside)) return;
        scale_ = scale;
        ImGui::GetIO().Fonts->Clear();
        fonts_ = Fonts::load(scale, outside);
        if constexpr (!kFontsAreDynamic) upload();
    }

private:
    static void upload() {
#if IMGUI_VERSION_NUM < 19200
        ImGui_ImplOpenGL3_DestroyFontsTexture();
        ImGui_ImplOpenGL3_CreateFontsTexture();
#endif
    }

    float scale_;
    Fonts fonts_;
};

}  // namespace lanewise::viz
