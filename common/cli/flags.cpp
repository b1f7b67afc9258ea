#include "common/cli/flags.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/suggest.hpp"

namespace lanewise::cli {
namespace {

// A line for each kind.
std::string input_help() {
    std::string text = "What the values are (r is random from -1 to 1):\n";
    for (const lesson::GeneratedInput& input : lesson::kGeneratedInputs)
        text += fmt::format("{:<8}{}\n", input.name, input.what);
    return text + "FILE    numbers separated by white space";
}

}  // namespace

void define_flags(CLI::App& app, Options& options, Raw& raw, const lesson::Lesson& lesson) {
    const std::string look = "Look", run = "What to run", times = "With --time", files = "Traces",
                      pictures = "Pictures";
    app.add_flag("--list", options.list, "List the variants, a line each")->group(look);
    app.add_flag("--start", options.start, "Open the window on the path of all lessons")->group(look);
    app.add_flag("--text", options.text, "Show the steps in the terminal")->group(look);
    app.add_flag("--interactive", options.interactive,
                 "With --text: step through it in the terminal, with the window's keys")
        ->group(look);
    app.add_flag(
           "--check", options.check,
           "Compare each variant's result with a reference in double; on the emulator also judge races, bounds and "
           "reads of what nothing wrote")
        ->group(look);
    app.add_option("--report", raw.report,
                   "Like --check, and write what was found to a file: .json, or .sarif for editors and code hosts")
        ->group(look)
        ->type_name("FILE");
    app.add_flag("--time", options.time, "Time the plain kernels on the GPU, or show the recorded times")->group(look);
    app.add_flag("--ladder", options.ladder,
                 "Each lesson's main variant on 2^24 floats: time to one number, bandwidth, speed-up, as recorded")
        ->group(look);
    app.add_flag("--costs", options.costs,
                 "What a shuffle, a load, a barrier, an atomic costs in cycles: measured on the GPU, or as "
                 "recorded")
        ->group(look);
    app.add_flag("--table", options.table, "All variants in one table: value, error, bound, time, loads, atomics")
        ->group(look);
    app.add_flag("--timings", options.timings, "The times of all variants over sizes, in the window or a picture")
        ->group(look);
    app.add_flag("--roofline", options.roofline,
                 "The bandwidth of all variants over sizes, compared with a plain read's, in the window or a picture")
        ->group(look);
    app.add_option("--sort", raw.sort,
                   "Sort the table by a column: error, time, ...; error:down begins with the largest")
        ->group(look)
        ->type_name("COLUMN");
    app.add_flag("--rounding", options.rounding,
                 "The rounding lens: each sum compared with the exact one, in ulp; with --text, a table")
        ->group(look);
    app.add_option(
           "--predict", raw.predict,
           "Ask about each step before its result is shown: gentle (now and then, an empty answer skips), exam (all, scored); list "
           "prints all questions and answers as JSON")
        ->group(look)
        ->type_name("HOW");
    app.add_flag("--permutation", options.permutation,
                 "With --text: each shuffle also as a matrix of lanes, with the bits of their numbers")
        ->group(look);
    app.add_flag("--tree", options.tree, "The summation tree, down to the total; with --text, a line for each addition")
        ->group(look);
    app.add_flag("--boxes", options.boxes,
                 "Of a non-maximum suppression: boxes, the matrix of bits, what is kept; with --text, a table")
        ->group(look);
    app.add_option(
           "--compare", options.compare,
           "Two to four variants side by side, round by round, on one input; --step counts the places of all")
        ->delimiter(',')
        ->group(look)
        ->type_name("A,B[,C[,D]]")
        ->expected(1, -1);

    app.add_option("--variant", options.variants, "Variants to run, separated by commas; in the window, tabs")
        ->delimiter(',')->group(run)->type_name("A[,B...]");
    app.add_option("--backend", raw.backend, "auto, gpu, cpu (the emulator) or recorded")
        ->group(run)
        ->type_name("NAME");
    app.add_option("--n", raw.n, "How many values")->group(run)->type_name("COUNT");
    app.add_option("--rows", raw.rows, "How many rows, in lessons on rows")->group(run)->type_name("COUNT");
    app.add_option("--columns", raw.columns, "Values a row, in lessons on rows")->group(run)->type_name("COUNT");
    app.add_option("--block", raw.block, "Threads in a block; chooses among the kernel's instances")->group(run)
        ->type_name("THREADS");
    app.add_option("--warp", raw.warp, "Lanes in a warp: 32, or 4, 8, 16 for a teaching warp on the emulator")
        ->group(run)
        ->type_name("LANES");
    app.add_option("--offset", raw.offset,
                   "Elements before the first value in its buffer: 1 misaligns the input (default 0)")
        ->group(run)
        ->type_name("COUNT");
    app.add_option("--input", raw.input, input_help())->group(run)->type_name("KIND|FILE");
    app.add_option("--values", raw.values, "The values themselves, with commas between: 1,2,3; instead of --input")
        ->group(run)
        ->type_name("LIST");
    app.add_option("--seed", raw.seed, "Seed of inputs with random values (default 1)")->group(run)->type_name("SEED");
    app.add_option("--order", raw.order,
                   "Order in which the emulator runs lanes and blocks: ascending, descending or a seed")
        ->group(run)
        ->type_name("ORDER");

    for (const lesson::Control& control : lesson.controls())
        app.add_option("--" + control.name, raw.controls[control.name],
                       fmt::format("{} (default {})", control.sentence, control.standard))
            ->group("This lesson's controls")
            ->type_name(control.value_name());

    app.add_option("--sizes", raw.sizes,
                   "table: the nine shapes SxK, S and K of 1024, 2048, 4096 (in lessons on rows: rows of 1024, 4096, "
                   "16384, columns of 1024, 4096, 8192, 65536); or a sweep: LOW:HIGH in steps of 2, LOW:HIGH:xFACTOR, "
                   "LOW:HIGH:+-1 with each size's neighbours")
        ->group(times)
        ->type_name("SIZES");
    app.add_option("--l2", raw.l2, "What the L2 cache holds at a launch: warm (what the last left, default) or flushed")
        ->group(times)->type_name("STATE");
    app.add_flag("--samples", options.samples, "Also the least and the longest sample, and how many are outliers")
        ->group(times);
    app.add_option("--csv", raw.csv, "Write the times as CSV; - is the terminal")->group(times)->type_name("FILE");
    app.add_option("--json", raw.json, "Write the times as JSON; - is the terminal")->group(times)->type_name("FILE");

    app.add_option("--save-trace", raw.save_trace, "Write what happened to a file")->group(files)->type_name("FILE");
    app.add_option("--record", raw.record, "Write the traces and times of all variants on this GPU below a folder")
        ->group(files)->type_name("DIR");
    app.add_option("--open", raw.open, "Show a saved trace")->group(files)->type_name("FILE");
    app.add_option("--diff", options.diff, "Are two traces equal? Shows the first difference")
        ->expected(2)
        ->group(files)
        ->type_name("A B");

    app.add_option("--screenshot", raw.screenshot, "Draw one picture to a PNG file; needs no display")->group(pictures)
        ->type_name("FILE.png");
    app.add_option("--export", raw.exported,
                   "Write a run to a file: .svg, a picture; .html, a page to step through without Lanewise; "
                   ".csv, every value")
        ->group(files)
        ->type_name("FILE");
    app.add_flag("--describe", options.describe, "Print what the stage draws at --step")->group(pictures);
    app.add_option("--step", raw.step, "Which step, from 1")->group(pictures)->type_name("K");
    app.add_option("--size", raw.size, "Size of the window or picture (default 1600x900)")->group(pictures)
        ->type_name("WxH");
    app.add_option("--scale", raw.scale, "Scale of text and lines, 0.5 to 4")->group(pictures)->type_name("X");
    app.add_option("--theme", raw.theme, "dark or light, for this window or picture")
        ->group(pictures)
        ->type_name("NAME");
    app.add_option("--focus", raw.focus, "The warp to look at (default: the first recorded)")->group(pictures)
        ->type_name("BLOCK:WARP");
    app.add_option("--lane", raw.lane, "The lane to look at, 0 to 31")->group(pictures)->type_name("LANE");
    app.add_option("--color", raw.color, "auto, always or never")->group(pictures)->type_name("WHEN");
}

namespace {

std::string what_to_give(const CLI::Option& option) {
    static const std::map<std::string, std::string> kChoices = {{"predict", "gentle, exam or list"},
                                                                {"backend", "auto, gpu, cpu or recorded"},
                                                                {"l2", "warm or flushed"},
                                                                {"theme", "dark or light"},
                                                                {"color", "auto, always or never"}};
    const auto choices = kChoices.find(option.get_single_name());
    return "give " + (choices != kChoices.end() ? choices->second + "." : option.get_type_name() + "; --help shows how.");
}

// CLI11 takes "--variant" as the value of "--predict --variant chain" and then reports "chain".
void refuse_flags_as_values(const CLI::App& app, const std::vector<std::string>& arguments) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (!arguments[i].starts_with("--")) continue;
        const CLI::Option* const option = app.get_option_no_throw(arguments[i]);
        if (!option) continue;   // or its value follows a "="
        const auto wanted = static_cast<std::size_t>(std::max(option->get_expected_min(), 0));
        std::string given = arguments[i];
        for (std::size_t k = 0; k < wanted && i + 1 < arguments.size(); ++k) {
            given += " " + arguments[++i];
            if (arguments[i].starts_with("--")) throw Error(fmt::format("{}: {}", given, what_to_give(*option)));
        }
    }
}

}  // namespace

// CLI11's own sentences do not say what to do; these do.
void parse_flags(CLI::App& app, std::vector<std::string> arguments) {
    const auto flags = [&app] {
        std::vector<std::string> names;
        for (const auto* option : app.get_options())
            for (const auto& name : option->get_lnames()) names.push_back("--" + name);
        return names;
    };
    refuse_flags_as_values(app, arguments);
    std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
    try {
        app.parse(std::move(arguments));
    } catch (const CLI::CallForHelp&) {
        throw;
    } catch (const CLI::CallForVersion&) {
        throw;
    } catch (const CLI::ParseError& error) {
        const std::string what = error.what();
        const std::string flag = what.substr(0, what.find(':'));
        for (const auto* option : app.get_options())
            if (flag == "--" + option->get_single_name()) {
                const int wanted = option->get_expected_min();
                const std::string reason = option->count() > 1 && wanted == 1 ? "is given more than once"
                                           : wanted == 2                      ? "needs two values"
                                           : wanted == 0                      ? "takes no value"
                                                                              : "needs a value";
                throw Error(fmt::format("{} {}; --help shows how.", flag, reason));
            }
        throw Error(fmt::format("{}; --help lists the flags.", what));
    }
    const auto extras = app.remaining();
    if (extras.empty()) return;
    const std::string unknown = extras.front().substr(0, extras.front().find('='));
    if (unknown[0] != '-')
        throw Error(fmt::format("'{}' is an unexpected argument; --help lists the flags.", extras.front()));
    const std::string near = unknown.size() > 3 ? nearest(unknown, flags()) : "";
    throw Error(near.empty() ? fmt::format("there is no flag {}; --help lists the flags.", unknown)
                             : fmt::format("there is no flag {}; did you mean {}?", unknown, near));
}

}  // namespace lanewise::cli
