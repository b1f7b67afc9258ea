// The stepper through a pseudo-terminal: real keys in, a real screen out, and the terminal given back however it ends.
#include "common/terminal/terminal.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <sstream>

#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "common/base/element.hpp"
#include "common/base/error.hpp"
#include "common/run/run.hpp"
#include "common/scene/part.hpp"
#include "common/steps/testing/programs.testing.hpp"
#include "common/terminal/keys.hpp"
#include "common/terminal/stage_rows.hpp"
#include "common/terminal/stepper.hpp"
#include "common/trace/io.hpp"

namespace lanewise::terminal {
namespace {

using player::Intent;
using player::Key;
using player::letter;
using steps::testing::Op;

std::shared_ptr<const run::Run> run_of(trace::Trace trace, const std::string& variant) {
    auto run = std::make_shared<run::Run>();
    run->trace = std::move(trace);
    run->trace.header.variant = variant;
    run->trace.header.launches = {{variant, {2, 1, 1}, {256, 1, 1}, 0}};
    run->origin = "emulator · ascending";
    run->source =
        "// one\n// two\nfloat value = in[lane];\nfor (…)\n    value += __shfl_down_sync(mask, value, offset);\n";
    run->steps = steps::build_steps(run->trace);
    return run;
}

Request request() {
    Request made;
    made.lesson_title = "Warp shuffle";
    made.variants = {{"warp_sum_down", "down"}, {"block_sum_two_level", "two-level"}, {"broken", "broken"}};
    made.run = [](const std::string& name) {
        if (name == "broken") throw Error("broken does not run here.");
        return name == "warp_sum_down" ? run_of(steps::testing::warp_tree(Op::shfl_down, {16, 8, 4, 2, 1}), name)
                                       : run_of(steps::testing::two_level(), name);
    };
    return made;
}

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
        trace.findings[0].record = 8;   // a load, five rounds, a store and a barrier stand before it
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

// What stands in the rows of lanes is what the scene of the step tells: source lanes, labels, values.
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
            for (const scene::WarpRow& told : scene::warp_rows(run->steps, k, warp)) {
                while (at < rows.size() && rows[at].label != told.label) ++at;
                ASSERT_LT(at, rows.size()) << told.label;
                for (std::size_t lane = 0; lane < told.lanes.size(); ++lane) {
                    const Row::Cell& cell = rows[at].cells[lane];
                    ASSERT_EQ(cell.has, told.lanes[lane].has_value()) << told.label << " of lane " << lane;
                    if (!cell.has || !told.lanes[lane]->is_value) continue;
                    EXPECT_EQ(cell.bits, told.lanes[lane]->bits);
                    EXPECT_EQ(cell.type, told.lanes[lane]->type);
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

// A child that steps through in a terminal of its own.
class Session {
public:
    explicit Session(int columns = 80, int rows = 24, const char* name = "xterm-256color") {
        winsize size{};
        size.ws_col = static_cast<unsigned short>(columns);
        size.ws_row = static_cast<unsigned short>(rows);
        child_ = forkpty(&end_, nullptr, nullptr, &size);
        if (child_ == 0) {
            setenv("TERM", name, 1);
            unsetenv("NO_COLOR");
            try {
                step_through(request());
                _exit(0);
            } catch (const std::exception&) {
                _exit(2);
            }
        }
    }
    ~Session() {
        if (child_ > 0 && !waited_) {
            kill(child_, SIGKILL);
            waitpid(child_, nullptr, 0);
        }
        close(end_);
    }

    void type(const std::string& bytes) {
        EXPECT_EQ(::write(end_, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    }
    void resize(int columns, int rows) {
        winsize size{};
        size.ws_col = static_cast<unsigned short>(columns);
        size.ws_row = static_cast<unsigned short>(rows);
        ioctl(end_, TIOCSWINSZ, &size);   // the kernel sends SIGWINCH
    }
    void signal(int number) { kill(child_, number); }
    // Reads until `text` has come (since the last call), or ten seconds have passed.
    bool comes(const std::string& text) {
        const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
        while (std::chrono::steady_clock::now() < until) {
            if (const std::size_t at = fresh_.find(text); at != std::string::npos) {
                fresh_.erase(0, at + text.size());
                return true;
            }
            pollfd watched{end_, POLLIN, 0};
            if (poll(&watched, 1, 100) <= 0) continue;
            char bytes[4096];
            const ssize_t count = ::read(end_, bytes, sizeof bytes);
            if (count <= 0) return fresh_.find(text) != std::string::npos;
            fresh_.append(bytes, static_cast<std::size_t>(count));
        }
        return false;
    }
    int wait() {
        int status = 0;
        waitpid(child_, &status, 0);
        waited_ = true;
        return status;
    }
    // Does the terminal echo and gather lines, as a shell wants it?
    bool is_usual() const {
        termios now{};
        tcgetattr(end_, &now);
        return (now.c_lflag & ECHO) && (now.c_lflag & ICANON);
    }

private:
    int end_ = -1;
    pid_t child_ = -1;
    bool waited_ = false;
    std::string fresh_;
};

class Interactive : public ::testing::Test {
protected:
    void SetUp() override {
        int end = -1, other = -1;
        if (openpty(&end, &other, nullptr, nullptr, nullptr) != 0)
            GTEST_SKIP() << "there is no pseudo-terminal here (" << std::strerror(errno) << "); mount devpts";
        close(end);
        close(other);
    }
};

constexpr const char* kAlternate = "\033[?1049h";
constexpr const char* kUsual = "\033[?1049l";

TEST_F(Interactive, RealKeysStepAndQGivesTheTerminalBack) {
    Session session;
    ASSERT_TRUE(session.comes(kAlternate));
    EXPECT_TRUE(session.comes("step 1 of 6"));
    EXPECT_FALSE(session.is_usual());
    session.type("\033[C");
    EXPECT_TRUE(session.comes("step 2 of 6"));
    session.type("\033OC\033[B");
    EXPECT_TRUE(session.comes("lane 0 ← lane 8"));
    session.type("\033[F");
    EXPECT_TRUE(session.comes("step 6 of 6"));
    session.type("\033[H");
    EXPECT_TRUE(session.comes("step 1 of 6"));
    session.type("\t");
    EXPECT_TRUE(session.comes("two-level"));
    session.type("\033[Z++ ");   // back, faster twice, play
    EXPECT_TRUE(session.comes("step 3 of 6"));
    session.type("q");
    EXPECT_TRUE(session.comes(kUsual));
    EXPECT_EQ(session.wait(), 0);
    EXPECT_TRUE(session.is_usual());
}

TEST_F(Interactive, ALoneEscEnds) {
    Session session;
    ASSERT_TRUE(session.comes("step 1 of 6"));
    session.type("\033");
    EXPECT_TRUE(session.comes(kUsual));
    EXPECT_EQ(session.wait(), 0);
}

TEST_F(Interactive, ANewSizeIsDrawnAnew) {
    Session session(80, 24);
    ASSERT_TRUE(session.comes("step 1 of 6"));
    session.resize(30, 8);
    EXPECT_TRUE(session.comes("Too small: 30×8"));
    session.resize(120, 40);
    EXPECT_TRUE(session.comes("\033[40;1H"));
    session.type("q");
    EXPECT_EQ((session.comes(kUsual), session.wait()), 0);
}

TEST_F(Interactive, CtrlCAndCrashesGiveTheTerminalBack) {
    {
        Session session;
        ASSERT_TRUE(session.comes("step 1 of 6"));
        session.type("\003");
        EXPECT_TRUE(session.comes(kUsual));
        const int status = session.wait();
        EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
        EXPECT_TRUE(session.is_usual());
    }
    for (const int number : {SIGTERM, SIGHUP, SIGSEGV, SIGABRT}) {
        Session session;
        ASSERT_TRUE(session.comes("step 1 of 6"));
        session.signal(number);
        EXPECT_TRUE(session.comes(kUsual)) << number;
        EXPECT_TRUE(WIFSIGNALED(session.wait())) << number;
        EXPECT_TRUE(session.is_usual()) << number;
    }
}

TEST_F(Interactive, CtrlZGivesTheTerminalBackUntilTheProgramGoesOn) {
    Session session;
    ASSERT_TRUE(session.comes("step 1 of 6"));
    session.signal(SIGTSTP);
    EXPECT_TRUE(session.comes(kUsual));
    session.signal(SIGCONT);
    EXPECT_TRUE(session.comes(kAlternate));
    EXPECT_TRUE(session.comes("step 1 of 6"));
    session.type("q");
    EXPECT_EQ((session.comes(kUsual), session.wait()), 0);
}

TEST_F(Interactive, ATerminalThatCannotMoveItsCursorIsLeftAlone) {
    Session session(80, 24, "dumb");
    const int status = session.wait();
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 2) << status;
}

TEST_F(Interactive, WithoutATerminalItIsASentence) {
    if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)) GTEST_SKIP() << "this test itself runs in a terminal";
    try {
        step_through(request());
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("needs a terminal"), std::string::npos);
        EXPECT_EQ(error.exit_status(), 2);
    }
}

}  // namespace
}  // namespace lanewise::terminal
