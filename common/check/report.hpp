// What the checks found, as a file for other programs: JSON of our own, or SARIF 2.1.0, which editors and code hosts
// show beside the lines.
#pragma once

#include <string>
#include <vector>

#include "common/trace/trace.hpp"

namespace lanewise::check {

// A file that a kernel file includes: lines count through, file by file.
struct ReportedFile {
    std::string path;
    int first_line = 1;
};

// One variant that was checked.
struct ReportedRun {
    std::string variant;
    std::string kernel_file;         // as a path from the project's root: "lessons/04_warp_sync/kernels.cuh"
    std::string declared_wrong;      // why it is wrong on purpose; empty: it is not
    trace::Verdict verdict = trace::Verdict::not_checked;
    std::string undecided;
    std::vector<trace::Finding> findings;
    std::vector<ReportedFile> included = {};   // in the order of their lines
};

struct Report {
    std::string lesson;
    std::string version;             // of this program
    std::vector<ReportedRun> runs;
};

std::string report_json(const Report& report);
std::string report_sarif(const Report& report);

// Writes either, by the file's ending. Throws Error that names the file.
void save_report(const std::string& path, const Report& report);

// Is it a name that save_report takes?
bool is_report_name(const std::string& path);

}  // namespace lanewise::check
