#include "common/rounding/exact_sum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace lanewise::rounding {
namespace {

constexpr std::uint64_t kSign = std::uint64_t{1} << 63;

// Adds `addend` at limb `at`, carries on; two's complement, what leaves the top is lost.
template <class Limbs>
void add_at(Limbs& limbs, std::size_t at, std::uint64_t addend) {
    for (; at < limbs.size() && addend != 0; ++at) {
        limbs[at] += addend;
        addend = limbs[at] < addend ? 1 : 0;
    }
}

template <class Limbs>
void subtract_at(Limbs& limbs, std::size_t at, std::uint64_t amount) {
    for (; at < limbs.size() && amount != 0; ++at) {
        const bool borrows = limbs[at] < amount;
        limbs[at] -= amount;
        amount = borrows ? 1 : 0;
    }
}

template <class Limbs>
void negate_limbs(Limbs& limbs) {
    for (std::uint64_t& limb : limbs) limb = ~limb;
    add_at(limbs, 0, 1);
}

// Place of the highest set bit; -1: none.
template <class Limbs>
int highest_bit(const Limbs& limbs) {
    for (std::size_t i = limbs.size(); i-- > 0;)
        if (limbs[i] != 0) return static_cast<int>(i * 64) + 63 - std::countl_zero(limbs[i]);
    return -1;
}

template <class Limbs>
bool bit_at(const Limbs& limbs, int bit) {
    return bit >= 0 && limbs[static_cast<std::size_t>(bit / 64)] >> (bit % 64) & 1;
}

template <class Limbs>
bool any_below(const Limbs& limbs, int bit) {
    for (int i = 0; i < bit / 64; ++i)
        if (limbs[static_cast<std::size_t>(i)] != 0) return true;
    return bit > 0 && bit % 64 != 0 &&
           (limbs[static_cast<std::size_t>(bit / 64)] & ((std::uint64_t{1} << (bit % 64)) - 1)) != 0;
}

// Bits `low` and up, at most 64 of them.
template <class Limbs>
std::uint64_t bits_from(const Limbs& limbs, int low) {
    const auto limb = static_cast<std::size_t>(low / 64);
    const int shift = low % 64;
    std::uint64_t bits = limbs[limb] >> shift;
    if (shift != 0 && limb + 1 < limbs.size()) bits |= limbs[limb + 1] << (64 - shift);
    return bits;
}

struct Format {
    int fraction_bits;
    int least_exponent;      // of the smallest normal number
    int greatest_exponent;   // of the largest finite one
};

Format format_of(Element element) {
    const FloatLayout layout = float_layout(element);
    const int bias = (1 << (layout.exponent_bits - 1)) - 1;
    // All exponents of e4m3 are numbers; the others keep the highest for infinities.
    return {layout.fraction_bits, 1 - bias, element == Element::e4m3 ? bias + 1 : bias};
}

}  // namespace

void ExactSum::add_shifted(std::uint64_t magnitude, int bit, bool negative) {
    const auto limb = static_cast<std::size_t>(bit / 64);
    const int shift = bit % 64;
    const std::uint64_t low = magnitude << shift;
    const std::uint64_t high = shift == 0 ? 0 : magnitude >> (64 - shift);
    if (negative) {
        subtract_at(limbs_, limb, low);
        subtract_at(limbs_, limb + 1, high);
    } else {
        add_at(limbs_, limb, low);
        add_at(limbs_, limb + 1, high);
    }
}

void ExactSum::add(double value, std::uint64_t times) {
    if (times == 0) return;
    if (std::isnan(value)) nan_ = true;
    if (std::isinf(value)) (value > 0 ? positive_infinity_ : negative_infinity_) = true;
    if (!std::isfinite(value) || value == 0) return;
    const std::uint64_t bits = to_bits(value);
    const int exponent = static_cast<int>(bits >> 52 & 0x7ff);
    std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
    if (exponent > 0) fraction |= std::uint64_t{1} << 52;
    const int low = std::max(exponent, 1) - 1;   // bit 0 is 2^-1074, the unit of exponent 1 and of the subnormals
    // times * fraction, in two parts that each fit.
    for (int part = 0; part < 64; part += 11) {
        const std::uint64_t factor = times >> part & 0x7ff;
        if (factor != 0) add_shifted(fraction * factor, low + part, value < 0);
    }
}

void ExactSum::add(Element element, std::uint64_t bits, std::uint64_t times) {
    if (element != Element::u64 && element != Element::i64) return add(element_to_double(element, bits), times);
    const bool negative = element == Element::i64 && (bits & kSign) != 0;
    const std::uint64_t magnitude = negative ? ~bits + 1 : bits;
    add(static_cast<double>(magnitude >> 32) * (negative ? -0x1p32 : 0x1p32), times);
    add(static_cast<double>(magnitude & 0xffffffffu) * (negative ? -1 : 1), times);
}

void ExactSum::add(const ExactSum& other) {
    for (std::size_t i = 0; i < kLimbs; ++i) add_at(limbs_, i, other.limbs_[i]);
    nan_ |= other.nan_;
    positive_infinity_ |= other.positive_infinity_;
    negative_infinity_ |= other.negative_infinity_;
}

void ExactSum::negate() {
    negate_limbs(limbs_);
    std::swap(positive_infinity_, negative_infinity_);
}

bool ExactSum::is_zero() const {
    return is_finite() && std::all_of(limbs_.begin(), limbs_.end(), [](std::uint64_t limb) { return limb == 0; });
}

bool ExactSum::is_negative() const {
    if (!is_finite()) return negative_infinity_ && !positive_infinity_ && !nan_;
    return (limbs_.back() & kSign) != 0;
}

ExactSum::Limbs ExactSum::magnitude() const {
    Limbs limbs = limbs_;
    if ((limbs.back() & kSign) != 0) negate_limbs(limbs);
    return limbs;
}

std::uint64_t ExactSum::rounded_to(Element element) const {
    if (!is_finite()) {
        const bool nan = nan_ || (positive_infinity_ && negative_infinity_);
        const double infinity = std::numeric_limits<double>::infinity();
        return element_from_double(element, nan                  ? std::numeric_limits<double>::quiet_NaN()
                                            : negative_infinity_ ? -infinity
                                                                 : infinity);
    }
    if (!is_float(element)) {
        // Two's complement as it is, from 2^0 up.
        const std::uint64_t bits = bits_from(limbs_, -kLowest);
        const int size = element_size(element);
        return size == 8 ? bits : bits & ((std::uint64_t{1} << (size * 8)) - 1);
    }
    const Limbs limbs = magnitude();
    const int top = highest_bit(limbs);
    const double sign = is_negative() ? -1 : 1;
    if (top < 0) return element_from_double(element, 0.0);
    const Format format = format_of(element);
    const int exponent = std::max(top + kLowest, format.least_exponent);
    const int low = exponent - format.fraction_bits - kLowest;   // place of the last bit that is kept
    std::uint64_t kept = 0;
    if (low <= top) kept = bits_from(limbs, low);
    const bool half = low > 0 && bit_at(limbs, low - 1);
    if (half && (any_below(limbs, low - 1) || (kept & 1))) ++kept;
    // A number of the format, or twice its largest binade: exact as a double, unless beyond a double's range.
    const double value = std::ldexp(static_cast<double>(kept), exponent - format.fraction_bits);
    return element_from_double(element, sign * value);
}

double ExactSum::to_double() const { return from_bits<double>(rounded_to(Element::f64)); }

std::string ExactSum::decimal(int digits) const {
    if (!is_finite()) return format_element(Element::f64, rounded_to(Element::f64));
    if (is_zero()) return "0";
    constexpr std::uint64_t kBillion = 1'000'000'000;
    // Before the point: divided by 10^9 again and again. Behind it: multiplied.
    const Limbs limbs = magnitude();
    const int point = -kLowest;
    std::vector<std::uint32_t> whole;   // 32-bit limbs, low first
    for (int bit = point; bit < static_cast<int>(kLimbs * 64); bit += 32)
        whole.push_back(static_cast<std::uint32_t>(bits_from(limbs, bit)));
    std::string before;
    while (std::any_of(whole.begin(), whole.end(), [](std::uint32_t limb) { return limb != 0; })) {
        std::uint64_t rest = 0;
        for (std::size_t i = whole.size(); i-- > 0;) {
            const std::uint64_t part = rest << 32 | whole[i];
            whole[i] = static_cast<std::uint32_t>(part / kBillion);
            rest = part % kBillion;
        }
        for (int i = 0; i < 9; ++i, rest /= 10) before.insert(before.begin(), static_cast<char>('0' + rest % 10));
    }
    before.erase(0, before.find_first_not_of('0'));
    std::vector<std::uint32_t> fraction;   // high limb first; the lowest is shorter than 32 bits, and its rest zero
    for (int bit = point - 32; bit > -32; bit -= 32)
        fraction.push_back(static_cast<std::uint32_t>(bit >= 0 ? bits_from(limbs, bit) : bits_from(limbs, 0) << -bit));
    std::string behind;
    const auto significant = [&] {
        const std::size_t leading = before.empty() ? std::min(behind.find_first_not_of('0'), behind.size()) : 0;
        return static_cast<int>(before.size() + behind.size() - leading);
    };
    const auto left = [&] {
        return std::any_of(fraction.begin(), fraction.end(), [](std::uint32_t limb) { return limb != 0; });
    };
    while (left() && significant() <= digits) {
        std::uint64_t carry = 0;
        for (std::size_t i = fraction.size(); i-- > 0;) {
            carry += std::uint64_t{fraction[i]} * kBillion;
            fraction[i] = static_cast<std::uint32_t>(carry);
            carry >>= 32;
        }
        std::string nine(9, '0');
        for (std::size_t i = 9; i-- > 0; carry /= 10) nine[i] = static_cast<char>('0' + carry % 10);
        behind += nine;
    }
    bool cut = left();
    if (!cut) behind.erase(behind.find_last_not_of('0') + 1);
    // A whole number keeps all digits before its point.
    while (significant() > digits && !behind.empty()) {
        behind.pop_back();
        cut = true;
    }
    std::string text = (is_negative() ? "-" : "") + (before.empty() ? std::string("0") : before);
    if (!behind.empty()) text += "." + behind;
    return cut ? text + "…" : text;
}

void ExactSums::push_back(const ExactSum& sum) {
    Packed packed;
    packed.negative = (sum.limbs_.back() & kSign) != 0;
    const std::uint64_t above = packed.negative ? ~std::uint64_t{0} : 0;
    std::size_t first = 0, last = ExactSum::kLimbs;
    while (first < ExactSum::kLimbs && sum.limbs_[first] == 0) ++first;
    while (last > first && sum.limbs_[last - 1] == above) --last;
    packed.at = static_cast<std::uint32_t>(limbs_.size());
    packed.first = static_cast<std::uint8_t>(first);
    packed.count = static_cast<std::uint8_t>(last - first);
    packed.nan = sum.nan_;
    packed.positive_infinity = sum.positive_infinity_;
    packed.negative_infinity = sum.negative_infinity_;
    for (std::size_t i = first; i < last; ++i) limbs_.push_back(sum.limbs_[i]);
    packed_.push_back(packed);
}

ExactSum ExactSums::at(std::size_t place) const {
    const Packed& packed = packed_.at(place);
    ExactSum sum;
    for (std::size_t i = 0; i < packed.count; ++i) sum.limbs_[packed.first + i] = limbs_[packed.at + i];
    if (packed.negative)
        for (std::size_t i = std::size_t{packed.first} + packed.count; i < ExactSum::kLimbs; ++i)
            sum.limbs_[i] = ~std::uint64_t{0};
    sum.nan_ = packed.nan;
    sum.positive_infinity_ = packed.positive_infinity;
    sum.negative_infinity_ = packed.negative_infinity;
    return sum;
}

void ExactSums::reserve(std::size_t sums) {
    packed_.reserve(sums);
    limbs_.reserve(2 * sums);
}

double ulp_of(Element element, double value) {
    if (!is_float(element)) return 1;
    const Format format = format_of(element);
    const double magnitude = std::fabs(value);
    int exponent = format.least_exponent;
    if (std::isinf(magnitude)) exponent = format.greatest_exponent;
    else if (magnitude > 0)
        exponent = std::clamp(std::ilogb(magnitude), format.least_exponent, format.greatest_exponent);
    return std::ldexp(1.0, exponent - format.fraction_bits);
}

}  // namespace lanewise::rounding
