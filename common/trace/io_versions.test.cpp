#include "common/trace/diff.hpp"
#include "common/trace/io.hpp"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/trace/io.testing.hpp"
#include "common/trace/trace_builder.testing.hpp"

namespace lanewise::trace {
namespace {

using testing::error_of;
using testing::random_trace;
using testing::read_text;
using testing::TraceBuilder;
using testing::written;

TEST(TraceFile, ATeachingWarpHasFewerLanes) {
    TraceBuilder made;
    made.trace.header.warp_size = 8;
    auto warp = made.warp(0, 0);
    warp.values.fill(1);
    warp.shuffle_sum(5, Op::shfl_xor, 4, 8, 0xff);
    const std::string text = written(made.trace);
    EXPECT_EQ(read_text(text).header.warp_size, 8u);
    EXPECT_FALSE(read_text(text).partial);
    const auto changed = [&](const std::string& from, const std::string& to) {
        std::string other = text;
        return other.replace(other.find(from), from.size(), to);
    };
    for (const char* size : {"0", "2", "12", "64", "8.0", "\"8\""})
        EXPECT_NE(error_of(changed("\"warp_size\":8", std::string("\"warp_size\":") + size)), "") << size;
    EXPECT_TRUE(read_text(changed("\"warp_size\":8", "\"warp_size\":4")).records.empty());
    EXPECT_TRUE(read_text(changed("\"source\":[4,", "\"source\":[8,")).records.empty());
}

// What minor version 3 added: rows, a tolerance, parts of a value.
TEST(TraceFile, RowsToleranceAndPartsReadBack) {
    TraceBuilder made;
    made.trace.header.columns = 200;
    made.trace.header.tolerance = 0x1p-17;
    made.statement(5, Effect::replace, "other.max");
    made.trace.header.statements[0].offers = "pair.max";
    made.trace.header.statements[0].call = "merge";
    const std::string text = written(made.trace);
    const Trace read = read_text(text);
    EXPECT_EQ(read.header.columns, 200u);
    EXPECT_EQ(read.header.tolerance, 0x1p-17);
    EXPECT_EQ(read.header.statements.at(0).offers, "pair.max");
    EXPECT_EQ(read.header.statements.at(0).call, "merge");
    for (const char* wrong : {"-0.5", "2", "\"a\"", "null"}) {
        std::string other = text;
        const std::size_t at = other.find("\"tolerance\":") + 12;
        other.replace(at, other.find_first_of(",}", at) - at, wrong);
        EXPECT_NE(error_of(other), "") << wrong;
    }
    EXPECT_EQ(written(TraceBuilder().trace).find("columns"), std::string::npos);
}

// What minor version 4 added: controls, and the values of an input that no name makes again.
TEST(TraceFile, ControlsAndValuesReadBack) {
    Trace made = TraceBuilder().trace;
    EXPECT_EQ(written(made).find("controls"), std::string::npos);
    EXPECT_EQ(written(made).find("\"values\":[0"), std::string::npos);
    made.header.controls = {{"op", "xor"}, {"arg", "lane ^ 5"}};
    made.header.values = {0.1, -3, 0x1p-149};
    const std::string text = written(made);
    EXPECT_EQ(read_text(text).header.controls, made.header.controls);
    EXPECT_EQ(read_text(text).header.values, made.header.values);
    EXPECT_EQ(input_text(read_text(text).header, false), made.header.input + " · op xor · arg lane ^ 5");
    for (const char* wrong : {"[[\"op\"]]", "[\"op\"]", "{\"op\":\"xor\"}", "[[\"op\",5]]", "[[\"a\",\"b\",\"c\"]]"}) {
        std::string other = text;
        const std::string whole = "[[\"op\",\"xor\"],[\"arg\",\"lane ^ 5\"]]";
        other.replace(other.find(whole), whole.size(), wrong);
        EXPECT_NE(error_of(other), "") << wrong;
    }
    std::string other = text;
    other.replace(other.find("[0.1,"), 4, "[\"a\"");
    EXPECT_NE(error_of(other), "");
    Trace changed = made;
    changed.header.controls[1].second = "5";
    EXPECT_NE(diff(made, changed).sentence.find("arg lane ^ 5"), std::string::npos);
}

// What minor version 5 added: a hash of the kernel's code, which a changed comment leaves as it is.
TEST(TraceFile, TracesOfTheSameCodeAreCompared) {
    Trace made = TraceBuilder().trace;
    EXPECT_EQ(written(made).find("code_hash"), std::string::npos);
    made.header.code_hash = "89abcdef01234567";
    EXPECT_EQ(read_text(written(made)).header.code_hash, made.header.code_hash);
    Trace other = made;
    other.header.kernel_hash = "0";
    EXPECT_TRUE(diff(made, other).equal) << diff(made, other).sentence;
    other.header.code_hash = "0";
    EXPECT_NE(diff(made, other).sentence.find("kernel files"), std::string::npos);
    // One of before says nothing of its code.
    other.header.code_hash.clear();
    EXPECT_FALSE(diff(made, other).equal);
    other.header.kernel_hash = made.header.kernel_hash;
    EXPECT_TRUE(diff(made, other).equal);
}

TEST(TraceFile, TooManyRerunsAreNotRead) {
    Trace trace = TraceBuilder().trace;
    trace.reruns.assign(kMaxReruns, {"seed 1", {}});
    std::string text = written(trace);
    EXPECT_EQ(read_text(text).reruns.size(), kMaxReruns);
    text.insert(text.find("{\"end\""), "{\"rerun\":\"one more\",\"outputs\":[]}\n");
    EXPECT_NE(read_text(text).partial_reason.find("more than 64 reruns"), std::string::npos);
    trace.reruns.push_back({"seed 2", {}});
    EXPECT_THROW(written(trace), Error);
}

// Recorded before reductions, fences and the like had a place in a trace.
TEST(TraceFile, OlderMinorVersionsAreRead) {
    std::size_t read = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(LANEWISE_RECORDED_FOLDER)) {
        if (entry.path().extension() != ".ndjson") continue;
        const Trace trace = load(entry.path());
        EXPECT_FALSE(trace.partial) << trace.partial_reason;
        EXPECT_LE(trace.header.minor, kFormatMinor);
        EXPECT_EQ(trace.header.warp_size, 32u);
        EXPECT_FALSE(trace.records.empty());
        ++read;
    }
    EXPECT_GT(read, 0u) << "there are no recordings in " << LANEWISE_RECORDED_FOLDER;

    std::string old = written(TraceBuilder().trace);
    old.replace(old.find("\"minor\":5"), 9, "\"minor\":0");
    old.erase(old.find("\"warp_size\":32,"), 15);
    EXPECT_EQ(read_text(old).header.minor, 0);
    EXPECT_EQ(read_text(old).header.warp_size, 32u);
}

TEST(TraceFile, AnotherVersionOrAnotherFile) {
    std::string text = written(random_trace(1));
    text.replace(text.find("\"major\":1,\"minor\":5"), 19, "\"major\":2,\"minor\":6");
    const std::string sentence = error_of(text);
    EXPECT_NE(sentence.find("2.6"), std::string::npos) << sentence;
    EXPECT_NE(sentence.find("1.5"), std::string::npos) << sentence;

    EXPECT_NE(error_of("").find("t.ndjson"), std::string::npos);
    EXPECT_NE(error_of("hello\n").find("t.ndjson"), std::string::npos);
    EXPECT_NE(error_of("[1,2]\n").find("header"), std::string::npos);
    EXPECT_NE(error_of("{\"format\":\"lanewise trace\"}\n").find("t.ndjson"), std::string::npos);
    EXPECT_NE(error_of(std::string(1000000, '[')), "");
}

TEST(TraceFile, ANewerMinorVersionIsRead) {
    std::string text = written(TraceBuilder().trace);
    text = text.substr(0, text.find('\n') + 1);
    text.replace(text.find("\"minor\":5"), 9, "\"minor\":9,\"mood\":\"fine\"");
    const Trace part = read_text(text + "{\"weather\":\"sun\"}\n");
    EXPECT_EQ(part.header.minor, 9);
    EXPECT_NE(part.partial_reason.find("cut off after line 2"), std::string::npos) << part.partial_reason;
}

TEST(TraceFile, CapsHold) {
    Trace trace = TraceBuilder().trace;
    trace.findings.push_back({"deadlock", "k", 1, 0, 0, 0, 1, std::string(3 * kMaxStringBytes, 'x')});
    EXPECT_EQ(read_text(written(trace)).findings.at(0).sentence.size(), kMaxStringBytes);

    const std::string text = written(TraceBuilder().trace);
    const std::string header = text.substr(0, text.find('\n') + 1);
    EXPECT_NE(error_of(std::string(kMaxLineBytes + 10, ' ') + header).find("longer than 4 MiB"), std::string::npos);
    const Trace long_line = read_text(header + std::string(kMaxLineBytes + 10, ' ') + "\n");
    EXPECT_NE(long_line.partial_reason.find("longer than 4 MiB"), std::string::npos) << long_line.partial_reason;
    const Trace long_text = read_text(header + "{\"array\":\"" + std::string(5000, 'a') +
                                      "\",\"space\":\"shared\",\"element\":\"f32\",\"count\":1}\n");
    EXPECT_NE(long_text.partial_reason.find("longer than 4096"), std::string::npos) << long_text.partial_reason;

    // A terminal would obey these.
    Trace commanding = TraceBuilder().trace;
    commanding.header.variant = "a\x1b[2J";
    EXPECT_EQ(read_text(written(commanding)).header.variant, "a\uFFFD[2J");
}

}  // namespace
}  // namespace lanewise::trace
