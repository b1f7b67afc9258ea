#include "common/run/run.hpp"
#include "common/scene/memory/memory_words.hpp"

#include <gtest/gtest.h>

#include "common/scene/cell_text.hpp"
#include "common/trace/trace_builder.testing.hpp"
#include "viz/views/memory/memory_view.hpp"
#include "viz/testing/headless.testing.hpp"
#include "viz/testing/labels.testing.hpp"
#include "viz/testing/sample_runs.hpp"
#include "viz/views/stage/scene.hpp"

namespace lanewise::viz {
namespace {

TEST(SharedMemory, WordsAreWrittenReadAndKept) {
    const auto run = samples::two_level();
    const steps::Steps& steps = run->steps;
    std::size_t store = 0, load = 0;
    for (std::size_t k = 0; k < steps.size(); ++k) {
        if (steps.steps[k].kind == StepKind::store) store = k;
        if (steps.steps[k].kind == StepKind::load && k > 0) load = k;
    }
    const auto before = shared_memory(steps, store - 1, steps.warps.front());
    ASSERT_EQ(before.size(), 1u);
    EXPECT_EQ(before[0].name, "warp_sums");
    for (const MemoryWord& word : before[0].words) EXPECT_FALSE(word.known);

    const auto written = shared_memory(steps, store, steps.warps.front());
    for (std::size_t i = 0; i < written[0].words.size(); ++i) {
        EXPECT_TRUE(written[0].words[i].written_now);
        EXPECT_EQ(written[0].words[i].by.warp, i);
        EXPECT_EQ(from_bits<float>(written[0].words[i].bits), 496.0f + 1024.0f * static_cast<float>(i));
    }
    const auto read = shared_memory(steps, load, steps.warps.front());
    EXPECT_TRUE(read[0].words[7].read_now);
    EXPECT_FALSE(read[0].words[7].written_now);
    EXPECT_EQ(read[0].words[7].lane, 7);

    // The other block has its own.
    const auto other = shared_memory(steps, store, {0, 1, 0});
    EXPECT_NE(other[0].words[0].bits, written[0].words[0].bits);
}

TEST(SharedMemory, SnapshotsOfAGpuShowValuesThatNoStoreRecorded) {
    run::Run run = *samples::two_level();
    std::erase_if(run.trace.records, [](const trace::Record& record) { return trace::is_access(record.op); });
    for (trace::Record& record : run.trace.records) {
        if (record.op == trace::Op::sync_block && record.warp == 0) {
            record.shared.push_back({1, 0, std::vector<std::uint64_t>(8, to_bits(5.0f)), {}});
        }
    }
    run.steps = steps::build_steps(run.trace);
    const auto last = shared_memory(run.steps, run.steps.size() - 1, run.steps.warps.front());
    ASSERT_EQ(last[0].words.size(), 8u);
    EXPECT_TRUE(last[0].words[3].known);
    EXPECT_EQ(from_bits<float>(last[0].words[3].bits), 5.0f);
    EXPECT_FALSE(last[0].words[3].written);
}

// One block of two warps that reads in[stride * thread], adds in a slice of global memory and stores one word.
std::shared_ptr<const run::Run> scratch_run(std::int64_t stride) {
    trace::testing::TraceBuilder made;
    const auto in = made.array("in", Space::global, static_cast<std::uint64_t>(64 * stride));
    const auto scratch = made.array("scratch", Space::global, 256);
    const auto out = made.array("out", Space::global, 4);
    for (std::uint32_t w = 0; w < 2; ++w) {
        auto warp = made.warp(1, w);
        const auto thread = [w](int lane) { return static_cast<std::int64_t>(w) * 32 + lane; };
        warp.load(
            3, in, [&](int lane) { return stride * thread(lane); },
            [&](int lane) { return static_cast<float>(thread(lane)) + 0.5f; });
        warp.store(4, scratch, [&](int lane) { return 64 + thread(lane); });
        warp.barrier(5);
        if (w == 0) {
            warp.last().shared.push_back({scratch, 64, {}, std::vector<bool>(64, true)});
            for (int i = 0; i < 64; ++i) warp.last().shared[0].values.push_back(to_bits(static_cast<float>(i) + 0.5f));
        }
        if (w == 0)
            warp.load(
                7, scratch, [](int lane) { return 64 + 2 * lane; },
                [](int lane) { return static_cast<float>(2 * lane) + 0.5f; });
        if (w == 0) warp.store(8, out, [](int) { return 1; }, 1);
    }
    made.trace.header.blocks = {1};
    return samples::run_of(std::move(made.trace), "scratch");
}

std::size_t step_of(const steps::Steps& steps, int line) {
    for (std::size_t k = 0; k < steps.size(); ++k) {
        if (steps.steps[k].line == line) return k;
    }
    ADD_FAILURE() << "no step of line " << line;
    return 0;
}

TEST(GlobalMemory, ARowOf128BytesIsFourSectors) {
    const auto run = scratch_run(1);
    const WarpRef warp{0, 1, 1};
    const GlobalUse use(run->steps, warp);
    const std::size_t load = step_of(run->steps, 3);
    ASSERT_EQ(use.array_at(load), 0u);
    EXPECT_EQ(use.rows(8), 2u);                             // of scratch; of `in` one
    EXPECT_EQ(use.window(load, 0, 2).rows.size(), 2u);      // room for what the other warp asks for
    const SectorWindow window = use.window(load, 0, 1);
    EXPECT_FALSE(window.packed);
    ASSERT_EQ(window.rows.size(), 1u);
    EXPECT_EQ(window.rows[0], (SectorRow{4, 5, 6, 7}));   // in[32…63]
    const MemoryArray words = global_memory(run->steps, load, warp, 0, window.sectors());
    for (int lane = 0; lane < 32; ++lane) {
        const MemoryWord* word = words.word(32 + lane);
        ASSERT_NE(word, nullptr);
        EXPECT_TRUE(word->read_now);
        EXPECT_EQ(word->lanes, 1u << lane);
        EXPECT_EQ(from_bits<float>(word->bits), static_cast<float>(lane) + 32.5f);
    }
    EXPECT_EQ(words.word(31), nullptr);
    EXPECT_EQ(words.word(64), nullptr);
}

TEST(GlobalMemory, StridedReadsStandSectorBySector) {
    const auto run = scratch_run(64);
    const GlobalUse use(run->steps, {0, 1, 0});
    const std::size_t load = step_of(run->steps, 3);
    const SectorWindow window = use.window(load, 0, 8);
    EXPECT_TRUE(window.packed);
    ASSERT_EQ(window.rows.size(), 8u);
    const std::vector<std::int64_t> sectors = window.sectors();
    ASSERT_EQ(sectors.size(), 32u);
    for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(sectors[i], static_cast<std::int64_t>(i) * 8);
    const SectorWindow cut = use.window(load, 0, 3);
    EXPECT_EQ(cut.rows.size(), 3u);
    EXPECT_EQ(cut.left_out, 20u);
    // One word of eight in each sector is used.
    const MemoryArray words = global_memory(run->steps, load, {0, 1, 0}, 0, sectors);
    std::size_t used = 0;
    for (const MemoryWord& word : words.words) used += word.lanes != 0;
    EXPECT_EQ(words.words.size(), 256u);
    EXPECT_EQ(used, 32u);
}

TEST(GlobalMemory, TheBlocksSliceIsShownAsAWholeAndKeepsItsPlace) {
    const auto run = scratch_run(1);
    const WarpRef warp{0, 1, 0};
    const GlobalUse use(run->steps, warp);
    for (const int line : {4, 5, 7}) {
        const std::size_t step = step_of(run->steps, line);
        ASSERT_EQ(use.array_at(step), 1u) << line;
        const SectorWindow window = use.window(step, 1, 8);
        ASSERT_EQ(window.rows.size(), 2u);
        EXPECT_EQ(window.rows[0].front(), 8);    // scratch[64]
        EXPECT_EQ(window.rows[1].back(), 15);
        const MemoryArray words = global_memory(run->steps, step, warp, 1, window.sectors());
        for (int i = 0; i < 64; ++i)
            EXPECT_EQ(from_bits<float>(words.word(64 + i)->bits), static_cast<float>(i) + 0.5f);
        EXPECT_EQ(words.word(66)->read_now, line == 7);
        EXPECT_FALSE(words.word(67)->read_now);
    }
    EXPECT_EQ(use.array_at(step_of(run->steps, 8)), 2u);   // out
    EXPECT_EQ(use.rows(8), 2u);
}

TEST(GlobalMemory, ImagesOfASliceBeginAtItsFirstElement) {
    run::Run run = *scratch_run(1);
    std::erase_if(run.trace.records, [](const trace::Record& record) { return trace::is_access(record.op); });
    run.trace.header.source.kind = trace::SourceKind::gpu;
    run.steps = steps::build_steps(run.trace);
    const WarpRef warp{0, 1, 0};
    const GlobalUse use(run.steps, warp);
    ASSERT_EQ(use.array_at(0), 1u);
    const MemoryArray words = global_memory(run.steps, 0, warp, 1, use.window(0, 1, 8).sectors());
    EXPECT_TRUE(words.word(64 + 9)->known);
    EXPECT_EQ(from_bits<float>(words.word(64 + 9)->bits), 9.5f);
}

// --- what is said --------------------------------------------------------------------------------------------------

std::vector<std::string> said(const run::Run& run, int line, const WarpRef& warp, Space space) {
    const std::size_t step = step_of(run.steps, line);
    return memory_captions(run.steps, step, warp, scene::requests_of(run.steps, step, warp), space);
}

TEST(MemoryCaptions, CountLanesBytesAndSectors) {
    using Lines = std::vector<std::string>;
    const auto dense = scratch_run(1);
    const auto strided = scratch_run(64);
    const WarpRef warp{0, 1, 0};
    EXPECT_EQ(said(*dense, 3, warp, Space::global),
              Lines{"warp 0 reads in: 32 lanes × 4 bytes = 128 bytes, 4 sectors of 32 bytes, all used"});
    EXPECT_EQ(said(*strided, 3, warp, Space::global),
              Lines{"warp 0 reads in: 32 lanes × 4 bytes = 128 bytes, 32 sectors of 32 bytes: 1024 bytes moved for 128 "
                    "used (12 %)"});
    EXPECT_EQ(said(*dense, 7, warp, Space::global), Lines{"warp 0 reads scratch: 32 lanes × 4 bytes = 128 bytes, 8 "
                                                          "sectors of 32 bytes: 256 bytes moved for 128 used (50 %)"});
    EXPECT_EQ(said(*dense, 8, warp, Space::global),
              Lines{"warp 0 writes out: 1 lane × 4 bytes, 1 sector of 32 bytes: 32 bytes moved for 4 used (12 %)"});
    EXPECT_EQ(said(*dense, 7, {0, 1, 1}, Space::global),
              Lines{"warp 1: no access to global memory in this step; other warps of its block do"});
}

// One warp that reads tree[stride * lane] and once wants one word for all.
std::shared_ptr<const run::Run> banks_run(std::int64_t stride) {
    trace::testing::TraceBuilder made;
    const auto tree = made.array("tree", Space::shared, 1024);
    auto warp = made.warp(0, 0);
    warp.load(3, tree, [&](int lane) { return stride * lane; }, [](int lane) { return static_cast<float>(lane); });
    warp.load(4, tree, [](int) { return 5; }, [](int) { return 7.0f; });
    return samples::run_of(std::move(made.trace), "banks");
}

TEST(MemoryCaptions, CountWavefrontsAndNameTheBanks) {
    using Lines = std::vector<std::string>;
    const auto shown = [](std::int64_t stride, int line) {
        return said(*banks_run(stride), line, {0, 0, 0}, Space::shared);
    };
    EXPECT_EQ(shown(1, 3), Lines{"warp 0 reads tree: 32 lanes, 1 wavefront: no bank conflict"});
    EXPECT_EQ(shown(3, 3), Lines{"warp 0 reads tree: 32 lanes, 1 wavefront: no bank conflict"});
    EXPECT_EQ(shown(16, 3), Lines{"warp 0 reads tree: 32 lanes, 16 wavefronts: 16-way bank conflict in banks 0, 16"});
    EXPECT_EQ(shown(2, 3), Lines{"warp 0 reads tree: 32 lanes, 2 wavefronts: 2-way bank conflict in 16 banks"});
    EXPECT_EQ(shown(2, 4), Lines{"warp 0 reads tree: 32 lanes, 1 wavefront: one word for all, no bank conflict"});
    const auto run = banks_run(16);
    const auto conflicts = bank_conflicts(scene::requests_of(run->steps, step_of(run->steps, 3), {0, 0, 0}));
    for (std::size_t bank = 0; bank < conflicts.size(); ++bank)
        EXPECT_EQ(conflicts[bank], bank % 16 == 0 ? 16 : 0) << bank;
}

TEST(MemoryCaptions, AreBriefWhereThereIsLittleRoom) {
    using Lines = std::vector<std::string>;
    const auto run = scratch_run(64);
    const std::size_t step = step_of(run->steps, 3);
    const auto requests = requests_of(run->steps, step, {0, 1, 0});
    EXPECT_EQ(request_captions(run->steps, requests, Space::global, true),
              Lines{"warp 0 reads in: 32 sectors of 32 bytes: 1024 bytes moved for 128 used (12 %)"});
    const auto banks = banks_run(16);
    EXPECT_EQ(request_captions(banks->steps, requests_of(banks->steps, step_of(banks->steps, 3), {0, 0, 0}),
                               Space::shared, true),
              Lines{"warp 0 reads tree: 16 wavefronts: 16-way bank conflict in banks 0, 16"});
}

TEST(MemoryCaptions, SayWhereAccessesComeFrom) {
    trace::Trace trace;
    EXPECT_EQ(scene::accesses_origin(trace), "");
    trace.header.source.kind = trace::SourceKind::gpu;
    EXPECT_NE(scene::accesses_origin(trace).find("does not record who touched which word"), std::string::npos);
    trace.header.accesses_from = "emulator";
    EXPECT_EQ(scene::accesses_origin(trace), "accesses from the emulator");

    run::Run run = *scratch_run(1);
    std::erase_if(run.trace.records, [](const trace::Record& record) { return trace::is_access(record.op); });
    run.trace.header.source.kind = trace::SourceKind::gpu;
    run.steps = steps::build_steps(run.trace);
    const auto words = memory_captions(run.steps, 0, {0, 1, 0}, {}, Space::global);
    ASSERT_EQ(words.size(), 1u);
    EXPECT_NE(words[0].find("snapshots"), std::string::npos);
}

TEST(AtomicWords, HoldWhatTheLastOneLeftAsFarAsOldValuesShow) {
    trace::testing::TraceBuilder made;
    const auto out = made.array("out", Space::global, 8);
    auto first = made.warp(0, 0);
    first.values.fill(5);
    first.atomic_add(4, out, 0, 100, 0x3);       // 100 -> 105 -> 110
    auto second = made.warp(1, 0);
    second.values.fill(7);
    second.atomic_add(4, out, 0, 110, 0x1);      // -> 117
    second.values.fill(3);
    second.atomic_add(5, out, 1, 0, 0x1);
    second.last().op = trace::Op::atomic_cas;    // found 0, offers 3: what it left is not known
    const auto run = samples::run_of(std::move(made.trace), "atomics");
    const std::size_t joined = step_of(run->steps, 4);
    for (const std::uint32_t block : {0u, 1u}) {
        const MemoryArray words = global_memory(run->steps, joined, {0, block, 0}, out, {0});
        ASSERT_TRUE(words.word(0)->known);
        // As the chosen warp left it, as on the stage.
        EXPECT_EQ(from_bits<float>(words.word(0)->bits), block == 0 ? 110.0f : 117.0f);
    }
    // After the step: what the last of them left.
    const MemoryArray later = global_memory(run->steps, step_of(run->steps, 5), {0, 0, 0}, out, {0});
    EXPECT_EQ(from_bits<float>(later.word(0)->bits), 117.0f);
    const MemoryArray words = global_memory(run->steps, step_of(run->steps, 5), {0, 1, 0}, out, {0});
    EXPECT_TRUE(words.word(1)->written);
    EXPECT_FALSE(words.word(1)->known);   // never the operand
    // The stage shows how the warp left the word, and says so.
    const Scene scene = build_scene(run->steps, joined, {0, 0, 0}, StageMetrics{});
    for (const Band& band : scene.bands) {
        if (!band.present) continue;
        ASSERT_EQ(band.words.size(), 1u);
        EXPECT_EQ(band.words[0].text, "110");
        EXPECT_EQ(band.word_rows[0].caption, "global out[0] after add");
    }
}

TEST(AtomicWords, AreNotKnownWhereTheOrderIsNot) {
    trace::testing::TraceBuilder made;
    const auto out = made.array("out", Space::global, 1);
    for (std::uint32_t block = 0; block < 2; ++block) {
        auto warp = made.warp(block, 0);
        warp.values.fill(block == 0 ? 5.0f : 6.0f);
        warp.atomic_add(4, out, 0, 100, 0x1);   // both found 100
    }
    const auto run = samples::run_of(std::move(made.trace), "atomics");
    const MemoryArray words = global_memory(run->steps, 0, {0, 0, 0}, out, {0});
    EXPECT_FALSE(words.word(0)->known);
    EXPECT_TRUE(words.word(0)->written);
}

TEST(ChangedWords, WhatAnotherThreadChangedAfterItWasRead) {
    const auto run_with = [](std::int64_t shift) {
        trace::testing::TraceBuilder made;
        const auto tree = made.array("tree", Space::shared, 64);
        made.statement(6, trace::Effect::join, "tree[thread]", true);
        auto warp = made.warp(0, 0);
        warp.values.fill(1);
        warp.store(3, tree, [](int lane) { return lane; });
        warp.barrier(4);
        warp.load(6, tree, [](int lane) { return lane; }, [](int) { return 1.0f; });
        warp.load(6, tree, [=](int lane) { return lane + shift; }, [](int) { return 1.0f; }, 0x7fffffffu);
        warp.values.fill(2);
        warp.store(6, tree, [](int lane) { return lane; });
        return samples::run_of(std::move(made.trace), "race");
    };
    // Each lane reads its neighbour's word, which that neighbour changes: a race.
    const auto racing = run_with(1);
    const auto words = shared_memory(racing->steps, step_of(racing->steps, 6), {0, 0, 0});
    EXPECT_FALSE(words[0].words[0].changed_after_read);   // read and written by lane 0 alone
    for (std::size_t i = 1; i < 32; ++i) {
        const MemoryWord& word = words[0].words[i];
        EXPECT_TRUE(word.changed_after_read) << i;
        EXPECT_EQ(word.reader_lane, static_cast<int>(i) - 1);
        EXPECT_EQ(from_bits<float>(word.read_bits), 1.0f);
        EXPECT_EQ(from_bits<float>(word.bits), 2.0f);
    }
    EXPECT_EQ(changed_text(words), "tree[1]: warp 0 lane 0 read 1, now 2; 30 more words changed after being read");
    // Nothing keeps a store of an earlier step apart from the read: warp 1 stored when warp 0 had read.
    trace::testing::TraceBuilder made;
    const auto tree = made.array("tree", Space::shared, 64);
    for (std::uint32_t w = 0; w < 2; ++w) {
        auto warp = made.warp(0, w);
        warp.values.fill(static_cast<float>(w + 1));
        warp.store(3, tree, [w](int lane) { return 32 * w + lane; });
        if (w == 0) warp.load(5, tree, [](int lane) { return 32 + lane; }, [](int) { return 0.0f; });
    }
    const auto early = samples::run_of(std::move(made.trace), "no barrier");
    EXPECT_EQ(changed_text(shared_memory(early->steps, step_of(early->steps, 5), {0, 0, 0})),
              "tree[32]: warp 0 lane 0 read 0, now 2; 31 more words changed after being read");
    // What others read is changed by no lane: a tree's round.
    const auto calm = run_with(32);
    EXPECT_EQ(changed_text(shared_memory(calm->steps, step_of(calm->steps, 6), {0, 0, 0})), "");
}

TEST(CellText, LosesNoDigitOfAFiveFigureNumberInTheNarrowestCell) {
    const scene::CellRoom columns = cell_room(20.06f, 1);   // a lane of 32 at 1280x800
    for (int value = 0; value < 100000; value += 37)
        EXPECT_EQ(scene::cell_text(Element::i32, static_cast<std::uint64_t>(value), columns), std::to_string(value));
    EXPECT_EQ(scene::cell_text(Element::i32, 130816, columns), "130k…");
    EXPECT_EQ(scene::cell_text(Element::f32, to_bits(27.53125f), columns), "27…");
    EXPECT_EQ(scene::cell_text(Element::f32, to_bits(-1.53125f), columns), "-1.5…");
    EXPECT_EQ(scene::cell_width("130k…"), 5);
}

// The elements of a wide access are drawn in a frame, one above the other.
TEST(CellText, ElementsOfAVectorHaveRoomInTheirFrame) {
    trace::testing::TraceBuilder made;
    const auto in = made.array("in", Space::global, 128);
    auto warp = made.warp(0, 0);
    warp.load_pack(3, in, 4, [](int lane) { return 4 * lane; },
                   [](int lane, int k) { return static_cast<float>((4 * lane + k) * 37 % 128) / 97.0f - 0.6f; });
    const auto run = samples::run_of(std::move(made.trace), "packs");
    testing::Headless gui(1280, 800);
    StageMetrics metrics;
    metrics.area = {0, 0, 16 + metrics.gutter + 32 * 20.06f, 400};
    const Scene scene = build_scene(run->steps, 0, {0, 0, 0}, metrics);
    ASSERT_NEAR(scene.cell, 20.06f, 0.01f);
    CellWidths widths;
    std::size_t texts = 0;
    for (const Word& word : scene.bands[0].words)
        for (const std::string& text : word.texts) widths.add(text), ++texts;
    EXPECT_EQ(texts, 128u);
    const Face face = cell_face(gui.look(), scene.cell - 2.5f, widths);
    for (const Word& word : scene.bands[0].words)
        for (const std::string& text : word.texts)
            EXPECT_LE(text_width(gui.look(), face, text), word.box.width() - 2 + 0.6f) << text;
    // As drawn at twice the size, in a window of 1280x800: none is left out.
    for (const auto& label : testing::stage_labels(RunView(run), 0, 816, 330, 2)) EXPECT_NE(label.text, "…");
}

TEST(SharedWords, StandInTheOrderOfTheirIndicesWithTheirBanksNamed) {
    trace::testing::TraceBuilder made;
    const auto tree = made.array("tree", Space::shared, 132);
    auto warp = made.warp(0, 0);
    warp.values.fill(1);
    const auto padded = [](int lane) { return 2 * lane + 2 * lane / 32; };
    warp.store(3, tree, padded);
    warp.store(4, tree, [](int lane) { return 32 + lane; });
    const auto run = samples::run_of(std::move(made.trace), "padded");
    for (std::size_t k = 0; k < run->steps.size(); ++k) {
        const Scene scene = build_scene(run->steps, k, {0, 0, 0}, StageMetrics{});
        for (const Band& band : scene.bands) {
            if (!band.present) continue;
            ASSERT_EQ(band.words.size(), 32u);
            for (std::size_t i = 1; i < 32; ++i) {
                EXPECT_GT(band.words[i].index, band.words[i - 1].index);
                EXPECT_GT(band.words[i].box.x0, band.words[i - 1].box.x0);
            }
            // In place under the banks nothing needs a name.
            EXPECT_EQ(band.words[20].tag, run->steps.steps[k].line == 3 ? "b" + std::to_string(padded(20) % 32) : "");
        }
    }
}

}  // namespace
}  // namespace lanewise::viz
