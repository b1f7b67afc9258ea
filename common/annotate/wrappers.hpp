// The C++ files around the derived copies of a kernel file: a wrapper for each of its builds, and the list of builds.
#pragma once

#include <string>
#include <vector>

#include "common/annotate/syntax/unit.hpp"

namespace lanewise::annotate {

// One kernel file of a lesson.
struct KernelFilePlan {
    std::string lesson;        // "09_at_the_limit"
    std::string id;            // the same as a C++ name: "lesson_09_at_the_limit"
    std::string file;          // "kernels_sm90.cuh"
    int architecture = 0;      // 90; 0 for a file that is emulated too
    std::string entries;       // the path of entries.inc: which instances there are
    std::string folder;        // where its copies are
};

// The file name of the wrapper of a build, "emulated.cpp" or "gpu_plain.cu".
std::string wrapper_name(const std::string& build);

// The wrapper of a build: emulated, emulated_traced, gpu_plain or gpu_traced. Its prelude, its copy of the kernels in a
// namespace of its own, and the table of entries. Throws Error for another build.
std::string wrapper_text(const Reading& reading, const KernelFilePlan& plan, const std::string& build);

// builds.cpp: `function` of lanewise::generated, which puts a launch::KernelSet together. `builds` are "emulated" or,
// of a file for GPUs only, "gpu_plain_sm90"; `gpu_only` are all files for GPUs only, those without a build too.
std::string builds_text(const KernelFilePlan& plan, const std::string& function, const std::string& architectures,
                        const std::vector<std::string>& builds, const std::vector<KernelFilePlan>& gpu_only);

}  // namespace lanewise::annotate
