// A kernel file compiled for the emulator while the program runs: only the instances asked for.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "common/base/error.hpp"
#include "common/compile/toolchain.hpp"
#include "common/worker/library.hpp"
#include "common/worker/message.hpp"

namespace lanewise::compile {

// What is wrong with a kernel file, at a line of it; 0: at none.
struct Message {
    std::string file;
    int line = 0;
    int column = 0;
    std::string sentence;
    std::string text() const;  // "sum.cu:12:5: …"
};

// A kernel file that does not compile: the first messages, with the file's own lines.
class CompileError : public Error {
public:
    explicit CompileError(std::vector<Message> messages);
    const std::vector<Message>& messages() const { return messages_; }

private:
    std::vector<Message> messages_;
};

// The compilation was cancelled.
class Stopped : public Error {
public:
    Stopped() : Error("the compilation was cancelled.") {}
};

// An instance of a kernel, and where it was asked for.
struct Instance {
    std::string name;       // "block_sum", "sums::block_sum"
    std::string arguments;  // "256"
    std::uint32_t warp_size = 32;
    int line = 0;
};

// An argument that is written as C++: "{1.5f, 3}" for parameter `parameter` of `instance`.
struct CodeArgument {
    Instance instance;
    unsigned parameter = 0;
    std::string text;
    int line = 0;
};

struct BuildRequest {
    std::filesystem::path file;
    std::vector<Instance> instances;
    std::vector<CodeArgument> arguments;
    std::vector<std::string> variables;                  // __constant__ and __device__ ones that are given values
    std::vector<std::filesystem::path> include_folders;  // -I
};

// A file that went into a library, and the number of its first line: lines count through, file by file.
struct TextFile {
    std::string path;
    int first_line = 1;
};

// A compiled library, until this ends.
class Library {
public:
    explicit Library(std::filesystem::path folder);
    ~Library();
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;
    std::filesystem::path path() const { return folder_ / "own.so"; }
    const std::filesystem::path& folder() const { return folder_; }
    const std::vector<TextFile>& files() const { return files_; }
    void set_files(std::vector<TextFile> files) { files_ = std::move(files); }

private:
    std::filesystem::path folder_;
    worker::Fd lock_;  // on the folder, while this program runs
    std::vector<TextFile> files_;
};

// Removes the folders of libraries whose program was ended before it could.
void remove_left_libraries();

// Annotates and compiles. Throws CompileError where the file is at fault, Stopped where `stop` asked for that, Error
// otherwise.
std::shared_ptr<const Library> build_library(const Toolchain& tools, const BuildRequest& request,
                                             const std::stop_token& stop = {});

}  // namespace lanewise::compile
