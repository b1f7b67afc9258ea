// One run of one variant, as plain data: the trace, its steps, and what came out, compared with the reference.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/element.hpp"
#include "common/base/error.hpp"
#include "common/steps/steps.hpp"
#include "common/trace/trace.hpp"

namespace lanewise::run {

// One output of a run, compared with its reference.
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
    // Of several elements the one that is furthest off.
    std::uint64_t worst = 0;
    double worst_value = 0;
    double worst_reference = 0;
};

// One run of one variant, ready to draw. Shared so that steps may point into the trace.
struct Run {
    trace::Trace trace;
    steps::Steps steps;       // of `trace`
    std::string origin;       // for the title: "NVIDIA H200 · traced run", "emulator · ascending",
                              // "recorded on NVIDIA H200 · 2026-11-21", "file t.ndjson · …"
    std::string note;         // how it comes to be shown ("Shown as recorded. …"): nothing to worry about; empty else
    std::string notice;       // a warning that the learner must see ("partial: …"); empty else
    std::string kernel_file;  // that its kernels are in, "kernels.cuh"
    std::string source;       // its contents
    std::vector<Result> results;   // empty where the outputs are too long to be in a recording
    std::vector<double> inputs = {};   // the input's values, as the kernel reads them; empty where they are too many
};

// A trace of another lesson than the one that was asked to show it.
class ForeignTrace : public Error {
public:
    ForeignTrace(const std::string& sentence, std::string lesson) : Error(sentence), lesson_(std::move(lesson)) {}
    const std::string& lesson() const { return lesson_; }

private:
    std::string lesson_;
};

}  // namespace lanewise::run
