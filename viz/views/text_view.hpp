// The lesson's text.
#pragma once

#include <string>
#include <vector>

#include "viz/views/pane.hpp"
#include "viz/views/selection.hpp"
#include "viz/widgets/markdown.hpp"

namespace lanewise::viz {

struct TextView {
    void set_text(const std::string& markdown);
    // Links of the form "step:3" and "variant:warp_sum_xor" are intents; `variant_named` finds the place of a name.
    Intent draw(const Pane& pane, const std::vector<std::string>& variants);

private:
    std::vector<TextBlock> blocks_;
};

}  // namespace lanewise::viz
