// What the command line asks of a front end that draws: the window, pictures, the stage as text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/run/lesson_contents.hpp"
#include "common/run/services.hpp"

namespace lanewise::run {

// What fills the middle of the window.
enum class View : std::uint8_t {
    stage,
    rounding,   // each sum next to the exact one
    tree,       // the summation tree, down to the total
    boxes,      // boxes and the matrix of bits, of a non-maximum suppression
    table,      // all variants next to each other
    timings,    // time over sizes
    roofline,   // bytes against the machine's limit
    costs,      // of single operations, in cycles
};

// What the command line asked of the window.
struct WindowRequest {
    std::string variant;                 // the first tab
    std::vector<std::string> compare;    // two to four names: side by side
    bool has_step = false;
    std::size_t step = 0;                // 0-based; with `compare`: a place where steps are aligned
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
    std::string predict;                 // "gentle" or "exam": questions from the beginning; empty: none
    std::string sort;                    // the table's column, as --sort takes it; empty: the lesson's order

    // Where a run of `count` steps opens. A lens or a tree grows with the steps: unasked it is seen whole.
    std::size_t first_step(std::size_t count) const {
        if (has_step) return step;
        return count > 0 && (view == View::rounding || view == View::tree || view == View::boxes) ? count - 1 : 0;
    }
};

// All that a front end is given: the lesson, and what it may ask for.
struct Presentation : LessonContents {
    Services services;
};

class FrontEnd {
public:
    virtual ~FrontEnd() = default;
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

}  // namespace lanewise::run
