#include "common/own/spec.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/base/suggest.hpp"
#include "common/own/spec_cursor.hpp"
#include "common/own/spec_values.hpp"

namespace lanewise::own {

namespace {

constexpr std::uint64_t kMostExtent = 0xffffffffu;

constexpr const char* kExample = "block_sum<256><<<4, 256>>>(in = random(1024), out = zeros(1), 1024)";

Extent extent_of(Cursor& c, const char* what) {
    Extent extent;
    const std::size_t at = c.at();
    if (c.sees_name()) {
        const std::string name = c.name();
        if (name != "dim3")
            c.fail_there(at, fmt::format("{} is a number or dim3(x, y, z), but there is '{}'.", what, name));
        c.need("(", "after dim3");
        std::uint64_t* sides[] = {&extent.x, &extent.y, &extent.z};
        for (std::size_t i = 0;; ++i) {
            if (i == 3) c.fail("dim3 takes three numbers at most.");
            *sides[i] = c.count(what, kMostExtent);
            if (!c.take(",")) break;
        }
        c.need(")", "after the numbers of dim3");
    } else {
        extent.x = c.count(what, kMostExtent);
    }
    if (extent.x == 0 || extent.y == 0 || extent.z == 0) c.fail_there(at, fmt::format("{} is 1 or more.", what));
    return extent;
}

Launch launch_of(Cursor& c, std::string kernel, std::size_t at, bool needs_arguments) {
    Launch launch;
    launch.kernel = std::move(kernel);
    launch.line = c.line();
    launch.at = at;
    if (!c.sees("<<<") && c.sees("<")) launch.template_arguments = c.template_arguments();
    c.need("<<<", fmt::format("after '{}', as in {}", launch.kernel, kExample));
    launch.grid = extent_of(c, "the number of blocks");
    c.need(",", "between the number of blocks and the threads of a block");
    launch.block = extent_of(c, "the number of threads in a block");
    if (c.take(",")) {
        launch.shared_bytes = c.count("the size of dynamic shared memory in bytes", std::uint64_t{1} << 31);
        if (c.take(",") && c.sees_name()) c.name();  // a stream: there is one
        else if (c.sees_number()) c.number();
    }
    c.need(">>>", "after the launch configuration");
    launch.has_arguments = c.sees("(");
    if (!launch.has_arguments && !needs_arguments) return launch;
    c.need("(", "before the arguments");
    while (!c.take(")")) {
        if (!launch.arguments.empty()) c.need(",", "or ')' after an argument");
        ArgumentSpec argument;
        argument.at = c.at();
        if (c.sees_name()) {
            const std::string name = c.name();
            if (name.find("::") == name.npos && c.sees("=") && !c.sees("==")) {
                c.take("=");
                argument.name = name;
                argument.at = c.at();
            } else {
                c.go_to(argument.at);
            }
        }
        argument.value = value_of(c);
        launch.arguments.push_back(std::move(argument));
    }
    c.take(";");
    return launch;
}

Part part_of(Cursor& c, const std::string& name) {
    Part part;
    part.buffer = name;
    if (c.take("[")) {
        part.first = c.count("the index", kMostElements);
        part.end = *part.first + 1;
        if (c.take("..") || c.take(":")) {
            const std::size_t at = c.at();
            part.end = c.count("the end of the range", kMostElements);
            if (*part.end <= *part.first)
                c.fail_there(at, "a range must end past its beginning: out[4..8] is four elements.");
        }
        c.need("]", "after the index");
    }
    return part;
}

// After `before` or `after`: (out)
Part part_at_a_time(Cursor& c, const std::string& when) {
    c.need("(", "after it");
    const std::string buffer = c.name();
    if (buffer.empty()) c.fail(fmt::format("{} takes a buffer, as in {}(out).", when, when));
    Part part = part_of(c, buffer);
    c.need(")", "after the buffer");
    (when == "after" ? part.after : part.before) = true;
    return part;
}

Operand operand_of(Cursor& c) {
    const std::size_t at = c.at();
    if (c.sees("[")) return list_of(c);
    if (c.sees("\"") || c.sees("'")) return file_of(c);
    if (c.sees_number()) return c.number();
    if (!c.sees_name())
        c.fail(fmt::format("a buffer, a number, a file or a reduction was expected, but there is {}.", c.found()));
    const std::string name = c.name();
    if (c.sees("<")) return launch_of(c, name, at, false);
    if (!c.sees("(")) return part_of(c, name);
    if (is_fill(name)) return fill_of(c, name, at);
    if (name == "after" || name == "before") return part_at_a_time(c, name);
    const auto& names = reduction_names();
    if (std::find(names.begin(), names.end(), name) == names.end()) {
        const std::string near = nearest(name, names);
        c.fail_there(at, near.empty()
                             ? fmt::format("there is no reduction '{}'; there are {}.", name, fmt::join(names, ", "))
                             : fmt::format("there is no reduction '{}'; did you mean '{}'?", name, near));
    }
    Reduction reduction{name, {}};
    c.need("(", fmt::format("after {}", name));
    do {
        const std::string buffer = c.name();
        if (buffer.empty()) c.fail(fmt::format("{} takes a buffer, but there is {}.", name, c.found()));
        const bool timed = (buffer == "after" || buffer == "before") && c.sees("(");
        reduction.of.push_back(timed ? part_at_a_time(c, buffer) : part_of(c, buffer));
    } while (c.take(","));
    c.need(")", fmt::format("after the buffer of {}", name));
    const std::size_t wanted = name == "dot" ? 2 : 1;
    if (reduction.of.size() != wanted)
        c.fail_there(at, fmt::format("{} takes {}.", name, wanted == 1 ? "one buffer" : "two buffers"));
    return reduction;
}

Expectation expectation_of(const SpecLine& line) {
    Cursor c(line);
    Expectation expectation;
    expectation.line = line;
    expectation.at = c.at();
    expectation.text = line.text;
    expectation.left = operand_of(c);
    if (c.take("==")) expectation.exact = true;
    else if (!c.take("~=") && !c.take("~"))
        c.fail(fmt::format("'~' (about) or '==' (exactly) was expected, but there is {}.", c.found()));
    expectation.right = operand_of(c);
    if (c.sees_name()) {
        const std::size_t at = c.at();
        if (c.name() != "within") c.fail_there(at, "'within' and a number, or the end of the line, was expected here.");
        const Number number = c.number();
        if (!(number.value >= 0)) c.fail_there(at, "what a result may be off by is 0 or more.");
        if (c.take("%")) expectation.within_part = number.value / 100;
        else expectation.within = number.value;
    }
    c.take(";");
    if (!c.at_end()) c.fail(fmt::format("the line should end here, but there is {}.", c.found()));
    return expectation;
}

void parse_run(const SpecLine& line, Program& program) {
    Cursor c(line);
    do {
        const std::size_t at = c.at();
        if (!c.sees_name())
            c.fail(fmt::format("a kernel's name was expected, as in {}, but there is {}.", kExample, c.found()));
        const std::string name = c.name();
        if (c.sees("=") && !c.sees("==")) {
            c.take("=");
            VariableSpec variable{name, {}, line, at};
            variable.value = value_of(c);
            program.variables.push_back(std::move(variable));
            c.take(";");
        } else {
            program.launches.push_back(launch_of(c, name, at, true));
        }
    } while (c.sees_name());  // several launches may be on one line, with a semicolon between
    if (!c.at_end()) c.fail(fmt::format("the line should end here, but there is {}.", c.found()));
}

// "run NAME: text" or "run: text" after the //, from `at` on; false: it is another comment.
bool read_comment(const std::string& line, SpecLine& result) {
    std::size_t at = line.find_first_not_of(" \t");
    if (at == line.npos || line.compare(at, 2, "//") != 0) return false;
    at = line.find_first_not_of("/ \t*", at);
    if (at == line.npos) return false;
    if (line.compare(at, 3, "run") == 0) {
        result.kind = SpecLine::Kind::run;
        at += 3;
    } else if (line.compare(at, 6, "expect") == 0) {
        result.kind = SpecLine::Kind::expect;
        at += 6;
    } else {
        return false;
    }
    const std::size_t colon = line.find(':', at);
    if (colon == line.npos || (colon + 1 < line.size() && line[colon + 1] == ':')) return false;
    const auto first = line.find_first_not_of(" \t", at);
    std::string name = first < colon ? line.substr(first, colon - first) : "";
    while (!name.empty() && name.back() == ' ') name.pop_back();
    const auto plain = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-'; };
    if (!std::all_of(name.begin(), name.end(), plain)) return false;
    if (!name.empty() && line[at] != ' ') return false;  // "runs: …"
    result.program = name;
    result.text = line.substr(colon + 1);
    result.column = static_cast<int>(colon) + 2;
    result.whole = line;
    return true;
}

// Does it read as CUDA's launch, or as a variable that is given values?
bool is_ours(const SpecLine& line) {
    if (line.text.find("<<<") != line.text.npos) return true;
    const auto first = line.text.find_first_not_of(" \t");
    if (first == line.text.npos) return false;
    std::size_t at = first;
    while (at < line.text.size() && (std::isalnum(static_cast<unsigned char>(line.text[at])) || line.text[at] == '_'))
        ++at;
    const auto equals = line.text.find_first_not_of(" \t", at);
    if (at == first || equals == line.text.npos || line.text[equals] != '=') return false;
    const auto value = line.text.find_first_not_of(" \t", equals + 1);
    if (value == line.text.npos) return false;
    const char c = line.text[value];
    if (c == '[' || c == '"' || c == '-' || std::isdigit(static_cast<unsigned char>(c))) return true;
    const auto end = line.text.find('(', value);
    const auto& fills = fill_names();
    return end != line.text.npos &&
           std::find(fills.begin(), fills.end(), line.text.substr(value, end - value)) != fills.end();
}

Program& program_of(std::vector<Program>& programs, const std::string& name) {
    for (Program& program : programs)
        if (program.name == name) return program;
    programs.push_back({name, {}, {}, {}});
    return programs.back();
}

}  // namespace

const std::vector<std::string>& reduction_names() {
    static const std::vector<std::string> names = {"sum",    "mean",   "max", "min",  "product",        "count",
                                                   "argmax", "argmin", "dot", "scan", "exclusive_scan", "sorted"};
    return names;
}

std::vector<SpecLine> spec_lines_of(const std::string& file, const std::string& text) {
    std::vector<SpecLine> lines;
    int number = 0;
    const bool has_mark = text.starts_with("\xef\xbb\xbf");  // some editors begin a file of UTF-8 with it
    for (std::size_t at = has_mark ? 3 : 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        std::string line = text.substr(at, end - at);
        if (!line.empty() && line.back() == '\r') line.pop_back();
        at = end + 1;
        ++number;
        SpecLine result;
        if (!read_comment(line, result)) continue;
        if (result.kind == SpecLine::Kind::run && !is_ours(result)) continue;
        result.file = file;
        result.line = number;
        lines.push_back(std::move(result));
    }
    // "// expect: …" alone is a sentence of the author's.
    const bool any_run =
        std::any_of(lines.begin(), lines.end(), [](const SpecLine& l) { return l.kind == SpecLine::Kind::run; });
    if (!any_run)
        std::erase_if(lines, [](const SpecLine& l) {
            return l.text.find('~') == l.text.npos && l.text.find("==") == l.text.npos;
        });
    return lines;
}

SpecLine spec_line_of(SpecLine::Kind kind, const std::string& text) {
    SpecLine line;
    line.kind = kind;
    line.file = kind == SpecLine::Kind::run ? "--run" : "--expect";
    line.whole = text;
    std::size_t at = 0;
    while (at < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_' || text[at] == '-'))
        ++at;
    if (at > 0 && at < text.size() && text[at] == ':' && (at + 1 == text.size() || text[at + 1] != ':')) {
        line.program = text.substr(0, at);
        line.column = static_cast<int>(at) + 2;
        line.text = text.substr(at + 1);
    } else {
        line.text = text;
    }
    return line;
}

std::vector<Program> parse_spec(const std::vector<SpecLine>& lines) {
    std::vector<Program> programs;
    for (const SpecLine& line : lines)
        if (line.kind == SpecLine::Kind::run) parse_run(line, program_of(programs, line.program));
    for (const SpecLine& line : lines) {
        if (line.kind != SpecLine::Kind::expect) continue;
        Expectation expectation = expectation_of(line);
        expectation.is_for_all = line.program.empty() && programs.size() > 1;
        bool taken = false;
        for (Program& program : programs)
            if (line.program.empty() || line.program == program.name) {
                program.expectations.push_back(expectation);
                taken = true;
            }
        if (!taken && !line.program.empty())
            fail_at(line, 0,
                    fmt::format("there is no program '{}' that this is expected of; a line '// run {}: …' makes one.",
                                line.program, line.program));
    }
    for (Program& program : programs) {
        if (program.launches.empty() && !program.variables.empty())
            fail_at(program.variables.front().line, program.variables.front().at,
                    "no kernel runs after this; add a line such as "
                    "'// run: kernel<<<1, 32>>>(…)'.");
        if (program.name.empty() && !program.launches.empty()) program.name = program.launches.front().kernel;
    }
    return programs;
}

}  // namespace lanewise::own
