#include "common/lesson/options.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <ostream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/base/error.hpp"
#include "common/base/suggest.hpp"
#include "common/lesson/comparison.hpp"
#include "common/page/document.hpp"

namespace lanewise::lesson {

namespace {

constexpr std::uint32_t kMaxBlock = 1024;
constexpr std::uint64_t kMaxOffset = 4096;
constexpr int kMaxSide = 8192;
constexpr std::size_t kMostPanels = 4;   // of a page
constexpr std::size_t kMostSides = 4;    // of a comparison
constexpr std::uint64_t kMaxStep = 1'000'000'000;

bool is_negative_number(const std::string& text) {
    return text.size() > 1 && text[0] == '-' &&
           std::all_of(text.begin() + 1, text.end(), [](unsigned char c) { return std::isdigit(c); });
}

// A whole number from `low` to `high`, or the sentence that says so.
std::uint64_t whole_number(const std::string& flag, const std::string& text, std::uint64_t low, std::uint64_t high) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool read = end == text.data() + text.size() && !text.empty();
    const bool too_large = error == std::errc::result_out_of_range && read;
    if (!too_large && !is_negative_number(text) && (error != std::errc{} || !read))
        throw Error(fmt::format("{} {} is not a whole number; give one from {} to {}.", flag, text, low, high));
    if (too_large || is_negative_number(text) || value < low || value > high)
        throw Error(fmt::format("{} {} is out of range; give a number from {} to {}.", flag, text, low, high));
    return value;
}

template <class T>
T choice(const std::string& flag, const std::string& text, const std::vector<std::pair<std::string, T>>& choices) {
    std::vector<std::string> names;
    for (const auto& [name, value] : choices) {
        if (name == text) return value;
        names.push_back(name);
    }
    const std::string near = nearest(text, names);
    throw Error(fmt::format("{} {} is not one of {}{}", flag, text, fmt::join(names, ", "),
                            near.empty() ? "." : fmt::format("; did you mean '{}'?", near)));
}

void parse_size(const std::string& text, Options& options) {
    const auto x = text.find('x');
    const std::string sentence = fmt::format(
        "--size {} is not a picture size; give WIDTHxHEIGHT, each from 64 to {}, such as 1600x900.", text, kMaxSide);
    if (x == std::string::npos) throw Error(sentence);
    try {
        options.width = static_cast<int>(whole_number("--size", text.substr(0, x), 64, kMaxSide));
        options.height = static_cast<int>(whole_number("--size", text.substr(x + 1), 64, kMaxSide));
    } catch (const Error&) {
        throw Error(sentence);
    }
}

void parse_focus(const std::string& text, Options& options) {
    const auto colon = text.find(':');
    const std::string sentence =
        fmt::format("--focus {} is not a warp; give BLOCK:WARP, such as 0:3 for warp 3 of block 0.", text);
    if (colon == std::string::npos) throw Error(sentence);
    try {
        options.focus_block = static_cast<int>(whole_number("--focus", text.substr(0, colon), 0, 0x7fffffff));
        options.focus_warp = static_cast<int>(whole_number("--focus", text.substr(colon + 1), 0, kMaxBlock / 32 - 1));
    } catch (const Error&) {
        throw Error(sentence);
    }
}

float parse_scale(const std::string& text) {
    float value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !(value >= 0.5f && value <= 4.0f))
        throw Error(fmt::format("--scale {} is not a scale; give a number from 0.5 to 4.", text));
    return value;
}

// What CLI11 collects before the values are looked at.
struct Raw {
    std::string backend, n, block, warp, offset, seed, input, order, save_trace, record, open, screenshot, exported, step, size, scale, focus, lane, color, sort, sizes, l2, csv, json;
};

// A line for each kind.
std::string input_help() {
    std::string text = "What the values are (r is random from -1 to 1):\n";
    for (const GeneratedInput& input : kGeneratedInputs) text += fmt::format("{:<8}{}\n", input.name, input.what);
    return text + "FILE    numbers separated by white space";
}

void define_flags(CLI::App& app, Options& options, Raw& raw) {
    const std::string look = "Look", run = "What to run", times = "With --time", files = "Traces", pictures = "Pictures";
    app.add_flag("--list", options.list, "List the variants, a line each")->group(look);
    app.add_flag("--start", options.start, "Open the window on the path of all lessons")->group(look);
    app.add_flag("--text", options.text, "Show the steps in the terminal")->group(look);
    app.add_flag("--interactive", options.interactive, "With --text: step through it in the terminal, with the window's keys")->group(look);
    app.add_flag("--check", options.check, "Compare each variant's result with a reference in double")->group(look);
    app.add_flag("--time", options.time, "Time the plain kernels on the GPU, or show the recorded times")->group(look);
    app.add_flag("--costs", options.costs, "What a shuffle, a load, a barrier, an atomic costs in cycles: measured on the GPU, or as "
                                           "recorded")->group(look);
    app.add_flag("--table", options.table, "All variants beside each other: value, error, bound, time, loads, atomics")->group(look);
    app.add_flag("--timings", options.timings, "The times of all variants over sizes, in the window or a picture")->group(look);
    app.add_flag("--roofline", options.roofline, "What they move against what the machine can, in the window or a picture")->group(look);
    app.add_option("--sort", raw.sort, "Sort the table by a column: error, time, ...; error:down begins with the largest")->group(look)
        ->type_name("COLUMN");
    app.add_flag("--rounding", options.rounding, "The rounding lens: each sum beside the exact one, in ulp; with --text, a table")
        ->group(look);
    app.add_flag("--tree", options.tree, "Who added whom, down to the total; with --text, a line for each addition")->group(look);
    app.add_option("--compare", options.compare, "Two to four variants beside each other; --step counts the places of all")
        ->delimiter(',')->group(look)->type_name("A,B[,C[,D]]")->expected(1, -1);

    app.add_option("--variant", options.variants, "Variants to run, separated by commas; in the window, tabs")
        ->delimiter(',')->group(run)->type_name("A[,B...]");
    app.add_option("--backend", raw.backend, "auto, gpu, cpu (the emulator) or recorded")->group(run)->type_name("NAME");
    app.add_option("--n", raw.n, "How many values")->group(run)->type_name("COUNT");
    app.add_option("--block", raw.block, "Threads in a block; chooses among the kernel's instances")->group(run)
        ->type_name("THREADS");
    app.add_option("--warp", raw.warp, "Lanes in a warp: 32, or 4, 8, 16 for a teaching warp on the emulator")->group(run)
        ->type_name("LANES");
    app.add_option("--offset", raw.offset, "Elements before the first value in its buffer: 1 misaligns the input (default 0)")
        ->group(run)->type_name("COUNT");
    app.add_option("--input", raw.input, input_help())->group(run)->type_name("KIND|FILE");
    app.add_option("--seed", raw.seed, "Seed of inputs with random values (default 1)")->group(run)->type_name("SEED");
    app.add_option("--order", raw.order, "Order in which the emulator runs lanes and blocks: ascending, descending or a seed")
        ->group(run)->type_name("ORDER");

    app.add_option("--sizes", raw.sizes, "table: the nine shapes SxK, S and K of 1024, 2048, 4096; or a sweep: LOW:HIGH in "
                                         "steps of 2, LOW:HIGH:xFACTOR")->group(times)->type_name("SIZES");
    app.add_option("--l2", raw.l2, "What the L2 cache holds at a launch: warm (what the last left, default) or flushed")
        ->group(times)->type_name("STATE");
    app.add_flag("--samples", options.samples, "Also the least and the longest sample, and how many are outliers")->group(times);
    app.add_option("--csv", raw.csv, "Write the times as CSV; - is the terminal")->group(times)->type_name("FILE");
    app.add_option("--json", raw.json, "Write the times as JSON; - is the terminal")->group(times)->type_name("FILE");

    app.add_option("--save-trace", raw.save_trace, "Write what happened to a file")->group(files)->type_name("FILE");
    app.add_option("--record", raw.record, "Write the traces and times of all variants on this GPU below a folder")
        ->group(files)->type_name("DIR");
    app.add_option("--open", raw.open, "Show a saved trace")->group(files)->type_name("FILE");
    app.add_option("--diff", options.diff, "Are two traces equal? Shows the first difference")->expected(2)->group(files)
        ->type_name("A B");

    app.add_option("--screenshot", raw.screenshot, "Draw one picture to a PNG file; needs no display")->group(pictures)
        ->type_name("FILE.png");
    app.add_option("--export", raw.exported, "Take a run away: .svg, a picture; .html, a page to step through without Lanewise; "
                                             ".csv, every value")->group(files)->type_name("FILE");
    app.add_flag("--describe", options.describe, "Print what the stage draws at --step")->group(pictures);
    app.add_option("--step", raw.step, "Which step, from 1")->group(pictures)->type_name("K");
    app.add_option("--size", raw.size, "Size of the window or picture (default 1600x900)")->group(pictures)
        ->type_name("WxH");
    app.add_option("--scale", raw.scale, "Scale of text and lines, 0.5 to 4")->group(pictures)->type_name("X");
    app.add_option("--focus", raw.focus, "The warp to look at (default: the first recorded)")->group(pictures)
        ->type_name("BLOCK:WARP");
    app.add_option("--lane", raw.lane, "The lane to look at, 0 to 31")->group(pictures)->type_name("LANE");
    app.add_option("--color", raw.color, "auto, always or never")->group(pictures)->type_name("WHEN");
}

// CLI11's own sentences do not say what to do; these do.
void parse(CLI::App& app, std::vector<std::string> arguments) {
    const auto flags = [&app] {
        std::vector<std::string> names;
        for (const auto* option : app.get_options())
            for (const auto& name : option->get_lnames()) names.push_back("--" + name);
        return names;
    };
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
        throw Error(fmt::format("'{}' belongs to no flag; --help lists the flags.", extras.front()));
    const std::string near = unknown.size() > 3 ? nearest(unknown, flags()) : "";
    throw Error(near.empty() ? fmt::format("there is no flag {}; --help lists the flags.", unknown)
                             : fmt::format("there is no flag {}; did you mean {}?", unknown, near));
}

// Meaning of the values, in the order of Raw. An empty value reads as a flag that was given none.
void interpret(const CLI::App& app, const Raw& raw, const Lesson& lesson, Options& options) {
    const auto large = [](const Variant& variant) { return variant.large_n; };
    const std::uint64_t most =
        std::any_of(lesson.variants().begin(), lesson.variants().end(), large) ? kMaxLargeValues : kMaxValues;
    const auto given = [&app](const char* flag, const std::string& text) {
        if (app.count(flag) == 0) return false;
        if (text.empty()) throw Error(fmt::format("{} needs a value; --help shows how.", flag));
        return true;
    };
    if (given("--backend", raw.backend))
        options.backend = choice<BackendChoice>("--backend", raw.backend,
                                                {{"auto", BackendChoice::automatic},
                                                 {"gpu", BackendChoice::gpu},
                                                 {"cpu", BackendChoice::cpu},
                                                 {"recorded", BackendChoice::recorded}});
    if (given("--n", raw.n)) options.n = whole_number("--n", raw.n, 1, most);
    if (given("--block", raw.block))
        options.block = static_cast<std::uint32_t>(whole_number("--block", raw.block, 1, kMaxBlock));
    if (given("--warp", raw.warp))
        options.warp = choice<std::uint32_t>("--warp", raw.warp, {{"4", 4u}, {"8", 8u}, {"16", 16u}, {"32", 32u}});
    if (given("--offset", raw.offset))
        options.offset = static_cast<std::uint32_t>(whole_number("--offset", raw.offset, 0, kMaxOffset));
    if (given("--seed", raw.seed)) options.seed = whole_number("--seed", raw.seed, 0, ~std::uint64_t{0});
    if (given("--input", raw.input)) options.input = raw.input;
    if (given("--order", raw.order)) {
        try {
            options.order = launch::Order::parse(raw.order);
        } catch (const Error&) {
            throw Error(fmt::format("--order {} is not an order; give ascending, descending or a seed such as 7.", raw.order));
        }
    }
    if (given("--sizes", raw.sizes)) {
        options.sizes_text = raw.sizes;
        options.sizes = timing::parse_sizes(raw.sizes, most);
    }
    if (given("--l2", raw.l2))
        options.l2 = choice<timing::L2>("--l2", raw.l2, {{"warm", timing::L2::warm}, {"flushed", timing::L2::flushed}});
    if (given("--csv", raw.csv)) options.csv = raw.csv;
    if (given("--json", raw.json)) options.json = raw.json;
    if (given("--save-trace", raw.save_trace)) options.save_trace = raw.save_trace;
    if (given("--record", raw.record)) options.record = raw.record;
    if (given("--open", raw.open)) options.open = raw.open;
    if (given("--screenshot", raw.screenshot)) options.screenshot = raw.screenshot;
    if (given("--export", raw.exported)) {
        page::ending_of("--export", raw.exported);
        options.exported = raw.exported;
    }
    if (given("--step", raw.step)) options.step = whole_number("--step", raw.step, 1, kMaxStep);
    if (given("--size", raw.size)) {
        parse_size(raw.size, options);
        options.has_size = true;
    }
    if (given("--scale", raw.scale)) options.scale = parse_scale(raw.scale);
    if (given("--focus", raw.focus)) parse_focus(raw.focus, options);
    if (given("--lane", raw.lane)) options.lane = static_cast<int>(whole_number("--lane", raw.lane, 0, 31));
    if (given("--sort", raw.sort)) {
        parse_sorting(raw.sort);
        options.sort = raw.sort;
    }
    if (given("--color", raw.color))
        options.color = choice<ColorChoice>("--color", raw.color,
                                            {{"auto", ColorChoice::automatic},
                                             {"always", ColorChoice::always},
                                             {"never", ColorChoice::never}});
}

void check_times(const Options& options) {
    const std::pair<const char*, bool> given[] = {{"--sizes", !options.sizes.empty()},
                                                  {"--l2", options.l2.has_value()},
                                                  {"--samples", options.samples},
                                                  {"--csv", !options.csv.empty()},
                                                  {"--json", !options.json.empty()}};
    const auto is_file = [](const std::string& flag) { return flag == "--csv" || flag == "--json"; };
    for (const auto& [flag, is_given] : given)
        if (is_given && !options.time && !(options.costs && is_file(flag)))
            throw Error(fmt::format("{} says how to measure; add --time{}, or leave it out.", flag, is_file(flag) ? " or --costs" : ""));
    if (options.time && options.costs) throw Error("--time and --costs are two tables; ask for one of them.");
    if (options.costs && (options.table || options.rounding))
        throw Error("--costs is a table of its own; leave out --table and --rounding, or --costs.");
    if (!options.sizes.empty() && options.n)
        throw Error(fmt::format("--sizes {} says how many values; leave out --n, or --sizes.", options.sizes_text));
    if (options.csv == "-" && options.json == "-")
        throw Error("--csv - and --json - both want the terminal; give one of them a file.");
}

void check_export(const Options& options) {
    if (options.exported.empty()) return;
    if (options.time)
        throw Error(fmt::format("--export {} takes a run away; --time writes its times with --csv FILE. Leave out one of the two.",
                                options.exported));
    const auto& names = options.compare.empty() ? options.variants : options.compare;
    const page::Ending ending = page::ending_of("--export", options.exported);
    if (ending == page::Ending::csv && names.size() > 1)
        throw Error(fmt::format("--export {} holds the values of one variant, and {} are named; give one.", options.exported, names.size()));
    if (ending == page::Ending::html && names.size() > kMostPanels)
        throw Error(fmt::format("--export {}: {} variants are named, and a page has room for {} beside each other; give fewer.",
                                options.exported, names.size(), kMostPanels));
}

void check_comparison(const Options& options) {
    const auto& names = options.compare;
    if (names.empty()) return;
    if (names.size() < 2) throw Error(fmt::format("--compare {} needs two to four variants; give A,B, or A,B,C,D.", names.front()));
    if (names.size() > kMostSides)
        throw Error(fmt::format("--compare {}: {} variants are named, and there is room for {} beside each other; give fewer.",
                                fmt::join(names, ","), names.size(), kMostSides));
    for (std::size_t i = 0; i < names.size(); ++i)
        if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]) != names.begin() + static_cast<std::ptrdiff_t>(i))
            throw Error(fmt::format("--compare {}: {} is named twice; give each variant once.", fmt::join(names, ","), names[i]));
}

void check_interactive(Options& options) {
    if (!options.interactive) return;
    options.text = true;
    const std::pair<const char*, bool> others[] = {{"--list", options.list}, {"--check", options.check}, {"--time", options.time},
                                                   {"--table", options.table}, {"--rounding", options.rounding}, {"--describe", options.describe}};
    for (const auto& [flag, is_given] : others)
        if (is_given) throw Error(fmt::format("--interactive takes the terminal for itself; leave out {}, or leave out --interactive.", flag));
    if (!options.compare.empty())
        throw Error(fmt::format("--interactive shows one variant at a time (Tab goes to the next); give --variant {} instead of --compare.",
                                fmt::join(options.compare, ",")));
}

void check_together(Options& options, const Lesson& lesson) {
    check_times(options);
    check_export(options);
    check_interactive(options);
    for (const auto& name : options.variants) lesson.find(name);
    for (const auto& name : options.compare) lesson.find(name);
    check_comparison(options);
    if (options.tree && options.rounding)
        throw Error("--tree and --rounding both want the middle of the picture; leave out one of the two.");
    if (!options.sort.empty() && !options.table) throw Error("--sort sorts the table; add --table, or leave it out.");
    if (options.table && !options.open.empty())
        throw Error(fmt::format("--table sets all variants beside each other; leave out --open {}.", options.open));
    if (options.start && !options.wants_window() && options.screenshot.empty())
        throw Error("--start opens a window or, with --screenshot, draws it; leave out the other flags.");
    if (options.describe && !options.step)
        throw Error("--describe needs a step; add --step K, counted from 1.");
    if (!options.open.empty() && (!options.variants.empty() || options.check || options.time || !options.save_trace.empty() ||
                                  !options.compare.empty()))
        throw Error(fmt::format("--open {} shows a trace that exists; leave out --variant, --compare, --check, --time and "
                                "--save-trace.", options.open));
    if (!options.record.empty() && (!options.variants.empty() || options.n || options.block || options.warp || options.seed ||
                                    !options.input.empty() || !options.open.empty()))
        throw Error(fmt::format("--record {} records every variant on its own inputs; leave out --variant, --n, --block, "
                                "--warp, --seed, --input and --open.", options.record));
    const bool teaching = options.warp.value_or(trace::kWarpSize) != trace::kWarpSize;
    if (teaching && (options.time || options.backend == BackendChoice::gpu))
        throw Error(fmt::format("--warp {}: a GPU's warps have 32 lanes; leave out {}, or leave out --warp.", *options.warp,
                                options.time ? "--time" : "--backend gpu"));
    if (!options.save_trace.empty() && options.variants.size() > 1)
        throw Error(fmt::format("--save-trace {} holds one variant, and --variant names {}; give one.", options.save_trace,
                                options.variants.size()));
}

}  // namespace

std::optional<Options> parse_options(const std::vector<std::string>& arguments, const Lesson& lesson, std::ostream& out) {
    CLI::App app{fmt::format("{}. Without flags: a window.", lesson.title()), lesson.name()};
    app.allow_extras();
    app.set_help_flag("--help", "Show this and exit");
    app.set_version_flag("--version", fmt::format("Lanewise {}, {}", LANEWISE_VERSION, lesson.name()),
                         "Show the version and exit");
    app.get_formatter()->column_width(30);
    const std::string some = lesson.variants().empty() ? "NAME" : lesson.variants().front().name;
    app.footer(fmt::format("For example:\n"
                           "  {0} --text --variant {1}\n"
                           "  {0} --check --n 100003 --input random\n"
                           "  {0} --screenshot picture.png --step 3 --lane 5\n",
                           lesson.name(), some));
    Options options;
    Raw raw;
    define_flags(app, options, raw);
    try {
        parse(app, arguments);
    } catch (const CLI::CallForHelp&) {
        out << app.help();
        return std::nullopt;
    } catch (const CLI::CallForVersion& version) {
        out << version.what() << '\n';
        return std::nullopt;
    }
    interpret(app, raw, lesson, options);
    check_together(options, lesson);
    return options;
}

Inputs choose_inputs(const Variant& variant, const Options& options) {
    Inputs inputs = Lesson::default_inputs(variant);
    if (options.block) inputs.block = *options.block;
    if (options.warp) inputs.warp = *options.warp;
    if (options.offset) inputs.offset = *options.offset;
    if (inputs.offset != 0 && !variant.offsets)
        throw Error(fmt::format("--offset {}: {} takes values that begin where their buffer does; leave out --offset.",
                                inputs.offset, variant.name));
    if (options.seed) inputs.seed = *options.seed;
    if (!options.input.empty()) inputs.kind = options.input;
    if (options.n) inputs.n = *options.n;
    if (inputs.n > kMaxValues && !variant.large_n)
        throw Error(fmt::format("--n {} is out of range; give a number from 1 to {}.", inputs.n, kMaxValues));
    if (is_generated_input(inputs.kind)) {
        if (!options.block && variant.block_for) inputs.block = variant.block_for(inputs.n);
        return inputs;
    }
    inputs.file = std::make_shared<const std::vector<double>>(read_numbers(inputs.kind));
    if (!options.n) inputs.n = inputs.file->size();
    if (inputs.n > inputs.file->size())
        throw Error(fmt::format("--n {}: the file {} holds {} numbers; add some, or give a smaller --n.", inputs.n,
                                inputs.kind, inputs.file->size()));
    if (!options.block && variant.block_for) inputs.block = variant.block_for(inputs.n);
    return inputs;
}

}  // namespace lanewise::lesson
