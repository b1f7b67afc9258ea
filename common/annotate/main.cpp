// lanewise_annotate KERNELS.cuh OUTPUT_FOLDER [gpu_only]: writes the derived copies of a kernel file, its tables and
// its includes. With gpu_only: of a file that is never emulated, so there are no emulated copies.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include "common/base/error.hpp"
#include "common/annotate/rewrite.hpp"

namespace {

using namespace lanewise;

std::string read(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw Error(path.string() + ": this kernel file cannot be read");
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write(const std::filesystem::path& path, const std::string& text) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << text;
    file.close();
    if (!file) throw Error(path.string() + ": this file cannot be written; is the disk full?");
}

void annotate_file(const std::filesystem::path& kernels, const std::filesystem::path& folder, bool gpu_only) {
    const annotate::Source source(std::filesystem::absolute(kernels).lexically_normal().string(), read(kernels));
    const annotate::Statement file = annotate::parse(source);
    std::filesystem::create_directories(folder);
    write(folder / "kernels.gpu_traced.cuh",
          derived_copy(source, file, gpu_only ? annotate::Copy::gpu_only : annotate::Copy::gpu_traced));
    if (!gpu_only) {
        write(folder / "kernels.emulated.cuh", derived_copy(source, file, annotate::Copy::emulated));
        write(folder / "kernels.emulated_traced.cuh", derived_copy(source, file, annotate::Copy::emulated_traced));
    }
    write(folder / "kernels.tables.inc", tables(source, file));
    std::string includes;  // a wrapper includes these before it opens its namespace
    for (const std::string& include : source.system_includes()) includes += include + "\n";
    write(folder / "kernels.includes.inc", includes);
}

}  // namespace

int main(int argc, char** argv) {
    const bool gpu_only = argc == 4 && std::string_view(argv[3]) == "gpu_only";
    if (argc != 3 && !gpu_only) {
        std::fprintf(stderr, "usage: lanewise_annotate KERNELS.cuh OUTPUT_FOLDER [gpu_only]\n");
        return kExitUsage;
    }
    try {
        annotate_file(argv[1], argv[2], gpu_only);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return kExitUsage;
    }
    return kExitOk;
}
