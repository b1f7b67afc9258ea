// Needs a GPU: what its operations cost, as far as every GPU agrees.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "common/gpu/device.hpp"
#include "common/measure/cost_kernels.hpp"
#include "common/measure/meter.hpp"
#include "common/timing/costs.hpp"

namespace lanewise::measure {

using timing::Cost;
using timing::cost_catalog;

namespace {

// Without a GPU too: a row that has no kernel, or a kernel without a row, is a slip.
TEST(CostKernels, AreThoseOfTheCatalog) {
    ASSERT_EQ(cost_kernels().size(), cost_catalog().size());
    for (std::size_t i = 0; i < cost_catalog().size(); ++i) {
        EXPECT_STREQ(cost_kernels()[i].id, cost_catalog()[i].id);
        const CostKernel& kernel = cost_kernels()[i].latency;
        EXPECT_NE(kernel.address, nullptr);
        EXPECT_EQ(kernel.expected != nullptr, kernel.check == CostCheck::value) << cost_kernels()[i].id;
    }
}

TEST(MeasuredCosts, AreWhatEveryGpuHas) {
    if (std::string why; !gpu::available(&why)) GTEST_SKIP() << why;
    const timing::CostTable table = measure_costs();
    ASSERT_EQ(table.rows.size(), cost_catalog().size());
    const auto row = [&](const std::string& id) {
        return *std::find_if(table.rows.begin(), table.rows.end(), [&](const Cost& each) { return each.id == id; });
    };
    for (const Cost& each : table.rows) {
        if (!each.lacking.empty()) continue;
        EXPECT_GT(each.latency.median, 0) << each.id;
        EXPECT_LE(each.latency.low, each.latency.high) << each.id;
    }
    EXPECT_GT(table.sm_mhz, 200);
    EXPECT_LT(table.sm_mhz, 4000);
    const Cost add = row("add_f32"), shuffle = row("shuffle_xor"), load = row("shared_load");
    EXPECT_GT(add.latency.median, 2);
    EXPECT_LT(add.latency.median, 10);
    // The quoted "one cycle" is near the issue interval, and far from the latency.
    EXPECT_GT(shuffle.latency.median, 3 * add.latency.median);
    EXPECT_LT(shuffle.latency.median, 60);
    EXPECT_GT(shuffle.throughput.median, 0.4);
    EXPECT_LT(shuffle.throughput.median, 2.1);
    EXPECT_GT(row("shared_load_32").latency.median, load.latency.median + 31);
    EXPECT_GT(row("load_l2").latency.median, 2 * row("load_l1").latency.median);
    EXPECT_GT(row("load_memory").latency.median, row("load_l2").latency.median);
    EXPECT_GT(row("atomic_one").latency.median, row("shared_atomic_one").latency.median);
    EXPECT_GT(row("atomic_one_lane").gpu_ns, 10 * row("atomic_own").gpu_ns);
    // No GPU adds floats in shared memory by one instruction.
    EXPECT_GT(row("shared_atomic_f32_own").latency.median, row("shared_atomic_own").latency.median);
    EXPECT_GT(row("atomic_f32_void_one_lane").gpu_ns, 0);
}

}  // namespace
}  // namespace lanewise::measure
