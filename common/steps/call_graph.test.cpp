#include "common/steps/call_graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace {

using namespace lanewise;

constexpr const char* kText = R"(
__device__ float half_of(float x) {
  return x / 2;
}
__device__ float quarter_of(float x) {
  return half_of(half_of(x));
}
__device__ float square_of(float x) {
  return x * x;
}
template <int kBlock>
__global__ void __launch_bounds__(kBlock) quarter(const float* in, float* out) {
  out[0] = quarter_of(in[0]);
}
struct Twice {
  __device__ float operator()(float x) const { return 2 * x; }
};
template <int kBlock>
__global__ void __launch_bounds__(kBlock) square(const float* in, float* out) {
  out[0] = square_of(in[0]);
}
)";

// A statement in each function, on its second last line if it has more than one, as a traced build describes this file.
trace::Trace trace_of(const std::string& kernel) {
    trace::Trace trace;
    trace.header.launches.push_back({.kernel = kernel});
    for (const auto& lines : {std::pair{2, 4}, {5, 7}, {8, 10}, {11, 14}, {16, 16}, {18, 21}}) {
        trace::Statement statement;
        statement.line = statement.last_line = std::max(lines.first, lines.second - 1);
        statement.function = {lines.first, lines.second};
        trace.header.statements.push_back(statement);
    }
    return trace;
}

std::vector<int> lines_kept(const std::string& kernel, std::string_view text) {
    trace::Trace trace = trace_of(kernel);
    steps::keep_reached_statements(trace, text);
    std::vector<int> lines;
    for (const trace::Statement& statement : trace.header.statements) lines.push_back(statement.line);
    return lines;
}

TEST(ReachedStatements, AreThoseOfTheKernelAndOfWhatItCalls) {
    EXPECT_EQ(lines_kept("quarter<128>", kText), (std::vector{3, 6, 13, 16}));   // an operator may be
    EXPECT_EQ(lines_kept("square<64>", kText), (std::vector{9, 16, 20}));            // called anywhere
}

TEST(ReachedStatements, AreAllWhereNothingIsKnownOfTheKernel) {
    EXPECT_EQ(lines_kept("quarter<128>", "").size(), 6u);
    EXPECT_EQ(lines_kept("cube", kText).size(), 6u);
}

// Files of minor version 0 do not say which function a statement is in.
TEST(ReachedStatements, OfNoKnownFunctionStay) {
    trace::Trace trace = trace_of("square<64>");
    trace.header.statements.front().function = {};
    steps::keep_reached_statements(trace, kText);
    EXPECT_EQ(trace.header.statements.size(), 4u);
}

}  // namespace
