// The command line as plain data. Every lesson's program has the same one.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/runner/run_options.hpp"

namespace lanewise::cli {

enum class ColorChoice : std::uint8_t { automatic, always, never };

struct Options : runner::RunOptions {
    bool list = false;
    bool text = false;
    bool interactive = false;            // the text is stepped through; implies `text`
    bool check = false;
    bool time = false;
    bool ladder = false;                 // the recorded times of all lessons' main variants
    bool costs = false;                  // of single operations; with --screenshot a picture of them
    bool describe = false;
    bool boxes = false;                  // boxes and bits of a non-maximum suppression
    bool rounding = false;               // the rounding lens, in text, pictures and the window
    bool tree = false;                   // the summation tree, in text, pictures and the window
    bool table = false;                  // all variants next to each other; with --screenshot a picture of it
    std::string predict;                 // "gentle", "exam" or "list"; empty: no questions
    std::string sort;                    // the table's column, as given; empty: the lesson's order
    std::string csv;                     // a file; "-" is the terminal
    std::string json;
    bool permutation = false;            // in text, each shuffle as a matrix of lanes, too
    bool samples = false;
    std::string save_trace;
    std::string record;                  // a folder such as assets/recorded/h200
    std::string open;
    std::vector<std::string> diff;       // two paths or none
    std::vector<std::string> compare;    // two to four names or none
    std::string screenshot;
    std::string exported;                // the file to export: .svg, .html or .csv
    std::string report;                  // of the checks, .json or .sarif; implies `check`
    std::optional<std::uint64_t> step;   // as people count: from 1
    bool start = false;                  // the window opens on the path of all lessons
    bool has_size = false;
    int width = 1600;
    int height = 900;
    float scale = 0;                     // 0: the monitor's
    std::optional<bool> dark;            // none: as chosen in the window
    std::optional<int> lane;
    ColorChoice color = ColorChoice::automatic;

    bool timings = false;                // all times over sizes, in the window or a picture
    bool roofline = false;               // rates against the machine's limit

    // Does anything but the window answer this command line?
    bool wants_window() const {
        return !list && !text && predict.empty() && !check && !time && !ladder && !costs && !describe && !table &&
               save_trace.empty() && record.empty() && diff.empty() && screenshot.empty() && exported.empty();
    }
};

// "0.1.0"
std::string program_version();

// Parses the arguments after the program's name. Prints the answer of --help and --version to `out` and returns
// nothing then. Throws Error that names the flag, the value and what would be right.
std::optional<Options> parse_options(const std::vector<std::string>& arguments, const lesson::Lesson& lesson,
                                     std::ostream& out);

}  // namespace lanewise::cli
