#include "common/lesson/inputs.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <streambuf>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/plain_text.hpp"

namespace lanewise::lesson {

namespace {

// splitmix64 (Steele, Lea, Flood 2014) of a place in the sequence: the same on every machine, and any value can be had
// without those before it.
std::uint64_t scramble(std::uint64_t seed, std::uint64_t index) {
    std::uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

// 24 random bits, in steps of 2^-23: in [-1, 1).
double random_value(std::uint64_t seed, std::uint64_t index) {
    return static_cast<double>(scramble(seed, index) >> 40) * 0x1p-23 - 1;
}

const GeneratedInput* find_generated(const std::string& kind) {
    const auto at = std::find_if(std::begin(kGeneratedInputs), std::end(kGeneratedInputs),
                                 [&](const GeneratedInput& input) { return kind == input.name; });
    return at == std::end(kGeneratedInputs) ? nullptr : at;
}

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }

}  // namespace

bool is_generated_input(const std::string& kind) { return find_generated(kind) != nullptr; }

bool is_seeded_input(const std::string& kind) {
    const GeneratedInput* input = find_generated(kind);
    return input && input->seeded;
}

std::string generated_input_names() {
    std::string names;
    for (const GeneratedInput& input : kGeneratedInputs) names += (names.empty() ? "" : ", ") + std::string(input.name);
    return names;
}

Inputs::Generator Inputs::generator() const {
    if (kind == "ramp") return [](const Inputs&, std::uint64_t i) { return static_cast<double>(i); };
    if (kind == "ramp1") return [](const Inputs&, std::uint64_t i) { return static_cast<double>(i) + 1; };
    if (kind == "random") return [](const Inputs& in, std::uint64_t i) { return random_value(in.seed, i); };
    if (kind == "small") return [](const Inputs&, std::uint64_t) { return 0x1p-9; };
    if (kind == "mean") return [](const Inputs& in, std::uint64_t i) { return 100 + random_value(in.seed, i); };
    if (kind == "cancel")
        return [](const Inputs& in, std::uint64_t i) {
            const bool again = i >= in.n / 2;
            const std::uint64_t partner = in.n - 1 - i;   // of the first half; n / 2, the middle of an odd n, has none
            const double large = !again               ? random_value(in.seed, i)
                                 : partner < in.n / 2 ? -random_value(in.seed, partner)
                                                      : 0;
            return 256 * large + (again ? random_value(in.seed, i) / 8 : 0);
        };
    if (kind == "huge")
        return [](const Inputs& in, std::uint64_t i) {
            return i == in.n / 3 ? 32768 : (random_value(in.seed, i) + 1) / 2;
        };
    if (!file || file->size() < n)
        throw Error(
            fmt::format("--input {}: the file holds {} numbers, but {} are needed; add some, or give a smaller --n.",
                        kind, file ? file->size() : 0, n));
    return [](const Inputs& in, std::uint64_t i) { return (*in.file)[i]; };
}

namespace {

// More digits than any double has before and after its point, written out.
constexpr std::size_t kLongestNumber = 1100;

double number_in(const std::string& text, const std::string& path, std::size_t line) {
    const bool plus = text.size() > 1 && text[0] == '+' && text[1] != '-';  // from_chars takes no plus
    double number = 0;
    const auto [stop, error] = std::from_chars(text.data() + (plus ? 1 : 0), text.data() + text.size(), number);
    if (error == std::errc{} && stop == text.data() + text.size() && std::isfinite(number)) return number;
    const std::string shown = plain_text(text);
    std::size_t end = std::min<std::size_t>(shown.size(), 40);
    while (end < shown.size() && (static_cast<unsigned char>(shown[end]) & 0xc0) == 0x80) ++end;
    throw Error(
        fmt::format("--input {}: line {} holds '{}', which is not a finite number; write numbers such as 3 or -0.25, "
                    "separated by white space.",
                    path, line, shown.substr(0, end)));
}

}  // namespace

std::vector<double> read_typed_values(const std::string& text) {
    std::vector<double> numbers;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find(',', at), text.size());
        std::size_t first = at, last = end;
        while (first < last && is_space(text[first])) ++first;
        while (last > first && is_space(text[last - 1])) --last;
        double number = 0;
        const bool plus = last - first > 1 && text[first] == '+' && text[first + 1] != '-';
        const auto [stop, error] = std::from_chars(text.data() + first + (plus ? 1 : 0), text.data() + last, number);
        if (error != std::errc{} || stop != text.data() + last || first == last || !std::isfinite(number)) {
            const std::string shown = plain_text(text.substr(first, std::min<std::size_t>(last - first, 40)));
            throw Error(fmt::format("--values: value {} is '{}', which is not a finite number; write numbers such as 3 "
                                    "or -0.25 with commas between.",
                                    numbers.size() + 1, shown));
        }
        if (numbers.size() == kMaxTypedValues)
            throw Error(fmt::format("--values: more than {} values; give fewer, or --input FILE.", kMaxTypedValues));
        numbers.push_back(number);
        at = end + 1;
    }
    return numbers;
}

std::vector<double> read_numbers(const std::string& path) {
    if (std::filesystem::is_directory(path))
        throw Error(fmt::format("--input {0}: {0} is a folder; give a text file of numbers, or one of {1}.", path,
                                generated_input_names()));
    std::ifstream in(path, std::ios::binary);
    if (!in)
        throw Error(fmt::format("--input {0}: there is no readable file {0}; give a text file of numbers, or one of "
                                "{1}.", path, generated_input_names()));
    // Number by number, so that a stream without end (/dev/zero) is distinguished from numbers at once.
    std::vector<double> numbers;
    std::size_t line = 1;
    std::string text;
    for (std::streambuf& bytes = *in.rdbuf();;) {
        const int next = bytes.sbumpc();
        const bool ended = next == std::char_traits<char>::eof();
        if (!ended && !is_space(static_cast<char>(next))) {
            text += static_cast<char>(next);
            if (text.size() <= kLongestNumber) continue;
        }
        if (!text.empty()) {
            if (numbers.size() == kMaxValues)
                throw Error(
                    fmt::format("--input {}: the file holds more than {} numbers, the most a run may have; shorten it.",
                                path, kMaxValues));
            numbers.push_back(number_in(text, path, line));
            text.clear();
        }
        if (ended) break;
        line += next == '\n';
    }
    if (numbers.empty()) throw Error(fmt::format("--input {}: the file holds no number; write at least one.", path));
    return numbers;
}

}  // namespace lanewise::lesson
