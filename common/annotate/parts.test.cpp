// A value with parts (a maximum and a sum) goes through shuffles part by part: what is recorded of each, and that they
// belong together.
#include <gtest/gtest.h>

#include "common/annotate/rewrite.hpp"
#include "common/annotate/testing/reading.hpp"

namespace lanewise::annotate {
namespace {

const std::string kPair =
    "struct MaxSum { float max; float sum; }; MaxSum merge(MaxSum x, MaxSum y) { return x; } "
    "float both(MaxSum x) { return x.max; } ";

std::string traced(const std::string& body) {
    const std::string head = kDeclared + kPair + "void f(MaxSum pair, MaxSum other) { ";
    std::string text = derived_copy(reading_of(head + body + " }"), 0, Copy::gpu_traced);
    text = text.substr(text.find('\n') + 1);
    text = text.substr(head.size(), text.size() - head.size() - 2);
    const std::string prefix = "::lanewise_traced::";
    for (std::size_t at; (at = text.find(prefix)) != std::string::npos;) text.erase(at, prefix.size());
    return text;
}

const std::string kExchange =
    "other.max = __shfl_xor_sync(m, pair.max, d);\nother.sum = __shfl_xor_sync(m, pair.sum, d);\n";
const std::string kTraced = "other.max = shfl_xor(1, m, pair.max, d);\nother.sum = shfl_xor(2, m, pair.sum, d);\n";

TEST(Parts, AreAnnouncedWhereTheWholeValueTakesThemIn) {
    EXPECT_EQ(traced(kExchange + "pair = merge(pair, other);"),
              kTraced + "pair = merge(pair, other); after(1, 1, 2, pair.max); after(2, 2, 2, pair.sum);");
    // The other's value in place of its own.
    EXPECT_EQ(traced(kExchange + "pair = other;"),
              kTraced + "pair = other; after(1, 1, 1, pair.max); after(2, 2, 1, pair.sum);");
    // The pair that came is used further.
    EXPECT_EQ(traced(kExchange + "other = merge(other, pair);"),
              kTraced + "other = merge(other, pair); after(1, 1, 2, other.max); after(2, 2, 2, other.sum);");
}

TEST(Parts, ThatSomeLanesTakeIn) {
    EXPECT_EQ(traced(kExchange + "if (lane < d) pair = merge(pair, other);"),
              kTraced +
                  "if (lane < d) pair = merge(pair, other), took(1, 1), took(2, 2); after(1, 1, 4, pair.max); "
                  "after(2, 2, 4, pair.sum);");
    EXPECT_EQ(traced(kExchange + "pair = lane < d ? merge(pair, other) : pair;"),
              kTraced +
                  "pair = lane < d ? (took(1, 1), (took(2, 2), merge(pair, other))) : pair; "
                  "after(1, 1, 4, pair.max); after(2, 2, 4, pair.sum);");
}

// A number made of a whole value is no part of it: what is recorded is the variable that the shuffle filled.
TEST(Parts, AreNotAnnouncedForWhatIsNoSuchValue) {
    EXPECT_EQ(traced("other.max = __shfl_xor_sync(m, pair.max, d);\nfloat z = both(other);"),
              "other.max = shfl_xor(1, m, pair.max, d), after(1, 1, 1, other.max);\nfloat z = both(other);");
}

TEST(Parts, StandInTheTableOfStatements) {
    const std::string rows = tables(reading_of(kDeclared + kPair + "void f(MaxSum pair, MaxSum other) { " + kExchange +
                                               "pair = merge(pair, other);\nv = both(pair) + 1;\n}"));
    EXPECT_NE(rows.find("\"pair.max\", \"\"}"), std::string::npos) << rows;
    EXPECT_NE(rows.find("\"pair.sum\", \"\"}"), std::string::npos) << rows;
    EXPECT_NE(rows.find("\"\", \"merge\"}"), std::string::npos) << rows;
    EXPECT_EQ(rows.find("\"both\""), std::string::npos) << rows;  // not the whole value
}

}  // namespace
}  // namespace lanewise::annotate
