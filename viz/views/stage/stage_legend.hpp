// What the colours and marks on the stage mean: those that are in sight now, and no others. Chooses the colours.
#pragma once

#include "viz/model/run_view.hpp"
#include "viz/model/pane.hpp"
#include "viz/views/stage/scene.hpp"
#include "viz/model/selection.hpp"

namespace lanewise::viz {

// What a legend has to explain.
struct LegendFacts {
    bool values = false;         // any lane's value is shown in colour
    bool partial = false, complete = false, twice = false, undefined = false, unknown = false, more_perhaps = false;
    bool shared_words = false, global_words = false;
    bool faulting = false, differing = false;
    bool parts = false;          // a lane's value has several: a maximum and a sum
};

// Of the rows and bands that reach into `seen`.
LegendFacts legend_facts(const Scene& scene, std::size_t most_inputs, const Rect& seen);

struct StageLegend {
    std::string differing_from;   // in a comparison: the run that lanes are held against
    std::string lacking = {};     // what has no room, shown before the scale of colours

    // An Intent where the other colours are asked for.
    Intent draw(const Pane& pane, const Rect& where, const RunView& run_view, const LegendFacts& facts,
                ColorBy by) const;
};

}  // namespace lanewise::viz
