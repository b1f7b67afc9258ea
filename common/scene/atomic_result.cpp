#include "common/scene/atomic_result.hpp"

#include "common/base/element.hpp"
#include "common/steps/update.hpp"

namespace lanewise::scene {

using trace::Op;

bool is_less(Element type, std::uint64_t a, std::uint64_t b) {
    // A double would round 64-bit integers.
    if (type == Element::u64) return a < b;
    if (type == Element::i64) return static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b);
    return element_to_double(type, a) < element_to_double(type, b);
}

std::optional<std::uint64_t> after_atomic(Op op, Element type, std::uint64_t found, std::uint64_t gave) {
    const int size = element_size(type);
    const std::uint64_t all = size == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (size * 8)) - 1;
    switch (op) {
        case Op::atomic_add: return steps::sum_bits(type, found, gave);
        case Op::atomic_sub: return (found - gave) & all;
        case Op::atomic_min: return is_less(type, gave, found) ? gave : found;
        case Op::atomic_max: return is_less(type, found, gave) ? gave : found;
        case Op::atomic_and: return found & gave;
        case Op::atomic_or: return found | gave;
        case Op::atomic_xor: return found ^ gave;
        case Op::atomic_exch: return gave;
        // Counts up to the operand and starts again; counts down from it (CUDA C++ Programming Guide, atomicInc,
        // atomicDec).
        case Op::atomic_inc: return found >= gave ? 0 : found + 1;
        case Op::atomic_dec: return found == 0 || found > gave ? gave : found - 1;
        default: return std::nullopt;
    }
}

}  // namespace lanewise::scene
