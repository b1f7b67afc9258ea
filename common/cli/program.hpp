// A lesson's program: everything it needs from outside, handed in, so that a test can run it whole.
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "common/check/report.hpp"
#include "common/player/answers.hpp"
#include "common/print/print.hpp"
#include "common/run/front_end.hpp"
#include "common/runner/lesson_setup.hpp"

namespace lanewise::cli {

// What a lesson's program is put together from (main.cpp does).
struct Program : runner::LessonSetup {
    // Empty where the program was built without a window.
    std::function<std::unique_ptr<run::FrontEnd>()> make_front_end = {};
    // From its call on an interrupt does not end the program: what it returns says whether there was one, and as long
    // as that lives. Empty: an interrupt ends the program.
    std::function<std::function<bool()>()> watch_interrupts = {};
    // Starts another lesson's program in place of this one. Throws Error where it cannot. Empty: the window does not
    // offer it.
    std::function<void(const run::NextProgram& next)> start = {};
    // Where answers to --predict are kept; nowhere unless it is said.
    player::AnswerFile answers = player::AnswerFile();
    // Can the learner's own copy of the kernels be run? The lesson's text ends with how.
    bool can_edit = false;
    // A kernel file that is edited while the window shows it. Empty: none is.
    struct Live {
        std::function<std::shared_ptr<const run::EditedFile>()> state = {};
        std::function<void(std::function<void()> wake)> wake = {};
        // Runs what is asked for on the file as it was saved last; `forget` first, where that is another one.
        std::function<std::shared_ptr<const run::Run>(const std::function<void()>& forget,
                                                      const std::function<std::shared_ptr<const run::Run>()>& run)>
            run = {};
    } live = {};
    // Prints what --check came to and returns how much of it is wrong. Empty: the lessons' table.
    std::function<int(std::ostream& out, const std::vector<print::CheckedVariant>& rows, print::Paint paint)>
        print_checks = {};
    // How a report names a kernel file. Empty: from the project's root.
    std::function<std::string(const std::string& kernel_file)> reported_path = {};
    std::vector<check::ReportedFile> included = {};  // by the kernel file, where its lines count on in others
};

// Where the answers go.
struct Console {
    std::ostream& out;
    std::ostream& err;
    bool color = false;      // is `out` a terminal that shows colours?
    bool progress = false;   // is `err` a terminal, on which a line can be rewritten?
    std::istream* in = nullptr;   // what is typed; null: std::cin
};

// Runs one command line (without the program's name) and returns the exit status. Never throws: what goes wrong is a
// sentence on Console::err.
int run_program(Program& program, const std::vector<std::string>& arguments, Console console);

// The current date, as in a trace's header.
std::string date_of_today();

}  // namespace lanewise::cli
