#include "common/timing/sizes.hpp"

#include <bit>
#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "common/base/error.hpp"

namespace lanewise::timing {
namespace {

constexpr std::uint64_t kSides[] = {1024, 2048, 4096};
constexpr double kLeastFactor = 1.01, kMostFactor = 1024;

template <class T>
std::optional<T> number(const std::string& text) {
    T value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::optional<std::uint64_t> count(const std::string& text) {
    if (!text.starts_with("2^")) return number<std::uint64_t>(text);
    const auto power = number<unsigned>(text.substr(2));
    if (!power || *power > 63) return std::nullopt;
    return std::uint64_t{1} << *power;
}

}  // namespace

std::vector<Size> table_sizes() {
    std::vector<Size> sizes;
    for (const std::uint64_t s : kSides)
        for (const std::uint64_t k : kSides) sizes.push_back({s * k, fmt::format("{}×{}", s, k), 0});
    return sizes;
}

std::vector<Size> row_sizes() {
    std::vector<Size> sizes;
    for (const std::uint64_t rows : {1024, 4096, 16384})
        for (const std::uint64_t columns : {1024, 4096, 8192, 65536})
            sizes.push_back({rows * columns, fmt::format("{}×{}", rows, columns), columns});
    return sizes;
}

std::vector<Size> parse_sizes(const std::string& text, std::uint64_t most) {
    if (text == "table") return table_sizes();
    const auto refuse = [&](const std::string& why) {
        return Error(fmt::format(
            "--sizes {} {}; give table, or LOW:HIGH such as 1024:2^24, or LOW:HIGH:xFACTOR, or LOW:HIGH:+-1.", text,
            why));
    };
    const auto colon = text.find(':');
    if (colon == std::string::npos) throw refuse("is no range of sizes");
    const auto second = text.find(':', colon + 1);
    const auto low = count(text.substr(0, colon));
    const auto high = count(text.substr(colon + 1, second == std::string::npos ? second : second - colon - 1));
    if (!low || !high) throw refuse("is no range of sizes");
    if (*low == 0) throw refuse("begins at 0, and a sum needs a value");
    if (*low > *high) throw refuse(fmt::format("ends before it begins: {} is more than {}", *low, *high));
    if (*high > most) throw refuse(fmt::format("goes beyond {}, the most values a run may have", most));
    double factor = 2;
    const bool neighbours = second != std::string::npos && text.substr(second + 1) == "+-1";
    if (second != std::string::npos && !neighbours) {
        const std::string sentence = text.substr(second + 1);
        const auto given = sentence.starts_with("x") ? number<double>(sentence.substr(1)) : std::nullopt;
        if (!given || !(*given >= kLeastFactor && *given <= kMostFactor))
            throw refuse(fmt::format("has no factor from {} to {} at its end", kLeastFactor, kMostFactor));
        factor = *given;
    }
    std::vector<Size> sizes;
    const auto add = [&](std::uint64_t n) {
        if (n > 0 && n <= *high && (sizes.empty() || sizes.back().n < n)) sizes.push_back({n, "", 0});
    };
    // Below 2^53 a double holds each size exactly, and `most` lies far below.
    for (double size = static_cast<double>(*low); size <= static_cast<double>(*high) + 0.5; size *= factor) {
        const auto n = static_cast<std::uint64_t>(std::llround(size));
        if (n > *high) break;
        if (neighbours) add(n - 1);
        add(n);
        if (neighbours) add(n + 1);
        if (sizes.size() > kMostSizes) throw refuse(fmt::format("names more than {} sizes", kMostSizes));
    }
    return sizes;
}

std::string size_text(std::uint64_t n) {
    if (n >= 1024 && std::has_single_bit(n)) return fmt::format("2^{}", std::countr_zero(n));
    return fmt::format("{}", n);
}

}  // namespace lanewise::timing
