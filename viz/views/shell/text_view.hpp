// The lesson's text.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/player/text_links.hpp"
#include "viz/model/pane.hpp"
#include "viz/model/selection.hpp"
#include "viz/widgets/markdown.hpp"

namespace lanewise::viz {

struct TextView {
    std::string next_lesson;   // its title, for the button at the end; empty: none
    bool covered = false;      // a question is open: only the section of predictions is drawn
    float height = 0;          // of all of it, and how far down it was read, as drawn last
    float scrolled = 0;

    void set_text(const std::string& markdown);
    // A link of the window (common/player/text_links.hpp) that was clicked is Kind::link with its place in links(); the
    // button at the end is Kind::next_lesson.
    Intent draw(const Pane& pane);
    const std::vector<player::Link>& links() const { return links_; }
    // Links and commands by keys: the next (1) or the one before (0) is marked; what Enter asks for there.
    void choose_target(bool forward);
    Intent of_target() const;
    // The command at that place: Kind::copy_text.
    const std::string& command(std::size_t place) const { return commands_[place]; }
    std::size_t commands() const { return commands_.size(); }
    // A term's link that is under the pointer; empty: none.
    const std::string& hovered_term() const { return hovered_term_; }

private:
    std::size_t targets_in(const TextBlock& block) const;

    std::vector<TextBlock> blocks_;
    std::vector<player::Link> links_;
    std::map<std::string, std::size_t> places_;   // of a link's target in links_; others lead nowhere
    std::vector<std::string> commands_;           // blocks of code
    std::vector<Intent> targets_;                 // in the order of the text
    int chosen_ = -1;                             // among them
    bool show_chosen_ = false;
    bool was_covered_ = false;
    float read_to_ = 0;                           // scrolled so far, before it was covered
    int first_seen_ = -1, last_seen_ = -1;        // of those in sight as drawn last; -1: none
    std::string hovered_term_;
};

}  // namespace lanewise::viz
