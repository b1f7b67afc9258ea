// Barriers, shuffles and votes.
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
LANEWISE_WORD typename LanewiseExchanged<T>::type lanewise_exchange(int line, lanewise_emulated::Op op, unsigned mask,
                                                                    T value, int arg, int width) {
    using E = typename LanewiseExchanged<T>::type;
    return lanewise_emulated::value_of<E>(lanewise_emulated::meet_for(
        line, op, lanewise::element_of<E>(), mask, lanewise_emulated::bits_of(static_cast<E>(value)), arg, width));
}

#define LANEWISE_SHUFFLE(word, operation)                                                                         \
    template <class T>                                                                                            \
    LANEWISE_WORD typename LanewiseExchanged<T>::type word(unsigned mask, T value, int arg, int width = 32,       \
                                                           LANEWISE_LINE) {                                       \
        return lanewise_exchange(line, lanewise_emulated::Op::operation, mask, value, arg, width);                \
    }
LANEWISE_SHUFFLE(__shfl_sync, shfl_idx)
LANEWISE_SHUFFLE(__shfl_up_sync, shfl_up)
LANEWISE_SHUFFLE(__shfl_down_sync, shfl_down)
LANEWISE_SHUFFLE(__shfl_xor_sync, shfl_xor)
#undef LANEWISE_SHUFFLE

LANEWISE_WORD void __syncthreads(LANEWISE_LINE) { lanewise_emulated::sync_block(line); }
LANEWISE_WORD void __syncwarp(unsigned mask = 0xffffffffu, LANEWISE_LINE) {
    lanewise_emulated::meet(line, lanewise_emulated::Op::sync_warp, lanewise_emulated::Element::u32, mask, 0, 0, 32);
}

LANEWISE_WORD unsigned lanewise_vote(int line, lanewise_emulated::Op op, unsigned mask, int predicate) {
    return static_cast<unsigned>(lanewise_emulated::meet_for(line, op, lanewise_emulated::Element::u32, mask, 0, predicate != 0, 32));
}
LANEWISE_WORD int __any_sync(unsigned mask, int predicate, LANEWISE_LINE) {
    return static_cast<int>(lanewise_vote(line, lanewise_emulated::Op::vote_any, mask, predicate));
}
LANEWISE_WORD int __all_sync(unsigned mask, int predicate, LANEWISE_LINE) {
    return static_cast<int>(lanewise_vote(line, lanewise_emulated::Op::vote_all, mask, predicate));
}
LANEWISE_WORD unsigned __ballot_sync(unsigned mask, int predicate, LANEWISE_LINE) {
    return lanewise_vote(line, lanewise_emulated::Op::vote_ballot, mask, predicate);
}
