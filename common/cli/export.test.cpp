// --export and --interactive on a whole command line.
#include <gtest/gtest.h>

#include "common/base/text.testing.hpp"
#include "common/cli/program.hpp"
#include "common/cli/testing/tiny_program.testing.hpp"

namespace lanewise::cli {
namespace {

using lanewise::testing::contains;
using testing::slurp;
using testing::TinyProgram;

TEST(ExportFlag, WritesAPageAndATableOfValues) {
    TinyProgram tiny;
    const auto page = tiny.path("run 测试.html"), table = tiny.path("run.csv");
    const auto answer = tiny({"--export", page, "--backend", "cpu", "--step", "2", "--lane", "5"});
    EXPECT_EQ(answer.status, kExitOk) << answer.err;
    EXPECT_TRUE(contains(answer.out, "run 测试.html"));
    const std::string html = slurp(page);
    EXPECT_TRUE(html.starts_with("<!doctype html>"));
    EXPECT_TRUE(contains(html, "emulator · ascending"));
    EXPECT_TRUE(contains(html, "\"open\":{\"block\":-1,\"lane\":5,\"step\":1,\"warp\":-1}"));
    EXPECT_EQ(tiny({"--export", table, "--backend", "cpu", "--variant", "tiny_sum"}).status, kExitOk);
    EXPECT_TRUE(slurp(table).starts_with("launch,block,warp,lane,step,"));
}

TEST(ExportFlag, TakesASavedTraceAndSeveralVariants) {
    TinyProgram tiny;
    const auto trace = tiny.path("t.ndjson"), page = tiny.path("t.html");
    tiny({"--save-trace", trace, "--backend", "cpu"});
    const auto opened = tiny({"--open", trace, "--export", page});
    EXPECT_EQ(opened.status, kExitOk) << opened.err;
    EXPECT_TRUE(contains(slurp(page), "file t.ndjson"));
    const auto both = tiny({"--compare", "tiny_sum,tiny_broken", "--export", page, "--backend", "cpu"});
    EXPECT_EQ(both.status, kExitOk) << both.err;
    EXPECT_TRUE(contains(slurp(page), "\"variant\":\"tiny_broken\""));
}

TEST(ExportFlag, SaysWhatIsWrong) {
    TinyProgram tiny;
    const std::pair<std::vector<std::string>, const char*> wrong[] = {
        {{"--export", "run.pdf"}, ".html"},
        {{"--export", "run"}, ".csv"},
        {{"--export", "/no/such/folder/run.csv", "--backend", "cpu"}, "/no/such/folder/run.csv"},
        {{"--export", "run.csv", "--variant", "shufle"}, "shufle"},
        {{"--export", "run.csv", "--compare", "tiny_sum,tiny_broken"}, "one variant"},
        {{"--export", "run.csv", "--time"}, "--csv"},
        {{"--export", "run.html", "--step", "99", "--backend", "cpu"}, "--step 99"},
        {{"--export", "run.svg", "--backend", "cpu"}, "LANEWISE_WINDOW"}};
    for (const auto& [arguments, part] : wrong) {
        const auto answer = tiny(arguments);
        EXPECT_EQ(answer.status, kExitUsage) << part;
        EXPECT_TRUE(contains(answer.err, part)) << answer.err;
    }
}

TEST(InteractiveFlag, NeedsTheTerminalForItself) {
    TinyProgram tiny;
    const auto with_list = tiny({"--interactive", "--list"});
    EXPECT_EQ(with_list.status, kExitUsage);
    EXPECT_TRUE(contains(with_list.err, "--list"));
    EXPECT_EQ(tiny({"--interactive", "--compare", "tiny_sum,tiny_broken"}).status, kExitUsage);
}

}  // namespace
}  // namespace lanewise::cli
