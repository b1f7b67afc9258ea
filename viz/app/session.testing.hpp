// A window of sample runs for tests: keys are pressed, frames drawn.
#pragma once

#include <string>

#include "common/run/front_end.hpp"
#include "viz/app/app.hpp"
#include "viz/testing/headless.testing.hpp"
#include "viz/testing/sample_runs.hpp"

namespace lanewise::viz::testing {

inline run::WindowRequest request_of(const std::string& variant) {
    run::WindowRequest request;
    request.variant = variant;
    return request;
}

struct Session {
    explicit Session(const run::WindowRequest& request, run::Presentation presentation = samples::presentation(),
                     float width = 1280, float height = 800)
        : gui(width, height), app(presentation, request) {
        app.settle();
        frame();
    }
    int frame(float seconds = 1.0f) {
        return gui.frame([&] { app.frame(gui.look(), gui.window(), seconds); });
    }
    void press(Key key, bool shift = false) {
        app.press(key, shift);
        app.settle();
        frame();
    }

    Headless gui;
    App app;
};

}  // namespace lanewise::viz::testing
