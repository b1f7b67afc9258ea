#include "common/scene/compare/source_diff.hpp"

#include <gtest/gtest.h>

namespace lanewise::scene {
namespace {

const char* const kFile = R"(// A file.
#include <cuda_fp16.h>

constexpr unsigned kFull = 0xffffffffu;

// Adds.
template <int kWidth>
__device__ float sum(float value) {
#pragma unroll
  for (int mask = kWidth / 2; mask > 0; mask /= 2) {
    value += __shfl_xor_sync(kFull, value, mask);
  }
  return value;
}
__device__ int padded(int i) { return i + i / 32; }

// One. { not a brace
template <int kBlock>
__global__ void
    one(const float* in, float* out) {
  float value = in[threadIdx.x];
  value = sum<32>(value);
  if (threadIdx.x == 0) *out = value;
}

template <int kBlock>
__global__ void
    one_more(const float* in, float* out) {
  float value = in[threadIdx.x];  // the same
  __syncthreads();
  value = sum<32>(value);
  if (threadIdx.x == 0) atomicAdd(out, value);
}
)";

using Ranges = std::vector<std::pair<int, int>>;

TEST(SourceDiff, FindsTheFunctionsThatRan) {
    EXPECT_EQ(functions_around(kFile, {11}, {}), (Ranges{{7, 14}}));
    EXPECT_EQ(functions_around(kFile, {11, 21}, {"one"}), (Ranges{{7, 14}, {18, 24}}));
    EXPECT_EQ(functions_around(kFile, {15}, {"one_more"}), (Ranges{{15, 15}, {26, 33}}));
    EXPECT_EQ(functions_around(kFile, {4}, {"on"}), Ranges{});   // no function, and another name
    EXPECT_EQ(functions_around("", {1}, {"one"}), Ranges{});
}

TEST(SourceDiff, MarksTheLinesThatOnlyOneOfThemHas) {
    const std::vector<CodeLine> code = read_code(kFile);
    const auto part = [&](int first, int last) {
        std::vector<std::pair<int, CodeLine>> lines;
        for (int i = first; i <= last; ++i) lines.emplace_back(i, code[static_cast<std::size_t>(i) - 1]);
        return lines;
    };
    std::string text;
    for (const DiffLine& line : diff_lines(part(18, 24), part(26, 33), {{"one", "one_more"}}))
        text += (line.right == 0 ? "-" : line.left == 0 ? "+" : " ") + std::to_string(line.left) + ":" +
                std::to_string(line.right) + " ";
    // A name and a comment are no difference; the barrier and the way out are.
    EXPECT_EQ(text, " 18:26  19:27  20:28  21:29 +0:30  22:31 -23:0 +0:32  24:33 ");
    EXPECT_TRUE(diff_lines({}, {}, {}).empty());
    EXPECT_EQ(diff_lines(part(1, 3), {}, {}).size(), 3u);
}

}  // namespace
}  // namespace lanewise::scene
