// The other side of the prelude's door: each call goes to the machine whose lane runs.
#include "common/prelude/emulated_runtime.hpp"

#include "common/emu/machine.hpp"

namespace lanewise_emulated {

using lanewise::emu::Machine;
using lanewise::emu::Observer;

constinit thread_local Board* board = nullptr;

namespace {

Machine& machine() { return *static_cast<Machine*>(board); }
Observer* observer() { return board ? machine().observer() : nullptr; }

}  // namespace

void atomic_done(int line, Op op, Element type, const void* address, std::uint64_t operand, std::uint64_t old) {
    if (Observer* o = observer()) o->atomic({board->current, line, op, type, 1, address, {operand, 0}, old});
}

void atomic_done(int line, Op op, Element type, int elements, const void* address, const std::uint64_t* operand,
                 std::uint64_t old) {
    if (Observer* o = observer())
        o->atomic({board->current, line, op, type, elements, address, {operand[0], operand[1]}, old});
}

void after(int first_line, int last_line, int effect, Element type, std::uint64_t bits) {
    if (Observer* o = observer()) o->after({board->current, first_line, last_line, effect, type, bits});
}

void took(int first_line, int last_line) {
    if (Observer* o = observer()) o->took(board->current, first_line, last_line);
}

void shared_array(unsigned id, const void* address, std::size_t bytes, Element type) {
    if (Observer* o = observer()) o->shared_array({id, address, bytes, type});
}

void dynamic_array(unsigned id, const void* address, Element type) {
    if (Observer* o = observer()) o->shared_array({id, address, machine().dynamic_shared_bytes(), type});
}

void* dynamic_shared_memory() { return machine().dynamic_shared(); }

}  // namespace lanewise_emulated
