#include "common/check/report.hpp"

#include <algorithm>
#include <bit>
#include <cctype>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/error.hpp"
#include "common/base/kernel_text.hpp"
#include "common/base/whole_file.hpp"

namespace lanewise::check {

namespace {

using Json = nlohmann::ordered_json;
using trace::Finding;

std::string dumped(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

Json lanes_json(std::uint32_t lanes) {
    Json list = Json::array();
    for (; lanes; lanes &= lanes - 1) list.push_back(std::countr_zero(lanes));
    return list;
}

const char* severity_name(trace::Severity severity) {
    return severity == trace::Severity::note ? "note" : "wrong";
}

// What is known of a finding besides its sentence; both formats hold it.
Json facts(const Finding& finding) {
    Json json{{"kernel", finding.kernel}, {"launch", finding.launch},
              {"block", finding.block},   {"warp", finding.warp},
              {"lanes", lanes_json(finding.lanes)}, {"count", finding.count}};
    if (!finding.array.empty()) {
        json["array"] = finding.array;
        json["index"] = finding.index;
    }
    if (!finding.value.empty()) json["value"] = finding.value;
    if (finding.record >= 0) json["record"] = finding.record;
    if (!finding.other) return json;
    const trace::FindingPlace& place = *finding.other;
    Json& other = json["other"] = {{"line", place.line},
                                   {"block", place.block},
                                   {"warp", place.warp},
                                   {"lanes", lanes_json(place.lanes)}};
    if (!place.value.empty()) other["value"] = place.value;
    if (place.record >= 0) other["record"] = place.record;
    return json;
}

struct Rule {
    const char* kind;
    const char* sentence;
};

// In SARIF every kind is a rule with a sentence of its own.
constexpr Rule kRules[] = {
    {"race", "Two lanes access the same word, at least one of them writes it, and nothing orders the two."},
    {"atomic_race", "An atomic and a plain access of the same word, and nothing orders the two."},
    {"atomic_scope", "An atomic whose scope is one block is used between blocks."},
    {"same_value_stores", "Several lanes store the same value to one word without order."},
    {"missing_fence", "What an atomic guards is read without a fence after the atomic."},
    {"out_of_bounds", "An access outside of its array."},
    {"foreign_pointer", "An access through a pointer to no array of the launch."},
    {"assumes_lockstep", "Lanes of a warp exchange words through volatile memory as if they ran in lockstep."},
    {"unfenced_volatile",
     "A volatile word is passed on by an atomic without the fences that would order the two accesses."},
    {"lost_update", "A lane reads a volatile word and stores a new value, while another lane stores to it."},
    {"lock_not_taken", "A word that one lane accesses under a lock is written without a lock."},
    {"hang", "Threads wait for a value that no thread will store any more."},
    {"use_after_free", "An access to memory that was freed."},
    {"invalid_free", "Memory that is freed twice, or that no malloc or new gave."},
    {"local_of_another_lane", "An access to a local variable of another lane."},
    {"write_to_constant", "A store to a constant."},
    {"uninitialised_read", "A read of memory that nothing has written."},
    {"barrier_divergence", "Threads of a block wait at different barriers."},
    {"mask_without_caller", "A lane calls a warp intrinsic with a mask that does not name it."},
    {"mask_mismatch", "Participating lanes of a warp intrinsic name different masks."},
    {"intrinsic_mismatch", "Lanes that a mask names make different calls."},
    {"inactive_source", "A lane reads from a lane that takes no part in the shuffle."},
    {"bad_width", "A width that a shuffle does not take."},
    {"deadlock", "Lanes wait for lanes that wait elsewhere."},
    {"runaway", "A block that does not come to an end."},
    {"missing_return", "A function that returns a value comes to its end without a return."},
    {"misaligned_access", "An access at an address that is no multiple of its size."},
    {"trap", "The kernel ended itself by __trap()."},
    {"assertion_failed", "An assertion of the kernel does not hold."},
    {"too_much_shared", "More shared memory than a block can have."}};

// As a URI: other bytes than plain ones by their numbers.
std::string uri_of(const std::string& path) {
    std::string uri;
    for (const unsigned char c : path) {
        const bool plain = std::isalnum(c) || c == '/' || c == '.' || c == '_' || c == '-' || c == '~';
        uri += plain ? std::string(1, static_cast<char>(c)) : fmt::format("%{:02X}", c);
    }
    return uri;
}

// Of a file below the folder that this program runs in, or of one that is named relative to the project already: from
// there; of others the whole path.
Json artifact_of(const std::string& path) {
    namespace fs = std::filesystem;
    std::error_code none;
    std::string from_here = path;
    if (path.starts_with("/") || path.starts_with("../"))
        from_here = fs::absolute(path, none).lexically_normal().string();
    if (const std::string here = fs::current_path(none).string() + "/"; from_here.starts_with(here))
        from_here.erase(0, here.size());
    if (from_here.starts_with("/")) return {{"uri", "file://" + uri_of(from_here)}};
    return {{"uri", uri_of(from_here)}, {"uriBaseId", "PROJECT"}};
}

struct Place {
    std::string file;
    int line = 0;
};

// A line in the file that it is in.
Place place_of(const ReportedRun& run, int line) {
    Place place{run.kernel_file, line};
    for (const ReportedFile& file : run.included)
        if (file.first_line <= line) place = {file.path, line - file.first_line + 1};
    return place;
}

// A finding's sentence with the file of each line that it names: "line 4 of sums.cuh".
std::string with_files(const ReportedRun& run, const std::string& sentence) {
    return name_lines(sentence, [&run](int line) {
        const Place place = place_of(run, line);
        if (place.file == run.kernel_file) return fmt::format("{}", place.line);
        return fmt::format("{} of {}", place.line, std::filesystem::path(place.file).filename().string());
    });
}

Json location(const Place& place, const std::string& kernel) {
    const auto& [file, line] = place;
    Json physical{{"artifactLocation", artifact_of(file)}};
    if (line > 0) physical["region"] = {{"startLine", line}};
    Json json{{"physicalLocation", std::move(physical)}};
    if (!kernel.empty()) json["logicalLocations"] = Json::array({{{"name", kernel}, {"kind", "function"}}});
    return json;
}

Json result_json(const ReportedRun& run, const Finding& finding, std::size_t rule) {
    std::string text = with_files(run, finding.sentence);
    if (!finding.advice.empty()) text += " " + finding.advice;
    const bool declared = !run.declared_wrong.empty();
    Json properties = facts(finding);
    properties["variant"] = run.variant;
    if (declared) properties["declared_wrong"] = run.declared_wrong;
    Json json{{"ruleId", finding.kind},
              {"ruleIndex", rule},
              {"level", finding.severity == trace::Severity::note || declared ? "note" : "error"},
              {"message", {{"text", text}}},
              {"locations", Json::array({location(place_of(run, finding.line), finding.kernel)})}};
    if (finding.count > 0) json["occurrenceCount"] = std::min<std::uint64_t>(finding.count, 2147483647);
    if (finding.other) {
        Json other = location(place_of(run, finding.other->line), {});
        other["message"] = {{"text", "the other access or call"}};
        json["relatedLocations"] = Json::array({std::move(other)});
    }
    json["properties"] = std::move(properties);
    return json;
}

}  // namespace

std::string report_json(const Report& report) {
    Json runs = Json::array();
    for (const ReportedRun& run : report.runs) {
        Json findings = Json::array();
        for (const Finding& finding : run.findings) {
            const Place place = place_of(run, finding.line);
            Json json{{"kind", finding.kind}, {"severity", severity_name(finding.severity)}, {"line", place.line},
                      {"sentence", with_files(run, finding.sentence)}};
            if (place.file != run.kernel_file) json["file"] = place.file;
            if (!finding.advice.empty()) json["advice"] = finding.advice;
            json.update(facts(finding));
            if (finding.other) {
                const Place other = place_of(run, finding.other->line);
                json["other"]["line"] = other.line;
                if (other.file != run.kernel_file) json["other"]["file"] = other.file;
            }
            findings.push_back(std::move(json));
        }
        Json json{{"variant", run.variant}, {"kernel_file", run.kernel_file},
                  {"verdict", trace::verdict_name(run.verdict)}};
        if (!run.undecided.empty()) json["undecided"] = run.undecided;
        if (!run.declared_wrong.empty()) json["declared_wrong"] = run.declared_wrong;
        json["findings"] = std::move(findings);
        runs.push_back(std::move(json));
    }
    return dumped({{"format", "lanewise report"}, {"major", 1}, {"minor", 0}, {"version", report.version},
                   {"lesson", report.lesson}, {"runs", std::move(runs)}});
}

std::string report_sarif(const Report& report) {
    std::vector<Rule> rules(std::begin(kRules), std::end(kRules));
    Json results = Json::array();
    for (const ReportedRun& run : report.runs)
        for (const Finding& finding : run.findings) {
            auto rule = std::find_if(rules.begin(), rules.end(),
                                     [&](const Rule& known) { return finding.kind == known.kind; });
            if (rule == rules.end()) rule = rules.insert(rules.end(), {finding.kind.c_str(), "A finding."});
            results.push_back(result_json(run, finding, static_cast<std::size_t>(rule - rules.begin())));
        }
    Json rules_json = Json::array();
    for (const Rule& rule : rules)
        rules_json.push_back({{"id", rule.kind}, {"shortDescription", {{"text", rule.sentence}}}});
    Json driver{{"name", "Lanewise"}, {"version", report.version}, {"rules", std::move(rules_json)}};
    Json notices = Json::array();
    for (const ReportedRun& run : report.runs)
        if (!run.undecided.empty())
            notices.push_back({{"level", "warning"},
                               {"message", {{"text", run.variant + " was not decided: " + run.undecided}}}});
    Json invocation{{"executionSuccessful", true}};
    if (!notices.empty()) invocation["toolExecutionNotifications"] = std::move(notices);
    Json run{{"tool", {{"driver", std::move(driver)}}},
             {"invocations", Json::array({std::move(invocation)})},
             {"columnKind", "utf16CodeUnits"},
             {"results", std::move(results)}};
    return dumped({{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                   {"version", "2.1.0"},
                   {"runs", Json::array({std::move(run)})}});
}

bool is_report_name(const std::string& path) { return path.ends_with(".json") || path.ends_with(".sarif"); }

void save_report(const std::string& path, const Report& report) {
    const std::string why =
        write_whole_file(path, path.ends_with(".sarif") ? report_sarif(report) : report_json(report));
    if (!why.empty())
        throw Error(fmt::format(
            "The report cannot be written to {}: {}. Name a file in a folder that you may write to.", path, why));
}

}  // namespace lanewise::check
