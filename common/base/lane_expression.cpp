#include "common/base/lane_expression.hpp"

#include <array>
#include <cctype>
#include <cstddef>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/plain_text.hpp"

namespace lanewise {
namespace {

constexpr std::size_t kLongest = 400;  // characters
constexpr int kDeepest = 40;           // nested parentheses and signs

struct Operator {
    std::string_view sign;
    int strength;
};
// The longer sign first where one begins another.
constexpr std::array<Operator, 18> kOperators = {{{"||", 1},
                                                  {"&&", 2},
                                                  {"==", 6},
                                                  {"!=", 6},
                                                  {"<=", 7},
                                                  {">=", 7},
                                                  {"<<", 8},
                                                  {">>", 8},
                                                  {"|", 3},
                                                  {"^", 4},
                                                  {"&", 5},
                                                  {"<", 7},
                                                  {">", 7},
                                                  {"+", 9},
                                                  {"-", 9},
                                                  {"*", 10},
                                                  {"/", 10},
                                                  {"%", 10}}};

// A recursive descent that reads and evaluates at once, for one lane.
class Reader {
public:
    Reader(const std::string& flag, const std::string& text, int lane) : flag_(flag), text_(text), lane_(lane) {}

    // The expression that begins at `at`, up to a comma or the end; `at` is then there.
    std::int32_t read(std::size_t& at) {
        at_ = at;
        const std::int64_t value = expression(1);
        if (!ended())
            fail(fmt::format("'{}' at character {} is not expected", plain_text(text_.substr(at_, 1)), at_ + 1));
        if (value < std::numeric_limits<std::int32_t>::min() || value > std::numeric_limits<std::int32_t>::max())
            fail(fmt::format("it is {} in lane {}, and an int holds no such number", value, lane_));
        at = at_;
        return static_cast<std::int32_t>(value);
    }

private:
    [[noreturn]] void fail(const std::string& what) const {
        throw Error(
            fmt::format("{} {}: {}; write numbers, lane, parentheses and C's integer operators, such as "
                        "'lane + 2', 'lane ^ 5', '31 - lane', 'lane % 2 == 1'.",
                        flag_, plain_text(text_), what));
    }

    void skip_blanks() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    }
    bool ended() {
        skip_blanks();
        return at_ == text_.size() || text_[at_] == ',';
    }

    const Operator* next_operator() {
        skip_blanks();
        for (const Operator& one : kOperators)
            if (std::string_view(text_).substr(at_).starts_with(one.sign)) return &one;
        return nullptr;
    }

    // Operators of at least that strength; those of one strength from the left.
    std::int64_t expression(int strength) {
        std::int64_t left = operand();
        for (const Operator* one = next_operator(); one && one->strength >= strength; one = next_operator()) {
            at_ += one->sign.size();
            left = joined(one->sign, left, expression(one->strength + 1));
        }
        return left;
    }

    std::int64_t operand() {
        if (++depth_ > kDeepest) fail(fmt::format("it nests deeper than {}", kDeepest));
        if (ended()) fail(at_ == 0 || text_.empty() ? "it is empty" : "a number or lane is missing at its end");
        const char c = text_[at_];
        std::int64_t value = 0;
        if (c == '-' || c == '+' || c == '~' || c == '!') {
            ++at_;
            const std::int64_t of = operand();
            value = c == '-' ? joined("-", 0, of) : c == '~' ? ~of : c == '!' ? of == 0 : of;
        } else if (c == '(') {
            ++at_;
            value = expression(1);
            skip_blanks();
            if (at_ == text_.size() || text_[at_] != ')') fail("a ')' is missing");
            ++at_;
        } else if (std::isdigit(static_cast<unsigned char>(c))) {
            value = number();
        } else if (std::isalpha(static_cast<unsigned char>(c)) || c == '_') {
            const std::size_t from = at_;
            while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_'))
                ++at_;
            const std::string name = text_.substr(from, at_ - from);
            if (name != "lane") fail(fmt::format("there is no '{}'; the one name is lane", name));
            value = lane_;
        } else {
            fail(fmt::format("'{}' at character {} begins no number", plain_text(text_.substr(at_, 1)), at_ + 1));
        }
        --depth_;
        return value;
    }

    std::int64_t number() {
        const bool hex = text_[at_] == '0' && at_ + 1 < text_.size() && (text_[at_ + 1] | 32) == 'x';
        if (hex) at_ += 2;
        const std::size_t from = at_;
        std::int64_t value = 0;
        for (; at_ < text_.size() && std::isalnum(static_cast<unsigned char>(text_[at_])); ++at_) {
            const char c = static_cast<char>(text_[at_] | 32);
            const int digit = c >= 'a' ? c - 'a' + 10 : text_[at_] - '0';
            if (digit >= (hex ? 16 : 10)) fail(fmt::format("'{}' is no digit", text_[at_]));
            value = value * (hex ? 16 : 10) + digit;
            if (value > std::int64_t{0xffffffff}) fail("a number in it is larger than 0xffffffff");
        }
        if (at_ == from) fail("0x is followed by no digit");
        return value;
    }

    // `value`, which `overflow` says did not fit.
    std::int64_t checked(bool overflow, const std::int64_t& value) const {
        if (overflow) fail(fmt::format("its value in lane {} is too large", lane_));
        return value;
    }

    std::int64_t joined(std::string_view sign, std::int64_t a, std::int64_t b) const {
        std::int64_t value = 0;
        if (sign == "+") return checked(__builtin_add_overflow(a, b, &value), value);
        if (sign == "-") return checked(__builtin_sub_overflow(a, b, &value), value);
        if (sign == "*") return checked(__builtin_mul_overflow(a, b, &value), value);
        if (sign == "/" || sign == "%") {
            if (b == 0) fail(fmt::format("it divides by zero in lane {}", lane_));
            if (b == -1) return sign == "%" ? 0 : joined("-", 0, a);
            return sign == "/" ? a / b : a % b;
        }
        if (sign == "<<" || sign == ">>") {
            if (b < 0 || b > 31) fail(fmt::format("it shifts by {} in lane {}; 0 to 31 bits", b, lane_));
            if (sign == ">>") return a >> b;
            return checked(__builtin_mul_overflow(a, std::int64_t{1} << b, &value), value);
        }
        if (sign == "&") return a & b;
        if (sign == "|") return a | b;
        if (sign == "^") return a ^ b;
        if (sign == "&&") return a != 0 && b != 0;
        if (sign == "||") return a != 0 || b != 0;
        if (sign == "==") return a == b;
        if (sign == "!=") return a != b;
        if (sign == "<=") return a <= b;
        if (sign == ">=") return a >= b;
        return sign == "<" ? a < b : a > b;
    }

    const std::string& flag_;
    const std::string& text_;
    const int lane_;
    std::size_t at_ = 0;
    int depth_ = 0;
};

}  // namespace

PerLane<std::int32_t> per_lane(const std::string& flag, const std::string& text) {
    if (text.size() > kLongest)
        throw Error(fmt::format("{}: {} characters are too many for an expression; give at most {}.", flag, text.size(),
                                kLongest));
    std::size_t parts = 1;
    for (const char c : text) parts += c == ',';
    if (parts > kWarpSize || kWarpSize % parts != 0)
        throw Error(fmt::format("{} {}: {} values go into 32 lanes with a rest; give 1, 2, 4, 8, 16 or 32.", flag,
                                plain_text(text), parts));
    PerLane<std::int32_t> result{};
    for (int lane = 0; lane < kWarpSize; ++lane) {
        std::size_t part = 0;
        for (std::size_t at = 0; part < parts; ++part, ++at) {
            const std::int32_t value = Reader(flag, text, lane).read(at);
            if (part == static_cast<std::size_t>(lane) % parts) result[static_cast<std::size_t>(lane)] = value;
        }
    }
    return result;
}

}  // namespace lanewise
