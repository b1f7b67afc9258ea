// All variants next to each other, sorted by any column; below it what the figures show.
#pragma once

#include <string>

#include "common/run/comparison.hpp"
#include "viz/model/pane.hpp"
#include "viz/model/selection.hpp"

namespace lanewise::viz {

struct TableView {
    bool sorted = false;           // else the lesson's own order
    run::Sorting sorting;

    // A click on a heading sorts by it, another turns the order round, a third brings back the lesson's order. A click
    // on a variant asks for it: an Intent with its place in `comparison`. `shown` is lit. The pane scrolls.
    Intent draw(const Pane& pane, const run::Comparison& comparison, const std::string& shown);

    // The rows as drawn last, top to bottom.
    const std::vector<std::string>& order() const { return order_; }
    // The heading of a column, as drawn last.
    const Rect& heading(run::Column column) const { return headings_[static_cast<std::size_t>(column)]; }

private:
    void click(run::Column column);

    std::vector<std::string> order_;
    Rect headings_[run::kColumnCount];
};

}  // namespace lanewise::viz
