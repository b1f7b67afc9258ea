// The kernel file that ran, with the line of the present step lit and a sign at each line that a finding names.
#pragma once

#include <string>
#include <vector>

#include "viz/model/run_view.hpp"
#include "viz/model/highlight.hpp"
#include "viz/model/pane.hpp"
#include "viz/model/selection.hpp"
#include "viz/widgets/code_text.hpp"

namespace lanewise::viz {

struct SourceView {
    std::string file;
    std::string beyond_ascii;   // what the name and the text have of other letters, which a font must be found for

    void set_source(const std::string& name, const std::string& source);
    // What is wrong with a line of it, shown below the line; 0: nothing.
    void set_problem(int line, const std::string& sentence);
    // The file's name and the lit line's number; `run_view` is null while there is no run.
    void draw_title(const Pane& pane, const Rect& where, const RunView* run_view, const Playhead& playhead) const;
    // A line that ran leads to its next step when it is clicked.
    Intent draw(const Pane& pane, const RunView* run_view, const Playhead& playhead, Selection& selection);

private:
    std::vector<CodeLine> lines_;
    int problem_line_ = 0;
    std::string problem_;
    LitLines belonging_;    // to the step or the word that is pointed at elsewhere
    int shown_line_ = -1;   // the line that was brought into sight last
    Point shown_in_{};      // and the size of the panel then: in another one it stands elsewhere
};

}  // namespace lanewise::viz
