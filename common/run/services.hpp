// The one interface through which a front end asks for something: a run, a measurement, another lesson.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/run/run.hpp"
#include "common/run/run_fields.hpp"
#include "common/timing/timing.hpp"

namespace lanewise::run {

// The program that runs when this one ends: that of another lesson.
struct NextProgram {
    std::string program;      // empty: none
    std::vector<std::string> arguments;
};

// How a long measurement is followed, and ended: both are called by it, between its parts.
struct SweepWatch {
    std::function<void(std::size_t done, std::size_t all, const std::string& what)> progress;
    std::function<bool()> cancelled;
};

// A kernel file that is edited while it is looked at, as it was saved last.
struct EditedFile {
    std::uint64_t version = 0;   // counts the saves
    std::string file;            // "sum.cu"
    std::string text;
    std::string problem;         // why that is not what is shown; empty: it is, or is about to be
    int line = 0;                // that the problem is at; 0: at none
};

struct LessonContents;

// What a front end may ask for. Calls, but for cancel, come from one thread at a time, the
// front end's own or another.
struct Services {
    // Runs a variant, or finds it in the recordings. Throws Error.
    std::function<std::shared_ptr<const Run>(const std::string& variant)> run;
    // The same on an input that all of `beside` run on, the variant among them: what is compared. Empty: as `run`.
    std::function<std::shared_ptr<const Run>(const std::string& variant, const std::vector<std::string>& beside)>
        run_beside = {};
    // The same with changes of what the command line asked for; `beside` of one variant or none: as `run`. Empty:
    // nothing can be changed.
    std::function<std::shared_ptr<const Run>(const std::string& variant, const std::vector<std::string>& beside,
                                             const RunChanges& changes)>
        run_changed = {};
    // Loads a trace of this lesson from a file. Throws ForeignTrace for one of another lesson, Error for none.
    std::function<std::shared_ptr<const Run>(const std::string& path)> open;
    // Ends the run that is under way; from any thread. Empty: nothing can.
    std::function<void()> cancel;
    // Times the variants of the tabs on this machine's GPU, in a second or two; an empty table where there is none.
    // Throws Error. Empty: nothing is timed.
    std::function<timing::TimingTable()> measure;
    // Measures the variants of the tabs over sizes, half a minute or so. Throws Error. Empty: nothing can.
    std::function<timing::TimingTable(const SweepWatch& watch)> measure_sizes;
    // Why this machine cannot measure, as a sentence; empty where it can.
    std::function<std::string()> why_not_measured;
    // Adds the ladder's times to all lessons: read from every lesson's recordings, so only where they are shown. Empty:
    // they are there, or there are none.
    std::function<void(LessonContents& contents)> add_ladder = {};
    // Says, before the front end closes, which program runs next. Empty: none can.
    std::function<void(const NextProgram& next)> continue_with;
    // The file that is edited; another object where anything of it is another. From any thread. Empty: none is.
    std::function<std::shared_ptr<const EditedFile>()> edited = {};
    // Calls `wake`, from any thread, when that is another one; empty: no more.
    std::function<void(std::function<void()> wake)> wake_on_edit = {};
};

}  // namespace lanewise::run
