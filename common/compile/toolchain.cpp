#include "common/compile/toolchain.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <unistd.h>

#include "common/base/data_folder.hpp"
#include "common/base/error.hpp"
#include "common/compile/build.hpp"
#include "common/compile/command.hpp"

namespace lanewise::compile {

namespace fs = std::filesystem;

namespace {

constexpr const char* kPrelude =
    "// Made by Lanewise: what every kernel file is compiled against, compiled once.\n"
    "#include \"common/prelude/emulated/emulated_library.hpp\"\n";

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

// The program that a name means; empty where there is none.
fs::path find_program(const std::string& name) {
    if (name.find('/') != name.npos) return access(name.c_str(), X_OK) == 0 ? fs::path(name) : fs::path();
    std::istringstream folders(variable("PATH"));
    for (std::string folder; std::getline(folders, folder, ':');)
        if (const fs::path path = fs::path(folder.empty() ? "." : folder) / name; access(path.c_str(), X_OK) == 0)
            return path;
    return {};
}

// The compiler that CXX names, or that Lanewise was built with, or else g++.
std::string find_compiler() {
    std::vector<std::string> names = {variable("CXX"), LANEWISE_OWN_COMPILER, "g++"};
    if (!names.front().empty()) names.resize(1);
    for (const std::string& name : names)
        if (!name.empty() && !find_program(name).empty()) return name;
    if (!variable("CXX").empty())
        throw Error(
            fmt::format("CXX={}: there is no such program; a kernel file of your own is compiled by g++ 12 or later. "
                        "Leave out CXX, or name one.",
                        variable("CXX")));
    throw Error(
        "There is no C++ compiler here, and a kernel file of your own is compiled by g++ 12 or later: install it "
        "(sudo apt-get install g++), or name one in CXX.");
}

class Hash {
public:
    void add(const std::string& text) {
        for (const char c : text) value_ = (value_ ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    }
    void add_file(const fs::path& path) {
        std::error_code none;
        add(path.string());
        add(std::to_string(fs::file_size(path, none)));
        add(std::to_string(fs::last_write_time(path, none).time_since_epoch().count()));
    }
    std::string text() const { return fmt::format("{:016x}", value_); }

private:
    std::uint64_t value_ = 0xcbf29ce484222325u;
};

// What the compiled preludes depend on.
std::string key_of(const Toolchain& tools) {
    Hash hash;
    hash.add_file(fs::canonical(find_program(tools.compiler)));
    hash.add_file(tools.annotator);
    for (const std::string& flag : tools.flags) hash.add(flag);
    std::vector<fs::path> headers;
    for (const char* folder : {"prelude", "launch", "base", "trace"})
        for (const auto& entry : fs::recursive_directory_iterator(tools.root / "common" / folder))
            if (const auto ending = entry.path().extension(); ending == ".hpp" || ending == ".inc" || ending == ".cuh")
                headers.push_back(entry.path());
    std::sort(headers.begin(), headers.end());
    for (const fs::path& header : headers) hash.add_file(header);
    return hash.text();
}

void write(const fs::path& path, const std::string& text) {
    std::ofstream file(path, std::ios::binary);
    file << text;
    file.close();
    if (!file)
        throw Error(
            fmt::format("{} cannot be written; is the disk full? XDG_CACHE_HOME names another folder.", path.string()));
}

// Throws Error with what the command said.
void must(const std::vector<std::string>& command, const char* what, const char* way_out) {
    const CommandResult result = run_command(command);
    if (result.ok()) return;
    std::string said = result.output.substr(0, 2000);
    while (!said.empty() && said.back() == '\n') said.pop_back();
    throw Error(fmt::format("{} did not work: {} ended with status {} and said{}\n{}", what, command.front(),
                            result.status, said.empty() ? " nothing." : ":\n" + said, way_out));
}

// Both compiled preludes, in a folder.
void compile_preludes(const Toolchain& tools, const fs::path& folder) {
    write(folder / "prelude.hpp", kPrelude);
    must({tools.annotator.string(), "declarations", "--root", tools.root.string(), "--stand-ins",
          tools.stand_ins.string(), (folder / "declared.pch").string()},
         "Compiling CUDA's declarations",
         "Where the disk is full, XDG_CACHE_HOME names another folder; else build or install Lanewise again.");
    std::vector<std::string> command = {tools.compiler};
    command.insert(command.end(), tools.flags.begin(), tools.flags.end());
    command.insert(command.end(), {"-x", "c++-header", (folder / "prelude.hpp").string(), "-o",
                                   (folder / "prelude.hpp.gch").string()});
    must(
        command, "Compiling the prelude",
        "The compiler must be g++ 12 or later, and CXX names another one; where the disk is full, XDG_CACHE_HOME names "
        "another folder.");
}

// Made in a folder next to it and then put in place, so that a second program may do the same.
void prepare(const Toolchain& tools) {
    const fs::path fresh = fmt::format("{}.{}", tools.cache.string(), getpid());
    std::error_code failed;
    fs::create_directories(fresh, failed);
    if (failed)
        throw Error(fmt::format("{} cannot be made ({}); XDG_CACHE_HOME names another folder.", fresh.string(),
                                failed.message()));
    try {
        compile_preludes(tools, fresh);
    } catch (const Error&) {
        fs::remove_all(fresh, failed);
        throw;
    }
    fs::rename(fresh, tools.cache, failed);
    if (failed) fs::remove_all(fresh, failed);  // another program was faster
}

bool is_prepared(const Toolchain& tools) {
    return fs::exists(tools.cache / "prelude.hpp.gch") && fs::exists(tools.cache / "declared.pch");
}

}  // namespace

fs::path cache_folder() {
    if (const std::string cache = variable("XDG_CACHE_HOME"); !cache.empty()) return fs::path(cache) / "lanewise";
    if (const std::string home = variable("HOME"); !home.empty()) return fs::path(home) / ".cache" / "lanewise";
    return fs::temp_directory_path() / fmt::format("lanewise-{}", getuid());
}

Toolchain find_toolchain(const std::function<void(const std::string&)>& say) {
    remove_left_libraries();
    Toolchain tools;
    const fs::path programs = folder_of_this_program();
    tools.compiler = find_compiler();
    tools.annotator = programs.parent_path() / "libexec" / "lanewise" / "lanewise_annotate";
    tools.root = data_folder();
    tools.stand_ins = programs.parent_path() / "share" / "lanewise-cuda-headers";
    if (access(tools.annotator.c_str(), X_OK) != 0)
        throw Error(fmt::format("There is no {}, which reads kernel files: build or install Lanewise again.",
                                tools.annotator.string()));
    std::istringstream flags(LANEWISE_OWN_FLAGS);
    for (std::string flag; flags >> flag;) tools.flags.push_back(flag);
    for (const fs::path& folder : {tools.root, tools.stand_ins}) {
        tools.flags.emplace_back("-I");
        tools.flags.push_back(folder.string());
    }
    tools.cache = cache_folder() / key_of(tools);
    if (is_prepared(tools)) return tools;
    say("Preparing to compile kernel files (once, some seconds)…");
    // Those of older versions go; younger ones another program may be making, or using.
    std::error_code none;
    const auto week = std::chrono::hours(7 * 24);
    for (const auto& entry : fs::directory_iterator(cache_folder(), none)) {
        const auto made = fs::last_write_time(entry.path(), none);
        if (!none && fs::file_time_type::clock::now() - made > week) fs::remove_all(entry.path(), none);
    }
    prepare(tools);
    return tools;
}

}  // namespace lanewise::compile
