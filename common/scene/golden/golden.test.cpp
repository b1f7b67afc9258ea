// What every front end draws of some runs, against files that were reviewed: golden/NAME.scene is of golden/NAME.ndjson
// or of a recording. golden/derive.py derives arcs, values, addresses and their cost from the traces alone, and holds
// the files to that. LANEWISE_WRITE_GOLDEN=1 in the environment writes the files anew.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/scene/golden/dump.testing.hpp"
#include "common/trace/io.hpp"

namespace lanewise::scene {
namespace {

namespace fs = std::filesystem;

const fs::path kGolden = LANEWISE_GOLDEN;
const fs::path kRecorded = LANEWISE_RECORDED;

// Steps point into their trace: the run stays where it is.
std::unique_ptr<const run::Run> run_of(const fs::path& path) {
    auto run = std::make_unique<run::Run>();
    run->trace = trace::load(path);
    run->steps = steps::build_steps(run->trace);
    return run;
}

struct Case {
    const char* name;
    fs::path trace;
    WarpRef warp{};
};

std::vector<Case> cases() {
    return {{"recorded_xor", kRecorded / "05_warp_shuffle/warp_sum_xor.ndjson"},
            {"recorded_up", kRecorded / "05_warp_shuffle/warp_sum_up.ndjson"},
            {"recorded_two_level", kRecorded / "05_warp_shuffle/block_sum_two_level.ndjson", {0, 1, 0}},
            {"recorded_shared_interleaved", kRecorded / "02_shared_memory/shared_tree_interleaved.ndjson"},
            {"recorded_atomic", kRecorded / "03_atomic/atomic_each.ndjson", {0, 0, 0}},
            {"collectives", kGolden / "collectives.ndjson"},
            {"half_mask", kGolden / "half_mask.ndjson"},
            {"vectors", kGolden / "vectors.ndjson"},
            {"wrong_sum", kGolden / "wrong_sum.ndjson"}};
}

std::string contents(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream all;
    all << in.rdbuf();
    return all.str();
}

TEST(Golden, EveryStepOfEachRunShowsWhatWasReviewed) {
    const bool writes = std::getenv("LANEWISE_WRITE_GOLDEN") != nullptr;
    for (const Case& each : cases()) {
        SCOPED_TRACE(each.name);
        const auto run = run_of(each.trace);
        const std::string made = testing::Dump(*run).warp(each.warp);
        const fs::path path = kGolden / (std::string(each.name) + ".scene");
        if (writes) std::ofstream(path, std::ios::binary) << made;
        const std::string golden = contents(path);
        ASSERT_FALSE(golden.empty());
        std::istringstream a(made), b(golden);
        std::string now, reviewed;
        for (int line = 1; std::getline(b, reviewed); ++line) {
            ASSERT_TRUE(std::getline(a, now)) << "line " << line << " is missing: " << reviewed;
            ASSERT_EQ(now, reviewed) << "line " << line;
        }
        EXPECT_FALSE(std::getline(a, now)) << now;
    }
}

}  // namespace
}  // namespace lanewise::scene
