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
    float height = 0;          // of all of it, and how far down it was read, as drawn last
    float scrolled = 0;

    void set_text(const std::string& markdown);
    // A link of the window (common/player/text_links.hpp) that was clicked is Kind::link with its place in links(); the
    // button at the end is Kind::next_lesson.
    Intent draw(const Pane& pane);
    const std::vector<lesson::Link>& links() const { return links_; }

private:
    std::vector<TextBlock> blocks_;
    std::vector<lesson::Link> links_;
    std::map<std::string, std::size_t> places_;   // of a link's target in links_; others lead nowhere
};

}  // namespace lanewise::viz
