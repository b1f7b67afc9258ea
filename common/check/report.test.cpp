#include "common/check/report.hpp"

#include <algorithm>
#include <functional>

#include <filesystem>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace lanewise::check {
namespace {

using nlohmann::json;

Report sample() {
    trace::Finding race;
    race.kind = "race";
    race.kernel = "sum<128>";
    race.line = 12;
    race.block = 1;
    race.warp = 2;
    race.lanes = 0x80000003;
    race.count = 5;
    race.sentence = "Lane 0 writes tree[7] on line 12, and lane 3 reads it on line 11; nothing orders the two.";
    race.advice = "Put a barrier between.";
    race.array = "tree";
    race.index = 7;
    race.value = "1.5";
    race.record = 4;
    race.other = trace::FindingPlace{11, 1, 2, 8, 3, "2"};
    trace::Finding note;
    note.kind = "a kind of tomorrow";
    note.kernel = "sum<128>";
    note.severity = trace::Severity::note;
    note.sentence = "A line that is not known.";
    Report report{"04_warp_sync", "0.1.0", {}};
    report.runs.push_back({"right", "lessons/04 \xc3\xa4/kernels.cuh", "", trace::Verdict::clean, "", {}});
    report.runs.push_back({"wrong", "lessons/04 \xc3\xa4/kernels.cuh", "", trace::Verdict::wrong, "", {race, note}});
    report.runs.push_back({"meant", "lessons/04 \xc3\xa4/kernels.cuh", "it is", trace::Verdict::wrong, "", {race}});
    report.runs.push_back(
        {"long", "lessons/04 \xc3\xa4/kernels.cuh", "", trace::Verdict::not_decided, "Too much.", {}});
    return report;
}

TEST(Report, JsonHoldsEveryField) {
    const json report = json::parse(report_json(sample()));
    EXPECT_EQ(report["format"], "lanewise report");
    EXPECT_EQ(report["lesson"], "04_warp_sync");
    ASSERT_EQ(report["runs"].size(), 4u);
    EXPECT_EQ(report["runs"][0]["verdict"], "clean for this run");
    EXPECT_EQ(report["runs"][3]["verdict"], "not decided");
    EXPECT_EQ(report["runs"][3]["undecided"], "Too much.");
    const json& race = report["runs"][1]["findings"][0];
    EXPECT_EQ(race["kind"], "race");
    EXPECT_EQ(race["severity"], "wrong");
    EXPECT_EQ(race["line"], 12);
    EXPECT_EQ(race["lanes"], json::parse("[0, 1, 31]"));
    EXPECT_EQ(race["array"], "tree");
    EXPECT_EQ(race["index"], 7);
    EXPECT_EQ(race["value"], "1.5");
    EXPECT_EQ(race["record"], 4);
    EXPECT_EQ(race["other"],
              json::parse(R"({"line": 11, "block": 1, "warp": 2, "lanes": [3], "value": "2", "record": 3})"));
    EXPECT_EQ(report["runs"][1]["findings"][1]["severity"], "note");
}

// The parts of the SARIF 2.1.0 schema that a report uses: which properties an object must have, which it may have, and
// of which type they are.
struct Shape {
    const char* path;       // of the object; [] stands for every element of an array
    std::vector<const char*> required, allowed;
};
const Shape kShapes[] = {
    {"", {"version", "runs"}, {"$schema", "inlineExternalProperties", "properties"}},
    {"/runs[]", {"tool"}, {"invocations", "columnKind", "results", "artifacts", "originalUriBaseIds", "properties"}},
    {"/runs[]/tool", {"driver"}, {"extensions", "properties"}},
    {"/runs[]/tool/driver", {"name"}, {"version", "informationUri", "rules", "fullName", "properties"}},
    {"/runs[]/tool/driver/rules[]", {"id"}, {"name", "shortDescription", "fullDescription", "help", "properties"}},
    {"/runs[]/tool/driver/rules[]/shortDescription", {"text"}, {"markdown", "properties"}},
    {"/runs[]/invocations[]", {"executionSuccessful"}, {"toolExecutionNotifications", "exitCode", "properties"}},
    {"/runs[]/invocations[]/toolExecutionNotifications[]", {"message"}, {"level", "locations", "properties"}},
    {"/runs[]/results[]",
     {"message"},
     {"ruleId", "ruleIndex", "level", "locations", "relatedLocations", "occurrenceCount", "properties"}},
    {"/runs[]/results[]/message", {}, {"text", "markdown", "id", "arguments", "properties"}},
    {"/runs[]/results[]/locations[]", {}, {"physicalLocation", "logicalLocations", "message", "id", "properties"}},
    {"/runs[]/results[]/relatedLocations[]",
     {},
     {"physicalLocation", "logicalLocations", "message", "id", "properties"}},
    {"/runs[]/results[]/locations[]/physicalLocation", {}, {"artifactLocation", "region", "address", "properties"}},
    {"/runs[]/results[]/locations[]/physicalLocation/artifactLocation",
     {},
     {"uri", "uriBaseId", "index", "properties"}},
    {"/runs[]/results[]/locations[]/physicalLocation/region",
     {},
     {"startLine", "startColumn", "endLine", "properties"}},
    {"/runs[]/results[]/locations[]/logicalLocations[]", {}, {"name", "kind", "fullyQualifiedName", "properties"}},
};

void each_at(const json& value, std::string path, const std::function<void(const json&)>& seen) {
    if (path.empty()) return seen(value);
    if (path.starts_with("[]")) {
        ASSERT_TRUE(value.is_array()) << path;
        for (const json& element : value) each_at(element, path.substr(2), seen);
        return;
    }
    const std::size_t end = std::min(path.find('/', 1), path.find("[]", 1));
    const std::string name = path.substr(1, end == path.npos ? path.npos : end - 1);
    if (value.contains(name)) each_at(value[name], end == path.npos ? "" : path.substr(end), seen);
}

void expect_shape(const json& report) {
    for (const Shape& shape : kShapes) {
        int seen = 0;
        each_at(report, shape.path, [&](const json& object) {
            ++seen;
            ASSERT_TRUE(object.is_object()) << shape.path;
            for (const char* name : shape.required) EXPECT_TRUE(object.contains(name)) << shape.path << " " << name;
            for (const auto& [name, value] : object.items()) {
                const auto is = [&](const char* known) { return name == known; };
                EXPECT_TRUE(std::any_of(shape.required.begin(), shape.required.end(), is) ||
                            std::any_of(shape.allowed.begin(), shape.allowed.end(), is))
                    << shape.path << " has " << name;
            }
        });
        EXPECT_GT(seen, 0) << "nothing at " << shape.path;
    }
}

TEST(Report, SarifKeepsToItsSchema) {
    const json report = json::parse(report_sarif(sample()));
    expect_shape(report);
    EXPECT_EQ(report["version"], "2.1.0");
    const json& run = report["runs"][0];
    const json& rules = run["tool"]["driver"]["rules"];
    ASSERT_EQ(run["results"].size(), 3u);
    for (const json& result : run["results"]) {
        EXPECT_EQ(rules.at(result["ruleIndex"].get<std::size_t>())["id"], result["ruleId"]);
        EXPECT_TRUE(result["level"] == "error" || result["level"] == "note");
        EXPECT_GE(result["occurrenceCount"].get<int>(), 1);
        for (const json& location : result["locations"]) {
            const json& physical = location["physicalLocation"];
            EXPECT_EQ(physical["artifactLocation"]["uri"], "lessons/04%20%C3%A4/kernels.cuh");
            if (physical.contains("region")) EXPECT_GE(physical["region"]["startLine"].get<int>(), 1);
        }
    }
    const json& race = run["results"][0];
    EXPECT_EQ(race["level"], "error");
    EXPECT_EQ(race["locations"][0]["physicalLocation"]["region"]["startLine"], 12);
    EXPECT_EQ(race["relatedLocations"][0]["physicalLocation"]["region"]["startLine"], 11);
    EXPECT_NE(race["message"]["text"].get<std::string>().find("Put a barrier between."), std::string::npos);
    EXPECT_EQ(run["results"][1]["level"], "note");
    EXPECT_FALSE(run["results"][1]["locations"][0]["physicalLocation"].contains("region"));
    EXPECT_EQ(run["results"][2]["level"], "note") << "wrong on purpose";
    EXPECT_NE(run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"].get<std::string>().find("long"),
              std::string::npos);
}

// A file below the folder that the program runs in is named from there, as code hosts want it; another one as a whole.
TEST(Report, FilesAreNamedFromTheProject) {
    const auto named = [](const std::string& path) {
        Report report = sample();
        report.runs[1].kernel_file = path;
        return json::parse(
            report_sarif(report))["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"];
    };
    EXPECT_EQ(named((std::filesystem::current_path() / "a b" / "核.cu").string()),
              json::parse(R"({"uri": "a%20b/%E6%A0%B8.cu", "uriBaseId": "PROJECT"})"));
    EXPECT_EQ(named("/nowhere/x.cu"), json::parse(R"({"uri": "file:///nowhere/x.cu"})"));
}

// Lines count through the files that a kernel file includes; a report has each file's own.
TEST(Report, LinesAreThoseOfTheirFile) {
    Report report = sample();
    report.runs[1].included = {{"lessons/one.cuh", 9}, {"lessons/two.cuh", 12}};
    report.runs[1].findings[0].sentence = "lane 0 reads it on line 12, and lane 3 writes it on line 5.";
    const json sarif = json::parse(report_sarif(report));
    const json& race = sarif["runs"][0]["results"][0];
    EXPECT_EQ(race["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "lessons/two.cuh");
    EXPECT_EQ(race["locations"][0]["physicalLocation"]["region"]["startLine"], 1);
    EXPECT_EQ(race["relatedLocations"][0]["physicalLocation"]["artifactLocation"]["uri"], "lessons/one.cuh");
    EXPECT_EQ(race["relatedLocations"][0]["physicalLocation"]["region"]["startLine"], 3);
    EXPECT_EQ(
        race["message"]["text"].get<std::string>().find("lane 0 reads it on line 1 of two.cuh, and lane 3 writes it on "
                                                        "line 5."),
        0u);
    const json found = json::parse(report_json(report))["runs"][1]["findings"][0];
    EXPECT_EQ(found["line"], 1);
    EXPECT_EQ(found["file"], "lessons/two.cuh");
    EXPECT_EQ(found["other"]["line"], 3);
    EXPECT_EQ(found["other"]["file"], "lessons/one.cuh");
}

TEST(Report, IsKnownByItsName) {
    EXPECT_TRUE(is_report_name("a.json"));
    EXPECT_TRUE(is_report_name("b/a.sarif"));
    EXPECT_FALSE(is_report_name("a.txt"));
    EXPECT_FALSE(is_report_name("json"));
}

}  // namespace
}  // namespace lanewise::check
