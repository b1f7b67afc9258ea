#include <gtest/gtest.h>

#include "common/trace/lane_events.hpp"

namespace lanewise::trace {
namespace {

LaneEvent collective(Op op, int line, std::uint32_t mask, std::uint64_t number) {
    LaneEvent event;
    event.op = op;
    event.line = line;
    event.mask = mask;
    event.collective = number;
    return event;
}

LaneEvent access(Op op, int line, std::uint32_t site, std::int64_t element) {
    LaneEvent event;
    event.op = op;
    event.line = line;
    event.site = site;
    event.element_index = element;
    return event;
}

std::vector<Record> assembled(const BlockEvents& events) {
    std::vector<Record> records;
    assemble(events, records);
    return records;
}

std::string summary(const std::vector<Record>& records) {
    std::string text;
    char buffer[64];
    for (const Record& record : records) {
        std::snprintf(buffer, sizeof buffer, "%s@%d:%08x ", op_name(record.op), record.line, record.active);
        text += buffer;
    }
    return text;
}

BlockEvents one_warp() {
    BlockEvents events;
    events.warps.resize(1);
    return events;
}

// Each half has its own collective; whichever half came first took the lower collective numbers.
TEST(Assemble, HalfWarpCollectivesHaveOneOrder) {
    const auto record = [](bool upper_first) {
        BlockEvents events = one_warp();
        for (std::size_t lane = 0; lane < 32; ++lane) {
            const bool upper = lane >= 16;
            const std::uint64_t first = upper == upper_first ? 0 : 10;
            const std::uint32_t mask = upper ? 0xffff0000u : 0x0000ffffu;
            for (std::uint64_t turn = 0; turn < 3; ++turn)
                events.warps[0].lanes[lane].push_back(collective(Op::shfl_down, upper ? 20 : 10, mask, first + turn));
            events.warps[0].lanes[lane].push_back(collective(Op::sync_warp, 30, 0xffffffffu, 100));
        }
        return summary(assembled(events));
    };
    EXPECT_EQ(record(false), record(true));
    EXPECT_EQ(record(false),
              "shfl_down@10:0000ffff shfl_down@10:0000ffff shfl_down@10:0000ffff "
              "shfl_down@20:ffff0000 shfl_down@20:ffff0000 shfl_down@20:ffff0000 sync_warp@30:ffffffff ");
}

TEST(Assemble, LanesDropOutOfALoop) {
    BlockEvents events = one_warp();
    for (std::size_t lane = 0; lane < 4; ++lane) {
        for (std::size_t turn = 0; turn <= lane; ++turn) {
            events.warps[0].lanes[lane].push_back(access(Op::load, 5, 1, static_cast<std::int64_t>(turn)));
            LaneEvent add = access(Op::atomic_add, 6, 0, 0);
            events.warps[0].lanes[lane].push_back(add);
        }
    }
    EXPECT_EQ(summary(assembled(events)),
              "load@5:0000000f atomic_add@6:0000000f load@5:0000000e atomic_add@6:0000000e "
              "load@5:0000000c atomic_add@6:0000000c load@5:00000008 atomic_add@6:00000008 ");
}

// for (offset = 16 …) { if (t < offset) tree[t] += tree[t + offset]; __syncthreads(); }
TEST(Assemble, SharedTree) {
    BlockEvents events = one_warp();
    std::string expected;
    for (std::size_t offset = 16; offset > 0; offset /= 2) {
        for (std::size_t lane = 0; lane < 32; ++lane) {
            auto& list = events.warps[0].lanes[lane];
            if (lane < offset) {
                // Sites number the accesses of a line as the compiler laid them out, which is not their order.
                list.push_back(access(Op::load, 8, 3, static_cast<std::int64_t>(lane + offset)));
                list.push_back(access(Op::load, 8, 1, static_cast<std::int64_t>(lane)));
                list.push_back(access(Op::store, 8, 2, static_cast<std::int64_t>(lane)));
            }
            LaneEvent barrier;
            barrier.op = Op::sync_block;
            barrier.line = 9;
            list.push_back(barrier);  // no collective number: its turn decides
        }
        char buffer[128];
        const unsigned active = static_cast<unsigned>((std::uint64_t{1} << offset) - 1);
        std::snprintf(buffer, sizeof buffer, "load@8:%08x load@8:%08x store@8:%08x sync_block@9:ffffffff ", active,
                      active, active);
        expected += buffer;
    }
    const std::vector<Record> records = assembled(events);
    EXPECT_EQ(summary(records), expected);
    EXPECT_EQ(records[0].element_index[3], 19);
    EXPECT_EQ(records[1].element_index[3], 3);
    for (std::size_t i = 0; i < records.size(); ++i) EXPECT_EQ(records[i].index, i);
}

// All lanes load, then half of them have a collective: the load stays one record.
TEST(Assemble, AnAccessOfAllLanesStaysWhole) {
    BlockEvents events = one_warp();
    for (std::size_t lane = 0; lane < 32; ++lane) {
        auto& list = events.warps[0].lanes[lane];
        list.push_back(access(Op::load, 3, 1, static_cast<std::int64_t>(lane)));
        if (lane < 16) list.push_back(collective(Op::shfl_down, 5, 0xffffu, 7));
        list.push_back(access(Op::store, 7, 2, static_cast<std::int64_t>(lane)));
    }
    EXPECT_EQ(summary(assembled(events)), "load@3:ffffffff shfl_down@5:0000ffff store@7:ffffffff ");
}

// tree[t] = t < 10 ? in[t] : 0; whichever of the two the compiler numbered first.
TEST(Assemble, LanesThatLoadNothingWaitForTheStoreOfAll) {
    for (const std::uint32_t load_site : {1u, 3u}) {
        BlockEvents events = one_warp();
        for (std::size_t lane = 0; lane < 32; ++lane) {
            auto& list = events.warps[0].lanes[lane];
            if (lane < 10) list.push_back(access(Op::load, 4, load_site, static_cast<std::int64_t>(lane)));
            list.push_back(access(Op::store, 4, 2, static_cast<std::int64_t>(lane)));
            list.push_back(collective(Op::sync_block, 5, 0, kNoCollective));
        }
        EXPECT_EQ(summary(assembled(events)), "load@4:000003ff store@4:ffffffff sync_block@5:ffffffff ");
    }
}

// for (i = t; i < n; i += 32) { sum += in[i]; if (odd) count[i] = 1; }  out[t] = sum; written above the loop in the
// text.
TEST(Assemble, LanesThatLeaveALoopWaitBehindIt) {
    BlockEvents events = one_warp();
    for (std::size_t lane = 0; lane < 32; ++lane) {
        auto& list = events.warps[0].lanes[lane];
        for (int turn = 0; turn < (lane < 5 ? 3 : 2); ++turn) {
            list.push_back(access(Op::load, 8, 1, turn));
            if (lane % 2 == 1) list.push_back(access(Op::store, 9, 2, turn));
        }
        list.push_back(access(Op::store, 3, 3, 0));
    }
    EXPECT_EQ(summary(assembled(events)),
              "load@8:ffffffff store@9:aaaaaaaa load@8:ffffffff store@9:aaaaaaaa load@8:0000001f store@9:0000000a "
              "store@3:ffffffff ");
}

// Even lanes do 4 then 6, odd lanes 6 then 4: no lane can wait for all others.
TEST(Assemble, CrossedAccessesGoByLine) {
    BlockEvents events = one_warp();
    for (std::size_t lane = 0; lane < 32; ++lane)
        for (const int line : {lane % 2 ? 6 : 4, lane % 2 ? 4 : 6})
            events.warps[0].lanes[lane].push_back(access(Op::load, line, 1, 0));
    EXPECT_EQ(summary(assembled(events)), "load@4:55555555 load@6:ffffffff load@4:aaaaaaaa ");
}

TEST(Assemble, BranchesWithoutACollectiveNumberGoByLine) {
    BlockEvents events = one_warp();
    for (std::size_t lane = 0; lane < 32; ++lane)
        events.warps[0].lanes[lane].push_back(access(Op::atomic_max, lane % 2 ? 4 : 6, 0, 0));
    EXPECT_EQ(summary(assembled(events)), "atomic_max@4:aaaaaaaa atomic_max@6:55555555 ");
}

TEST(Assemble, MisuseIsDistinguishedAndNeverHangs) {
    BlockEvents events = one_warp();
    // One collective with two masks; lane 2 waits for a collective that lane 3 reaches only after lane 2's next one.
    events.warps[0].lanes[0].push_back(collective(Op::shfl_xor, 5, 3, 1));
    events.warps[0].lanes[1].push_back(collective(Op::shfl_xor, 5, 7, 1));
    events.warps[0].lanes[2] = {collective(Op::shfl_xor, 6, 12, 2), collective(Op::shfl_xor, 7, 12, 3)};
    events.warps[0].lanes[3] = {collective(Op::shfl_xor, 7, 12, 3), collective(Op::shfl_xor, 6, 12, 2)};
    const std::vector<Record> records = assembled(events);
    std::uint32_t lanes = 0;
    int events_seen = 0;
    for (const Record& record : records) {
        lanes |= record.active;
        events_seen += __builtin_popcount(record.active);
    }
    EXPECT_EQ(lanes, 0xfu);
    EXPECT_EQ(events_seen, 6);
    EXPECT_EQ(records[0].mask, 3u);
    EXPECT_EQ(records[1].mask, 7u);
}

TEST(Assemble, ASnapshotIsCarriedOnce) {
    BlockEvents events;
    events.warps.resize(2);
    events.block = 3;
    events.snapshots = {{ArrayImage{0, 0, {1, 2}, {true, false}}}};
    for (WarpEvents& warp : events.warps)
        for (auto& lane : warp.lanes) {
            LaneEvent barrier = collective(Op::sync_block, 4, 0, 9);
            barrier.snapshot = 0;
            lane.push_back(barrier);
        }
    const std::vector<Record> records = assembled(events);
    ASSERT_EQ(records.size(), 2u);
    EXPECT_EQ(records[0].shared.size(), 1u);
    EXPECT_TRUE(records[1].shared.empty());
    EXPECT_EQ(records[1].block, 3u);
    EXPECT_EQ(records[1].warp, 1u);
}

// Active masks answer as lanes happened to run: what is around them is ordered as if they were not there.
TEST(Assemble, ActiveMasksOrderNothing) {
    const auto record = [](bool with_masks) {
        BlockEvents events = one_warp();
        for (std::size_t lane = 0; lane < 32; ++lane)
            for (int turn = 0; turn < 2; ++turn) {
                events.warps[0].lanes[lane].push_back(access(Op::atomic_add, 4, 0, 0));
                if (!with_masks || lane >= 16) continue;
                LaneEvent mask = access(Op::active_mask, 9, 0, 0);
                mask.received = lane < 8 ? 0xffu : 0xff00u;
                events.warps[0].lanes[lane].push_back(mask);
            }
        return assembled(events);
    };
    EXPECT_EQ(summary(record(false)), "atomic_add@4:ffffffff atomic_add@4:ffffffff ");
    const std::vector<Record> records = record(true);
    EXPECT_EQ(summary(records),
              "atomic_add@4:ffffffff active_mask@9:0000ffff atomic_add@4:ffffffff active_mask@9:0000ffff ");
    EXPECT_EQ(records[1].received[3], 0xffu);
    EXPECT_EQ(records[1].received[9], 0xff00u);
}

TEST(Assemble, FencesOfOneLineAndScopeAreOneRecord) {
    BlockEvents events = one_warp();
    for (std::size_t lane = 0; lane < 32; ++lane) {
        LaneEvent fence = access(Op::fence, 5, 0, 0);
        fence.arg = lane < 4 ? 2 : 1;
        events.warps[0].lanes[lane] = {fence, access(Op::atomic_add, 6, 0, 0)};
    }
    const std::vector<Record> records = assembled(events);
    EXPECT_EQ(summary(records), "fence@5:0000000f fence@5:fffffff0 atomic_add@6:ffffffff ");
    EXPECT_EQ(records[0].arg[0], 2);
    EXPECT_EQ(records[1].arg[4], 1);
}

// Without a collective number the turn decides, whatever the barrier asks besides.
TEST(Assemble, BarriersThatVote) {
    BlockEvents events = one_warp();
    for (std::size_t lane = 0; lane < 32; ++lane) {
        LaneEvent count = collective(Op::sync_block_count, 7, 0, kNoCollective);
        count.arg = lane < 9;
        count.received = 9;
        if (lane >= 16) events.warps[0].lanes[lane].push_back(access(Op::atomic_add, 20, 0, 0));
        events.warps[0].lanes[lane].push_back(collective(Op::sync_block, 6, 0, kNoCollective));
        events.warps[0].lanes[lane].push_back(count);
    }
    const std::vector<Record> records = assembled(events);
    EXPECT_EQ(summary(records), "atomic_add@20:ffff0000 sync_block@6:ffffffff sync_block_count@7:ffffffff ");
    EXPECT_EQ(records[2].arg[8], 1);
    EXPECT_EQ(records[2].arg[9], 0);
    EXPECT_EQ(records[2].received[31], 9u);
}

TEST(AttachAfter, ReductionsHaveAResultToo) {
    std::vector<LaneEvent> lane = {collective(Op::reduce_add, 10, 1, 0), collective(Op::vote_match_any, 10, 1, 1)};
    attach_after(lane, 10, 10, Element::f32, 42, Effect::replace);
    EXPECT_TRUE(lane[0].has_after);
    EXPECT_FALSE(lane[1].has_after);
}

TEST(AttachAfter, GoesToTheLastShuffleOfTheStatement) {
    std::vector<LaneEvent> lane = {collective(Op::shfl_down, 10, 1, 0), access(Op::load, 11, 0, 0),
                                   collective(Op::shfl_down, 12, 1, 1)};
    attach_after(lane, 10, 11, Element::f32, 42, Effect::join);
    EXPECT_TRUE(lane[0].has_after);
    EXPECT_EQ(lane[0].after, 42u);
    EXPECT_EQ(lane[0].effect, Effect::join);
    EXPECT_FALSE(lane[2].has_after);
    attach_after(lane, 10, 11, Element::f32, 43, Effect::replace);  // a turn of the loop without a shuffle
    EXPECT_EQ(lane[0].after, 42u);
    attach_after(lane, 90, 91, Element::f32, 44, Effect::join);
    EXPECT_FALSE(lane[2].has_after);
}

}  // namespace
}  // namespace lanewise::trace
