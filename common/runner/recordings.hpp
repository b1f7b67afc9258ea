// The lesson's files: what was recorded of it on GPUs, and its texts.
#pragma once

#include <filesystem>
#include <string>

#include "common/lesson/lesson.hpp"
#include "common/runner/run_options.hpp"

namespace lanewise::runner {

// The file `name` among the lesson's recordings: in the first GPU's folder that has it; empty when none has.
std::filesystem::path find_recording(const lesson::Lesson& lesson, const std::string& name);

// Throws Error where a flag asks for something else than what `header` says was recorded.
void check_recorded(const RunOptions& options, const trace::Header& header, const std::string& variant);

// What the header says was chosen of the variant's controls; the variant's own where it says nothing. Throws Error
// where a value is not one of the control's.
lesson::ChosenControls recorded_controls(const lesson::Lesson& lesson, const lesson::Variant& variant,
                                         const trace::Header& header);

// A file's contents; empty where it cannot be read.
std::string read_text(const std::filesystem::path& path);

// The text of a kernel file and of the files next to it that it includes.
std::string read_kernel_text(const std::filesystem::path& path);

}  // namespace lanewise::runner
