// The lessons as a path: which were walked, which is next, and the way into each.
#pragma once

#include <string>
#include <vector>

#include "viz/model/pane.hpp"
#include "viz/model/selection.hpp"

namespace lanewise::viz {

struct LessonRow {
    std::string name;       // "05_warp_shuffle"
    std::string title;
    std::string opening;    // the first paragraph of its text
    bool built = false;     // else its command is shown
    bool here = false;      // this window is that lesson's
    bool done = false;
    bool next = false;      // the one to continue with
    bool opened = false;
    std::string ladder = {};   // its time on the ladder; empty: none
    std::string answers = {};  // "9 of 11 answers right · exam 10 of 12"; empty: none
    int walked = 0, of = 0; // variants stepped through to the end, of how many; of 0: not known
};

// "5" of "05_warp_shuffle".
std::string lesson_number(const std::string& name);
// "./lessons/run 05_warp_shuffle"
std::string lesson_command(const std::string& name);
// "3 of 9 variants to the end" and the like.
std::string progress_text(const LessonRow& row);

struct StartView {
    int chosen = -1;

    // The arrows choose. False where the key means nothing here; Enter asks for the chosen lesson.
    bool move(int by, int count);
    // Kind::lesson with its place. `pane` scrolls.
    // `ladder_source` says what the lessons' times are of.
    Intent draw(const Pane& pane, const std::vector<LessonRow>& lessons, const std::string& ladder_source = {});

private:
    bool show_chosen_ = false;
};

}  // namespace lanewise::viz
