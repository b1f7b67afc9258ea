#include "common/trace/io.hpp"

#include <filesystem>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/base/folder_test.testing.hpp"
#include "common/trace/io.testing.hpp"
#include "common/trace/trace_builder.testing.hpp"

namespace lanewise::trace {
namespace {

using testing::expect_same;
using testing::random_trace;
using testing::TraceBuilder;
using testing::written;

// 2 blocks of 8 warps with 10 records each: what a default run leaves.
TEST(TraceFile, ADefaultRunIsSmall) {
    TraceBuilder made;
    const auto in = made.array("in", Space::global, 512);
    const auto sums = made.array("warp_sums", Space::shared, 8);
    const auto out = made.array("out", Space::global, 1);
    for (std::uint32_t block = 0; block < 2; ++block)
        for (std::uint32_t number = 0; number < 8; ++number) {
            auto warp = made.warp(block, number);
            const int first = static_cast<int>(block * 256 + number * 32);
            warp.load(3, in, [&](int lane) { return first + lane; }, [&](int lane) { return float(first + lane) / 3; });
            for (int mask = 16; mask > 0; mask /= 2) warp.shuffle_sum(5, Op::shfl_xor, mask);
            warp.store(7, sums, [&](int) { return number; }, 1);
            warp.barrier(8);
            warp.last().shared.push_back({sums, 0, {1, 2, 3, 4, 5, 6, 7, 8}, std::vector<bool>(8, true)});
            if (number == 0)
                for (int mask = 4; mask > 0; mask /= 2) warp.shuffle_sum(9, Op::shfl_xor, mask);
            if (number == 0) warp.atomic_add(10, out, 0, 0, 1);
            else warp.sync_warp(11);
        }
    EXPECT_LT(written(made.trace).size(), 300000u);
}

class SaveTrace : public lanewise::testing::FolderTest {
protected:
    std::string save_error(const std::filesystem::path& path) {
        try {
            save(path, trace);
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    }

    Trace trace = random_trace(3);
};

TEST_F(SaveTrace, SavesAndReplaces) {
    save(folder_ / "t.ndjson", trace);
    expect_same(load(folder_ / "t.ndjson"), trace);
    trace.records.pop_back();
    std::filesystem::create_symlink("t.ndjson", folder_ / "link.ndjson");
    save(folder_ / "link.ndjson", trace);
    EXPECT_EQ(load(folder_ / "t.ndjson").records.size(), trace.records.size());
    EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "link.ndjson"));
    EXPECT_EQ(files(), 2u);
}

TEST_F(SaveTrace, APartialTraceStaysPartial) {
    trace.partial = true;
    trace.partial_reason = "it was cut off";
    save(folder_ / "t.ndjson", trace);
    EXPECT_EQ(load(folder_ / "t.ndjson").partial_reason, "it was cut off");
}

TEST_F(SaveTrace, SaysWhyItCannot) {
    const std::string missing = save_error(folder_ / "no" / "t.ndjson");
    EXPECT_NE(missing.find((folder_ / "no" / "t.ndjson").string() + ": No such file"), std::string::npos) << missing;
    EXPECT_NE(save_error(folder_).find("directory"), std::string::npos);
    EXPECT_NE(save_error("/dev/full").find("No space"), std::string::npos);
    EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
    EXPECT_EQ(files(), 0u);
}

TEST_F(SaveTrace, LoadSaysWhyItCannot) {
    try {
        load(folder_ / "none.ndjson");
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("none.ndjson cannot be opened: No such file"), std::string::npos)
            << error.what();
    }
    EXPECT_THROW(load(folder_), Error);
}

TEST(TraceNames, ReadBack) {
    for (int op = 0; op <= static_cast<int>(Op::atomic_cas); ++op)
        EXPECT_EQ(op_from_name(op_name(static_cast<Op>(op))), static_cast<Op>(op));
    EXPECT_THROW(op_from_name("shfl_sideways"), Error);
}

TEST(TraceHash, IsFnv1a64) {
    EXPECT_EQ(fnv1a_hex(""), "cbf29ce484222325");
    EXPECT_EQ(fnv1a_hex("a"), "af63dc4c8601ec8c");
    EXPECT_EQ(fnv1a_hex("foobar"), "85944171f73967e8");
}

}  // namespace
}  // namespace lanewise::trace
