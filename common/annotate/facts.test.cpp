#include "common/annotate/facts.hpp"

#include <gtest/gtest.h>

#include "common/annotate/rewrite.hpp"
#include "common/annotate/testing/reading.hpp"

namespace lanewise::annotate {
namespace {

// The last assignment in `body`, as text: "? copy calls loads 2: a b".
std::string describe(const std::string& body) {
    const Reading reading =
        reading_of(kDeclared + "__device__ float own(float x) { return x; }\nvoid f() { " + body + " }");
    const File& file = *reading.units.front().files.front();
    const Statement& last = file.root.children.back().children.front().children.back();
    const Facts facts = facts_of(file, last.assignments.back(), reading.units.front().functions);
    std::string text;
    if (facts.conditional) text += "? ";
    if (facts.copies) text += "copy ";
    if (facts.calls) text += "calls ";
    text += "loads " + std::to_string(facts.loads) + ":";
    for (const std::string& name : facts.uses) text += " " + name;
    return text;
}

TEST(Facts, WhatAValueReads) {
    EXPECT_EQ(describe("float v = in[i];"), "copy loads 1: in");
    EXPECT_EQ(describe("float v = i < n ? in[i] : 0.0f;"), "? copy loads 1: in");
    EXPECT_EQ(describe("v = i < n ? 2 * in[i] : 0.0f;"), "? loads 1: in");
    EXPECT_EQ(describe("v = in[i] + in[i + 1];"), "loads 2: in");
    EXPECT_EQ(describe("v = -in[i];"), "loads 1: in");
    EXPECT_EQ(describe("v = sqrtf(in[i]);"), "loads 1: sqrtf in");
    EXPECT_EQ(describe("v = __ldg(&in[i]);"), "copy loads 1: __ldg in");
    EXPECT_EQ(describe("v = __ldg(in + i);"), "copy loads 0: __ldg in i");
    EXPECT_EQ(describe("v = *in;"), "copy loads 1: in");
    EXPECT_EQ(describe("v = a * b;"), "loads 0: a b");
    EXPECT_EQ(describe("v = a * *in;"), "loads 1: a in");
    EXPECT_EQ(describe("float4 p = FLOAT4(in[i]);"), "copy loads 1: FLOAT4 in");
    EXPECT_EQ(describe("float4 p = reinterpret_cast<const float4*>(in)[i];").substr(0, 12), "copy loads 1");
    EXPECT_EQ(describe("float4 p = ((const float4*)in)[i];").substr(0, 12), "copy loads 1");
    EXPECT_EQ(describe("sum += in4->x + s.sum;"), "loads 0: in4 s");
    EXPECT_EQ(describe("v = c ? in[i] + in[j] : other[k];"), "? copy loads 2: in other");
    EXPECT_EQ(describe("v = in[index_of[i]];"), "copy loads 2: in");
    EXPECT_EQ(describe("sum += many[k];"), "loads 1: many");
    EXPECT_EQ(describe("sum += in[i];"), "loads 1: in");
}

TEST(Facts, ArgumentsOfIntrinsicsAreLeftOut) {
    EXPECT_EQ(describe("v = w + __shfl_down_sync(m, tree[i], 8);"), "loads 0: w");
    EXPECT_EQ(describe("v = atomicAdd(&out[0], s);"), "loads 0:");
    EXPECT_EQ(describe("v = own(w) + atomicsLike[i];"), "calls loads 1: own w atomicsLike");
}

TEST(Facts, WhereAStatementStands) {
    const Reading reading = reading_of("extern int a, b, c, d, e, x; void g() { a = 1; }\n"
                                  "void f() {\n"
                                  "  b = 1;\n"
                                  "  for (;;) {\n"
                                  "    if (x) {\n"
                                  "      c = 1;\n"
                                  "    } else\n"
                                  "      d = 1;\n"
                                  "    e = 1;\n"
                                  "  }\n"
                                  "}\n");
    const std::string text = tables(reading);
    const auto row = [&](const std::string& target) {
        const std::size_t at = text.find("\"" + target + "\"");
        const std::size_t end = text.find("\n", at);
        return text.substr(text.rfind("\", {", end) + 3, end - text.rfind("\", {", end) - 3);
    };
    EXPECT_EQ(row("a"), "{1, 1}, {0, 0}, {0, 0}, \"\", \"\"},");
    EXPECT_EQ(row("b"), "{2, 11}, {0, 0}, {0, 0}, \"\", \"\"},");
    EXPECT_EQ(row("c"), "{2, 11}, {4, 10}, {5, 7}, \"\", \"\"},");
    EXPECT_EQ(row("d"), "{2, 11}, {4, 10}, {8, 8}, \"\", \"\"},");
    EXPECT_EQ(row("e"), "{2, 11}, {4, 10}, {0, 0}, \"\", \"\"},");
}

}  // namespace
}  // namespace lanewise::annotate
