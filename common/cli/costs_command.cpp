#include "common/cli/costs_command.hpp"

#include <algorithm>
#include <ostream>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/cli/progress.hpp"

namespace lanewise::cli {

using lesson::Lesson;
using runner::BackendChoice;

namespace {

constexpr const char* kFile = "costs.json";

timing::CostTable measured(Program& program, const Console& console) {
    ProgressLine line(console);
    auto table = program.measure_costs(
        [&](std::size_t done, std::size_t all, const std::string& name) { line.show("", done, all, name); });
    table.date = program.today();
    return table;
}

timing::CostTable recorded(const Lesson& lesson, const std::string& why) {
    const auto path = find_costs(lesson);
    if (path.empty())
        throw Error(fmt::format("--costs: {}no costs are recorded under {}; run it on a machine with a GPU.",
                                why.empty() ? "" : "there is no GPU to measure on, and ",
                                lesson.recordings().string()));
    return timing::load_costs(path);
}

void record(const timing::CostTable& table, const std::string& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error)
        throw Error(fmt::format("--record {}: it cannot be made: {}; choose another folder.", folder, error.message()));
    timing::save(std::filesystem::path(folder) / kFile, table);
}

}  // namespace

std::filesystem::path find_costs(const Lesson& lesson) {
    std::error_code error;
    std::vector<std::filesystem::path> found;
    for (const auto& gpu : std::filesystem::directory_iterator(lesson.recordings(), error))
        if (std::filesystem::is_regular_file(gpu.path() / kFile, error)) found.push_back(gpu.path() / kFile);
    return found.empty() ? std::filesystem::path() : *std::min_element(found.begin(), found.end());
}

timing::CostTable costs_of(Program& program, const Options& options, const Console& console) {
    const bool wanted = options.backend == BackendChoice::gpu || !options.record.empty();
    const bool allowed = wanted || options.backend == BackendChoice::automatic;
    std::string why;
    if (allowed && program.measure_costs && program.gpu_available(&why)) {
        auto table = measured(program, console);
        if (!options.record.empty()) record(table, options.record);
        return table;
    }
    if (!options.record.empty())
        throw Error(fmt::format("--record {}: recordings are made on a GPU. {}", options.record, why));
    if (wanted) throw Error(fmt::format("--backend gpu: {}", why));
    return recorded(program.lesson, why);
}

void show_costs(const timing::CostTable& table, const Options& options, const Console& console, print::Paint paint) {
    if (options.csv == "-") console.out << timing::to_csv(table);
    else if (options.json == "-") console.out << timing::to_json(table);
    else print_costs(console.out, table, paint);
    if (!options.csv.empty() && options.csv != "-") timing::save_csv(options.csv, table);
    if (!options.json.empty() && options.json != "-") timing::save(options.json, table);
    if (!options.record.empty())
        console.out << fmt::format("recorded {} costs to {}/{}\n", table.rows.size(), options.record, kFile);
}

}  // namespace lanewise::cli
