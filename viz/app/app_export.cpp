// What is shown, exported: the menu's "save" commands.
#include <filesystem>

#include <unistd.h>

#include "common/base/error.hpp"
#include "common/page/document.hpp"
#include "common/run/run.hpp"
#include "viz/app/app.hpp"
#include "viz/platform/paper.hpp"
#include "viz/widgets/svg_canvas.hpp"

namespace lanewise::viz {
namespace {

namespace fs = std::filesystem;
using player::ExportKind;

// The folder that Lanewise was started in, or the home where that cannot be written to.
fs::path folder_to_write() {
    std::error_code failed;
    const fs::path here = fs::current_path(failed);
    if (!failed && access(here.c_str(), W_OK) == 0) return here;
    if (const char* home = std::getenv("HOME"); home && access(home, W_OK) == 0) return home;
    return here;
}

// What is there stays: "xor.svg", then "xor-2.svg".
fs::path free_path(const fs::path& folder, const std::string& stem, const std::string& ending) {
    std::error_code ignored;
    fs::path path = folder / (stem + ending);
    for (int count = 2; fs::exists(path, ignored) && count < 10000; ++count)
        path = folder / (stem + "-" + std::to_string(count) + ending);
    return path;
}

}  // namespace

std::string App::export_name() const {
    std::string name = presentation_.lesson;
    for (const auto& shown : shown_) name += "-" + shown->trace().header.variant;
    return name;
}

void App::export_run(std::size_t what) {
    const auto kind = static_cast<ExportKind>(what);
    if (writing_.busy() && !writing_.get(false)) return notify("The last file is still being written.");
    if (kind == ExportKind::times) return take_times_away();
    for (const auto& shown : shown_)
        if (!shown) return notify("There is nothing to save yet: the run is not there.");
    const fs::path folder = folder_to_write();
    if (kind == ExportKind::picture) {
        const std::string place = "-step-" + std::to_string(playhead_.step + 1);
        const fs::path path = free_path(folder, export_name() + place, ".svg");
        // ImGui's part of it belongs to this thread; it takes as long as a few frames.
        return write_away([document = drawn_as_svg(), path] {
            page::write_file("The picture", path.string(), document);
            return Written{"The picture is in " + path.string() + ".", path.string()};
        });
    }
    // Runs stay as long as a view shows them or an export writes them.
    std::vector<std::shared_ptr<const run::Run>> runs;
    for (const auto& shown : shown_) runs.push_back(shown->run);
    if (kind == ExportKind::values) {
        const fs::path path = free_path(folder, presentation_.lesson + "-" + runs[0]->trace.header.variant, ".csv");
        return write_away([run = runs[0], path] {
            page::write_file("The table of values", path.string(), page::values_csv(*run));
            return Written{"Every value of " + run->trace.header.variant + " is in " + path.string() + ".",
                           path.string()};
        });
    }
    page::Document document{presentation_.lesson, presentation_.title, {}};
    for (std::size_t side = 0; side < runs.size(); ++side) {
        const std::size_t tab = tab_of(names_[side]);
        const bool known = tab < presentation_.variants.size();
        document.panels.push_back({runs[side].get(), tab_title(names_[side]),
                                   known ? presentation_.variants[tab].summary : "",
                                   known && presentation_.variants[tab].declared_wrong});
    }
    if (comparing()) {
        const ComparisonSentence& sentence = compare_.sentence();
        document.comparison = {sentence.text(), sentence.input};
    }
    document.step = playhead_.step;   // beside each other: a place, as the page counts them, too
    document.block = static_cast<int>(selection_.warp.block);
    document.warp = static_cast<int>(selection_.warp.warp);
    document.lane = selection_.pinned_lane;
    document.text = presentation_.text;
    document.glossary = presentation_.glossary;
    const fs::path path = free_path(folder, export_name(), ".html");
    write_away([document, runs, path] {
        page::write_file("The page", path.string(), page::page_html(document));
        return Written{"A page that steps through it in any browser is in " + path.string() + ".", path.string()};
    });
}

void App::take_times_away() {
    // Those in sight: over sizes where they are drawn so.
    const bool over_sizes = view_ == View::timings || view_ == View::roofline;
    const timing::TimingTable& first = over_sizes ? presentation_.sizes : presentation_.timings;
    const timing::TimingTable& times = !first.rows.empty() ? first
                                       : over_sizes        ? presentation_.timings
                                                           : presentation_.sizes;
    if (times.rows.empty())
        return notify("There are no times to save: none were measured on a GPU, or recorded on one.");
    const fs::path path = free_path(folder_to_write(), presentation_.lesson + "-times", ".csv");
    write_away([times, path] {
        page::write_file("The times", path.string(), timing::to_csv(times));
        return Written{"The times are in " + path.string() + ".", path.string()};
    });
}

// A file of a long run takes seconds: not in a frame.
void App::write_away(std::function<Written()> write) {
    writing_.begin([write = std::move(write)](const std::stop_token&) -> Written {   // a file is finished
        try {
            return write();
        } catch (const Error& error) {
            return {error.what(), ""};
        }
    });
    adopt_written();
}

void App::adopt_written() {
    if (!writing_.busy()) return;
    const auto written = writing_.get(wait_for_results_);
    again_ = true;
    if (!written) return;
    notify(written->sentence, !written->path.empty());
    written_path_ = written->path;
    if (written_path_.empty()) return;
    notice_.offer = "Copy the path";
    notice_.accepted = {Intent::Kind::copy_path, 0};
}

// The view in the middle as it stands, on a page as large as the window.
std::string App::drawn_as_svg() {
    playhead_.since_step = 1e9f;   // at rest
    Paper paper(std::max(window_.width(), 320.0f), std::max(window_.height(), 240.0f), scale_);
    const auto draw = [&](const Look& look) { picture(look, paper.page()); };
    for (int i = 0; i < 2; ++i) paper.frame(theme(), nullptr, draw);
    SvgCanvas canvas(paper.page().width(), paper.page().height(), theme().ground, paper.fonts());
    paper.frame(theme(), &canvas, draw);
    return canvas.document(title(), title());
}

}  // namespace lanewise::viz
