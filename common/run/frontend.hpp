// Between the lesson runtime, which runs kernels, and the window, which draws. Plain data and one interface; the
// window knows nothing of backends, the runtime nothing of pixels. Header only: depends on steps and timing data.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/error.hpp"
#include "common/steps/steps.hpp"
#include "common/timing/costs.hpp"
#include "common/timing/timing.hpp"
#include "common/trace/trace.hpp"

namespace lanewise::lesson {

// One output of a run beside its reference.
struct Result {
    std::string output;       // the buffer's name
    Element element = Element::f32;
    std::uint64_t count = 1;  // elements compared
    bool summed = false;      // the host adds the elements before comparing
    double value = 0;         // of the first element, or the host's sum
    double reference = 0;
    double error = 0;         // the largest of all elements
    double bound = 0;
    bool ok = true;
    std::string reason;       // where the bound comes from
};

// One run of one variant, ready to draw. Shared so that steps may point into the trace.
struct Run {
    trace::Trace trace;
    steps::Steps steps;       // of `trace`
    std::string origin;       // for the title: "NVIDIA H200 · traced run", "emulator · ascending",
                              // "recorded on NVIDIA H200 · 2026-11-21", "file t.ndjson · …"
    std::string note;         // how it comes to be shown ("Shown as recorded. …"): nothing to worry about; empty else
    std::string notice;       // a warning that the learner must see ("partial: …"); empty else
    std::string kernel_file;  // that its kernels stand in, "kernels.cuh"
    std::string source;       // its contents
    std::vector<Result> results;   // empty where the outputs are too long to be in a recording
};

struct VariantInfo {
    std::string name;         // "warp_sum_xor"
    std::string title;        // "xor": short, for a tab
    std::string summary;      // one line
    bool declared_wrong = false;
};

// A lesson on the path of all lessons.
struct LessonInfo {
    std::string name;         // "05_warp_shuffle"
    std::string title;        // "Warp shuffle"
    std::string opening;      // the first paragraph of its text
    std::string program;      // where it is built; empty: it is not
};

// Which program goes on when a window closes: that of another lesson.
struct GoOn {
    std::string program;      // empty: none
    std::vector<std::string> arguments;
};

// How a long measurement is followed, and ended: both are called by it, between its parts.
struct SweepWatch {
    std::function<void(std::size_t done, std::size_t all, const std::string& what)> progress;
    std::function<bool()> cancelled;
};

// Everything a window shows that is not a run.
struct Presentation {
    std::string lesson;               // "05_warp_shuffle"
    std::string title;                // "Warp shuffle"
    std::string text;                 // lesson.md
    std::string kernel_file;          // "kernels.cuh": shown until there is a run
    std::string source;               // its contents
    std::vector<VariantInfo> variants;      // the tabs
    std::vector<std::string> all_variants;  // names
    std::vector<std::string> declared_wrong;   // of them: those whose result is not expected to hold
    timing::TimingTable timings;      // recorded; rows may be empty
    timing::CostTable costs;          // recorded, or measured where --costs asks for them; rows may be empty
    // Times the variants of the tabs on this machine's GPU, in a second or two; empty where there is none. Throws
    // Error. Called, like `run`, from one thread at a time.
    std::function<timing::TimingTable()> measure;
    // Recorded over sizes, and by rows and columns; rows may be empty.
    timing::TimingTable sizes;
    timing::TimingTable shapes;
    // Measures the variants of the tabs over sizes, half a minute or so; called as `measure`. Empty: nothing can.
    std::function<timing::TimingTable(const SweepWatch& watch)> measure_sizes;
    // Why this machine cannot, as a sentence; empty where it can. Called as `measure`.
    std::function<std::string()> why_not_measured;
    // Runs a variant (or finds it in the recordings). Throws Error. Called from the window's thread or another.
    std::function<std::shared_ptr<const Run>(const std::string& variant)> run;
    // Loads a trace of this lesson from a file. Throws ForeignTrace for one of another lesson, Error for none.
    std::function<std::shared_ptr<const Run>(const std::string& path)> open;
    std::vector<LessonInfo> lessons;  // all there are, in order
    // Says, before the window closes, which program goes on. Empty: none can.
    std::function<void(const GoOn& next)> go_on;
};

// A trace of another lesson than the one that was asked to show it.
class ForeignTrace : public Error {
public:
    ForeignTrace(const std::string& sentence, std::string lesson) : Error(sentence), lesson_(std::move(lesson)) {}
    const std::string& lesson() const { return lesson_; }

private:
    std::string lesson_;
};

// What fills the middle of the window.
enum class View : std::uint8_t {
    stage,
    rounding,   // each sum beside the exact one
    tree,       // who added whom, down to the total
    table,      // all variants beside each other
    timings,    // time over sizes
    roofline,   // bytes against the machine's limit
    costs,      // of single operations, in cycles
};

// What the command line asked of the window.
struct WindowRequest {
    std::string variant;                 // the first tab
    std::vector<std::string> compare;    // two to four names: side by side
    bool has_step = false;
    std::size_t step = 0;                // 0-based; with `compare`: a place where steps stand together
    bool has_size = false;               // else the window may have the size it had last
    int width = 1600;
    int height = 900;
    float scale = 0;                     // 0: the monitor's
    std::optional<bool> dark;            // the theme; none: as the window had it last, dark in pictures
    bool start_page = false;             // opens on the path of all lessons
    std::string opened;                  // the file that --open named
    int block = -1;                      // which block and warp to look at; -1: the first recorded
    int warp = -1;
    int lane = -1;                       // hovered lane, for a picture; -1: none
    View view = View::stage;
    std::string sort;                    // the table's column, as --sort takes it; empty: the lesson's order

    // Where a run of `count` steps opens. A lens or a tree grows with the steps: unasked it is seen whole.
    std::size_t first_step(std::size_t count) const {
        if (has_step) return step;
        return count > 0 && (view == View::rounding || view == View::tree) ? count - 1 : 0;
    }
};

class Frontend {
public:
    virtual ~Frontend() = default;
    // Opens the window and returns when it closes. Throws NoDisplay (an Error) when there is none.
    virtual void window(const Presentation& presentation, const WindowRequest& request) = 0;
    // Draws one frame without a display and writes a PNG. Throws Error naming the path or what is missing.
    virtual void screenshot(const Presentation& presentation, const WindowRequest& request,
                            const std::string& path) = 0;
    // The same of the view in the middle alone, as an SVG of request.width × request.height; needs no OpenGL.
    virtual void svg(const Presentation& presentation, const WindowRequest& request, const std::string& path) = 0;
    // What the stage draws at the requested step, as text made by the drawing code.
    virtual std::string describe(const Presentation& presentation, const WindowRequest& request) = 0;
};

}  // namespace lanewise::lesson
