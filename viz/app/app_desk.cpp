// What lies around the lesson: notices, files that are opened, the page of all lessons, and the way to the next.
#include <algorithm>
#include <filesystem>

#include "common/run/lesson_contents.hpp"
#include "common/run/services.hpp"
#include "common/scene/memory/requests.hpp"
#include "common/scene/utilization.hpp"
#include "viz/app/app.hpp"

namespace lanewise::viz {
namespace {

namespace fs = std::filesystem;

std::string file_name(const std::string& path) { return fs::path(path).filename().string(); }

}  // namespace

// --- settings ------------------------------------------------------------------------------------------------------

void App::apply_settings(const Settings& settings) {
    settings_ = settings;
    dark_ = request_.dark.value_or(settings.dark);
    panels_ = settings.panels;
    playhead_.motion = settings.motion;
    playhead_.speed = settings.speed;
    selection_.display.colors = settings.by_inputs ? ColorBy::inputs : ColorBy::value;
    settings_.lessons[presentation_.lesson].opened = true;
    if (!request_.opened.empty()) settings_.opened(fs::absolute(request_.opened).string());
}

Settings App::settings() const {
    Settings now = settings_;
    // What the command line asked for is not a choice to keep; D after it is.
    if (request_.dark != dark_) now.dark = dark_;
    now.panels = panels_;
    now.motion = playhead_.motion;
    now.speed = playhead_.speed;
    now.by_inputs = selection_.display.colors == ColorBy::inputs;
    return now;
}

void App::enlarge(int direction) {
    constexpr float kSteps[] = {0.75f, 0.9f, 1, 1.1f, 1.25f, 1.5f, 1.75f, 2, 2.5f, 3};
    float& now = settings_.larger;
    if (direction == 0) now = 1;
    else if (direction > 0) {
        const auto* next =
            std::find_if(std::begin(kSteps), std::end(kSteps), [&](float step) { return step > now * 1.01f; });
        now = next == std::end(kSteps) ? std::max(now, kSteps[std::size(kSteps) - 1]) : *next;
    } else {
        for (auto step = std::rbegin(kSteps); step != std::rend(kSteps); ++step) {
            if (*step >= now * 0.99f && step + 1 != std::rend(kSteps)) continue;
            now = std::min(now, *step);
            break;
        }
    }
    again_ = true;
}

// A variant counts as walked when its last step has been seen.
void App::mark_progress() {
    if (comparing() || !shown_[0] || playhead_.count == 0 || playhead_.step + 1 < playhead_.count) return;
    if (tab_of(names_[0]) >= tabs_of_lesson_ || (whole_ && shown_[0] != whole_)) return;
    LessonMark& mark = settings_.lessons[presentation_.lesson];
    mark.of = static_cast<int>(tabs_of_lesson_);
    mark.walked.insert(names_[0]);
    const auto own = [&](const std::string& name) { return tab_of(name) < tabs_of_lesson_; };
    if (std::count_if(mark.walked.begin(), mark.walked.end(), own) == static_cast<std::ptrdiff_t>(tabs_of_lesson_))
        mark.done = true;
}

// --- files ---------------------------------------------------------------------------------------------------------

void App::open_file(const std::string& path) {
    std::error_code failed;
    again_ = true;
    if (!presentation_.services.open) return notify("This window cannot open files.");
    if (fs::is_directory(path, failed)) return notify(path + " is a folder; open a trace (.ndjson) from it.");
    if (!fs::exists(path, failed)) return notify(path + " does not exist; --save-trace FILE writes a trace.");
    // Opened again, it is read again.
    const std::string name = name_of_file_run(opened_files_++, fs::absolute(path, failed).string());
    loader_.get(name);
    opening_.push_back(name);
    notice_ = {};
}

void App::adopt_files() {
    for (auto it = opening_.begin(); it != opening_.end();) {
        const RunLoader::Result result = loader_.get(*it);
        if (!result.done()) {
            ++it;
            continue;
        }
        const std::string name = *it;
        it = opening_.erase(it);
        const std::string path = path_of_file_run(name);
        again_ = true;
        if (result.run_view) {
            presentation_.variants.push_back({name, file_name(path), path, false});
            tab_names_.push_back(name);
            start_open_ = false;
            choose(name);
            settings_.opened(path);
            if (const std::string& text = result.run_view->run->notice; !text.empty()) notify(text);
            continue;
        }
        notify(result.error);
        // A trace of another lesson can be shown there.
        const auto other =
            std::find_if(presentation_.lessons.begin(), presentation_.lessons.end(),
                         [&](const run::LessonInfo& info) { return info.name == result.foreign_lesson; });
        if (other == presentation_.lessons.end() || other->program.empty() || !presentation_.services.continue_with)
            continue;
        elsewhere_ = {other->program, {"--open", path}};
        notice_.offer = "Open it in " + other->title;
        notice_.accepted = {Intent::Kind::open_elsewhere, 0};
    }
}

std::string App::outside_text() const {
    std::string text = notice_.sentence + open_card_.typed();
    for (std::size_t i = tabs_of_lesson_; i < presentation_.variants.size(); ++i)
        text += presentation_.variants[i].summary;
    for (const std::string& file : settings_.recent) text += file;
    if (open_card_.is_open())
        for (const PathChoice& choice : open_card_.choices()) text += choice.name;
    return text + presentation_.title + source_.beyond_ascii + origin() + written_path_;
}

void App::notify(const std::string& sentence, bool good) {
    notice_ = {sentence, {}, {}, good};
    again_ = true;
}

// --- lessons -------------------------------------------------------------------------------------------------------

std::size_t App::own_place() const {
    const auto& lessons = presentation_.lessons;
    return static_cast<std::size_t>(std::find_if(lessons.begin(), lessons.end(), [&](const run::LessonInfo& info) {
        return info.name == presentation_.lesson;
    }) - lessons.begin());
}

std::vector<LessonRow> App::lesson_rows() const {
    std::vector<LessonRow> rows;
    bool next_found = false;
    for (const run::LessonInfo& info : presentation_.lessons) {
        LessonRow row{.name = info.name,
                      .title = info.title,
                      .opening = info.opening,
                      .ladder = prediction_.open() ? "" : info.ladder};
        row.built = !info.program.empty() && presentation_.services.continue_with != nullptr;
        row.here = info.name == presentation_.lesson;
        if (const auto mark = settings_.lessons.find(info.name); mark != settings_.lessons.end()) {
            row.done = mark->second.done;
            row.opened = mark->second.opened;
            row.walked = static_cast<int>(mark->second.walked.size());
            row.of = mark->second.of;
        }
        if (const auto score = scores_.find(info.name); score != scores_.end()) row.answers = score_text(score->second);
        row.next = !row.done && !std::exchange(next_found, next_found || !row.done);
        rows.push_back(std::move(row));
    }
    return rows;
}

void App::open_lesson(std::size_t place) {
    if (place >= presentation_.lessons.size()) return;
    const run::LessonInfo& info = presentation_.lessons[place];
    if (info.name == presentation_.lesson) {
        start_open_ = false;
        return;
    }
    if (info.program.empty() || !presentation_.services.continue_with) {
        const std::string command = lesson_command(info.name);
        notify(info.title + " is not built yet: " + command + " builds it and opens it.");
        notice_.offer = "Copy the command";
        notice_.accepted = {Intent::Kind::copy_command, place};
        return;
    }
    leave_for({info.program, {}});
}

void App::go_to_next_lesson() {
    const std::size_t next = own_place() + 1;
    if (next >= presentation_.lessons.size()) return notify("This is the last of the lessons; H shows all of them.");
    settings_.lessons[presentation_.lesson].done = true;
    open_lesson(next);
}

void App::leave_for(const run::NextProgram& next) {
    presentation_.services.continue_with(next);
    closing_ = true;
}

void App::compare_these(const std::vector<std::string>& variants) {
    if (comparing()) close_comparison();
    choose(variants.front());
    for (std::size_t i = 1; i < variants.size(); ++i) set_beside(variants[i]);
}

void App::go_where_wanted() {
    if (asking_ && (shown_[0] || whole_) && loader_.get(run_name(0)).run_view == (whole_ ? whole_ : shown_[0]))
        ask_of_text(*std::exchange(asking_, {}));
    if (!wanted_step_ || !shown_[0] || loader_.get(run_name(0)).run_view != (whole_ ? whole_ : shown_[0])) return;
    if (whole_) go_predicted(*wanted_step_);
    else if (!comparing()) playhead_.go_to(*wanted_step_);
    else if (compare_.steps.sides() == names_.size()) playhead_.go_to(compare_.steps.place_of(0, *wanted_step_));
    else return;
    playhead_.playing = false;
    wanted_step_.reset();
}

void App::go_back() {
    if (visited_.empty()) return notify("No link was followed: there is no way back.");
    const Visited last = std::move(visited_.back());
    visited_.pop_back();
    if (comparing()) close_comparison();
    choose(last.names.front());
    for (std::size_t i = 1; i < last.names.size(); ++i) set_beside(last.names[i]);
    view_ = last.view;
    selection_.pinned_lane = last.lane;
    wanted_step_ = last.step;
}

void App::explain() {
    std::string said = "step";
    if (shown_[0] && playhead_.step < shown_[0]->outline.steps.size() && !comparing()) {
        const steps::Steps& steps = shown_[0]->steps();
        const scene::StepHead& step = shown_[0]->outline.steps[playhead_.step];
        static constexpr std::pair<StepKind, const char*> kTerms[] = {
            {StepKind::shuffle, "shuffle, source lane, register"}, {StepKind::block_barrier, "barrier"},
            {StepKind::warp_barrier, "barrier"}, {StepKind::atomic, "atomic"}, {StepKind::fence, "fence"},
            {StepKind::load, "request"}, {StepKind::store, "request"}};
        said = step.label + ". " + step.stage + ". ";
        for (const auto& [kind, terms] : kTerms)
            if (kind == step.kind) said += std::string(terms) + ". ";
        for (const auto& line : scene::counts_at(steps, playhead_.step, selection_.warp).lines)
            said += std::string(line.label) + ". ";
        const auto requests = scene::requests_of(steps, playhead_.step, selection_.warp);
        for (const Space space : {Space::shared, Space::global})
            for (const std::string& caption : scene::request_captions(steps, requests, space)) said += caption + ". ";
        said += "lane. warp. block. lane utilization";
    }
    terms_.show("Terms of this step", glossary_.in(said));
}

// A term under the pointer explains itself once the pointer rests on it.
void App::explain_under_pointer(const Look& look) {
    if (terms_.open || menu_.is_open() || keys_.open || open_card_.is_open()) return;
    const player::Term* term = text_.hovered_term().empty()
                                   ? glossary_.at(under_pointer_.text(), under_pointer_.place())
                                   : glossary_.find(text_.hovered_term());
    if (term) term_card(look, *term);
}

void App::follow(const player::Link& link) {
    if (!link.term.empty()) {
        if (const player::Term* term = glossary_.find(link.term)) return terms_.show("Glossary", {term});
        return notify("The glossary has no term '" + link.term + "'.");
    }
    if (link.lesson.empty()) visited_.push_back({names_, view_, playhead_.step, selection_.pinned_lane});
    if (!link.lesson.empty()) {
        const auto& lessons = presentation_.lessons;
        const auto at = std::find_if(lessons.begin(), lessons.end(),
                                     [&](const run::LessonInfo& info) { return info.name == link.lesson; });
        if (at == lessons.end()) return notify("There is no lesson '" + link.lesson + "' beside this one.");
        return open_lesson(static_cast<std::size_t>(at - lessons.begin()));
    }
    const auto ensure_tab = [&](const std::string& name) {
        const auto& all = presentation_.all_variants;
        if (tab_of(name) < presentation_.variants.size()) return true;
        if (std::find(all.begin(), all.end(), name) == all.end()) {
            notify("This lesson has no variant '" + name + "'.");
            return false;
        }
        presentation_.variants.push_back({name, name, "", false});
        tab_names_.push_back(name);
        return true;
    };
    if (!link.compare.empty()) {
        for (const std::string& name : link.compare)
            if (!ensure_tab(name)) return;
        compare_these(link.compare);
    }
    if (!link.variant.empty()) {
        if (!ensure_tab(link.variant)) return;
        if (comparing() && link.compare.empty()) close_comparison();
        choose(link.variant);
    }
    if (link.ask && changes_ != link.changes) change_run(link.changes);   // asked of the run as the text has it
    if (!link.changes.empty()) {
        // As the link says, and nothing else: it shows what its text says.
        run::RunChanges changes;
        for (const auto& [field, text] : link.changes) run::set_change(changes, field, text);
        change_run(changes);
    }
    if (link.ask) {
        asking_ = link;   // once the run is there
        return;
    }
    if (link.view) view_ = *link.view;
    if (link.lane >= 0) selection_.pinned_lane = link.lane;
    if (link.step) wanted_step_ = link.step;   // once the run is there
}

// --- commands ------------------------------------------------------------------------------------------------------

// What concerns the desk; false for all else.
bool App::apply_to_desk(const Intent& intent) {
    using Kind = Intent::Kind;
    switch (intent.kind) {
        case Kind::menu: menu_.toggle(); return true;
        case Kind::start_page: start_open_ = !start_open_; start_.chosen = -1; return true;
        case Kind::next_lesson: go_to_next_lesson(); return true;
        case Kind::lesson: open_lesson(intent.value); return true;
        case Kind::open_file: open_card_.open(settings_.recent); return true;
        case Kind::recent:
            if (intent.value < settings_.recent.size()) open_file(std::string(settings_.recent[intent.value]));
            return true;
        case Kind::open_elsewhere: leave_for(elsewhere_); return true;
        case Kind::copy_command:
            if (intent.value < presentation_.lessons.size()) {
                ImGui::SetClipboardText(lesson_command(presentation_.lessons[intent.value].name).c_str());
                notify("Copied. Run it in a terminal, in the folder of the checkout.", true);
            }
            return true;
        case Kind::export_run: export_run(intent.value); return true;
        case Kind::copy_path:
            ImGui::SetClipboardText(written_path_.c_str());
            notify("Copied: " + written_path_, true);
            return true;
        case Kind::link:
            if (intent.value < text_.links().size()) follow(player::Link(text_.links()[intent.value]));
            return true;
        case Kind::button: buttons_.choose_next(intent.value == 1 ? 1 : -1); return true;
        case Kind::text_target:
            buttons_.let_go();
            if (!panels_.show_text && !comparing()) toggle_panel(0);
            text_.choose_target(intent.value == 1);
            return true;
        case Kind::follow_target:
            if (buttons_.any()) buttons_.press();
            else if (const Intent target = text_.of_target()) apply(target);
            else open_lane_value(selection_.lane());   // the lane that is looked at
            return true;
        case Kind::copy_text:
            if (intent.value < text_.commands()) {
                ImGui::SetClipboardText(text_.command(intent.value).c_str());
                notify("Copied: " + text_.command(intent.value), true);
            }
            return true;
        case Kind::back: go_back(); return true;
        case Kind::explain: terms_.open ? void(terms_.open = false) : explain(); return true;
        case Kind::dismiss: notice_ = {}; return true;
        case Kind::quit: closing_ = true; return true;
        case Kind::close:
            if (menu_.is_open()) menu_.close();
            else if (terms_.open) terms_.open = false;
            else if (keys_.open) keys_.open = false;
            else if (!notice_.sentence.empty()) notice_ = {};
            else if (start_open_) start_open_ = false;
            else if (buttons_.any()) buttons_.let_go();
            else return false;
            return true;
        default: return false;
    }
}

}  // namespace lanewise::viz
