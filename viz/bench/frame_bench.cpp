// How long a frame takes: building the draw lists, and drawing them with whatever OpenGL there is without a display.
//     build/bench/frame_bench [WIDTHxHEIGHT] [TRACE.ndjson…]     without traces: samples
// LP_NUM_THREADS=0 keeps Mesa's llvmpipe to one thread; its processor time then hardly depends on what else runs.
#include <GL/gl.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "common/run/front_end.hpp"
#include "common/trace/io.hpp"
#include "viz/app/app.hpp"
#include "viz/platform/gui.hpp"
#include "viz/platform/offscreen.hpp"
#include "viz/testing/sample_runs.hpp"

namespace {

using namespace lanewise;
using Clock = std::chrono::steady_clock;

double milliseconds(Clock::time_point from) {
    return std::chrono::duration<double, std::milli>(Clock::now() - from).count();
}

// Processor time of all threads: what a frame costs however busy the machine is otherwise.
double cpu_milliseconds() { return 1000.0 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

double median(std::vector<double> samples) {
    std::sort(samples.begin(), samples.end());
    return samples[samples.size() / 2];
}

void measure(const char* name, viz::App& app, const viz::Gui& gui, const viz::Offscreen& offscreen, int width,
             int height) {
    ImGuiIO& io = ImGui::GetIO();
    std::vector<double> build, draw, cpu;
    int vertices = 0;
    for (int i = 0; i < 60; ++i) {
        io.DisplaySize = {static_cast<float>(width), static_cast<float>(height)};
        io.DeltaTime = 1.0f / 60;
        const auto began = Clock::now();
        const double spent = cpu_milliseconds();
        ImGui_ImplOpenGL3_NewFrame();
        ImGui::NewFrame();
        app.frame(gui.look(app.theme()), {0, 0, io.DisplaySize.x, io.DisplaySize.y}, 1.0f / 60);
        ImGui::Render();
        const double built = milliseconds(began);
        const auto drawing = Clock::now();
        gui.draw(app.theme());
        offscreen.finish();
        if (i < 5) continue;   // the first frames build fonts and shaders
        build.push_back(built);
        draw.push_back(milliseconds(drawing));
        cpu.push_back(cpu_milliseconds() - spent);
        vertices = ImGui::GetDrawData()->TotalVtxCount;
    }
    std::printf(
        "%-34s %6.2f ms to build, %6.2f ms to draw, %6.2f ms a frame, %6.2f ms of processor time, %d vertices\n", name,
        median(build), median(draw), median(build) + median(draw), median(cpu), vertices);
}

// One step to measure.
struct Case {
    std::string name;
    std::string variant;
    std::size_t step = 0;
    std::string with;      // a second variant, beside it
    bool playing = false;
};

void measure(const run::Presentation& presentation, const Case& each, const viz::Gui& gui,
             const viz::Offscreen& offscreen, int width, int height) {
    run::WindowRequest request;
    request.variant = each.variant;
    request.has_step = true;
    request.step = each.step;
    if (!each.with.empty()) request.compare = {each.variant, each.with};
    viz::App app(presentation, request);
    app.settle();
    if (each.playing) app.press(viz::Key::space);
    measure(each.name.c_str(), app, gui, offscreen, width, height);
}

// The steps of saved traces: the first, the one in the middle, the last; and playing from the first.
run::Presentation present(const std::vector<std::string>& paths, std::vector<Case>& cases) {
    run::Presentation shown = viz::samples::presentation();
    shown.variants.clear();
    for (const std::string& path : paths) {
        auto run = std::make_shared<run::Run>();
        run->trace = trace::load(path);
        run->steps = steps::build_steps(run->trace);
        run->origin = "file " + path;
        shown.variants.push_back({path, run->trace.header.variant, "", false});
        shown.services.run =
            [run, path, before = shown.services.run](const std::string& variant) -> std::shared_ptr<const run::Run> {
            return variant == path ? run : before(variant);
        };
        const std::size_t count = run->steps.size();
        for (const std::size_t step : {std::size_t{0}, count / 2, count - 1}) {
            if (count > 0)
                cases.push_back(
                    {run->trace.header.variant + ", step " + std::to_string(step + 1), path, step, "", false});
        }
        if (count > 0) cases.push_back({run->trace.header.variant + ", playing", path, 0, "", true});
    }
    return shown;
}

}  // namespace

int main(int argc, char** argv) {
    int width = 1600, height = 900;
    std::vector<std::string> traces;
    for (int i = 1; i < argc; ++i) {
        if (std::string(argv[i]).ends_with(".ndjson")) traces.push_back(argv[i]);
        else if (std::sscanf(argv[i], "%dx%d", &width, &height) != 2 || width <= 0 || height <= 0) {
            std::fprintf(
                stderr,
                "%s is neither a size nor a trace; write one like 1600x900, or a file's name that ends with .ndjson.\n",
                argv[i]);
            return 2;
        }
    }
    try {
        const viz::Offscreen offscreen(width, height);
        const viz::Gui gui(1.0f);
        std::printf("%dx%d on %s\n", width, height, offscreen.renderer().c_str());
        std::vector<Case> cases{{"one warp, xor 8", "warp_sum_xor", 2, "", false},
                                {"one warp, playing", "warp_sum_xor", 1, "", true},
                                {"two blocks of 8 warps", "block_sum_two_level", 3, "", false},
                                {"shared tree of 256", "block_sum_shared", 5, "", false},
                                {"two variants beside each other", "warp_sum_xor", 2, "block_sum_two_level", false}};
        if (!traces.empty()) cases.clear();
        const run::Presentation presentation = traces.empty() ? viz::samples::presentation() : present(traces, cases);
        for (const Case& each : cases) measure(presentation, each, gui, offscreen, width, height);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
