// A kernel file that is edited in another program while this window shows it.
#include <algorithm>

#include "viz/app/app.hpp"

namespace lanewise::viz {

namespace {

// What is wrong with a save, where its source may not be in sight.
std::string sentence_of(const run::EditedFile& edited) {
    if (edited.problem.empty() || edited.line == 0) return edited.problem;
    return edited.file + ":" + std::to_string(edited.line) + ": " + edited.problem;
}

}  // namespace

// A save makes all runs be made anew; until they are there, and where it does not compile, the last good ones stay.
void App::adopt_edit() {
    if (!is_edited()) return;
    const auto now = presentation_.services.edited();
    if (!now || now == edited_) return;
    const bool saved = !edited_ || edited_->version != now->version;
    const bool first = !edited_;
    if (edited_ && notice_.sentence == sentence_of(*edited_)) notice_ = {};   // it was of the save before
    edited_ = now;
    if (saved && !first) loader_.forget();
    if (!now->problem.empty() && !now->text.empty()) source_.set_source(now->file, now->text);
    source_.set_problem(now->line, now->line > 0 ? now->problem : std::string());
    if ((now->line == 0 || comparing()) && !now->problem.empty()) notify(sentence_of(*now));
    again_ = true;
}

std::string App::edit_state() const {
    if (!edited_) return {};
    return "shown=" + std::to_string(shown_version_) + " saved=" + std::to_string(edited_->version) +
           " problem=" + (edited_->problem.empty() ? "none" : std::to_string(edited_->line));
}

void App::show_version_before() {
    if (!is_edited()) return notify("No file is edited here: ./lessons/run edit opens one.");
    const std::string before = name_of_run_before(names_[0]);
    const auto at = std::find(names_.begin(), names_.end(), before);
    if (at != names_.end()) return remove_side(static_cast<std::size_t>(at - names_.begin()));
    if (!loader_.has(before)) return notify("There is no version before this one yet: change the file and save it.");
    set_beside(before);
    if (edited_ && !edited_->problem.empty()) notify(sentence_of(*edited_));
}

}  // namespace lanewise::viz
