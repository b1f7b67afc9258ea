// The composition root: the one place where a lesson meets the emulator, the GPU, the clock and the window. Compiled
// into each lesson's program by add_lesson().
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>
#include <string_view>
#include <vector>

#include <unistd.h>

#include "common/base/error.hpp"
#include "common/check/checker.hpp"
#include "common/gpu/gpu_backend.hpp"
#include "common/gpu/device.hpp"
#include "common/cli/interrupts.hpp"
#include "common/cli/program.hpp"
#include "common/compile/live_lesson.hpp"
#include "common/measure/meter.hpp"
#include "common/worker/contained_emulator.hpp"
#include "common/worker/contained_gpu.hpp"
#include "lessons/gpu_machine.hpp"
#ifdef LANEWISE_WITH_WINDOW
#include "viz/app/window/window_front_end.hpp"
#endif

namespace {

using namespace lanewise;

// Can this terminal do more than print?
bool is_terminal(int file) {
    const char* terminal = std::getenv("TERM");
    return isatty(file) && terminal && std::string_view(terminal) != "dumb";
}

bool shows_color() {
    const char* no_color = std::getenv("NO_COLOR");
    return is_terminal(STDOUT_FILENO) && !(no_color && *no_color);
}

// What a worker for the GPU is made of.
constexpr worker::GpuParts kGpuParts{gpu::make_gpu_backend, generated::kernels};

// Another lesson's program in place of this one: the terminal then waits for that.
[[maybe_unused]] void start(const run::NextProgram& next) {
    std::vector<char*> arguments{const_cast<char*>(next.program.c_str())};
    for (const std::string& argument : next.arguments) arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    execv(next.program.c_str(), arguments.data());
    throw Error(next.program + " could not be started: " + std::strerror(errno) + ".");
}

}  // namespace

int main(int argc, char** argv) {
    try {
        // First of all: workers are forked from this program as it is now, without threads, window and CUDA. Never
        // deleted: the pool ends with the program, which need not wait for it.
        const auto& workers = *new std::shared_ptr(
            worker::Pool::possible() ? std::make_shared<worker::Pool>(worker::serve_emulator) : nullptr);
        const auto make_emulator = [&workers] {
            return workers ? worker::contained_emulator(workers) : check::make_emulator();
        };
        const auto make_gpu = [&workers] {
            return workers ? worker::contained_gpu(workers, kGpuParts) : gpu::make_gpu_backend();
        };
        cli::Program program{{generated::make_lesson(), generated::kernels(), make_emulator,
                                 make_gpu, gpu::available, {}, cli::date_of_today}};
        program.gpu_machine = gpu_machine;
        program.make_meter = [&program] { return measure::make_gpu_meter(program.kernels); };
        program.measure_costs = measure::measure_costs;
        program.watch_interrupts = [] {
            return [interrupts = std::make_shared<cli::Interrupts>()] { return interrupts->asked(); };
        };
        if (is_terminal(STDIN_FILENO)) program.answers = player::AnswerFile(player::AnswerFile::usual_path());
        program.can_edit = workers != nullptr;
        // `--edit`: the window on the learner's own copy of the kernels, each save of which it shows.
        std::vector<std::string> arguments(argv + 1, argv + argc);
        if (const auto edit = std::find(arguments.begin(), arguments.end(), "--edit"); edit != arguments.end()) {
            if (!workers) throw Error("A copy of the kernels runs in a process of its own, which this system does not allow.");
            const auto copy = compile::learners_copy(program.lesson);
            const auto tools = compile::find_toolchain([](const std::string& sentence) { std::cerr << sentence << std::endl; });
            std::cerr << "Your copy: " << copy.string() << ". Change it in any editor; each save is shown here.\n";
            program.live = compile::live_lesson(program, copy, tools, workers);
            arguments.erase(edit);
            arguments.insert(arguments.end(), {"--backend", "cpu"});
        }
#ifdef LANEWISE_WITH_WINDOW
        program.make_front_end = viz::make_front_end;
        program.start = start;
#endif
        return cli::run_program(program, arguments, {std::cout, std::cerr, shows_color(), is_terminal(STDERR_FILENO)});
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';  // a lesson that does not fit together: nothing to run
        return 1;
    }
}
