// What the annotator and the compiler say of a kernel file, as a person who wrote that file reads it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/compile/build.hpp"

namespace lanewise::compile {

// The first few errors of `output`, whose lines count through `files` (of which there are none before the file was
// read), at lines of `file` or of a file next to it; what is in files that the learner did not write is reported at the
// line that led there.
std::vector<Message> messages_of(const std::string& output, const std::filesystem::path& file,
                                 const std::vector<TextFile>& files);

// What the annotator says of the files that it read: "file 1 /home/me/sum.cu".
std::vector<TextFile> files_read(const std::string& output);

// The kernels that it found.
std::vector<std::string> kernels_found(const std::string& output);

// Those of them that can be emulated.
std::vector<std::string> kernels_that_nothing_refuses(const std::string& output);

// The headers that a file includes in quotes and that are nowhere: what is not declared may be in them.
std::vector<Message> missing_headers(const std::string& output);

// Why those of the kernels cannot be emulated that were asked for: "refused PATH:LINE: inline PTX" after a kernel's
// line.
std::vector<Message> refusals_of(const std::string& output, const std::vector<std::string>& kernels);

}  // namespace lanewise::compile
