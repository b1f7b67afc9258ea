#include "common/cli/options.hpp"

#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/cli/flags.hpp"
#include "common/cli/testing/tiny_program.testing.hpp"

namespace lanewise::cli {
namespace {

using Arguments = std::vector<std::string>;

Options parse(const Arguments& arguments) {
    const testing::TinyProgram tiny;
    std::ostringstream out;
    return parse_options(arguments, tiny.program.lesson, out).value();
}

TEST(Options, Everything) {
    const Options o = parse({"--variant", "tiny_sum,tiny_broken",
                             "--backend", "cpu",
                             "--n",       "100",
                             "--block",   "64",
                             "--seed",    "7",
                             "--input",   "random",
                             "--order",   "descending",
                             "--step",    "3",
                             "--size",    "640x480",
                             "--focus",   "1:5",
                             "--lane",    "31",
                             "--theme",   "light",
                             "--scale",   "1.5",
                             "--color",   "never",
                             "--text"});
    EXPECT_EQ(o.variants, (Arguments{"tiny_sum", "tiny_broken"}));
    EXPECT_EQ(o.backend, runner::BackendChoice::cpu);
    EXPECT_EQ(o.n, 100u);
    EXPECT_EQ(o.block, 64u);
    EXPECT_EQ(o.seed, 7u);
    EXPECT_EQ(o.input, "random");
    EXPECT_EQ(o.order->kind, launch::Order::Kind::descending);
    EXPECT_EQ(o.step, 3u);
    EXPECT_EQ(o.width, 640);
    EXPECT_EQ(o.height, 480);
    EXPECT_EQ(o.focus_block, 1);
    EXPECT_EQ(o.focus_warp, 5);
    EXPECT_EQ(o.lane, 31);
    EXPECT_FLOAT_EQ(o.scale, 1.5f);
    EXPECT_EQ(o.dark, false);
    EXPECT_EQ(o.color, ColorChoice::never);
    EXPECT_FALSE(o.wants_window());
}

TEST(Options, OtherForms) {
    EXPECT_EQ(parse({"--n=12"}).n, 12u);
    EXPECT_EQ(parse({"--compare=tiny_sum,tiny_broken"}).compare.size(), 2u);
    EXPECT_EQ(parse({"--compare", "tiny_sum", "tiny_broken"}).compare.size(), 2u);
    EXPECT_EQ(parse({"--diff", "a", "b"}).diff, (Arguments{"a", "b"}));
    EXPECT_EQ(parse({"--order", "7"}).order->seed, 7u);
    EXPECT_TRUE(parse({}).wants_window());
    EXPECT_TRUE(parse({"--open", "x"}).wants_window());
}

// Also every flag that is added later.
TEST(Options, NoFlagTakesAnotherFlagAsItsValue) {
    const testing::TinyProgram tiny;
    CLI::App app;
    Options options;
    Raw raw;
    define_flags(app, options, raw, tiny.program.lesson);
    std::size_t seen = 0;
    for (const CLI::Option* option : app.get_options()) {
        const std::string flag = "--" + option->get_single_name();
        if (option->get_expected_min() == 0 || flag == "--help") continue;
        ++seen;
        try {
            parse({flag, "--nothing"});
            ADD_FAILURE() << flag;
        } catch (const Error& error) {
            EXPECT_EQ(std::string(error.what()).rfind(flag + " --nothing: give ", 0), 0u) << error.what();
        }
    }
    EXPECT_GT(seen, 30u);
}

// One dash begins a number, and is the terminal of --csv; what follows "=" is meant.
TEST(Options, AValueMayBeginWithOneDash) {
    EXPECT_EQ(parse({"--time", "--csv", "-"}).csv, "-");
    EXPECT_EQ(*parse({"--values", "-1,2"}).values, (std::vector<double>{-1, 2}));
    EXPECT_EQ(parse({"--open=--x"}).open, "--x");
}

struct Bad {
    Arguments arguments;
    std::vector<std::string> parts;   // what the sentence must name
};

TEST(Options, EachBadValueHasItsSentence) {
    const std::vector<Bad> table = {
        {{"--variant", "tiny_summ"}, {"'tiny_summ'", "did you mean 'tiny_sum'?"}},
        {{"--variant", "brokn"}, {"'brokn'", "did you mean 'tiny_broken'?"}},
        {{"--variant", "qqqqqqqq"}, {"'qqqqqqqq'", "tiny_sum, tiny_broken"}},
        {{"--variant"}, {"--variant needs a value"}},
        {{"--backend", "gpux"}, {"gpux", "auto, gpu, cpu, recorded"}},
        {{"--n", "0"}, {"--n 0", "1 to 268435456"}},
        {{"--n", "-3"}, {"--n -3", "1 to 268435456"}},
        {{"--n", "99999999999999999999999999"}, {"99999999999999999999999999", "out of range"}},
        {{"--n", "268435457"}, {"268435457", "out of range"}},
        {{"--n", "many"}, {"many", "not a whole number"}},
        {{"--n", "12x"}, {"12x", "not a whole number"}},
        {{"--n", "1e6"}, {"1e6", "not a whole number"}},
        {{"--n", ""}, {"--n needs a value"}},
        {{"--n"}, {"--n needs a value"}},
        {{"--n", "1", "--n", "2"}, {"--n is given more than once"}},
        {{"--block", "0"}, {"--block 0", "1 to 1024"}},
        {{"--block", "1025"}, {"--block 1025", "1 to 1024"}},
        {{"--warp", "12"}, {"--warp 12", "4, 8, 16, 32"}},
        {{"--variant", ""}, {"name is empty", "tiny_sum"}},
        {{"--screenshot", "a.jpg"}, {"--screenshot a.jpg", "FILE.png"}},
        {{"--screenshot", "a.svg"}, {"--screenshot a.svg", "--export a.svg"}},
        {{"--time", "--csv", "/no/such/folder/a.csv"}, {"--csv /no/such/folder/a.csv", "/no/such/folder"}},
        {{"--warp", "8", "--time"}, {"--warp 8", "leave out --time"}},
        {{"--warp", "8", "--backend", "gpu"}, {"--warp 8", "leave out --backend gpu"}},
        {{"--warp", "8", "--text"}, {"--warp 8", "so do all variants of this lesson"}},
        {{"--seed", "-1"}, {"--seed -1"}},
        {{"--order", "sideways"}, {"sideways", "ascending, descending or a seed"}},
        {{"--step", "0"}, {"--step 0"}},
        {{"--step", "two"}, {"--step two"}},
        {{"--size", "0x0"}, {"--size 0x0", "1600x900"}},
        {{"--size", "100000x100000"}, {"100000x100000", "8192"}},
        {{"--size", "big"}, {"--size big", "1600x900"}},
        {{"--scale", "0"}, {"--scale 0", "0.5 to 4"}},
        {{"--theme", "drak"}, {"--theme drak", "did you mean 'dark'?"}},
        {{"--focus", "3"}, {"--focus 3", "BLOCK:WARP"}},
        {{"--focus", "0:99"}, {"--focus 0:99", "BLOCK:WARP"}},
        {{"--lane", "32"}, {"--lane 32", "0 to 31"}},
        {{"--color", "blue"}, {"blue", "auto, always, never"}},
        {{"--diff", "a"}, {"--diff needs two values"}},
        {{"--compare", "tiny_sum"}, {"--compare tiny_sum", "two to four", "A,B"}},
        {{"--compare", "tiny_sum,tiny_broken,tiny_sum"}, {"tiny_sum is named twice"}},
        {{"--compare", "tiny_sum,tiny_broken,tiny_sum,tiny_broken,tiny_sum"}, {"5 variants", "room for 4"}},
        {{"--tree", "--rounding"}, {"--tree and --rounding"}},
        {{"--boxes", "--tree"}, {"--tree and --boxes"}},
        {{"--compare", "tiny_sum,other"}, {"'other'"}},
        {{"--describe"}, {"--step K"}},
        {{"--describe", "--step", "1", "--timings"}, {"--time describes what --timings draws"}},
        {{"--open", "x", "--check"}, {"--open x"}},
        {{"--save-trace", "f", "--variant", "tiny_sum,tiny_broken"}, {"--save-trace f", "2"}},
        {{"--record", "d", "--warp", "8"}, {"--record d", "--warp"}},
        {{"--record", "d", "--n", "5"}, {"--record d", "leave out"}},
        {{"--predict", "--variant", "tiny_sum"}, {"--predict --variant: give gentle, exam or list."}},
        {{"--backend", "--text"}, {"--backend --text: give auto, gpu, cpu or recorded."}},
        {{"--n", "--rows", "3"}, {"--n --rows: give COUNT; --help shows how."}},
        {{"--variant", "--text"}, {"--variant --text: give A[,B...]"}},
        {{"--compare", "--text"}, {"--compare --text: give A,B[,C[,D]]"}},
        {{"--diff", "a", "--text"}, {"--diff a --text: give A B"}},
        {{"--save-trace", "--text"}, {"--save-trace --text: give FILE"}},
        {{"--predict", "--nowhere"}, {"--predict --nowhere: give gentle, exam or list."}},
        {{"--txet"}, {"--txet", "did you mean --text?"}},
        {{"-x"}, {"-x", "--help"}},
        {{"loose"}, {"'loose'", "--help"}},
    };
    for (const auto& bad : table) {
        testing::TinyProgram tiny;
        const auto answer = tiny(bad.arguments);
        const std::string flags = bad.arguments.empty() ? "" : bad.arguments.front() + " " + bad.arguments.back();
        EXPECT_EQ(answer.status, kExitUsage) << flags;
        EXPECT_EQ(answer.out, "") << flags;
        EXPECT_EQ(std::count(answer.err.begin(), answer.err.end(), '\n'), 1) << flags << ": " << answer.err;
        for (const auto& part : bad.parts)
            EXPECT_NE(answer.err.find(part), std::string::npos) << flags << ": " << answer.err;
    }
}

TEST(Options, HelpAndVersion) {
    testing::TinyProgram tiny;
    const auto help = tiny({"--help"});
    EXPECT_EQ(help.status, kExitOk);
    for (const char* flag :
         {"--list",     "--variant", "--backend",    "--n ",   "--block",      "--warp",   "--seed",   "--input",
          "--order",    "--text",    "--check",      "--time", "--save-trace", "--record", "--open",   "--diff",
          "--describe", "--step",    "--screenshot", "--size", "--compare",    "--help",   "--version"})
        EXPECT_NE(help.out.find(flag), std::string::npos) << flag;
    const auto version = tiny({"--version"});
    EXPECT_EQ(version.status, kExitOk);
    EXPECT_EQ(version.out.rfind("Lanewise ", 0), 0u) << version.out;
}

TEST(Options, AFileSaysHowManyValuesThereAre) {
    testing::TinyProgram tiny;
    const auto path = tiny.folder.write("three.txt", "1 2 3").string();
    Options options;
    options.input = path;
    EXPECT_EQ(runner::choose_inputs(tiny.program.lesson.find("tiny_sum"), options).n, 3u);
    options.n = 4;
    EXPECT_THROW(runner::choose_inputs(tiny.program.lesson.find("tiny_sum"), options), Error);
    const auto answer = tiny({"--text", "--input", path, "--n", "4"});
    EXPECT_EQ(answer.status, kExitUsage);
    EXPECT_NE(answer.err.find("holds 3 numbers"), std::string::npos) << answer.err;
}

}  // namespace
}  // namespace lanewise::cli
