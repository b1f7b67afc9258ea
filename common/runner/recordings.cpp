#include "common/runner/recordings.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/kernel_text.hpp"
#include "common/trace/io.hpp"

namespace lanewise::runner {

using lesson::ChosenControls;
using lesson::Lesson;

namespace {

// A flag that asks for something else than what was recorded.
void refuse_other(const std::string& flag, bool differs, const std::string& asked, const std::string& recorded,
                  const std::string& variant) {
    if (differs)
        throw Error(fmt::format("{} {}: {} was recorded with {}; leave {} out, or use --backend cpu.", flag, asked,
                                variant, recorded, flag));
}

}  // namespace

std::filesystem::path find_recording(const Lesson& lesson, const std::string& name) {
    std::error_code error;
    std::vector<std::filesystem::path> gpus;
    for (const auto& entry : std::filesystem::directory_iterator(lesson.recordings(), error))
        gpus.push_back(entry.path());
    std::sort(gpus.begin(), gpus.end());
    for (const auto& gpu : gpus) {
        const auto path = gpu / lesson.name() / name;
        if (std::filesystem::is_regular_file(path, error)) return path;
    }
    return {};
}

void check_recorded(const RunOptions& o, const trace::Header& header, const std::string& variant) {
    refuse_other("--n", o.n && *o.n != header.n, fmt::format("{}", o.n.value_or(0)), fmt::format("n = {}", header.n),
                 variant);
    const std::uint64_t columns = std::max<std::uint64_t>(header.columns, 1), rows = header.n / columns;
    refuse_other("--rows", o.rows && *o.rows != rows, fmt::format("{}", o.rows.value_or(0)),
                 fmt::format("{} rows", rows), variant);
    refuse_other("--columns", o.columns && *o.columns != columns, fmt::format("{}", o.columns.value_or(0)),
                 fmt::format("{} columns", columns), variant);
    refuse_other("--block", o.block && *o.block != header.block, fmt::format("{}", o.block.value_or(0)),
                 fmt::format("blocks of {}", header.block), variant);
    refuse_other("--warp", o.warp && *o.warp != header.warp_size, fmt::format("{}", o.warp.value_or(0)),
                 fmt::format("warps of {} lanes", header.warp_size), variant);
    refuse_other("--offset", o.offset && *o.offset != header.offset, fmt::format("{}", o.offset.value_or(0)),
                 fmt::format("an offset of {}", header.offset), variant);
    refuse_other("--input", !o.input.empty() && o.input != header.input, o.input, "input " + header.input, variant);
    for (const auto& [name, text] : o.controls)
        for (const auto& [recorded, value] : header.controls)
            refuse_other("--" + name, recorded == name && value != text, text, name + " " + value, variant);
    refuse_other("--seed", o.seed && lesson::is_seeded_input(header.input) && *o.seed != header.seed,
                 fmt::format("{}", o.seed.value_or(0)), fmt::format("seed {}", header.seed), variant);
}

ChosenControls recorded_controls(const Lesson& lesson, const lesson::Variant& variant, const trace::Header& header) {
    std::vector<lesson::ControlValue> values = variant.controls;
    for (auto& [name, value] : values)
        for (const auto& [recorded, text] : header.controls) {
            if (recorded != name) continue;
            lesson.find_control(name)->check(text);
            value = text;
        }
    return ChosenControls(std::move(values));
}

std::string read_text(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    if (in) text << in.rdbuf();
    return std::move(text).str();
}

std::string read_kernel_text(const std::filesystem::path& path) {
    return whole_kernel_text(path.string(), read_text(path));
}

}  // namespace lanewise::runner
