// What a parser knows and the text alone does not show.
#include <gtest/gtest.h>

#include <functional>

#include "common/annotate/rewrite.hpp"
#include "common/annotate/testing/reading.hpp"
#include "common/base/folder.testing.hpp"

namespace lanewise::annotate {
namespace {

std::string short_names(std::string text) {
    const std::string prefix = "::lanewise_traced::";
    for (std::size_t at = 0; (at = text.find(prefix, at)) != std::string::npos;) text.erase(at, prefix.size());
    return text.substr(text.find('\n') + 1);
}

std::string traced(const std::string& text, Copy copy = Copy::emulated_traced) {
    return short_names(derived_copy(reading_of(text), 0, copy));
}

TEST(OwnFunctions, AreNotCudasOfThatName) {
    const std::string declaration = "__device__ float atomicMax(float* a, float v) { return atomicMax((int*)a, 1); }\n";
    EXPECT_EQ(traced(declaration + "void f(float* a, int* b) { atomicMax(a, 1.0f); atomicMax(b, 1); }"),
              "__device__ float atomicMax(float* a, float v) { return atomic_max(1, (int*)a, 1); }\n"
              "void f(float* a, int* b) { atomicMax(a, 1.0f); atomic_max(2, b, 1); }");
    // The GPU's prelude has macros of these names.
    EXPECT_EQ(
        traced(declaration + "void f(float* a, int* b) { atomicMax(a, 1.0f); atomicMax(b, 1); }", Copy::gpu_traced),
        "__device__ float (atomicMax)(float* a, float v) { return atomic_max(1, (int*)a, 1); }\n"
        "void f(float* a, int* b) { (atomicMax)(a, 1.0f); atomic_max(2, b, 1); }");
    EXPECT_EQ(reading_of(declaration).overloads, std::vector<std::string>{"atomicMax"});
    EXPECT_EQ(reading_of("float4 make_float4(float x);\nint max(int* a);\nfloat min(float, float);\nfloat own(float);")
                  .overloads,
              (std::vector<std::string>{"make_float4", "max"}));
}

TEST(OwnFunctions, InATemplateMayBeEither) {
    const std::string text =
        "float atomicMax(float* a, float v);\ntemplate <class T> void f(T* a) { atomicMax(a, T(1)); }";
    EXPECT_EQ(traced(text), text);  // the emulator records its own function itself
    const std::string cudas = "template <class T> void f(T* a) { atomicMin(a, T(1)); }";
    EXPECT_EQ(traced(cudas), "template <class T> void f(T* a) { atomic_min(1, a, T(1)); }");
}

TEST(OwnFunctions, MayBeCalledLikeAShuffle) {
    const std::string text =
        "struct Deck { float shfl(float v, int o); };\nvoid f(Deck d, float v) { v += d.shfl(v, 1); }";
    EXPECT_EQ(traced(text), text);
}

TEST(Conditionals, AreReadInEveryBranch) {
    EXPECT_EQ(traced("void f(float v, bool a, bool b) {\n"
                     "#if __CUDA_ARCH__ >= 700\n  if (a) {\n#else\n  if (b) {\n#endif\n"
                     "    v += __shfl_xor_sync(~0u, v, 1);\n  }\n}\n"),
              "void f(float v, bool a, bool b) {\n"
              "#if __CUDA_ARCH__ >= 700\n  if (a) {\n#else\n  if (b) {\n#endif\n"
              "    v += shfl_xor(7, ~0u, v, 1), after(7, 7, 2, v);\n  }\n}\n");
    EXPECT_EQ(traced("void f(float v) {\n"
                     "#ifdef NOT_HERE\n  v = __shfl_sync(~0u, v, 0);\n#elif defined(NOR_HERE)\n"
                     "  v += __shfl_up_sync(~0u, v, 1);\n#else\n  __syncwarp();\n#endif\n}\n"),
              "void f(float v) {\n"
              "#ifdef NOT_HERE\n  v = shfl_idx(3, ~0u, v, 0), after(3, 3, 1, v);\n#elif defined(NOR_HERE)\n"
              "  v += shfl_up(5, ~0u, v, 1), after(5, 5, 2, v);\n#else\n  sync_warp(7);\n#endif\n}\n");
}

TEST(Conditionals, OfOneStatementAreListedOnce) {
    const std::string text = tables(reading_of("void f(float v) {\n  v = 1;\n#if 0\n  v = 2;\n#endif\n}\n"));
    EXPECT_NE(text.find("kStatementCount = 2"), std::string::npos) << text;
}

std::string gpu_copy(const std::string& body) {
    const std::string head = kDeclared + "void f() { ";
    const std::string text = short_names(derived_copy(reading_of(head + body + " }"), 0, Copy::gpu_traced));
    return text.substr(head.size(), text.size() - head.size() - 2);
}

TEST(Provenance, IsThatOfTheSideALaneTakes) {
    EXPECT_EQ(gpu_copy("v = lane & 1 ? __shfl_xor_sync(m, v, 1) : v;"),
              "v = lane & 1 ? shfl_xor(1, m, v, 1) : v, after(1, 1, 1, v);");
    EXPECT_EQ(gpu_copy("v = lane & 1 ? v + __shfl_xor_sync(m, v, 1) : v;"),
              "v = lane & 1 ? v + shfl_xor(1, m, v, 1) : v, after(1, 1, 2, v);");
    EXPECT_EQ(gpu_copy("v = v + (lane & 1 ? __shfl_xor_sync(m, v, 1) : 0);"),
              "v = v + (lane & 1 ? shfl_xor(1, m, v, 1) : 0), after(1, 1, 2, v);");
    EXPECT_EQ(gpu_copy("v += lane & 1 ? __shfl_xor_sync(m, v, 1) : 0;"),
              "v += lane & 1 ? shfl_xor(1, m, v, 1) : 0, after(1, 1, 2, v);");
    // What only chooses is not in the value.
    EXPECT_EQ(gpu_copy("v = __shfl_xor_sync(m, v, 1) > 0 ? v : w;"),
              "v = shfl_xor(1, m, v, 1) > 0 ? v : w, after(1, 1, 0, v);");
    EXPECT_EQ(gpu_copy("v = v > 0 ? __shfl_xor_sync(m, w, 1) : w;"),
              "v = v > 0 ? shfl_xor(1, m, w, 1) : w, after(1, 1, 1, v);");
}

TEST(Provenance, DistinguishesVariablesOfOneName) {
    EXPECT_EQ(gpu_copy("float p = __shfl_xor_sync(m, v, 1); { float p = 1; w += p; } v += p;"),
              "float p = shfl_xor(1, m, v, 1); { float p = 1; w += p; } v += p; after(1, 1, 2, v);");
}

TEST(Kernels, MayBeExternC) {
    const Reading reading = reading_of("extern \"C\" __global__ void f() { __syncthreads(); }\n"
                                       "#define KERNEL extern \"C\" __global__ void\nKERNEL g() { }\n");
    std::vector<bool> kernels;
    const std::function<void(const Statement&)> visit = [&](const Statement& statement) {
        if (statement.kind == StatementKind::function) kernels.push_back(statement.is_kernel);
        for (const Statement& child : statement.children) visit(child);
    };
    visit(reading.units.front().files.front()->root);
    EXPECT_EQ(kernels, (std::vector<bool>{true, true}));
}

TEST(Launches, AreNoObstacle) {
    EXPECT_EQ(traced("__global__ void k(int* a) { atomicAdd(a, 1); }\n"
                     "void run(int* a) {\n  k<<<dim3(1), 32, 0,\n     0>>>(a);\n}\n", Copy::gpu_traced),
              "__global__ void k(int* a) { atomic_add(1, a, 1); }\n"
              "void run(int* a) {\n  k<<<dim3(1), 32, 0,\n     0>>>(a);\n}\n");
}

TEST(Beside, FilesAreAnnotatedToo) {
    const lanewise::testing::TemporaryFolder folder;
    folder.write("sums.cuh",
                 "#pragma once\n#include <cmath>\n"
                 "__device__ float sum(float v) {\n  v += __shfl_xor_sync(~0u, v, 1);\n  return v;\n}\n");
    const std::string text =
        "#include \"sums.cuh\"\n__global__ void f(float* out) { __shared__ float a[2]; *out = sum(1); }\n";
    const Reading reading = read_kernels((folder.path() / "kernels.cuh").string(), text, test_prelude());
    ASSERT_EQ(reading.file_count(), 2u);
    EXPECT_EQ(copy_name(reading, 1, Copy::emulated), "sums.kernels.emulated.cuh");
    EXPECT_EQ(
        short_names(derived_copy(reading, 0, Copy::emulated_traced)),
        "#include \"sums.kernels.emulated_traced.cuh\"\n"
        "__global__ void f(float* out) { __shared__ float a[2]; LANEWISE_GUARD(a) shared_array(0, a); *out = sum(1); }\n");
    // Its lines follow the file's own.
    const std::string copy = derived_copy(reading, 1, Copy::emulated_traced);
    EXPECT_TRUE(copy.starts_with("#line 3 \"" + (folder.path() / "kernels.cuh").string() + "\"\n")) << copy;
    EXPECT_NE(copy.find("v += ::lanewise_traced::shfl_xor(6, ~0u, v, 1), ::lanewise_traced::after(6, 6, 2, v);"),
              std::string::npos) << copy;
    EXPECT_NE(tables(reading).find("{6, 6, 2, \"v\""), std::string::npos);
}

TEST(Beside, ErrorsNameTheFileAndItsLine) {
    const lanewise::testing::TemporaryFolder folder;
    folder.write("sums.cuh", "\n__device__ float sum(float v) {\n");
    try {
        read_kernels((folder.path() / "kernels.cuh").string(), "#include \"sums.cuh\"\n", test_prelude());
        FAIL();
    } catch (const std::exception& error) {
        EXPECT_EQ(std::string(error.what()), (folder.path() / "sums.cuh").string() + ":2: this { is never closed");
    }
}

}  // namespace
}  // namespace lanewise::annotate
