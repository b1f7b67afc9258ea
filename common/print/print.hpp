// What a lesson prints in a terminal. Each function is a pure function of what it is given.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/run/comparison.hpp"
#include "common/run/run.hpp"
#include "common/lesson/lesson.hpp"
#include "common/runner/runner.hpp"
#include "common/timing/ladder.hpp"
#include "common/timing/timing.hpp"

namespace lanewise::print {

// Columns that every print keeps to.
inline constexpr std::size_t kColumns = 100;

// Escape sequences, or nothing where colours are off.
class Paint {
public:
    explicit Paint(bool on) : on_(on) {}
    std::string strong(const std::string& text) const { return wrap("1", text); }
    std::string faint(const std::string& text) const { return wrap("2", text); }
    std::string source(const std::string& text) const { return wrap("38;5;214", text); }   // what is read
    std::string result(const std::string& text) const { return wrap("38;5;114", text); }   // what comes of it
    std::string warning(const std::string& text) const { return wrap("38;5;203", text); }

private:
    std::string wrap(const char* code, const std::string& text) const {
        return on_ && !text.empty() ? "\033[" + std::string(code) + "m" + text + "\033[0m" : text;
    }
    bool on_;
};

// What the emulator found wrong, in two lines.
void print_finding(std::ostream& out, const trace::Finding& finding, Paint paint);

// A line for each variant.
void print_list(std::ostream& out, const lesson::Lesson& lesson, Paint paint);

// How to print the steps.
struct TextView {
    std::optional<steps::WarpRef> focus;   // none: the first recorded warp
    std::optional<std::size_t> step;       // 0-based: only this one
    std::optional<int> lane;               // whose formula is below a step; none: 5, or the lowest active
    bool permutation = false;              // each shuffle also as a matrix of lanes
    Paint paint{false};
    std::size_t columns = kColumns;        // of the terminal, where it has fewer
};

// The steps of one run: lanes, values, source lanes; then the whole run's totals.
void print_text(std::ostream& out, const lesson::Lesson& lesson, const runner::FinishedRun& finished,
                const TextView& view);

// One of the runs that are compared, which outlives the printing.
struct ComparedText {
    std::string title;
    std::shared_ptr<const runner::FinishedRun> finished;
};

// The steps of two to four runs next to each other, place by place, as scene::SideBySide sets them; before them what
// the comparison comes to and the lines of source that differ; then the whole runs' totals. view.step is a place.
void print_compared_text(std::ostream& out, const lesson::Lesson& lesson, const std::vector<ComparedText>& sides,
                         const timing::TimingTable& times, const TextView& view);

// What a run's text begins with: where it ran, what ran (and `lens`, where it is looked at through one), on which
// inputs, and what must be known of it.
void print_heading(std::ostream& out, const lesson::Lesson& lesson, const run::Run& run, const std::string& lens,
                   const Paint& paint);

// The parts of the whole run's totals: each output against its reference; what the recorded blocks did and what it
// cost; the same output from other orders of the blocks, where the trace has such.
void print_results(std::ostream& out, const runner::FinishedRun& finished, const Paint& paint);
void print_totals(std::ostream& out, const run::Run& run, const Paint& paint);
void print_reruns(std::ostream& out, const trace::Trace& trace, const Paint& paint);

// One line of the check's table.
struct CheckedVariant {
    std::string variant;
    std::uint64_t n = 0;
    std::string declared_wrong;
    runner::Checked checked;
};
// Prints the table, and what the emulator found wrong below it; returns how many times a variant is outside
// a bound, or its checks came to wrong, without being declared wrong; 1 where no variant has results to check.
int print_check(std::ostream& out, const std::string& origin, const std::vector<CheckedVariant>& rows, Paint paint);

// The rows, what the variants are compared with the library over a table of sizes, and what was not measured. With
// `samples` also the ends of the samples and how many lie far from the median.
// The ladder as a table, and where it is from.
void print_ladder(std::ostream& out, const timing::Ladder& ladder, Paint paint);
void print_time(std::ostream& out, const timing::TimingTable& table, Paint paint, bool samples = false);

// The rounding lens as a table: for each step that adds, the sum that is furthest off the exact one; then where most is
// lost, and where a sum stopped growing.
void print_rounding(std::ostream& out, const lesson::Lesson& lesson, const run::Run& run, Paint paint);

// The summation tree down to the total, a line for each addition; of view.lane, its own sum. Colours and the focused
// warp are those of `view`.
void print_tree(std::ostream& out, const lesson::Lesson& lesson, const run::Run& run, const TextView& view);

// The boxes of a non-maximum suppression in order of score, their bits and what became of each; after view.step, or of
// the whole run.
void print_boxes(std::ostream& out, const lesson::Lesson& lesson, const run::Run& run, const TextView& view);

// All variants next to each other, and what the figures show. `origin`: what ran them.
void print_comparison(std::ostream& out, const std::string& origin, const run::Comparison& comparison, Paint paint);

// Whole numbers in full, others with eight digits.
std::string format_number(double value);

// `text` filled with blanks to `width` columns; counts code points, not bytes.
std::string pad_left(const std::string& text, std::size_t width);
std::string pad_right(const std::string& text, std::size_t width);

}  // namespace lanewise::print
