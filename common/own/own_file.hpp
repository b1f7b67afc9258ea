// A kernel file of the learner's own, ready to be run and looked at as a lesson is.
#pragma once

#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "common/compile/live.hpp"
#include "common/lesson/lesson.hpp"
#include "common/own/kernel_heads.hpp"
#include "common/own/program_plan.hpp"
#include "common/own/spec.hpp"

namespace lanewise::own {

// What is asked of a file.
struct Asked {
    std::filesystem::path file;
    std::vector<std::string> runs;                       // --run; where there are any, those of the file do not count
    std::vector<std::string> expects;                    // --expect
    std::vector<std::filesystem::path> include_folders;  // -I
    std::vector<std::string> compare;  // --compare: programs, or kernels that take the first program's arguments
};

// A file that was read and compiled. Its lesson's plans need it no more, its kernels do.
struct OwnFile {
    lesson::Lesson lesson;
    launch::KernelSet kernels;
    std::vector<Program> programs;
    std::shared_ptr<const compile::Library> library;
};

// What there is to run in a text where nothing says what to run: its kernels, and a line to paste. Throws Error where
// it has no kernel.
std::string offer_of(const std::filesystem::path& file, const std::string& text);

// Reads, compiles, and makes the plans. Throws Error.
OwnFile open_file(const Asked& asked, const compile::Toolchain& tools, const std::shared_ptr<worker::Pool>& pool,
                  const std::stop_token& stop = {});

}  // namespace lanewise::own
