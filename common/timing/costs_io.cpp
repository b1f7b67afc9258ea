// Costs as JSON and CSV.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "common/base/error.hpp"
#include "common/timing/costs.hpp"
#include "common/timing/files.hpp"
#include "common/timing/table_json.hpp"

namespace lanewise::timing {
namespace {

using nlohmann::ordered_json;

constexpr Format kCostsFormat{"lanewise costs", 1, "costs",
                         "Record it again on a machine with a GPU: --costs --record DIR."};

ordered_json json_of(const CostFigure& figure) {
    if (!figure) return nullptr;
    return {{"median", figure.median}, {"low", figure.low}, {"high", figure.high}, {"samples", figure.samples}};
}

CostFigure to_figure(const ordered_json& json) {
    if (json.is_null()) return {};
    CostFigure figure{json.at("median"), json.at("low"), json.at("high"), json.at("samples")};
    const bool orders = figure.low <= figure.median && figure.median <= figure.high;
    if (!orders || figure.samples < 1)
        throw Error(fmt::format("{} is not a figure: low, median and high do not follow each other", json.dump()));
    return figure;
}

Cost to_cost(const ordered_json& json) {
    Cost row;
    json.at("id").get_to(row.id);
    json.at("group").get_to(row.group);
    json.at("name").get_to(row.name);
    json.at("quoted_cycles").get_to(row.quoted);
    row.latency = to_figure(json.at("latency_cycles"));
    json.at("latency_ns").get_to(row.latency_ns);
    row.throughput = to_figure(json.at("per_cycle_per_sm"));
    json.at("gpu_ns_per_lane").get_to(row.gpu_ns);
    json.at("lacking").get_to(row.lacking);
    return row;
}

CostTable to_costs(const ordered_json& json) {
    CostTable table;
    json.at("gpu").get_to(table.gpu);
    json.at("compute_capability").get_to(table.compute_capability);
    json.at("driver").get_to(table.driver);
    json.at("multiprocessors").get_to(table.multiprocessors);
    json.at("date").get_to(table.date);
    json.at("sm_mhz").get_to(table.sm_mhz);
    json.at("method").get_to(table.method);
    for (const ordered_json& row : json.at("rows")) table.rows.push_back(to_cost(row));
    table.before = to_state(json, "before");
    table.after = to_state(json, "after");
    table.recorded = true;
    return table;
}

std::string optional(bool there, double value) { return there ? fmt::format("{:.6g}", value) : ""; }

}  // namespace

std::string to_json(const CostTable& table) {
    ordered_json json = {{"format", kCostsFormat.name},
                         {"version", kCostsFormat.version},
                         {"gpu", table.gpu},
                         {"compute_capability", table.compute_capability},
                         {"driver", table.driver},
                         {"multiprocessors", table.multiprocessors},
                         {"date", table.date},
                         {"sm_mhz", table.sm_mhz},
                         {"method", table.method},
                         {"before", json_of(table.before)},
                         {"after", json_of(table.after)},
                         {"rows", ordered_json::array()}};
    for (const Cost& row : table.rows)
        json["rows"].push_back({{"id", row.id},
                                {"group", row.group},
                                {"name", row.name},
                                {"quoted_cycles", row.quoted},
                                {"latency_cycles", json_of(row.latency)},
                                {"latency_ns", row.latency_ns},
                                {"per_cycle_per_sm", json_of(row.throughput)},
                                {"gpu_ns_per_lane", row.gpu_ns},
                                {"lacking", row.lacking}});
    return json.dump(2) + "\n";
}

std::string to_csv(const CostTable& t) {
    std::string text =
        "gpu,compute_capability,driver,date,sm_mhz,id,group,name,quoted_cycles,latency_cycles,latency_low,latency_high,"
        "latency_ns,latency_samples,per_cycle_per_sm,per_cycle_low,per_cycle_high,per_cycle_samples,gpu_ns_per_lane,"
        "lacking\n";
    for (const Cost& row : t.rows) {
        const CostFigure &wait = row.latency, &rate = row.throughput;
        text += fmt::format(
            "{},{},{},{},{:.6g},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(t.gpu), t.compute_capability,
            csv_field(t.driver), csv_field(t.date), t.sm_mhz, row.id, csv_field(row.group), csv_field(row.name),
            optional(row.quoted > 0, row.quoted), optional(bool(wait), wait.median), optional(bool(wait), wait.low),
            optional(bool(wait), wait.high), optional(bool(wait), row.latency_ns), wait.samples,
            optional(bool(rate), rate.median), optional(bool(rate), rate.low), optional(bool(rate), rate.high),
            rate.samples, optional(row.gpu_ns > 0, row.gpu_ns), csv_field(row.lacking));
    }
    return text;
}

void save(const std::filesystem::path& path, const CostTable& table) {
    write_whole(path, to_json(table), kCostsFormat.what);
}
void save_csv(const std::filesystem::path& path, const CostTable& table) {
    write_whole(path, to_csv(table), kCostsFormat.what);
}

CostTable load_costs(const std::filesystem::path& path) {
    CostTable table;
    load_json(path, kCostsFormat, [&](const ordered_json& json) { table = to_costs(json); });
    return table;
}

}  // namespace lanewise::timing
