// Just enough of CUDA for one lane that is alone: a shuffle returns a number made from its arguments, the same in the
// plain and in the traced copy.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#define __device__ [[maybe_unused]] static

template <class T>
T lonely(int kind, unsigned mask, T value, int argument) {
    return value * static_cast<T>(kind + 1) + static_cast<T>(argument) + static_cast<T>(mask % 7);
}

template <class T>
T __shfl_sync(unsigned mask, T value, int argument) { return lonely(1, mask, value, argument); }
template <class T>
T __shfl_up_sync(unsigned mask, T value, int argument) { return lonely(-2, mask, value, argument); }
template <class T>
T __shfl_down_sync(unsigned mask, T value, int argument) { return lonely(-1, mask, value, argument); }
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int argument) { return lonely(0, mask, value, argument); }

namespace lanewise_traced {

inline std::vector<int> shuffle_lines;
inline std::vector<int> after_lines;

template <class T>
T shfl_idx(int line, unsigned mask, T value, int argument) {
    return shuffle_lines.push_back(line), __shfl_sync(mask, value, argument);
}
template <class T>
T shfl_up(int line, unsigned mask, T value, int argument) {
    return shuffle_lines.push_back(line), __shfl_up_sync(mask, value, argument);
}
template <class T>
T shfl_down(int line, unsigned mask, T value, int argument) {
    return shuffle_lines.push_back(line), __shfl_down_sync(mask, value, argument);
}
template <class T>
T shfl_xor(int line, unsigned mask, T value, int argument) {
    return shuffle_lines.push_back(line), __shfl_xor_sync(mask, value, argument);
}

template <class T>
void after(int first, int, int, const T&) { after_lines.push_back(first); }
inline void took(int, int) {}

}  // namespace lanewise_traced
