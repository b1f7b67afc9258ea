#include "common/runner/run_changes.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <memory>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/plain_text.hpp"

namespace lanewise::runner {

using lesson::Control;
using lesson::ControlKind;
using lesson::GeneratedInput;
using lesson::Lesson;
using lesson::Variant;
using run::FieldKind;
using run::RunField;

namespace {

constexpr std::uint32_t kMaxBlock = 1024;
constexpr std::uint64_t kMaxOffset = 4096;

bool is_negative_number(const std::string& text) {
    return text.size() > 1 && text[0] == '-' &&
           std::all_of(text.begin() + 1, text.end(), [](unsigned char c) { return std::isdigit(c); });
}

// What was given, in a sentence: its beginning where somebody pasted a novel.
std::string shown(const std::string& text) {
    constexpr std::size_t kMost = 40;
    if (text.size() <= kMost) return plain_text(text);
    return plain_text(text.substr(0, kMost)) + fmt::format("… ({} characters)", text.size());
}

std::uint64_t most_values(const Lesson& lesson) {
    const auto large = [](const Variant& variant) { return variant.large_n; };
    return std::any_of(lesson.variants().begin(), lesson.variants().end(), large) ? lesson::kMaxLargeValues
                                                                                  : lesson::kMaxValues;
}

std::uint32_t read_warp(const std::string& text) {
    for (const std::uint32_t lanes : {4u, 8u, 16u, 32u})
        if (text == std::to_string(lanes)) return lanes;
    throw Error(fmt::format("--warp {} is not one of 4, 8, 16, 32.", shown(text)));
}

launch::Order read_order(const std::string& text) {
    try {
        // As a trace names it, too: "seed 7".
        return launch::Order::parse(text.starts_with("seed ") ? text.substr(5) : text);
    } catch (const Error&) {
        throw Error(fmt::format("--order {} is not an order; give ascending, descending or a seed such as 7.",
                                shown(text)));
    }
}

RunField number(const char* name, std::uint64_t standard, std::uint64_t low, std::uint64_t high, const char* sentence) {
    return {name, FieldKind::number, fmt::format("{}", standard), sentence, {}, low, high};
}

RunField of_control(const Control& control, const std::string& standard) {
    RunField field{control.name, FieldKind::choice, standard, control.sentence};
    if (control.kind == ControlKind::choice) field.choices = control.choices;
    if (control.kind == ControlKind::integer) {
        field.kind = FieldKind::number;
        field.low = static_cast<std::uint64_t>(std::max<std::int64_t>(control.low, 0));
        field.high = static_cast<std::uint64_t>(std::max<std::int64_t>(control.high, 0));
    }
    if (control.kind == ControlKind::mask) field.kind = FieldKind::mask;
    if (control.kind == ControlKind::per_lane) field.kind = FieldKind::per_lane;
    return field;
}

// Which variants run in warps of 4, 8 and 16 lanes.
using WarpSizes = std::map<std::uint32_t, std::vector<std::string>>;

std::vector<RunField> fields_of(const Variant& variant, const Lesson& lesson, const launch::KernelSet& kernels,
                                const WarpSizes& warp_sizes) {
    std::vector<RunField> fields;
    const RunField order{"order", FieldKind::order, "ascending", "In which order the emulator runs lanes and blocks",
                         {"ascending", "descending"}};
    if (!variant.input_text.empty()) return {order};   // its plan says all else
    const std::uint64_t most = variant.most_n > 0 ? variant.most_n
                               : variant.large_n  ? lesson::kMaxLargeValues
                                                  : lesson::kMaxValues;
    // What a lesson asks to be played with comes first.
    for (const auto& [name, standard] : variant.controls)
        if (const Control* control = lesson.find_control(name)) fields.push_back(of_control(*control, standard));
    if (variant.takes_rows()) {
        fields.push_back(number("rows", variant.n / variant.columns, 1, most, "Rows, one after the other in memory"));
        fields.push_back(number("columns", variant.columns, 1, most, "Values in a row"));
    } else {
        fields.push_back(number("n", variant.n, 1, most, "How many values there are"));
    }
    RunField blocks{"block", FieldKind::choice, fmt::format("{}", variant.block), "Threads in a block"};
    for (std::uint32_t block = 32; block <= kMaxBlock; block *= 2)
        if (block == variant.block || lesson::has_instance(variant, block, kernels))
            blocks.choices.push_back(fmt::format("{}", block));
    if (blocks.choices.size() > 1) fields.push_back(std::move(blocks));
    RunField warps{"warp", FieldKind::choice, "32", "Lanes in a warp: fewer, on the emulator, to see it all at once"};
    for (const auto& [lanes, can] : warp_sizes)
        if (std::find(can.begin(), can.end(), variant.name) != can.end())
            warps.choices.push_back(fmt::format("{}", lanes));
    if (!warps.choices.empty()) {
        warps.choices.push_back("32");
        fields.push_back(std::move(warps));
    }
    RunField input{"input", FieldKind::choice, variant.input, ""};
    for (const GeneratedInput& kind : lesson::kGeneratedInputs) {
        input.choices.emplace_back(kind.name);
        input.sentence += fmt::format("{}{}: {}", input.sentence.empty() ? "" : "\n", kind.name, kind.what);
    }
    fields.push_back(std::move(input));
    fields.push_back({"values", FieldKind::values, "", "The values themselves, with commas between"});
    RunField seed = number("seed", 1, 0, ~std::uint64_t{0}, "Of the inputs with random values");
    for (const GeneratedInput& kind : lesson::kGeneratedInputs)
        if (kind.seeded) seed.choices.emplace_back(kind.name);   // the inputs that it matters to
    fields.push_back(std::move(seed));
    if (variant.offsets)
        fields.push_back(number("offset", 0, 0, kMaxOffset, "Elements before the first value in memory"));
    fields.push_back(order);
    return fields;
}

}  // namespace

std::uint64_t whole_number(const std::string& flag, const std::string& text, std::uint64_t low, std::uint64_t high) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool read = end == text.data() + text.size() && !text.empty();
    const bool too_large = error == std::errc::result_out_of_range && read;
    if (!too_large && !is_negative_number(text) && (error != std::errc{} || !read))
        throw Error(fmt::format("{} {} is not a whole number; give one from {} to {}.", flag, shown(text), low, high));
    if (too_large || is_negative_number(text) || value < low || value > high)
        throw Error(fmt::format("{} {} is out of range; give a number from {} to {}.", flag, shown(text), low, high));
    return value;
}

void set_run_option(RunOptions& options, const std::string& name, const std::string& text, const Lesson& lesson) {
    const std::string flag = "--" + name;
    if (name == "n") options.n = whole_number(flag, text, 1, most_values(lesson));
    else if (name == "rows") options.rows = whole_number(flag, text, 1, most_values(lesson));
    else if (name == "columns") options.columns = whole_number(flag, text, 1, most_values(lesson));
    else if (name == "block") options.block = static_cast<std::uint32_t>(whole_number(flag, text, 1, kMaxBlock));
    else if (name == "warp") options.warp = read_warp(text);
    else if (name == "offset") options.offset = static_cast<std::uint32_t>(whole_number(flag, text, 0, kMaxOffset));
    else if (name == "seed") options.seed = whole_number(flag, text, 0, ~std::uint64_t{0});
    else if (name == "order") options.order = read_order(text);
    else if (name == "input") {
        options.input = text;
        options.values = nullptr;
    } else if (name == "values") {
        options.values = std::make_shared<const std::vector<double>>(lesson::read_typed_values(text));
        options.input = lesson::kTypedInput;
    } else if (const Control* control = lesson.find_control(name)) {
        control->check(text);
        std::erase_if(options.controls, [&](const lesson::ControlValue& value) { return value.first == name; });
        options.controls.emplace_back(name, text);
    } else {
        throw Error(fmt::format("{} {}: {} has no such field; --help lists them.", flag, shown(text), lesson.name()));
    }
}

std::map<std::string, std::vector<RunField>> fields_of(const Lesson& lesson, const launch::KernelSet& kernels) {
    WarpSizes warps;
    for (const std::uint32_t lanes : {4u, 8u, 16u}) warps[lanes] = lesson::variants_in_warps_of(lanes, lesson, kernels);
    std::map<std::string, std::vector<RunField>> fields;
    for (const Variant& variant : lesson.variants()) fields[variant.name] = fields_of(variant, lesson, kernels, warps);
    return fields;
}

RunOptions with_changes(const RunOptions& options, const run::RunChanges& changes, const Lesson& lesson) {
    RunOptions changed = options;
    changed.variants.clear();   // nothing was asked of one variant that another does not take
    for (const auto& [name, text] : changes) {
        if (name == "n") changed.rows.reset(), changed.columns.reset();
        if (name == "rows" || name == "columns") changed.n.reset();
        set_run_option(changed, name, text, lesson);
    }
    if (changed.order && !options.order && changed.backend == BackendChoice::automatic)
        changed.backend = BackendChoice::cpu;
    return changed;
}

}  // namespace lanewise::runner
