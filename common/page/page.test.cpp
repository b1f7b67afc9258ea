#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/base/element.hpp"
#include "common/base/error.hpp"
#include "common/base/folder.testing.hpp"
#include "common/page/document.hpp"
#include "common/page/tables.hpp"
#include "common/scene/lane_facts.hpp"
#include "common/run/run.hpp"
#include "common/scene/part.hpp"
#include "common/steps/testing/programs.testing.hpp"
#include "common/trace/io.hpp"

namespace lanewise::page {
namespace {

using nlohmann::json;
using trace::Op;

run::Run run_of(trace::Trace trace, const std::string& variant) {
    run::Run run;
    run.trace = std::move(trace);
    run.trace.header.variant = variant;
    run.trace.header.date = "2026-11-21";
    run.trace.header.launches = {{variant, {2, 1, 1}, {256, 1, 1}, 0}};
    run.origin = "emulator · ascending";
    run.kernel_file = "kernels.cuh";
    run.source = "// </script><!-- \"quotes\" & 🚀\nvalue += __shfl_xor_sync(mask, value, 16);\n";
    return run;
}

// A run keeps a pointer into itself: it is made where it stays.
struct Made {
    explicit Made(trace::Trace trace, const std::string& variant = "warp_sum_xor")
        : run(run_of(std::move(trace), variant)) {
        run.steps = steps::build_steps(run.trace);
    }
    run::Run run;
    Document document() const { return {"05_warp_shuffle", "Warp <shuffle>", {{&run, "xor", "a line", false}}}; }
};

std::string between(const std::string& text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    if (at == std::string::npos) return "";
    return text.substr(at + from.size(), text.find(to, at + from.size()) - at - from.size());
}

// What is in the page, as its script reads it.
json facts_of(const std::string& html) { return json::parse(between(html, "id=\"facts\">", "</script>")); }

void expect_equal_to_steps(const run::Run& run, const json& facts) {
    const steps::Steps& steps = run.steps;
    const auto templates = facts["templates"].get<std::vector<std::string>>();
    const auto text = [&](int id) {
        return id < 0 ? std::string() : facts["values"][static_cast<std::size_t>(id)][0].get<std::string>();
    };
    ASSERT_EQ(facts["steps"].size(), steps.size());
    std::vector<json> held = facts["start"].get<std::vector<json>>();
    for (std::size_t k = 0; k < steps.size(); ++k) {
        const json& step = facts["steps"][k];
        EXPECT_EQ(step["label"], steps.steps[k].label);
        EXPECT_EQ(step["line"], steps.steps[k].line);
        if (step.contains("now"))
            for (const json& now : step["now"]) held[now["w"].get<std::size_t>()] = now;
        for (std::size_t w = 0; w < steps.warps.size(); ++w) {
            const steps::LaneValues& lane_values = steps.lane_values(k, steps.warps[w]);
            for (std::size_t lane = 0; lane < 32; ++lane) {
                const int id = held[w]["hold"][lane];
                const bool known = (lane_values.known >> lane) & 1u;
                ASSERT_EQ(text(id), known ? format_element(lane_values.type, lane_values.bits[lane]) : "")
                    << k << ' ' << w << ' ' << lane;
                if (!known) continue;
                EXPECT_EQ(facts["values"][static_cast<std::size_t>(id)][1],
                          format_bits(lane_values.type, lane_values.bits[lane]));
            }
        }
        ASSERT_EQ(step["parts"].size(), steps.steps[k].warps.size());
        for (const json& part : step["parts"]) {
            const WarpRef& ref = steps.warps[part["w"].get<std::size_t>()];
            for (int lane = 0; lane < 32; ++lane) {
                const auto l = static_cast<std::size_t>(lane);
                const steps::Formula formula = steps::formula_parts(steps, k, ref, lane);
                const std::string said = part["formulas"][l].is_array() ? unfolded(part["formulas"][l], templates) : "";
                EXPECT_EQ(said.substr(0, formula.who.size()), formula.who);
                EXPECT_TRUE(formula.arithmetic.empty() || said.ends_with("\n" + formula.arithmetic)) << said;
                std::vector<std::string> rows, wanted;
                for (const json& row : part["rows"])
                    if (row["values"][l].get<int>() >= 0)
                        rows.push_back(row["label"].get<std::string>() + " " + text(row["values"][l]));
                for (const auto& row : scene::value_rows(steps, k, ref, lane))
                    wanted.push_back(row.label + " " + (row.is_value ? format_element(row.type, row.bits) : row.text));
                EXPECT_EQ(rows, wanted);
                const auto& view = steps.steps[k].find(ref)->lanes[l];
                EXPECT_TRUE(!part.contains("source") || part["source"][l] == (view.active ? view.source : -1));
            }
        }
    }
}

TEST(Page, ItsFactsAreTheSteps) {
    const Made made(steps::testing::warp_tree(Op::shfl_down, {16, 8, 4, 2, 1}));
    expect_equal_to_steps(made.run, facts_of(page_html(made.document()))["runs"][0]);
    const Made block(steps::testing::two_level(), "block_sum_two_level");
    expect_equal_to_steps(block.run, facts_of(page_html(block.document()))["runs"][0]);
}

// Captions, source lanes and what lanes say are those of the scene.
TEST(Page, ShowsTheSceneOfEveryStep) {
    for (const char* name : {"collectives.ndjson", "half_mask.ndjson", "vectors.ndjson"}) {
        const Made made(trace::load(std::string(LANEWISE_GOLDEN "/") + name), name);
        const json facts = facts_of(page_html(made.document()))["runs"][0];
        std::size_t captions = 0;
        for (std::size_t k = 0; k < made.run.steps.size(); ++k) {
            for (const json& written : facts["steps"][k]["parts"]) {
                SCOPED_TRACE(std::string(name) + ", step " + std::to_string(k + 1));
                const WarpRef& warp = made.run.steps.warps[written["w"].get<std::size_t>()];
                const scene::Part part = scene::part_of(made.run.steps, k, warp);
                const std::string caption = scene::caption_of(part) + scene::caption_goes_on(part);
                ASSERT_EQ(written.contains("caption"), !caption.empty());
                if (!caption.empty()) {
                    EXPECT_EQ(facts["texts"][written["caption"].get<std::size_t>()], caption);
                    ++captions;
                }
                EXPECT_EQ(written["active"], part.active);
                EXPECT_EQ(written.contains("source"), part.kind == StepKind::shuffle);
                for (const scene::Arc& arc : part.arcs) {
                    EXPECT_EQ(written["source"][static_cast<std::size_t>(arc.reader)], arc.source);
                    EXPECT_EQ(written["keep"].get<std::uint32_t>() >> arc.reader & 1u, arc.used ? 0u : 1u);
                }
                for (const scene::LaneFacts& lane : part.facts)
                    if (lane.says >= 0) {
                        EXPECT_EQ(written["says"].get<std::uint32_t>() >> lane.lane & 1u, lane.says > 0 ? 1u : 0u);
                    }
            }
        }
        EXPECT_GT(captions, 0u);
    }
}

TEST(Page, TextInTheSourceCannotEndTheScript) {
    const Made made(steps::testing::warp_tree(Op::shfl_xor, {16}));
    const std::string html = page_html(made.document());
    const std::string data = between(html, "id=\"facts\">", "</script>");
    EXPECT_EQ(data.find('<'), std::string::npos);
    std::string line;
    const json tokens = json::parse(data)["runs"][0]["code"][0];
    for (std::size_t t = 1; t < tokens.size(); t += 2) line += tokens[t].get<std::string>();
    EXPECT_EQ(line, "// </script><!-- \"quotes\" & 🚀");
    EXPECT_NE(html.find("<title>Lanewise · Warp &lt;shuffle&gt; · xor</title>"), std::string::npos);
}

TEST(Page, NothingIsFetched) {
    const Made made(steps::testing::two_level());
    const std::string html = page_html(made.document());
    for (const char* foreign : {"http://", "https://", "src=", "@import", "url(", "fetch(", "XMLHttpRequest", "{{"}) {
        if (std::string(foreign) == "http://")
            EXPECT_EQ(html.find(foreign), html.rfind("http://www.w3.org/2000/svg"));  // a name, never fetched
        else EXPECT_EQ(html.find(foreign), std::string::npos) << foreign;
    }
    EXPECT_LT(html.size(), 1'000'000u);
}

TEST(Page, ALongRunIsCutWithASentence) {
    const Made made(steps::testing::warp_tree(Op::shfl_xor, {16, 8, 4, 2, 1}));
    const json facts = json::parse(page_json(made.document(), 200));   // 64 lanes a step: three steps
    EXPECT_EQ(facts["runs"][0]["steps"].size(), 3u);
    EXPECT_EQ(facts["places"].size(), 3u);
    EXPECT_NE(facts["runs"][0]["limit"].get<std::string>().find("first 3 of 6 steps"), std::string::npos);
    EXPECT_EQ(json::parse(page_json(made.document()))["runs"][0]["limit"], "");
}

// 2^24 + 1 is 2^24 in f32: lanes 0 and 16 add it in the first round.
TEST(Page, AResultThatAbsorbedAdditionsSaysSo) {
    Made run(steps::testing::warp_tree(Op::shfl_xor, {16, 8, 4, 2, 1},
                                       [](std::int64_t lane) { return lane == 0 ? 0x1p24f : 1.0f; }));
    const auto absorbed = [&] { return json::parse(page_json(run.document()))["runs"][0]["absorbed"]; };
    EXPECT_EQ(absorbed(), "");   // of no result
    run.run.results.resize(1);
    run.run.results[0].output = "out";
    EXPECT_EQ(absorbed(), "2 additions had no effect (absorbed)");
    EXPECT_EQ(json::parse(page_json(run.document()))["runs"][0]["facts"]["block"], "256");   // of the launch
    run.run.results[0].ok = false;
    EXPECT_EQ(absorbed(), "");
}

TEST(Page, RunsBesideEachOtherShareTheirPlaces) {
    const Made a(steps::testing::warp_tree(Op::shfl_xor, {16, 8, 4, 2, 1}));
    const Made b(steps::testing::warp_tree(Op::shfl_down, {16, 8, 4}));
    Document document = a.document();
    document.panels.push_back({&b.run, "down", "", true});
    const json facts = json::parse(page_json(document));
    ASSERT_EQ(facts["runs"].size(), 2u);
    EXPECT_TRUE(facts["runs"][1]["wrong"]);
    std::size_t both = 0;
    for (const json& place : facts["places"]) both += place[0] != -1 && place[1] != -1 ? 1 : 0;
    EXPECT_EQ(facts["places"].size(), 6u);
    EXPECT_EQ(both, 4u);
    // The load, then rounds by number; after the third the other run is done.
    EXPECT_EQ(facts["names"][0][0], "load 1");
    EXPECT_EQ(facts["names"][3][0], "round 3");
    EXPECT_EQ(facts["places"][3], (json{3, 3}));
    EXPECT_EQ(facts["names"][5][1], "no round here");
    EXPECT_EQ(facts["places"][5], (json{5, -1}));
    EXPECT_TRUE(facts["comparison"].empty());
    document.comparison = {"down is 2× slower.", "Both ran on the same 32 values."};
    EXPECT_EQ(json::parse(page_json(document))["comparison"], json(document.comparison));
    EXPECT_THROW(page_html({"x", "x", {}}), Error);
}

TEST(Page, SentencesFoldAndUnfold) {
    Strings templates;
    for (const std::string sentence : {"lane 5 ← lane 21 = 5 xor 16\n00101 ^ 10000 = 10101\n5 + 21 = 26", "",
                                       "no number", "-7, 007, 12345678901234567890, 1.5e-05, 0"})
        EXPECT_EQ(unfolded(folded(sentence, templates), templates.all()), sentence);
    EXPECT_EQ(folded("lane 5", templates)[0], folded("lane 31", templates)[0]);
}

std::vector<std::vector<std::string>> rows_of(const std::string& csv) {
    std::vector<std::vector<std::string>> rows(1, {""});
    bool quoted = false;
    for (std::size_t i = 0; i < csv.size(); ++i) {
        const char c = csv[i];
        if (quoted && c == '"' && i + 1 < csv.size() && csv[i + 1] == '"') rows.back().back() += csv[++i];
        else if (c == '"') quoted = !quoted;
        else if (!quoted && c == ',') rows.back().push_back("");
        else if (!quoted && c == '\r') rows.push_back({""}), ++i;
        else rows.back().back() += c;
    }
    rows.pop_back();
    return rows;
}

TEST(ValuesCsv, HasEveryLaneOfEveryStep) {
    const Made made(steps::testing::warp_tree(Op::shfl_down, {16, 8}));
    const auto rows = rows_of(values_csv(made.run));
    ASSERT_EQ(rows.size(), 1u + 3 * 32);
    for (const auto& row : rows) EXPECT_EQ(row.size(), rows.front().size());
    const auto column = [&](const std::string& name) {
        return static_cast<std::size_t>(std::find(rows[0].begin(), rows[0].end(), name) - rows[0].begin());
    };
    const auto& lane3 = rows[1 + 32 + 3];   // step 2, down 16: 3 + 19
    EXPECT_EQ(lane3[column("step")], "2");
    EXPECT_EQ(lane3[column("lane")], "3");
    EXPECT_EQ(lane3[column("operation")], "shfl_down");
    EXPECT_EQ(lane3[column("source_lane")], "19");
    EXPECT_EQ(lane3[column("before")], "3");
    EXPECT_EQ(lane3[column("received")], "19");
    EXPECT_EQ(lane3[column("after")], "22");
    EXPECT_EQ(lane3[column("after_bits")], "0x41b00000");
    EXPECT_EQ(lane3[column("type")], "f32");
    EXPECT_EQ(lane3[column("inputs")], "2");
    EXPECT_EQ(rows[1 + 7][column("words")], "in[7] = 7");
}

// A pair (max, sum) is one value in each column.
TEST(ValuesCsv, HoldsThePartsOfAValueTogether) {
    steps::testing::Pairs pairs;
    auto warp = pairs.made.warp(0, 0);
    pairs.round(warp, 16);
    const Made made(pairs.made.trace);
    const auto rows = rows_of(values_csv(made.run));
    ASSERT_EQ(rows.size(), 1u + 32);
    const auto column = [&](const std::string& name) {
        return static_cast<std::size_t>(std::find(rows[0].begin(), rows[0].end(), name) - rows[0].begin());
    };
    EXPECT_EQ(rows[4][column("before")], "(3, 1)");
    EXPECT_EQ(rows[4][column("received")], "(19, 1)");
    EXPECT_EQ(rows[4][column("after")], "(19, 2)");
    EXPECT_EQ(rows[4][column("after_bits")], "0x41980000 0x40000000");
}

TEST(Values, TheCellOfAValueWithPartsShowsThemAll) {
    Values values;
    scene::LaneCell cell;
    cell.bits = to_bits(19.0f);
    cell.more = {{to_bits(2.0f), Element::f32}};
    const int place = values.place(cell);
    EXPECT_EQ(values.all().at(static_cast<std::size_t>(place)).at(0), "(19, 2)");
    EXPECT_EQ(values.all().at(static_cast<std::size_t>(place)).at(3), "19\n2");
    EXPECT_EQ(values.place(cell), place);
    cell.more[0].bits = to_bits(3.0f);
    EXPECT_NE(values.place(cell), place);
}

TEST(ValuesCsv, QuotesWhatHoldsACommaOrAQuote) {
    Made made(steps::testing::warp_tree(Op::shfl_down, {16}));
    made.run.steps.steps[0].label = "load \"in\", twice\nor so";
    const std::string csv = values_csv(made.run);
    EXPECT_NE(csv.find("\"load \"\"in\"\", twice\nor so\""), std::string::npos);
    EXPECT_EQ(rows_of(csv)[1][5], "load \"in\", twice\nor so");
}

TEST(Export, EndingsAreThree) {
    EXPECT_EQ(ending_of("--export", "a.HTML"), Ending::html);
    EXPECT_EQ(ending_of("--export", "folder.csv/a.svg"), Ending::svg);
    for (const char* path : {"a.pdf", "a", "folder.csv/a", ""}) {
        try {
            ending_of("--export", path);
            FAIL() << path;
        } catch (const Error& error) {
            for (const char* ending : {".svg", ".html", ".csv"})
                EXPECT_NE(std::string(error.what()).find(ending), std::string::npos);
        }
    }
}

TEST(Export, WhatCannotBeWrittenIsASentence) {
    EXPECT_THROW(write_file("--export", "/no/such/folder/a.csv", "x"), Error);
    const lanewise::testing::TemporaryFolder folder;
    std::filesystem::create_directories(folder.path() / "folder.csv");
    EXPECT_THROW(write_file("--export", (folder.path() / "folder.csv").string(), "x"), Error);
    const auto file = folder.path() / "测试.csv";
    write_file("--export", file.string(), "x,y\r\n");
    EXPECT_EQ(lanewise::testing::slurp(file), "x,y\r\n");
    EXPECT_FALSE(std::filesystem::exists(file.string() + ".part"));
}

}  // namespace
}  // namespace lanewise::page
