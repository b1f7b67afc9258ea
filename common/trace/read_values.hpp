// Reads single values out of the JSON of a trace file; whatever is not what it should be throws MalformedTrace.
#pragma once

#include <charconv>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/plain_text.hpp"
#include "common/trace/io.hpp"

namespace lanewise::trace::reading {

using Json = nlohmann::json;

// No array is larger; sums of places cannot overflow.
inline constexpr std::int64_t kMaxElement = std::int64_t{1} << 40;

// A line that does not say what it should; reported with its number by the caller.
struct MalformedTrace : std::runtime_error {
    using std::runtime_error::runtime_error;
};

template <class T>
T whole(const Json& json, T least = std::numeric_limits<T>::min(), T most = std::numeric_limits<T>::max()) {
    const auto inside = [&](auto value) {
        return std::cmp_greater_equal(value, least) && std::cmp_less_equal(value, most);
    };
    if (json.is_number_unsigned()) {
        const auto value = json.get<std::uint64_t>();
        if (inside(value)) return static_cast<T>(value);
    } else if (json.is_number_integer()) {
        const auto value = json.get<std::int64_t>();
        if (inside(value)) return static_cast<T>(value);
    }
    throw MalformedTrace(fmt::format("a number is not one between {} and {}", +least, +most));
}

// A finite number.
inline double number(const Json& json) {
    if (!json.is_number() || !std::isfinite(json.get<double>())) throw MalformedTrace("a number is missing");
    return json.get<double>();
}

inline std::string text(const Json& json) {
    const auto* value = json.get_ptr<const std::string*>();
    if (value == nullptr) throw MalformedTrace("a text is missing");
    if (value->size() > kMaxStringBytes)
        throw MalformedTrace(fmt::format("a text is longer than {} bytes", kMaxStringBytes));
    return plain_text(*value);
}

inline std::string text_or_empty(const Json& json, const char* key) {
    const auto there = json.find(key);
    return there == json.end() ? std::string() : text(*there);
}

inline std::uint64_t hex(std::string_view digits, std::uint64_t most = ~std::uint64_t{0}) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (error != std::errc() || end != digits.data() + digits.size() || value > most)
        throw MalformedTrace("hex digits are not what they should be");
    return value;
}

inline std::uint64_t hex(const Json& json, std::uint64_t most = ~std::uint64_t{0}) {
    const auto* digits = json.get_ptr<const std::string*>();
    if (digits == nullptr) throw MalformedTrace("hex digits are missing");
    return hex(std::string_view(*digits), most);
}

inline std::uint32_t lanes(const Json& json) { return static_cast<std::uint32_t>(hex(json, 0xffffffffu)); }

inline std::uint64_t bits(const Json& json, Element element) {
    const int size = element_size(element);
    return hex(json, size == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (size * 8)) - 1);
}

inline Element element(const Json& json) { return element_from_name(text(json)); }

inline bool parse_bool(const Json& json) {
    if (!json.is_boolean()) throw MalformedTrace("a truth value is missing");
    return json.get<bool>();
}

inline Effect effect(const Json& json) {
    const std::string name = text(json);
    if (name == "replace") return Effect::replace;
    if (name == "join") return Effect::join;
    if (name == "keep") return Effect::keep;
    if (name == "unknown") return Effect::unknown;
    throw MalformedTrace("there is no effect \"" + name.substr(0, 40) + "\"");
}

inline const Json& list(const Json& json, std::size_t most) {
    if (!json.is_array()) throw MalformedTrace("a list is missing");
    if (json.size() > most) throw MalformedTrace(fmt::format("a list is longer than {}", most));
    return json;
}

// Hands on the entry of each of `active`; lanes beside them must be null or left out.
template <class F>
void per_lane(const Json& json, std::uint32_t active, F take) {
    list(json, kWarpSize);
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
        const bool there = lane < json.size() && !json[lane].is_null();
        if (there != static_cast<bool>(active >> lane & 1))
            throw MalformedTrace("a list does not fit the active lanes");
        if (there) take(lane, json[lane]);
    }
}

template <class F>
void once_or_per_lane(const Json& json, std::uint32_t active, F take) {
    if (json.is_array()) return per_lane(json, active, take);
    for (std::size_t lane = 0; lane < kWarpSize; ++lane)
        if (active >> lane & 1) take(lane, json);
}

// `count` elements, separated by spaces.
inline Bytes16 elements(const Json& json, Element type, int count) {
    const std::string digits = text(json);
    const int size = element_size(type);
    const std::size_t width = static_cast<std::size_t>(size) * 2;
    if (digits.size() != static_cast<std::size_t>(count) * (width + 1) - 1)
        throw MalformedTrace("an access has another size");
    Bytes16 value{};
    for (int k = 0; k < count; ++k) {
        const std::size_t start = static_cast<std::size_t>(k) * (width + 1);
        if (k > 0 && digits[start - 1] != ' ') throw MalformedTrace("the elements of an access are not separated");
        const int bit = k * size * 8;
        value[static_cast<std::size_t>(bit / 64)] |= hex(std::string_view(digits).substr(start, width)) << (bit % 64);
    }
    return value;
}

}  // namespace lanewise::trace::reading
