// malloc, free, new and delete of device code: from a heap of the emulator's own. The wrappers put malloc and free into
// the kernel's namespace; the derived copies say `new (::lanewise_emulated::on_heap) T` and
// `::lanewise_emulated::deleting ->* pointer`.
#pragma once

namespace lanewise_emulated {

void* device_malloc(std::size_t bytes);
// `pc`: where in the kernel.
void device_free(void* address, const void* pc);

namespace heap {

LANEWISE_INLINE void* malloc(std::size_t bytes) { return device_malloc(bytes); }
[[maybe_unused]] __attribute__((noinline)) LANEWISE_UNHOOKED static void free(void* address) {
    device_free(address, __builtin_return_address(0));
}

}  // namespace heap

struct OnHeap {};
inline constexpr OnHeap on_heap;

struct Deleting {
    template <class T>
    __attribute__((always_inline)) inline void operator->*(T* pointer) const {
        if (!pointer) return;
        pointer->~T();
        heap::free(const_cast<std::remove_cv_t<T>*>(pointer));
    }
};
inline constexpr Deleting deleting;

// Of an array: of what needs no destructor, for its length is not kept.
struct DeletingMany {
    template <class T>
    __attribute__((always_inline)) inline void operator->*(T* pointer) const {
        static_assert(std::is_trivially_destructible_v<T>, "the emulator deletes arrays of types without a destructor");
        heap::free(const_cast<std::remove_cv_t<T>*>(pointer));
    }
};
inline constexpr DeletingMany deleting_many;

}  // namespace lanewise_emulated

__attribute__((always_inline)) inline void* operator new(std::size_t bytes, lanewise_emulated::OnHeap) noexcept {
    return lanewise_emulated::device_malloc(bytes);
}
__attribute__((always_inline)) inline void* operator new[](std::size_t bytes, lanewise_emulated::OnHeap) noexcept {
    return lanewise_emulated::device_malloc(bytes);
}
