// A lesson as plain data for a front end: its text, variants and recorded times.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/run/run_fields.hpp"
#include "common/timing/costs.hpp"
#include "common/timing/timing.hpp"

namespace lanewise::run {

struct VariantInfo {
    std::string name;         // "warp_sum_xor"
    std::string title;        // "xor": short, for a tab
    std::string summary;      // one line
    bool declared_wrong = false;
    std::uint64_t n = 0;      // values that it runs on by itself
    std::string compared_with = {};   // the one that it is compared with first; empty: none
    bool permutation = false; // its shuffles are shown as matrices of lanes, too
};

// A lesson on the path of all lessons.
struct LessonInfo {
    std::string name;         // "05_warp_shuffle"
    std::string title;        // "Warp shuffle"
    std::string opening;      // the first paragraph of its text
    std::string program;      // where it is built; empty: it is not
    std::string ladder = {};  // its main variant's recorded time on the ladder, "23.4 µs · 3.10×"; empty: none
};

// What a front end shows that is not a run: plain data.
struct LessonContents {
    std::string lesson;               // "05_warp_shuffle"
    std::string title;                // "Warp shuffle"
    std::string text;                 // lesson.md
    std::string glossary;             // lessons/GLOSSARY.md; empty where there is none
    std::string kernel_file;          // "kernels.cuh": shown until there is a run
    std::string source;               // its contents
    std::vector<VariantInfo> variants;      // the tabs
    std::vector<std::string> all_variants;  // names
    std::map<std::string, std::vector<RunField>> fields;   // by variant: what of its run can be changed
    std::vector<std::string> declared_wrong;   // of them: those whose result is not expected to hold
    timing::TimingTable timings;      // recorded; rows may be empty
    timing::TimingTable sizes;        // recorded over sizes; rows may be empty
    timing::TimingTable shapes;       // recorded by rows and columns; rows may be empty
    timing::CostTable costs;          // recorded, or measured where --costs asks for them; rows may be empty
    std::vector<LessonInfo> lessons;  // all there are, in order
    std::string ladder_source;        // what the lessons' times are of, and where from; empty: there are none
};

}  // namespace lanewise::run
