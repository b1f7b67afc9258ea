// A lesson's program: everything it needs from outside, handed in, so that a test can run it whole.
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "common/launch/backend.hpp"
#include "common/lesson/frontend.hpp"
#include "common/lesson/lesson.hpp"
#include "common/timing/timing.hpp"

namespace lanewise::lesson {

// One variant to time.
struct TimedPlan {
    std::string variant;
    std::string baseline;   // as Variant's
    Inputs inputs;
    launch::Plan plan;
};

// The parts of the house that a lesson's program is put together from (main.cpp does).
struct Program {
    Lesson lesson;
    launch::KernelSet kernels;
    std::function<std::unique_ptr<launch::Backend>()> make_emulator;
    std::function<std::unique_ptr<launch::Backend>()> make_gpu;
    // Is there a GPU? When not, says why. Starts CUDA, so it is asked only when the answer matters.
    std::function<bool(std::string* why)> gpu_available;
    // Times plain kernels on the GPU, with the library's baseline where there is one.
    std::function<timing::TimingTable(const std::vector<TimedPlan>&)> measure;
    // Empty where the program was built without a window.
    std::function<std::unique_ptr<Frontend>()> make_frontend;
    std::function<std::string()> today;   // "2026-11-21"
    // What plans for the GPU are shaped by; asked only where there is one. Empty: as Machine says.
    std::function<Machine()> gpu_machine = {};
};

// Where the answers go.
struct Console {
    std::ostream& out;
    std::ostream& err;
    bool color = false;   // is `out` a terminal that shows colours?
};

// Runs one command line (without the program's name) and returns the exit status. Never throws: what goes wrong is a
// sentence on Console::err.
int run_program(Program& program, const std::vector<std::string>& arguments, Console console);

// The current date, as in a trace's header.
std::string date_of_today();

}  // namespace lanewise::lesson
