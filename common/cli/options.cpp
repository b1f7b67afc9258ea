#include "common/cli/options.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <ostream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/base/error.hpp"
#include "common/check/report.hpp"
#include "common/base/suggest.hpp"
#include "common/run/comparison.hpp"
#include "common/cli/flags.hpp"
#include "common/cli/flags_together.hpp"
#include "common/page/document.hpp"
#include "common/runner/run_changes.hpp"

namespace lanewise::cli {

using lesson::Lesson;
using lesson::Variant;
using runner::BackendChoice;
using runner::whole_number;

namespace {

constexpr std::uint32_t kMaxBlock = 1024;
constexpr int kMaxSide = 8192;
constexpr std::uint64_t kMaxStep = 1'000'000'000;

template <class T>
T choice(const std::string& flag, const std::string& text, const std::vector<std::pair<std::string, T>>& choices) {
    std::vector<std::string> names;
    for (const auto& [name, value] : choices) {
        if (name == text) return value;
        names.push_back(name);
    }
    // One number is not another, however like it looks.
    const std::string near = std::isdigit(static_cast<unsigned char>(text[0])) ? "" : nearest(text, names);
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

// A JPEG's name on a PNG file misleads the viewer that opens it.
void check_picture(const std::string& path) {
    std::string ending = std::filesystem::path(path).extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (ending == ".png") return;
    const bool exported = ending == ".svg" || ending == ".html";
    throw Error(fmt::format("--screenshot {}: the picture is a PNG file; {}.", path,
                            exported ? fmt::format("give FILE.png, or --export {}", path) : "give FILE.png"));
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

// Meaning of the values, in the order of Raw. An empty value reads as a flag that was given none.
void interpret(const CLI::App& app, const Raw& raw, const Lesson& lesson, Options& options) {
    const auto large = [](const Variant& variant) { return variant.large_n; };
    const std::uint64_t most = std::any_of(lesson.variants().begin(), lesson.variants().end(), large)
                                   ? lesson::kMaxLargeValues
                                   : lesson::kMaxValues;
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
    const std::pair<const char*, const std::string&> of_a_run[] = {
        {"n", raw.n},           {"rows", raw.rows}, {"columns", raw.columns}, {"block", raw.block}, {"warp", raw.warp},
        {"offset", raw.offset}, {"seed", raw.seed}, {"input", raw.input},     {"order", raw.order}};
    for (const auto& [name, text] : of_a_run)
        if (given(("--" + std::string(name)).c_str(), text)) runner::set_run_option(options, name, text, lesson);
    if (given("--values", raw.values)) {
        if (!options.input.empty())
            throw Error(fmt::format("--values and --input {} both say what the values are; leave out one of the two.",
                                    options.input));
        runner::set_run_option(options, "values", raw.values, lesson);
    }
    for (const lesson::Control& control : lesson.controls())
        if (given(("--" + control.name).c_str(), raw.controls.at(control.name)))
            runner::set_run_option(options, control.name, raw.controls.at(control.name), lesson);
    if (given("--sizes", raw.sizes)) {
        options.sizes_text = raw.sizes;
        const auto has_rows = [](const Variant& variant) { return variant.takes_rows(); };
        const bool rows = std::any_of(lesson.variants().begin(), lesson.variants().end(), has_rows);
        options.sizes = rows && raw.sizes == "table" ? timing::row_sizes() : timing::parse_sizes(raw.sizes, most);
    }
    if (given("--l2", raw.l2))
        options.l2 =
            choice<measure::L2>("--l2", raw.l2, {{"warm", measure::L2::warm}, {"flushed", measure::L2::flushed}});
    if (given("--csv", raw.csv)) options.csv = raw.csv;
    if (given("--json", raw.json)) options.json = raw.json;
    if (given("--save-trace", raw.save_trace)) options.save_trace = raw.save_trace;
    if (given("--record", raw.record)) options.record = raw.record;
    if (given("--open", raw.open)) options.open = raw.open;
    if (given("--screenshot", raw.screenshot)) {
        check_picture(raw.screenshot);
        options.screenshot = raw.screenshot;
    }
    if (given("--report", raw.report)) {
        if (!check::is_report_name(raw.report))
            throw Error(fmt::format("--report {} is no report; give FILE.json or FILE.sarif.", raw.report));
        options.report = raw.report;
        options.check = true;
    }
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
    if (given("--theme", raw.theme))
        options.dark = choice<bool>("--theme", raw.theme, {{"dark", true}, {"light", false}});
    if (given("--focus", raw.focus)) parse_focus(raw.focus, options);
    if (given("--lane", raw.lane)) options.lane = static_cast<int>(whole_number("--lane", raw.lane, 0, 31));
    if (given("--sort", raw.sort)) {
        run::parse_sorting(raw.sort);
        options.sort = raw.sort;
    }
    if (given("--predict", raw.predict))
        options.predict = choice<std::string>("--predict", raw.predict,
                                              {{"gentle", "gentle"}, {"exam", "exam"}, {"list", "list"}});
    if (given("--color", raw.color))
        options.color = choice<ColorChoice>("--color", raw.color,
                                            {{"auto", ColorChoice::automatic},
                                             {"always", ColorChoice::always},
                                             {"never", ColorChoice::never}});
}

// Controls without a variant are for the lesson's first that takes them all.
void choose_taker(Options& options, const Lesson& lesson) {
    if (options.controls.empty() || !options.variants.empty() || !options.compare.empty() || !options.open.empty())
        return;
    for (const Variant& variant : lesson.variants()) {
        const lesson::ChosenControls own(variant.controls);
        const auto takes = [&](const lesson::ControlValue& value) { return own.has(value.first); };
        if (std::all_of(options.controls.begin(), options.controls.end(), takes))
            return options.variants.push_back(variant.name);
    }
    std::vector<std::string> flags;
    for (const auto& [name, text] : options.controls) flags.push_back("--" + name);
    throw Error(fmt::format("no variant takes {} together; leave out one of them.", fmt::join(flags, " and ")));
}

}  // namespace

std::string program_version() { return LANEWISE_VERSION; }

std::optional<Options> parse_options(const std::vector<std::string>& arguments, const Lesson& lesson,
                                     std::ostream& out) {
    CLI::App app{fmt::format("{}. Without flags: a window.", lesson.title()), lesson.name()};
    app.allow_extras();
    app.set_help_flag("--help", "Show this and exit");
    app.set_version_flag("--version", fmt::format("Lanewise {}, {}", program_version(), lesson.name()),
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
    define_flags(app, options, raw, lesson);
    try {
        parse_flags(app, arguments);
    } catch (const CLI::CallForHelp&) {
        out << app.help();
        return std::nullopt;
    } catch (const CLI::CallForVersion& version) {
        out << version.what() << '\n';
        return std::nullopt;
    }
    interpret(app, raw, lesson, options);
    if (options.interactive) options.text = true;
    choose_taker(options, lesson);
    check_together(options, lesson);
    return options;
}

}  // namespace lanewise::cli
