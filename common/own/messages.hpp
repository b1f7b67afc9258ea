// What the annotator and the compiler say of a kernel file, as a person who wrote that file reads it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/own/build.hpp"

namespace lanewise::own {

// The first few errors of `output`, at lines of `file` or of a file beside it; what stands in files that the learner did
// not write is told at the line that led there.
std::vector<Message> messages_of(const std::string& output, const std::filesystem::path& file);

}  // namespace lanewise::own
