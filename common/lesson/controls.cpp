#include "common/lesson/controls.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/base/error.hpp"
#include "common/base/plain_text.hpp"
#include "common/base/suggest.hpp"
#include "common/base/lane_expression.hpp"

namespace lanewise::lesson {
namespace {

constexpr std::size_t kShown = 60;  // bytes of a value that a sentence repeats

std::string shown(const std::string& text) {
    return text.size() <= kShown ? plain_text(text) : plain_text(text.substr(0, kShown)) + "…";
}

template <class T>
bool read_whole(const std::string& text, T& value, int base = 10) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    return error == std::errc{} && end == text.data() + text.size() && !text.empty();
}

}  // namespace

void Control::check(const std::string& text) const {
    const std::string flag = "--" + name;
    switch (kind) {
        case ControlKind::choice: {
            if (std::find(choices.begin(), choices.end(), text) != choices.end()) return;
            const bool number = !text.empty() && text[0] >= '0' && text[0] <= '9';
            const std::string near = number ? "" : nearest(text, choices);
            throw Error(fmt::format("{} {} is not one of {}{}", flag, shown(text), fmt::join(choices, ", "),
                                    near.empty() ? "." : fmt::format("; did you mean '{}'?", near)));
        }
        case ControlKind::integer: {
            std::int64_t value = 0;
            if (!read_whole(text, value) || value < low || value > high)
                throw Error(
                    fmt::format("{} {} is not a whole number from {} to {}; give one.", flag, shown(text), low, high));
            return;
        }
        case ControlKind::mask:
            read_mask(flag, text);
            return;
        case ControlKind::per_lane:
            per_lane(flag, text);
            return;
    }
}

std::string Control::value_name() const {
    switch (kind) {
        case ControlKind::choice:
            return fmt::format("{}", fmt::join(choices, "|"));
        case ControlKind::integer:
            return fmt::format("{}..{}", low, high);
        case ControlKind::mask:
            return "MASK";
        case ControlKind::per_lane:
            break;
    }
    return "EXPRESSION";
}

Control choice(std::string name, std::vector<std::string> choices, std::string standard, std::string sentence) {
    return {std::move(name), ControlKind::choice, std::move(standard), std::move(sentence), std::move(choices)};
}

Control integer(std::string name, std::int64_t low, std::int64_t high, std::string standard, std::string sentence) {
    return {std::move(name), ControlKind::integer, std::move(standard), std::move(sentence), {}, low, high};
}

Control lane_mask(std::string name, std::string standard, std::string sentence) {
    return {std::move(name), ControlKind::mask, std::move(standard), std::move(sentence)};
}

Control per_lane_control(std::string name, std::string standard, std::string sentence) {
    return {std::move(name), ControlKind::per_lane, std::move(standard), std::move(sentence)};
}

bool ChosenControls::has(const std::string& name) const {
    return std::any_of(values_.begin(), values_.end(), [&](const ControlValue& value) { return value.first == name; });
}

const std::string& ChosenControls::text(const std::string& name) const {
    for (const auto& [known, text] : values_)
        if (known == name) return text;
    throw Error(fmt::format("The variant takes no control '{}'; name it among its controls in lesson.cpp.", name));
}

std::int64_t ChosenControls::integer(const std::string& name) const {
    std::int64_t value = 0;
    if (!read_whole(text(name), value))
        throw Error(fmt::format("The control '{}' is no whole number; read it with text().", name));
    return value;
}

std::uint32_t ChosenControls::mask(const std::string& name) const { return read_mask("--" + name, text(name)); }

PerLane<std::int32_t> ChosenControls::lanes(const std::string& name) const { return per_lane("--" + name, text(name)); }

std::uint32_t read_mask(const std::string& flag, const std::string& text) {
    const bool hex = text.starts_with("0x") || text.starts_with("0X");
    std::uint32_t mask = 0;
    if (!read_whole(hex ? text.substr(2) : text, mask, hex ? 16 : 10))
        throw Error(
            fmt::format("{} {} is no mask of 32 lanes; give a number such as 0xff (lanes 0 to 7) or "
                        "0xffffffff (all).",
                        flag, shown(text)));
    if (mask == 0)
        throw Error(
            fmt::format("{} {} names no lane, and a warp collective needs one; give a number such as 0xff "
                        "(lanes 0 to 7).",
                        flag, shown(text)));
    return mask;
}

}  // namespace lanewise::lesson
