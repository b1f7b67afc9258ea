// Which lane a shuffle reads: one rule, for emulator, GPU traces, steps and the formula on the screen.
// Source: PTX ISA, shfl.sync, with the clamp values CUDA's __shfl_*_sync pass.
#pragma once

#include "common/trace/trace.hpp"

namespace lanewise::trace {

// The lane that `lane` reads, for `width` of 1, 2, 4, 8, 16 or 32. Where the source would lie outside the lane's
// segment a lane reads itself (xor may reach a lower segment: PTX only clamps at the upper end).
constexpr int source_lane(Op op, int lane, int arg, int width) {
    const int offset = arg & 31;  // PTX uses the low five bits
    const int segment = lane & ~(width - 1);
    const int last = segment | (width - 1);
    switch (op) {
        case Op::shfl_idx: return segment | (offset & (width - 1));
        case Op::shfl_up: return lane - offset >= segment ? lane - offset : lane;
        case Op::shfl_down: return lane + offset <= last ? lane + offset : lane;
        case Op::shfl_xor: return (lane ^ offset) <= last ? lane ^ offset : lane;
        default: return -1;
    }
}

}  // namespace lanewise::trace
