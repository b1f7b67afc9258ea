// ImGui for as long as this lives: a context without files of its own, fonts, and the OpenGL backend.
#pragma once

#if __has_include(<backends/imgui_impl_opengl3.h>)
#include <backends/imgui_impl_opengl3.h>
#else
#include <imgui_impl_opengl3.h>
#endif

#include <cstdio>
#include <future>
#include <memory>

#include "common/base/error.hpp"
#include "viz/widgets/paint.hpp"

namespace lanewise::viz {

// Fonts cut by a thread of their own while the window is opened: both take a tenth of a second of a slow core. Where
// ImGui cuts letters as they are drawn, nothing is to be done ahead. The Gui that takes them must be made before any
// other context of ImGui's.
class FontsAhead {
public:
    explicit FontsAhead(float scale) : scale_(scale) {
        if constexpr (!kFontsAreDynamic) {
            atlas_ = std::make_unique<ImFontAtlas>();
            fonts_ = std::async(std::launch::async, [atlas = atlas_.get(), scale] {
                Fonts fonts = Fonts::load(*atlas, scale);
                unsigned char* pixels = nullptr;
                int width = 0, height = 0;
                atlas->GetTexDataAsRGBA32(&pixels, &width, &height);   // as the backend uploads them
                return fonts;
            });
        }
    }

private:
    friend class Gui;
    float scale_;
    std::unique_ptr<ImFontAtlas> atlas_;
    std::future<Fonts> fonts_;   // gone first: it waits for its thread
};

class Gui {
public:
    // With an OpenGL context current. `scale` is that of the monitor or of the picture.
    explicit Gui(float scale) : Gui(scale, nullptr) {}
    // With fonts that were cut ahead; they are cut anew where the scale turned out to be another.
    Gui(float scale, FontsAhead& ahead) : Gui(scale, &ahead) {}
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
    Gui(float scale, FontsAhead* ahead) : scale_(scale) {
        IMGUI_CHECKVERSION();
        const bool cut = ahead && ahead->fonts_.valid();
        if (cut) {
            fonts_ = ahead->fonts_.get();
            atlas_ = std::move(ahead->atlas_);
        }
        ImGui::CreateContext(atlas_.get());
        ImGuiIO& io = ImGui::GetIO();
        io.IniFilename = nullptr;
        io.LogFilename = nullptr;
        if (!cut || ahead->scale_ != scale) {
            if (cut) io.Fonts->Clear();
            fonts_ = Fonts::load(scale);
        }
        if (!fonts_.notice().empty()) std::fprintf(stderr, "%s\n", fonts_.notice().c_str());
        if (!ImGui_ImplOpenGL3_Init("#version 150")) {
            ImGui::DestroyContext();
            throw NoDisplay("OpenGL 3.2 could not be set up for the window.");
        }
    }

    static void upload() {
#if IMGUI_VERSION_NUM < 19200
        ImGui_ImplOpenGL3_DestroyFontsTexture();
        ImGui_ImplOpenGL3_CreateFontsTexture();
#endif
    }

    float scale_;
    std::unique_ptr<ImFontAtlas> atlas_;   // null: the context's own
    Fonts fonts_;
};

}  // namespace lanewise::viz
