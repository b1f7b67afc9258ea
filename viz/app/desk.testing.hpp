// The application as its tests drive it: frames without a window, keys, a pointer, and files to open.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "common/base/folder_test.testing.hpp"
#include "common/run/front_end.hpp"
#include "viz/app/app.hpp"
#include "viz/testing/headless.testing.hpp"
#include "viz/testing/sample_runs.hpp"

namespace lanewise::viz::testing {

inline run::Presentation with_lessons() {
    run::Presentation shown = samples::presentation();
    shown.lessons = {{"04_before", "Before", "What was.", "/programs/04_before"},
                     {shown.lesson, shown.title, "What is.", "/programs/own"},
                     {"06_next", "Next", "What comes.", "/programs/06_next"},
                     {"07_unbuilt", "Unbuilt", "Later.", ""}};
    return shown;
}

// A window without a window: its application, with keys and a pointer.
struct Desk {
    explicit Desk(run::Presentation presentation = with_lessons(), const Settings& settings = {}, float width = 1280,
                  float height = 800, const std::string& predict = {})
        : gui(width, height) {
        presentation.services.continue_with = [this](const run::NextProgram& next) { gone_on = next; };
        run::WindowRequest request;
        request.variant = "warp_sum_xor";
        request.predict = predict;
        app = std::make_unique<App>(presentation, request, std::function<void()>{}, settings);
        app->settle();
        frame();
    }
    void frame() {
        gui.frame([&] { app->frame(gui.look(), gui.window(), 1.0f); });
    }
    void press(Key key, bool shift = false) {
        app->press(key, shift);
        settle();
    }
    void settle() {
        for (int i = 0; i < 3; ++i) frame();
        app->settle();
        for (int i = 0; i < 3; ++i) frame();
    }
    void move(float x, float y) {
        gui.mouse = {x, y};
        frame();
        frame();
    }
    void drag(float from, float y, float to) {
        move(from, y);
        gui.down = true;
        frame();
        move(to, y);
        gui.down = false;
        frame();
    }
    void click() {
        gui.down = true;
        frame();
        gui.down = false;
        frame();
    }

    Headless gui;
    run::NextProgram gone_on;
    std::unique_ptr<App> app;
};

// The menu saves files where the program was started: a test stays in a folder of its own.
struct StartedIn {
    explicit StartedIn(const std::filesystem::path& folder) : before(std::filesystem::current_path()) {
        std::filesystem::current_path(folder);
    }
    ~StartedIn() { std::filesystem::current_path(before); }
    StartedIn(const StartedIn&) = delete;
    StartedIn& operator=(const StartedIn&) = delete;
    std::filesystem::path before;
};

// Files to open, in a folder that goes when the test ends.
class DeskFiles : public lanewise::testing::FolderTest {
protected:
    void SetUp() override {
        std::filesystem::create_directories(folder_ / "folder");
        for (const char* name : {"a.ndjson", "波.ndjson", "none.txt"}) std::ofstream(folder_ / name) << "x";
    }
    std::string at(const std::string& name) const { return (folder_ / name).string(); }
    // Waits until the file was read.
    static void open(Desk& desk, const std::string& path) {
        desk.app->open_file(path);
        for (int i = 0; i < 200 && desk.app->reading(); ++i) {
            desk.frame();
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        desk.settle();
    }
};

}  // namespace lanewise::viz::testing
