// --time: what is measured, at which sizes, with what; and what was recorded of it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "common/run/services.hpp"
#include "common/runner/lesson_setup.hpp"
#include "common/runner/run_options.hpp"
#include "common/runner/runner.hpp"
#include "common/measure/sweep.hpp"
#include "common/timing/timing.hpp"

namespace lanewise::runner {

// How a measurement is followed and ended.
struct TimerWatch {
    using Progress = std::function<void(std::size_t done, std::size_t all, const std::string& name)>;
    // Asked for once a measurement, `what` as text ("sweep "); what it returns is called before each part and dropped
    // at the end. Empty: not followed.
    std::function<Progress(const std::string& what)> follow;
    // Called as a measurement begins; what it returns says, between the parts, whether to end it. Empty: nothing does.
    std::function<std::function<bool()>()> watch_interrupts;
};

class Timer {
public:
    // All are kept by reference and must outlive the timer.
    Timer(LessonSetup& setup, const RunOptions& options, Runner& runner, TimerWatch watch);

    // Measures these variants on the GPU: at the sizes of --sizes, else each at its own. An interrupt ends
    // it early (TimingTable::partial). Throws Error where nothing could be measured.
    timing::TimingTable measure(const std::vector<std::string>& names) const;
    // The same for a window: each at its own size, without messages and without regard to interrupts.
    timing::TimingTable measure_quietly(const std::vector<std::string>& names) const;
    // The same over sizes, followed and ended by `watch`. Throws Error where nothing could be measured.
    timing::TimingTable measure_sizes(const std::vector<std::string>& names, const run::SweepWatch& watch) const;
    // What a machine without a GPU will show.
    struct Recording {
        // Each variant at its own size, several times over; then those that have a baseline at the sizes of the table.
        timing::TimingTable times;
        // All over sizes, once; at the ladder's size with the serial CPU baseline, where the lesson is on the ladder.
        // Without rows where variants take rows, which have the table instead.
        timing::TimingTable sweep;
    };
    // Throws Error where something could not be measured, and after an interrupt.
    Recording record(const std::vector<std::string>& names) const;

    // The recorded rows that these options ask for. Throws Error where there are none, or none measured in that way.
    timing::TimingTable recorded() const;

    // Adds what was recorded of torch at the table's sizes and types, where it was on the same GPU with the same L2
    // state, and sets the variants' rows against it. Throws Error where that recording is damaged.
    void add_recorded_baselines(timing::TimingTable& table) const;

private:
    std::vector<measure::Job> jobs(const std::vector<std::string>& names, const std::vector<timing::Size>& sizes) const;
    measure::Job job(const lesson::Variant& variant, const timing::Size* size, const lesson::Machine& machine) const;
    // What a variant runs on at a size; without one, at the size it is timed at.
    lesson::Inputs inputs_at(const lesson::Variant& variant, const timing::Size* size,
                             const lesson::Machine& machine) const;
    // Of a sweep: all `swept` at its sizes, and `compared` at those of the table too.
    std::vector<measure::Job> jobs_over_sizes(const std::vector<std::string>& swept,
                                              const std::vector<std::string>& compared) const;
    // How rows over sizes are measured.
    measure::SweepOptions over_sizes() const;
    timing::TimingTable run(const std::vector<measure::Job>& jobs, measure::SweepOptions options,
                            const std::string& what) const;

    LessonSetup& setup_;
    const RunOptions& options_;
    Runner& runner_;
    TimerWatch watch_;
};

// For a window: each variant once, without the rows of the table of sizes.
timing::TimingTable without_sizes(timing::TimingTable table);
// The rows of the table of sizes alone.
timing::TimingTable only_sizes(timing::TimingTable table);

}  // namespace lanewise::runner
