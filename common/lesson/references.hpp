// References in double that lessons share: what a sum must be, and how far a float may be from it.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace lanewise::lesson {

// The relative error of a sum in which no value goes through more than `additions` roundings (Higham, Accuracy and
// Stability of Numerical Algorithms, 3.1): gamma = k u / (1 - k u). u is the unit roundoff: 2^-24 of an f32. Times the
// sum of |x| it bounds the error, as long as no partial sum leaves the format's range.
inline double gamma(double additions, double u = 0x1p-24) {
    const double ku = additions * u;
    return ku < 1 ? ku / (1 - ku) : std::numeric_limits<double>::infinity();
}

// Rounds in which a tree brings `width` values down to one.
inline int rounds_of(std::uint32_t width) { return static_cast<int>(std::ceil(std::log2(width))); }

// Sums in double of the values and of their magnitudes: in all, and for each slice of `per_block` values, the last
// slice as far as it goes.
struct Sums {
    double sum = 0;
    double magnitude = 0;
    double largest_block = 0;             // the largest of block_magnitudes
    std::vector<double> block_sums;
    std::vector<double> block_magnitudes;
};

template <class T>
Sums sums_of(const std::vector<T>& values, std::uint64_t per_block) {
    Sums sums;
    for (std::uint64_t first = 0; first < values.size(); first += per_block) {
        double sum = 0, magnitude = 0;
        for (std::uint64_t i = first; i < values.size() && i < first + per_block; ++i) {
            const auto value = static_cast<double>(values[i]);
            sum += value;
            magnitude += std::abs(value);
        }
        sums.sum += sum;
        sums.magnitude += magnitude;
        sums.largest_block = std::fmax(sums.largest_block, magnitude);
        sums.block_sums.push_back(sum);
        sums.block_magnitudes.push_back(magnitude);
    }
    return sums;
}

}  // namespace lanewise::lesson
