// Every view, in both themes and at the sizes that people have: no label overlaps another or is cut off. Runs are
// recordings, so numbers are as long as they are.
#include <gtest/gtest.h>

#include <filesystem>

#include "common/base/whole_file.hpp"
#include "common/run/front_end.hpp"
#include "common/steps/steps.hpp"
#include "common/trace/io.hpp"
#include "viz/app/app.hpp"
#include "viz/testing/sample_runs.hpp"
#include "viz/testing/screens.testing.hpp"

namespace lanewise::viz {
namespace {

using run::View;
using testing::Headless;
using testing::TextCanvas;

struct Screen {
    float width, height, scale;
};
constexpr Screen kScreens[] = {{1600, 900, 1}, {1280, 800, 1}, {800, 600, 1}, {2560, 1600, 2}};

// The recording LESSON/VARIANT of any GPU; empty where none has it.
std::filesystem::path path_of(const std::string& name) {
    for (const auto& gpu : std::filesystem::directory_iterator(LANEWISE_RECORDED))
        if (const auto path = gpu.path() / (name + ".ndjson"); std::filesystem::exists(path)) return path;
    return {};
}

std::shared_ptr<const run::Run> recorded(const std::string& name) {
    auto run = std::make_shared<run::Run>();
    run->trace = trace::load(path_of(name));
    run->steps = steps::build_steps(run->trace);
    run->origin = "recorded on NVIDIA H200 · 2026-11-22";
    run::Result result;
    result.output = "out";
    result.value = -190.761063;
    result.reference = -190.761073;
    result.bound = 0.0073;
    run->results = {result};
    return run;
}

run::Presentation presentation() {
    run::Presentation shown = samples::presentation();
    shown.variants.clear();
    shown.all_variants.clear();
    for (const auto& [name, title] :
         {std::pair{"09_at_the_limit/atomic_turn_f32", "atomic"},
          std::pair{"05_warp_shuffle/block_sum_shared", "shared tree"},
          std::pair{"05_warp_shuffle/block_sum_two_level", "two-level"},
          std::pair{"02_shared_memory/shared_tree_interleaved", "interleaved"},
          std::pair{"08_number_formats/block_all_reduce_sum_f16_f16", "f16"},
          std::pair{"12_dot_product/dot_product_f32x4_f32", "dot"},
          std::pair{"13_softmax/online_softmax_f32", "online"},
          std::pair{"14_layer_norm/layer_norm_welford", "Welford"}, std::pair{"17_nms/chain", "a chain"}}) {
        EXPECT_FALSE(path_of(name).empty()) << name << " is not recorded";
        shown.variants.push_back({name, title, "a recorded run", false});
        shown.all_variants.push_back(name);
    }
    shown.services.run = recorded;
    shown.lessons = {{"01_global_memory", "Global memory", "You have 256 numbers in global memory and want their sum.",
                      "/programs/01", "158 µs"},
                     {"05_samples", "Samples", "Thirty-two lanes hold one number each. You want the sum.",
                      "/programs/05", "23.4 µs · 3.10×"},
                     {"09_at_the_limit", "At the limit", std::string(300, 'w') + ". Done.", "", "19.88 µs · 1.02×"}};
    shown.ladder_source = "2^24 floats to one number · NVIDIA H200 · recorded 2026-11-22";
    shown.glossary =
        "## lane\nA thread's place in its warp.\nSource: Guide\n\n## barrier\nA point that all threads reach.\nSource: Guide\n";
    return shown;
}

void look_at(App& app, Headless& gui, const Screen& screen, const std::string& what) {
    for (int frame = 0; frame < 3; ++frame) {
        TextCanvas canvas;
        gui.canvas = &canvas;
        gui.frame([&] { app.frame(gui.look(), gui.window(), 1.0f); });
        gui.canvas = nullptr;
        if (frame < 2) {
            app.settle();
            continue;
        }
        EXPECT_GT(canvas.labels.size(), 12u) << what;
        for (const std::string& fault : canvas.faults(screen.scale))
            ADD_FAILURE() << what << " at " << screen.width << "x" << screen.height << ": " << fault;
    }
}

TEST(Screens, AreMeasured) {
    Headless gui(400, 300);
    TextCanvas canvas;
    gui.canvas = &canvas;
    gui.in_pane([&](const Pane& pane) {
        text(pane.brush, Face::body, {10, 10}, 0xffffffff, "0.133");
        text(pane.brush, Face::body, {30, 10}, 0xffffffff, "0.492");
        text(pane.brush, Face::body, {380, 60}, 0xffffffff, "beyond the edge");
        text(pane.brush, Face::body, {10, 100}, 0xffffffff, "alone");
    });
    const std::vector<std::string> faults = canvas.faults(1);
    ASSERT_EQ(faults.size(), 2u);
    EXPECT_EQ(faults[0], "\"0.133\" and \"0.492\" overlap");
    EXPECT_EQ(faults[1], "\"beyond the edge\" is cut off at a side");
}

TEST(Screens, OfOneVariantHaveNoFaultyLabel) {
    const std::size_t count = presentation().variants.size();
    ASSERT_GE(count, 3u);
    for (const Screen& screen : kScreens) {
        for (const bool dark : {true, false}) {
            run::WindowRequest request;
            request.variant = presentation().variants.front().name;
            request.dark = dark;
            Headless gui(screen.width, screen.height, screen.scale);
            App app(presentation(), request);
            app.settle();
            for (std::size_t variant = 0; variant < count; ++variant) {
                for (const Key view : {Key::none, letter('R'), letter('V')}) {
                    if (view != Key::none) app.press(view);
                    for (const std::size_t step : {std::size_t{1}, std::size_t{4}, std::size_t{9}, std::size_t{1000}}) {
                        app.apply({Intent::Kind::go_to, step});
                        look_at(
                            app, gui, screen,
                            app.state() + (view == Key::none ? "" : std::string(", view ") + static_cast<char>(view)));
                    }
                    if (view != Key::none) app.press(view);
                }
                app.press(Key::tab);
                app.settle();
            }
            for (const char view : {'B', 'T', 'U', 'H', 'Y', '?'}) {
                app.press(letter(view));
                look_at(app, gui, screen, std::string("view ") + view);
                app.press(Key::escape);
            }
            app.press(Key::f10);
            look_at(app, gui, screen, "the menu");
            app.press(Key::escape);
        }
    }
}

TEST(Screens, OfTwoToFourVariantsHaveNoFaultyLabel) {
    for (const Screen& screen : kScreens) {
        for (const bool dark : {true, false}) {
            run::WindowRequest request;
            request.variant = presentation().variants.front().name;
            request.dark = dark;
            Headless gui(screen.width, screen.height, screen.scale);
            App app(presentation(), request);
            app.settle();
            for (std::size_t sides = 2; sides <= std::min<std::size_t>(4, presentation().variants.size()); ++sides) {
                app.press(letter('C'));
                app.settle();
                for (const Key view : {Key::none, letter('R'), letter('V')}) {
                    if (view != Key::none) app.press(view);
                    for (const std::size_t place : {std::size_t{1}, std::size_t{5}, std::size_t{1000}}) {
                        app.apply({Intent::Kind::go_to, place});
                        look_at(app, gui, screen, app.state());
                    }
                    if (view != Key::none) app.press(view);
                }
            }
        }
    }
}

}  // namespace
}  // namespace lanewise::viz
