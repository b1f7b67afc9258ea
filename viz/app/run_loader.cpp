#include "viz/app/run_loader.hpp"

namespace lanewise::viz {

RunLoader::RunLoader(Run run, std::function<void()> wake) : run_(std::move(run)), wake_(std::move(wake)) {
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

void RunLoader::work() {
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [this] { return closing_ || !wanted_.empty(); });
        if (closing_) return;
        const std::string variant = wanted_.front();
        wanted_.pop_front();
        lock.unlock();
        Result result;
        try {
            result.exhibit = std::make_shared<const Exhibit>(run_(variant));
        } catch (const std::exception& error) {
            result.error = error.what();
        }
        lock.lock();
        results_[variant] = result;
        changed_.notify_all();
        if (wake_) wake_();
    }
}

}  // namespace lanewise::viz
