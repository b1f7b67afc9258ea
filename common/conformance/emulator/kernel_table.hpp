// The table of entries of the test kernels, for the copy that has just been included. No include guard: each copy
// includes it once.
#include "common/launch/kernel_exports.hpp"

namespace {

namespace kernels = LANEWISE_TEST_NAMESPACE;

#define ENTRY(name, ...)                                                                                          \
    {#name, #__VA_ARGS__,                                                                                         \
     reinterpret_cast<const void*>(lanewise_emulated::body<&kernels::name __VA_OPT__(<__VA_ARGS__>)>),            \
     lanewise::prelude::Signature<decltype(&kernels::name __VA_OPT__(<__VA_ARGS__>))>::parameters,                \
     lanewise::prelude::Signature<decltype(&kernels::name __VA_OPT__(<__VA_ARGS__>))>::count},
const lanewise::prelude::RawEntry kEntries[] = {
#include "common/conformance/emulator/entries.inc"
};
#undef ENTRY

}  // namespace

lanewise::prelude::RawFile LANEWISE_TEST_FILE() {
    return {kEntries, sizeof(kEntries) / sizeof(kEntries[0]), nullptr, 0, nullptr, 0, nullptr};
}
