// The stepper without a terminal: keys, the screen, the stage in characters, every step of a run.
#include <sstream>

#include <gtest/gtest.h>

#include "common/base/element.hpp"
#include "common/base/error.hpp"
#include "common/run/run.hpp"
#include "common/scene/part.hpp"
#include "common/steps/testing/programs.testing.hpp"
#include "common/terminal/keys.hpp"
#include "common/terminal/request.testing.hpp"
#include "common/terminal/stage_rows.hpp"
#include "common/terminal/stepper.hpp"
#include "common/trace/io.hpp"

namespace lanewise::terminal {
namespace {

using player::Intent;
using player::Key;
using player::letter;
using steps::testing::Op;
using testing::request;
using testing::run_of;

TEST(Stepper, AChangeIsTypedAndTakenBack) {
    Request made = request();
    made.fields = [](const std::string&) { return std::vector<run::RunField>{{"n", {}, "32", ""}}; };
    made.run_changed = [run = made.run](const std::string& name, const run::RunChanges& changes) {
        if (changes[0].second == "0") throw Error("--n 0 is out of range; give 1 or more.");
        auto changed = std::make_shared<run::Run>(*run(name));
        changed->trace.header.n = 33;
        changed->steps = steps::build_steps(changed->trace);
        return std::shared_ptr<const run::Run>(changed);
    };
    Stepper stepper(made);
    stepper.apply({Intent::Kind::go_to, 3});
    const auto typed = [&](const char* text) {
        EXPECT_TRUE(stepper.apply(*player::intent_of_key(letter('/'), false, player::Surface::terminal)));
        EXPECT_TRUE(stepper.typing());
        stepper.type(text);
    };
    const auto says = [&](const std::string& text) {
        const Screen screen = stepper.draw(120, 40);
        for (int y = 0; y < screen.rows(); ++y)
            if (screen.text(y).find(text) != std::string::npos) return true;
        return false;
    };
    typed("n 34\x7f");
    EXPECT_TRUE(says("change: n 3"));
    stepper.type("3\r");
    EXPECT_FALSE(stepper.typing());
    EXPECT_EQ(stepper.changes(), (run::RunChanges{{"n", "33"}}));
    EXPECT_EQ(stepper.playhead().step, 3u);
    typed("--n=0\r");
    EXPECT_TRUE(says("--n 0 is out of range"));
    EXPECT_EQ(stepper.changes(), (run::RunChanges{{"n", "33"}}));
    typed("blocks 7\r");
    EXPECT_TRUE(says("There is no 'blocks'"));
    // At 80 columns it takes two lines, and loses nothing.
    const Screen narrow = stepper.draw(80, 24);
    std::string all;
    for (int y = 0; y < narrow.rows(); ++y) {
        const std::string line = narrow.text(y);
        all += line.substr(0, line.find_last_not_of(' ') + 1) + ' ';
    }
    EXPECT_NE(all.find("Write one with its value: n 33."), std::string::npos) << all;
    typed("n 5\x1b");
    EXPECT_EQ(stepper.changes().size(), 1u);
    stepper.apply(*player::intent_of_key(letter(','), false, player::Surface::terminal));
    EXPECT_TRUE(stepper.changes().empty());
    stepper.apply(*player::intent_of_key(letter(','), false, player::Surface::terminal));
    EXPECT_TRUE(says("nothing to undo"));
}

TEST(Stepper, AKeyGoesFromFindingToFinding) {
    Request made = request();
    made.run = [](const std::string& name) {
        trace::Trace trace = steps::testing::two_level();
        trace.findings.emplace_back();
        trace.findings[0].line = 10;
        trace.findings[0].lanes = 1u << 5;
        trace.findings[0].record = 8;   // a load, five rounds, a store and a barrier come before it
        trace.findings[0].other = trace::FindingPlace{7, 0, 5, 1, 6, {}};
        return run_of(std::move(trace), name);
    };
    Stepper stepper(made);
    const auto press = [&](bool shift) {
        stepper.apply(*player::intent_of_key(letter('E'), shift, player::Surface::terminal));
    };
    const auto line = [&] {
        return steps::build_steps(made.run("block_sum_two_level")->trace).steps[stepper.playhead().step].line;
    };
    press(false);
    EXPECT_EQ(line(), 7);
    EXPECT_EQ(stepper.warp(), (WarpRef{0, 0, 5}));
    press(false);
    EXPECT_EQ(line(), 10);
    EXPECT_EQ(stepper.warp(), (WarpRef{0, 0, 0}));
    EXPECT_EQ(stepper.lane(), 5);
    press(true);
    EXPECT_EQ(line(), 7);
}

// What is in the rows of lanes is what the scene of the step shows: source lanes, labels, values.
TEST(Stage, ShowsTheSceneOfEveryStep) {
    for (const char* name : {"collectives.ndjson", "half_mask.ndjson", "vectors.ndjson"}) {
        const auto run = run_of(trace::load(std::string(LANEWISE_GOLDEN "/") + name), name);
        const WarpRef warp = run->steps.warps.front();
        for (std::size_t k = 0; k < run->steps.size(); ++k) {
            SCOPED_TRACE(std::string(name) + ", step " + std::to_string(k + 1));
            const std::vector<Row> rows = stage_rows(run->steps, k, warp);
            const scene::Part part = scene::part_of(run->steps, k, warp);
            for (const scene::Arc& arc : part.arcs) {
                const auto from =
                    std::find_if(rows.begin(), rows.end(), [](const Row& row) { return row.label == "from lane"; });
                ASSERT_NE(from, rows.end());
                EXPECT_EQ(from->cells[static_cast<std::size_t>(arc.reader)].text, std::to_string(arc.source));
            }
            std::size_t at = 0;
            for (const scene::WarpRow& lane_row : scene::warp_rows(run->steps, k, warp)) {
                while (at < rows.size() && rows[at].label != lane_row.label) ++at;
                ASSERT_LT(at, rows.size()) << lane_row.label;
                for (std::size_t lane = 0; lane < lane_row.lanes.size(); ++lane) {
                    const Row::Cell& cell = rows[at].cells[lane];
                    ASSERT_EQ(cell.has, lane_row.lanes[lane].has_value()) << lane_row.label << " of lane " << lane;
                    if (!cell.has || !lane_row.lanes[lane]->is_value) continue;
                    EXPECT_EQ(cell.bits, lane_row.lanes[lane]->bits);
                    EXPECT_EQ(cell.type, lane_row.lanes[lane]->type);
                }
                ++at;
            }
        }
    }
}

std::string all_text(const Screen& screen) {
    std::string all;
    for (int y = 0; y < screen.rows(); ++y) all += screen.text(y) + "\n";
    return all;
}

bool shows(const Screen& screen, const std::string& text) { return all_text(screen).find(text) != std::string::npos; }

std::vector<KeyPress> keys_of(const std::string& bytes) {
    KeyDecoder decoder;
    auto keys = decoder.feed(bytes);
    for (const KeyPress& press : decoder.settle()) keys.push_back(press);
    return keys;
}

TEST(KeyDecoder, KnowsTheKeysOfManyTerminals) {
    const std::pair<const char*, KeyPress> known[] = {
        {"\033[C", {Key::right, false}}, {"\033OC", {Key::right, false}}, {"\033[1;2C", {Key::right, true}},
        {"\033[d", {Key::left, true}},   {"\033[H", {Key::home, false}},  {"\033[1~", {Key::home, false}},
        {"\033OF", {Key::end, false}},   {"\033[8~", {Key::end, false}},  {"\033[Z", {Key::tab, true}},
        {"\t", {Key::tab, false}},       {" ", {Key::space, false}},      {"=", {letter('+'), false}},
        {"w", {letter('W'), false}},     {"W", {letter('W'), true}},      {"\033", {Key::escape, false}},
        {"5", {letter('5'), false}}};
    for (const auto& [bytes, press] : known) EXPECT_EQ(keys_of(bytes), std::vector<KeyPress>{press}) << bytes + 1;
    EXPECT_TRUE(keys_of("\033[15~").empty());   // F5
    EXPECT_TRUE(keys_of("\033[200~").empty());
    EXPECT_EQ(keys_of("\033[C\033[Cq").size(), 3u);
}

TEST(KeyDecoder, ASequenceMayBeTornApart) {
    KeyDecoder decoder;
    EXPECT_TRUE(decoder.feed("\033").empty());
    EXPECT_TRUE(decoder.waits());
    EXPECT_TRUE(decoder.feed("[1;").empty());
    EXPECT_EQ(decoder.feed("2D"), (std::vector<KeyPress>{{Key::left, true}}));
    EXPECT_FALSE(decoder.waits());
}

TEST(Screen, OnlyWhatChangedIsWritten) {
    Screen a(20, 3), b(20, 3);
    b.put(0, 1, "lane 5", {.ink = Rgb{255, 0, 0}});
    const std::string change = b.sequences(&a, Depth::full);
    EXPECT_NE(change.find("38;2;255;0;0"), std::string::npos);
    EXPECT_NE(change.find("\033[2;1H"), std::string::npos);
    EXPECT_EQ(change.find("\033[1;1H"), std::string::npos);
    EXPECT_EQ(b.sequences(&b, Depth::full), "");
    EXPECT_EQ(b.sequences(&a, Depth::none).find("38;"), std::string::npos);
    EXPECT_NE(b.sequences(&a, Depth::palette).find("38;5;196"), std::string::npos);
    b.put(18, 0, "ab\033cd");   // leaves the row; no escape reaches the terminal
    EXPECT_EQ(b.text(0), "                  ab");
    EXPECT_EQ(fitted("größer als Platz", 6), "größe…");
}

TEST(Screen, ColoursFollowTheEnvironment) {
    EXPECT_EQ(depth_of("1", "truecolor", "xterm-256color"), Depth::none);
    EXPECT_EQ(depth_of("", "truecolor", "xterm"), Depth::full);
    EXPECT_EQ(depth_of(nullptr, nullptr, "xterm-256color"), Depth::palette);
    EXPECT_EQ(depth_of(nullptr, nullptr, "dumb"), Depth::none);
    EXPECT_EQ(depth_of(nullptr, nullptr, nullptr), Depth::none);
}

TEST(Stepper, ShowsEveryValueOfEveryStep) {
    Stepper stepper(request());
    const auto run = run_of(steps::testing::warp_tree(Op::shfl_down, {16, 8, 4, 2, 1}), "warp_sum_down");
    for (std::size_t k = 0; k < run->steps.size(); ++k) {
        stepper.apply({Intent::Kind::go_to, k});
        const Screen screen = stepper.draw(200, 50);
        EXPECT_TRUE(shows(screen, "step " + std::to_string(k + 1) + " of 6"));
        EXPECT_TRUE(shows(screen, "[" + run->steps.steps[k].label + "]"));
        // The last row of the stage: what is held after the step, lane by lane.
        std::string held;
        for (int y = 0; y < screen.rows(); ++y)
            if (screen.text(y).starts_with(k == 0 ? "then holds" : "after")) held = screen.text(y).substr(10);
        std::istringstream cells(held);
        const steps::LaneValues& lane_values = run->steps.lane_values(k, {0, 0, 0});
        for (std::size_t lane = 0; lane < 32; ++lane) {
            std::string text;
            cells >> text;
            EXPECT_EQ(text, format_element(lane_values.type, lane_values.bits[lane]))
                << "step " << k << " lane " << lane;
        }
    }
}

TEST(Stepper, KeysMoveThroughStepsLanesWarpsAndVariants) {
    Stepper stepper(request());
    const auto press = [&](Key key, bool shift = false) {
        const auto intent = player::intent_of_key(key, shift, player::Surface::terminal);
        return intent ? stepper.apply(*intent) : true;
    };
    press(Key::right, true);
    EXPECT_EQ(stepper.playhead().step, 1u);
    press(Key::down);
    press(Key::down);
    EXPECT_EQ(stepper.lane(), 1);
    EXPECT_TRUE(shows(stepper.draw(80, 24), "lane 1 ← lane 17"));
    press(letter('2'));
    EXPECT_EQ(stepper.variant(), "block_sum_two_level");
    press(letter('W'));
    EXPECT_EQ(stepper.warp(), (WarpRef{0, 0, 1}));
    press(letter('G'));
    EXPECT_EQ(stepper.warp(), (WarpRef{0, 1, 0}));
    press(letter('3'));
    EXPECT_EQ(stepper.variant(), "block_sum_two_level");   // what does not run leaves what is shown
    EXPECT_TRUE(shows(stepper.draw(80, 24), "broken does not run here."));
    press(letter('?'));
    EXPECT_TRUE(shows(stepper.draw(80, 24), "play or pause"));
    EXPECT_TRUE(press(Key::escape));
    EXPECT_TRUE(press(Key::escape));    // the sentence goes
    EXPECT_FALSE(press(Key::escape));   // then the program
    EXPECT_FALSE(press(letter('Q')));
}

TEST(Stepper, EverySizeHolds) {
    Stepper stepper(request());
    for (const auto& [columns, rows] : {std::pair{80, 24}, {1, 1}, {40, 12}, {39, 11}, {300, 100}, {60, 12}, {500, 14}})
        for (const player::Action& action : player::actions()) {
            stepper.apply(action.intent);
            EXPECT_EQ(stepper.draw(columns, rows).columns(), columns);
        }
}

}  // namespace
}  // namespace lanewise::terminal
