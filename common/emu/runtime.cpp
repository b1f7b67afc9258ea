// The other side of the prelude's door: each call goes to the machine whose lane runs.
#include "common/prelude/emulated/emulated_runtime.hpp"

#include <atomic>
#include <cstdarg>
#include <cstdio>

#include <link.h>

#include <fmt/format.h>

#include "common/emu/machine.hpp"

constinit thread_local int warpSize = 32;

namespace lanewise_emulated {
void* device_malloc(std::size_t bytes);
void device_free(void* address, const void* pc);
enum class Space : int { global, shared, local };  // emulated_special.hpp
Space space_of(const void* address);
}  // namespace lanewise_emulated

namespace lanewise_emulated {

using lanewise::emu::Machine;
using lanewise::emu::Observer;

constinit thread_local Board* board = nullptr;

namespace {

struct Printed {
    const char* format;
    std::va_list* values;
};

Machine& machine() { return *static_cast<Machine*>(board); }
Observer* observer() { return board ? machine().observer() : nullptr; }
lanewise::emu::AtomicSeen seen(const Atomic& what, std::uint64_t old, bool wrote) {
    return {board->current, what.line, what.op, what.type, what.elements, what.address,
            {what.operand[0], what.operand[1]}, old, what.scope, wrote, what.acquires, what.releases, what.pc};
}
Observer* statement_observer() { return board ? machine().statement_observer() : nullptr; }

}  // namespace

void atomic_begins(const Atomic& what) {
    if (Observer* o = observer())
        if (!o->atomic_begins(seen(what, 0, true))) machine().fault();
}

void atomic_done(const Atomic& what, std::uint64_t old, bool wrote) {
    const auto done = seen(what, old, wrote);
    if (Observer* o = observer()) o->atomic(done);
    machine().atomic_done(what, lanewise::emu::changes_word(done));
}

void atomic_access(const AtomicAccess& what) {
    if (!what.is_store) machine().volatile_access(what.address, what.pc);
    if (what.is_store) machine().memory_changes();
    if (Observer* o = observer())
        if (!o->access({board->current, what.address, static_cast<std::uint32_t>(what.bytes), what.is_store, what.pc,
                        false, true, what.acquires, what.releases, what.scope}))
            machine().fault();
}

void joined(unsigned variable, Element type, std::uint64_t bits) {
    if (Observer* o = statement_observer()) o->joined({board->current, variable, type, bits});
}

void after(int first_line, int last_line, int effect, Element type, std::uint64_t bits) {
    if (Observer* o = statement_observer()) o->after({board->current, first_line, last_line, effect, type, bits});
}

void took(int first_line, int last_line) {
    if (Observer* o = statement_observer()) o->took(board->current, first_line, last_line);
}

void* device_malloc(std::size_t bytes) { return machine().device_malloc(bytes); }
void device_free(void* address, const void* pc) { machine().device_free(address, pc); }

void divided_by_zero(int line) {
    if (board) machine().divided_by_zero(line);
}

void shared_array(unsigned id, const void* address, std::size_t bytes, Element type) {
    if (Observer* o = observer()) o->shared_array({id, address, bytes, type});
}

bool is_first_use_slowly(const void* address, unsigned id) { return machine().is_first_use(address, id); }

void first_use_of_shared(int line, const void* address, std::size_t bytes) {
    machine().first_use_of_shared(line, address, bytes);
}

void dynamic_array(unsigned id, const void* address, Element type) {
    if (Observer* o = observer()) o->shared_array({id, address, machine().dynamic_shared_bytes(), type});
}

int sync_block_vote(int line, Op op, int predicate) {
    machine().sync_block_vote(line, op, predicate != 0);
    return static_cast<int>(board->result[board->current]);
}

unsigned active_mask(int line) {
    machine().active_mask(line);
    return static_cast<unsigned>(board->result[board->current]);
}

void fence(int line, int scope) { library_fence(scope, true, true, line); }

void library_fence(int scope, bool acquires, bool releases, int line) {
    std::atomic_thread_fence(std::memory_order_seq_cst);  // other blocks may run on other OS threads
    if (Observer* o = observer()) o->fence({board->current, line, scope, acquires, releases});
}

void pause(int line) {
    machine().pause(line);
    machine().waits(line, nullptr, 1);
}

long long clock_count() { return machine().clock_count(); }

void print(const char* format, ...) {
    std::va_list values;
    va_start(values, format);
    Printed printed{format, &values};
    machine().on_host(
        [](void* argument) {
            const auto& what = *static_cast<Printed*>(argument);
            std::vprintf(what.format, *what.values);
        },
        &printed);
    va_end(values);
}

void trap(int line) {
    machine().fail("trap", line,
                   fmt::format("lane {} of warp {} came to __trap on line {}, which ends the launch: look at the "
                               "condition that led there.",
                               board->current % 32, board->current / 32, line));
}

void missing_return(int line) {
    machine().fail("missing_return", line,
                   fmt::format("lane {} of warp {} comes to the end of the function on line {} without a return, which "
                               "ends the launch here; on a GPU the value is undefined. Give each path of it a return.",
                               board->current % 32, board->current / 32, line));
}

void assert_failed(const char* expression, const char* file, int line) {
    const uint3 thread = board->threads[board->current];
    const uint3 block = board->block;
    machine().fail(
        "assertion_failed", line,
        fmt::format("{}:{}: block ({}, {}, {}), thread ({}, {}, {}), lane {} of warp {}: the assertion `{}` does "
                    "not hold, which ends the launch.",
                    file, line, block.x, block.y, block.z, thread.x, thread.y, thread.z, board->current % 32,
                    board->current / 32, expression));
}

void* dynamic_shared_memory() { return machine().dynamic_shared(); }

Space space_of(const void* address) {
    struct Question {
        std::uintptr_t address;
        Space answer;
    } question{reinterpret_cast<std::uintptr_t>(address), Space::global};
    machine().on_host(
        [](void* argument) {
            Question& asked = *static_cast<Question*>(argument);
            const auto within = [&](const void* begin, std::size_t bytes) {
                return asked.address - reinterpret_cast<std::uintptr_t>(begin) < bytes;
            };
            const lanewise::emu::StackPool& stacks = machine().stacks();
            if (within(stacks.begin(), stacks.size() * lanewise::emu::StackPool::kStride)) asked.answer = Space::local;
            if (within(machine().dynamic_shared(), kMaxDynamicShared)) asked.answer = Space::shared;
            // Static arrays are the thread-local variables of a loaded object.
            dl_iterate_phdr(
                [](dl_phdr_info* object, std::size_t, void* data) {
                    Question& about = *static_cast<Question*>(data);
                    for (int i = 0; i < object->dlpi_phnum; ++i)
                        if (object->dlpi_phdr[i].p_type == PT_TLS && object->dlpi_tls_data != nullptr &&
                            about.address - reinterpret_cast<std::uintptr_t>(object->dlpi_tls_data) <
                                object->dlpi_phdr[i].p_memsz)
                            about.answer = Space::shared;
                    return 0;
                },
                argument);
        },
        &question);
    return question.answer;
}

}  // namespace lanewise_emulated
