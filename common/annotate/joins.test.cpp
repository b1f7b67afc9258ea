#include "common/annotate/joins.hpp"

#include <gtest/gtest.h>

#include "common/annotate/rewrite.hpp"
#include "common/annotate/testing/reading.hpp"

namespace lanewise::annotate {
namespace {

// What is announced of a kernel with this body: the statements, with "(ID)" after each that is.
std::string announced(const std::string& body) {
    const std::string file =
        kDeclared + "__device__ float own(float x) { return x; }\n__global__ void f() { " + body + " }";
    std::string text = derived_copy(reading_of(file), 0, Copy::emulated_traced);
    text = text.substr(text.find("void f() { ") + 11);
    text.resize(text.rfind(" }"));
    const std::string call = ", ::lanewise_traced::joined(";
    for (std::size_t at; (at = text.find(call)) != std::string::npos;) {
        const std::size_t comma = text.find(',', at + call.size()), close = text.find(')', comma);
        text.replace(at, close + 1 - at, "(" + text.substr(at + call.size(), comma - at - call.size()) + ")");
    }
    return text;
}

TEST(Joins, AreAnnouncedForWhatWasRead) {
    EXPECT_EQ(announced("sum += in[i];"), "sum += in[i](0);");
    EXPECT_EQ(announced("for (;;) sum = fmaxf(sum, in[i]);"), "for (;;) sum = fmaxf(sum, in[i])(0);");
    EXPECT_EQ(announced("float4 p = in[i]; sum += p.x + p.y;"), "float4 p = in[i]; sum += p.x + p.y(0);");
    EXPECT_EQ(announced("float v = in[i]; float w = v * v; sum += w;"),
              "float v = in[i]; float w = v * v; sum += w(0);");
    EXPECT_EQ(announced("float v = in[i]; x += v; y += v * v; x += in[j];"),
              "float v = in[i]; x += v(0); y += v * v(1); x += in[j](0);");
}

TEST(Joins, AreAnnouncedAfterAMacroThatAnAssignmentEndsIn) {
    const std::string macro = "\n#define MOST(a, b) (a > b) ? a : b\n";
    EXPECT_EQ(announced(macro + "sum = MOST(sum, in[i]);"), macro + "sum = MOST(sum, in[i])(0);");
    EXPECT_EQ(announced(macro + "sum = sum > in[i] ? MOST(in[i], sum) : in[j];"),
              macro + "sum = sum > in[i] ? MOST(in[i], sum) : in[j](0);");
}

TEST(Joins, AreNotAnnouncedForOtherThings) {
    for (const char* body : {"i += stride;", "sum += 1.0f;", "sum += x;", "float v = in[i]; i += stride;",
                             "float v = in[i]; v = v * v;", "float v = in[i]; sum = own(v);", "tree[i] += in[i];",
                             "float sum = in[i];", "float v = in[i]; sum = v;"})
        EXPECT_EQ(announced(body), body);
    EXPECT_EQ(announced("float v = in[i]; v += __shfl_xor_sync(m, v, 1);").find("joined"), std::string::npos);
}

TEST(Joins, AreTheEmulatorsAlone) {
    const Reading reading = reading_of(kDeclared + "__global__ void f() { sum += in[i]; }");
    for (const Copy copy : {Copy::gpu_traced, Copy::emulated})
        EXPECT_EQ(derived_copy(reading, 0, copy).find("joined"), std::string::npos);
}

}  // namespace
}  // namespace lanewise::annotate
