#include "common/emu/fiber.hpp"

#include <cstdint>

#include <pthread.h>
#if !LANEWISE_OWN_SWITCH
#include <boost/context/detail/fcontext.hpp>
#endif

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace lanewise::emu {

#if LANEWISE_OWN_SWITCH

// System V x86-64: the callee-saved registers and nothing else. Boost.Context's jump also saves the floating-point
// control registers, which kernels never change.
// `call` and `ret` stay paired across lanes that run the same code, so the return predictor keeps guessing right.
asm(R"(
.text
.p2align 4
.globl lanewise_switch_stacks
.type lanewise_switch_stacks, @function
lanewise_switch_stacks:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
.size lanewise_switch_stacks, .-lanewise_switch_stacks

.p2align 4
.globl lanewise_fiber_start
.type lanewise_fiber_start, @function
lanewise_fiber_start:
    movq %rbx, %rdi
    callq *%r12
    ud2
.size lanewise_fiber_start, .-lanewise_fiber_start
)");

extern "C" void lanewise_fiber_start();

void prepare(Fiber& fiber, [[maybe_unused]] void* bottom, void* top, FiberMain main, void* argument) {
    auto* sp = reinterpret_cast<std::uint64_t*>(top);
    *--sp = 0;                                                   // keeps the stack aligned at the call
    *--sp = 0;
    *--sp = reinterpret_cast<std::uint64_t>(&lanewise_fiber_start);
    *--sp = 0;                                                   // rbp
    *--sp = reinterpret_cast<std::uint64_t>(argument);           // rbx
    *--sp = reinterpret_cast<std::uint64_t>(main);               // r12
    *--sp = 0;                                                   // r13
    *--sp = 0;                                                   // r14
    *--sp = 0;                                                   // r15
    fiber.sp = sp;
#if defined(__SANITIZE_ADDRESS__)
    __asan_unpoison_memory_region(bottom,
                                  static_cast<std::size_t>(static_cast<char*>(top) - static_cast<char*>(bottom)));
    fiber.stack_bottom = bottom;
    fiber.stack_size = static_cast<std::size_t>(static_cast<char*>(top) - static_cast<char*>(bottom));
#endif
}

#if defined(__SANITIZE_ADDRESS__)
void jump(Fiber& from, Fiber& to) {
    __sanitizer_start_switch_fiber(&from.fake_stack, to.stack_bottom, to.stack_size);
    lanewise_switch_stacks(&from.sp, to.sp);
    __sanitizer_finish_switch_fiber(from.fake_stack, nullptr, nullptr);
}
#endif

#else  // other machines: Boost.Context

namespace ctx = boost::context::detail;

namespace {

struct Start {
    FiberMain main;
    void* argument;
};

// A jump carries the fiber that was left behind, so that it can be found again.
void note(ctx::transfer_t from) { static_cast<Fiber*>(from.data)->sp = from.fctx; }

}  // namespace

void prepare(Fiber& fiber, void* bottom, void* top, FiberMain main, void* argument) {
    const auto size = static_cast<std::size_t>(static_cast<char*>(top) - static_cast<char*>(bottom));
    fiber.sp = ctx::make_fcontext(top, size, [](ctx::transfer_t setup) {
        Start start = *static_cast<Start*>(setup.data);
        ctx::transfer_t from = ctx::jump_fcontext(setup.fctx, nullptr);
        note(from);
        start.main(start.argument);
    });
    Start start{main, argument};
    fiber.sp = ctx::jump_fcontext(fiber.sp, &start).fctx;
}

void jump(Fiber& from, Fiber& to) { note(ctx::jump_fcontext(to.sp, &from)); }

#endif

void adopt([[maybe_unused]] Fiber& host) {
#if defined(__SANITIZE_ADDRESS__)
    pthread_attr_t attributes;
    void* bottom = nullptr;
    std::size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        pthread_attr_getstack(&attributes, &bottom, &size);
        pthread_attr_destroy(&attributes);
    }
    host.stack_bottom = bottom;
    host.stack_size = size;
#endif
}

void arrived([[maybe_unused]] Fiber& self) {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr);
#endif
}

}  // namespace lanewise::emu
