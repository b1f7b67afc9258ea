#include "common/annotate/rewrite.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "common/annotate/testing/reading.hpp"
#include "common/base/error.hpp"

namespace lanewise::annotate {
namespace {

std::string copy_of(const std::string& text, Copy copy) {
    const std::string result = derived_copy(reading_of(text), 0, copy);
    const std::string line = "#line 1 \"/k.cuh\"\n";
    EXPECT_TRUE(result.starts_with(line)) << result;
    const std::string body = result.substr(line.size());
    EXPECT_EQ(std::count(body.begin(), body.end(), '\n'), std::count(text.begin(), text.end(), '\n')) << body;
    return body;
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
        text.replace(at, what.size(), with);
    return text;
}

// The traced copy of a function whose body is `body`, its names made short: intrinsics without __, after(…), took(…).
std::string traced(const std::string& body) {
    const std::string head = kDeclared + "void f() { ";
    std::string text = copy_of(head + body + " }", Copy::gpu_traced);
    text = text.substr(head.size(), text.size() - head.size() - 2);
    return replaced(text, "::lanewise_traced::", "");
}

std::string table(const std::string& body) {
    const std::string text = tables(reading_of(kDeclared + "void f() { " + body + " }"));
    const std::size_t first = text.find('\n') + 1;
    std::string rows = text.substr(first, text.find("};\n") - first);
    // The rest of a row is tested in facts.test.cpp.
    rows = std::regex_replace(rows, std::regex("(\", (true|false)), [^\n]*\\},\n"), "$1},\n");
    return replaced(replaced(rows, "\n", ""), "    ", "");
}

// A file that is never emulated keeps the toolkit's groups and its PTX; CUDA's intrinsics are seen as elsewhere.
TEST(GpuOnly, KeepsWhatCannotBeEmulated) {
    const std::string text =
        "#include <cooperative_groups.h>\n__global__ void f() { asm volatile(\"x;\"); __syncthreads(); }\n";
    EXPECT_EQ(copy_of(text, Copy::gpu_only), replaced(text, "__syncthreads()", "::lanewise_traced::sync_block(2)"));
    EXPECT_NE(copy_of(text, Copy::gpu_traced).find("common/prelude/cooperative_groups"), std::string::npos);
    EXPECT_NE(copy_of(text, Copy::emulated).find("cannot be emulated"), std::string::npos);
}

TEST(Constants, AreNamed) {
    const std::string text =
        tables(reading_of(kDeclared + "__constant__ float a[4], b; __device__ int c;\n"
                                      "namespace n { static __constant__ const int d[] = {1}; }\n"));
    EXPECT_NE(text.find("kConstantNames[] = {\"a\", \"b\", \"d\", nullptr};"), std::string::npos) << text;
}

TEST(Intrinsics, GetTheirLine) {
    EXPECT_EQ(traced("\n\n__syncthreads();"), "\n\nsync_block(3);");
    EXPECT_EQ(traced("__syncwarp(); __syncwarp(m);"), "sync_warp(1); sync_warp(1, m);");
    EXPECT_EQ(traced("g(__any_sync(m, p), __all_sync(m, p), __ballot_sync(m, p));"),
              "g(vote_any(1, m, p), vote_all(1, m, p), vote_ballot(1, m, p));");
    EXPECT_EQ(
        traced("atomicAdd(a, 1); atomicSub(a, 1); atomicMin(a, 1); atomicMax(a, 1); atomicAnd(a, 1);"),
        "atomic_add(1, a, 1); atomic_sub(1, a, 1); atomic_min(1, a, 1); atomic_max(1, a, 1); atomic_and(1, a, 1);");
    EXPECT_EQ(traced("atomicOr(a, 1); atomicXor(a, 1); atomicExch(a, 1); atomicCAS(a, 1, 2);"),
              "atomic_or(1, a, 1); atomic_xor(1, a, 1); atomic_exch(1, a, 1); atomic_cas(1, a, 1, 2);");
    EXPECT_EQ(traced("g(__shfl_sync(m, v, 0),\n  __shfl_up_sync\n (m, v, 1));"),
              "g(shfl_idx(1, m, v, 0),\n  shfl_up\n (2, m, v, 1));");
    EXPECT_EQ(traced("return ::__shfl_xor_sync(m, v, 1);"), "return shfl_xor(1, m, v, 1);");
}

TEST(Intrinsics, AreLeftAloneWhereTheyAreNotCalls) {
    for (const char* body :
         {"// __syncthreads();\n", "/* v += __shfl_xor_sync(m, v, 1);\n */", "g(\"__syncthreads()\");",
          "g(R\"x(__syncthreads() \")x\");", "a.atomicAdd(1); b->atomicAdd(1); mine::atomicAdd(1);",
          "g(__shfl_xor_sync_count);", "g('\\'', \"\\\"__syncwarp()\");",
          "\n#define ROUND(v) v += \\\n  __shfl_xor_sync(m, v, 1);\n"})
        EXPECT_EQ(traced(body), body);
}

TEST(After, FollowsAnAssignmentByComma) {
    EXPECT_EQ(traced("v += __shfl_xor_sync(m, v, 1);"), "v += shfl_xor(1, m, v, 1), after(1, 1, 2, v);");
    EXPECT_EQ(traced("for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(m, v, o);"),
              "for (int o = 16; o > 0; o >>= 1) v += shfl_down(1, m, v, o), after(1, 1, 2, v);");
    EXPECT_EQ(traced("v = max(v, __shfl_down_sync(m, v, 1));"),
              "v = max(v, shfl_down(1, m, v, 1)), after(1, 1, 2, v);");
    EXPECT_EQ(traced("v = 3*v - __shfl_down_sync(m, v, 1);"), "v = 3*v - shfl_down(1, m, v, 1), after(1, 1, 2, v);");
    EXPECT_EQ(traced("v = __shfl_sync(m, v, 0);"), "v = shfl_idx(1, m, v, 0), after(1, 1, 1, v);");
    EXPECT_EQ(traced("v += __shfl_xor_sync(m,\n  v,\n  1)\n  ;"),
              "v += shfl_xor(1, m,\n  v,\n  1), after(1, 3, 2, v)\n  ;");
    EXPECT_EQ(
        traced("if (c) v += __shfl_xor_sync(m, v, 1); else v -= __shfl_xor_sync(m, v, 2);"),
        "if (c) v += shfl_xor(1, m, v, 1), after(1, 1, 2, v); else v -= shfl_xor(1, m, v, 2), after(1, 1, 2, v);");
    EXPECT_EQ(traced("do v += __shfl_xor_sync(m, v, o); while (o >>= 1);"),
              "do v += shfl_xor(1, m, v, o), after(1, 1, 2, v); while (o >>= 1);");
    EXPECT_EQ(traced("switch (k) { case kA ? 1 : 2: v += __shfl_xor_sync(m, v, 1); break; default: v = 0; }"),
              "switch (k) { case kA ? 1 : 2: v += shfl_xor(1, m, v, 1), after(1, 1, 2, v); break; default: v = 0; }");
    EXPECT_EQ(traced("s.sum += __shfl_xor_sync(m, s.sum, 1);"),
              "s.sum += shfl_xor(1, m, s.sum, 1), after(1, 1, 2, s.sum);");
    EXPECT_EQ(traced("v = op<A, B<int>>(v, __shfl_xor_sync(m, v, 1));"),
              "v = op<A, B<int>>(v, shfl_xor(1, m, v, 1)), after(1, 1, 2, v);");
    EXPECT_EQ(traced("a += __shfl_xor_sync(m, a, 1), b += __shfl_xor_sync(m, b, 1);"),
              "a += shfl_xor(1, m, a, 1), after(1, 1, 2, a), b += shfl_xor(1, m, b, 1), after(1, 1, 2, b);");
    EXPECT_EQ(traced("_Pragma(\"unroll\") for (;;) v += __shfl_xor_sync(m, v, 1);"),
              "_Pragma(\"unroll\") for (;;) v += shfl_xor(1, m, v, 1), after(1, 1, 2, v);");
    EXPECT_EQ(traced("auto r = [&](float x) { x += __shfl_xor_sync(m, x, 1); return x; };"),
              "auto r = [&](float x) { x += shfl_xor(1, m, x, 1), after(1, 1, 2, x); return x; };");
}

TEST(After, IsReportedForEachShuffleOfAStatement) {
    EXPECT_EQ(traced("v += __shfl_xor_sync(m, v, 1) + __shfl_xor_sync(m, v, 2);"),
              "v += shfl_xor(1, m, v, 1) + shfl_xor(1, m, v, 2), after(1, 1, 2, v), after(1, 1, 2, v);");
    EXPECT_EQ(traced("v += __shfl_xor_sync(m, __shfl_xor_sync(m, v, 1), 2);"),
              "v += shfl_xor(1, m, shfl_xor(1, m, v, 1), 2), after(1, 1, 2, v);");
}

TEST(After, FollowsTheExchangesOfCooperativeGroups) {
    EXPECT_EQ(traced("v += tile.shfl_down(v, 1);"), "v += tile.shfl_down(v, 1), after(1, 1, 2, v);");
    EXPECT_EQ(traced("v = tiles->shfl(v, 0);"), "v = tiles->shfl(v, 0), after(1, 1, 1, v);");
    EXPECT_EQ(traced("v = cg::reduce(tile, v, cg::plus<float>());"),
              "v = cg::reduce(tile, v, cg::plus<float>()), after(1, 1, 1, v);");
    EXPECT_EQ(traced("const float p = tile.shfl_up(v, d); if (l >= d) v += p;"),
              "const float p = tile.shfl_up(v, d); if (l >= d) v += p, took(1, 1); after(1, 1, 4, v);");
    EXPECT_EQ(traced("v = s.shfl; w += reduce(v);"), "v = s.shfl; w += reduce(v);");
}

TEST(After, IsNotReportedWhereReadingTwiceWouldMatter) {
    EXPECT_EQ(traced("a[i++] += __shfl_xor_sync(m, v, 1);"), "a[i++] += shfl_xor(1, m, v, 1);");
    EXPECT_EQ(traced("*pointer = __shfl_xor_sync(m, v, 1);"), "*pointer = shfl_xor(1, m, v, 1);");
    EXPECT_EQ(traced("link->x += __shfl_xor_sync(m, v, 1);"), "link->x += shfl_xor(1, m, v, 1);");
    EXPECT_EQ(traced("return __shfl_xor_sync(m, v, 1);"), "return shfl_xor(1, m, v, 1);");
    EXPECT_EQ(traced("if (__shfl_xor_sync(m, v, 1) > 0) g();"), "if (shfl_xor(1, m, v, 1) > 0) g();");
    EXPECT_EQ(traced("__shared__ float t; t += __shfl_xor_sync(m, v, 1);"),
              "__shared__ float t; shared_array(0, t); t += shfl_xor(1, m, v, 1);");
}

TEST(Temporary, IsFollowedToTheVariableThatTakesItIn) {
    EXPECT_EQ(traced("const auto p = __shfl_xor_sync(m, v, 1); v += p;"),
              "const auto p = shfl_xor(1, m, v, 1); v += p; after(1, 1, 2, v);");
    EXPECT_EQ(traced("T p{__shfl_xor_sync(m, v, 1)};\nv = fmaxf(v, p);"),
              "T p{shfl_xor(1, m, v, 1)};\nv = fmaxf(v, p); after(1, 1, 2, v);");
    EXPECT_EQ(traced("float p = __shfl_xor_sync(m, v, 1);\nv = p;"),
              "float p = shfl_xor(1, m, v, 1);\nv = p; after(1, 1, 1, v);");
    EXPECT_EQ(traced("p = __shfl_xor_sync(m, v, 1);\nv += p;"),
              "p = shfl_xor(1, m, v, 1);\nv += p; after(1, 1, 2, v);");
    EXPECT_EQ(traced("float p = __shfl_xor_sync(m, v, 1);\nfloat w = v + p;"),
              "float p = shfl_xor(1, m, v, 1);\nfloat w = v + p; after(1, 1, 2, w);");
    EXPECT_EQ(traced("float p = __shfl_xor_sync(m, v, 1);\np *= v;"),
              "float p = shfl_xor(1, m, v, 1);\np *= v; after(1, 1, 2, p);");
}

TEST(Temporary, IsFollowedThroughAnIf) {
    EXPECT_EQ(traced("float p = __shfl_up_sync(m, v, d);\nif (lane >= d) v += p;"),
              "float p = shfl_up(1, m, v, d);\nif (lane >= d) v += p, took(1, 1); after(1, 1, 4, v);");
    EXPECT_EQ(traced("float p = __shfl_up_sync(m, v, d);\nif (lane >= d && ok) { v += p; }"),
              "float p = shfl_up(1, m, v, d);\nif (lane >= d && ok) { v += p, took(1, 1); } after(1, 1, 4, v);");
    EXPECT_EQ(traced("float p = __shfl_up_sync(m, v, d);\nif (a) v += p; else v -= p;"),
              "float p = shfl_up(1, m, v, d);\nif (a) v += p, took(1, 1); else v -= p, took(1, 1); after(1, 1, 4, v);");
    EXPECT_EQ(traced("float p = __shfl_up_sync(m, v, d);\nif (a) v += p; else v = 0;"),
              "float p = shfl_up(1, m, v, d);\nif (a) v += p, took(1, 1); else v = 0; after(1, 1, 0, v);");
    EXPECT_EQ(traced("float p = __shfl_up_sync(m, v, d);\nif (p > v) v = p;"),
              "float p = shfl_up(1, m, v, d);\nif (p > v) v = p, took(1, 1); after(1, 1, 5, v);");
    EXPECT_EQ(traced("float p = __shfl_up_sync(m, v, d);\nconst bool b = p > v;\nif (b) v = p;"),
              "float p = shfl_up(1, m, v, d);\nconst bool b = p > v;\nif (b) v = p, took(1, 1); after(1, 1, 5, v);");
    // w is gone after the if: nothing can be reported of it there.
    EXPECT_EQ(traced("float p = __shfl_up_sync(m, v, d);\nif (a) { float w = 0; w += p; g(w); }"),
              "float p = shfl_up(1, m, v, d);\nif (a) { float w = 0; w += p; g(w); }");
    EXPECT_EQ(traced("float p = __shfl_up_sync(m, v, d);\nif (float w = v; a) w += p;"),
              "float p = shfl_up(1, m, v, d);\nif (float w = v; a) w += p;");
}

TEST(Temporary, IsFollowedThroughAConditionalExpression) {
    EXPECT_EQ(traced("float p = __shfl_up_sync(m, v, d);\nv += lane >= d ? p : 0;"),
              "float p = shfl_up(1, m, v, d);\nv += lane >= d ? (took(1, 1), p) : 0; after(1, 1, 4, v);");
    EXPECT_EQ(traced("float p = __shfl_up_sync(m, v, d);\nv = lane < d ? v : v + p;"),
              "float p = shfl_up(1, m, v, d);\nv = lane < d ? v : (took(1, 1), v + p); after(1, 1, 4, v);");
    EXPECT_EQ(traced("float p = __shfl_up_sync(m, v, d);\nv = p > v ? p : v;"),
              "float p = shfl_up(1, m, v, d);\nv = p > v ? (took(1, 1), p) : v; after(1, 1, 5, v);");
}

TEST(Temporary, IsReportedItselfWhereNothingTakesItIn) {
    EXPECT_EQ(traced("p = __shfl_sync(m, v, 0); out[i] = p;"),
              "p = shfl_idx(1, m, v, 0), after(1, 1, 1, p); out[i] = p;");
    EXPECT_EQ(traced("const float p = __shfl_sync(m, v, 0); out[i] = p;"),
              "const float p = shfl_idx(1, m, v, 0); out[i] = p;");
    EXPECT_EQ(traced("const float p = v + __shfl_sync(m, v, 0); out[i] = p;"),
              "const float p = v + shfl_idx(1, m, v, 0); after(1, 1, 2, p); out[i] = p;");
    EXPECT_EQ(traced("float a = __shfl_sync(m, v, 0), b = __shfl_sync(m, w, 0); v += a; w += b;"),
              "float a = shfl_idx(1, m, v, 0), b = shfl_idx(1, m, w, 0); v += a; w += b;");
}

TEST(SharedArrays, AreAnnouncedWhereTheyAreDeclared) {
    EXPECT_EQ(traced("__shared__ float a[32]; static __shared__ alignas(16) Pair<int, 2> b[4][5], c[1];"),
              "__shared__ float a[32]; shared_array(0, a); static __shared__ alignas(16) Pair<int, 2> b[4][5], c[1]; "
              "shared_array(1, b); shared_array(2, c);");
    EXPECT_EQ(traced("extern __shared__ float a[];"), "extern __shared__ float a[]; dynamic_array(0, a);");
    EXPECT_EQ(
        copy_of("extern __shared__ float a[];\n__global__ void f() { }\nvoid g() { }", Copy::gpu_traced),
        "extern __shared__ float a[];\n__global__ void f() { ::lanewise_traced::dynamic_array(0, a); }\nvoid g() { }");
}

TEST(Intrinsics, OfBarriersThatVoteMatchesReductionsAndFences) {
    EXPECT_EQ(traced("n = __syncthreads_count(p) + __syncthreads_and(p) + __syncthreads_or(p);"),
              "n = sync_block_count(1, p) + sync_block_and(1, p) + sync_block_or(1, p);");
    EXPECT_EQ(traced("g(__match_any_sync(m, v), __match_all_sync(m, v, &p), __activemask());"),
              "g(vote_match_any(1, m, v), vote_match_all(1, m, v, &p), active_mask(1));");
    EXPECT_EQ(traced("__threadfence(); __threadfence_block(); __threadfence_system();"),
              "fence_device(1); fence_block(1); fence_system(1);");
    EXPECT_EQ(traced("v = __reduce_add_sync(m, v);"), "v = reduce_add(1, m, v), after(1, 1, 1, v);");
    EXPECT_EQ(traced("v += __reduce_max_sync(m, w);"), "v += reduce_max(1, m, w), after(1, 1, 2, v);");
    EXPECT_EQ(traced("unsigned p = __reduce_or_sync(m, n); n |= p;"),
              "unsigned p = reduce_or(1, m, n); n |= p; after(1, 1, 2, n);");
}

TEST(SharedArrays, OfFileScopeArePointedToWhereTheyAreNamed) {
    const std::string pointer = " [[maybe_unused]] float* const a = ::lanewise_emulated::dynamic_shared<float>();";
    EXPECT_EQ(
        copy_of("extern __shared__ float a[];\nvoid f() { a[0] = 1; }\nvoid g() { }\nvoid h(float* a) { a[0] = 1; }\n"
                "__global__ void k() { f(); }",
                Copy::emulated),
        "\nvoid f() {" + pointer + " a[0] = 1; }\nvoid g() { }\nvoid h(float* a) { a[0] = 1; }\n__global__ void k() {" +
            pointer + " f(); }");
    EXPECT_EQ(
        copy_of(
            "extern __shared__ float a[];\n#define A(i) a[i]\nvoid f() { A(0) = 1; }\nconstexpr int g() { return 1; }",
            Copy::emulated),
        "\n#define A(i) a[i]\nvoid f() {" + pointer + " A(0) = 1; }\nconstexpr int g() { return 1; }");
    EXPECT_EQ(copy_of("extern __shared__ float a[];\n__global__ void k() { }", Copy::emulated_traced),
              "\n__global__ void k() {" + pointer + " ::lanewise_traced::dynamic_array(0, a); }");
}

TEST(Refused, IsWhatACpuCannotDoByItsName) {
    const auto refused = [](const std::string& text) {
        EXPECT_EQ(copy_of(text, Copy::gpu_traced), text);
        return replaced(replaced(copy_of(text, Copy::emulated), "_Pragma(\"GCC error \\\"", "<"),
                        " cannot be emulated: this runs on a GPU only\\\"\") ", ">");
    };
    EXPECT_EQ(refused("void f() {\n  asm volatile(\"mov.u32 %0, %%laneid;\" : \"=r\"(i)); }"),
              "void f() {\n  <inline PTX>asm volatile(\"mov.u32 %0, %%laneid;\" : \"=r\"(i)); }");
    EXPECT_EQ(refused("void f() { if (a) __asm__(\"bar.sync 0;\"); else g(); }"),
              "void f() { if (a) <inline PTX>__asm__(\"bar.sync 0;\"); else g(); }");
    EXPECT_EQ(refused("void f() { asm volatile(\"\" ::: \"memory\"); s.asm_count = 1; }"),
              "void f() { asm volatile(\"\" ::: \"memory\"); s.asm_count = 1; }");
    EXPECT_EQ(refused("#define LANE(x) asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(x))\nvoid f() { LANE(x); }"),
              "#define LANE(x) <inline PTX>asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(x))\nvoid f() { LANE(x); }");
    EXPECT_EQ(refused("__global__ void __cluster_dims__(2, 1, 1) k() { }"),
              "__global__ void <a thread block cluster>__cluster_dims__(2, 1, 1) k() { }");
    EXPECT_EQ(refused("void f() { k<<<1, 2>>>(a); b = c << 1; }"),
              "void f() { k<a launch from a kernel (<<<)><<<1, 2>>>(a); b = c << 1; }");
    EXPECT_EQ(refused("__managed__ int a;"), "<managed memory (__managed__)>__managed__ int a;");
    EXPECT_EQ(
        refused("void f() { __pipeline_commit(); v = tex2D<float>(t, 1, 2); t.tex2D(1); }"),
        "void f() { <an asynchronous copy (__pipeline_…)>__pipeline_commit(); v = <a texture>tex2D<float>(t, 1, 2); t.tex2D(1); }");
    EXPECT_EQ(refused("void f() { cuda::barrier<cuda::thread_scope_block> b; cuda::std::min(a, b); }"),
              "void f() { <libcu++'s asynchronous work (cuda::barrier, cuda::pipeline, cuda::ptx)>"
              "cuda::barrier<cuda::thread_scope_block> b; cuda::std::min(a, b); }");
    EXPECT_EQ(refused("// asm(\"\")\nusing namespace nvcuda;"),
              "// asm(\"\")\nusing namespace <tensor core arithmetic (nvcuda::wmma)>nvcuda;");
}

TEST(SharedArrays, BecomeWhatTheEmulatorCanHold) {
    EXPECT_EQ(copy_of("void f() { extern __shared__ __align__(16)\n unsigned char a[]; }", Copy::emulated),
              "void f() { unsigned char* const a = ::lanewise_emulated::dynamic_shared<unsigned char>();\n }");
    EXPECT_EQ(copy_of("void f() { extern __shared__ float a[][32]; }", Copy::emulated),
              "void f() { auto* const a = ::lanewise_emulated::dynamic_shared<float[32]>(); }");
    EXPECT_EQ(copy_of("extern __shared__ float a[];", Copy::emulated),
              "");
    EXPECT_EQ(
        copy_of("struct B { B(int*) = delete; }; void f() { int* p = new int[4]; delete[] p; delete new float(1); }",
                Copy::emulated),
        "struct B { B(int*) = delete; }; void f() { int* p = new (::lanewise_emulated::on_heap) int[4]; "
        "::lanewise_emulated::deleting_many ->* p; ::lanewise_emulated::deleting ->* new (::lanewise_emulated::on_heap) "
        "float(1); }");
    EXPECT_EQ(copy_of("void f() { __shared__ alignas(16) float a[4], b; }", Copy::emulated_traced),
              "void f() { __shared__ __align__(16) float a[4]; LANEWISE_GUARD(a) __shared__ __align__ ( 16 ) float b; "
              "LANEWISE_GUARD(b) ::lanewise_traced::shared_array(0, a); ::lanewise_traced::shared_array(1, b); }");
    EXPECT_EQ(
        copy_of("void f() { __shared__ alignas(16) float a[4]; alignas(8) int b; }", Copy::emulated),
        "void f() { __shared__ __align__(16) float a[4]; ::lanewise_emulated::use_shared(1, a); alignas(8) int b; }");
    EXPECT_EQ(copy_of("void f() { v += __shfl_sync(m, v, 0); __syncthreads(); }", Copy::emulated),
              "void f() { v += __shfl_sync(m, v, 0); __syncthreads(); }");
}

TEST(Tables, ListAssignmentsAndInitialisedDeclarations) {
    EXPECT_EQ(table("float v = in[i];"), "{1, 1, 1, \"v\", false},");
    EXPECT_EQ(table("tree[t] += tree[t + o];"), "{1, 1, 2, \"tree[t]\", true},");
    EXPECT_EQ(table("tree[t] = tree[t] + 1; *pointer = 2; link->x = 3;"),
              "{1, 1, 2, \"tree[t]\", true},{1, 1, 1, \"*pointer\", true},{1, 1, 1, \"link->x\", true},");
    EXPECT_EQ(table("v =\n a\n + v;"), "{1, 3, 2, \"v\", false},");
    EXPECT_EQ(
        table("const int a = 1, *b = p, c{3}; auto& r = x; T d(4);"),
        "{1, 1, 1, \"a\", false},{1, 1, 1, \"b\", false},{1, 1, 1, \"c\", false},{1, 1, 1, \"r\", false},{1, 1, 1, \"d\", false},");
    EXPECT_EQ(table("v = __shfl_sync(m, v, 0);"), "{1, 1, 1, \"v\", false},");
    EXPECT_EQ(table("g(v == 1); if (a <= b) h(); return v = 2;"), "{},");
    EXPECT_EQ(table("reinterpret_cast<float4*>(out)[i] = *in4;"),
              "{1, 1, 1, \"reinterpret_cast<float4*>(out)[i]\", true},");
}

TEST(Files, OfEveryShapeAreRead) {
    const char* text =
        "#pragma once\n#include <cuda_fp16.h>\n# include <cmath> // why\n"
        "template <class T, int kN = (1 > 0)> struct Sum { T v; __device__ T operator()(T a, T b) const { return a + b; }\n"
        "  __device__ Sum() : v(0) {} };\nenum class K { a, b };\nconstexpr int kTable[] = {1, 2};\n"
        "namespace inner { __device__ __forceinline__ float f(float v) { v += __shfl_xor_sync(~0u, v, 1); return v; } }\n"
        "template <> __global__ __launch_bounds__(256) void g<3>(int n) { struct L { int a; } l{1}; if (n < 3 && l.a > 2) return; }\n";
    const Reading reading = reading_of(text);
    EXPECT_EQ(reading.source(0).system_includes(),
              (std::vector<std::string>{"#include <cuda_fp16.h>", "#include <cmath>"}));
    EXPECT_NE(derived_copy(reading, 0, Copy::gpu_traced)
                  .find("v += ::lanewise_traced::shfl_xor(8, ~0u, v, 1), ::lanewise_traced::after(8, 8, 2, v);"),
              std::string::npos);
    EXPECT_TRUE(reading.units.front().files.front()->root.children.back().is_kernel);
}

TEST(Files, ThatAreBrokenAreRefusedWithTheirLine) {
    const auto sentence = [](const char* text) -> std::string {
        try {
            reading_of(text);
        } catch (const Error& error) {
            return error.what();
        }
        return "accepted";
    };
    EXPECT_EQ(sentence("void f() {\n"), "/k.cuh:1: this { is never closed");
    EXPECT_EQ(sentence("\nvoid f() )"), "/k.cuh:2: this ) closes nothing");
    EXPECT_EQ(sentence("\n\n/* open"), "/k.cuh:3: this comment is never closed with */");
    EXPECT_EQ(sentence("const char* a = \"open;\n"), "/k.cuh:1: this literal is never closed");
    EXPECT_EQ(sentence("void f() { if v > 1) g(); }"), "/k.cuh:1: this ) closes nothing");
    EXPECT_EQ(sentence("void f() { if v; }"), "/k.cuh:1: expected '(' after 'if'");
}

TEST(Files, WithAngleBracketsOfBothKinds) {
    EXPECT_EQ(traced("v += (i < n >> shift) ? __shfl_xor_sync(m, v, 1) : 0;"),
              "v += (i < n >> shift) ? shfl_xor(1, m, v, 1) : 0, after(1, 1, 2, v);");
    EXPECT_EQ(traced("g(a < b, c > d); v += __shfl_xor_sync(m, v, 1);"),
              "g(a < b, c > d); v += shfl_xor(1, m, v, 1), after(1, 1, 2, v);");
    EXPECT_EQ(traced("for (int i = 0; i < n; ++i) for (int j = 9; j > i; --j) v += __shfl_xor_sync(m, v, 1);"),
              "for (int i = 0; i < n; ++i) for (int j = 9; j > i; --j) v += shfl_xor(1, m, v, 1), after(1, 1, 2, v);");
}

}  // namespace
}  // namespace lanewise::annotate
