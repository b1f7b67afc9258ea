#include "viz/app/run_loader.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace lanewise::viz {
namespace {

constexpr std::size_t kKeptChanges = 12;

}  // namespace

std::string name_of_file_run(int count, const std::string& path) {
    return "file:" + std::to_string(count) + ":" + path;
}

std::string path_of_file_run(const std::string& name) {
    if (!name.starts_with("file:")) return {};
    const std::size_t colon = name.find(':', 5);
    return colon == std::string::npos ? std::string() : name.substr(colon + 1);
}

std::string name_of_run_beside(const std::string& variant, const std::vector<std::string>& beside) {
    std::string name = "beside:" + variant + ":";
    for (const std::string& each : beside) name += (name.back() == ':' ? "" : ",") + each;
    return name;
}

RunBeside run_beside_of(const std::string& name) {
    RunBeside parts;
    if (!name.starts_with("beside:")) return parts;
    const std::size_t colon = name.find(':', 7);
    parts.variant = name.substr(7, colon - 7);
    for (std::size_t at = colon + 1; at < name.size();) {
        const std::size_t end = std::min(name.find(',', at), name.size());
        parts.beside.push_back(name.substr(at, end - at));
        at = end + 1;
    }
    return parts;
}

std::string name_of_changed_run(const std::string& name, const run::RunChanges& changes) {
    if (changes.empty()) return name;
    return "changed:" + name + "\n" + run::packed(changes);
}

std::pair<std::string, run::RunChanges> changed_run_of(const std::string& name) {
    const std::size_t end = name.find('\n');
    if (!name.starts_with("changed:") || end == std::string::npos) return {name, {}};
    return {name.substr(8, end - 8), run::unpacked(std::string_view(name).substr(end + 1))};
}
std::string name_of_run_before(const std::string& variant) { return "before:" + variant; }

bool is_fixed_run(const std::string& name) { return name.starts_with("before:") || name.starts_with("file:"); }

RunLoader::RunLoader(Run run, Measure measure, std::function<void()> wake)
    : run_(std::move(run)), measure_(std::move(measure)), wake_(std::move(wake)) {
    worker_ = std::thread([this] { work(); });
}

RunLoader::~RunLoader() {
    {
        const std::lock_guard lock(mutex_);
        closing_ = true;
    }
    changed_.notify_all();
    if (cancel_) cancel_();
    worker_.join();
}

void RunLoader::cancel() {
    if (is_running() && cancel_) cancel_();
}

bool RunLoader::is_running() {
    const std::lock_guard lock(mutex_);
    return running_;
}

void RunLoader::want_only(const std::vector<std::string>& names) {
    bool ends = false;
    {
        const std::lock_guard lock(mutex_);
        const auto is_left = [&](const std::string& name) {
            return name.starts_with("changed:") && std::find(names.begin(), names.end(), name) == names.end();
        };
        for (const std::string& name : wanted_)
            if (is_left(name)) results_.erase(name);
        std::erase_if(wanted_, is_left);
        ends = running_ && is_left(running_name_) && !std::exchange(forget_running_, true);
        while (kept_.size() > kKeptChanges && is_left(kept_.front())) {
            results_.erase(kept_.front());
            kept_.pop_front();
        }
    }
    if (ends && cancel_) cancel_();
}

void RunLoader::forget() {
    const std::lock_guard lock(mutex_);
    std::erase_if(results_, [](const auto& result) { return !is_fixed_run(result.first); });
    std::erase_if(wanted_, [](const std::string& name) { return !is_fixed_run(name); });
    kept_.clear();
    ++forgotten_;
}

bool RunLoader::has(const std::string& name) {
    const std::lock_guard lock(mutex_);
    return results_.contains(name);
}

void RunLoader::put(const std::string& name, std::shared_ptr<const RunView> run_view) {
    const std::lock_guard lock(mutex_);
    results_[name] = Result{std::move(run_view), {}, {}};
}

RunLoader::Result RunLoader::get(const std::string& variant) {
    const std::lock_guard lock(mutex_);
    const auto [at, is_new] = results_.try_emplace(variant);
    if (is_new) {
        wanted_.push_back(variant);
        changed_.notify_all();
    }
    return at->second;
}

RunLoader::Result RunLoader::wait(const std::string& variant) {
    get(variant);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return results_[variant].done(); });
    return results_[variant];
}

std::shared_ptr<const timing::TimingTable> RunLoader::times() {
    const std::lock_guard lock(mutex_);
    return times_;
}

std::shared_ptr<const timing::TimingTable> RunLoader::wait_for_times() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !measure_ && !measuring_ && !why_not_; });
    return times_;
}

// Runs come first: they are what is looked at.
void RunLoader::work() {
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(
            lock, [this] { return closing_ || !wanted_.empty() || (ran_ && (measure_ || why_not_ || sizes_wanted_)); });
        if (closing_) return;
        if (!wanted_.empty()) run_next(lock);
        else if (why_not_) ask_why_not(lock);
        else if (measure_) measure_all(lock);
        else measure_sizes(lock);
        changed_.notify_all();
        if (wake_) wake_();
    }
}

void RunLoader::run_next(std::unique_lock<std::mutex>& lock) {
    const std::string variant = wanted_.front();
    wanted_.pop_front();
    running_ = true;
    running_name_ = variant;
    forget_running_ = false;
    const int forgotten = forgotten_;
    lock.unlock();
    Result result;
    try {
        result.run_view = view_of(run_(variant));
    } catch (const run::ForeignTrace& foreign) {
        result.error = foreign.what();
        result.foreign_lesson = foreign.lesson();
    } catch (const std::exception& error) {
        result.error = error.what();
    }
    lock.lock();
    running_ = false;
    ran_ = true;
    const bool unwanted = std::exchange(forget_running_, false);
    // What was asked for before it was forgotten is of no use; it may have been asked for again.
    if (forgotten != forgotten_ && !is_fixed_run(variant)) return;
    // One that was ended because it is wanted no longer is no run of those changes.
    if (unwanted) {
        results_.erase(variant);
        return;
    }
    results_[variant] = result;
    if (variant.starts_with("changed:")) kept_.push_back(variant);
}

// A run that is there under another name keeps its view, and what was worked out for it.
std::shared_ptr<const RunView> RunLoader::view_of(std::shared_ptr<const run::Run> run) {
    {
        const std::lock_guard lock(mutex_);
        for (const auto& [name, result] : results_)
            if (result.run_view && result.run_view->run == run) return result.run_view;
    }
    return std::make_shared<const RunView>(std::move(run));
}

void RunLoader::measure_all(std::unique_lock<std::mutex>& lock) {
    const Measure measure = std::exchange(measure_, {});
    measuring_ = true;
    lock.unlock();
    auto table = std::make_shared<timing::TimingTable>();
    try {
        *table = measure();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());   // the recorded times stay
    }
    lock.lock();
    measuring_ = false;
    if (!table->rows.empty()) times_ = std::move(table);
}

// --- over sizes ----------------------------------------------------------------------------------------------------

void RunLoader::offer_sizes(MeasureSizes measure, WhyNot why_not) {
    const std::lock_guard lock(mutex_);
    measure_sizes_ = std::move(measure);
    if (measure_sizes_) why_not_ = why_not ? std::move(why_not) : [] { return std::string(); };
    else
        state_ = {.known = true,
                  .why_not = "This window only shows what was recorded or emulated: nothing is measured."};
}

void RunLoader::begin_sizes() {
    const std::lock_guard lock(mutex_);
    if (!state_.possible || state_.running) return;
    sizes_wanted_ = true;
    began_ = std::chrono::steady_clock::now();
    state_ = {.known = true, .possible = true, .running = true};
    changed_.notify_all();
}

void RunLoader::cancel_sizes() {
    const std::lock_guard lock(mutex_);
    state_.cancelling = state_.running;
}

MeasureState RunLoader::sizes_state() {
    const std::lock_guard lock(mutex_);
    MeasureState state = state_;
    if (state.running) state.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
    return state;
}

std::shared_ptr<const timing::TimingTable> RunLoader::sizes() {
    const std::lock_guard lock(mutex_);
    return sizes_;
}

void RunLoader::ask_why_not(std::unique_lock<std::mutex>& lock) {
    const WhyNot why_not = std::exchange(why_not_, {});
    measuring_ = true;   // or about to know whether it could
    lock.unlock();
    std::string problem;
    try {
        problem = why_not();
    } catch (const std::exception& error) {
        problem = error.what();
    }
    lock.lock();
    measuring_ = false;
    state_.known = true;
    state_.possible = problem.empty();
    state_.why_not = std::move(problem);
}

void RunLoader::measure_sizes(std::unique_lock<std::mutex>& lock) {
    sizes_wanted_ = false;
    lock.unlock();
    const auto progress = [this](std::size_t done, std::size_t all, const std::string& what) {
        std::unique_lock held(mutex_);
        state_.done = done;
        state_.all = all;
        state_.what = what;
        while (!wanted_.empty() && !closing_) run_next(held);   // they are what is looked at
        held.unlock();
        changed_.notify_all();
        if (wake_) wake_();
    };
    const auto cancelled = [this] {
        const std::lock_guard held(mutex_);
        return state_.cancelling || closing_;
    };
    auto table = std::make_shared<timing::TimingTable>();
    std::string note;
    try {
        *table = measure_sizes_({progress, cancelled});
    } catch (const std::exception& error) {
        note = error.what();
    }
    lock.lock();
    if (state_.cancelling) note = "Measuring was ended; what was known before is shown.";
    else if (note.empty() && !table->rows.empty()) sizes_ = std::move(table);
    state_ = {.known = true, .possible = true, .note = std::move(note)};
}

}  // namespace lanewise::viz
