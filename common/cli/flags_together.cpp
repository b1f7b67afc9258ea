#include "common/cli/flags_together.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/base/error.hpp"
#include "common/page/document.hpp"

namespace lanewise::cli {
namespace {

constexpr std::size_t kMostPanels = 4;   // of a page
constexpr std::size_t kMostSides = 4;    // of a comparison

void check_times(const Options& options) {
    const std::pair<const char*, bool> given[] = {{"--sizes", !options.sizes.empty()},
                                                  {"--l2", options.l2.has_value()},
                                                  {"--samples", options.samples},
                                                  {"--csv", !options.csv.empty()},
                                                  {"--json", !options.json.empty()}};
    const auto is_file = [](const std::string& flag) { return flag == "--csv" || flag == "--json"; };
    for (const auto& [flag, is_given] : given)
        if (is_given && !options.time && !(options.costs && is_file(flag)))
            throw Error(fmt::format("{} says how to measure; add --time{}, or leave it out.", flag,
                                    is_file(flag) ? " or --costs" : ""));
    // Before minutes of measuring, not after.
    for (const auto& [flag, path] : {std::pair{"--csv", options.csv}, std::pair{"--json", options.json}}) {
        const std::filesystem::path folder = std::filesystem::path(path).parent_path();
        std::error_code ignored;
        if (!folder.empty() && !std::filesystem::is_directory(folder, ignored))
            throw Error(fmt::format("{} {}: there is no folder {}; make it, or name another.", flag, path,
                                    folder.string()));
        if (std::filesystem::is_directory(path, ignored))
            throw Error(fmt::format("{} {} is a folder; name a file.", flag, path));
    }
    if (options.time && options.costs) throw Error("--time and --costs are two tables; ask for one of them.");
    if (options.costs && (options.table || options.rounding))
        throw Error("--costs is a table of its own; leave out --table and --rounding, or --costs.");
    if (!options.sizes.empty() && options.n)
        throw Error(fmt::format("--sizes {} says how many values; leave out --n, or --sizes.", options.sizes_text));
    for (const auto& [flag, count] : {std::pair{"--rows", options.rows}, std::pair{"--columns", options.columns}}) {
        if (!count) continue;
        if (!options.sizes.empty())
            throw Error(
                fmt::format("--sizes {} says how many values; leave out {}, or --sizes.", options.sizes_text, flag));
        if (options.n)
            throw Error(fmt::format("--n {} and {} {} both say how many values; leave out one of the two.", *options.n,
                                    flag, *count));
    }
    if (options.csv == "-" && options.json == "-")
        throw Error("--csv - and --json - both want the terminal; give one of them a file.");
}

void check_export(const Options& options) {
    if (options.exported.empty()) return;
    if (options.time)
        throw Error(fmt::format(
            "--export {} writes a run to a file; --time writes its times with --csv FILE. Leave out one of the two.",
            options.exported));
    const auto& names = options.compare.empty() ? options.variants : options.compare;
    const page::Ending ending = page::ending_of("--export", options.exported);
    if (ending == page::Ending::csv && names.size() > 1)
        throw Error(fmt::format("--export {} holds the values of one variant, and {} are named; give one.",
                                options.exported, names.size()));
    if (ending == page::Ending::html && names.size() > kMostPanels)
        throw Error(
            fmt::format("--export {}: {} variants are named, and a page has room for {} side by side; give fewer.",
                        options.exported, names.size(), kMostPanels));
}

void check_comparison(const Options& options) {
    const auto& names = options.compare;
    if (names.empty()) return;
    if (names.size() < 2)
        throw Error(fmt::format("--compare {} needs two to four variants; give A,B, or A,B,C,D.", names.front()));
    if (names.size() > kMostSides)
        throw Error(
            fmt::format("--compare {}: {} variants are named, and there is room for {} side by side; give fewer.",
                        fmt::join(names, ","), names.size(), kMostSides));
    for (std::size_t i = 0; i < names.size(); ++i)
        if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]) !=
            names.begin() + static_cast<std::ptrdiff_t>(i))
            throw Error(fmt::format("--compare {}: {} is named twice; give each variant once.", fmt::join(names, ","),
                                    names[i]));
}

void check_interactive(const Options& options) {
    if (!options.interactive) return;
    const std::pair<const char*, bool> others[] = {{"--list", options.list},         {"--check", options.check},
                                                   {"--time", options.time},         {"--table", options.table},
                                                   {"--rounding", options.rounding}, {"--describe", options.describe}};
    for (const auto& [flag, is_given] : others)
        if (is_given)
            throw Error(fmt::format(
                "--interactive takes the terminal for itself; leave out {}, or leave out --interactive.", flag));
    if (!options.compare.empty())
        throw Error(fmt::format(
            "--interactive shows one variant at a time (Tab goes to the next); give --variant {} instead of --compare.",
            fmt::join(options.compare, ",")));
}

}  // namespace

void check_together(const Options& options, const lesson::Lesson& lesson) {
    check_times(options);
    check_export(options);
    check_interactive(options);
    for (const auto& name : options.variants) lesson.find(name);
    for (const auto& name : options.compare) lesson.find(name);
    check_comparison(options);
    const std::pair<const char*, bool> views[] = {
        {"--tree", options.tree}, {"--rounding", options.rounding}, {"--boxes", options.boxes}};
    const char* first = nullptr;
    for (const auto& [flag, is_given] : views) {
        if (is_given && first)
            throw Error(
                fmt::format("{} and {} both want the middle of the picture; leave out one of the two.", first, flag));
        if (is_given) first = flag;
    }
    if (!options.predict.empty() && (options.text || !options.compare.empty()))
        throw Error(fmt::format("--predict {} shows a step after its question; leave out {}.", options.predict,
                                options.text ? "--text" : "--compare"));
    if (options.predict == "list" && !options.screenshot.empty())
        throw Error(
            fmt::format("--predict list prints the questions; leave out it or --screenshot {}.", options.screenshot));
    if (options.permutation && !options.text)
        throw Error("--permutation shows shuffles as text; add --text, or leave it out.");
    if (!options.sort.empty() && !options.table) throw Error("--sort sorts the table; add --table, or leave it out.");
    if (options.table && !options.open.empty())
        throw Error(fmt::format("--table shows all variants in one table; leave out --open {}.", options.open));
    if (options.start && !options.wants_window() && options.screenshot.empty())
        throw Error("--start opens a window or, with --screenshot, draws it; leave out the other flags.");
    if (options.describe && !options.step)
        throw Error("--describe needs a step; add --step K, counted from 1.");
    if (options.describe && (options.timings || options.roofline))
        throw Error(fmt::format(
            "--describe describes the steps of a run; --time describes what {} draws. Leave out one of them.",
            options.timings ? "--timings" : "--roofline"));
    if (!options.open.empty() && !options.controls.empty())
        throw Error(fmt::format("--open {} shows a run with the controls it was made with; leave out --{}.",
                                options.open, options.controls.front().first));
    if (!options.open.empty() && (!options.variants.empty() || options.check || options.time ||
                                  !options.save_trace.empty() || !options.compare.empty()))
        throw Error(
            fmt::format("--open {} shows a trace that exists; leave out --variant, --compare, --check, --time and "
                        "--save-trace.",
                        options.open));
    if (!options.record.empty() &&
        (!options.variants.empty() || options.n || options.rows || options.columns || options.block || options.warp ||
         options.seed || !options.input.empty() || !options.controls.empty() || !options.open.empty()))
        throw Error(
            fmt::format("--record {} records every variant on its own inputs; leave out --variant, --n, --rows, "
                        "--columns, --block, "
                        "--warp, --seed, --input, --values, the lesson's controls and --open.",
                        options.record));
    const bool teaching = options.warp.value_or(trace::kWarpSize) != trace::kWarpSize;
    if (teaching && (options.time || options.backend == runner::BackendChoice::gpu))
        throw Error(fmt::format("--warp {}: a GPU's warps have 32 lanes; leave out {}, or leave out --warp.",
                                *options.warp, options.time ? "--time" : "--backend gpu"));
    if (!options.save_trace.empty() && options.variants.size() > 1)
        throw Error(fmt::format("--save-trace {} holds one variant, and --variant names {}; give one.",
                                options.save_trace, options.variants.size()));
}

}  // namespace lanewise::cli
