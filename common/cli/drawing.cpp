#include "common/cli/drawing.hpp"

#include <ostream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/base/error.hpp"
#include "common/cli/presentation.hpp"
#include "common/page/document.hpp"
#include "common/runner/recordings.hpp"
#include "common/scene/compare/comparison_sentence.hpp"

namespace lanewise::cli {

using lesson::Variant;
using run::WindowRequest;

namespace {

// `drawn`: what is asked for, as text; `otherwise`: what does without drawing.
std::unique_ptr<run::FrontEnd> front_end_for(const Session& session, const std::string& drawn, const char* otherwise) {
    if (session.program.make_front_end) return session.program.make_front_end();
    throw Error(
        fmt::format("{}, and this program was built without drawing; configure with -DLANEWISE_WINDOW=ON, or {}.",
                    drawn, otherwise));
}

// What is shown of the first of `names`, once the place that was asked for is known to be there.
WindowRequest checked_request(Session& session, const std::string& name) {
    if (session.options.step || session.options.focus_warp) session.check_drawn(name);
    return window_request(session.options, name);
}

void export_svg(Session& session, const WindowRequest& request) {
    const std::string& path = session.options.exported;
    const auto front_end = front_end_for(session, fmt::format("--export {} draws", path), "give FILE.html or FILE.csv");
    front_end->svg(presentation_of(session), request, path);
    session.console.out << fmt::format("drew {}\n", path);
}

void export_page(Session& session, const std::vector<std::string>& names, const WindowRequest& request) {
    std::vector<std::shared_ptr<const run::Run>> runs;
    page::Document document{session.lesson.name(), session.lesson.title(), {}};
    for (const auto& name : names) {
        const Variant& variant = session.lesson.find(name);
        runs.push_back(session.run_beside(name, names));
        document.panels.push_back({runs.back().get(), variant.title, variant.summary, !variant.declared_wrong.empty()});
    }
    if (runs.size() > 1) {
        std::vector<scene::ComparedRun> sides;
        for (std::size_t i = 0; i < runs.size(); ++i)
            sides.push_back({names[i], runs[i].get(), document.panels[i].title});
        const auto comparison =
            scene::comparison_sentence(sides, runner::without_sizes(session.recorded("timings.json")));
        document.comparison = {comparison.text(), comparison.input};
    }
    document.step = request.step;
    document.block = request.block;
    document.warp = request.warp;
    document.lane = request.lane;
    document.text = session.lesson.text();
    document.glossary = session.lesson.glossary();
    std::vector<std::string> shown = names;
    // Where none is named, all of them: one that cannot run here is reported and left out.
    if (session.options.variants.empty() && session.options.compare.empty() && !session.opened) {
        for (const std::string& name : session.tabs()) {
            if (name == names.front()) continue;
            const Variant& variant = session.lesson.find(name);
            try {
                runs.push_back(session.run(name));
            } catch (const Error& error) {
                session.console.err << fmt::format("{} is not on the page: {}\n", name, error.what());
                continue;
            }
            document.others.push_back(
                {document.lesson,
                 document.lesson_title,
                 {{runs.back().get(), variant.title, variant.summary, !variant.declared_wrong.empty()}}});
            shown.push_back(name);
        }
    }
    const std::string& path = session.options.exported;
    page::write_file("--export", path, page::page_html(document));
    session.console.out << fmt::format("wrote a page that steps through {} to {}\n", fmt::join(shown, ", "), path);
}

}  // namespace

void draw_picture(Session& session) {
    const auto front_end = front_end_for(session, "--screenshot and --describe draw", "use --text");
    const WindowRequest request = checked_request(session, session.looked_at().front());
    if (session.options.describe) {
        const std::string text = front_end->describe(presentation_of(session), request);
        session.console.out << text << (text.empty() || text.back() == '\n' ? "" : "\n");
    }
    if (const std::string& path = session.options.screenshot; !path.empty()) {
        front_end->screenshot(presentation_of(session), request, path);
        session.console.out << fmt::format("drew {}\n", path);
    }
}

void export_run(Session& session) {
    const auto names = session.looked_at();
    const std::string& path = session.options.exported;
    const WindowRequest request = checked_request(session, names.front());
    switch (page::ending_of("--export", path)) {
        case page::Ending::svg: return export_svg(session, request);
        case page::Ending::html: return export_page(session, names, request);
        case page::Ending::csv:
            page::write_file("--export", path, page::values_csv(*session.run(names.front())));
            session.console.out << fmt::format("wrote every value of {} to {}\n", names.front(), path);
            return;
    }
}

void open_window(Session& session) {
    const std::string name = session.looked_at().front();
    const WindowRequest request = checked_request(session, name);
    // A wrong size or block is a sentence before a window opens.
    if (!session.opened) session.runner.check_request(session.lesson.find(name));
    if (!session.program.make_front_end)
        throw NoDisplay("This program was built without a window (LANEWISE_WINDOW=OFF).");
    session.program.make_front_end()->window(presentation_of(session), request);
}

}  // namespace lanewise::cli
