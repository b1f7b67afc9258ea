#include "common/own/check_command.hpp"

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

namespace lanewise::own {
namespace {

namespace fs = std::filesystem;

const std::shared_ptr<worker::Pool>& pool() {
    static const auto made =
        worker::Pool::possible() ? std::make_shared<worker::Pool>(worker::serve_emulator) : nullptr;
    return made;
}

// Before there are threads.
[[maybe_unused]] const bool kMade = pool() != nullptr;

constexpr const char* kSum =
    "// run: block_sum<64><<<4, 64>>>(in = random(256), out = zeros(1), 256)\n"
    "// expect: out[0] ~ sum(in)\n"
    "template <int kBlock>\n"
    "__global__ void block_sum(const float* in, float* out, int n) {\n"
    "    __shared__ float partial[kBlock];\n"
    "    partial[threadIdx.x] = in[blockIdx.x * kBlock + threadIdx.x];\n"
    "    __syncthreads();\n"
    "    for (int s = kBlock / 2; s > 0; s /= 2) {\n"
    "        if (threadIdx.x < s) partial[threadIdx.x] += partial[threadIdx.x + s];\n"
    "        __syncthreads();\n"
    "    }\n"
    "    if (threadIdx.x == 0) atomicAdd(out, partial[0]);\n"
    "}\n";

class Check : public ::testing::Test {
protected:
    void SetUp() override {
        if (!pool()) GTEST_SKIP() << "kernels run in the program itself here";
        folder_ = fs::temp_directory_path() /
                  ("lanewise check 核 " + std::to_string(getpid()));  // as somebody's home may be named
        fs::create_directories(folder_);
        setenv("XDG_CACHE_HOME", LANEWISE_OWN_TEST_CACHE, 1);
        unsetenv("CXX");
    }
    void TearDown() override { fs::remove_all(folder_); }

    // Writes the text and checks it.
    int check(const std::string& text, std::vector<std::string> flags = {}) {
        std::ofstream(folder_ / "我的.cu", std::ios::binary) << text;
        flags.insert(flags.begin(), (folder_ / "我的.cu").string());
        return run(flags);
    }
    int run(const std::vector<std::string>& arguments) {
        std::ostringstream out, err;
        const int status = run_check({pool(), {}, {.seconds = 0.5, .patience = 20}}, arguments, {out, err});
        said_ = out.str() + err.str();
        return status;
    }
    bool says(const std::string& text) const { return said_.find(text) != said_.npos; }

    fs::path folder_;
    std::string said_;
};

std::string with(std::string text, const std::string& from, const std::string& to) {
    for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
    return text;
}

TEST_F(Check, FilesOfEveryEditorAreRead) {
    EXPECT_EQ(check("\xef\xbb\xbf" + with(kSum, "\n", "\r\n")), kExitOk) << said_;  // a mark of UTF-8
    EXPECT_EQ(check("\xff\xfe/\0/\0"), kExitUsage);
    EXPECT_TRUE(says("UTF-16")) << said_;
}

TEST_F(Check, KernelsInBranchesThatAreNotTakenAreNone) {
    const std::string text =
        "// run: k<<<1, 32>>>(out = zeros(32), 3)\n// expect: sum(out) == 96\n#define WAY 2\n#if WAY == 1\n"
        "__global__ void k(int* out) { out[threadIdx.x] = 1; }\n#else\n"
        "__global__ void k(int* out, int n) { out[threadIdx.x] = n; }\n#endif\n";
    EXPECT_EQ(check(text), kExitOk) << said_;
    EXPECT_EQ(check(with(text, "#else", "#elif WAY == 3")), kExitUsage);
    EXPECT_TRUE(says("no kernel")) << said_;
}

TEST_F(Check, SaysWhatIsMissing) {
    const std::string text =
        "// run: k<<<1, 32>>>(zeros(32))\n#include \"nowhere.cuh\"\n"
        "__device__ int f(int v) { int w = v * 2; }\n"
        "__global__ void k(int* out) { out[threadIdx.x] = f(1); }\n";
    EXPECT_EQ(check(text), kExitFailed);
    EXPECT_TRUE(says("我的.cu:3: finding: missing_return")) << said_;
    EXPECT_EQ(check(with(text, "f(1)", "g(1)")), kExitUsage);
    EXPECT_TRUE(says("我的.cu:4: ") && says("我的.cu:2: \"nowhere.cuh\" was not found; -I FOLDER")) << said_;
}

TEST_F(Check, ATypoInATemplateIsReportedAsOneElsewhere) {
    EXPECT_EQ(check("// run: k<1><<<1, 32>>>(zeros(32))\ntemplate <int kA>\n__global__ void k(int* out) {\n"
                    "    out[0] = __shfl_xro_sync(0xffffffffu, 1, 2);\n}\n"),
              kExitUsage);
    EXPECT_TRUE(says("我的.cu:4: ‘__shfl_xro_sync’ was not declared in this scope")) << said_;
    EXPECT_FALSE(says("permissive")) << said_;
}

TEST_F(Check, NamesTheElementThatIsWrong) {
    EXPECT_EQ(check("// run: k<<<1, 32>>>(out = zeros(32))\n// expect: out == ramp(32)\n"
                    "__global__ void k(int* out) { out[threadIdx.x] = threadIdx.x == 7 ? 0 : threadIdx.x; }\n"),
              kExitFailed);
    EXPECT_TRUE(says("out[7] is 0, expected 7")) << said_;
}

TEST_F(Check, HeadersOfTheHostThatDoNotCompileAreLeftOut) {
    // Its type is in a header that is not there, and makes the next line no C++.
    std::ofstream(folder_ / "gl.h") << "#include <GL/nowhere.h>\ntypedef GLreal (*Get)(GLint*);\n"
                                       "typedef GLint (*Ask)(void);\ntypedef void (*Set)(GLint value);\n"
                                       "__device__ int two() { return 2; }\n";
    EXPECT_EQ(check("#include \"gl.h\"\n// run: k<<<1, 32>>>(out = zeros(32))\n// expect: out[0] == 2\n"
                    "__global__ void k(int* out) { out[threadIdx.x] = two(); }\n"),
              kExitOk)
        << said_;
}

TEST_F(Check, RightKernelsAreClean) {
    EXPECT_EQ(check(kSum), kExitOk) << said_;
    EXPECT_TRUE(says("verdict: clean for this run")) << said_;
    EXPECT_TRUE(says("holds  out[0] ~ sum(in)")) << said_;
}

TEST_F(Check, WrongKernelsAreFoundWithTheirLine) {
    EXPECT_EQ(check(with(kSum, "        __syncthreads();\n", "")), kExitFailed) << said_;
    EXPECT_TRUE(says("我的.cu:9: finding: race")) << said_;
    EXPECT_TRUE(says("verdict: wrong")) << said_;
    // A result that is not what is expected is enough.
    EXPECT_EQ(check(with(kSum, "sum(in)", "max(in)")), kExitFailed) << said_;
    EXPECT_TRUE(says("DOES NOT HOLD")) << said_;
}

TEST_F(Check, WorksOutStructuresConstantsOtherKernelsAndFiles) {
    std::ofstream(folder_ / "in.txt") << "1 2 3 4";
    EXPECT_EQ(check("// run: weights = [10, 20]\n"
                    "// run: k<<<1, 4>>>({.scale = 2, .n = 4}, in = \"in.txt\", out = zeros(4), null)\n"
                    "// expect: out == [12, 24, 16, 28]\n"
                    "// expect: out == twice<<<1, 4>>>({2, 4}, \"in.txt\", out = zeros(4), null)\n"
                    "// expect: sum(out) == 80\n"
                    "struct P { float scale; int n; };\n"
                    "__constant__ float weights[2];\n"
                    "int main() { P p; k<<<1, 4>>>(p, 0, 0, 0); cudaDeviceSynchronize(); }\n"
                    "__global__ void k(P p, const float* in, float* out, const int* none) {\n"
                    "    if (threadIdx.x < p.n && !none) out[threadIdx.x] = in[threadIdx.x] * p.scale + "
                    "weights[threadIdx.x % 2];\n"
                    "}\n"
                    "__global__ void twice(P p, const float* in, float* out, const int*) {\n"
                    "    out[threadIdx.x] = weights[threadIdx.x % 2] + p.scale * in[threadIdx.x];\n"
                    "}\n"),
              kExitOk)
        << said_;
}

TEST_F(Check, SaysWhatTheCompilerSays) {
    EXPECT_EQ(check(with(kSum, "in[blockIdx", "im[blockIdx")), kExitUsage);
    EXPECT_TRUE(says("我的.cu:6: ‘im’ was not declared in this scope")) << said_;
    std::string many = "// run: k<<<1, 32>>>(zeros(1))\n__global__ void k(float* x) {\n";
    for (int i = 0; i < 200; ++i) many += "    wrong" + std::to_string(i) + " = 1;\n";
    EXPECT_EQ(check(many + "}\n"), kExitUsage);
    EXPECT_LT(said_.size(), 1000u) << said_;  // no flood
    EXPECT_TRUE(says("我的.cu:3: ")) << said_;
    // In a header: at its own line.
    std::ofstream(folder_ / "add.cuh") << "#pragma once\n__device__ float add(float a) {\n    return a + b;\n}\n";
    EXPECT_EQ(check("// run: k<<<1, 32>>>(zeros(1))\n#include \"add.cuh\"\n__global__ void k(float* x) { x[0] = "
                    "add(x[0]); }\n"),
              kExitUsage);
    EXPECT_TRUE(says("add.cuh:3: ‘b’ was not declared")) << said_;
}

TEST_F(Check, SaysWhatCannotRun) {
    const std::string asks = "// run: ", body = "\n__global__ void k(float* out, int n) { out[0] = n; }\n";
    const std::tuple<std::string, std::string> cases[] = {
        {"int main() {}\n", "has no kernel"},
        {"", "has no kernel"},
        {body, "line 2: k(float* out, int n)"},
        {body, "// run: k<<<4, 256>>>(out = zeros(1024), 1024)"},
        {asks + "k<<<1, 32>>>(zeros(1), 3)" + body + body, "there are 2 kernels named k, on lines 2 and 4"},
        {asks + "j<<<1, 32>>>(zeros(1), 3)" + body, "there is no kernel 'j'"},
        {asks + "k<<<1, 32>>>(zeros(1))" + body, "k takes 2 arguments, and 1 is given: k(float* out, int n)"},
        {asks + "k<<<1, 32>>>(3, 3)" + body, "out of k is float*: give it memory"},
        {asks + "k<<<1, 32>>>(zeros(1), zeros(1))" + body, "n of k is int: it takes a value and no memory"},
        {asks + "k<<<1, 32>>>(zeros(1), 2^40)" + body, "1099511627776 does not fit"},
        {asks + "k<<<1, 32>>>(zeros(1), 1.5)" + body, "1.5 is no whole number"},
        {asks + "k<<<2^22, 256>>>(zeros(1), 1)" + body, "more than the 67108864 threads"},
        {asks + "k<<<1, 2048>>>(zeros(1), 1)" + body, "CUDA allows up to 1024"},
        {asks + "k<<<1, 32>>>(zeros(100 * 2^30 / 4), 1)" + body, "are 100.0 GB"},
        {asks + "k<<<1, 32>>>(\"no.npy\", 1)" + body, "there is no file"},
        {asks + "k<<<1, 32>>>(x, 1)" + body, "there is no buffer 'x'"},
        {asks + "k<3><<<1, 32>>>(zeros(1), 1)" + body, "k is no template"},
    };
    for (const auto& [text, sentence] : cases) {
        EXPECT_EQ(check(text), kExitUsage) << text;
        EXPECT_TRUE(says(sentence)) << text << said_;
    }
    EXPECT_EQ(run({(folder_ / "gone.cu").string()}), kExitUsage);
    EXPECT_TRUE(says("there is no such file")) << said_;
    EXPECT_EQ(check(kSum, {"--n", "4"}), kExitUsage);
    EXPECT_TRUE(says("--n is a lesson's flag")) << said_;
    EXPECT_EQ(check(kSum, {"--run", "--text"}), kExitUsage);
    EXPECT_TRUE(says("--run --text: give --run its value before --text")) << said_;
    EXPECT_EQ(check(kSum, {"--predict", "--variant", "sum"}), kExitUsage);
    EXPECT_TRUE(says("--predict --variant: give gentle, exam or list.")) << said_;
}

TEST_F(Check, AnEndlessLoopIsStopped) {
    EXPECT_EQ(check("// run: k<<<1, 32>>>(x = zeros(1))\n__global__ void k(volatile float* x) {\n    while (true) x[0] "
                    "= 1;\n}\n"),
              kExitFailed);
    EXPECT_TRUE(says("我的.cu:3: finding: runaway")) << said_;
}

TEST_F(Check, StructuresPointToMemory) {
    const std::string text =
        "enum Mode { fast, slow };\nstruct Matrix { int width; float* words; };\nstruct Two { Matrix m; const int* "
        "order; Mode mode; };\n"
        "__global__ void twice(Matrix a, Matrix b) { b.words[threadIdx.x] = 2 * a.words[threadIdx.x]; }\n"
        "__global__ void pick(Two t, float* out) { out[threadIdx.x] = t.m.words[t.order[threadIdx.x]] + t.mode; }\n";
    EXPECT_EQ(check("// run: twice<<<1, 4>>>({4, in = ramp(8)}, {.width = 4, .words = out = zeros(4)})\n"
                    "// run: twice<<<1, 4>>>({4, out}, {4, in + 4})\n"
                    "// expect: out == [0, 2, 4, 6]\n// expect: in[4..8] == [0, 4, 8, 12]\n" +
                    text),
              kExitOk)
        << said_;
    EXPECT_EQ(check("// run: pick<<<1, 3>>>({{3, [5, 6, 7]}, [2, 0, 1], slow}, out = zeros(3))\n"
                    "// expect: out == [8, 6, 7]\n" +
                    text),
              kExitOk)
        << said_;
    EXPECT_EQ(check("// run: twice<<<1, 5>>>({4, in = ramp(4)}, {4, null})\n" + text), kExitFailed);
    EXPECT_TRUE(says("through a null pointer")) << said_;
    EXPECT_EQ(check("// run: twice<<<1, 5>>>({4, in = ramp(4)}, {4, out = zeros(8)})\n" + text), kExitFailed);
    EXPECT_TRUE(says("reads in[4] on line")) << said_;
}

TEST_F(Check, KernelsWithoutParametersAndHalves) {
    EXPECT_EQ(check("// run: k<<<2, 32>>>()\n__global__ void k() { __shared__ int a; a = threadIdx.x; }\n"),
              kExitFailed);
    EXPECT_TRUE(says("finding: race")) << said_;
    EXPECT_EQ(check("// run: k<<<1, 32>>>(x = ones(32))\n// expect: x == fill(32, 3)\n#include <cuda_fp16.h>\n"
                    "__global__ void k(half* x) { x[threadIdx.x] = __hadd(x[threadIdx.x], __float2half(2.0f)); }\n"),
              kExitOk)
        << said_;
    // Templates of the prelude that are compiled with the program.
    EXPECT_EQ(check("// run: k<<<1, 1>>>(x = zeros(2), d = zeros(1))\n// expect: x == [7, 3]\n// expect: d == [3]\n"
                    "__global__ void k(float* x, double* d) {\n    x[0] = __fmaf_rz(2.0f, 3.0f, 1.0f);\n"
                    "    x[1] = __fsqrt_ru(9.0f);\n    d[0] = __dadd_rd(1.0, 2.0);\n}\n"),
              kExitOk)
        << said_;
}

// An attribute alone makes a function inline.
TEST_F(Check, FunctionsThatAreAlwaysInline) {
    EXPECT_EQ(check("// run: k<<<1, 4>>>(x = zeros(4))\n// expect: x == fill(4, 5)\n"
                    "__device__ int five() __attribute__((always_inline));\n__device__ int five() { return 5; }\n"
                    "__global__ void k(int* x) { x[threadIdx.x] = five(); }\n"),
              kExitOk)
        << said_;
}

TEST_F(Check, KernelsOfAHeaderHaveTheirOwnLines) {
    std::ofstream(folder_ / "sums.cuh") << "\n__global__ void k(int* x) {\n    x[threadIdx.x] = 1;\n}\n";
    const std::string text = "// A file\n// of several\n// lines\n#include \"sums.cuh\"\nint main() {}\n";
    EXPECT_EQ(check(text), kExitUsage);
    EXPECT_TRUE(says("sums.cuh:2: k(int* x)")) << said_;
    EXPECT_EQ(check("// run: k<<<1, 5>>>(x = zeros(4))\n" + text), kExitFailed);
    EXPECT_TRUE(says("sums.cuh:3: finding: out_of_bounds")) << said_;
    EXPECT_TRUE(says("writes x[4] on line 3 of sums.cuh, but")) << said_;
}

// memcpy and memset are loads and stores like others: nothing beyond an array is touched.
TEST_F(Check, CopiesOfBytesAreSeen) {
    const std::string text =
        "#include <cstring>\nstruct Six { int word[6]; };\n"
        "__global__ void a(float* in, float* out, int n) { memcpy(out + 4 * threadIdx.x, in + 4 * threadIdx.x, n); }\n"
        "__global__ void b(float* in, float* out, int n) { std::memcpy(out + threadIdx.x, in + threadIdx.x, 12); }\n"
        "__global__ void c(float* out, int n) { memset(out, 0, n); }\n"
        "__global__ void d(Six* out) { Six s = {}; s.word[5] = threadIdx.x; out[0] = s; }\n";
    EXPECT_EQ(check("// run: a<<<1, 4>>>(ramp(16), out = zeros(16), 16)\n// expect: out == ramp(16)\n" + text), kExitOk)
        << said_;
    EXPECT_EQ(check("// run: a<<<1, 4>>>(in = ramp(16), zeros(16), 20)\n" + text), kExitFailed);
    EXPECT_TRUE(says("in[16]")) << said_;
    EXPECT_EQ(check("// run: b<<<1, 2>>>(ramp(4), out = zeros(4), 0)\n" + text), kExitFailed);
    EXPECT_TRUE(says("finding: race")) << said_;
    EXPECT_EQ(check("// run: c<<<1, 1>>>(out = ones(4), 20)\n" + text), kExitFailed);
    EXPECT_TRUE(says("writes out[4]")) << said_;
    // Stored 16 bytes at a time, of which the first are the same.
    EXPECT_EQ(check("// run: d<<<1, 2>>>(zeros(1))\n" + text), kExitFailed);
    EXPECT_TRUE(says("finding: race")) << said_;
}

TEST_F(Check, VirtualFunctionsOfAnObjectInSharedMemory) {
    EXPECT_EQ(
        check(
            "// run: k<<<1, 32>>>(out = zeros(32))\n// expect: out == fill(32, 7)\n#include <new>\n"
            "struct Base { __device__ virtual int get() = 0; };\n"
            "struct Seven : Base { int n; __device__ Seven() : n(7) {} __device__ int get() override { return n; } };\n"
            "__global__ void k(int* out) {\n    __shared__ alignas(8) char room[sizeof(Seven)];\n"
            "    __shared__ Base* base;\n    if (threadIdx.x == 0) base = new (room) Seven;\n    __syncthreads();\n"
            "    out[threadIdx.x] = base->get();\n}\n"),
        kExitOk)
        << said_;
}

// The block that takes the lock second is ordered after the first by its own fence; the first has none.
TEST_F(Check, ARaceThatHangsOnWhoComesFirst) {
    const std::string text =
        "// run: k<<<2, 1>>>(lock = zeros(1), x = zeros(1))\n"
        "__global__ void k(int* lock, int* x) {\n    while (atomicCAS(lock, 0, 1) != 0) {}\n"
        "    if (blockIdx.x == 1) __threadfence();\n    x[0] += 1;\n    __threadfence();\n    atomicExch(lock, "
        "0);\n}\n";
    EXPECT_EQ(check(text), kExitFailed);
    EXPECT_TRUE(says("verdict: wrong in descending order (--order descending shows it)")) << said_;
    EXPECT_TRUE(says("finding: race")) << said_;
    EXPECT_EQ(check(text, {"--order", "ascending"}), kExitOk) << said_;
}

// What is outside of kernels and is needed by them runs in a worker, not here.
TEST_F(Check, HostCodeRunsApart) {
    EXPECT_EQ(check("// run: k<<<1, 32>>>(x = zeros(1))\nstruct S { int n; S() : n(0) { for (volatile int i = 0;; ) i "
                    "= i; } };\n"
                    "static S s;\n__global__ void k(float* x) { x[0] = s.n; }\n"),
              kExitUsage)
        << said_;
    EXPECT_TRUE(says("outside of kernels")) << said_;
}

// What a program that was killed has left goes with the next one; what another one still uses stays.
TEST_F(Check, FoldersOfThoseThatWereKilledAreRemoved) {
    const char* before = std::getenv("TMPDIR");
    const std::string restored = before ? before : "";
    setenv("TMPDIR", folder_.c_str(), 1);
    const fs::path left = folder_ / "lanewise-left", used = folder_ / "lanewise-used",
                   young = folder_ / "lanewise-young";
    for (const fs::path& each : {left, used, young}) {
        fs::create_directories(each);
        std::ofstream(each / "own.cpp") << "x";
    }
    for (const fs::path& each : {left, used})
        fs::last_write_time(each, fs::file_time_type::clock::now() - std::chrono::hours(1));
    const compile::Library library(used);
    compile::remove_left_libraries();
    if (before) setenv("TMPDIR", restored.c_str(), 1);
    else unsetenv("TMPDIR");
    EXPECT_FALSE(fs::exists(left));
    EXPECT_TRUE(fs::exists(used));
    EXPECT_TRUE(fs::exists(young));
}

TEST_F(Check, SaysThatThereIsNoCompiler) {
    setenv("CXX", "/nowhere/g++", 1);
    EXPECT_EQ(check(kSum), kExitUsage);
    EXPECT_TRUE(says("CXX=/nowhere/g++: there is no such program")) << said_;
}

TEST_F(Check, ASecondProgramOrAKernelStandsBeside) {
    EXPECT_EQ(
        check(std::string(kSum) + "template <int kBlock> __global__ void first(const float* in, float* out, int n) {\n"
                                  "    atomicAdd(out, in[blockIdx.x * kBlock + threadIdx.x]);\n}\n",
              {"--compare", "block_sum,first", "--report", (folder_ / "r.sarif").string()}),
        kExitOk)
        << said_;
    EXPECT_TRUE(says("block_sum | first")) << said_;
    std::ifstream report(folder_ / "r.sarif");
    EXPECT_TRUE(report.good());
}

}  // namespace
}  // namespace lanewise::own
