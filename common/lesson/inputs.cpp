#include "common/lesson/inputs.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include <fmt/format.h>

#include "common/base/error.hpp"

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

std::vector<double> read_numbers(const std::string& path) {
    if (std::filesystem::is_directory(path))
        throw Error(fmt::format("--input {0}: {0} is a folder; give a text file of numbers, or one of {1}.", path,
                                generated_input_names()));
    std::ifstream in(path, std::ios::binary);
    if (!in)
        throw Error(fmt::format("--input {0}: there is no readable file {0}; give a text file of numbers, or one of "
                                "{1}.", path, generated_input_names()));
    std::ostringstream buffer;
    buffer << in.rdbuf();
    const std::string text = std::move(buffer).str();
    std::vector<double> numbers;
    std::size_t line = 1;
    for (std::size_t at = 0; at < text.size();) {
        if (is_space(text[at])) {
            line += text[at++] == '\n';
            continue;
        }
        std::size_t end = at;
        while (end < text.size() && !is_space(text[end])) ++end;
        const bool plus = text[at] == '+' && end - at > 1 && text[at + 1] != '-';  // from_chars takes no plus
        const char* first = text.data() + at + (plus ? 1 : 0);
        double number = 0;
        const auto [stop, error] = std::from_chars(first, text.data() + end, number);
        if (error != std::errc{} || stop != text.data() + end || !std::isfinite(number))
            throw Error(
                fmt::format("--input {}: line {} holds '{:.40}', which is not a finite number; write numbers such "
                            "as 3 or -0.25, separated by white space.",
                            path, line, text.substr(at, end - at)));
        if (numbers.size() == kMaxValues)
            throw Error(
                fmt::format("--input {}: the file holds more than {} numbers, the most a run may have; shorten it.",
                            path, kMaxValues));
        numbers.push_back(number);
        at = end;
    }
    if (numbers.empty()) throw Error(fmt::format("--input {}: the file holds no number; write at least one.", path));
    return numbers;
}

}  // namespace lanewise::lesson
