// What the emulated copies say where C++ leaves an operation open.
#include <gtest/gtest.h>

#include "common/annotate/rewrite.hpp"
#include "common/annotate/testing/reading.hpp"

namespace lanewise::annotate {
namespace {

// The emulated copy of a function whose body is `body`, without ::lanewise_emulated::.
std::string closed(const std::string& body, const std::string& head = "") {
    const std::string front =
        kDeclared + "short h16; bool flag; double dd; unsigned char byte; " + head + "void f() { ";
    std::string text = derived_copy(reading_of(front + body + " }"), 0, Copy::emulated);
    text = text.substr(text.rfind("void f() { ") + 11);
    text.resize(text.rfind(" }"));
    const std::string prefix = "::lanewise_emulated::";
    for (std::size_t at = 0; (at = text.find(prefix, at)) != std::string::npos;) text.erase(at, prefix.size());
    return text;
}

TEST(OpenOperations, ShiftsByWhatMayBeTooMuch) {
    EXPECT_EQ(closed("n = 1 << lane;"), "n = shifted_left(1 , lane);");
    EXPECT_EQ(closed("n = n>>lane;"), "n = shifted_right(n,lane);");
    EXPECT_EQ(closed("m = (1u << lane) - 1;"), "m = (shifted_left(1u , lane)) - 1;");
    EXPECT_EQ(closed("n <<= o; many[i] = 1; counter[i] >>= o;"),
              "n = shifted_left(n, o); many[i] = 1; counter[i] = shifted_right(counter[i], o);");
    EXPECT_EQ(closed("n = 1 << n << o;"), "n = shifted_left(shifted_left(1 , n) , o);");
    EXPECT_EQ(closed("n = n << 32;"), "n = shifted_left(n , 32);");
}

TEST(OpenOperations, Divisions) {
    EXPECT_EQ(closed("n = i / k;"), "n = divided(i , k, 1);");
    EXPECT_EQ(closed("n = i % k + i / k;"), "n = remaining(i , k, 1) + divided(i , k, 1);");
    EXPECT_EQ(closed("n /= k; n %= k;"), "n = divided(n, k, 1); n = remaining(n, k, 1);");
    EXPECT_EQ(closed("n = i / -1;"), "n = divided(i , -1, 1);");
}

TEST(OpenOperations, FloatingValuesThatBecomeWhole) {
    EXPECT_EQ(closed("n = (int)v;"), "n = (int)converted<int>(v);");
    EXPECT_EQ(closed("n = static_cast<unsigned>(v * 2);"),
              "n = static_cast<unsigned>(converted<unsigned int>(v * 2));");
    EXPECT_EQ(closed("n = int(v) + 1;"), "n = int(converted<int>(v)) + 1;");
    EXPECT_EQ(closed("n = v;"), "n = converted<int>(v);");
    EXPECT_EQ(closed("int a = v * 2, b = dd;"), "int a = converted<int>(v * 2), b = converted<int>(dd);");
    EXPECT_EQ(closed("take(v, v);", "void take(int, float); "), "take(converted<int>(v), v);");
    EXPECT_EQ(closed("n += v;"), "n = converted<int>(n + (v));");
    EXPECT_EQ(closed("byte = v; h16 = v;"), "byte = converted<unsigned char>(v); h16 = converted<short>(v);");
}

TEST(OpenOperations, ThatCannotGoWrongAreLeftAlone) {
    for (const char* body :
         {"n = 1 << 5;", "n = n >> 1; n >>= 31;", "n = n / 32; n %= 32;", "v = v / w; v /= w;", "n = kA << kA;",
          "flag = v;", "n = 100.0f;", "v = n;", "dd = v;", "n = lane & 31;", "many[i / 2] = v;", "flag = (bool)v;",
          "long long wide = 0; wide = wide << 63;"})
        EXPECT_EQ(closed(body), body);
}

TEST(OpenOperations, InTemplates) {
    const auto in_template = [](const std::string& body) {
        std::string text = derived_copy(reading_of("template <class X, int kN> void f(X x, int n) { " + body + " }"), 0,
                                        Copy::emulated);
        text = text.substr(text.find("{ ") + 2);
        text.resize(text.rfind(" }"));
        const std::string prefix = "::lanewise_emulated::";
        for (std::size_t at = 0; (at = text.find(prefix, at)) != std::string::npos;) text.erase(at, prefix.size());
        return text;
    };
    EXPECT_EQ(in_template("n = n / kN;"), "n = divided(n , kN, 1);");
    EXPECT_EQ(in_template("x = x / x; n = n / 2;"), "x = divided(x , x, 1); n = n / 2;");
    EXPECT_EQ(in_template("n = static_cast<int>(x);"), "n = static_cast<int>(converted<int>(x));");
    EXPECT_EQ(in_template("x = static_cast<X>(1.5f * n);"), "x = static_cast<X>(converted<X>(1.5f * n));");
    EXPECT_EQ(in_template("x = (X)(x * 2);"), "x = (X)converted<X>((x * 2));");
    EXPECT_EQ(in_template("n = n / sizeof(X);"), "n = n / sizeof(X);");
    EXPECT_EQ(in_template("int i = x;"), "int i = converted<int>(x);");
    EXPECT_EQ(in_template("n = x;"), "n = converted<int>(x);");
    EXPECT_EQ(in_template("x = x + 1;"), "x = x + 1;");
}

TEST(OpenOperations, AreOnlyTheEmulators) {
    const std::string text = kDeclared + "void f() { n = i / k; }";
    EXPECT_TRUE(derived_copy(reading_of(text), 0, Copy::gpu_traced).ends_with(text));
}

TEST(OpenOperations, AreInsideWhatIsAnnounced) {
    std::string text = derived_copy(reading_of(kDeclared + "void f() { n += __shfl_xor_sync(m, n, 1) / k; }"), 0,
                                    Copy::emulated_traced);
    EXPECT_NE(text.find("n += ::lanewise_emulated::divided(::lanewise_traced::shfl_xor(1, m, n, 1) , k, 1), "
                        "::lanewise_traced::after(1, 1, 2, n);"),
              std::string::npos)
        << text.substr(text.rfind("void f"));
}

}  // namespace
}  // namespace lanewise::annotate
