#include "common/own/spec_cursor.hpp"

#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "common/base/error.hpp"

namespace lanewise::own {

namespace {

bool starts_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool in_name(char c) { return starts_name(c) || std::isdigit(static_cast<unsigned char>(c)); }

Number whole(std::int64_t value) { return {static_cast<double>(value), value, true}; }
Number real(double value) { return {value, 0, false}; }

}  // namespace

void Cursor::need(std::string_view sign, const std::string& after) {
    if (!take(sign)) fail(fmt::format("'{}' was expected {}, but there is {}.", sign, after, found()));
}

std::string Cursor::found() {
    if (at_end()) return "the end of the line";
    std::size_t end = at_ + 1;
    if (in_name(text_[at_]))
        while (end < text_.size() && in_name(text_[end])) ++end;
    else
        while (end < text_.size() && (static_cast<unsigned char>(text_[end]) & 0xc0) == 0x80) ++end;
    return fmt::format("'{}'", text_.substr(at_, end - at_));
}

bool Cursor::sees_name() { return !at_end() && starts_name(text_[at_]); }

std::string Cursor::name() {
    std::string result;
    while (sees_name()) {
        const std::size_t begin = at_;
        while (at_ < text_.size() && in_name(text_[at_])) ++at_;
        result += text_.substr(begin, at_ - begin);
        const std::size_t behind = at_;
        if (!take("::")) {
            at_ = behind;
            break;
        }
        result += "::";
        if (!sees_name()) fail(fmt::format("a name was expected after '::', but there is {}.", found()));
    }
    return result;
}

bool Cursor::sees_number() {
    if (at_end()) return false;
    const char c = text_[at_];
    if (std::isdigit(static_cast<unsigned char>(c)) || c == '(' || c == '.') return true;
    if (c == '-' || c == '+') return true;
    for (const std::string_view known : {"inf", "nan", "true", "false", "INFINITY", "NAN", "sizeof"})
        if (text_.substr(at_).starts_with(known) &&
            (at_ + known.size() == text_.size() || !in_name(text_[at_ + known.size()])))
            return true;
    return false;
}

Number Cursor::number() { return sum(); }

Number Cursor::sum() {
    Number left = product();
    for (;;) {
        const std::size_t start = at();
        const bool shift = take("<<");
        if (shift && sees("<")) {  // <<< begins a launch
            at_ = start;
            return left;
        }
        const char sign = shift ? '<' : take("+") ? '+' : take("-") ? '-' : 0;
        if (!sign) return left;
        const Number right = product();
        const bool both = left.is_whole && right.is_whole;
        std::int64_t result = 0;
        bool over = false;
        if (sign == '<') {
            if (!both || right.whole < 0 || right.whole > 62)
                fail_there(start, "'<<' shifts a whole number by 0 to 62 bits.");
            over = left.whole < 0 || left.whole > (std::numeric_limits<std::int64_t>::max() >> right.whole);
            result = over ? 0 : left.whole << right.whole;
        } else if (both) {
            over = sign == '+' ? __builtin_add_overflow(left.whole, right.whole, &result)
                               : __builtin_sub_overflow(left.whole, right.whole, &result);
        }
        if (over) fail_there(start, "this number is too large; 64 bits are the most.");
        left = both ? whole(result) : real(sign == '+' ? left.value + right.value : left.value - right.value);
    }
}

Number Cursor::product() {
    Number left = power();
    for (;;) {
        const std::size_t start = at();
        const char sign = take("*") ? '*' : take("/") ? '/' : take("%") ? '%' : 0;
        if (!sign) return left;
        if (sign == '%' && !sees_number()) {  // a percentage
            at_ = start;
            return left;
        }
        const Number right = power();
        const bool both = left.is_whole && right.is_whole;
        if (both && sign != '*' && right.whole == 0) fail_there(start, "this divides by zero.");
        if (sign == '%' && !both) fail_there(start, "'%' takes whole numbers.");
        if (both && sign == '*') {
            std::int64_t result = 0;
            if (__builtin_mul_overflow(left.whole, right.whole, &result))
                fail_there(start, "this number is too large; 64 bits are the most.");
            left = whole(result);
        } else if (both) {
            left = whole(sign == '/' ? left.whole / right.whole : left.whole % right.whole);
        } else {
            left = real(sign == '*' ? left.value * right.value : left.value / right.value);
        }
    }
}

Number Cursor::power() {
    const Number base = plain_number();
    const std::size_t start = at();
    if (!take("^")) return base;
    const Number exponent = plain_number();
    const double value = std::pow(base.value, exponent.value);
    if (!base.is_whole || !exponent.is_whole || exponent.whole < 0) return real(value);
    if (std::abs(value) >= 0x1p63) fail_there(start, "this number is too large; 64 bits are the most.");
    std::int64_t result = 1;
    for (std::int64_t i = 0; i < exponent.whole; ++i) result *= base.whole;
    return whole(result);
}

Number Cursor::plain_number() {
    if (take("-")) {
        Number number = plain_number();
        return {-number.value, -number.whole, number.is_whole};
    }
    if (take("+")) return plain_number();
    if (take("(")) {
        const Number number = sum();
        need(")", "after the number");
        return number;
    }
    const std::size_t start = at();
    if (sees_name()) {
        const std::string found = name();
        if (found == "inf" || found == "INFINITY") return real(std::numeric_limits<double>::infinity());
        if (found == "nan" || found == "NAN") return real(std::numeric_limits<double>::quiet_NaN());
        if (found == "true" || found == "false") return whole(found == "true");
        static constexpr std::pair<const char*, int> kSizes[] = {
            {"char", 1},          {"bool", 1},    {"short", 2},    {"half", 2},  {"__half", 2},
            {"__nv_bfloat16", 2}, {"int", 4},     {"unsigned", 4}, {"float", 4}, {"double", 8},
            {"float2", 8},        {"float4", 16}, {"int4", 16},    {"size_t", 8}};
        if (found == "sizeof") {
            need("(", "after sizeof");
            const std::string type = name();
            need(")", "after the type");
            for (const auto& [known, size] : kSizes)
                if (type == known) return whole(size);
            fail_there(start, fmt::format("the size of '{}' is not known here; give a number.", type));
        }
        fail_there(start, fmt::format("a number was expected, but there is '{}'.", found));
    }
    const std::string_view left = text_.substr(at_);
    const char* begin = left.data();
    const char* end = begin + left.size();
    Number result;
    const char* after = begin;
    if (left.starts_with("0x") || left.starts_with("0X")) {
        std::uint64_t bits = 0;
        const auto [stop, bad] = std::from_chars(begin + 2, end, bits, 16);
        if (bad != std::errc{}) fail(fmt::format("a number was expected, but there is {}.", found()));
        result = {static_cast<double>(bits), static_cast<std::int64_t>(bits), true};
        after = stop;
    } else {
        const auto [whole_end, not_whole] = std::from_chars(begin, end, result.whole);
        const bool range = not_whole == std::errc{} && std::string_view(whole_end, end).starts_with("..");  // 4..8
        const auto [stop, bad] = std::from_chars(begin, range ? whole_end : end, result.value);
        if (bad == std::errc::result_out_of_range) fail("this number is too large.");
        if (bad != std::errc{}) fail(fmt::format("a number was expected, but there is {}.", found()));
        after = stop;
        result.is_whole = not_whole == std::errc{} && whole_end == stop;
    }
    at_ += static_cast<std::size_t>(after - begin);
    while (at_ < text_.size() && std::string_view("fFuUlL").find(text_[at_]) != std::string_view::npos) ++at_;
    if (at_ < text_.size() && in_name(text_[at_])) fail_there(start, "this is neither a number nor a name.");
    return result;
}

std::uint64_t Cursor::count(const char* what, std::uint64_t most) {
    const std::size_t start = at();
    const Number number = this->number();
    if (!number.is_whole || number.whole < 0)
        fail_there(start, fmt::format("{} is a whole number of 0 or more.", what));
    if (static_cast<std::uint64_t>(number.whole) > most)
        fail_there(start, fmt::format("{} may be {} at most, and this is {}.", what, most, number.whole));
    return static_cast<std::uint64_t>(number.whole);
}

std::string Cursor::string() {
    const std::size_t start = at();
    const char quote = text_[at_++];
    const std::size_t end = text_.find(quote, at_);
    if (end == text_.npos) fail_there(start, "this text has no closing quotation mark.");
    const std::string result(text_.substr(at_, end - at_));
    at_ = end + 1;
    return result;
}

std::string Cursor::bracketed() {
    const std::size_t start = at();
    std::string closing;
    for (std::size_t i = start; i < text_.size(); ++i) {
        const char c = text_[i];
        if (c == '"' || c == '\'') {
            i = text_.find(c, i + 1);
            if (i == text_.npos) break;
        } else if (c == '{' || c == '(' || c == '[') {
            closing += c == '{' ? '}' : c == '(' ? ')' : ']';
        } else if (!closing.empty() && c == closing.back()) {
            closing.pop_back();
            if (closing.empty()) {
                at_ = i + 1;
                return std::string(text_.substr(start, at_ - start));
            }
        }
    }
    fail_there(start, "this bracket is not closed.");
}

std::string Cursor::element() {
    const std::size_t start = at();
    while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != '}') {
        const char c = text_[at_];
        if (c == '{' || c == '(' || c == '[') bracketed();
        else if (c == '"' || c == '\'') string();
        else ++at_;
    }
    return std::string(text_.substr(start, at_ - start));
}

std::string Cursor::template_arguments() {
    const std::size_t start = at();
    const std::size_t launch = text_.find("<<<", start);
    if (launch != text_.npos) {
        std::size_t end = launch;
        while (end > start && text_[end - 1] == ' ') --end;
        if (end > start + 1 && text_[end - 1] == '>') {
            at_ = end;
            std::string inside(text_.substr(start + 1, end - start - 2));
            while (!inside.empty() && inside.back() == ' ') inside.pop_back();
            while (!inside.empty() && inside.front() == ' ') inside.erase(0, 1);
            return inside;
        }
    }
    fail_there(start, "the template arguments need a closing '>' before '<<<', as in block_sum<256><<<4, 256>>>(…).");
}

void fail_at(const SpecLine& line, std::size_t at, const std::string& sentence) {
    // The mark is under the place: a column for each character, not for each byte.
    const std::size_t place = static_cast<std::size_t>(line.column - 1) + at;
    std::string mark;
    for (std::size_t i = 0; i < place && i < line.whole.size(); ++i) {
        if ((static_cast<unsigned char>(line.whole[i]) & 0xc0) == 0x80) continue;
        mark += line.whole[i] == '\t' ? '\t' : ' ';
    }
    const std::string where = line.line > 0 ? fmt::format("{}:{}:{}", line.file, line.line, place + 1) : line.file;
    throw Error(fmt::format("{}: {}\n  {}\n  {}^", where, sentence, line.whole, mark));
}

}  // namespace lanewise::own
