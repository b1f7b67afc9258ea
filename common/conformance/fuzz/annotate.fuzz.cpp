// Any text as a kernel file, of a lesson and of anybody: its derived copies, or a sentence.
#include <cstdint>
#include <string>

#include "common/annotate/rewrite.hpp"
#include "common/annotate/strangers_file.hpp"
#include "common/annotate/syntax/unit.hpp"
#include "common/base/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace lanewise;
    using annotate::Copy;
    const std::string text(reinterpret_cast<const char*>(data), size);
    const annotate::Prelude prelude{LANEWISE_ROOT, LANEWISE_STAND_INS, LANEWISE_DECLARATIONS};
    const auto derive = [](const annotate::Reading& reading) {
        for (std::size_t file = 0; file < reading.file_count(); ++file)
            for (const Copy copy : {Copy::gpu_traced, Copy::emulated, Copy::emulated_traced, Copy::gpu_only})
                annotate::derived_copy(reading, file, copy);
        annotate::tables(reading);
    };
    try {
        derive(annotate::read_kernels("/nonexistent/kernels.cuh", text, prelude));
    } catch (const Error&) {
    }
    try {
        derive(annotate::read_strangers_file("/nonexistent/kernels.cu", text, prelude, {}).reading);
    } catch (const Error&) {
    }
    return 0;
}
