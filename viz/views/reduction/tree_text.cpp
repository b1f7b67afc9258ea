// The tree's description.
#include <algorithm>

#include <fmt/format.h>

#include "common/base/counted.hpp"
#include "viz/views/reduction/tree_view.hpp"

namespace lanewise::viz {

// As text: the sum that is pointed at, else the whole.
void TreeView::draw_text(const Pane& pane, const Rect& where, std::size_t step) {
    const Theme& theme = pane.colors();
    const Look& look = pane.look();
    if (text_box_ != shown_box_ || text_step_ != step) {
        text_box_ = shown_box_;
        text_step_ = step;
        if (shown_box_ >= 0) {
            shown_text_ = sum_text(sums(), tree(), scene_.boxes[static_cast<std::size_t>(shown_box_)]);
        } else {
            const auto done = static_cast<std::size_t>(
                std::upper_bound(grown_->made.begin(), grown_->made.end(), step) - grown_->made.begin());
            shown_text_ = grown_->summary;
            if (done < grown_->made.size()) shown_text_ += fmt::format(" · {} of them done", done);
            shown_text_ += "\n" + grown_->others + "\n";
            if (sums().unknown() > 0)
                shown_text_ += counted(sums().unknown(), "addition") + (sums().unknown() == 1 ? " is" : " are") +
                           " not shown: what came in is not known to be a sum of inputs";
            else if (scene_.fold != SumLayout::Fold::none && scene_.boxes.size() > 1)
                shown_text_ += "collapsed: click to expand";
        }
    }
    const std::size_t one = shown_text_.find('\n'), two = shown_text_.find('\n', one + 1);
    const std::string first = shown_text_.substr(0, one), third = shown_text_.substr(two + 1);
    const std::string second = shown_text_.substr(one + 1, two - one - 1);
    Rect rest = where;
    rest.cut_top(pane.px(compact ? 2 : 6));
    const float line = pane.px(18);
    const Face head = compact ? Face::caption : Face::strong;
    text_in(pane.brush, head, rest.cut_top(line), theme.strong, fit_text(look, head, first, where.width()),
            Align::left);
    if (compact) return;
    text_in(pane.brush, Face::caption, rest.cut_top(line), theme.text,
            fit_text(look, Face::caption, second, where.width()), Align::left);
    text_in(pane.brush, Face::caption, rest.cut_top(line), theme.quiet,
            fit_text(look, Face::caption, third, where.width()), Align::left);
}

}  // namespace lanewise::viz
