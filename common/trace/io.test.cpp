#include "common/trace/io.hpp"

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <unistd.h>

#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/trace/shuffle_rule.hpp"
#include "common/trace/testing.hpp"

namespace lanewise::trace {
namespace {

using testing::TraceBuilder;

std::string written(const Trace& trace) {
    std::ostringstream out;
    write(out, trace);
    return out.str();
}

Trace read_text(const std::string& text) {
    std::istringstream in(text);
    return read(in, "t.ndjson");
}

std::string error_of(const std::string& text) {
    try {
        read_text(text);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

// What a record holds beside its lanes' values is the same text when written; so are those.
void expect_same(const Trace& a, const Trace& b) {
    EXPECT_EQ(written(a), written(b));
    ASSERT_EQ(a.records.size(), b.records.size());
    for (std::size_t i = 0; i < a.records.size(); ++i) {
        const Record& left = a.records[i];
        const Record& right = b.records[i];
        EXPECT_EQ(left.op, right.op);
        EXPECT_EQ(left.active, right.active);
        EXPECT_EQ(left.has_after, right.has_after);
        if (left.has_after && left.op == Op::load) {
            EXPECT_EQ(left.after_type, right.after_type);
        }
        EXPECT_EQ(left.undefined, right.undefined);
        EXPECT_EQ(left.elements, right.elements);
        EXPECT_EQ(left.width, right.width);
        for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
            if (!(left.active >> lane & 1)) continue;
            EXPECT_EQ(left.before[lane], right.before[lane]);
            EXPECT_EQ(left.received[lane], right.received[lane]);
            EXPECT_EQ(left.after[lane], right.after[lane]);
            EXPECT_EQ(left.arg[lane], right.arg[lane]);
            EXPECT_EQ(left.effect[lane], right.effect[lane]);
            EXPECT_EQ(left.element_index[lane], right.element_index[lane]);
            EXPECT_EQ(left.value[lane], right.value[lane]);
            if (!is_shuffle(left.op)) continue;
            EXPECT_EQ(left.source[lane], right.source[lane]);
        }
        ASSERT_EQ(left.shared.size(), right.shared.size());
        for (std::size_t k = 0; k < left.shared.size(); ++k) {
            EXPECT_EQ(left.shared[k].values, right.shared[k].values);
            EXPECT_EQ(left.shared[k].written, right.shared[k].written);
            EXPECT_EQ(left.shared[k].first, right.shared[k].first);
        }
    }
}

// One record of any kind with random contents, as far as the kind has them.
Record random_record(Op op, std::mt19937_64& random, std::uint32_t index) {
    Record record;
    record.source.fill(-1);
    record.op = op;
    record.block = static_cast<std::uint32_t>(random() % 3);
    record.warp = static_cast<std::uint32_t>(random() % 32);
    record.index = index;
    record.line = static_cast<int>(random() % 500);
    record.active = static_cast<std::uint32_t>(random()) | 1u << (random() % 32);
    if (random() % 3 == 0) record.active &= 0xffu;
    const bool has_type = op != Op::sync_warp && op != Op::sync_block && op != Op::fence;
    const bool matches = op == Op::vote_match_any || op == Op::vote_match_all;
    const bool counts = op == Op::sync_block_count || op == Op::sync_block_and || op == Op::sync_block_or;
    const bool exchanges = is_shuffle(op) || is_reduce(op);
    if (has_type) record.type = static_cast<Element>(random() % 12);
    const int size = element_size(record.type);
    const auto bits = [&] { return size == 8 ? random() : random() & ((std::uint64_t{1} << (size * 8)) - 1); };
    if (is_meeting(op) && !is_block_barrier(op)) record.mask = static_cast<std::uint32_t>(random());
    if (is_shuffle(op)) record.width = 1 << random() % 6;
    const bool uniform = random() % 2;
    const bool reaches_memory = is_access(op) || is_atomic(op);
    if (reaches_memory) record.elements = 1 + static_cast<int>(random() % static_cast<unsigned>(16 / size));
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
        if (!(record.active >> lane & 1)) continue;
        if (is_shuffle(op) || is_vote(op) || counts) record.arg[lane] = uniform ? 16 : static_cast<std::int32_t>(random());
        if (matches) record.arg[lane] = 0;
        if (op == Op::fence) record.arg[lane] = uniform ? 1 : static_cast<std::int32_t>(random() % 3);
        if (is_shuffle(op)) record.source[lane] = static_cast<std::int8_t>(static_cast<int>(random() % 33) - 1);
        if (exchanges || matches) record.before[lane] = bits();
        if (exchanges) {
            record.effect[lane] = uniform ? Effect::join : static_cast<Effect>(random() % 4);
            if (random() % 4) {
                record.has_after |= 1u << lane;
                record.after[lane] = bits();
            }
            if (random() % 8 == 0) record.undefined |= 1u << lane;
        }
        if (exchanges || is_predicate_vote(op) || is_atomic(op)) record.received[lane] = bits();
        if (matches || counts || op == Op::active_mask) record.received[lane] = random() & 0xffffffffu;
        if (op == Op::load && random() % 2) {
            record.after_type = Element::f64;
            record.has_after |= 1u << lane;
            record.after[lane] = random();
        }
        if (!reaches_memory) continue;
        record.array = 1;
        record.element_index[lane] = static_cast<std::int64_t>(random()) >> 24;
        const int used = record.elements * size * 8;
        record.value[lane] = {used >= 64 ? random() : random() & ((std::uint64_t{1} << used) - 1),
                              used <= 64 ? 0 : used == 128 ? random() : random() & ((std::uint64_t{1} << (used - 64)) - 1)};
    }
    if (is_block_barrier(op) && random() % 2) {
        ArrayImage image{0, 0, {}, {}};
        const bool known = random() % 2;
        if (random() % 2) image = {2, random() % 1000, {}, {}};
        for (int i = 0; i < 64; ++i) {
            const bool is_written = !known || random() % 2;
            image.values.push_back(is_written ? random() & 0xffffffffu : 0);
            if (known) image.written.push_back(is_written);
        }
        record.shared.push_back(image);
    }
    return record;
}

Trace random_trace(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    TraceBuilder made;
    made.array("tree \"of\" sums", Space::shared, 64);
    made.array("in", Space::global, 1u << 20);
    made.array("sums", Space::global, 4096);
    made.statement(4, Effect::join, "tree[thread]", true);
    made.statement(5, Effect::replace, "value", false, true);
    Statement& known = made.trace.header.statements.back();
    known.copies = known.calls = true;
    known.loads = 2;
    known.uses = {"in", "i"};
    known.function = {1, 9};
    known.loop = {3, 5};
    known.branch = {4, 5};
    Trace& trace = made.trace;
    trace.header.seed = random();
    trace.header.source = {SourceKind::gpu, "NVIDIA H200", "13.0", "9.0", ""};
    for (int op = 0; op <= static_cast<int>(Op::atomic_cas); ++op)
        trace.records.push_back(random_record(static_cast<Op>(op), random, static_cast<std::uint32_t>(op)));
    trace.findings.push_back({"deadlock", "test<64>", 7, 1, 0, 0xff, 3, "Lane 3 waits \xe2\x86\x90 for lane 5."});
    trace.outputs.push_back({"out", Element::f64, 2, {random(), random()}});
    trace.plain.push_back({"out", Element::f64, 2, {random(), random()}});
    trace.reruns.push_back({"descending", {{"out", Element::f64, 2, {random(), random()}}}});
    trace.reruns.push_back({"seed 3", {}});
    return trace;
}

TEST(TraceFile, RandomTracesReadBack) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        const Trace trace = random_trace(seed);
        const Trace back = read_text(written(trace));
        EXPECT_FALSE(back.partial) << back.partial_reason;
        expect_same(trace, back);
        EXPECT_FALSE(back.header.statements.at(0).conditional);
        EXPECT_TRUE(back.header.statements.at(1).conditional);
        const Statement& known = back.header.statements.at(1);
        EXPECT_TRUE(known.copies && known.calls && known.loads == 2);
        EXPECT_EQ(known.uses, (std::vector<std::string>{"in", "i"}));
        EXPECT_EQ(known.function, (Statement::Lines{1, 9}));
        EXPECT_EQ(known.loop, (Statement::Lines{3, 5}));
        EXPECT_EQ(known.branch, (Statement::Lines{4, 5}));
        ASSERT_EQ(back.reruns.size(), 2u);
        EXPECT_EQ(back.reruns[0].how, "descending");
        EXPECT_EQ(back.reruns[0].outputs.at(0).values, trace.reruns[0].outputs[0].values);
        ASSERT_EQ(back.plain.size(), 1u);
        EXPECT_EQ(back.plain[0].values, trace.plain[0].values);
        if (HasFailure()) FAIL() << "seed " << seed;
    }
}

TEST(TraceFile, CutOffAnywhereGivesAPrefixOrASentence) {
    Trace trace = random_trace(7);
    // A few kinds of records will do: reading every prefix is quadratic in the file's size.
    std::erase_if(trace.records, [](const Record& record) { return record.index % 4 != 0; });
    for (Record& record : trace.records) record.active &= 0xfu, record.has_after &= 0xfu;
    const std::string text = written(trace);
    const std::size_t header = text.find('\n');
    for (std::size_t length = 0; length < text.size(); ++length) {
        if (length < header) {
            EXPECT_NE(error_of(text.substr(0, length)), "") << length;
            continue;
        }
        const Trace part = read_text(text.substr(0, length));
        if (length + 1 == text.size()) {
            EXPECT_FALSE(part.partial);  // only the last newline is missing
            continue;
        }
        ASSERT_TRUE(part.partial) << length;
        ASSERT_NE(part.partial_reason.find("t.ndjson is cut off"), std::string::npos) << part.partial_reason;
        ASSERT_LE(part.records.size(), trace.records.size());
    }
}

TEST(TraceFile, FlippedBytesNeverPassUnnoticed) {
    const std::string text = written(random_trace(11));
    std::mt19937_64 random(5);
    for (int i = 0; i < 3000; ++i) {
        std::string mangled = text;
        const std::size_t at = random() % mangled.size();
        mangled[at] = static_cast<char>(mangled[at] ^ (1 << random() % 8));
        try {
            const Trace back = read_text(mangled);
            // A flip in white space or in the case of the checksum's own digits changes nothing that is read.
            EXPECT_TRUE(back.partial || written(back) == text) << "byte " << at;
        } catch (const Error& error) {
            EXPECT_STRNE(error.what(), "");
        }
    }
}

TEST(TraceFile, AMangledLineEndsThePrefix) {
    TraceBuilder made;
    made.array("in", Space::global, 64);
    auto warp = made.warp(0, 0);
    for (int i = 0; i < 4; ++i) warp.load(3 + i, 0, [](int lane) { return lane; }, [](int lane) { return float(lane); });
    const std::string text = written(made.trace);
    const auto mangled = [&](const std::string& from, const std::string& to) {
        std::string changed = text;
        changed.replace(changed.find(from), from.size(), to);
        return read_text(changed);
    };
    for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
             {"\"line\":5", "\"line\":-5"},        {"\"line\":5", "\"line\":5.5"},
             {"\"line\":5", "\"line\":\"5\""},     {"\"line\":5", "\"lime\":5"},
             {"\"line\":5", "\"line\":5,\"array\":9"}, {"\"line\":5,", "\"line\":5,\"elements\":9,"},
             {"\"launch\":0,\"block\":0,\"warp\":0,\"index\":2", "\"launch\":1,\"block\":0,\"warp\":0,\"index\":2"},
             {"\"warp\":0,\"index\":2", "\"warp\":4096,\"index\":2"}, {"\"index\":2,", "\"index\":2,,"}}) {
        const Trace part = mangled(from, to);
        EXPECT_TRUE(part.partial) << to;
        EXPECT_LE(part.records.size(), to.find("array") != std::string::npos ? 4u : 2u) << to;
        EXPECT_NE(part.partial_reason.find("t.ndjson"), std::string::npos);
    }
    EXPECT_NE(read_text(text + "{}\n").partial_reason.find("goes on after its end"), std::string::npos);
}

// The fields that came with minor 1.
TEST(TraceFile, AMangledCollectiveEndsThePrefix) {
    TraceBuilder made;
    const auto out = made.array("out", Space::global, 64);
    auto warp = made.warp(0, 0);
    warp.sync_warp(3);
    warp.fence(4, 2);
    warp.reduce_add(5, [](int lane) { return static_cast<std::uint32_t>(lane); }, Effect::replace);
    warp.match_any(6, [](int lane) { return static_cast<std::uint32_t>(lane % 4); });
    warp.active_mask(7, 0xff);
    warp.barrier_vote(8, Op::sync_block_count, [](int lane) { return lane < 5; }, 5);
    warp.last().shared.push_back({out, 32, std::vector<std::uint64_t>(32, 7), {}});
    made.trace.reruns.push_back({"descending", {{"out", Element::f32, 1, {to_bits(0.5f)}}}});
    const std::string text = written(made.trace);
    ASSERT_FALSE(read_text(text).partial);
    const auto in_line = [&](const std::string& op, const std::string& from, const std::string& to) {
        std::string changed = text;
        const std::size_t line = changed.find(op);
        changed.replace(changed.find(from, line), from.size(), to);
        return read_text(changed);
    };
    struct Case {
        const char *op, *from, *to;
        std::size_t records;
    };
    for (const Case& one : std::vector<Case>{
             {"\"fence\"", "\"arg\":2", "\"arg\":3", 1},
             {"\"fence\"", "\"arg\":2", "\"arg\":-1", 1},
             {"\"fence\"", "\"arg\"", "\"org\"", 1},
             {"\"reduce_add\"", "\"replace\"", "\"swallow\"", 2},
             {"\"reduce_add\"", "\"before\":[\"00000000\",", "\"before\":[", 2},
             {"\"reduce_add\"", "\"received\"", "\"refused\"", 2},
             {"\"vote_match_any\"", "\"before\"", "\"after\"", 3},
             {"\"vote_match_any\"", "\"received\":[\"11111111", "\"received\":[\"111111111", 3},
             {"\"active_mask\"", "\"received\":[\"000000ff", "\"received\":[\"00000gff", 4},
             {"\"sync_block_count\"", "\"arg\":[1", "\"arg\":[1.5", 5},
             {"\"sync_block_count\"", "\"first\":32", "\"first\":33", 5},
             {"\"sync_block_count\"", "\"first\":32", "\"first\":18446744073709551615", 5},
             {"\"sync_block_count\"", "\"first\":32", "\"first\":-1", 5},
             {"\"rerun\"", "\"outputs\":[", "\"outputs\":[7,", 6},
             {"\"rerun\"", "\"rerun\":\"descending\"", "\"rerun\":1", 6}}) {
        const Trace part = in_line(one.op, one.from, one.to);
        EXPECT_TRUE(part.partial) << one.op << one.to;
        EXPECT_NE(part.partial_reason.find("cannot be read from line"), std::string::npos) << part.partial_reason;
        EXPECT_EQ(part.records.size(), one.records) << one.op << one.to;
        EXPECT_TRUE(part.reruns.empty());
    }
}

// A header that is not what it should be leaves nothing to show.
TEST(TraceFile, MangledFactsOfAStatementAreRefused) {
    TraceBuilder made;
    made.statement(4, Effect::join, "sum", false, true);
    Statement& statement = made.trace.header.statements.back();
    statement.loads = 2;
    statement.uses = {"p"};
    statement.loop = {3, 5};
    const std::string text = written(made.trace);
    ASSERT_EQ(error_of(text), "");
    for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
             {"\"conditional\":true", "\"conditional\":1"},
             {"\"loads\":2", "\"loads\":-2"},
             {"\"uses\":[\"p\"]", "\"uses\":[7]"},
             {"\"uses\":[\"p\"]", "\"uses\":\"p\""},
             {"\"loop\":[3,5]", "\"loop\":[3]"},
             {"\"loop\":[3,5]", "\"loop\":[3,\"5\"]"}}) {
        std::string changed = text;
        changed.replace(changed.find(from), from.size(), to);
        EXPECT_NE(error_of(changed).find("t.ndjson"), std::string::npos) << to;
    }
}

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
    old.replace(old.find("\"minor\":1"), 9, "\"minor\":0");
    old.erase(old.find("\"warp_size\":32,"), 15);
    EXPECT_EQ(read_text(old).header.minor, 0);
    EXPECT_EQ(read_text(old).header.warp_size, 32u);
}

TEST(TraceFile, AnotherVersionOrAnotherFile) {
    std::string text = written(random_trace(1));
    text.replace(text.find("\"major\":1,\"minor\":1"), 19, "\"major\":2,\"minor\":5");
    const std::string sentence = error_of(text);
    EXPECT_NE(sentence.find("2.5"), std::string::npos) << sentence;
    EXPECT_NE(sentence.find("1.1"), std::string::npos) << sentence;

    EXPECT_NE(error_of("").find("t.ndjson"), std::string::npos);
    EXPECT_NE(error_of("hello\n").find("t.ndjson"), std::string::npos);
    EXPECT_NE(error_of("[1,2]\n").find("header"), std::string::npos);
    EXPECT_NE(error_of("{\"format\":\"lanewise trace\"}\n").find("t.ndjson"), std::string::npos);
    EXPECT_NE(error_of(std::string(1000000, '[')), "");
}

TEST(TraceFile, ANewerMinorVersionIsRead) {
    std::string text = written(TraceBuilder().trace);
    text = text.substr(0, text.find('\n') + 1);
    text.replace(text.find("\"minor\":1"), 9, "\"minor\":9,\"mood\":\"fine\"");
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
}

// 2 blocks of 8 warps with 10 records each: what a default run leaves.
TEST(TraceFile, ADefaultRunIsSmall) {
    TraceBuilder made;
    const auto in = made.array("in", Space::global, 512);
    const auto sums = made.array("warp_sums", Space::shared, 8);
    const auto out = made.array("out", Space::global, 1);
    for (std::uint32_t block = 0; block < 2; ++block)
        for (std::uint32_t number = 0; number < 8; ++number) {
            auto warp = made.warp(block, number);
            const int first = static_cast<int>(block * 256 + number * 32);
            warp.load(3, in, [&](int lane) { return first + lane; }, [&](int lane) { return float(first + lane) / 3; });
            for (int mask = 16; mask > 0; mask /= 2) warp.shuffle_sum(5, Op::shfl_xor, mask);
            warp.store(7, sums, [&](int) { return number; }, 1);
            warp.barrier(8);
            warp.last().shared.push_back({sums, 0, {1, 2, 3, 4, 5, 6, 7, 8}, std::vector<bool>(8, true)});
            if (number == 0)
                for (int mask = 4; mask > 0; mask /= 2) warp.shuffle_sum(9, Op::shfl_xor, mask);
            if (number == 0) warp.atomic_add(10, out, 0, 0, 1);
            else warp.sync_warp(11);
        }
    EXPECT_LT(written(made.trace).size(), 300000u);
}

class SaveTrace : public ::testing::Test {
protected:
    void SetUp() override { std::filesystem::create_directories(folder); }
    void TearDown() override { std::filesystem::remove_all(folder); }

    std::size_t files() const {
        return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
    }
    std::string save_error(const std::filesystem::path& path) {
        try {
            save(path, trace);
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    }

    std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("lanewise_trace_" + std::to_string(::getpid()));
    Trace trace = random_trace(3);
};

TEST_F(SaveTrace, SavesAndReplaces) {
    save(folder / "t.ndjson", trace);
    expect_same(load(folder / "t.ndjson"), trace);
    trace.records.pop_back();
    std::filesystem::create_symlink("t.ndjson", folder / "link.ndjson");
    save(folder / "link.ndjson", trace);
    EXPECT_EQ(load(folder / "t.ndjson").records.size(), trace.records.size());
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "link.ndjson"));
    EXPECT_EQ(files(), 2u);
}

TEST_F(SaveTrace, APartialTraceStaysPartial) {
    trace.partial = true;
    trace.partial_reason = "it was cut off";
    save(folder / "t.ndjson", trace);
    EXPECT_EQ(load(folder / "t.ndjson").partial_reason, "it was cut off");
}

TEST_F(SaveTrace, SaysWhyItCannot) {
    const std::string missing = save_error(folder / "no" / "t.ndjson");
    EXPECT_NE(missing.find((folder / "no" / "t.ndjson").string() + ": No such file"), std::string::npos) << missing;
    EXPECT_NE(save_error(folder).find("directory"), std::string::npos);
    EXPECT_NE(save_error("/dev/full").find("No space"), std::string::npos);
    EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
    EXPECT_EQ(files(), 0u);
}

TEST_F(SaveTrace, LoadSaysWhyItCannot) {
    try {
        load(folder / "none.ndjson");
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("none.ndjson cannot be opened: No such file"), std::string::npos)
            << error.what();
    }
    EXPECT_THROW(load(folder), Error);
}

TEST(TraceNames, ReadBack) {
    for (int op = 0; op <= static_cast<int>(Op::atomic_cas); ++op)
        EXPECT_EQ(op_from_name(op_name(static_cast<Op>(op))), static_cast<Op>(op));
    EXPECT_THROW(op_from_name("shfl_sideways"), Error);
}

TEST(TraceHash, IsFnv1a64) {
    EXPECT_EQ(fnv1a_hex(""), "cbf29ce484222325");
    EXPECT_EQ(fnv1a_hex("a"), "af63dc4c8601ec8c");
    EXPECT_EQ(fnv1a_hex("foobar"), "85944171f73967e8");
}

}  // namespace
}  // namespace lanewise::trace
