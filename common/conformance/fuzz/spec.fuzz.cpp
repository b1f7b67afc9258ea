// Any text as somebody's kernel file: what its run: and expect: lines say and which kernels it has, or a sentence.
#include <cstdint>
#include <string>

#include "common/base/error.hpp"
#include "common/own/kernel_heads.hpp"
#include "common/own/spec.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace lanewise;
    const std::string text(reinterpret_cast<const char*>(data), size);
    try {
        own::parse_spec(own::spec_lines_of("sum.cu", text));
    } catch (const Error&) {
    }
    try {
        for (const own::KernelHead& head : own::kernel_heads(text)) (void)head.offer();
    } catch (const Error&) {
    }
    return 0;
}
