#include "common/timing/costs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "common/base/error.hpp"
#include "common/base/folder_test.testing.hpp"
#include "common/base/text.testing.hpp"
#include "common/timing/costs.testing.hpp"
#include "common/timing/files.hpp"

namespace lanewise::timing {
namespace {

using lanewise::testing::contains;
using testing::made_up_costs;

class Costs : public lanewise::testing::FolderTest {
protected:
    std::filesystem::path write(const std::string& text) const {
        std::ofstream(folder_ / "costs.json") << text;
        return folder_ / "costs.json";
    }
    std::string refusal(const std::string& text) const {
        try {
            load_costs(write(text));
        } catch (const Error& error) {
            return error.what();
        }
        return "it was read";
    }
};

Cost row_of(const char* id, double latency, double per_cycle) {
    const CostInfo* info = cost_info(id);
    Cost row{info->id, info->group, info->name, info->quoted};
    if (latency > 0) row.latency = {latency, latency, latency, 9};
    if (per_cycle > 0) row.throughput = {per_cycle, per_cycle, per_cycle, 9};
    return row;
}

TEST_F(Costs, TheCatalogNamesEachOnceAndKeepsGroupsTogether) {
    std::set<std::string> ids, groups;
    std::string group;
    for (const CostInfo& info : cost_catalog()) {
        EXPECT_TRUE(ids.insert(info.id).second) << info.id;
        if (info.group != group) {
            EXPECT_TRUE(groups.insert(info.group).second) << info.group << " stands twice";
        }
        group = info.group;
        EXPECT_EQ(cost_info(info.id), &info);
    }
    EXPECT_GT(ids.size(), 30u);
    EXPECT_EQ(cost_info("shuffle"), nullptr);
}

TEST_F(Costs, AShuffleHasAThroughputAndALatency) {
    const Cost shuffle = row_of("shuffle_xor", 23.9, 0.998);
    EXPECT_EQ(cost_text(shuffle), "Throughput of an SM: one shuffle a cycle; latency: 23.9 cycles.");
    EXPECT_EQ(quoted_text(shuffle),
              "Commonly quoted: 1 cycle; that is the throughput, not the latency, which is 23.9 times as long.");
}

TEST_F(Costs, SentencesFollowTheFigures) {
    EXPECT_EQ(cost_text(row_of("add_f32", 4, 3.98)),
              "Throughput of an SM: 3.98 additions a cycle; latency: 4 cycles.");
    EXPECT_EQ(cost_text(row_of("ballot", 12, 0.5)),
              "Throughput of an SM: one vote every 2 cycles; latency: 12 cycles.");
    EXPECT_EQ(cost_text(row_of("syncthreads_8", 31.5, 0)), "A barrier takes 31.5 cycles.");
    EXPECT_EQ(cost_text(row_of("threadfence", 900, 0.01)),
              "Throughput of an SM: one fence every 100 cycles; the warp goes on 900 cycles later.");
    Cost atomic = row_of("atomic_void_one", 40, 0.02);
    atomic.gpu_ns = 0.0567;
    EXPECT_EQ(cost_text(atomic),
              "Throughput of an SM while all work: one atomic every 50 cycles; a warp by itself starts one every "
              "40 cycles; one lane's takes 0.057 ns of the whole GPU.");
    EXPECT_EQ(cost_text(Cost{}), "Nothing was measured.");
    Cost lacking = row_of("reduce_add", 0, 0);
    lacking.lacking = "It needs sm_80.";
    EXPECT_EQ(cost_text(lacking), "It needs sm_80.");
}

TEST_F(Costs, AQuotedFigureIsSaidToBeWhatItIs) {
    EXPECT_EQ(quoted_text(row_of("shared_load", 28.9, 1)),
              "Commonly quoted: 20 cycles, about the latency, which is 28.9 cycles here.");
    EXPECT_EQ(quoted_text(row_of("load_memory", 800, 0.1)),
              "Commonly quoted: 400 cycles; the latency here is 2 times that.");
    EXPECT_EQ(quoted_text(row_of("add_f32", 4, 4)), "");
    EXPECT_EQ(quoted_text(row_of("shuffle_xor", 0, 0)), "");
}

TEST_F(Costs, NumbersHaveThreeDigits) {
    EXPECT_EQ(cost_number(23.94), "23.9");
    EXPECT_EQ(cost_number(289.6), "290");
    EXPECT_EQ(cost_number(0.25), "0.25");
    EXPECT_EQ(cost_number(3.996), "4");
    EXPECT_EQ(cost_number(99.96), "100");
    EXPECT_EQ(cost_number(0.00234), "0.0023");
    EXPECT_EQ(cost_number(0), "0");
    EXPECT_EQ(cost_number(1234.5), "1234");
}

TEST_F(Costs, ComeBackFromAFile) {
    CostTable table = made_up_costs();
    table.before = GpuState{1980, 3201, 41, 0, ""};
    save(folder_ / "costs.json", table);
    const CostTable back = load_costs(folder_ / "costs.json");
    EXPECT_TRUE(back.recorded);
    EXPECT_EQ(cost_origin(back), "Made-up GPU · recorded 2026-11-21");
    EXPECT_EQ(cost_origin(table), "Made-up GPU · measured 2026-11-21");
    EXPECT_EQ(to_json(back), to_json(table));
    ASSERT_EQ(back.rows.size(), cost_catalog().size());
    EXPECT_EQ(back.rows[1].latency.median, table.rows[1].latency.median);
    EXPECT_EQ(back.before->temperature_c, 41);
    EXPECT_FALSE(back.after);
}

TEST_F(Costs, AFileThatIsNoTableIsRefused) {
    EXPECT_TRUE(contains(refusal("{}"), "its 'format' is not 'lanewise costs'"));
    EXPECT_TRUE(contains(refusal("hello"), "is not a table of costs"));
    std::string text = to_json(made_up_costs());
    const auto changed = [&](const std::string& from, const std::string& to) {
        std::string other = text;
        other.replace(other.find(from), from.size(), to);
        return refusal(other);
    };
    EXPECT_TRUE(contains(changed("\"version\": 1", "\"version\": 9"), "newer Lanewise"));
    EXPECT_TRUE(contains(changed("\"samples\": 100", "\"samples\": 0"), "is not a figure"));
    EXPECT_TRUE(contains(changed("\"low\": ", "\"low\": 9"), "is not a figure"));
    EXPECT_TRUE(contains(changed("\"rows\"", "\"lines\""), "Record it again"));
    EXPECT_THROW(load_costs(folder_ / "none.json"), Error);
}

TEST_F(Costs, CsvHasALineForEach) {
    std::istringstream lines(to_csv(made_up_costs()));
    std::string line, heading;
    std::getline(lines, heading);
    std::size_t count = 0;
    for (bool quoted = false; std::getline(lines, line); ++count) {
        std::ptrdiff_t fields = 1;
        for (const char c : line) {
            quoted ^= c == '"';
            fields += c == ',' && !quoted;
        }
        EXPECT_EQ(fields, 1 + std::count(heading.begin(), heading.end(), ',')) << line;
    }
    EXPECT_EQ(count, cost_catalog().size());
}


}  // namespace
}  // namespace lanewise::timing
