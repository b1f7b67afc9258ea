// The text of a kernel file with the .cuh files beside it that it includes: as one, in which every line has a number.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace lanewise {

struct KernelText {
    std::string path;
    std::string text;
    int first_line = 1;  // the number of its first line in the whole
};

// The file itself, then those beside it, each once, in the order in which they are included. A file that is not there
// is left out: the compiler says so.
std::vector<KernelText> kernel_texts(const std::string& path, std::string text);

// All of them, one after the other.
std::string whole_kernel_text(const std::string& path, std::string text);

// CUDA text without its comments and without blanks at the ends of lines; each line keeps its number.
std::string code_of(std::string_view text);

// `sentence` with each line number in it, "line 12", as `named` says it: "line 3 of sums.cuh".
std::string name_lines(const std::string& sentence, const std::function<std::string(int line)>& named);

}  // namespace lanewise
