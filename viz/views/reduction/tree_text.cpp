// What the tree tells in words.
#include <algorithm>

#include <fmt/format.h>

#include "common/base/counted.hpp"
#include "viz/views/reduction/tree_view.hpp"

namespace lanewise::viz {

// In words: the sum that is pointed at, else the whole.
void TreeView::tell(const Pane& pane, const Rect& where, std::size_t step) {
    const Theme& theme = pane.colors();
    const Look& look = pane.look();
    if (text_box_ != told_ || text_step_ != step) {
        text_box_ = told_;
        text_step_ = step;
        if (told_ >= 0) {
            words_ = sum_words(sums(), tree(), scene_.boxes[static_cast<std::size_t>(told_)]);
        } else {
            const auto done = static_cast<std::size_t>(
                std::upper_bound(grown_->made.begin(), grown_->made.end(), step) - grown_->made.begin());
            words_ = grown_->summary;
            if (done < grown_->made.size()) words_ += fmt::format(" · {} of them done", done);
            words_ += "\n" + grown_->others + "\n";
            if (sums().unknown() > 0)
                words_ += counted(sums().unknown(), "addition") + (sums().unknown() == 1 ? " is" : " are") +
                          " not shown: what came in is not known to be a sum of inputs";
            else if (scene_.fold != SumLayout::Fold::none && scene_.boxes.size() > 1)
                words_ += "collapsed: click to expand";
        }
    }
    const std::size_t one = words_.find('\n'), two = words_.find('\n', one + 1);
    const std::string first = words_.substr(0, one), third = words_.substr(two + 1);
    const std::string second = words_.substr(one + 1, two - one - 1);
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
