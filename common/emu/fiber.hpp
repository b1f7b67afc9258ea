// The jump from one lane to another.
#pragma once

#include <cstddef>

// Our own switch where there is one; Boost.Context's elsewhere (or to try it: cmake -DLANEWISE_BOOST_FIBERS=ON).
#if defined(__x86_64__) && defined(__linux__) && !defined(LANEWISE_BOOST_FIBERS)
#define LANEWISE_OWN_SWITCH 1
#else
#define LANEWISE_OWN_SWITCH 0
#endif

namespace lanewise::emu {

// A suspended computation on a stack of its own (or the host's, while a lane runs).
struct Fiber {
    void* sp = nullptr;               // where it continues
#if defined(__SANITIZE_ADDRESS__)
    const void* stack_bottom = nullptr;  // AddressSanitizer is notified of every change of stacks
    std::size_t stack_size = 0;
    void* fake_stack = nullptr;
#endif
};

using FiberMain = void (*)(void* argument);

// Prepares `fiber` to call main(argument) on the stack that ends at `top`; main must never return.
void prepare(Fiber& fiber, void* bottom, void* top, FiberMain main, void* argument);

// Makes `host` stand for the computation that calls this, so that it can be jumped back to.
void adopt(Fiber& host);

#if LANEWISE_OWN_SWITCH
extern "C" void lanewise_switch_stacks(void** save, void* load);
#endif

// Suspends the running computation into `from` and continues with `to`. Both stay on their OS thread. Inline so that a
// caller with nothing left to do jumps there directly and leaves no frame of its own on the lane's stack.
#if LANEWISE_OWN_SWITCH && !defined(__SANITIZE_ADDRESS__)
inline void jump(Fiber& from, Fiber& to) { lanewise_switch_stacks(&from.sp, to.sp); }
#else
void jump(Fiber& from, Fiber& to);
#endif

// The first thing a freshly started fiber's main does.
void arrived(Fiber& self);

}  // namespace lanewise::emu
