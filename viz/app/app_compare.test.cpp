#include <algorithm>
#include <chrono>
#include <functional>
#include <mutex>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/trace/trace_builder.testing.hpp"
#include "viz/app/session.testing.hpp"

namespace lanewise::viz::testing {
namespace {

TEST(AppComparison, CompareShowsTwoAndComesBackToTheSameStep) {
    Session session(request_of("warp_sum_xor"));
    session.press(Key::right);
    session.press(Key::right);
    session.press(letter('C'));
    EXPECT_TRUE(session.app.comparing());
    EXPECT_NE(session.app.title().find("xor | down"), std::string::npos);
    session.press(Key::right);
    session.press(Key::tab);   // the right-hand side
    EXPECT_NE(session.app.state().find("compare=block_sum_two_level"), std::string::npos) << session.app.state();
    session.press(Key::escape);
    EXPECT_FALSE(session.app.comparing());
    EXPECT_EQ(session.app.playhead().step, 3u);
    EXPECT_EQ(session.app.playhead().count, 6u);
}

// Block 1 alone makes the second load: both panes show it there, and block 0 again where it works.
TEST(AppComparison, BothPanesShowABlockThatWorks) {
    run::Presentation presentation = samples::presentation();
    presentation.services.run = [](const std::string& variant) {
        trace::testing::TraceBuilder made;
        const auto in = made.array("in", trace::Space::global, 64);
        for (std::uint32_t block = 0; block < 2; ++block) {
            auto warp = made.warp(block, 0);
            for (std::uint32_t turn = 0; turn <= block; ++turn)
                warp.load(3 + static_cast<int>(turn), in, [](int lane) { return lane; }, [](int) { return 1.0f; });
        }
        return samples::run_of(std::move(made.trace), variant);
    };
    presentation.services.run_beside = nullptr;
    Session session(request_of("warp_sum_xor"), presentation);
    session.press(letter('C'));
    const auto warps = [&] {
        std::vector<std::uint32_t> blocks;
        for (const auto& side : session.app.comparison_view().scene().sides) blocks.push_back(side.warp.block);
        return blocks;
    };
    EXPECT_EQ(warps(), (std::vector<std::uint32_t>{0, 0}));
    session.press(Key::right);
    EXPECT_EQ(warps(), (std::vector<std::uint32_t>{1, 1}));
    session.press(Key::left);
    EXPECT_EQ(warps(), (std::vector<std::uint32_t>{0, 0}));
}

TEST(AppComparison, TheFirstComparisonIsOfTheSameSize) {
    run::Presentation presentation = samples::presentation();
    for (run::VariantInfo& info : presentation.variants) info.n = info.name == "warp_sum_down" ? 8 : 32;
    presentation.variants[3].compared_with = "warp_sum_xor";
    Session session(request_of("warp_sum_xor"), presentation);
    session.press(letter('C'));
    EXPECT_EQ(session.app.compared(), (std::vector<std::string>{"warp_sum_xor", "block_sum_shared"}));
}

TEST(AppComparison, ComparedRunsAreAskedForTogether) {
    run::Presentation presentation = samples::presentation();
    std::vector<std::string> asked;
    presentation.services.run_beside = [&, run = presentation.services.run](const std::string& variant,
                                                                            const std::vector<std::string>& beside) {
        asked.push_back(variant + " of " + std::to_string(beside.size()));
        return run(variant);
    };
    Session session(request_of("warp_sum_xor"), presentation);
    EXPECT_TRUE(asked.empty());
    session.press(letter('C'));
    std::sort(asked.begin(), asked.end());
    EXPECT_EQ(asked, (std::vector<std::string>{"warp_sum_down of 2", "warp_sum_xor of 2"}));
    EXPECT_EQ(session.app.comparison_view().scene().sides.size(), 2u);
    session.press(Key::escape);
    EXPECT_EQ(session.app.playhead().count, 6u);
    EXPECT_EQ(asked.size(), 2u);
}

TEST(AppComparison, TheVersionBeforeStandsBesideTheLastGoodRunWhereASaveDoesNotCompile) {
    run::Presentation presentation = samples::presentation();
    auto saved = std::make_shared<run::EditedFile>();
    *saved = {1, "kernels.cuh", presentation.source, {}, 0};
    std::shared_ptr<const run::EditedFile> now = saved;
    std::mutex mutex;
    presentation.services.edited = [&] {
        const std::lock_guard lock(mutex);
        return now;
    };
    presentation.services.run = [edited = presentation.services.edited,
                                 run = presentation.services.run](const std::string& variant) {
        if (edited()->line > 0) throw Error("it does not compile");
        return samples::run_of(run(variant)->trace, variant);
    };
    Session session(request_of("warp_sum_xor"), presentation);
    const auto save = [&](std::uint64_t version, int line) {
        const std::lock_guard lock(mutex);
        now = std::make_shared<const run::EditedFile>(
            run::EditedFile{version, "kernels.cuh", saved->text, line > 0 ? "no such variable" : "", line});
    };
    const auto frames_until = [&](const std::function<bool()>& there) {
        for (int i = 0; i < 1000 && !there(); ++i) {
            session.frame();
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
        return there();
    };
    save(2, 0);
    ASSERT_TRUE(frames_until([&] { return session.app.edit_state() == "shown=2 saved=2 problem=none"; }));
    save(3, 7);
    session.frame();
    session.app.press(letter('S'), true);
    EXPECT_TRUE(frames_until([&] { return session.app.comparison_view().scene().sides.size() == 2; }));
    EXPECT_EQ(session.app.edit_state(), "shown=2 saved=3 problem=7");
}

TEST(AppComparison, TextAndSourcesStayWithinReachOfAComparison) {
    Session session(request_of("warp_sum_xor"));
    session.press(letter('C'));
    const CompareView& view = session.app.comparison_view();
    EXPECT_FALSE(view.sources_shown());
    session.press(letter('S'));
    EXPECT_TRUE(view.sources_shown());
    EXPECT_FALSE(view.places().sources.empty());
    session.press(letter('L'));
    EXPECT_FALSE(view.places().text.empty());
    EXPECT_TRUE(session.app.panels().show_text);   // those of one variant stay as they were
    session.press(letter('L'));
    session.press(letter('S'));
    EXPECT_TRUE(view.places().text.empty());
    EXPECT_TRUE(view.places().sources.empty());
}

TEST(AppComparison, AComparisonGrowsToFourAndShrinksAgainByKeys) {
    Session session(request_of("warp_sum_xor"));
    const auto press = [&](Key key, bool shift = false) {
        session.press(key, shift);
        session.frame();   // the runs have come: they are aligned
    };
    press(letter('C'));
    press(letter('C'));
    press(letter('C'));
    EXPECT_EQ(session.app.compared(),
              (std::vector<std::string>{"warp_sum_xor", "warp_sum_down", "block_sum_two_level", "block_sum_shared"}));
    press(letter('C'));   // four are the most
    EXPECT_EQ(session.app.compared().size(), 4u);
    EXPECT_EQ(session.app.comparison_view().scene().sides.size(), 4u);
    EXPECT_EQ(session.app.playhead().count, session.app.comparison_view().steps.size());
    // The chosen side, not the first one, is what Tab and Shift C change.
    EXPECT_EQ(session.app.comparison_view().chosen, 3u);
    press(letter('X'));
    EXPECT_EQ(session.app.comparison_view().chosen, 0u);
    press(letter('X'));
    press(letter('C'), true);
    EXPECT_EQ(session.app.compared(),
              (std::vector<std::string>{"warp_sum_xor", "block_sum_two_level", "block_sum_shared"}));
    session.app.apply({Intent::Kind::uncompare, 1});
    session.app.settle();   // fewer runs may share another input
    session.frame();
    EXPECT_EQ(session.app.variant(), "block_sum_two_level");
    EXPECT_EQ(session.app.comparison_view().scene().sides.size(), 2u);
    press(Key::escape);
    EXPECT_FALSE(session.app.comparing());
    EXPECT_EQ(session.app.playhead().count, samples::two_level()->steps.size());
    press(letter('C'));   // those of before
    EXPECT_EQ(session.app.compared(), (std::vector<std::string>{"block_sum_two_level", "block_sum_shared"}));
}

TEST(AppComparison, StagesOfAComparisonAreWalkedTogether) {
    run::WindowRequest request = request_of("");
    request.compare = {"warp_sum_xor", "block_sum_two_level", "block_sum_shared"};
    request.has_step = true;
    request.step = 4;
    Session session(request);
    EXPECT_EQ(session.app.playhead().step, 4u);   // a place, as the timeline counts
    session.press(Key::home);
    std::size_t places = 0, last = 0;
    while (session.app.playhead().step + 1 < session.app.playhead().count) {
        session.press(Key::right, true);
        ASSERT_GT(session.app.playhead().step, last);
        last = session.app.playhead().step;
        ++places;
    }
    EXPECT_LT(places + 1, session.app.playhead().count);
}

TEST(AppComparison, TheTreeTakesThePlaceOfTheStageAlsoInAComparison) {
    Session session(request_of("warp_sum_xor"));
    session.press(letter('V'));
    EXPECT_TRUE(session.app.tree_open());
    EXPECT_EQ(session.app.tree().scene().boxes.size(), 63u);
    session.press(letter('C'));
    session.frame();
    EXPECT_EQ(session.app.comparison_view().sides[1].tree.scene().boxes.size(), 63u);
    session.press(letter('V'));
    EXPECT_FALSE(session.app.tree_open());
    EXPECT_TRUE(session.app.comparing());
}

TEST(AppComparison, TheLensTakesThePlaceOfTheStageAlsoInAComparison) {
    Session session(request_of("warp_sum_xor"));
    session.press(letter('R'));
    EXPECT_TRUE(session.app.rounding_open());
    session.press(letter('C'));
    session.app.settle();
    session.frame();
    EXPECT_TRUE(session.app.comparing());
    EXPECT_TRUE(session.app.rounding_open());
    session.press(Key::escape);
    EXPECT_FALSE(session.app.rounding_open());
    EXPECT_TRUE(session.app.comparing());
}

}  // namespace
}  // namespace lanewise::viz::testing
