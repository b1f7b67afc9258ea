#include "common/run/front_end.hpp"
#include "viz/app/window/window_front_end.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "common/base/error.hpp"
#include "common/base/folder_test.testing.hpp"
#include "viz/app/app.hpp"
#include "viz/platform/gui.hpp"
#include "viz/platform/image.hpp"
#include "viz/platform/offscreen.hpp"
#include "viz/testing/sample_runs.hpp"

namespace lanewise::viz {
namespace {

namespace fs = std::filesystem;

class Picture : public lanewise::testing::FolderTest {};

// Width and height as the PNG's header has them.
std::pair<unsigned, unsigned> png_size(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::vector<unsigned char> head(24);
    in.read(reinterpret_cast<char*>(head.data()), 24);
    if (std::string(head.begin() + 1, head.begin() + 4) != "PNG") return {0, 0};
    const auto number = [&](std::size_t at) {
        return static_cast<unsigned>(head[at] << 24 | head[at + 1] << 16 | head[at + 2] << 8 | head[at + 3]);
    };
    return {number(16), number(20)};
}

TEST_F(Picture, HasTheSizeThatWasAskedFor) {
    run::WindowRequest request;
    request.variant = "block_sum_two_level";
    request.width = 640;
    request.height = 400;
    request.has_step = true;
    request.step = 3;
    const fs::path path = folder_ / "a.png";
    try {
        make_front_end()->screenshot(samples::presentation(), request, path.string());
    } catch (const Error& error) {
        if (std::string(error.what()).find("OpenGL") != std::string::npos) GTEST_SKIP() << error.what();
        throw;
    }
    EXPECT_EQ(png_size(path), (std::pair{640u, 400u}));
    EXPECT_GT(fs::file_size(path), 10000u);
    EXPECT_EQ(files(), 1u);
}

TEST_F(Picture, AFolderThatIsNotThereLeavesNothingBehind) {
    const Image image{2, 2, std::vector<std::uint8_t>(12, 200)};
    const std::string path = (folder_ / "none" / "a.png").string();
    try {
        save_png(path, image);
        FAIL() << "wrote into a folder that is not there";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find(path), std::string::npos);
    }
    fs::create_directory(folder_ / "taken.png");
    EXPECT_THROW(save_png((folder_ / "taken.png").string(), image), Error);
    EXPECT_EQ(files(), 1u);
}

TEST_F(Picture, NoPixelsIsASentence) {
    run::WindowRequest request;
    request.variant = "warp_sum_xor";
    request.width = 0;
    EXPECT_THROW(make_front_end()->screenshot(samples::presentation(), request, (folder_ / "a.png").string()), Error);
    EXPECT_EQ(files(), 0u);
}

TEST(FrontEnd, FontsFollowTheScaleAndTheLettersOfFileNames) {
    std::unique_ptr<Offscreen> offscreen;
    try {
        offscreen = std::make_unique<Offscreen>(320, 200);
    } catch (const Error& error) {
        GTEST_SKIP() << error.what();
    }
    run::WindowRequest request;
    request.variant = "warp_sum_xor";
    App app(samples::presentation(), request);
    Gui gui(1);
    app.settle();
    const auto frame = [&] {
        ImGui::GetIO().DisplaySize = {320, 200};
        ImGui::GetIO().DeltaTime = 0.1f;
        ImGui_ImplOpenGL3_NewFrame();
        ImGui::NewFrame();
        app.frame(gui.look(app.theme()), {0, 0, 320, 200}, 0.1f);
        ImGui::Render();
        gui.draw(app.theme());
    };
    frame();
    const float before = text_width(gui.look(app.theme()), Face::body, "warp");
    gui.fit(2, "");
    frame();
    EXPECT_NEAR(text_width(gui.look(app.theme()), Face::body, "warp"), 2 * before, before * 0.1f);
    // Letters that a font of this system has are drawn; those that none has, or that are no letters, do no harm.
    for (const char* name : {"/tmp/波.ndjson", "/tmp/\xf0\x9f\x98\x80.ndjson", "/tmp/\xff\xfe\xe6.ndjson", ""}) {
        gui.fit(1, name);
        app.notify(name);
        frame();
        gui.fit(1, name);
        EXPECT_EQ(gui.scale(), 1);
    }
}

TEST(FrontEnd, DescribesTheStepThatWasAskedFor) {
    run::WindowRequest request;
    request.variant = "warp_sum_xor";
    request.has_step = true;
    request.step = 2;
    const std::string text = make_front_end()->describe(samples::presentation(), request);
    EXPECT_EQ(text.substr(0, text.find('\n')), "step 3 of 6: xor 8");
    EXPECT_NE(text.find("lane 5  source 13  before 26 (0x41d00000)  received 42 (0x42280000)  after 68 (0x42880000)"),
              std::string::npos)
        << text;
}

TEST(FrontEnd, DescribesAComparisonAndTheTree) {
    run::WindowRequest request;
    request.variant = "warp_sum_xor";
    request.compare = {"warp_sum_xor", "warp_sum_down", "block_sum_two_level"};
    request.has_step = true;
    request.step = 2;
    const std::string text = make_front_end()->describe(samples::presentation(), request);
    EXPECT_TRUE(text.starts_with("place 3 of ")) << text.substr(0, 100);
    EXPECT_NE(text.find("warp_sum_down  step 3: down 8\n"), std::string::npos);
    EXPECT_NE(text.find("step 3 of 6: xor 8"), std::string::npos);
    EXPECT_NE(text.find("step 3 of 6: down 8"), std::string::npos);
    EXPECT_EQ(text.find("\ntree  "), std::string::npos);
    request.view = run::View::tree;
    const std::string trees = make_front_end()->describe(samples::presentation(), request);
    EXPECT_EQ(trees.substr(0, text.size()), text);
    EXPECT_NE(trees.find("\ntree  lane 0 of block 0 · warp 0  496"), std::string::npos);
    request.compare.clear();
    request.lane = 5;
    const std::string one = make_front_end()->describe(samples::presentation(), request);
    EXPECT_NE(one.find("\ntree  lane 5 of block 0 · warp 0  496"), std::string::npos) << one;
    EXPECT_NE(
        one.find(
            "added  step 3 xor 8  lane 5 of block 0 · warp 0  26 (0x41d00000) + 42 (0x42280000) = 68 (0x42880000)  4 inputs  now\n"),
        std::string::npos)
        << one;
}

}  // namespace
}  // namespace lanewise::viz
