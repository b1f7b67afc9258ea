// How long a frame takes: building the draw lists, and drawing them with whatever OpenGL there is without a display.
//     build/bench/frame_bench [WIDTHxHEIGHT]
#include <GL/gl.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "viz/app/app.hpp"
#include "viz/app/gui.hpp"
#include "viz/app/offscreen.hpp"
#include "viz/views/sample_runs.hpp"

namespace {

using namespace lanewise;
using Clock = std::chrono::steady_clock;

double milliseconds(Clock::time_point from) { return std::chrono::duration<double, std::milli>(Clock::now() - from).count(); }

double median(std::vector<double> samples) {
    std::sort(samples.begin(), samples.end());
    return samples[samples.size() / 2];
}

void measure(const char* name, viz::App& app, const viz::Gui& gui, const viz::Offscreen& offscreen, int width, int height) {
    ImGuiIO& io = ImGui::GetIO();
    std::vector<double> build, draw;
    int vertices = 0;
    for (int i = 0; i < 60; ++i) {
        io.DisplaySize = {static_cast<float>(width), static_cast<float>(height)};
        io.DeltaTime = 1.0f / 60;
        const auto began = Clock::now();
        ImGui_ImplOpenGL3_NewFrame();
        ImGui::NewFrame();
        app.frame(gui.look(app.theme()), {0, 0, io.DisplaySize.x, io.DisplaySize.y}, 1.0f / 60);
        ImGui::Render();
        const double built = milliseconds(began);
        const auto drawing = Clock::now();
        glClear(GL_COLOR_BUFFER_BIT);
        ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
        offscreen.finish();
        if (i < 5) continue;   // the first frames build fonts and shaders
        build.push_back(built);
        draw.push_back(milliseconds(drawing));
        vertices = ImGui::GetDrawData()->TotalVtxCount;
    }
    std::printf("%-34s %6.2f ms to build, %6.2f ms to draw, %6.2f ms a frame, %d vertices\n", name, median(build), median(draw),
                median(build) + median(draw), vertices);
}

}  // namespace

int main(int argc, char** argv) {
    int width = 1600, height = 900;
    if (argc > 1 && (std::sscanf(argv[1], "%dx%d", &width, &height) != 2 || width <= 0 || height <= 0)) {
        std::fprintf(stderr, "%s is not a size; write one like 1600x900.\n", argv[1]);
        return 2;
    }
    try {
        const viz::Offscreen offscreen(width, height);
        const viz::Gui gui(1.0f);
        std::printf("%dx%d on %s\n", width, height, offscreen.renderer().c_str());
        struct Case {
            const char* name;
            const char* variant;
            std::size_t step;
            const char* with;
            bool playing;
        };
        for (const Case& each : {Case{"one warp, xor 8", "warp_sum_xor", 2, "", false},
                                 Case{"one warp, playing", "warp_sum_xor", 1, "", true},
                                 Case{"two blocks of 8 warps", "block_sum_two_level", 3, "", false},
                                 Case{"shared tree of 256", "block_sum_shared", 5, "", false},
                                 Case{"two variants beside each other", "warp_sum_xor", 2, "block_sum_two_level", false}}) {
            lesson::WindowRequest request;
            request.variant = each.variant;
            request.has_step = true;
            request.step = each.step;
            if (*each.with) request.compare = {each.variant, each.with};
            viz::App app(viz::samples::presentation(), request);
            app.settle();
            if (each.playing) app.press(viz::Key::space);
            measure(each.name, app, gui, offscreen, width, height);
        }
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
