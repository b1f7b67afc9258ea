// What an emulated kernel calls: the door between the kernel's translation unit and common/emu. Light on purpose: the
// traced copy of a kernel is compiled with memory hooks, and whatever is in its headers would be hooked too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "common/base/element_of.hpp"
#include "common/trace/op.hpp"

// Prelude functions are no part of the kernel: their own loads and stores are not announced.
#define LANEWISE_UNHOOKED __attribute__((no_sanitize("thread")))

struct uint3 {
    unsigned x, y, z;
};

struct dim3 {
    unsigned x = 1, y = 1, z = 1;
    constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return {x, y, z}; }
};

// CUDA's variable of that name: 32, or the size of a teaching warp. The emulator sets it for the lanes of a block.
extern constinit thread_local int warpSize;

namespace lanewise_emulated {

using lanewise::Element;
using lanewise::trace::Op;

// What the lane that runs can see of its block: the emulator keeps one for each OS thread that runs blocks. Lanes are
// known by their slot: 32 to a warp, of which a teaching warp fills the first 4, 8 or 16. With whole warps that is the
// thread's linear number.
struct Board {
    std::uint32_t current = 0;        // slot of the lane that runs
    uint3 block{};
    dim3 block_dim;
    dim3 grid_dim;
    const uint3* threads = nullptr;   // by slot
    std::uint64_t result[1024] = {};  // what each lane took away from its last collective, by slot
    // The declarations of shared arrays that a lane of the block has come to; the rest of them the emulator keeps.
    struct SharedUse {
        const void* address = nullptr;
        unsigned id = 0;
    };
    SharedUse shared_uses[4];
    std::uint32_t shared_count = 0;
};
extern constinit thread_local Board* board;

// Dynamic shared memory a launch may ask for: the most a block gets on any GPU so far (sm_90, opted in to).
inline constexpr std::size_t kMaxDynamicShared = 227 * 1024;

void sync_block(int line);

// __syncthreads_count, _and, _or: the barrier, and what became of all threads' predicates.
int sync_block_vote(int line, Op op, int predicate);

// The lanes that are at this place, once every other of the warp waits or has ended.
unsigned active_mask(int line);

// __threadfence_block (scope 0), __threadfence (1), __threadfence_system (2).
void fence(int line, int scope);

// libcu++'s, of a memory order.
void library_fence(int scope, bool acquires, bool releases, int line);

// The scope of an atomic that is none to other threads.
inline constexpr int kThreadScope = -1;

// __nanosleep: everybody else who can run has a turn first.
void pause(int line);

// Counts on with each call and never back. It is a number to be ordered by, and no time: the emulator has none.
long long clock_count();

// Prints on the host's stack (a lane's is too small for it).
void print(const char* format, ...);

// Both end the launch, as on a GPU, and become findings.
[[noreturn]] void trap(int line);
[[noreturn]] void missing_return(int line);  // of the function on that line
[[noreturn]] void assert_failed(const char* expression, const char* file, int line);

// A lane's call of an intrinsic: from which line, which one, on what. In one register, so that with the rest of what
// the lane brings nothing is passed in memory.
class Call {
public:
    constexpr Call(int line, Op op, Element type)
        : bits_(static_cast<std::uint32_t>(line) | std::uint64_t{kind_of(op, type)} << 32) {}
    constexpr int line() const { return static_cast<int>(static_cast<std::uint32_t>(bits_)); }
    constexpr Op op() const { return static_cast<Op>(bits_ >> 32 & 0xff); }
    constexpr Element type() const { return static_cast<Element>(bits_ >> 40 & 0xff); }
    constexpr std::uint32_t kind() const { return static_cast<std::uint32_t>(bits_ >> 32); }
    static constexpr std::uint32_t kind_of(Op op, Element type) {
        return static_cast<std::uint8_t>(op) | std::uint32_t{static_cast<std::uint8_t>(type)} << 8;
    }

private:
    std::uint64_t bits_;
};

// Waits for the lanes of `mask`; the result then is on the board (so that the wait can be the last thing this does,
// and nothing of it stays on the lane's stack). A shuffle offers `bits` and takes away those of the source lane, or a
// poison value where CUDA leaves it undefined; a vote brings its predicate as `arg`.
void warp_collective(Call call, unsigned mask, std::uint64_t bits, int arg, int width);

LANEWISE_UNHOOKED inline std::uint64_t meet_for(int line, Op op, Element type, unsigned mask, std::uint64_t bits,
                                                int arg, int width) {
    warp_collective({line, op, type}, mask, bits, arg, width);
    return board->result[board->current];
}

// An atomic on `elements` neighbours: two f16 for a __half2, four f32 for a float4.
struct Atomic {
    int line;
    Op op;
    Element type;
    int elements;
    int scope;                   // as a fence's
    const void* address;
    std::uint64_t operand[2];    // 16 bytes
    bool acquires = false;       // libcu++'s memory orders
    bool releases = false;
    const void* pc = nullptr;    // in the kernel, where the line is not known (0)
};
// Before it is done, which may end the launch; and after, with the first eight bytes that were there before. An
// atomicCAS that found another value did not write.
void atomic_begins(const Atomic& what);
void atomic_done(const Atomic& what, std::uint64_t old, bool wrote);

// An atomic load or store of libcu++ is about to be done. A lane that loads again and again lets others run.
struct AtomicAccess {
    const void* address;
    std::size_t bytes;
    bool is_store;
    int scope;
    bool acquires;
    bool releases;
    const void* pc;
};
void atomic_access(const AtomicAccess& what);

// Traced copies only: the value of a variable after a statement with a shuffle; see trace::attach_after.
void after(int first_line, int last_line, int effect, Element type, std::uint64_t bits);
void joined(unsigned variable, Element type, std::uint64_t bits);
void took(int first_line, int last_line);
void shared_array(unsigned id, const void* address, std::size_t bytes, Element type);
void dynamic_array(unsigned id, const void* address, Element type);

void* dynamic_shared_memory();

// A lane comes to the declaration of a shared array. What it holds is undefined until the block writes it, whatever the
// block before left there: the first lane poisons it.
void first_use_of_shared(int line, const void* address, std::size_t bytes);

// Is it the first of its block that comes to this declaration? `id` distinguishes names of one piece of memory.
bool is_first_use_slowly(const void* address, unsigned id);
LANEWISE_UNHOOKED inline bool is_first_use(const void* address, unsigned id) {
    for (const Board::SharedUse& use : board->shared_uses)
        if (use.address == address && use.id == id) return false;
    return is_first_use_slowly(address, id);
}

template <class T>
LANEWISE_UNHOOKED inline void use_shared(int line, const T& array) {
    const void* address = const_cast<const std::remove_cv_t<T>*>(&array);
    if (is_first_use(address, 0)) first_use_of_shared(line, address, sizeof(T));
}

template <class T>
LANEWISE_UNHOOKED T* dynamic_shared() {
    return static_cast<T*>(dynamic_shared_memory());
}

// Bits of a value without a call: memcpy would be one under -fno-builtin.
template <class T>
LANEWISE_UNHOOKED inline std::uint64_t bits_of(T value) {
    static_assert(sizeof(T) <= 8, "a lane exchanges values of up to 8 bytes");
    std::uint64_t bits = 0;
    __builtin_memcpy(&bits, &value, sizeof(T));
    return bits;
}

template <class T>
LANEWISE_UNHOOKED inline T value_of(std::uint64_t bits) {
    T value;
    __builtin_memcpy(&value, &bits, sizeof(T));
    return value;
}

// The elements of CUDA's own small floating types, which the prelude specialises this for (emulated_half.hpp): `array`
// is what memory of them is shown as, `value` what one lane's whole value is (a pair of halves is one of 32 bits).
template <class T>
struct Named {
    static constexpr bool known = false;
};

// Can a T be shown as one value?
template <class T>
inline constexpr bool is_one_value = std::is_arithmetic_v<T> || Named<T>::known;

// The element that one lane's T is recorded as, the same as on the GPU (gpu_element.cuh).
template <class T>
constexpr Element value_element() {
    if constexpr (Named<T>::known) return Named<T>::value;
    else return lanewise::element_of<T>();
}

// What a vector type is made of; void for other types.
template <class T>
struct Members {
    using type = void;
};

// The element that an array of T is shown as, the same as on the GPU (gpu_element.cuh): T itself, the members of a
// vector type, else unsigned integers.
template <class T>
constexpr Element shown_as() {
    if constexpr (Named<T>::known) return Named<T>::array;
    else if constexpr (std::is_arithmetic_v<T>) return lanewise::element_of<T>();
    else if constexpr (!std::is_void_v<typename Members<T>::type>) return shown_as<typename Members<T>::type>();
    else return lanewise::unsigned_of(sizeof(T));
}

// The emulated form of a kernel: unpacks the launch's arguments and calls it, once for each lane.
template <auto kKernel, class Function = decltype(kKernel)>
struct Body;

template <auto kKernel, class... A>
struct Body<kKernel, void (*)(A...)> {
    template <std::size_t... I>
    struct Indices {};
    template <std::size_t N, std::size_t... I>
    struct MakeIndices : MakeIndices<N - 1, N - 1, I...> {};
    template <std::size_t... I>
    struct MakeIndices<0, I...> {
        using type = Indices<I...>;
    };
    // A jump, not a call, although a kernel's own calls are to be seen: when the kernel returns, the processor does not
    // look for this function among its return addresses, which by then are other lanes'. The compiler does not know
    // which kernel it is, else it would take the kernel's code in here, and make jumps of its calls too.
    template <std::size_t... I>
    [[gnu::optimize("optimize-sibling-calls")]] LANEWISE_UNHOOKED static void call([[maybe_unused]] void** arguments,
                                                                                   Indices<I...>) {
        void (*kernel)(A...) = kKernel;
        asm("" : "+r"(kernel));
        kernel(*static_cast<A*>(arguments[I])...);
    }
    [[gnu::optimize("optimize-sibling-calls")]] LANEWISE_UNHOOKED static void run(void** arguments) {
        call(arguments, typename MakeIndices<sizeof...(A)>::type{});
    }
};

template <auto kKernel>
inline constexpr auto body = &Body<kKernel>::run;

}  // namespace lanewise_emulated
