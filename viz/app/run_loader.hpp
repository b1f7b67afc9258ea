// Runs variants, and times them once the first run is there, away from the window's thread: the first run may have to
// start CUDA, and a frame must not wait for it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "common/run/services.hpp"
#include "common/timing/timing.hpp"
#include "viz/model/run_view.hpp"
#include "viz/views/benchmark/timing_full_view.hpp"

namespace lanewise::viz {

// The name of the run that is read from a file, so that the same file can be read again: "file:3:/tmp/xor.ndjson".
std::string name_of_file_run(int count, const std::string& path);
// Its path; empty for any other name.
std::string path_of_file_run(const std::string& name);

// The name of a variant's run on the input that all of `beside` run on: "beside:warp_sum_xor:warp_sum_xor,warp_sum_up".
std::string name_of_run_beside(const std::string& variant, const std::vector<std::string>& beside);
// Its parts; an empty variant for any other name.
struct RunBeside {
    std::string variant;
    std::vector<std::string> beside;
};
RunBeside run_beside_of(const std::string& name);

// The name of a run with changes; `name` itself where there are none.
std::string name_of_changed_run(const std::string& name, const run::RunChanges& changes);
// Its parts; no changes for any other name.
std::pair<std::string, run::RunChanges> changed_run_of(const std::string& name);
// The name of what a variant's run was before its file was saved: "before:warp_sum_xor".
std::string name_of_run_before(const std::string& variant);
// Is it the name of a run that no other comes in the place of: of a file, or of one before?
bool is_fixed_run(const std::string& name);

class RunLoader {
public:
    using Run = std::function<std::shared_ptr<const run::Run>(const std::string&)>;

    using Measure = std::function<timing::TimingTable()>;
    using MeasureSizes = std::function<timing::TimingTable(const run::SweepWatch&)>;
    using WhyNot = std::function<std::string()>;

    // What became of a request.
    struct Result {
        std::shared_ptr<const RunView> run_view;   // null while it runs and where it failed
        std::string error;                        // a sentence, where it failed
        std::string foreign_lesson;               // it failed because it is a trace of that lesson
        bool done() const { return run_view != nullptr || !error.empty(); }
    };

    // `measure` may be empty: nothing is timed. `wake` is called from the worker when something is there.
    RunLoader(Run run, Measure measure, std::function<void()> wake);
    ~RunLoader();   // cancels the run in progress, and waits for its end
    RunLoader(const RunLoader&) = delete;
    RunLoader& operator=(const RunLoader&) = delete;

    // How a run that is under way is ended; before anything is asked for.
    void offer_cancel(std::function<void()> cancel) { cancel_ = std::move(cancel); }

    // Results are of something that is no more, but for those that have names of their own (is_fixed_run): runs are
    // made anew when they are asked for.
    void forget();
    // Is there a result of that name?
    bool has(const std::string& name);
    // `name`, which no run is asked for by, has this result.
    void put(const std::string& name, std::shared_ptr<const RunView> run_view);

    // Ends the run that is under way, whose record so far is its result. Does nothing where none is.
    void cancel();
    bool is_running();

    // Of the runs with changes these alone are wanted: another that waits is forgotten, and one that is under way is
    // ended. The last few that are there are kept.
    void want_only(const std::vector<std::string>& names);

    // The result for a variant; asks for it once.
    Result get(const std::string& variant);
    // The same, waiting until it is there.
    Result wait(const std::string& variant);

    // What was measured on this machine; null while it is under way and where nothing could be.
    std::shared_ptr<const timing::TimingTable> times();
    // The same, waiting until that is known. Ask for a run first.
    std::shared_ptr<const timing::TimingTable> wait_for_times();

    // Says what can be measured over sizes, where anything can; before anything is asked for. Whether it can be is
    // asked once the first run is there.
    void offer_sizes(MeasureSizes measure, WhyNot why_not);
    // Begins to measure over sizes; runs that are asked for meanwhile are made between its parts. Does nothing while it
    // continues, and where it cannot.
    void begin_sizes();
    // Ends it after the part that is under way; what was measured before stays.
    void cancel_sizes();
    MeasureState sizes_state();
    // What was measured last; null where nothing was.
    std::shared_ptr<const timing::TimingTable> sizes();

private:
    void work();
    void run_next(std::unique_lock<std::mutex>& lock);
    std::shared_ptr<const RunView> view_of(std::shared_ptr<const run::Run> run);
    void measure_all(std::unique_lock<std::mutex>& lock);
    void ask_why_not(std::unique_lock<std::mutex>& lock);
    void measure_sizes(std::unique_lock<std::mutex>& lock);

    Run run_;
    Measure measure_;   // empty once it was called
    std::function<void()> wake_;
    std::function<void()> cancel_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::string, Result> results_;
    std::deque<std::string> wanted_;
    std::shared_ptr<const timing::TimingTable> times_;
    bool measuring_ = false;
    MeasureSizes measure_sizes_;
    WhyNot why_not_;    // empty once it was called
    MeasureState state_;
    bool sizes_wanted_ = false;
    std::chrono::steady_clock::time_point began_;
    std::shared_ptr<const timing::TimingTable> sizes_;
    std::string running_name_;
    bool forget_running_ = false;
    std::deque<std::string> kept_;   // runs with changes that are there, the oldest first
    bool ran_ = false;
    bool running_ = false;      // a variant
    int forgotten_ = 0;         // how often
    bool closing_ = false;
    std::thread worker_;
};

}  // namespace lanewise::viz
