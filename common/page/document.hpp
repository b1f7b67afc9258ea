// Runs exported from the program that made them: a page for a browser, a table of values.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/scene/handles.hpp"

namespace lanewise::page {

// One run on a page. The run outlives it.
struct Panel {
    const run::Run* run = nullptr;
    std::string title;             // "xor": short
    std::string summary;           // one line
    bool declared_wrong = false;
};

// A page: one run, or several next to each other.
struct Document {
    std::string lesson;            // "05_warp_shuffle"
    std::string lesson_title;      // "Warp shuffle"
    std::vector<Panel> panels;
    std::size_t step = 0;  // 0-based: where the page opens; of several panels a place where steps are aligned
    int block = -1;                // and at which warp; -1: the first recorded
    int warp = -1;
    int lane = -1;                 // whose formula is shown from the start; -1: none
    std::vector<std::string> comparison = {};   // what several panels come to, a paragraph each
    std::vector<Document> others = {};          // further runs of the lesson, to choose from: a tab each
    std::string text = {};         // the lesson's text and the glossary, in Markdown; empty: none
    std::string glossary = {};
};

// What a page holds at most, in lanes × warps × steps: a browser takes a second for it on a phone, and the file is some
// megabytes. Of a longer run its first steps are kept, and the page says so.
inline constexpr std::size_t kMostLaneSteps = 64'000;

// The page's facts as JSON (page_data.cpp says which). `most`: see kMostLaneSteps.
std::string page_json(const Document& document, std::size_t most = kMostLaneSteps);

// A whole page, one file: its script and style in it, nothing fetched.
std::string page_html(const Document& document);

// One row for each step, each warp that takes part and each lane it has; RFC 4180, with a line of names.
std::string values_csv(const run::Run& run);

enum class Ending { svg, html, csv };

// By the path's ending, in either case. Throws Error that names the three.
Ending ending_of(const std::string& flag, const std::string& path);

// Throws Error that names `flag`, the path and the reason.
void write_file(const std::string& flag, const std::string& path, const std::string& contents);

}  // namespace lanewise::page
