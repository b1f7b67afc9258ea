#include "common/base/short_number.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "common/base/element.hpp"

namespace lanewise {
namespace {

std::string within(float value, int chars) { return format_element(Element::f32, to_bits(value), chars); }

TEST(ShortNumber, KeepsTheFirstDigitsAndMarksTheCut) {
    EXPECT_EQ(within(0.995f, 5), "0.995");
    EXPECT_EQ(within(0.995f, 4), ".995");
    EXPECT_EQ(within(0.995f, 3), ".9…");
    EXPECT_EQ(within(0.13327f, 5), "0.13…");
    EXPECT_EQ(within(-0.7834f, 4), "-.7…");
    EXPECT_EQ(within(-190.76f, 5), "-190…");
    EXPECT_EQ(within(3.14159f, 4), "3.1…");
    EXPECT_EQ(within(32640, 5), "32640");
    EXPECT_EQ(within(32640, 4), "32k…");
    EXPECT_EQ(within(131072, 5), "131k…");
    EXPECT_EQ(within(1632640, 5), "1.6M…");
    EXPECT_EQ(within(100000, 4), "100k");
    EXPECT_EQ(within(131072, 4), ".1M…");
    EXPECT_EQ(within(1e9f, 3), "1e9");
    EXPECT_EQ(within(1.234e-7f, 5), "1…e-7");
    EXPECT_EQ(within(-1.234e-12f, 4), "-0…");
    EXPECT_EQ(within(-INFINITY, 3), "-∞");
    EXPECT_EQ(format_element(Element::i32, 1234567, 5), "1.2M…");
}

// A terminal of 80 columns has three for a number, or four.
TEST(ShortNumber, ASmallOneNeverLooksLikeZero) {
    const auto in = [](float value, int columns) {
        return number_in_columns(format_element(Element::f32, to_bits(value)), columns);
    };
    EXPECT_EQ(in(-0.0437f, 3), "-…");
    EXPECT_EQ(in(-0.0437f, 4), "-.04");
    EXPECT_EQ(in(-0.0437f, 5), "-.04…");
    EXPECT_EQ(in(0.0437f, 3), ".04");
    EXPECT_EQ(in(-0.7834f, 3), "-.7");
    EXPECT_EQ(in(-0.00437f, 4), "-e-3");
    EXPECT_EQ(in(0.00437f, 3), "e-3");
    EXPECT_EQ(in(0.00437f, 4), ".004");
    EXPECT_EQ(in(4.37e-5f, 4), "4e-5");
    EXPECT_EQ(in(-4.37e-12f, 4), "-…");
    EXPECT_EQ(in(-4.37e-12f, 6), "-4e-12");
    EXPECT_EQ(in(0, 3), "0");
    EXPECT_EQ(in(-0.0f, 3), "-0");
    EXPECT_EQ(in(32640, 4), "32k…");
    for (const int columns : {2, 3, 4, 5, 6})
        for (float value = -0.99f; std::abs(value) > 1e-30f; value *= -0.37f) {
            const std::string text = in(value, columns);
            EXPECT_LE(count_signs(text), columns) << value;
            EXPECT_FALSE(text.starts_with("0…") || text.starts_with("-0…")) << value << " in " << columns;
            EXPECT_EQ(text.starts_with('-'), value < 0) << text;
        }
}

TEST(ShortNumber, FirstDigitsAreThoseOfTheNumber) {
    const auto in = [](float value, int columns) {
        return first_digits(format_element(Element::f32, to_bits(value)),
                            [=](std::string_view text) { return count_signs(text) <= columns; });
    };
    EXPECT_EQ(in(-0.0437f, 4), "-.04");
    EXPECT_EQ(in(-0.0437f, 5), "-.043");
    EXPECT_EQ(in(-0.0437f, 3), "");
    EXPECT_EQ(in(0.00437f, 4), ".004");
    EXPECT_EQ(in(4.37e-5f, 4), "4e-5");
    EXPECT_EQ(in(-4.37e-5f, 4), "");
    EXPECT_EQ(in(0, 4), "");
    EXPECT_EQ(in(12.5f, 3), "");
}

// Read back, an unmarked form is the number itself; a marked one begins it: less than one unit of its last digit away,
// towards zero.
TEST(ShortNumber, SaysNothingUntrue) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> exponent(-12, 12), mantissa(-1, 1);
    for (int round = 0; round < 4000; ++round) {
        const float value = static_cast<float>(mantissa(random) * std::pow(10.0, exponent(random)));
        for (const int chars : {4, 5, 6, 8}) {
            std::string text = within(value, chars);
            const std::size_t cut = text.find("…");
            if (cut != std::string::npos) text.erase(cut, std::string("…").size());
            double unit = 1;
            for (const auto& [sign, times] : {std::pair{'k', 1e3}, std::pair{'M', 1e6}}) {
                if (!text.ends_with(sign)) continue;
                text.pop_back();
                unit = times;
            }
            if (text.starts_with("e") || text.starts_with("-e")) continue;   // an exponent alone
            const double shown = std::stod(text) * unit;
            if (cut == std::string::npos) {
                EXPECT_EQ(static_cast<float>(shown), value) << text;
                continue;
            }
            EXPECT_LE(std::abs(shown), std::abs(static_cast<double>(value)) * (1 + 1e-6)) << text;
            const std::size_t e = text.find('e'), point = text.find('.');
            const std::string digits = text.substr(0, e);
            const auto places = point == std::string::npos ? 0 : static_cast<int>(digits.size() - point - 1);
            const double last =
                std::pow(10.0, (e == std::string::npos ? 0 : std::stoi(text.substr(e + 1))) - places) * unit;
            EXPECT_LT(std::abs(static_cast<double>(value) - shown), last * (1 + 1e-6)) << text;
        }
    }
}

}  // namespace
}  // namespace lanewise
