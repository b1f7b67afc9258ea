#include "common/terminal/stepper.hpp"

#include <algorithm>

#include "common/base/error.hpp"
#include "common/scene/compare/side_by_side.hpp"
#include "common/scene/warps.hpp"

namespace lanewise::terminal {

using player::Intent;

Stepper::Stepper(Request request) : request_(std::move(request)), lane_(request_.lane) {
    if (request_.variants.empty()) throw Error("There is no variant to step through.");
    adopt(request_.run(request_.variants.front().name));
    for (const WarpRef& warp : outline_.warps) {
        const bool fits = (request_.block < 0 || warp.block == static_cast<std::uint32_t>(request_.block)) &&
                          (request_.warp < 0 || warp.warp == static_cast<std::uint32_t>(request_.warp));
        if (!fits) continue;
        warp_ = warp;
        break;
    }
    home_ = warp_;
    playhead_.go_to(request_.step > 0
                        ? request_.step
                        : player::opening_step(scene::steps_of(*run_), warp_, request_.variants.front().at_shuffle));
}

void Stepper::adopt(std::shared_ptr<const run::Run> run) {
    const std::shared_ptr<const run::Run> last = run_;
    run_ = std::move(run);
    const steps::Steps& steps = scene::steps_of(*run_);
    outline_ = scene::outline_of(*run_);
    code_ = scene::read_code(outline_.source);
    scales_ = scene::warp_scales(steps);
    const auto& warps = outline_.warps;
    if (std::find(warps.begin(), warps.end(), warp_) == warps.end() && !warps.empty()) home_ = warp_ = warps.front();
    if (!warps.empty()) lane_ = std::min(lane_, scene::lanes_of(steps, warp_) - 1);

    // The learner stays at the stage where the last variant was.
    std::size_t step = playhead_.step;
    if (last && step > 0) step = scene::matching_step(scene::steps_of(*last), step, steps);
    const std::size_t count = outline_.steps.size();
    playhead_.count = count;
    playhead_.step = count == 0 ? 0 : std::min(step, count - 1);
    playhead_.playing = false;
}

void Stepper::choose(std::size_t variant) {
    if (variant >= request_.variants.size() || variant == variant_) return;
    try {
        adopt(run_of(request_.variants[variant].name, changes_));
        variant_ = variant;
        error_.clear();
    } catch (const Error& error) {
        error_ = error.what();
    }
}

std::shared_ptr<const run::Run> Stepper::run_of(const std::string& name, const run::RunChanges& changes) const {
    run::RunChanges fitting;
    if (request_.run_changed && request_.fields) fitting = run::changes_for(changes, request_.fields(name));
    return fitting.empty() ? request_.run(name) : request_.run_changed(name, fitting);
}

// What does not run leaves all as it was, and says why.
void Stepper::try_changes(const run::RunChanges& changes, bool undo) {
    try {
        adopt(run_of(variant(), changes));
        if (undo) undone_.pop_back();
        else undone_.push_back(changes_);
        changes_ = changes;
        error_.clear();
    } catch (const Error& error) {
        error_ = error.what();
    }
}

// "n 33", "--n 33" and "n=33" are the same.
void Stepper::change(const std::string& typed) {
    const auto first = typed.find_first_not_of(" -");
    if (first == std::string::npos) return;
    const auto end = std::min(typed.find_first_of(" =", first), typed.size());
    const auto from = typed.find_first_not_of(" =", end);
    const std::string name = typed.substr(first, end - first),
                      text = from == std::string::npos ? "" : typed.substr(from);
    const std::vector<run::RunField> fields = request_.fields(variant());
    const auto named = [&](const run::RunField& field) { return field.name == name; };
    if (std::none_of(fields.begin(), fields.end(), named)) {
        error_ = "There is no '" + name + "' to change here; there is";
        for (const run::RunField& field : fields) error_ += (&field == &fields.front() ? " " : ", ") + field.name;
        error_ += ". Write one with its value: n 33.";
        return;
    }
    run::RunChanges changes = changes_;
    run::set_change(changes, name, text);
    try_changes(changes, false);
}

void Stepper::type(std::string_view bytes) {
    constexpr std::size_t kMost = 4000;   // characters: all that a field takes
    for (const char c : bytes) {
        if (!typing_) return;
        if (c == '\x1b') typing_ = false;
        else if (c == '\r' || c == '\n') {
            typing_ = false;
            change(typed_);
        } else if (c == '\x7f' || c == '\b') {
            if (!typed_.empty()) typed_.pop_back();
        } else if (c >= ' ' && c < '\x7f' && typed_.size() < kMost) {
            typed_ += c;
        }
    }
}

bool Stepper::apply(Intent intent) {
    using Kind = Intent::Kind;
    const steps::Steps& steps = scene::steps_of(*run_);
    const int direction = intent.value == 0 ? -1 : 1;
    const auto stay = [&] { playhead_.playing = false; };
    if (intent.kind != Kind::close && intent.kind != Kind::keys) error_.clear();
    switch (intent.kind) {
        case Kind::quit: return false;
        case Kind::go_to: stay(); playhead_.go_to(intent.value); break;
        case Kind::step_back: stay(); playhead_.back(); break;
        case Kind::step_forward: stay(); playhead_.forward(); break;
        case Kind::first: stay(); playhead_.first(); break;
        case Kind::last: stay(); playhead_.last(); break;
        case Kind::stage_back: stay(); playhead_.go_to(player::step_of_next_stage(steps, playhead_.step, -1)); break;
        case Kind::stage_forward: stay(); playhead_.go_to(player::step_of_next_stage(steps, playhead_.step, 1)); break;
        case Kind::toggle_play: playhead_.toggle_play(); playhead_.since_step = 0; break;
        case Kind::faster: playhead_.faster(); break;
        case Kind::slower: playhead_.slower(); break;
        case Kind::variant: choose(intent.value); break;
        case Kind::next_variant:
            choose((variant_ + request_.variants.size() + static_cast<std::size_t>(direction)) %
                   request_.variants.size());
            break;
        case Kind::next_lane:
            if (!outline_.warps.empty()) {
                const int lanes = scene::lanes_of(steps, warp_);
                lane_ = direction > 0 ? (lane_ + 1) % lanes : (lane_ < 1 ? lanes : lane_) - 1;
            }
            break;
        case Kind::next_warp:
            home_ = warp_ = player::warp_beside(steps, warp_, direction);
            break;
        case Kind::next_block:
            home_ = warp_ = player::block_beside(steps, warp_, direction);
            break;
        case Kind::finding:
            if (const auto* stop =
                    scene::finding_stop_beside(outline_.finding_stops, playhead_.step, warp_, direction)) {
                stay();
                playhead_.go_to(stop->step);
                if (scene::is_recorded(steps, stop->warp)) home_ = warp_ = stop->warp;
                lane_ = stop->lane;
            }
            break;
        case Kind::change_run:
            typing_ = request_.run_changed && request_.fields;
            typed_.clear();
            if (!typing_) error_ = "This run is shown as it was recorded: nothing of it can be changed.";
            break;
        case Kind::undo_change:
            if (undone_.empty()) error_ = "Nothing was changed: there is nothing to undo.";
            else try_changes(run::RunChanges(undone_.back()), true);
            break;
        case Kind::focus: alone_ = !alone_; break;
        case Kind::theme: dark_ = !dark_; break;
        case Kind::keys: keys_ = !keys_; break;
        case Kind::close:
            if (keys_) keys_ = false;
            else if (!error_.empty()) error_.clear();
            else if (alone_) alone_ = false;
            else return false;
            break;
        default: break;   // what only a window can draw
    }
    if (request_.block < 0 && request_.warp < 0)
        warp_ = player::working_warp(scene::steps_of(*run_), playhead_.step, home_);
    // Another variant may have come, and `steps` gone with the old one.
    if (!outline_.warps.empty()) lane_ = std::min(lane_, scene::lanes_of(scene::steps_of(*run_), warp_) - 1);
    return true;
}

void Stepper::advance(float seconds) {
    playhead_.advance(seconds);
    if (request_.block < 0 && request_.warp < 0)
        warp_ = player::working_warp(scene::steps_of(*run_), playhead_.step, home_);
}

}  // namespace lanewise::terminal
