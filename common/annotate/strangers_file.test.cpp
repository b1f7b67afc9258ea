#include "common/annotate/strangers_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "common/annotate/rewrite.hpp"
#include "common/annotate/testing/reading.hpp"
#include "common/base/error.hpp"
#include "common/base/folder.testing.hpp"

namespace lanewise::annotate {
namespace {

StrangersFile read_text(const std::string& text, const StrangersOptions& options = {}) {
    return read_strangers_file("/k.cu", text, test_prelude(), options);
}

// The emulated copy of the file itself, without its first line.
std::string copy_of(const StrangersFile& file) {
    const std::string copy = derived_copy(file.reading, 0, Copy::emulated);
    return copy.substr(copy.find('\n') + 1);
}

std::string line(const std::string& text, int number) {
    std::size_t at = 0;
    for (int i = 1; i < number; ++i) at = text.find('\n', at) + 1;
    return text.substr(at, text.find('\n', at) - at);
}

bool is_blank(const std::string& text) { return text.find_first_not_of(" \\") == std::string::npos; }

std::string names(const StrangersFile& file) {
    std::string all;
    for (const KernelOutline& kernel : file.kernels) all += (all.empty() ? "" : " ") + kernel.name;
    return all;
}

const std::string kPublished =
    "#include <iostream>\n"                                                                    // 1
    "#include <vector>\n"                                                                      // 2
    "#include \"not_here.h\"\n"                                                                // 3
    "#define CHECK(x) if ((x) != cudaSuccess) { std::cerr << \"no\"; exit(1); }\n"             // 4
    "constexpr int kSide = 3;\n"                                                               // 5
    "struct Host { std::vector<thrust::pair<int, int>> v; };\n"                                // 6
    "struct Pair { float a; int b;\n"                                                          // 7
    "  Pair(int n) { CHECK(cudaMalloc(&a, n)); }\n"                                            // 8
    "  __device__ float sum() const { return a + b; } };\n"                                    // 9
    "namespace detail {\n"                                                                     // 10
    "__device__ float twice(float x) { return 2 * x; }\n"                                      // 11
    "template <class T, int kBlock = 64>\n"                                                    // 12
    "__global__ void sum(const T* __restrict__ in, float *out, int n, Pair pair, half h) {\n"  // 13
    "  out[0] = twice(in[0]) + pair.sum() + ::kSide; }\n"                                      // 14
    "}\n"                                                                                      // 15
    "extern \"C\" __global__ void plain(float* a) { a[0] = 1; }\n"                             // 16
    "void launch(std::vector<float>& v) {\n"                                                   // 17
    "  detail::sum<float><<<1, 32>>>(v.data()); CHECK(cudaGetLastError()); }\n"                // 18
    "int main() { std::vector<float> v(3); launch(v); }\n";                                    // 19

TEST(StrangersFile, ListsKernelsWithWhatTheyTake) {
    const StrangersFile file = read_text(kPublished);
    ASSERT_EQ(names(file), "detail::sum plain");
    const KernelOutline& sum = file.kernels[0];
    EXPECT_EQ(sum.line, 13);
    EXPECT_EQ(sum.path, "/k.cu");
    ASSERT_EQ(sum.template_parameters.size(), 2u);
    EXPECT_EQ(sum.template_parameters[0].kind, "typename");
    EXPECT_EQ(sum.template_parameters[0].name, "T");
    EXPECT_EQ(sum.template_parameters[1].kind, "int");
    EXPECT_EQ(sum.template_parameters[1].name, "kBlock");
    EXPECT_EQ(sum.template_parameters[1].default_value, "64");
    ASSERT_EQ(sum.parameters.size(), 5u);
    using Kind = CallParameter::Kind;
    EXPECT_EQ(sum.parameters[0].type, "const T* __restrict__");
    EXPECT_EQ(sum.parameters[0].kind, Kind::pointer_to_const);
    EXPECT_EQ(sum.parameters[0].element, "T");
    EXPECT_EQ(sum.parameters[1].name, "out");
    EXPECT_EQ(sum.parameters[1].kind, Kind::pointer);
    EXPECT_EQ(sum.parameters[1].element, "float");
    EXPECT_EQ(sum.parameters[2].kind, Kind::scalar);
    EXPECT_EQ(sum.parameters[3].kind, Kind::structure);
    EXPECT_EQ(sum.parameters[3].fields, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(sum.parameters[4].kind, Kind::scalar);
    EXPECT_TRUE(sum.refusals.empty() && sum.errors.empty());
}

TEST(StrangersFile, LeavesHostCodeOutAndLinesInPlace) {
    const StrangersFile file = read_text(kPublished);
    const std::string copy = copy_of(file);
    EXPECT_EQ(std::count(copy.begin(), copy.end(), '\n'), std::count(kPublished.begin(), kPublished.end(), '\n'));
    for (const int host : {1, 2, 3, 6, 8, 17, 18, 19}) EXPECT_TRUE(is_blank(line(copy, host))) << line(copy, host);
    EXPECT_EQ(line(copy, 11), line(kPublished, 11));
    EXPECT_NE(line(copy, 14).find(" kSide"), std::string::npos);
    EXPECT_EQ(line(copy, 14).find("::kSide"), std::string::npos);  // the copy is in a namespace
    ASSERT_EQ(file.skipped.size(), 3u);
    EXPECT_EQ(file.skipped[2].what, "not_here.h");
    EXPECT_EQ(file.skipped[2].line, 3);
}

TEST(StrangersFile, RefusesOneKernelAndKeepsTheOthers) {
    const StrangersFile file = read_text(
        "texture<float, 1> table;\n"
        "#define STOP asm volatile(\"exit;\")\n"
        "__device__ unsigned lane() { unsigned id; asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(id)); return id; }\n"
        "__global__ void a(unsigned* out) { out[0] = lane(); }\n"
        "__global__ void b(float* out) { out[0] = tex1Dfetch(table, 3); }\n"
        "__global__ void c(float* out) {\n  cooperative_groups::this_grid().sync(); }\n"
        "__global__ void d() { c<<<1, 1>>>(nullptr); }\n"
        "__global__ void e() { STOP; }\n"
        "__global__ void f(float* out) { out[0] = 1; }\n");
    ASSERT_EQ(names(file), "a b c d e f");
    const auto refusal = [&](std::size_t i) {
        const std::vector<Remark>& refusals = file.kernels[i].refusals;
        return refusals.empty() ? "" : std::to_string(refusals[0].line) + " " + refusals[0].what;
    };
    EXPECT_EQ(refusal(0), "3 inline PTX");
    EXPECT_EQ(refusal(1), "5 a texture");
    EXPECT_EQ(refusal(2), "7 a barrier of the whole grid (grid_group::sync)");
    EXPECT_EQ(refusal(3), "8 a launch from a kernel (<<<)");
    EXPECT_EQ(refusal(4), "9 inline PTX");
    EXPECT_EQ(refusal(5), "");
    const std::string copy = copy_of(file);
    for (const int gone : {3, 4, 5, 6, 7, 8, 9}) EXPECT_TRUE(is_blank(line(copy, gone))) << line(copy, gone);
    EXPECT_EQ(line(copy, 10), "__global__ void f(float* out) { out[0] = 1; }");
}

// The parser reports a template's instance with an error in it as if it were in the file.
TEST(StrangersFile, HostTemplatesThatCallCudaRefuseNoKernel) {
    const StrangersFile file = read_text(
        "template <typename T>\nvoid make(T& pointer, size_t bytes) { cudaMallocManaged(&pointer, bytes); }\n"
        "__global__ void a(int* out) { out[0] = 1; }\n"
        "int main() {\n  int* p;\n  make(p, 4);\n  a<<<1, 1>>>(p);\n}\n");
    ASSERT_EQ(names(file), "a");
    EXPECT_TRUE(file.kernels[0].refusals.empty() && file.kernels[0].errors.empty());
    EXPECT_EQ(line(copy_of(file), 3), "__global__ void a(int* out) { out[0] = 1; }");
}

TEST(StrangersFile, KeepsTheKernelsThatAreAskedFor) {
    const StrangersFile file = read_text("__global__ void a() {}\n__global__ void b() {}\n", {{}, {"b"}});
    EXPECT_EQ(names(file), "a b");
    EXPECT_EQ(copy_of(file), std::string(22, ' ') + "\n__global__ void b() {}\n");
}

TEST(StrangersFile, FindsHeadersBesideItAndInFolders) {
    const lanewise::testing::TemporaryFolder folder;
    folder.write("sums.h", "#pragma once\n#include <vector>\nvoid host();\n__device__ float f() { return 1; }\n");
    folder.write("other/deep.cuh", "#include \"../sums.h\"\n__device__ float g() { return f(); }\n");
    const std::string text =
        "#include <deep.cuh>\n#include \"sums.h\"\n__global__ void k(float* out) { *out = g(); }\n";
    const StrangersFile file = read_strangers_file((folder.path() / "k.cu").string(), text, test_prelude(),
                                                   {{(folder.path() / "other").string()}, {}});
    ASSERT_EQ(file.reading.file_count(), 3u);
    EXPECT_TRUE(file.kernels[0].errors.empty());
    const std::string copy = copy_of(file);
    EXPECT_EQ(line(copy, 1), "#include \"deep.kernels.emulated.cuh\"");
    EXPECT_TRUE(is_blank(line(copy, 2)));  // included already
    const std::string sums = derived_copy(file.reading, 2, Copy::emulated);
    EXPECT_EQ(sums.find("vector"), std::string::npos);
    EXPECT_NE(sums.find("float f()"), std::string::npos);
    EXPECT_EQ(sums.find("void host"), std::string::npos);
    const Remark place = place_of_line(file.texts, file.texts[2].first_line + 3);
    EXPECT_EQ(place.path, (folder.path() / "sums.h").string());
    EXPECT_EQ(place.line, 4);
}

TEST(StrangersFile, LeavesTheHostsFunctionsOfHeadersOut) {
    const lanewise::testing::TemporaryFolder folder;
    folder.write("image.h",
                 "#define DEF extern \"C\"\n"
                 "DEF int write_image(const char* name);\n"
                 "int write_image(const char* name) { return name[0]; }\n"
                 "typedef unsigned int pixel;\n"
                 "__device__ pixel black() { return 0; }\n"
                 "__device__ pixel white() { return 1; }\n");
    const std::string text = "#include \"image.h\"\n__global__ void k(unsigned* out) { *out = black(); }\n";
    const auto header = [&](bool lean_headers) {
        StrangersOptions options;
        options.lean_headers = lean_headers;
        const StrangersFile file =
            read_strangers_file((folder.path() / "k.cu").string(), text, test_prelude(), options);
        const std::string copy = derived_copy(file.reading, 1, Copy::emulated);
        return copy.substr(copy.find('\n') + 1);
    };
    EXPECT_TRUE(is_blank(line(header(false), 2)));
    EXPECT_TRUE(is_blank(line(header(false), 3)));
    for (const int kept : {4, 5, 6}) EXPECT_FALSE(is_blank(line(header(false), kept)));
    folder.write("image.h", "typedef unsigned int pixel;\ntypedef unsigned int colour;\n__device__ pixel black();\n");
    EXPECT_FALSE(is_blank(line(header(false), 2)));
    EXPECT_FALSE(is_blank(line(header(true), 1)));
    EXPECT_TRUE(is_blank(line(header(true), 2)));  // no kernel is seen to use it
    EXPECT_FALSE(is_blank(line(header(true), 3)));
}

TEST(StrangersFile, SaysWhereTheTextIsNoCode) {
    const auto sentence = [](const std::string& text) -> std::string {
        try {
            const StrangersFile file = read_text(text);
            return file.kernels.empty() || file.kernels[0].errors.empty()
                       ? ""
                       : std::to_string(file.kernels[0].errors[0].line);
        } catch (const Error& error) {
            return error.what();
        }
    };
    EXPECT_EQ(sentence("int main() {}\n__global__ void k( { int x; }\n").substr(0, 8), "/k.cu:2:");
    EXPECT_EQ(sentence("\n__global__ void k() { int x = 1 }\n"), "2");
    EXPECT_EQ(sentence("\n__global__ void k() { for (;;) {\n}\n"), "/k.cu:2: this { is never closed");
    EXPECT_EQ(sentence("\n__global__ void k(Unknown* x) { }\n"), "2");
    EXPECT_EQ(sentence("#if 0\nit doesn't matter\n#endif\n__global__ void k() { }\n"), "");
}

TEST(StrangersFile, KeepsWhatKernelsReachInRoundaboutWays) {
    const std::string text =
        "template <class T> constexpr T empty() { return T(-1); }\n"
        "template <class T> const T kEmpty = empty<T>();\n"                                   // a variable template
        "struct Host { int size() const; int (*f)(); };\n"
        "typedef int (Host::*Member)() const;\n"                                              // a pointer to a member
        "#define MAKE_KERNEL(name, op) __global__ void name(int* out) { out[0] = out[0] op kEmpty<int>; }\n"
        "MAKE_KERNEL(add, +)\nMAKE_KERNEL(sub, -)\n"
        "template <class T> struct Op { __device__ T operator()(T v) const; };\n"
        "template <class T> __device__ T Op<T>::operator()(T v) const { return v; }\n"
        "template <> __device__ float Op<float>::operator()(float v) const { return v + 1; }\n"
        "template <class F> __global__ void apply(float* out, F f, Member m) { out[0] = f(out[0]); }\n"
        "static void rhypot() {}\n"
        "template __global__ void apply<Op<float>>(float*, Op<float>, Member);\n";
    const StrangersFile file = read_text(text);
    EXPECT_EQ(names(file), "add sub apply");
    const std::string copy = copy_of(file);
    for (const int kept : {1, 2, 4, 6, 7, 8, 9, 10, 11}) EXPECT_FALSE(is_blank(line(copy, kept))) << line(text, kept);
    EXPECT_FALSE(is_blank(line(copy, 3)));
    EXPECT_TRUE(is_blank(line(copy, 12)));
    EXPECT_TRUE(is_blank(line(copy, 13)));  // an explicit instance
    EXPECT_TRUE(file.reading.overloads.empty());
}

TEST(StrangersFile, NamesPartsOfThePreludeThatAreRarelyNeeded) {
    const auto includes = [](const std::string& body) {
        return read_text("#include <cub/cub.cuh>\n#include <cfloat>\n__global__ void k(unsigned* out) { " + body +
                         " }\n")
            .includes;
    };
    EXPECT_TRUE(includes("out[0] = 1;").empty());
    EXPECT_EQ(includes("out[0] = __vadd4(out[1], out[2]);"),
              std::vector<std::string>{"#include \"common/prelude/emulated/emulated_video.hpp\""});
    EXPECT_EQ(includes("cub::WarpReduce<int>::TempStorage t; out[0] = __fns(out[1], 0, 1);"),
              (std::vector<std::string>{"#include <cub/cub.cuh>",
                                        "#include \"common/prelude/emulated/emulated_special.hpp\""}));
}

// Whatever is cut out of a file, a sentence comes back or a reading, and nothing worse.
TEST(StrangersFile, SurvivesMangledFiles) {
    unsigned random = 1;
    const auto next = [&] { return (random = random * 1664525u + 1013904223u) >> 8; };
    for (int i = 0; i < 10; ++i) {
        std::string text = kPublished;
        for (int cuts = 0; cuts < 3; ++cuts) {
            const std::size_t at = next() % text.size();
            switch (next() % 3) {
                case 0:
                    text.erase(at, 1 + next() % 40);
                    break;
                case 1:
                    text.insert(at, 1, "{}()<>;\"'#\\/*\0\n:"[next() % 16]);
                    break;
                default:
                    text[at] = static_cast<char>(next());
            }
        }
        try {
            const StrangersFile file = read_text(text);
            copy_of(file);
            tables(file.reading);
        } catch (const Error&) {
        }
    }
}

}  // namespace
}  // namespace lanewise::annotate
