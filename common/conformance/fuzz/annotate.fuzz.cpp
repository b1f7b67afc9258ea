// Any text as a kernel file: its derived copies, or a sentence.
#include <cstdint>
#include <string>

#include "common/annotate/rewrite.hpp"
#include "common/annotate/syntax/unit.hpp"
#include "common/base/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace lanewise;
    using annotate::Copy;
    try {
        const annotate::Reading reading =
            annotate::read_kernels("/nonexistent/kernels.cuh", std::string(reinterpret_cast<const char*>(data), size),
                                   {LANEWISE_ROOT, LANEWISE_STAND_INS, LANEWISE_DECLARATIONS});
        for (std::size_t file = 0; file < reading.file_count(); ++file)
            for (const Copy copy : {Copy::gpu_traced, Copy::emulated, Copy::emulated_traced, Copy::gpu_only})
                annotate::derived_copy(reading, file, copy);
        annotate::tables(reading);
    } catch (const Error&) {
    }
    return 0;
}
