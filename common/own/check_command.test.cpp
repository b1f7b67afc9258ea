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
        folder_ = fs::temp_directory_path() / ("lanewise check 核 " + std::to_string(getpid()));  // as somebody's home may be named
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
}

TEST_F(Check, AnEndlessLoopIsStopped) {
    EXPECT_EQ(check("// run: k<<<1, 32>>>(x = zeros(1))\n__global__ void k(volatile float* x) {\n    while (true) x[0] "
                    "= 1;\n}\n"),
              kExitFailed);
    EXPECT_TRUE(says("我的.cu:3: finding: runaway")) << said_;
}

// What stands outside of kernels and is needed by them runs in a worker, not here.
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
    const fs::path left = folder_ / "lanewise-left", used = folder_ / "lanewise-used", young = folder_ / "lanewise-young";
    for (const fs::path& each : {left, used, young}) {
        fs::create_directories(each);
        std::ofstream(each / "own.cpp") << "x";
    }
    for (const fs::path& each : {left, used})
        fs::last_write_time(each, fs::file_time_type::clock::now() - std::chrono::hours(1));
    const Library library(used);
    remove_left_libraries();
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
