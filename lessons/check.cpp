// The composition root of `check`: where somebody's kernel file meets the emulator and the window.
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string_view>

#include <unistd.h>

#include "common/own/check_command.hpp"
#ifdef LANEWISE_WITH_WINDOW
#include "viz/app/window/window_front_end.hpp"
#endif

int main(int argc, char** argv) {
    using namespace lanewise;
    try {
        // First of all, as in main.cpp: workers are forked from this program as it is now.
        own::CheckSetup setup{worker::Pool::possible() ? std::make_shared<worker::Pool>(worker::serve_emulator) : nullptr};
#ifdef LANEWISE_WITH_WINDOW
        setup.make_front_end = viz::make_front_end;
#endif
        const char* terminal = std::getenv("TERM");
        const char* no_color = std::getenv("NO_COLOR");
        const bool capable = terminal && std::string_view(terminal) != "dumb";
        return own::run_check(setup, {argv + 1, argv + argc},
                              {std::cout, std::cerr, isatty(STDOUT_FILENO) && capable && !(no_color && *no_color),
                               isatty(STDERR_FILENO) && capable});
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 2;
    }
}
