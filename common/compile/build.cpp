#include "common/compile/build.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/compile/command.hpp"
#include "common/compile/messages.hpp"

namespace lanewise::compile {

namespace fs = std::filesystem;

namespace {

constexpr const char* kNamespace = "kernels_own_emulated_traced";

// A string of C++.
std::string quoted(const std::string& text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') result += '\\';
        result += c;
    }
    return result + "\"";
}

std::string at_line(int line, const fs::path& file) {
    return line > 0 ? fmt::format("#line {} {}\n", line, quoted(file.string())) : std::string();
}

std::string full_name(const Instance& instance) {
    return fmt::format("::{}::{}{}", kNamespace, instance.name,
                       instance.arguments.empty() ? "" : "<" + instance.arguments + ">");
}

std::string parameters_of(const Instance& instance) {
    return fmt::format("::lanewise_emulated::Parameters<decltype(&{})>", full_name(instance));
}

std::string entries_text(const BuildRequest& request) {
    std::string text;
    for (const Instance& instance : request.instances) {
        const std::string comma = instance.arguments.empty() ? "" : ", ";
        text += at_line(instance.line, request.file);
        text += instance.warp_size == 32 ? fmt::format("ENTRY({}{}{})\n", instance.name, comma, instance.arguments)
                                         : fmt::format("WARP_ENTRY({}, {}{}{})\n", instance.warp_size, instance.name,
                                                       comma, instance.arguments);
    }
    return text;
}

// The wrapper: the prelude, the kernels in a namespace of their own, the entries, and what the kernels take.
std::string library_text(const BuildRequest& request, const fs::path& folder) {
    const auto include = [&](const char* name) {
        return fmt::format("#include {}\n", quoted((folder / name).string()));
    };
    std::string text = include("kernels.includes.inc");
    text += "extern \"C\" {\n__attribute__((visibility(\"hidden\"))) void* __dso_handle = &__dso_handle;\n}\n";
    text += fmt::format(
        "namespace {} {{\nusing ::lanewise_emulated::heap::malloc;\nusing ::lanewise_emulated::heap::free;\n",
        kNamespace);
    text += include("kernels.overloads.inc");
    for (const char* name : {"memcpy", "memmove", "memset"}) text += fmt::format("#define __builtin_{0} {0}\n", name);
    text += include("kernels.emulated_traced.cuh");
    for (const char* name : {"memcpy", "memmove", "memset"}) text += fmt::format("#undef __builtin_{}\n", name);
    text += "}\n" + fmt::format("namespace {} {{\nnamespace lanewise_given {{\n", kNamespace);
    for (std::size_t i = 0; i < request.arguments.size(); ++i) {
        const CodeArgument& argument = request.arguments[i];
        text += at_line(argument.line, request.file);
        text += fmt::format("static const {}::Of<{}> argument_{} = {};\n", parameters_of(argument.instance),
                            argument.parameter, i, argument.text);
    }
    text +=
        "}\n}\n#line 1 \"own.cpp\"\nnamespace {\nusing namespace ::lanewise;\n" + include("kernels.tables.inc") + "}\n";
    text += fmt::format("#define LANEWISE_KERNEL(name, ...) ::{}::name __VA_OPT__(<__VA_ARGS__>)\n", kNamespace);
    text +=
        "#define WARP_ENTRY(warp, name, ...) {#name, #__VA_ARGS__, reinterpret_cast<const void*>(static_cast<void "
        "(*)(void**)>( \\\n"
        "    ::lanewise_emulated::body<&LANEWISE_KERNEL(name __VA_OPT__(, ) __VA_ARGS__)>)), \\\n"
        "    ::lanewise::prelude::Signature<decltype(&LANEWISE_KERNEL(name __VA_OPT__(, ) __VA_ARGS__))>::parameters, "
        "\\\n"
        "    ::lanewise::prelude::Signature<decltype(&LANEWISE_KERNEL(name __VA_OPT__(, ) __VA_ARGS__))>::count, "
        "warp},\n"
        "#define ENTRY(...) WARP_ENTRY(0, __VA_ARGS__)\n";
    text +=
        "extern \"C\" LANEWISE_UNHOOKED void lanewise_library(::lanewise::prelude::RawLibrary* library) {\n"
        "    static const ::lanewise::prelude::RawEntry entries[] = {\n" +
        include("entries.inc") +
        "#line 1 \"own.cpp\"\n    };\n"
        "    library->file = {entries, sizeof(entries) / sizeof(entries[0]), kStatements, kStatementCount, "
        "kSharedNames, "
        "kSharedCount, nullptr, \"\", 0, kConstantNames};\n"
        "    static const ::lanewise::prelude::RawType* const types[] = {";
    for (const Instance& instance : request.instances) text += parameters_of(instance) + "::types(), ";
    text += "nullptr};\n    library->types = types;\n    static const ::lanewise::prelude::RawArgument arguments[] = {";
    for (std::size_t i = 0; i < request.arguments.size(); ++i)
        text +=
            fmt::format("{{{0}, &::{1}::lanewise_given::argument_{0}, sizeof(::{1}::lanewise_given::argument_{0})}}, ",
                        i, kNamespace);
    text += fmt::format("{{}}}};\n    library->arguments = arguments;\n    library->argument_count = {};\n",
                        request.arguments.size());
    text += "    library->memory = ::lanewise_emulated::memory_types;\n";
    text += "    static const ::lanewise::prelude::RawVariable variables[] = {";
    for (const std::string& name : request.variables)
        text +=
            fmt::format("{{\"{0}\", &::{1}::{0}, ::lanewise_emulated::describe_variable<decltype(::{1}::{0})>()}}, ",
                        name, kNamespace);
    text += fmt::format("{{}}}};\n    library->variables = variables;\n    library->variable_count = {};\n}}\n",
                        request.variables.size());
    return text;
}

void write(const fs::path& path, const std::string& text) {
    std::ofstream file(path, std::ios::binary);
    file << text;
    file.close();
    if (!file)
        throw Error(fmt::format("{} cannot be written; is the disk full? TMPDIR names another folder.", path.string()));
}

std::shared_ptr<Library> fresh_folder() {
    std::error_code failed;
    const fs::path parent = fs::temp_directory_path(failed);
    std::string name = (parent / "lanewise-XXXXXX").string();
    if (failed || !mkdtemp(name.data())) {
        const char* named = std::getenv("TMPDIR");
        throw Error(fmt::format("no folder can be made in {} for what is compiled; TMPDIR names another one.",
                                failed && named ? std::string(named) : parent.string()));
    }
    return std::make_shared<Library>(name);
}

// Throws what a command came to, but for success.
void judge(const CommandResult& result, const BuildRequest& request, const std::string& program,
           const std::vector<TextFile>& files = {}) {
    switch (result.end) {
        case CommandResult::End::stopped:
            throw Stopped();
        case CommandResult::End::too_long:
            throw Error(
                fmt::format("{}: compiling it took more than a minute and was stopped; a template that instantiates "
                            "itself may be the cause.",
                            request.file.string()));
        case CommandResult::End::not_found:
            throw Error(fmt::format("{} could not be started; is it installed?", program));
        case CommandResult::End::exited:
            break;
    }
    // A program whose libraries are not there.
    if (result.status == 127)
        throw Error(fmt::format("{} could not be started; build or install Lanewise again. The system says: {}",
                                program, result.output.substr(0, result.output.find('\n'))));
    if (result.status != 0) throw CompileError(messages_of(result.output, request.file, files));
}

std::vector<std::string> kernels_of(const BuildRequest& request) {
    std::vector<std::string> names;
    for (const Instance& instance : request.instances)
        if (std::find(names.begin(), names.end(), instance.name) == names.end()) names.push_back(instance.name);
    return names;
}

}  // namespace

Library::Library(std::filesystem::path folder)
    : folder_(std::move(folder)), lock_(open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (lock_) flock(lock_.get(), LOCK_SH | LOCK_NB);
}

void remove_left_libraries() {
    std::error_code failed;
    const auto young = fs::file_time_type::clock::now() - std::chrono::minutes(1);  // it may not be locked yet
    for (const auto& entry : fs::directory_iterator(fs::temp_directory_path(failed), failed)) {
        std::error_code none;
        if (!entry.path().filename().string().starts_with("lanewise-") || !fs::exists(entry.path() / "own.cpp", none) ||
            fs::last_write_time(entry.path(), none) > young)
            continue;
        const worker::Fd folder(open(entry.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
        struct stat status {};
        if (!folder || fstat(folder.get(), &status) != 0 || status.st_uid != getuid()) continue;
        if (flock(folder.get(), LOCK_EX | LOCK_NB) == 0) fs::remove_all(entry.path(), none);
    }
}

Library::~Library() {
    std::error_code none;
    fs::remove_all(folder_, none);
}

std::string Message::text() const {
    const std::string name = fs::path(file).filename().string();
    if (line == 0) return name.empty() ? sentence : name + ": " + sentence;
    return column == 0 ? fmt::format("{}:{}: {}", name, line, sentence)
                       : fmt::format("{}:{}:{}: {}", name, line, column, sentence);
}

namespace {
std::string joined(const std::vector<Message>& messages) {
    std::vector<std::string> texts;
    for (const Message& message : messages) texts.push_back(message.text());
    return fmt::format("{}", fmt::join(texts, "\n"));
}
}  // namespace

CompileError::CompileError(std::vector<Message> messages) : Error(joined(messages)), messages_(std::move(messages)) {}

namespace {

// Reads the file and writes its copy: what the annotator said.
std::string annotated(const Toolchain& tools, const BuildRequest& request, const fs::path& folder, bool lean_headers,
                      const std::stop_token& stop) {
    std::vector<std::string> command = {tools.annotator.string(), "kernels",           "--root",
                                        tools.root.string(),      "--stand-ins",       tools.stand_ins.string(),
                                        "--declarations",         tools.declarations()};
    if (lean_headers) command.insert(command.end(), {"--headers", "lean"});
    for (const fs::path& include : request.include_folders)
        command.insert(command.end(), {"--include", fs::absolute(include).string()});
    for (const std::string& kernel : kernels_of(request)) command.insert(command.end(), {"--kernel", kernel});
    command.insert(command.end(), {fs::absolute(request.file).string(), folder.string()});
    const CommandResult result = run_command(command, stop);
    judge(result, request, tools.annotator.string());
    return result.output;
}

void compile(const Toolchain& tools, const BuildRequest& request, const Library& library, const std::stop_token& stop) {
    std::vector<std::string> command = {tools.compiler};
    command.insert(command.end(), tools.flags.begin(), tools.flags.end());
    const std::vector<std::string> rest = {"-include",
                                           tools.prelude(),
                                           "-shared",
                                           "-nostdlib",
                                           "-Wl,--wrap=memcpy,--wrap=memmove,--wrap=memset",
                                           "-fmax-errors=5",
                                           "-fdiagnostics-color=never",
                                           "-fno-diagnostics-show-caret",
                                           "-pipe",
                                           (library.folder() / "own.cpp").string(),
                                           "-lgcc",
                                           "-o",
                                           library.path().string()};
    command.insert(command.end(), rest.begin(), rest.end());
    CommandLimits limits;
    limits.temporary_folder = library.folder().string();
    judge(run_command(command, stop, limits), request, tools.compiler, library.files());
}

bool is_about_a_header(const CompileError& error, const BuildRequest& request) {
    const fs::path own = fs::absolute(request.file).lexically_normal();
    return std::any_of(error.messages().begin(), error.messages().end(), [&](const Message& message) {
        return !message.file.empty() && fs::absolute(message.file).lexically_normal() != own;
    });
}

}  // namespace

std::shared_ptr<const Library> build_library(const Toolchain& tools, const BuildRequest& request,
                                             const std::stop_token& stop) {
    const auto library = fresh_folder();
    const fs::path& folder = library->folder();
    write(folder / "entries.inc", entries_text(request));
    write(folder / "own.cpp", library_text(request, folder));
    const std::string said = annotated(tools, request, folder, false, stop);
    library->set_files(files_read(said));
    const std::vector<std::string> there = kernels_found(said);
    for (const Instance& instance : request.instances)
        if (std::find(there.begin(), there.end(), instance.name) == there.end())
            throw CompileError(
                {{request.file.string(), instance.line, 0,
                  there.empty()
                      ? "the file has no kernel: a function that begins with __global__, outside "
                        "of branches of #if that are not taken."
                      : fmt::format("there is no kernel '{}'; there are {}.", instance.name, fmt::join(there, ", "))}});
    if (auto refusals = refusals_of(said, kernels_of(request)); !refusals.empty()) {
        const std::vector<std::string> others = kernels_that_nothing_refuses(said);
        refusals.push_back(
            {request.file.string(), 0, 0,
             fmt::format("lessons/REFERENCE.md lists what cannot be emulated{}.",
                         others.empty() ? ""
                                        : fmt::format("; without its run: line the file's other kernels run ({})",
                                                      fmt::join(others, ", ")))});
        throw CompileError(std::move(refusals));
    }
    try {
        compile(tools, request, *library, stop);
    } catch (const CompileError& error) {
        std::vector<Message> messages = error.messages();
        for (Message& missing : missing_headers(said)) messages.push_back(std::move(missing));
        const CompileError whole(std::move(messages));
        if (!is_about_a_header(error, request)) throw whole;
        // It may be in what the kernels do not use: a header of the host's that another one was left out of.
        try {
            annotated(tools, request, folder, true, stop);
            compile(tools, request, *library, stop);
        } catch (const CompileError&) {
            throw whole;
        }
    }
    return library;
}

}  // namespace lanewise::compile
