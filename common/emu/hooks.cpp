// The traced copies are compiled with -fsanitize=thread, and these functions stand where ThreadSanitizer's runtime
// would: every load and store of a lane is announced before it happens. They must never throw.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "common/emu/machine.hpp"

namespace {

void announce(const void* address, std::uint32_t bytes, bool is_store, const void* pc, bool is_volatile = false) {
    auto* board = lanewise_emulated::board;
    if (!board) return;
    auto& machine = *static_cast<lanewise::emu::Machine*>(board);
    if (is_store) machine.memory_changes();
    if (auto* observer = machine.observer())
        if (!observer->access({machine.current, address, bytes, is_store, pc, is_volatile})) machine.fault();
}

// A lane that reads a volatile word once more waits for another to change it, and lets it run first.
void wait_for_change(const void* address, const void* pc) {
    if (auto* board = lanewise_emulated::board)
        static_cast<lanewise::emu::Machine*>(board)->volatile_access(address, pc);
}

// The compiler calls the aligned hooks where an access's type has the alignment of its size; of 16 bytes, at least 8.
template <std::size_t kBytes>
void check_alignment(const void* address, const void* pc) {
    constexpr std::size_t kAlignment = kBytes < 8 ? kBytes : 8;
    if (reinterpret_cast<std::uintptr_t>(address) % kAlignment == 0) return;
    if (auto* board = lanewise_emulated::board)
        static_cast<lanewise::emu::Machine*>(board)->misaligned(kBytes, pc);
}

// Larger copies are announced 16 bytes at a time, the widest access a GPU has.
void announce_range(const char* address, std::size_t bytes, bool is_store, const void* pc) {
    for (std::size_t at = 0; at < bytes; at += 16)
        announce(address + at, static_cast<std::uint32_t>(bytes - at < 16 ? bytes - at : 16), is_store, pc);
}

}  // namespace

extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}

#define LANEWISE_HOOK(bytes)                                                                                      \
    void __tsan_read##bytes(void* address) {                                                                      \
        check_alignment<bytes>(address, __builtin_return_address(0));                                             \
        announce(address, bytes, false, __builtin_return_address(0));                                             \
    }                                                                                                             \
    void __tsan_write##bytes(void* address) {                                                                     \
        check_alignment<bytes>(address, __builtin_return_address(0));                                             \
        announce(address, bytes, true, __builtin_return_address(0));                                              \
    }                                                                                                             \
    void __tsan_unaligned_read##bytes(void* address) {                                                            \
        announce(address, bytes, false, __builtin_return_address(0));                                             \
    }                                                                                                             \
    void __tsan_unaligned_write##bytes(void* address) {                                                           \
        announce(address, bytes, true, __builtin_return_address(0));                                              \
    }                                                                                                             \
    void __tsan_volatile_read##bytes(void* address) {                                                             \
        wait_for_change(address, __builtin_return_address(0));                                                    \
        announce(address, bytes, false, __builtin_return_address(0), true);                                       \
    }                                                                                                             \
    void __tsan_volatile_write##bytes(void* address) {                                                            \
        announce(address, bytes, true, __builtin_return_address(0), true);                                        \
    }                                                                                                             \
    void __tsan_unaligned_volatile_read##bytes(void* address) {                                                   \
        wait_for_change(address, __builtin_return_address(0));                                                    \
        announce(address, bytes, false, __builtin_return_address(0), true);                                       \
    }                                                                                                             \
    void __tsan_unaligned_volatile_write##bytes(void* address) {                                                  \
        announce(address, bytes, true, __builtin_return_address(0), true);                                        \
    }
LANEWISE_HOOK(1)
LANEWISE_HOOK(2)
LANEWISE_HOOK(4)
LANEWISE_HOOK(8)
LANEWISE_HOOK(16)
#undef LANEWISE_HOOK

void __tsan_read_range(void* address, std::size_t bytes) {
    announce_range(static_cast<const char*>(address), bytes, false, __builtin_return_address(0));
}
void __tsan_write_range(void* address, std::size_t bytes) {
    announce_range(static_cast<const char*>(address), bytes, true, __builtin_return_address(0));
}
// A library of kernels is linked with --wrap for these three: its own calls and std's are loads and stores of a lane.
void* __wrap_memmove(void* to, const void* from, std::size_t bytes) {
    announce_range(static_cast<const char*>(from), bytes, false, __builtin_return_address(0));
    announce_range(static_cast<const char*>(to), bytes, true, __builtin_return_address(0));
    return std::memmove(to, from, bytes);
}
void* __wrap_memcpy(void* to, const void* from, std::size_t bytes) {
    announce_range(static_cast<const char*>(from), bytes, false, __builtin_return_address(0));
    announce_range(static_cast<const char*>(to), bytes, true, __builtin_return_address(0));
    return std::memmove(to, from, bytes);
}
void* __wrap_memset(void* to, int value, std::size_t bytes) {
    announce_range(static_cast<const char*>(to), bytes, true, __builtin_return_address(0));
    return std::memset(to, value, bytes);
}
#if !defined(__SANITIZE_ADDRESS__) && !defined(__clang__)   // clang builds fuzzers alone, with sanitizers of their own
// -fsanitize=bounds calls this for an index outside the extent of its array's type, which is in the type's name:
// "'float [8]'". The access is announced after it.
void __ubsan_handle_out_of_bounds(void* data, void* index) {
    struct Type {
        std::uint16_t kind, info;
        char name[1];
    };
    struct Data {
        const char* file;
        std::uint32_t line, column;
        const Type* array;
        const Type* index;
    };
    auto* board = lanewise_emulated::board;
    if (!board) return;
    auto& machine = *static_cast<lanewise::emu::Machine*>(board);
    auto* observer = machine.observer();
    if (!observer) return;
    const auto& what = *static_cast<const Data*>(data);
    std::int64_t extent = 0;
    for (const char* at = std::strchr(what.array->name, '['); at && at[1] >= '0' && at[1] <= '9'; ++at)
        extent = extent * 10 + (at[1] - '0');
    // Bit 0: signed; from bit 1: the width as a power of two.
    const int bits = 1 << (what.index->info >> 1);
    auto value = reinterpret_cast<std::int64_t>(index);
    if (bits < 64) {
        value &= (std::int64_t{1} << bits) - 1;
        if ((what.index->info & 1) && value >> (bits - 1)) value -= std::int64_t{1} << bits;
    }
    observer->index_outside({machine.current, value, extent});
}

// -fsanitize=return calls this where a function that returns a value comes to its end without one, which the compiler
// else takes for a place that nothing comes to.
void __ubsan_handle_missing_return(void* data) {
    struct Data {
        const char* file;
        std::uint32_t line, column;  // of the function
    };
    lanewise_emulated::missing_return(static_cast<int>(static_cast<const Data*>(data)->line));
}
#endif

// An object with virtual functions keeps in front where those of its class are.
void __tsan_vptr_update(void** address, void*) { announce(address, sizeof(void*), true, __builtin_return_address(0)); }
void __tsan_vptr_read(void** address) { announce(address, sizeof(void*), false, __builtin_return_address(0)); }

}  // extern "C"
