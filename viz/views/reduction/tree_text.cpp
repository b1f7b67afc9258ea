// What the tree tells in words.
#include <algorithm>

#include <fmt/format.h>

#include "common/base/counted.hpp"
#include "viz/views/reduction/tree_view.hpp"

namespace lanewise::viz {
namespace {

using steps::AdditionNode;
using steps::Sum;
using Kind = AdditionNode::Kind;

// "in[5], in[13] and 30 more"
std::string named_inputs(const steps::Steps& steps, const steps::RoundingLens& lens,
                         const std::vector<std::int32_t>& inputs, std::size_t most) {
    std::string text;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (i == most && inputs.size() > most + 1) return text + fmt::format(" and {} more", inputs.size() - most);
        text += (i == 0                   ? ""
                  : i + 1 == inputs.size() ? " and "
                                           : ", ") +
                 steps::place_of_sum(steps, lens.sum(inputs[i]));
    }
    return text;
}

}  // namespace

// A sum in three lines: which and when, how, of what.
std::string TreeView::unsigned_of(const TreeBox& box, const steps::Steps& steps) const {
    const Sum& sum = sum_of(box.node);
    const AdditionNode& node = tree()[box.node];
    const std::string value = format_element(sum.type, sum.bits);
    std::string first = steps::place_of_sum(steps, sum) + " = " + value, second, third;
    if (sum.step < steps.size())
        first += fmt::format(" · {} at step {}, {}", node.parts.empty() ? "read" : "added", sum.step + 1,
                             steps.steps[sum.step].label);
    if (node.kind == Kind::again) {
        second = "this sum stands in the tree already: it came in more than once";
    } else if (node.parts.size() == 2) {
        const Sum& own = sum_of(node.parts[0]);
        const Sum& other = sum_of(node.parts[1]);
        const std::string came = format_element(other.type, other.bits);
        second = fmt::format("{} {} {} = {}", format_element(own.type, own.bits), came.starts_with('-') ? "-" : "+",
                             came.starts_with('-') ? came.substr(1) : came, value);
        const std::string how =
            sum.kind == Sum::Kind::atomic ? "" : steps::formula_parts(steps, sum.step, sum.warp, sum.lane).rule;
        if (!how.empty()) second += " · " + how;
    } else if (!node.parts.empty()) {
        second = fmt::format("{} came together {}", counted(node.parts.size(), "value"),
                             node.kind == Kind::reduce ? "at once" : "one after the other");
    }
    if (!node.parts.empty()) {
        const std::vector<std::int32_t> inputs = tree().inputs(box.node);
        third = counted(inputs.size(), "input") + ": " + named_inputs(steps, lens(), inputs, 8);
    }
    third += (third.empty() ? "" : " · ") +
             std::string(box.folded && box.parent >= 0 ? "a click looks at it alone" : "a click goes to the step");
    return first + "\n" + second + "\n" + third;
}

// In words: the sum that is pointed at, else the whole.
void TreeView::tell(const Pane& pane, const Rect& where, const RunView& run_view, std::size_t step) {
    const Theme& theme = pane.colors();
    const Look& look = pane.look();
    if (text_box_ != told_ || text_step_ != step) {
        text_box_ = told_;
        text_step_ = step;
        if (told_ >= 0) {
            words_ = unsigned_of(scene_.boxes[static_cast<std::size_t>(told_)], run_view.steps());
        } else {
            const auto done = static_cast<std::size_t>(
                std::upper_bound(grown_->made.begin(), grown_->made.end(), step) - grown_->made.begin());
            words_ = grown_->summary;
            if (done < grown_->made.size()) words_ += fmt::format(" · {} of them done", done);
            words_ += "\n" + grown_->others + "\n";
            if (lens().unknown > 0)
                words_ += counted(lens().unknown, "addition") + (lens().unknown == 1 ? " is" : " are") +
                          " not shown: what came in is not known to be a sum of inputs";
            else if (scene_.fold != TreeScene::Fold::none && scene_.boxes.size() > 1)
                words_ += "a click on a fold looks at it alone";
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
