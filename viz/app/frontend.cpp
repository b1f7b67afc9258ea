#include "viz/app/frontend.hpp"

#include <GL/gl.h>

#include "common/base/error.hpp"
#include "viz/app/app.hpp"
#include "viz/app/gui.hpp"
#include "viz/app/image.hpp"
#include "viz/app/offscreen.hpp"
#include "viz/app/paper.hpp"
#include "viz/app/window.hpp"
#include "viz/views/describe.hpp"
#include "viz/views/rounding_scene.hpp"
#include "viz/widgets/svg_canvas.hpp"

namespace lanewise::viz {
namespace {

// A picture shows what the eye sees once everything has come to rest: a few frames, and motion over.
constexpr int kFramesToRest = 3;

void draw_once(App& app, const Gui& gui, int width, int height) {
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = {static_cast<float>(width), static_cast<float>(height)};
    io.DeltaTime = 1.0f;
    io.MousePos = {-1e6f, -1e6f};
    ImGui_ImplOpenGL3_NewFrame();
    ImGui::NewFrame();
    app.frame(gui.look(app.theme()), {0, 0, io.DisplaySize.x, io.DisplaySize.y}, io.DeltaTime);
    ImGui::Render();
}

void check_size(const lesson::WindowRequest& request) {
    if (request.width > 0 && request.height > 0) return;
    throw Error("A picture of " + std::to_string(request.width) + "x" + std::to_string(request.height) +
                " has no pixels; ask for something like --size 1600x900.");
}

class OwnFrontend final : public lesson::Frontend {
public:
    void window(const lesson::Presentation& presentation, const lesson::WindowRequest& request) override {
        run_window(presentation, request);
    }

    void screenshot(const lesson::Presentation& presentation, const lesson::WindowRequest& request,
                    const std::string& path) override {
        check_size(request);
        App app(presentation, request);
        const Offscreen offscreen(request.width, request.height);
        const Gui gui(request.scale > 0 ? request.scale : 1.0f);
        app.settle();
        for (int i = 0; i < kFramesToRest; ++i) draw_once(app, gui, request.width, request.height);
        ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
        save_png(path, offscreen.read());
    }

    void svg(const lesson::Presentation& presentation, const lesson::WindowRequest& request, const std::string& path) override {
        check_size(request);
        App app(presentation, request);
        Paper paper(static_cast<float>(request.width), static_cast<float>(request.height), request.scale > 0 ? request.scale : 1.0f);
        app.settle();
        const auto draw = [&](const Look& look) { app.picture(look, paper.page()); };
        for (int i = 1; i < kFramesToRest; ++i) paper.frame(app.theme(), nullptr, draw);
        SvgCanvas canvas(paper.page().width(), paper.page().height(), app.theme().ground, paper.fonts());
        paper.frame(app.theme(), &canvas, draw);
        const bool told = request.compare.empty() && (request.view == lesson::View::stage || request.view == lesson::View::rounding);
        save_picture(path, canvas.document(app.title(), told ? describe(presentation, request) : app.title()));
    }

    std::string describe(const lesson::Presentation& presentation, const lesson::WindowRequest& request) override {
        const Exhibit exhibit(presentation.run(request.variant));
        const std::string& file = exhibit.run->kernel_file.empty() ? presentation.kernel_file : exhibit.run->kernel_file;
        const std::size_t step = request.has_step ? request.step : 0;
        std::string text = describe_step(exhibit, file, step, request.block, request.warp);
        if (request.view == lesson::View::rounding)
            text += describe_rounding(exhibit.steps(), steps::build_rounding(exhibit.steps()), step, request.block, request.warp);
        return text;
    }
};

}  // namespace

std::unique_ptr<lesson::Frontend> make_frontend() { return std::make_unique<OwnFrontend>(); }

}  // namespace lanewise::viz
