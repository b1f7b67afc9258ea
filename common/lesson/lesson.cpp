#include "common/lesson/lesson.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/base/data_folder.hpp"
#include "common/base/error.hpp"
#include "common/base/free_memory.hpp"
#include "common/base/suggest.hpp"

namespace lanewise::lesson {

namespace {

// Of a file; empty where it cannot be read.
std::string contents_of(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// The first name one of whose parts is near: 'shufle' finds "block_sum_tree_shuffle".
std::string nearest_by_part(const std::string& text, const std::vector<std::string>& names) {
    for (const auto& name : names) {
        std::vector<std::string> parts;
        for (std::size_t at = 0; at <= name.size();) {
            const auto end = std::min(name.find('_', at), name.size());
            parts.push_back(name.substr(at, end - at));
            at = end + 1;
        }
        if (text.size() > 2 && !nearest(text, parts).empty()) return name;
    }
    return {};
}

// Linux promises memory that it does not have and ends the program that uses it: this is known before.
void check_memory(std::uint64_t n) {
    constexpr std::uint64_t kBytesPerValue = 16;  // as a double, as a float, and in the plan
    const auto free = free_memory();
    if (free && n > *free / kBytesPerValue)
        throw Error(fmt::format(
            "{} values take about {:.1f} GiB of this machine's memory while they are made, and {:.1f} GiB "
            "are free; choose fewer.",
            n, static_cast<double>(n) * kBytesPerValue / (1u << 30), static_cast<double>(*free) / (1u << 30)));
}

// To ask which instances there are.
Inputs smallest_inputs(const Variant& variant) {
    Inputs smallest = Lesson::default_inputs(variant);
    smallest.n = 1;
    smallest.kind = "ramp";
    return smallest;
}

bool can_plan(const Variant& variant, const Inputs& inputs, const launch::KernelSet& kernels) {
    try {
        make_plan(variant, inputs, kernels);
        return true;
    } catch (const Error&) {
        return false;
    }
}

}  // namespace

Lesson::Lesson(std::string name, std::filesystem::path folder)
    : name_(std::move(name)), title_(name_), folder_(std::move(folder)) {}

Lesson Lesson::of_this_program(const std::string& name) { return {name, data_folder() / "lessons" / name}; }

std::string Lesson::text() const { return text_ ? *text_ : contents_of(text_path()); }

Lesson& Lesson::text(std::string text) {
    text_ = std::move(text);
    return *this;
}

std::string Lesson::glossary() const {
    return contents_of((text_ ? data_folder() / "lessons" : folder_.parent_path()) / "GLOSSARY.md");
}

Lesson& Lesson::title(std::string title) {
    title_ = std::move(title);
    return *this;
}

Lesson& Lesson::main(std::string variant) {
    main_ = find(variant).name;
    return *this;
}

Lesson& Lesson::add(Variant variant) {
    if (!variant.plan)
        throw Error(fmt::format("{}: variant '{}' has no plan; give it one in lesson.cpp.", name_, variant.name));
    if (std::any_of(variants_.begin(), variants_.end(), [&](const Variant& v) { return v.name == variant.name; }))
        throw Error(fmt::format("{}: two variants are named '{}'; rename one in lesson.cpp.", name_, variant.name));
    if (variant.title.empty()) variant.title = variant.name;
    for (auto& [name, value] : variant.controls) {
        const Control* control = find_control(name);
        if (!control)
            throw Error(fmt::format("{}: variant '{}' takes a control '{}' that the lesson does not have; declare it "
                                    "before.", name_, variant.name, name));
        if (value.empty()) value = control->standard;
        control->check(value);
    }
    variants_.push_back(std::move(variant));
    return *this;
}

Lesson& Lesson::control(Control control) {
    if (find_control(control.name))
        throw Error(fmt::format("{}: two controls are named '{}'; rename one in lesson.cpp.", name_, control.name));
    control.check(control.standard);
    controls_.push_back(std::move(control));
    return *this;
}

const Control* Lesson::find_control(const std::string& name) const {
    const auto at = std::find_if(controls_.begin(), controls_.end(),
                                 [&](const Control& control) { return control.name == name; });
    return at == controls_.end() ? nullptr : &*at;
}

const Variant& Lesson::find(const std::string& name) const {
    std::vector<std::string> names;
    for (const auto& variant : variants_) {
        if (variant.name == name) return variant;
        names.push_back(variant.name);
    }
    if (name.empty())
        throw Error(fmt::format("A variant's name is empty; give one of {}.", fmt::join(names, ", ")));
    std::string near = nearest(name, names);
    if (near.empty()) near = nearest_by_part(name, names);
    throw Error(near.empty()
                    ? fmt::format("{} has no variant '{}'; it has {}.", name_, name, fmt::join(names, ", "))
                    : fmt::format("{} has no variant '{}'; did you mean '{}'? --list shows all.", name_, name, near));
}

Inputs Lesson::default_inputs(const Variant& variant) {
    Inputs inputs;
    inputs.n = variant.n;
    inputs.columns = variant.columns;
    inputs.block = variant.block;
    inputs.kind = variant.input;
    inputs.controls = ChosenControls(variant.controls);
    return inputs;
}

launch::Plan make_plan(const Variant& variant, const Inputs& inputs, const launch::KernelSet& kernels) {
    if (inputs.n > kMaxValues) check_memory(inputs.n);
    if (variant.most_n > 0 && inputs.n > variant.most_n)
        throw Error(fmt::format("--n {}: {} takes up to {}; give fewer.", inputs.n, variant.name, variant.most_n));
    launch::Plan plan;
    variant.plan(plan, inputs);
    for (const auto& launch : plan.launches) {
        const auto instances = kernels.instances(launch.kernel);
        const bool there = std::find(instances.begin(), instances.end(), launch.arguments) != instances.end();
        if (instances.empty()) continue;  // an unknown kernel is the backend's sentence
        const bool teaching = inputs.warp != trace::kWarpSize;
        if (!there)
            throw Error(fmt::format("{} {}: {} has no instance for it; it has {}.", teaching ? "--warp" : "--block",
                                    teaching ? inputs.warp : inputs.block, launch.kernel,
                                    fmt::join(instances, instances[0].find(',') == std::string::npos ? ", " : "; ")));
        const auto& kernel = kernels.find(launch.kernel, launch.arguments);
        if (teaching && kernel.warp_size != inputs.warp)
            throw Error(fmt::format("--warp {}: {} runs in warps of {} lanes; leave out --warp.", inputs.warp,
                                    kernel.full_name(), kernel.warp_size));
    }
    return plan;
}

std::string kernel_file_of(const launch::Plan& plan, const launch::KernelSet& kernels) {
    if (plan.launches.empty()) return launch::kKernelFile;
    return kernels.find(plan.launches[0].kernel, plan.launches[0].arguments).file;
}

const launch::Kernel* gpu_only_kernel(const launch::Plan& plan, const launch::KernelSet& kernels) {
    for (const auto& launch : plan.launches) {
        if (kernels.instances(launch.kernel).empty()) continue;  // an unknown kernel is the backend's sentence
        const auto& kernel = kernels.find(launch.kernel, launch.arguments);
        if (kernel.gpu_only()) return &kernel;
    }
    return nullptr;
}

std::string why_not_in_order(const Variant& variant, const launch::Order& order) {
    if (variant.block_order != BlockOrder::last_waits || order.kind == launch::Order::Kind::ascending) return {};
    return fmt::format(
        "--order {}: where the last block waits for the others, the emulator, which runs one block after the "
        "other, takes them in ascending order only; leave out --order.",
        order.name());
}

bool has_instance(const Variant& variant, std::uint32_t block, const launch::KernelSet& kernels) {
    Inputs smallest = smallest_inputs(variant);
    smallest.block = block;
    return can_plan(variant, smallest, kernels);
}

std::vector<std::string> variants_in_warps_of(std::uint32_t warp, const Lesson& lesson,
                                              const launch::KernelSet& kernels) {
    std::vector<std::string> names;
    for (const auto& variant : lesson.variants()) {
        Inputs smallest = smallest_inputs(variant);
        smallest.warp = warp;
        if (variant.block_in_warps_of) smallest.block = variant.block_in_warps_of(warp);
        if (can_plan(variant, smallest, kernels)) names.push_back(variant.name);
    }
    return names;
}

}  // namespace lanewise::lesson
