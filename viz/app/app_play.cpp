// Playing with a run: the run bar over the stage, what was changed, and the way back.
#include <algorithm>

#include "common/run/run.hpp"
#include "viz/app/app.hpp"

namespace lanewise::viz {
namespace {

constexpr std::size_t kMostUndone = 64;
const std::string kBlockField = "block";

const run::RunField* find_field(const std::vector<run::RunField>& fields, const std::string& name) {
    const auto at = std::find_if(fields.begin(), fields.end(), [&](const auto& field) { return field.name == name; });
    return at == fields.end() ? nullptr : &*at;
}

}  // namespace

// Can be changed: what the lesson runs itself, not what was read from a file.
const std::vector<run::RunField>& App::fields_of(std::size_t side) const {
    static const std::vector<run::RunField> kNone;
    if (!presentation_.services.run_changed || side >= names_.size()) return kNone;
    const auto at = presentation_.fields.find(names_[side]);
    return at == presentation_.fields.end() ? kNone : at->second;
}

// What is changed of a side's run: of those that are compared all, so that they run on one input. The threads of a
// block are no input: a side that chooses its own keeps them.
run::RunChanges App::changes_of(std::size_t side) const {
    if (changes_.empty()) return {};
    if (!comparing()) return run::changes_for(changes_, fields_of(side));
    run::RunChanges any;
    for (const run::RunChange& change : changes_) {
        if (change.first == kBlockField && !find_field(fields_of(side), kBlockField)) continue;
        for (std::size_t each = 0; each < names_.size(); ++each)
            if (!run::changes_for({change}, fields_of(each)).empty()) {
                any.push_back(change);
                break;
            }
    }
    return any;
}

void App::change_run(const run::RunChanges& changes) {
    if (changes == changes_) return;
    undone_.push_back(std::exchange(changes_, changes));
    if (undone_.size() > kMostUndone) undone_.erase(undone_.begin());
    follow_changes();
}

void App::change_field(const std::string& field, const std::string& text) {
    run::RunChanges changes = changes_;
    run::set_change(changes, field, text);
    // Numbers that were typed continue: fewer of them, or zeros after them.
    const auto typed = std::any_of(changes.begin(), changes.end(), [](const auto& c) { return c.first == "values"; });
    if (field == "n" && typed && shown_[0]) {
        const bool number = !text.empty() && text.size() <= 4 && text.find_first_not_of("0123456789") == text.npos;
        if (number && std::stoul(text) > 0)
            run::set_change(changes, "values", run::with_count(shown_[0]->run->inputs, std::stoul(text)));
    }
    change_run(changes);
}

void App::undo_change() {
    if (undone_.empty()) return notify("Nothing was changed: there is nothing to undo.");
    changes_ = std::move(undone_.back());
    undone_.pop_back();
    follow_changes();
}

void App::refuse_change(const std::string& why) {
    change_error_ = why;
    again_ = true;
    if (undone_.empty()) return;
    changes_ = std::move(undone_.back());
    undone_.pop_back();
}

// Asks for the runs as they are now; what is shown stays until they are there.
void App::follow_changes() {
    again_ = true;
    playhead_.playing = false;
    if (whole_ || shown_[0]) before_ = whole_ ? whole_ : shown_[0];
    change_error_.clear();
    std::vector<std::string> wanted;
    for (std::size_t side = 0; side < names_.size(); ++side) wanted.push_back(run_name(side));
    loader_.want_only(wanted);
    for (const std::string& name : wanted) loader_.get(name);
}

// Is a change under way?
bool App::changing() {
    for (std::size_t side = 0; side < names_.size(); ++side)
        if ((shown_[side] || (side == 0 && whole_)) && !loader_.get(run_name(side)).done()) return true;
    return false;
}

player::RunLine App::run_line() const {
    const std::size_t side = chosen_side();
    const std::shared_ptr<const RunView>& run = side == 0 && whole_ ? whole_ : shown_[side];
    if (!run || fields_of(side).empty()) return {};
    const bool same = before_ && before_ != run && !comparing() && !whole_ &&
                      before_->trace().header.variant == run->trace().header.variant;
    player::RunLine line =
        player::run_line(fields_of(side), *run->run, same ? before_->run.get() : nullptr, changes_, change_error_);
    if (!comparing()) return line;
    for (player::RunChip& chip : line.chips)
        for (std::size_t other = 0; chip.field.name == kBlockField && other < names_.size(); ++other)
            if (!find_field(fields_of(other), kBlockField))
                chip.field.sentence += "\n" + names_[other] + " chooses its own";
    return line;
}

// The lanes of the stage that hold something else than before the last change.
void App::mark_changes() {
    const std::size_t tab = tab_of(names_[0]);
    stage_.matrix = matrix_.value_or(tab < presentation_.variants.size() && presentation_.variants[tab].permutation);
    stage_.differing = 0;
    if (comparing() || whole_ || !before_ || !shown_[0] || before_ == shown_[0]) return;
    if (before_->trace().header.variant != shown_[0]->trace().header.variant) return;
    stage_.differing = player::lanes_changed(shown_[0]->steps(), before_->steps(), playhead_.step, selection_.warp);
    stage_.differing_from = "the run before";
}

void App::toggle_matrix() {
    matrix_ = !stage_.matrix;
    if (!*matrix_ || !shown_[0] || view_ != View::stage) return;
    const steps::Steps& steps = shown_[0]->steps();
    const bool shuffle = playhead_.step < steps.size() && steps.steps[playhead_.step].kind == StepKind::shuffle;
    if (!stage_.matrix_fits)
        notify(
            "The matrix has no room: show the stage alone (F), hide the steps (K), make the window higher, or make all "
            "smaller (Ctrl -).");
    else if (!shuffle) notify("The matrix is shown at each shuffle; this step is none.", true);
}

// Is there an input on which this run's sums are rounded? Integers never are.
bool App::can_be_made_to_round() const {
    if (!shown_[0] || whole_) return false;
    const run::RunField* input = find_field(fields_of(0), "input");
    const bool has =
        input && std::find(input->choices.begin(), input->choices.end(), kRoundingInput) != input->choices.end();
    const auto& results = shown_[0]->run->results;
    return has && !results.empty() && is_float(results.front().element) &&
           shown_[0]->trace().header.input != kRoundingInput;
}

void App::open_lane_value(int lane) {
    if (!shown_[0] || comparing()) return;
    const std::size_t index = player::own_input(shown_[0]->steps(), selection_.warp, lane);
    const std::vector<double>& inputs = shown_[0]->run->inputs;
    if (index < inputs.size() && !fields_of(0).empty()) run_bar_.open_value(index, lane, inputs);
}

void App::draw_run_bar(const Look& look, Rect& body) {
    const player::RunLine line = run_line();
    // Tables and times are of runs as the lesson has them.
    const bool of_runs = view_ == View::stage || view_ == View::rounding || view_ == View::tree;
    if (line.chips.empty() || start_open_ || !of_runs) {
        run_bar_.close();
        return;
    }
    // A low window leaves the room to the stage until something is to be changed (/).
    const bool asked = run_bar_.is_open() || !changes_.empty() || !change_error_.empty() || whole_;
    if (!asked && window_.height() < look.px(520)) return;
    const Pane pane(look, "run bar", body.cut_top(RunBar::height(look)), look.colors().panel);
    RunBarState state;
    state.running = changing();
    state.can_undo = !undone_.empty();
    state.changed = !changes_.empty();
    state.questions = player::predict_mode_name(prediction_.mode());
    if (prediction_.mode() == player::PredictMode::exam)
        state.questions += " " + std::to_string(prediction_.right()) + " of " + std::to_string(prediction_.asked());
    answer(run_bar_.draw(pane, line, state));
}

void App::draw_run_card(const Look& look, const Rect& window) {
    if (!run_bar_.is_open()) return;
    const std::size_t side = chosen_side();
    static const std::vector<double> kNone;
    answer(run_bar_.draw_card(look, window, run_line(), shown_[side] ? shown_[side]->run->inputs : kNone));
}

void App::answer(const RunAsk& ask) {
    switch (ask.kind) {
        case RunAsk::Kind::none: return;
        case RunAsk::Kind::change: change_field(ask.field, ask.text); break;
        case RunAsk::Kind::undo: undo_change(); break;
        case RunAsk::Kind::reset: change_run({}); break;
        case RunAsk::Kind::copy: {
            const std::size_t side = chosen_side();
            const auto& shown = side == 0 && whole_ ? whole_ : shown_[side];
            if (!shown) break;
            const std::string command =
                "./lessons/run " + presentation_.lesson.substr(0, presentation_.lesson.find('_')) + " --variant " +
                names_[side] + " " + run::flags_of(run::changes_of_run(*shown->run, fields_of(side)));
            ImGui::SetClipboardText(command.c_str());
            notify("Copied: " + command, true);
            break;
        }
        case RunAsk::Kind::questions: next_predict_mode(); break;
    }
    again_ = true;
}

}  // namespace lanewise::viz
