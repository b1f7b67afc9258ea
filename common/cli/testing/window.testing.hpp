// A window that only pretends, and what it was asked for.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "common/cli/testing/tiny_program.testing.hpp"

namespace lanewise::cli::testing {

// What a window was asked for. With `display` false it is a machine without one.
struct Seen {
    bool display = true;
    int windows = 0;
    run::Presentation presentation;
    run::WindowRequest request;
    std::shared_ptr<const run::Run> run;
    run::NextProgram next;                      // what the learner chooses before the window closes
    std::string file;               // what the learner opens
    std::string refused;            // the lesson of a trace that was of another one
    std::function<void(const run::Presentation&)> ask;   // while the session lasts
};

class PretendedWindow : public run::FrontEnd {
public:
    explicit PretendedWindow(Seen& seen) : seen_(seen) {}
    void window(const run::Presentation& presentation, const run::WindowRequest& request) override {
        if (!seen_.display) throw NoDisplay("There is no display.");
        ++seen_.windows;
        look(presentation, request);
        try {
            if (!seen_.file.empty()) seen_.run = presentation.services.open(seen_.file);
        } catch (const run::ForeignTrace& foreign) {
            seen_.refused = foreign.lesson();
        }
        if (presentation.services.continue_with && !seen_.next.program.empty())
            presentation.services.continue_with(seen_.next);
    }
    void screenshot(const run::Presentation& presentation, const run::WindowRequest& request,
                    const std::string&) override {
        look(presentation, request);
    }
    void svg(const run::Presentation& presentation, const run::WindowRequest& request, const std::string&) override {
        look(presentation, request);
    }
    std::string describe(const run::Presentation& presentation, const run::WindowRequest& request) override {
        look(presentation, request);
        return "described";
    }

private:
    void look(const run::Presentation& presentation, const run::WindowRequest& request) {
        seen_.presentation = presentation;
        seen_.presentation.services.run = {};  // belongs to a session that ends
        seen_.request = request;
        if (seen_.ask) seen_.ask(presentation);
        seen_.run = presentation.services.run(request.variant);
    }
    Seen& seen_;
};

struct WithWindow : TinyProgram {
    Seen seen;
    WithWindow() {
        program.make_front_end = [this] { return std::make_unique<PretendedWindow>(seen); };
    }
};

}  // namespace lanewise::cli::testing
