// The hand-over to a worker for the GPU, with a machine in its place that does what GPUs do: it computes, it fails in
// CUDA and is useless then, it never ends, it dies.
#include "common/worker/contained_gpu.hpp"

#include <chrono>
#include <cstdlib>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include "common/base/error.hpp"
#include "common/worker/wrong.testing.hpp"

namespace lanewise::worker {
namespace {

class Pretended final : public launch::Backend {
public:
    launch::Outcome run(const launch::Plan& plan, const launch::KernelSet& kernels,
                        const launch::Request& request) override {
        if (poisoned_) throw Error("every call fails now", kExitFailed);
        const std::string& kernel = plan.launches.at(0).kernel;
        kernels.find(kernel, "");
        if (kernel == "null_pointer") {
            poisoned_ = true;
            throw Error("cudaDeviceSynchronize() failed: an illegal memory access was encountered.", kExitFailed);
        }
        if (kernel == "endless_nothing") std::this_thread::sleep_for(std::chrono::hours(1));
        if (kernel == "aborts") std::abort();
        launch::Outcome outcome;
        for (const auto& spec : plan.buffers) {
            std::vector<std::byte> contents(spec.contents.begin(), spec.contents.end());
            contents.resize(spec.bytes());
            for (auto& byte : contents) byte = ~byte;
            outcome.buffers.push_back(std::move(contents));
        }
        if (request.record) {
            outcome.trace.emplace();
            outcome.trace->header.source = describe();
            outcome.trace->header.blocks = request.blocks;
            outcome.trace->header.statements.resize(1);
            outcome.trace->header.statements[0].uses = {"a", "b"};
            trace::Record record;
            record.line = 7;
            record.before[3] = 99;
            record.shared.push_back({1, 2, {3, 4}, {true, false}});
            outcome.trace->records.push_back(record);
        }
        return outcome;
    }
    trace::Source describe() const override { return {trace::SourceKind::gpu, "Pretended 1", "13.0", "9.0", ""}; }

private:
    bool poisoned_ = false;
};

std::unique_ptr<launch::Backend> make_pretended() { return std::make_unique<Pretended>(); }
std::unique_ptr<launch::Backend> make_none() { throw Error("There is no GPU here."); }

constexpr GpuParts kParts{make_pretended, generated::worker_wrong_kernels};
constexpr GpuParts kNone{make_none, generated::worker_wrong_kernels};

launch::Plan plan_of(const std::string& kernel) {
    launch::Plan plan;
    const auto in = plan.input("in", std::vector<int>{1, 2, 3});
    plan.launch(kernel, "", {1}, {32}, in);
    return plan;
}

TEST(ContainedGpu, GivesWhatItsMachineGives) {
    if (!Pool::possible()) GTEST_SKIP() << "kernels run in the program itself here";
    const auto gpu = contained_gpu(testing::pool(), kParts);
    EXPECT_EQ(gpu->describe().gpu, "Pretended 1");
    launch::Request request;
    request.record = true;
    request.blocks = {4, 5};
    for (int i = 0; i < 2; ++i) {
        const auto outcome = gpu->run(plan_of("right"), {}, request);
        EXPECT_EQ(testing::values_of<int>(outcome, 0), (std::vector<int>{~1, ~2, ~3}));
        ASSERT_TRUE(outcome.trace);
        EXPECT_EQ(outcome.trace->header.blocks, request.blocks);
        EXPECT_EQ(outcome.trace->header.statements.at(0).uses, (std::vector<std::string>{"a", "b"}));
        EXPECT_EQ(outcome.trace->records.at(0).before[3], 99u);
        EXPECT_EQ(outcome.trace->records.at(0).shared.at(0).values, (std::vector<std::uint64_t>{3, 4}));
        EXPECT_EQ(outcome.trace->records.at(0).shared.at(0).written, (std::vector<bool>{true, false}));
    }
}

TEST(ContainedGpu, AFailureIsASentenceAndTheNextRunIsFresh) {
    if (!Pool::possible()) GTEST_SKIP() << "kernels run in the program itself here";
    const auto gpu = contained_gpu(testing::pool(), kParts, {.patience = 0.3});
    const auto says = [&](const char* kernel) -> std::string {
        try {
            gpu->run(plan_of(kernel), {}, {});
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    };
    for (int i = 0; i < 3; ++i) {
        EXPECT_NE(says("null_pointer").find("illegal memory access"), std::string::npos);
        EXPECT_EQ(says("right"), "");
        EXPECT_NE(says("endless_nothing").find("did not end"), std::string::npos);
        EXPECT_EQ(says("right"), "");
        EXPECT_NE(says("aborts").find("without a message"), std::string::npos);
        EXPECT_EQ(says("right"), "");
        EXPECT_NE(says("rihgt").find("did you mean 'right'"), std::string::npos);
        EXPECT_EQ(says("right"), "");
    }
}

TEST(ContainedGpu, WhyThereIsNoneIsSaidAsBefore) {
    if (!Pool::possible()) GTEST_SKIP() << "kernels run in the program itself here";
    try {
        contained_gpu(testing::pool(), kNone);
        FAIL();
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "There is no GPU here.");
        EXPECT_EQ(error.exit_status(), kExitUsage);
    }
}

}  // namespace
}  // namespace lanewise::worker
