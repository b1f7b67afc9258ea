// Barriers, shuffles, votes, matches, reductions, and what else a lane says to its block.
#pragma once

// What CUDA exchanges for a T: its 4- and 8-byte arithmetic types; smaller integers are promoted to int.
template <class T>
struct LanewiseExchanged {
    using type = T;
};
template <> struct LanewiseExchanged<bool> { using type = int; };
template <> struct LanewiseExchanged<char> { using type = int; };
template <> struct LanewiseExchanged<signed char> { using type = int; };
template <> struct LanewiseExchanged<unsigned char> { using type = int; };
template <> struct LanewiseExchanged<short> { using type = int; };
template <> struct LanewiseExchanged<unsigned short> { using type = int; };

template <class T>
LANEWISE_INTRINSIC typename LanewiseExchanged<T>::type lanewise_exchange(int line, lanewise_emulated::Op op,
                                                                         unsigned mask, T value, int arg, int width) {
    using E = typename LanewiseExchanged<T>::type;
    return lanewise_emulated::value_of<E>(
        lanewise_emulated::meet_for(line, op, lanewise_emulated::value_element<E>(), mask,
                                    lanewise_emulated::bits_of(static_cast<E>(value)), arg, width));
}

#define LANEWISE_SHUFFLE(intrinsic, operation)                                                                     \
    template <class T>                                                                                             \
    LANEWISE_INLINE typename LanewiseExchanged<T>::type intrinsic(unsigned mask, T value, int arg, int width = 32, \
                                                                  LANEWISE_LINE) {                                 \
        return lanewise_exchange(line, lanewise_emulated::Op::operation, mask, value, arg, width);                 \
    }
LANEWISE_SHUFFLE(__shfl_sync, shfl_idx)
LANEWISE_SHUFFLE(__shfl_up_sync, shfl_up)
LANEWISE_SHUFFLE(__shfl_down_sync, shfl_down)
LANEWISE_SHUFFLE(__shfl_xor_sync, shfl_xor)
#undef LANEWISE_SHUFFLE

// Part of the kernel's own code, so that each call of it is known by its place.
LANEWISE_INLINE void __syncthreads(LANEWISE_LINE) { lanewise_emulated::sync_block(line); }
LANEWISE_INTRINSIC int __syncthreads_count(int predicate, LANEWISE_LINE) {
    return lanewise_emulated::sync_block_vote(line, lanewise_emulated::Op::sync_block_count, predicate);
}
LANEWISE_INTRINSIC int __syncthreads_and(int predicate, LANEWISE_LINE) {
    return lanewise_emulated::sync_block_vote(line, lanewise_emulated::Op::sync_block_and, predicate);
}
LANEWISE_INTRINSIC int __syncthreads_or(int predicate, LANEWISE_LINE) {
    return lanewise_emulated::sync_block_vote(line, lanewise_emulated::Op::sync_block_or, predicate);
}
LANEWISE_INTRINSIC void __syncwarp(unsigned mask = 0xffffffffu, LANEWISE_LINE) {
    lanewise_emulated::warp_collective({line, lanewise_emulated::Op::sync_warp, lanewise_emulated::Element::u32},
                                       mask, 0, 0, 32);
}

LANEWISE_INTRINSIC unsigned lanewise_vote(int line, lanewise_emulated::Op op, unsigned mask, int predicate) {
    return static_cast<unsigned>(
        lanewise_emulated::meet_for(line, op, lanewise_emulated::Element::u32, mask, 0, predicate != 0, 32));
}
LANEWISE_INTRINSIC int __any_sync(unsigned mask, int predicate, LANEWISE_LINE) {
    return static_cast<int>(lanewise_vote(line, lanewise_emulated::Op::vote_any, mask, predicate));
}
LANEWISE_INTRINSIC int __all_sync(unsigned mask, int predicate, LANEWISE_LINE) {
    return static_cast<int>(lanewise_vote(line, lanewise_emulated::Op::vote_all, mask, predicate));
}
LANEWISE_INTRINSIC unsigned __ballot_sync(unsigned mask, int predicate, LANEWISE_LINE) {
    return lanewise_vote(line, lanewise_emulated::Op::vote_ballot, mask, predicate);
}
LANEWISE_INTRINSIC unsigned __activemask(LANEWISE_LINE) { return lanewise_emulated::active_mask(line); }

// Values are compared bit by bit: equal NaNs match, 0 and -0 do not (PTX ISA, match.sync: .b32 and .b64).
template <class T>
LANEWISE_INTRINSIC unsigned lanewise_match(int line, lanewise_emulated::Op op, unsigned mask, T value) {
    static_assert(std::is_arithmetic_v<T>, "__match_any_sync and __match_all_sync take numbers of four or eight bytes");
    using E = typename LanewiseExchanged<T>::type;
    return static_cast<unsigned>(lanewise_emulated::meet_for(line, op, lanewise::element_of<E>(), mask,
                                                             lanewise_emulated::bits_of(static_cast<E>(value)), 0, 32));
}
template <class T>
LANEWISE_INTRINSIC unsigned __match_any_sync(unsigned mask, T value, LANEWISE_LINE) {
    return lanewise_match(line, lanewise_emulated::Op::vote_match_any, mask, value);
}
template <class T>
LANEWISE_INTRINSIC unsigned __match_all_sync(unsigned mask, T value, int* predicate, LANEWISE_LINE) {
    const unsigned lanes = lanewise_match(line, lanewise_emulated::Op::vote_match_all, mask, value);
    *predicate = lanes != 0;
    return lanes;
}

// CUDA has these for int and unsigned, the bitwise ones for unsigned alone (sm_80 and later).
#define LANEWISE_REDUCE(intrinsic, operation, T)                                                      \
    LANEWISE_INTRINSIC T intrinsic(unsigned mask, T value, LANEWISE_LINE) {                           \
        return static_cast<T>(lanewise_emulated::meet_for(line, lanewise_emulated::Op::operation,     \
                                                          lanewise::element_of<T>(), mask,            \
                                                          lanewise_emulated::bits_of(value), 0, 32)); \
    }
LANEWISE_REDUCE(__reduce_add_sync, reduce_add, int)
LANEWISE_REDUCE(__reduce_add_sync, reduce_add, unsigned)
LANEWISE_REDUCE(__reduce_min_sync, reduce_min, int)
LANEWISE_REDUCE(__reduce_min_sync, reduce_min, unsigned)
LANEWISE_REDUCE(__reduce_max_sync, reduce_max, int)
LANEWISE_REDUCE(__reduce_max_sync, reduce_max, unsigned)
LANEWISE_REDUCE(__reduce_and_sync, reduce_and, unsigned)
LANEWISE_REDUCE(__reduce_or_sync, reduce_or, unsigned)
LANEWISE_REDUCE(__reduce_xor_sync, reduce_xor, unsigned)
#undef LANEWISE_REDUCE

LANEWISE_INTRINSIC void __threadfence_block(LANEWISE_LINE) { lanewise_emulated::fence(line, 0); }
LANEWISE_INTRINSIC void __threadfence(LANEWISE_LINE) { lanewise_emulated::fence(line, 1); }
LANEWISE_INTRINSIC void __threadfence_system(LANEWISE_LINE) { lanewise_emulated::fence(line, 2); }

LANEWISE_INTRINSIC void __nanosleep(unsigned, LANEWISE_LINE) { lanewise_emulated::pause(line); }
LANEWISE_INTRINSIC long long clock64() { return lanewise_emulated::clock_count(); }
LANEWISE_INTRINSIC clock_t lanewise_clock() { return static_cast<clock_t>(lanewise_emulated::clock_count()); }
[[noreturn]] LANEWISE_INTRINSIC void __trap(LANEWISE_LINE) { lanewise_emulated::trap(line); }

// Like CUDA's, it returns how many values it was given.
template <class... A>
LANEWISE_INTRINSIC int lanewise_printf(const char* format, A... values) {
    if (!format) return -1;
    lanewise_emulated::print(format, values...);
    return static_cast<int>(sizeof...(A));
}
// C has both names for the host.
#define clock() lanewise_clock()
#define printf(...) lanewise_printf(__VA_ARGS__)
