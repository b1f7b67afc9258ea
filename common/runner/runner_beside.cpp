// Runs that are compared: all on one input.
#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/runner/run_changes.hpp"
#include "common/runner/runner.hpp"

namespace lanewise::runner {

using lesson::Inputs;
using lesson::Variant;

namespace {

constexpr std::size_t kKeptChanges = 12;   // runs; one key undoes the last few changes at once

}  // namespace

std::shared_ptr<const FinishedRun> Runner::run_changed(const std::string& variant,
                                                       const std::vector<std::string>& beside,
                                                       const run::RunChanges& changes) {
    const std::lock_guard lock(mutex_);
    const RunOptions changed = with_changes(*options_, changes, setup_.lesson);
    // For this run alone, however it ends.
    struct Restore {
        Runner& runner;
        const RunOptions* options;
        std::optional<BackendChoice> backend;
        ~Restore() {
            runner.options_ = options;
            runner.backend_ = backend;
            runner.lenient_ = false;
            runner.changed_.clear();
        }
    } restore{*this, options_, backend_};
    options_ = &changed;
    if (changed.warp || changed.backend != restore.options->backend) backend_.reset();
    lenient_ = beside.size() > 1;
    changed_ = run::packed(changes) + "\n";
    return beside.size() > 1 ? run_beside(variant, beside) : run(variant);
}

void Runner::keep_last(const std::string& key) {
    last_changed_.push_back(key);
    if (last_changed_.size() <= kKeptChanges) return;
    finished_.erase(last_changed_.front());
    last_changed_.erase(last_changed_.begin());
}

std::shared_ptr<const FinishedRun> Runner::run_beside(const std::string& name, const std::vector<std::string>& beside) {
    const std::lock_guard lock(mutex_);
    const Variant& variant = setup_.lesson.find(name);
    const std::optional<Inputs> shared = shared_input(beside);
    if (!shared) return run(name);
    const Inputs own = checked_inputs(variant);
    if (same_values(own, *shared) || recorded_input(variant, own)) return run(name);
    const Inputs inputs = with_values_of(*shared, own, variant, *options_);
    try {
        lesson::make_plan(variant, inputs, setup_.kernels);
    } catch (const Error&) {
        return run(name);
    }
    return run_on(fmt::format("{} on {} {} {}", name, inputs.n, inputs.kind, inputs.seed), variant, inputs);
}

std::optional<Inputs> Runner::recorded_input(const Variant& variant, const Inputs& own) {
    if (backend() != BackendChoice::recorded && why_not(variant, on_this_machine(own)).empty()) return std::nullopt;
    const trace::Header& header = run(variant.name)->raw.header;
    Inputs inputs = own;
    inputs.n = header.n;
    inputs.kind = header.input;
    inputs.seed = header.seed;
    return inputs;
}

std::optional<Inputs> Runner::shared_input(const std::vector<std::string>& variants) {
    std::optional<Inputs> shared, recorded;
    for (const std::string& name : variants) {
        try {
            const Variant& variant = setup_.lesson.find(name);
            const Inputs own = checked_inputs(variant);
            const std::optional<Inputs> fixed = recorded_input(variant, own);
            if (fixed && !recorded) recorded = fixed;
            if (!shared || own.n > shared->n) shared = own;
        } catch (const Error&) {
            // It does not run at all, and says so itself.
        }
    }
    return recorded ? recorded : shared;
}

}  // namespace lanewise::runner
