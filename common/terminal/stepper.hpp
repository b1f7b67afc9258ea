// The steps of runs in a terminal: where the learner is, what keys change, and the picture of it in character cells.
// Knows no terminal: a test drives it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/player/actions.hpp"
#include "common/player/playhead.hpp"
#include "common/run/run_fields.hpp"
#include "common/scene/code_lines.hpp"
#include "common/scene/outline.hpp"
#include "common/scene/value_scale.hpp"
#include "common/terminal/screen.hpp"

namespace lanewise::terminal {

// What to step through.
struct Request {
    struct Variant {
        std::string name;
        std::string title;
        bool at_shuffle = false;   // opens at its first shuffle
    };
    std::string lesson_title;
    std::vector<Variant> variants;   // at least one; the first is shown
    // Runs a variant or finds it. Throws Error.
    std::function<std::shared_ptr<const run::Run>(const std::string& name)> run;
    // Runs it with changes, of the fields that the variant has; both empty: nothing can be changed.
    std::function<std::shared_ptr<const run::Run>(const std::string& name, const run::RunChanges&)> run_changed = {};
    std::function<std::vector<run::RunField>(const std::string& name)> fields = {};
    std::size_t step = 0;            // 0-based
    int block = -1;                  // -1: the first recorded
    int warp = -1;
    int lane = -1;                   // -1: none is looked at
    int color = 0;                   // 1: always, -1: never, 0: as the terminal says
};

class Stepper {
public:
    // Throws Error where the first variant does not run.
    explicit Stepper(Request request);

    // False: the learner is done.
    bool apply(player::Intent intent);
    void advance(float seconds);
    // While a change is typed, the keyboard's bytes are its text: "n 33", "arg lane ^ 5". Enter runs it, Esc leaves.
    bool typing() const { return typing_; }
    void type(std::string_view bytes);
    const run::RunChanges& changes() const { return changes_; }
    // Until the picture changes by itself; negative: never.
    float until_change() const { return playhead_.playing ? playhead_.until_step() : -1; }

    Screen draw(int columns, int rows) const;

    const player::Playhead& playhead() const { return playhead_; }
    const WarpRef& warp() const { return warp_; }
    int lane() const { return lane_; }
    const std::string& variant() const { return request_.variants[variant_].name; }

private:
    friend class Picture;

    void choose(std::size_t variant);
    std::shared_ptr<const run::Run> run_of(const std::string& name, const run::RunChanges& changes) const;
    void change(const std::string& typed);
    void try_changes(const run::RunChanges& changes, bool undo);
    void adopt(std::shared_ptr<const run::Run> run);

    Request request_;
    std::size_t variant_ = 0;
    std::shared_ptr<const run::Run> run_;
    std::vector<scene::CodeLine> code_;
    scene::Outline outline_;
    std::vector<scene::ValueScale> scales_;   // as Outline::warps
    player::Playhead playhead_;
    WarpRef warp_, home_;   // shown, and chosen: where the chosen block has no part in a step, another is shown
    int lane_ = -1;
    bool alone_ = false;      // the stage without source and formula
    bool keys_ = false;
    bool dark_ = true;
    bool typing_ = false;
    std::string typed_;
    run::RunChanges changes_;
    std::vector<run::RunChanges> undone_;   // what the changes were before
    std::string error_;       // why a variant that was asked for is not shown
};

// Steps through it on this terminal. Throws Error where there is none, or where the first variant does not run.
void step_through(const Request& request);

}  // namespace lanewise::terminal
