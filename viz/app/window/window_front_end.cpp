#include "viz/app/window/window_front_end.hpp"

#include <GL/gl.h>

#include "common/base/error.hpp"
#include "common/scene/boxes/suppression.hpp"
#include "common/scene/describe.hpp"
#include "common/scene/compare/side_by_side.hpp"
#include "common/scene/sums/sums.hpp"
#include "viz/app/app.hpp"
#include "viz/platform/gui.hpp"
#include "viz/platform/image.hpp"
#include "viz/platform/offscreen.hpp"
#include "viz/platform/paper.hpp"
#include "viz/app/window/window.hpp"
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

void check_size(const run::WindowRequest& request) {
    if (request.width > 0 && request.height > 0) return;
    throw Error("A picture of " + std::to_string(request.width) + "x" + std::to_string(request.height) +
                " has no pixels; ask for something like --size 1600x900.");
}

// What the view in the middle says besides the step.
std::string described_view(const run::Run& run, std::size_t step, const run::WindowRequest& request) {
    if (request.view == run::View::rounding)
        return describe_rounding(Sums(run.steps), step, request.block, request.warp);
    if (request.view == run::View::boxes) return "\n" + describe_suppression(suppression_of(run.steps), step);
    if (request.view != run::View::tree) return {};
    return "\n" + describe_sum_tree(Sums(run.steps), step, request.block, request.warp, request.lane);
}

std::string title_of(const run::Presentation& presentation, const std::string& variant) {
    for (const run::VariantInfo& info : presentation.variants)
        if (info.name == variant) return info.title;
    return variant;
}

std::string described_comparison(const run::Presentation& presentation, const run::WindowRequest& request) {
    std::vector<std::shared_ptr<const run::Run>> kept;
    std::vector<ComparedRun> sides;
    std::vector<const run::Run*> runs;
    for (const std::string& name : request.compare) {
        kept.push_back(presentation.services.run_beside ? presentation.services.run_beside(name, request.compare)
                                                        : presentation.services.run(name));
        runs.push_back(kept.back().get());
        sides.push_back({name, runs.back(), title_of(presentation, name)});
    }
    SideBySide steps;
    steps.align(runs);
    const std::size_t place = request.first_step(steps.size());
    std::string all =
        describe_comparison(sides, presentation.kernel_file, presentation.timings, place, request.block, request.warp);
    if (request.view == run::View::stage) return all;
    // Each side's own view, at the step that it is at.
    for (std::size_t s = 0; s < sides.size(); ++s) {
        const std::size_t step = steps.step_of(s, place);
        all += "\n" + sides[s].name + described_view(*runs[s], step == kNoStep ? 0 : step, request);
    }
    return all;
}

class WindowFrontEnd final : public run::FrontEnd {
public:
    void window(const run::Presentation& presentation, const run::WindowRequest& request) override {
        run_window(presentation, request);
    }

    void screenshot(const run::Presentation& presentation, const run::WindowRequest& request,
                    const std::string& path) override {
        check_size(request);
        App app(presentation, request);
        const Offscreen offscreen(request.width, request.height);
        Gui gui(request.scale > 0 ? request.scale : 1.0f);
        app.settle();
        gui.fit(gui.scale(), app.outside_text());
        for (int i = 0; i < kFramesToRest; ++i) draw_once(app, gui, request.width, request.height);
        gui.draw(app.theme());
        save_png(path, offscreen.read());
    }

    void svg(const run::Presentation& presentation, const run::WindowRequest& request,
             const std::string& path) override {
        check_size(request);
        App app(presentation, request);
        Paper paper(static_cast<float>(request.width), static_cast<float>(request.height),
                    request.scale > 0 ? request.scale : 1.0f);
        app.settle();
        const auto draw = [&](const Look& look) { app.picture(look, paper.page()); };
        for (int i = 1; i < kFramesToRest; ++i) paper.frame(app.theme(), nullptr, draw);
        SvgCanvas canvas(paper.page().width(), paper.page().height(), app.theme().ground, paper.fonts());
        paper.frame(app.theme(), &canvas, draw);
        const bool described =
            request.compare.empty() && (request.view == run::View::stage || request.view == run::View::rounding);
        save_picture(path, canvas.document(app.title(), described ? describe(presentation, request) : app.title()));
    }

    std::string describe(const run::Presentation& presentation, const run::WindowRequest& request) override {
        if (request.compare.size() > 1) return described_comparison(presentation, request);
        const std::shared_ptr<const run::Run> run = presentation.services.run(request.variant);
        const std::size_t step = request.first_step(run->steps.size());
        const std::string& file = run->kernel_file.empty() ? presentation.kernel_file : run->kernel_file;
        return describe_step(*run, file, step, request.block, request.warp, request.lane) +
               described_view(*run, step, request);
    }
};

}  // namespace

std::unique_ptr<run::FrontEnd> make_front_end() { return std::make_unique<WindowFrontEnd>(); }

}  // namespace lanewise::viz
