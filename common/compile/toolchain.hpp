// What compiles a kernel file while the program runs: the annotator, g++, the prelude, and both as compiled once into a
// folder of the learner's cache.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace lanewise::compile {

struct Toolchain {
    std::string compiler;  // g++, a path or a name on PATH
    std::filesystem::path annotator;
    std::filesystem::path root;       // that common/prelude/… is in
    std::filesystem::path stand_ins;  // headers in place of the CUDA toolkit's
    std::filesystem::path cache;      // prelude.hpp with prelude.hpp.gch, declared.pch
    std::vector<std::string> flags;   // of every compilation

    std::string declarations() const { return (cache / "declared.pch").string(); }
    std::string prelude() const { return (cache / "prelude.hpp").string(); }
};

// Finds it from where this program lies, and makes what is compiled once where that is not there yet; `say` is given a
// sentence before. Throws Error where there is no compiler, with how to install one.
Toolchain find_toolchain(const std::function<void(const std::string&)>& say);

// Where compiled preludes are kept: lanewise in $XDG_CACHE_HOME, by default ~/.cache.
std::filesystem::path cache_folder();

}  // namespace lanewise::compile
