#include "common/own/spec.hpp"

#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/own/kernel_heads.hpp"

namespace lanewise::own {
namespace {

std::vector<Program> parsed(const std::string& text) { return parse_spec(spec_lines_of("sum.cu", text)); }

// The sentence that parsing the text ends with; empty where it does not fail.
std::string failure(const std::string& run, const std::string& expect = "") {
    std::vector<SpecLine> lines = {spec_line_of(SpecLine::Kind::run, run)};
    if (!expect.empty()) lines.push_back(spec_line_of(SpecLine::Kind::expect, expect));
    try {
        parse_spec(lines);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(Spec, ReadsTheLinesOfTheReadme) {
    const auto programs = parsed(
        "// run: block_sum<256><<<4, 256>>>(in = random(1024), out = zeros(1), 1024)\n"
        "// expect: out[0] ~ sum(in)\n");
    ASSERT_EQ(programs.size(), 1u);
    EXPECT_EQ(programs[0].name, "block_sum");
    const Launch& launch = programs[0].launches.at(0);
    EXPECT_EQ(launch.template_arguments, "256");
    EXPECT_EQ(launch.grid.x, 4u);
    EXPECT_EQ(launch.block.x, 256u);
    ASSERT_EQ(launch.arguments.size(), 3u);
    EXPECT_EQ(launch.arguments[0].name, "in");
    EXPECT_EQ(std::get<Fill>(launch.arguments[0].value).kind, "random");
    EXPECT_EQ(std::get<Fill>(launch.arguments[0].value).count, 1024u);
    EXPECT_EQ(std::get<Number>(launch.arguments[2].value).whole, 1024);
    const Expectation& expectation = programs[0].expectations.at(0);
    EXPECT_FALSE(expectation.exact);
    EXPECT_EQ(std::get<Part>(expectation.left).first, 0u);
    EXPECT_EQ(std::get<Reduction>(expectation.right).name, "sum");
}

TEST(Spec, ReadsEveryKindOfArgument) {
    const auto programs = parsed(
        "  // run: weights = [1, 2.5, -3]\n"
        "// run: a::k<float, (3 > 2), 8><<<dim3(2, 3), dim3(8, 4, 2), 256 * sizeof(float), 0>>>(random(8, -1, 1), x = "
        "ramp(8, 1, 0.5), "
        "x + 4, null, \"数.npy\", file('raw.bin', 16), {.n = 3, .s = \"a)\"}, make_float2(1, 2), 1.5f, -0x10, (1 << "
        "20) + 2^3, Mode::kFast)\n"
        "// run: second<<<1, 32>>>(x); \n");
    ASSERT_EQ(programs.size(), 1u);
    ASSERT_EQ(programs[0].launches.size(), 2u);
    EXPECT_EQ(std::get<Fill>(programs[0].variables.at(0).value).numbers.size(), 3u);
    const Launch& launch = programs[0].launches[0];
    EXPECT_EQ(launch.kernel, "a::k");
    EXPECT_EQ(launch.template_arguments, "float, (3 > 2), 8");
    EXPECT_EQ(launch.grid.y, 3u);
    EXPECT_EQ(launch.block.z, 2u);
    EXPECT_EQ(launch.shared_bytes, 1024u);
    const auto& all = launch.arguments;
    ASSERT_EQ(all.size(), 12u);
    EXPECT_EQ(std::get<BufferUse>(all[2].value).first, 4);
    EXPECT_TRUE(std::holds_alternative<Null>(all[3].value));
    EXPECT_EQ(std::get<Fill>(all[4].value).path, "数.npy");
    EXPECT_EQ(std::get<Fill>(all[5].value).count, 16u);
    EXPECT_EQ(std::get<Code>(all[6].value).text, "{.n = 3, .s = \"a)\"}");
    EXPECT_EQ(std::get<Code>(all[7].value).text, "make_float2(1, 2)");
    EXPECT_EQ(std::get<Number>(all[8].value).value, 1.5);
    EXPECT_EQ(std::get<Number>(all[9].value).whole, -16);
    EXPECT_EQ(std::get<Number>(all[10].value).whole, (1 << 20) + 8);
    EXPECT_EQ(std::get<Code>(all[11].value).text, "Mode::kFast");
}

TEST(Spec, StructuresHoldMemory) {
    const auto programs =
        parsed("// run: k<<<1, 32>>>({4, in = ramp(32), {[1, 2], .n = in + 4}, null, f(1, 2), fast})\n");
    const Code& code = std::get<Code>(programs.at(0).launches.at(0).arguments.at(0).value);
    EXPECT_EQ(code.text, "{4, \1, {\1, .n = \1}, nullptr, f(1, 2), \1}");
    ASSERT_EQ(code.memory.size(), 4u);
    EXPECT_EQ(code.memory[0].name, "in");
    EXPECT_EQ(std::get<Fill>(code.memory[1].value).numbers.size(), 2u);
    EXPECT_EQ(std::get<BufferUse>(code.memory[2].value).first, 4);
    EXPECT_EQ(code.memory[3].text, "fast");
    EXPECT_THROW(parsed("// run: k<<<1, 32>>>({4, })\n"), Error);
    EXPECT_THROW(parsed("// run: k<<<1, 32>>>({4, in = 3})\n"), Error);
    EXPECT_THROW(parsed("// run: k<<<1, 32>>>({4, {5)\n"), Error);
}

TEST(Spec, ReadsEveryKindOfExpectation) {
    const auto programs = parsed(
        "// run: k<<<1, 32>>>(in = ramp(32), out = zeros(32))\n"
        "// expect: out == in\n// expect: out[4..8] ~ [1, 2, 3, 4] within 0.5\n"
        "// expect: sum(out) ~ dot(in, in) within 1%\n// expect: out ~ other<32><<<1, 32>>>\n"
        "// expect: out ~ 'right.npy'\n// expect: out ~ after(in)\n"
        "// expect: sum(out) ~ dot(before(in), after(out))\n");
    const auto& all = programs.at(0).expectations;
    ASSERT_EQ(all.size(), 7u);
    EXPECT_TRUE(all[0].exact);
    EXPECT_EQ(std::get<Part>(all[1].left).end, 8u);
    EXPECT_EQ(all[1].within, 0.5);
    EXPECT_EQ(all[2].within_part, 0.01);
    EXPECT_FALSE(std::get<Launch>(all[3].right).has_arguments);
    EXPECT_EQ(std::get<Fill>(all[4].right).kind, "file");
    EXPECT_TRUE(std::get<Part>(all[5].right).after);
    EXPECT_TRUE(std::get<Reduction>(all[6].right).of.at(0).before);
    EXPECT_TRUE(std::get<Reduction>(all[6].right).of.at(1).after);
}

TEST(Spec, NamesMakeProgramsOfTheirOwn) {
    const auto programs = parsed(
        "// run tree: a<<<1, 32>>>(x = zeros(1))\n// run flat: b<<<1, 32>>>(x = zeros(1))\n"
        "// expect: x[0] == 0\n// expect flat: x == 0\n");
    ASSERT_EQ(programs.size(), 2u);
    EXPECT_EQ(programs[0].name, "tree");
    EXPECT_EQ(programs[0].expectations.size(), 1u);
    EXPECT_EQ(programs[1].expectations.size(), 2u);
}

TEST(Spec, LeavesOtherCommentsAlone) {
    EXPECT_TRUE(parsed("// run: nvcc sum.cu -o sum && ./sum\n// running: k<<<1, 2>>>()\n// expect: it is fast\n"
                       "// run: x = y\nint run = 1; // k<<<1, 2>>>()\n")
                    .empty());
}

TEST(Spec, SaysWhatWasExpectedAndWhere) {
    const std::pair<const char*, const char*> cases[] = {
        {"k<<<4, 256>>>(random(8; x)", "')' was expected after the values of random, but there is ';'"},
        {"k<<<4>>>(x)", "',' was expected between the number of blocks"},
        {"k(1, 2)", "'<<<' was expected after 'k'"},
        {"k<<<0, 32>>>()", "the number of blocks is 1 or more"},
        {"k<<<1, 32>>>(randm(8))", "there is no fill 'randm'; did you mean 'random'?"},
        {"k<<<1, 32>>>(zeros())", "zeros needs the number of elements"},
        {"k<<<1, 32>>>(fill(8))", "fill takes the number of elements and a value"},
        {"k<<<1, 32>>>({1, 2)", "this bracket is not closed"},
        {"k<<<1, 32>>>(\"a.npy)", "no closing quotation mark"},
        {"k<<<1, 32>>>(2^80)", "this number is too large"},
        {"k<256<<<1, 32>>>(2)", "need a closing '>'"},
        {"k<<<dim3(1,2,3,4), 32>>>()", "dim3 takes three numbers"},
        {"k<<<1, 32>>>() and more", "'<<<' was expected after 'and'"},
    };
    for (const auto& [run, sentence] : cases)
        EXPECT_NE(failure(run).find(sentence), std::string::npos) << run << "\n" << failure(run);
    EXPECT_NE(
        failure("k<<<1, 32>>>(x = zeros(1))", "x ~ smu(x)").find("there is no reduction 'smu'; did you mean 'sum'?"),
        std::string::npos);
    EXPECT_NE(failure("k<<<1, 32>>>(x = zeros(1))", "x = 3").find("'~' (about) or '==' (exactly)"), std::string::npos);
    // The mark is under the place, after letters of more than a byte, too.
    EXPECT_NE(failure("k<<<1, 32>>>('数', ?)").find("\n  k<<<1, 32>>>('数', ?)\n                    ^"),
              std::string::npos)
        << failure("k<<<1, 32>>>('数', ?)");
}

TEST(KernelHeads, ASpecializationIsNoSecondKernel) {
    const auto heads = kernel_heads(
        "template <class T> __device__ T f(T x) {}\n__global__ void plain(int* x) {}\n"
        "template <class T>\n__global__ void k(T* x) { x[0] = 1; }\n"
        "template <>\n__global__ void k(double* x) { x[0] = 2; }\n__global__ void last(int* x) {}\n");
    ASSERT_EQ(heads.size(), 3u);
    EXPECT_EQ(heads[0].template_parameters, "");
    EXPECT_EQ(heads[1].name, "k");
    EXPECT_EQ(heads[1].template_parameters, "class T");
    EXPECT_EQ(heads[2].name, "last");
}

TEST(KernelHeads, AreFoundAmongHostCode) {
    const auto heads = kernel_heads(
        "// __global__ void no(int);\n#define K __global__ void macro()\nnamespace a {\n"
        "template <typename T, int kBlock>\n__global__ void __launch_bounds__(256) sum(const T* __restrict__ in, T "
        "out[4],\n"
        "    std::pair<int, float> p = {}, int n = 3) {}\n}\n__global__ void later(float*);\n"
        "int main() { const char* s = \"__global__ void text()\"; }\n__global__ void later(float* x) { }\n");
    ASSERT_EQ(heads.size(), 2u);
    EXPECT_EQ(heads[0].text(),
              "template <typename T, int kBlock> a::sum(const T* in, T* out, std::pair<int, float> p, int n)");
    EXPECT_EQ(heads[0].line, 5);
    EXPECT_EQ(heads[1].name, "later");
    EXPECT_EQ(heads[1].line, 10);
    EXPECT_EQ(heads[1].offer(), "// run: later<<<4, 256>>>(x = zeros(1024))");
}

}  // namespace
}  // namespace lanewise::own
