// lanewise_annotate: writes the derived copies of a kernel file and of the files beside it, with tables, includes and
// wrappers; the list of a lesson's builds; the compiled declarations that kernel files are read with; and, of anybody's
// CUDA file, its kernels and their emulated copies.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string_view>

#include "common/annotate/headers/rare_headers.hpp"
#include "common/annotate/rewrite.hpp"
#include "common/annotate/strangers_file.hpp"
#include "common/annotate/wrappers.hpp"
#include "common/base/error.hpp"

namespace {

using namespace lanewise;
namespace fs = std::filesystem;

constexpr const char* kUsage =
    "usage: lanewise_annotate copies --root FOLDER --stand-ins FOLDER [--declarations FILE] [--depfile FILE] [--lesson NAME\n"
    "         --id NAME --entries FILE --builds BUILD,…] [--architecture NUMBER] KERNELS.cuh FOLDER\n"
    "       lanewise_annotate builds --lesson NAME --id NAME --function NAME --builds BUILD,… [--architectures NUMBER,…]\n"
    "         [--gpu-file NUMBER=ENTRIES.inc …] FILE\n"
    "       lanewise_annotate declarations --root FOLDER --stand-ins FOLDER [--depfile FILE] FILE\n"
    "       lanewise_annotate kernels --root FOLDER --stand-ins FOLDER [--declarations FILE] [--include FOLDER …]\n"
    "         [--kernel NAME …] [--headers lean] FILE.cu FOLDER\n";

// The command line: a verb, options with a value each, and places.
struct Command {
    std::string verb;
    std::multimap<std::string, std::string> options;
    std::vector<fs::path> places;

    std::string option(const std::string& name) const {
        const auto found = options.find(name);
        return found == options.end() ? std::string() : found->second;
    }
    std::vector<std::string> list(const std::string& name) const {
        std::vector<std::string> result;
        std::istringstream parts(option(name));
        for (std::string part; std::getline(parts, part, ',');) result.push_back(part);
        return result;
    }
    annotate::Prelude prelude() const { return {option("root"), option("stand-ins"), option("declarations")}; }
};

std::string read(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw Error(path.string() + ": this kernel file cannot be read");
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Leaves a file alone that says this already, so that nothing is compiled again. Returns whether it did not.
bool write(const fs::path& path, const std::string& text) {
    if (std::ifstream before(path, std::ios::binary);
        before && std::string{std::istreambuf_iterator<char>(before), std::istreambuf_iterator<char>()} == text)
        return false;
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << text;
    file.close();
    if (!file) throw Error(path.string() + ": this file cannot be written; is the disk full?");
    return true;
}

void write_depfile(const fs::path& path, const fs::path& target, const std::vector<std::string>& files) {
    if (path.empty()) return;
    std::string text = target.string() + ":";
    for (const std::string& file : files) {
        text += " \\\n ";
        // What goes up from a link, as /lib/…/../include does, is another folder than its text says: a build tool that
        // shortened the text would look for a file that is not there, and build every time.
        std::error_code error;
        const fs::path real = fs::canonical(file, error);
        for (const char c : error ? file : real.string()) text += c == ' ' ? std::string("\\ ") : std::string(1, c);
    }
    write(path, text + "\n");
}

annotate::KernelFilePlan plan_of(const Command& command) {
    annotate::KernelFilePlan plan;
    plan.lesson = command.option("lesson");
    plan.id = command.option("id");
    plan.entries = command.option("entries");
    if (const std::string number = command.option("architecture"); !number.empty())
        plan.architecture = std::stoi(number);
    return plan;
}

void write_copies(const Command& command) {
    using annotate::Copy;
    const fs::path folder = command.places[1];
    const std::string path = fs::absolute(command.places[0]).lexically_normal().string();
    const annotate::Reading reading = annotate::read_kernels(path, read(path), command.prelude());
    annotate::KernelFilePlan plan = plan_of(command);
    plan.file = fs::path(path).filename().string();
    plan.folder = folder.string();
    fs::create_directories(folder);
    std::vector<Copy> copies = {Copy::gpu_traced, Copy::emulated, Copy::emulated_traced};
    if (plan.architecture != 0) copies = {Copy::gpu_only};
    std::string includes;  // a wrapper includes these before it opens its namespace
    std::vector<std::string> files;
    for (std::size_t i = 0; i < reading.file_count(); ++i) {
        for (const Copy copy : copies) {
            const bool changed = write(folder / copy_name(reading, i, copy), derived_copy(reading, i, copy));
            // The build knows the first file's copies alone as ours: they are new when those that they include are.
            if (changed) fs::last_write_time(folder / copy_name(reading, 0, copy), fs::file_time_type::clock::now());
        }
        for (const std::string& include : reading.source(i).system_includes()) includes += include + "\n";
        files.push_back(reading.source(i).path());
    }
    if (plan.architecture == 0)
        for (const std::string& include : rare_headers(reading)) includes += include + "\n";
    write(folder / "kernels.tables.inc", tables(reading));
    write(folder / "kernels.includes.inc", includes);
    for (const std::string& build : command.list("builds"))
        write(folder / annotate::wrapper_name(build), wrapper_text(reading, plan, build));
    write_depfile(command.option("depfile"), folder / copy_name(reading, 0, copies.front()), files);
}

void write_builds(const Command& command) {
    const annotate::KernelFilePlan plan = plan_of(command);
    std::vector<annotate::KernelFilePlan> gpu_only;
    const auto [first, last] = command.options.equal_range("gpu-file");
    for (auto option = first; option != last; ++option) {
        const std::size_t equals = option->second.find('=');
        if (equals == std::string::npos)
            throw Error("--gpu-file " + option->second + ": NUMBER=ENTRIES.inc was expected");
        annotate::KernelFilePlan file = plan;
        file.architecture = std::stoi(option->second);
        file.entries = option->second.substr(equals + 1);
        file.file = "kernels_sm" + std::to_string(file.architecture) + ".cuh";
        gpu_only.push_back(file);
    }
    std::string architectures;  // as CMake lists them
    for (const std::string& architecture : command.list("architectures"))
        architectures += (architectures.empty() ? "" : ";") + architecture;
    fs::create_directories(command.places[0].parent_path());
    write(command.places[0],
          builds_text(plan, command.option("function"), architectures, command.list("builds"), gpu_only));
}

void compile_declarations(const Command& command) {
    const fs::path& place = command.places[0];
    write_depfile(command.option("depfile"), place, annotate::compile_prelude(place.string(), command.prelude()));
}

std::string said(const std::vector<annotate::Remark>& remarks, const std::string& label) {
    std::string text;
    for (const annotate::Remark& remark : remarks)
        text += "  " + label + " " + remark.path + ":" + std::to_string(remark.line) + ": " + remark.what + "\n";
    return text;
}

std::string said(const annotate::KernelOutline& kernel) {
    std::string parameters;
    for (const annotate::TemplateParameter& parameter : kernel.template_parameters)
        parameters += (parameters.empty() ? "" : ", ") + parameter.kind + (parameter.is_pack ? "..." : "") + " " +
                      parameter.name + (parameter.default_value.empty() ? "" : " = " + parameter.default_value);
    std::string text = "kernel " + kernel.name + (kernel.template_parameters.empty() ? "" : "<" + parameters + ">");
    parameters.clear();
    for (const annotate::CallParameter& parameter : kernel.parameters)
        parameters += (parameters.empty() ? "" : ", ") + parameter.type + " " + parameter.name;
    text += "(" + parameters + ") at " + kernel.path + ":" + std::to_string(kernel.line) + "\n";
    return text + said(kernel.refusals, "refused") + said(kernel.errors, "error");
}

// The kernels of anybody's file, a line each, and their emulated copies.
void write_kernels(const Command& command) {
    using annotate::Copy;
    annotate::StrangersOptions options;
    const auto all = [&](const std::string& name, std::vector<std::string>& into) {
        const auto [first, last] = command.options.equal_range(name);
        for (auto option = first; option != last; ++option) into.push_back(option->second);
    };
    all("include", options.include_folders);
    all("kernel", options.kernels);
    options.lean_headers = command.option("headers") == "lean";
    const fs::path folder = command.places[1];
    const std::string path = fs::absolute(command.places[0]).lexically_normal().string();
    const annotate::StrangersFile file = annotate::read_strangers_file(path, read(path), command.prelude(), options);
    fs::create_directories(folder);
    for (std::size_t i = 0; i < file.reading.file_count(); ++i)
        for (const Copy copy : {Copy::emulated, Copy::emulated_traced})
            write(folder / copy_name(file.reading, i, copy), derived_copy(file.reading, i, copy));
    std::string includes, overloads;
    for (const std::string& include : file.includes) includes += include + "\n";
    for (const std::string& name : file.reading.overloads) overloads += "using ::" + name + ";\n";
    write(folder / "kernels.includes.inc", includes);
    write(folder / "kernels.overloads.inc", overloads);
    write(folder / "kernels.tables.inc", tables(file.reading));
    for (const annotate::KernelOutline& kernel : file.kernels) std::fputs(said(kernel).c_str(), stdout);
    std::fputs(said(file.errors, "lost").c_str(), stdout);
    std::fputs(said(file.skipped, "skipped").c_str(), stdout);
    for (const KernelText& text : file.texts) std::printf("file %d %s\n", text.first_line, text.path.c_str());
}

bool parse(int argc, char** argv, Command& command) {
    if (argc < 2) return false;
    command.verb = argv[1];
    for (int i = 2; i < argc; ++i) {
        const std::string_view argument = argv[i];
        if (!argument.starts_with("--")) command.places.emplace_back(argument);
        else if (++i < argc) command.options.emplace(argument.substr(2), argv[i]);
        else return false;
    }
    const bool with_root = !command.option("root").empty() && !command.option("stand-ins").empty();
    if (command.verb == "copies" || command.verb == "kernels") return with_root && command.places.size() == 2;
    if (command.verb == "declarations") return with_root && command.places.size() == 1;
    return command.verb == "builds" && command.places.size() == 1;
}

}  // namespace

int main(int argc, char** argv) {
    Command command;
    if (!parse(argc, argv, command)) {
        std::fputs(kUsage, stderr);
        return kExitUsage;
    }
    try {
        if (command.verb == "copies") write_copies(command);
        else if (command.verb == "kernels") write_kernels(command);
        else if (command.verb == "builds") write_builds(command);
        else compile_declarations(command);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return kExitUsage;
    }
    return kExitOk;
}
