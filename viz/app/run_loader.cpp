#include "viz/app/run_loader.hpp"

#include <cstdio>
#include <utility>

namespace lanewise::viz {

std::string name_of_file_run(int count, const std::string& path) { return "file:" + std::to_string(count) + ":" + path; }

std::string path_of_file_run(const std::string& name) {
    if (!name.starts_with("file:")) return {};
    const std::size_t colon = name.find(':', 5);
    return colon == std::string::npos ? std::string() : name.substr(colon + 1);
}

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
    worker_.join();
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
    changed_.wait(lock, [this] { return !measure_ && !measuring_; });
    return times_;
}

// Runs come first: they are what is looked at.
void RunLoader::work() {
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [this] { return closing_ || !wanted_.empty() || (measure_ && ran_); });
        if (closing_) return;
        if (!wanted_.empty()) run_next(lock);
        else measure_all(lock);
        changed_.notify_all();
        if (wake_) wake_();
    }
}

void RunLoader::run_next(std::unique_lock<std::mutex>& lock) {
    const std::string variant = wanted_.front();
    wanted_.pop_front();
    lock.unlock();
    Result result;
    try {
        result.exhibit = std::make_shared<const Exhibit>(run_(variant));
    } catch (const lesson::ForeignTrace& foreign) {
        result.error = foreign.what();
        result.foreign_lesson = foreign.lesson();
    } catch (const std::exception& error) {
        result.error = error.what();
    }
    lock.lock();
    results_[variant] = result;
    ran_ = true;
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

}  // namespace lanewise::viz
