#include "common/own/own_file.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/base/error.hpp"
#include "common/base/kernel_text.hpp"
#include "common/base/suggest.hpp"
#include "common/compile/kernel_file.hpp"

namespace lanewise::own {

namespace fs = std::filesystem;

namespace {

std::vector<Program> programs_of(const Asked& asked, const std::string& text) {
    std::vector<SpecLine> lines = spec_lines_of(asked.file.filename().string(), text);
    if (!asked.runs.empty())
        std::erase_if(lines,
                      [&](const SpecLine& line) { return line.kind == SpecLine::Kind::run || !asked.expects.empty(); });
    for (const std::string& run : asked.runs) lines.push_back(spec_line_of(SpecLine::Kind::run, run));
    for (const std::string& expect : asked.expects) lines.push_back(spec_line_of(SpecLine::Kind::expect, expect));
    return parse_spec(lines);
}

// --compare may name a kernel: the first program with that in the place of its last launch's.
void add_compared(std::vector<Program>& programs, const std::vector<std::string>& names,
                  const std::vector<KernelHead>& heads) {
    for (const std::string& name : names) {
        const auto named = [&](const auto& one) { return one.name == name; };
        if (programs.empty() || std::any_of(programs.begin(), programs.end(), named)) continue;
        if (std::none_of(heads.begin(), heads.end(), named)) continue;  // a sentence comes of it later
        Program program = programs.front();
        program.name = name;
        program.launches.back().kernel = name;
        const auto head = std::find_if(heads.begin(), heads.end(), named);
        if (head->template_parameters.empty()) program.launches.back().template_arguments.clear();
        programs.push_back(std::move(program));
    }
}

// Are there macros that make kernels, or headers that are not next to the file? Then not all kernels can be known yet.
bool makes_kernels(const std::string& text) {
    for (std::size_t at = text.find("__global__"); at != text.npos; at = text.find("__global__", at + 1)) {
        std::size_t begin = text.rfind('\n', at);
        while (begin != text.npos && begin > 0 && text[begin - 1] == '\\') begin = text.rfind('\n', begin - 1);
        const std::size_t first = text.find_first_not_of(" \t\r\n", begin == text.npos ? 0 : begin);
        if (first < text.size() && text[first] == '#') return true;
    }
    return text.find("#include \"") != text.npos;
}

void check_launch(const Launch& launch, const std::vector<KernelHead>& heads, const fs::path& file, bool by_macros) {
    std::vector<std::string> names;
    for (const KernelHead& head : heads) names.push_back(head.name);
    const auto count = std::count(names.begin(), names.end(), launch.kernel);
    if (count == 0 && by_macros) return;
    if (count == 0) {
        const std::string near = nearest(launch.kernel, names);
        fail_at(
            launch.line, launch.at,
            names.empty() ? fmt::format("{} has no kernel: a function that begins with __global__.",
                                        file.filename().string())
            : near.empty()
                ? fmt::format("there is no kernel '{}'; there are {}.", launch.kernel, fmt::join(names, ", "))
                : fmt::format("there is no kernel '{}'; did you mean '{}'?", launch.kernel, near));
    }
    std::string lines;
    for (const KernelHead& head : heads)
        if (head.name == launch.kernel) lines += fmt::format("{}{}", lines.empty() ? "" : " and ", head.line);
    if (count > 1)
        fail_at(launch.line, launch.at,
                fmt::format("there are {} kernels named {}, on lines {}; give them different names.", count,
                            launch.kernel, lines));
    const KernelHead& head =
        *std::find_if(heads.begin(), heads.end(), [&](const KernelHead& h) { return h.name == launch.kernel; });
    if (!head.template_parameters.empty() && launch.template_arguments.empty() &&
        head.template_parameters.find('=') == std::string::npos)
        fail_at(launch.line, launch.at,
                fmt::format("{} is a template: give its arguments ({}), as in {}", launch.kernel,
                            head.template_parameters, head.offer().substr(8)));
    if (head.template_parameters.empty() && !launch.template_arguments.empty())
        fail_at(launch.line, launch.at,
                fmt::format("{} is no template; leave out <{}>.", launch.kernel, launch.template_arguments));
    if (launch.arguments.size() != head.parameters.size() && launch.has_arguments &&
        head.template_parameters.find("...") == std::string::npos)
        fail_at(launch.line, launch.at,
                fmt::format("{} takes {} argument{}, and {} {} given: {}", launch.kernel,
                            head.parameters.size(), head.parameters.size() == 1 ? "" : "s",
                            launch.arguments.size(), launch.arguments.size() == 1 ? "is" : "are", head.text()));
}

// Says what is wrong with the kernels that are asked for before a compiler does.
void check_kernels(const std::vector<Program>& programs, const std::vector<KernelHead>& heads, const fs::path& file,
                   bool by_macros) {
    std::vector<const Launch*> launches;
    for (const Program& program : programs) {
        for (const Launch& launch : program.launches) launches.push_back(&launch);
        for (const Expectation& expectation : program.expectations)
            if (const auto* launch = std::get_if<Launch>(&expectation.right)) launches.push_back(launch);
    }
    for (const Launch* launch : launches) check_launch(*launch, heads, file, by_macros);
}

// Of kernels with one name, which are in branches of #if, the one that a launch's arguments fit: of the others the
// compiler sees nothing.
void leave_branches_out(std::vector<KernelHead>& heads, const std::vector<Program>& programs, const std::string& text) {
    if (text.find("#if") == text.npos && text.find("# if") == text.npos) return;
    const auto fits = [&](const KernelHead& head) {
        for (const Program& program : programs)
            for (const Launch& launch : program.launches)
                if (launch.kernel == head.name && launch.arguments.size() == head.parameters.size()) return true;
        return false;
    };
    for (std::size_t i = 0; i < heads.size(); ++i)
        for (std::size_t k = i + 1; k < heads.size();) {
            if (heads[k].name != heads[i].name) {
                ++k;
                continue;
            }
            if (!fits(heads[i]) && fits(heads[k])) std::swap(heads[i], heads[k]);
            heads.erase(heads.begin() + static_cast<std::ptrdiff_t>(k));
        }
}

ParameterNames names_of(const std::vector<KernelHead>& heads) {
    ParameterNames names;
    for (const KernelHead& head : heads)
        for (const HeadParameter& parameter : head.parameters) names[head.name].push_back(parameter.name);
    return names;
}

// What the window and a page say next to the steps.
std::string text_of(const fs::path& file, const std::vector<Program>& programs) {
    std::string text =
        fmt::format("# {}\n\nYour own kernel, on the emulator with all checks on.\n", file.filename().string());
    for (const Program& program : programs) {
        text += fmt::format("\n## {}\n\n```\n", program.name);
        for (const Launch& launch : program.launches) {
            std::string line = launch.line.text;
            line.erase(0, line.find_first_not_of(' '));
            text += "run: " + line + "\n";
        }
        for (const Expectation& expectation : program.expectations) {
            std::string line = expectation.text;
            line.erase(0, line.find_first_not_of(' '));
            text += "expect: " + line + "\n";
        }
        text += "```\n";
    }
    text +=
        "\n**E** goes to the next access that a finding names. Lines such as these are in the file as comments: "
        "`// run: …`, `// expect: …`.\n";
    return text;
}

lesson::Variant variant_of(const Program& program, launch::Plan plan) {
    lesson::Variant variant;
    variant.name = program.name;
    variant.summary = program.launches.front().line.text;
    variant.summary.erase(0, variant.summary.find_first_not_of(' '));
    variant.n = 1;
    for (const auto& buffer : plan.buffers) variant.n = std::max(variant.n, std::min(buffer.count, lesson::kMaxValues));
    variant.block = plan.launches.front().block.count();
    variant.input_text = "as written";
    variant.plan = [plan = std::move(plan)](launch::Plan& to, const lesson::Inputs&) { to = plan; };
    return variant;
}

}  // namespace

std::string offer_of(const fs::path& file, const std::string& text) {
    std::vector<KernelHead> heads = kernel_heads(text);
    const std::string name = file.filename().string();
    std::string of_headers;
    if (heads.empty())
        for (const KernelText& part : kernel_texts(fs::absolute(file).lexically_normal().string(), text)) {
            const std::vector<KernelHead> more = kernel_heads(part.text);
            for (const KernelHead& head : more)
                of_headers +=
                    fmt::format("  {}:{}: {}\n", fs::path(part.path).filename().string(), head.line, head.text());
            heads.insert(heads.end(), more.begin(), more.end());
        }
    if (heads.empty()) throw Error(fmt::format("{} has no kernel: a function that begins with __global__.", name));
    std::string answer =
        fmt::format("{} does not say what to run. Its kernel{}:\n", name, heads.size() == 1 ? "" : "s");
    if (of_headers.empty())
        for (const KernelHead& head : heads) answer += fmt::format("  line {}: {}\n", head.line, head.text());
    answer += of_headers;
    return answer + fmt::format("Paste a line such as this into it, or give it to --run without the '// run:':\n  {}",
                                heads.front().offer());
}

OwnFile open_file(const Asked& asked, const compile::Toolchain& tools, const std::shared_ptr<worker::Pool>& pool,
                  const std::stop_token& stop) {
    const std::string text = compile::read_kernel_file(asked.file);
    const fs::path path = fs::absolute(asked.file).lexically_normal();
    std::vector<KernelHead> heads = kernel_heads(whole_kernel_text(path.string(), text));
    std::vector<Program> programs = programs_of(asked, text);
    if (programs.empty() || programs.front().launches.empty()) throw Error(offer_of(asked.file, text));
    add_compared(programs, asked.compare, heads);
    leave_branches_out(heads, programs, text);
    check_kernels(programs, heads, asked.file, makes_kernels(text));
    Needs needs = needs_of(programs, path);
    needs.request.include_folders = asked.include_folders;
    const ParameterNames names = names_of(heads);
    OwnFile own{lesson::Lesson(path.stem().string(), path.parent_path()),
                {},
                {},
                compile::build_library(tools, needs.request, stop)};
    const std::string library = own.library->path().string();
    worker::LibraryContents contents = worker::describe_library(*pool, library);
    contents.file.file = path.filename().string();
    own.kernels.add(contents.file);
    contents.file.build = launch::Build::emulated;  // what is hooked runs where nothing listens, too
    own.kernels.add(contents.file);
    own.kernels.set_library(library);
    const Compiled compiled{needs, contents, names, path.parent_path()};
    const auto emulator = worker::contained_emulator(pool, compile::kLimits);
    const RunPlan run = [&](const launch::Plan& plan) {
        launch::Request request;
        request.stop = stop;
        return emulator->run(plan, own.kernels, request);
    };
    own.lesson.title(path.filename().string()).text(text_of(path, programs));
    std::vector<launch::Plan> plans;
    for (const Program& program : programs) plans.push_back(make_plan(program, compiled, run));
    for (const Expectation& expectation : programs.front().expectations)
        if (expectation.is_for_all &&
            std::none_of(plans.begin(), plans.end(), [&](const auto& plan) { return has_buffer(plan, expectation); }))
            fail_at(expectation.line, expectation.at, "no program has the buffer on the left side.");
    for (std::size_t i = 0; i < programs.size(); ++i) {
        std::erase_if(programs[i].expectations,
                      [&](const Expectation& e) { return e.is_for_all && !has_buffer(plans[i], e); });
        own.lesson.add(variant_of(programs[i], std::move(plans[i])));
    }
    own.programs = std::move(programs);
    return own;
}

}  // namespace lanewise::own
