#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "common/base/error.hpp"
#include "common/timing/files.hpp"
#include "common/timing/table_json.hpp"
#include "common/timing/timing.hpp"

namespace lanewise::timing {
namespace {

using nlohmann::ordered_json;

constexpr Format kFormat{"lanewise timings", 1, "timings", "Record it again on a machine with a GPU."};

// JSON has no infinities and no NaN, and a wrong kernel's value may be one.
ordered_json number(double value) {
    if (std::isfinite(value)) return value;
    if (std::isnan(value)) return "nan";
    return value > 0 ? "inf" : "-inf";
}

double to_number(const ordered_json& json) {
    if (json.is_number()) return json.get<double>();
    const std::string text = json.get<std::string>();
    if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
    if (text == "inf") return std::numeric_limits<double>::infinity();
    if (text == "-inf") return -std::numeric_limits<double>::infinity();
    throw Error(fmt::format("'{}' is not a number", text));
}

ordered_json json_of(const Timing& row) {
    return {{"variant", row.variant},
            {"element", row.element},
            {"size", row.size},
            {"against", row.against},
            {"baseline", row.baseline},
            {"limit", row.limit},
            {"on_cpu", row.on_cpu},
            {"n", row.n},
            {"columns", row.columns},
            {"block", row.block},
            {"value", number(row.value)},
            {"error", number(row.error)},
            {"within_bound", row.within_bound},
            {"median_us", number(row.median_us)},
            {"low_us", number(row.low_us)},
            {"high_us", number(row.high_us)},
            {"min_us", number(row.min_us)},
            {"max_us", number(row.max_us)},
            {"samples", row.samples},
            {"outliers", row.outliers},
            {"bytes", row.bytes}};
}

Timing to_timing(const ordered_json& json) {
    Timing row;
    json.at("variant").get_to(row.variant);
    json.at("baseline").get_to(row.baseline);
    // Older tables lack these.
    row.element = json.value("element", "");
    row.size = json.value("size", "");
    row.against = json.value("against", "");
    row.limit = json.value("limit", false);
    row.on_cpu = json.value("on_cpu", false);
    row.columns = json.value("columns", std::uint64_t{0});
    if (json.contains("min_us")) row.min_us = to_number(json.at("min_us"));
    if (json.contains("max_us")) row.max_us = to_number(json.at("max_us"));
    row.outliers = json.value("outliers", 0);
    json.at("n").get_to(row.n);
    json.at("block").get_to(row.block);
    row.value = to_number(json.at("value"));
    row.error = to_number(json.at("error"));
    json.at("within_bound").get_to(row.within_bound);
    row.median_us = to_number(json.at("median_us"));
    row.low_us = to_number(json.at("low_us"));
    row.high_us = to_number(json.at("high_us"));
    json.at("samples").get_to(row.samples);
    json.at("bytes").get_to(row.bytes);
    return row;
}

TimingTable to_table(const ordered_json& json) {
    TimingTable table;
    json.at("lesson").get_to(table.lesson);
    json.at("gpu").get_to(table.gpu);
    json.at("driver").get_to(table.driver);
    table.cpu = json.value("cpu", "");
    json.at("date").get_to(table.date);
    json.at("l2").get_to(table.l2);
    json.at("method").get_to(table.method);
    for (const ordered_json& row : json.at("rows")) table.rows.push_back(to_timing(row));
    table.main = json.value("main", "");
    table.partial = json.value("partial", "");
    table.notes = json.value("notes", std::vector<std::string>{});
    table.before = to_state(json, "before");
    table.after = to_state(json, "after");
    table.recorded = true;
    return table;
}

}  // namespace

std::string to_json(const TimingTable& table) {
    ordered_json json = {{"format", kFormat.name},
                         {"version", kFormat.version},
                         {"lesson", table.lesson},
                         {"gpu", table.gpu},
                         {"driver", table.driver},
                         {"cpu", table.cpu},
                         {"date", table.date},
                         {"l2", table.l2},
                         {"method", table.method},
                         {"main", table.main},
                         {"partial", table.partial},
                         {"notes", table.notes},
                         {"before", json_of(table.before)},
                         {"after", json_of(table.after)},
                         {"rows", ordered_json::array()}};
    for (const Timing& row : table.rows) json["rows"].push_back(json_of(row));
    return json.dump(2) + "\n";
}

void save(const std::filesystem::path& path, const TimingTable& table) {
    write_whole(path, to_json(table), kFormat.what);
}
void save_csv(const std::filesystem::path& path, const TimingTable& table) {
    write_whole(path, to_csv(table), kFormat.what);
}

TimingTable load(const std::filesystem::path& path) {
    TimingTable table;
    load_json(path, kFormat, [&](const ordered_json& json) { table = to_table(json); });
    return table;
}

}  // namespace lanewise::timing
