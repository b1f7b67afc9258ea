// One command line being answered: what was asked for, and what runs it. The parts of the answer share it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/cli/options.hpp"
#include "common/print/print.hpp"
#include "common/cli/program.hpp"
#include "common/runner/runner.hpp"
#include "common/runner/timer.hpp"

namespace lanewise::cli {

struct Session {
    Session(Program& program, Options options, Console console);
    Session(const Session&) = delete;   // runner and timer keep references to its options
    Session& operator=(const Session&) = delete;

    // The variants that were named; else all of the lesson's, or its tabs. Throws Error where it has none.
    std::vector<std::string> chosen(bool all_otherwise) const;
    // The tabs of a window: those named; any of the lesson's may be set next to those that are compared.
    std::vector<std::string> tabs() const;
    // The variants whose steps are shown when one picture or one text is asked for.
    std::vector<std::string> looked_at() const;
    // All variants, or those named; of all, those that exist in the blocks that were asked for.
    std::vector<std::string> measured() const;
    // Those of the variants that this machine's GPU can run; a sentence for the others.
    std::vector<std::string> that_run(std::vector<std::string> names);

    // The steps of a variant: of --open's trace where it is of that variant.
    std::shared_ptr<const run::Run> run(const std::string& variant) { return runner.run(variant)->run; }
    // The same on the input that all of `beside` run on.
    std::shared_ptr<const run::Run> run_beside(const std::string& variant, const std::vector<std::string>& beside) {
        return runner.run_beside(variant, beside)->run;
    }

    // The warp of --focus; none where it was not given or the run has no such warp.
    std::optional<steps::WarpRef> focused(const run::Run& run) const;
    // Throws where --step or --focus name what the run does not have.
    void check_place(const std::string& variant);
    // The same for pictures. In a comparison a step is a place where steps are aligned, as its timeline counts them.
    void check_drawn(const std::string& variant);

    // What was recorded of the lesson's times in a file such as "timings.json"; empty where there is none. One that
    // cannot be read is reported and done without.
    timing::TimingTable recorded(const std::string& file) const;

    Program& program;
    const lesson::Lesson& lesson;
    const Options options;
    const Console console;
    const print::Paint paint;
    runner::Runner runner;
    runner::Timer timer;
    std::shared_ptr<const runner::FinishedRun> opened;   // by --open
    run::NextProgram next;  // the program that continues after this one, where the window asked for it
};

}  // namespace lanewise::cli
