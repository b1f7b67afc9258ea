#include "common/timing/ladder.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/timing/compare.hpp"
#include "common/timing/times_text.hpp"

namespace lanewise::timing {
namespace {

namespace fs = std::filesystem;

const Timing* row_at_ladder(const TimingTable& table, const auto& wanted) {
    const auto at = std::find_if(table.rows.begin(), table.rows.end(), [&](const Timing& row) {
        return row.n == kLadderValues && row.size.empty() && is_timed(row) && wanted(row);
    });
    return at == table.rows.end() ? nullptr : &*at;
}

std::vector<fs::path> folders_in(const fs::path& folder) {
    std::vector<fs::path> folders;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error))
        if (entry.is_directory(error)) folders.push_back(entry.path());
    std::sort(folders.begin(), folders.end());
    return folders;
}

}  // namespace

Ladder make_ladder(const std::vector<TimingTable>& sweeps) {
    Ladder ladder;
    for (const TimingTable& table : sweeps) {
        if (table.main.empty() || (!ladder.gpu.empty() && table.gpu != ladder.gpu)) continue;
        const Timing* main = row_at_ladder(table, [&](const Timing& row) { return row.variant == table.main; });
        if (!main) continue;
        if (ladder.rows.empty()) {
            ladder.gpu = table.gpu;
            if (const Timing* serial = row_at_ladder(table, [](const Timing& row) { return row.on_cpu; })) {
                ladder.cpu = table.cpu;
                ladder.rows.push_back({"", *serial, {}, {}});
            }
        }
        std::optional<double> speedup;
        if (!ladder.rows.empty()) speedup = ladder.rows.back().timing.median_us / main->median_us;
        ladder.rows.push_back({table.lesson, *main, percent_of_read(table, *main), speedup});
        if (std::find(ladder.dates.begin(), ladder.dates.end(), table.date) == ladder.dates.end())
            ladder.dates.push_back(table.date);
    }
    std::sort(ladder.dates.begin(), ladder.dates.end());
    return ladder;
}

Ladder load_ladder(const fs::path& recordings) {
    for (const fs::path& gpu : folders_in(recordings)) {
        std::vector<TimingTable> sweeps;
        for (const fs::path& lesson : folders_in(gpu))
            if (fs::is_regular_file(lesson / "sweep.json")) sweeps.push_back(load(lesson / "sweep.json"));
        Ladder ladder = make_ladder(sweeps);
        if (!ladder.rows.empty()) return ladder;
    }
    return {};
}

std::string ladder_source(const Ladder& ladder) {
    return fmt::format("2^24 floats to one number · {} · recorded {}", ladder.gpu, fmt::join(ladder.dates, ", "));
}

std::vector<std::vector<std::string>> ladder_cells(const Ladder& ladder) {
    if (ladder.rows.empty()) return {};
    std::vector<std::vector<std::string>> cells{{"lesson", "variant", "time", "GB/s", "% of a plain read", "speed-up"}};
    for (const LadderRow& row : ladder.rows)
        cells.push_back({row.lesson.empty() ? "serial CPU baseline" : row.lesson,
                         row.lesson.empty() ? ladder.cpu : row.timing.variant,
                         time_text(row.timing.median_us),
                         fmt::format("{:.0f}", row.timing.gb_per_s()),
                         row.percent_of_read ? fmt::format("{:.1f}", *row.percent_of_read) : "",
                         row.speedup ? fmt::format("{:.2f}×", *row.speedup) : ""});
    return cells;
}

std::string ladder_markdown(const Ladder& ladder) {
    const auto cells = ladder_cells(ladder);
    if (cells.empty()) return {};
    std::string text;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const bool code = i > 0 && !ladder.rows[i - 1].lesson.empty();
        const auto name = [&](const std::string& cell) { return code ? "`" + cell + "`" : cell; };
        const auto& row = cells[i];
        text += fmt::format("| {} | {} | {} | {} | {} | {} |\n", name(row[0]), name(row[1]), row[2], row[3], row[4],
                            row[5]);
        if (i == 0) text += "| --- | --- | ---: | ---: | ---: | ---: |\n";
    }
    return text + "\n" + ladder_source(ladder) + ".\n";
}

}  // namespace lanewise::timing
