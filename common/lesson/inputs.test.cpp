#include "common/lesson/inputs.hpp"

#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/lesson/testing.hpp"

namespace lanewise::lesson {
namespace {

Inputs of(const std::string& kind, std::uint64_t n) {
    Inputs inputs;
    inputs.kind = kind;
    inputs.n = n;
    return inputs;
}

TEST(Inputs, Ramps) {
    EXPECT_EQ(of("ramp", 4).values<float>(), (std::vector<float>{0, 1, 2, 3}));
    EXPECT_EQ(of("ramp1", 4).values<double>(), (std::vector<double>{1, 2, 3, 4}));
}

// These numbers are in recordings: another algorithm would make every one of them stale.
TEST(Inputs, RandomValuesAreTheSameOnEveryMachine) {
    const auto values = of("random", 1000).values<double>();
    EXPECT_EQ(values[0], static_cast<double>(0x910a2dec89025cc1u >> 40) * 0x1p-23 - 1);  // splitmix64 of seed 1
    for (const double value : values) {
        EXPECT_GE(value, -1);
        EXPECT_LT(value, 1);
        EXPECT_EQ(value, static_cast<double>(static_cast<float>(value)));
    }
    Inputs other = of("random", 1000);
    other.seed = 2;
    EXPECT_NE(other.values<double>(), values);
    EXPECT_EQ(of("random", 10).values<double>(), std::vector<double>(values.begin(), values.begin() + 10));
}

TEST(Inputs, RandomIntegersAreNotAllZero) {
    const auto values = of("random", 100).values<int>();
    EXPECT_LT(*std::min_element(values.begin(), values.end()), -500);
    EXPECT_GT(*std::max_element(values.begin(), values.end()), 500);
}

TEST(Inputs, BlocksCoverTheLastValue) {
    Inputs inputs = of("ramp", 33);
    EXPECT_EQ(inputs.blocks(), 2u);
    inputs.n = 32;
    EXPECT_EQ(inputs.blocks(), 1u);
}

TEST(Inputs, FilesOfNumbers) {
    const testing::TemporaryFolder folder;
    const auto path = folder.write("numbers.txt", "1 2.5\n-3e2\t+4\r\n");
    EXPECT_EQ(read_numbers(path.string()), (std::vector<double>{1, 2.5, -300, 4}));
}

std::string sentence_for(const std::string& path) {
    try {
        read_numbers(path);
    } catch (const Error& error) {
        EXPECT_EQ(error.exit_status(), kExitUsage);
        return error.what();
    }
    return "no error";
}

TEST(Inputs, SaysWhatIsWrongWithAFile) {
    const testing::TemporaryFolder folder;
    const auto expect = [](const std::string& sentence, const std::string& part) {
        EXPECT_NE(sentence.find(part), std::string::npos) << sentence;
    };
    expect(sentence_for("/no/such/file"), "/no/such/file");
    expect(sentence_for(folder.path().string()), "is a folder");
    expect(sentence_for(folder.write("a", "1\n2\n3 banana 4\n").string()), "line 3 holds 'banana'");
    expect(sentence_for(folder.write("b", "1\nnan\n").string()), "line 2 holds 'nan'");
    expect(sentence_for(folder.write("c", "1e999").string()), "'1e999'");
    expect(sentence_for(folder.write("d", " \n").string()), "no number");
    expect(sentence_for(folder.write("e", "+-4").string()), "'+-4'");
}

}  // namespace
}  // namespace lanewise::lesson
