// Makes runs: on the emulator, on a GPU, from the recordings or from a file.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "common/run/run.hpp"
#include "common/run/run_fields.hpp"
#include "common/runner/run_options.hpp"
#include "common/runner/lesson_setup.hpp"

namespace lanewise::runner {

// What came of a variant that was run to be checked.
struct Checked {
    std::vector<run::Result> results = {};
    std::vector<trace::Finding> findings = {};   // what the emulator saw
    trace::Verdict verdict = trace::Verdict::not_checked;   // … and came to
    std::string undecided = {};             // which limit was reached, where it is not decided
    std::string kernel_file = {};           // "kernels.cuh"
    std::string order = {};                 // "descending", where the findings are of a run in that order
    std::string not_run = {};               // why it could not run here; there is nothing else then
};

// A run and what came of it.
struct FinishedRun {
    std::shared_ptr<const run::Run> run;   // what is shown
    trace::Trace raw;                 // what is saved: of a GPU, only what the GPU recorded
    // Of the run; empty where the outputs are too long to be in a recording.
    const std::vector<run::Result>& results() const { return run->results; }
};

class Runner {
public:
    // Both are kept by reference and must outlive the runner.
    Runner(LessonSetup& setup, const RunOptions& options);

    // Which of gpu, cpu, recorded it is; asks for a GPU only when the answer depends on it.
    BackendChoice backend();
    // Why that is not a GPU, as a sentence; empty where it is.
    std::string why_no_gpu();

    // Throws where run() would because of what was asked for, without running.
    void check_request(const lesson::Variant& variant);

    // Runs a variant with recording, or finds it among the recordings. Each is run once; safe to call from any thread.
    std::shared_ptr<const FinishedRun> run(const std::string& variant);
    // The same on the input that all of `beside` share: the largest that any of them runs on by itself, or the one that
    // was recorded where one of them cannot run here. A variant that cannot run on it runs on its own.
    std::shared_ptr<const FinishedRun> run_beside(const std::string& variant, const std::vector<std::string>& beside);

    // The same with changes of what was asked for; of several that are compared, what one does not take is left out.
    // The last few of such runs are kept.
    std::shared_ptr<const FinishedRun> run_changed(const std::string& variant, const std::vector<std::string>& beside,
                                                   const run::RunChanges& changes);

    // Runs a variant without recording and compares it with its reference.
    Checked check(const lesson::Variant& variant);

    // Loads a trace of this lesson; run() then gives it for its variant. Throws ForeignTrace for that of another
    // lesson.
    std::shared_ptr<const FinishedRun> open(const std::string& path);
    // The same, and run() gives what it gave.
    std::shared_ptr<const FinishedRun> load(const std::string& path);

    // The kernel files, or the lesson, are others than they were: reads them again, and runs anew what is asked for.
    void forget();

    // Ends the run that is under way, if any, within 0.2 s where it is in a process of its own: it then has what was
    // recorded before, and a finding that says so. From any thread.
    void cancel();

    // What runs go to, as text: "NVIDIA H200", "emulator · ascending", "recordings".
    std::string machine();

    // The text of one of the lesson's kernel files; empty for any other name.
    std::string source(const std::string& file) const;

    // Why the variant cannot run where runs go to, on these inputs: a sentence; empty where it can. Recordings are not
    // looked for.
    std::string why_not(const lesson::Variant& variant, const lesson::Inputs& inputs);
    // The same of a plan that is made already.
    std::string why_not(const lesson::Variant& variant, const launch::Plan& plan);

    // The inputs as this machine's plans take them: with the GPU's shape where runs go to it.
    lesson::Inputs on_this_machine(lesson::Inputs inputs);

private:
    void read_sources();
    // The variant that the trace in `path` says it is of.
    const lesson::Variant& variant_of(const std::string& name, const std::string& path) const;
    // "NVIDIA H200 · traced run" or "emulator · ascending".
    static std::string origin_of(const trace::Source& source);
    // One more sentence that must be seen; none where it is empty.
    static void warn(run::Run& run, const std::string& sentence);
    std::shared_ptr<const FinishedRun> run_live(const lesson::Variant& variant, const lesson::Inputs& own);
    // `why`: the variant was to run, and why it cannot; empty where a recording was asked for.
    std::shared_ptr<const FinishedRun> run_recorded(const lesson::Variant& variant, const std::string& why);
    // The same run, ready to draw: `recorded` holds its trace and findings. With what the emulator's record of
    // memory adds to a GPU's trace, when the two are equal in all that both hold.
    std::shared_ptr<const run::Run> finish_run(run::Run recorded, const launch::Plan* plan,
                                               lesson::BlockOrder block_order);
    trace::Trace record(launch::Backend& backend, const launch::Plan& plan, const std::vector<std::uint32_t>& blocks,
                        const launch::Order& order, bool checks, std::vector<run::Result>* results);
    // The plan's outputs when it runs `times` times more: the emulator in other orders, a GPU as it pleases.
    std::vector<trace::Rerun> rerun(launch::Backend& backend, const launch::Plan& plan, int times);
    void describe_run(trace::Trace& trace, const lesson::Variant& variant, const lesson::Inputs& inputs,
                      const launch::Plan& plan) const;
    lesson::Inputs checked_inputs(const lesson::Variant& variant);
    // Forgets the oldest of the runs that were changed.
    void keep_last(const std::string& key);
    // What run() gives under `name`, made on these inputs where it is not there yet.
    std::shared_ptr<const FinishedRun> run_on(const std::string& name, const lesson::Variant& variant,
                                              const lesson::Inputs& inputs);
    // The input that all of them are to run on; none where it is another for some, and cannot be helped.
    std::optional<lesson::Inputs> shared_input(const std::vector<std::string>& variants);
    // The input of a variant that is shown as it was recorded; none where it runs.
    std::optional<lesson::Inputs> recorded_input(const lesson::Variant& variant, const lesson::Inputs& own);
    // Throws Error that names the variants that can where this one cannot run in warps of `warp` lanes.
    void check_warp(const lesson::Variant& variant, std::uint32_t warp) const;
    std::vector<run::Result> results_of_trace(const trace::Trace& trace) const;
    std::vector<run::Result> results_of_outputs(const trace::Header& header,
                                                const std::vector<trace::Output>& outputs) const;
    // A sentence where a GPU's traced copy is right and the plain kernel is not, or the other way round; else empty.
    std::string tracing_changed(const trace::Trace& trace) const;
    std::optional<launch::Plan> plan_of(const trace::Header& header) const;
    std::string stale(const trace::Header& header) const;
    // In which the emulator runs lanes and blocks: --order's, else ascending.
    launch::Order order() const { return options_->order.value_or(launch::Order{}); }
    launch::Backend& emulator();
    launch::Backend& gpu();
    std::stop_token new_run();   // which cancel() ends

    LessonSetup& setup_;
    const RunOptions* options_;      // while run_changed() runs: those with the changes
    std::map<std::string, std::string> sources_;   // of the kernel files, by name
    std::recursive_mutex mutex_;   // the window may ask from another thread
    std::mutex stop_mutex_;        // of stop_: a thread that cancels must not wait for the run
    std::stop_source stop_;
    std::optional<BackendChoice> backend_;
    std::unique_ptr<launch::Backend> emulator_;
    std::unique_ptr<launch::Backend> gpu_;
    std::map<std::string, std::shared_ptr<const FinishedRun>> finished_;
    bool lenient_ = false;                 // what a variant does not take is left out
    std::string changed_;                  // the changes of run_changed(), as part of names in finished_
    std::vector<std::string> last_changed_;   // of finished_, the latest last
};

}  // namespace lanewise::runner
