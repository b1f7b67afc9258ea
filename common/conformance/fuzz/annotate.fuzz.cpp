// Any text as a kernel file: its derived copies, or a sentence.
#include <cstdint>
#include <string>

#include "common/annotate/rewrite.hpp"
#include "common/base/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace lanewise;
    try {
        const annotate::Source source("/kernels.cuh", std::string(reinterpret_cast<const char*>(data), size));
        const annotate::Statement file = annotate::parse(source);
        using annotate::Copy;
        for (const Copy copy : {Copy::gpu_traced, Copy::emulated, Copy::emulated_traced, Copy::gpu_only})
            annotate::derived_copy(source, file, copy);
        annotate::tables(source, file);
    } catch (const Error&) {
    }
    return 0;
}
