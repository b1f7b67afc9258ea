#include "common/conformance/verdicts/directives.testing.hpp"

#include <fstream>
#include <regex>
#include <sstream>

#include "common/base/error.hpp"

namespace lanewise::verdicts {

namespace {

std::vector<std::string> split(const std::string& text, const char* separator) {
    std::vector<std::string> parts;
    const std::regex by(separator);
    for (std::sregex_token_iterator part(text.begin(), text.end(), by, -1), end; part != end; ++part)
        if (part->length()) parts.push_back(*part);
    return parts;
}

Element element_named(const std::string& name) {
    for (int i = 0; i < kElementCount; ++i)
        if (element_name(static_cast<Element>(i)) == name) return static_cast<Element>(i);
    throw Error("there is no element " + name);
}

// ramp_f32(64), zeros_i32(8), ones_i32(8), raw_f32(4), or a number.
launch::Argument argument(launch::Plan& plan, const std::string& text) {
    static const std::regex buffer("(ramp|zeros|ones|raw)_(\\w+)\\((\\d+)\\)");
    std::smatch match;
    launch::Argument result;
    if (!std::regex_match(text, match, buffer)) {
        const int value = std::stoi(text);
        result.size = sizeof value;
        std::memcpy(result.value.data(), &value, sizeof value);
        return result;
    }
    const Element element = element_named(match[2]);
    const auto count = static_cast<std::uint64_t>(std::stoull(match[3]));
    const std::string name = "argument " + std::to_string(plan.buffers.size());
    const std::string kind = match[1];
    std::vector<double> values(count);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = kind == "ones" ? 1 : static_cast<double>(i);
    if (kind == "zeros") {
        plan.output_as(name, element, count);
    } else if (kind == "raw") {
        plan.buffers.push_back({name, launch::BufferRole::scratch, element, count, {}});
    } else if (is_float(element)) {
        plan.input_as(name, element, values);
    } else {
        plan.input(name, std::vector<std::int32_t>(values.begin(), values.end()));
        plan.buffers.back().element = element;
    }
    return {true, plan.buffers.size() - 1, 0, sizeof(void*), {}};
}

// 64, or 16x8.
template <class Shape>
void set_shape(const std::string& text, Shape& shape) {
    const auto parts = split(text, "x");
    shape.x = static_cast<std::uint32_t>(std::stoul(parts.at(0)));
    if (parts.size() > 1) shape.y = static_cast<std::uint32_t>(std::stoul(parts[1]));
}

Directive parsed(const std::string& line) {
    static const std::regex whole(
        "// verdict (wrong|clean|note)( [\\w,]+)?( \\([\\w,]+\\))?: (\\w+)<<<([\\dx, ]+)>>>\\((.*)\\)");
    std::smatch match;
    if (!std::regex_match(line, match, whole)) throw Error("no directive: " + line);
    Directive directive;
    directive.verdict = match[1];
    for (const std::string& kind : split(match[2], "[ ,]+")) directive.kinds.insert(kind);
    for (const std::string& kind : split(match[3], "[ ,()]+")) directive.others.insert(kind);
    directive.kernel = match[4];
    const auto sizes = split(match[5], "[ ,]+");
    launch::LaunchSpec launch;
    launch.kernel = directive.kernel;
    set_shape(sizes.at(0), launch.grid);
    set_shape(sizes.at(1), launch.block);
    if (sizes.size() > 2) launch.block.dynamic_shared_bytes = static_cast<std::uint32_t>(std::stoul(sizes[2]));
    for (const std::string& text : split(match[6], ", *")) launch.values.push_back(argument(directive.plan, text));
    directive.plan.launches.push_back(std::move(launch));
    return directive;
}

}  // namespace

std::vector<Directive> directives_of(const std::string& path) {
    std::ifstream file(path);
    std::vector<Directive> directives;
    std::string line;
    // A function that kernels share stands above them: what is marked in it holds for all below.
    std::set<int> shared_lines;
    bool in_kernel = false;
    for (int number = 1; std::getline(file, line); ++number) {
        if (line.starts_with("// verdict ")) {
            directives.push_back(parsed(line));
            directives.back().lines = shared_lines;
        }
        if (line.starts_with("__global__")) in_kernel = true;
        if (line.find("// !") != std::string::npos) {
            if (in_kernel) directives.back().lines.insert(number);
            else shared_lines.insert(number);
        }
        if (line.ends_with("}") && (line[0] == '}' || line.starts_with("__global__"))) in_kernel = false;
    }
    return directives;
}

}  // namespace lanewise::verdicts
