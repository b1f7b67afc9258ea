// The menu: all commands on a card under the header's ☰, from the table of actions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "viz/model/pane.hpp"
#include "viz/model/selection.hpp"

namespace lanewise::viz {

struct MenuItem {
    std::string label;
    std::string key;              // "Shift Z"; empty: none
    Intent intent;
    std::optional<bool> checked;  // of what can be on or off
    bool warned = false;          // a variant that its lesson declares wrong
};

struct MenuSection {
    std::string title;
    std::vector<MenuItem> items;
};

// The section of a group of actions, with their keys.
MenuSection section_of(Group group);

class Menu {
public:
    bool is_open() const { return open_; }
    void toggle();
    void close() { open_ = false; }
    // The arrows choose, Enter takes. False where the key means nothing here.
    bool press(Key key);

    // `columns`: sections next to each other. What was chosen; the menu is closed then.
    Intent draw(const Look& look, const Rect& window, Point corner,
                const std::vector<std::vector<MenuSection>>& columns);

private:
    bool open_ = false;
    int chosen_ = -1;      // counted through all columns
    int count_ = 0;
    bool taken_ = false;   // Enter was pressed
};

}  // namespace lanewise::viz
