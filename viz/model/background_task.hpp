// Something that takes long, worked out away from the thread that draws: a frame asks whether it is there.
#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <utility>

#include "common/base/stop.hpp"

namespace lanewise::viz {

// How long a frame waits for what it has begun: a small run's is there then, and nothing flickers.
inline constexpr std::chrono::milliseconds kShortPatience{12};

template <typename T>
class BackgroundTask {
public:
    // Begins. What was there before is gone; what is still under way is asked to stop, and waited for. So is it at the
    // end: work that takes long looks at its token (check_stop()), what must be finished does not.
    void begin(std::function<T(const std::stop_token&)> work) {
        value_.reset();
        work_.reset();
        begun_ = true;
        fresh_ = true;
        work_ = std::make_unique<Utilization>();
        work_->result = std::async(std::launch::async, [work = std::move(work), stop = work_->stop.get_token()] {
            return std::make_shared<const T>(work(stop));
        });
    }
    bool begun() const { return begun_; }
    // Under way, as far as get() has seen.
    bool busy() const { return begun_ && !value_; }

    // Null while it is under way, and where it was given up. `wait_for_results`: waits for it; else only the first
    // time, and not for long.
    std::shared_ptr<const T> get(bool wait_for_results) {
        if (value_ || !begun_ || work_->stop.stop_requested()) return value_;
        const std::chrono::milliseconds patience = std::exchange(fresh_, false) ? kShortPatience : kNow;
        if (!wait_for_results && !work_->ends_within(patience)) return nullptr;
        value_ = work_->result.get();
        return value_;
    }

    // Its result is not wanted any more, and another task is to begin: asks what is under way to stop. False as long as
    // it has not.
    bool give_up() {
        if (!busy()) return true;
        work_->stop.request_stop();
        return work_->ends_within(kNow);
    }

private:
    static constexpr std::chrono::milliseconds kNow{0};

    struct Utilization {
        std::stop_source stop;
        std::future<std::shared_ptr<const T>> result;   // its end waits for the work
        ~Utilization() { stop.request_stop(); }
        bool ends_within(std::chrono::milliseconds time) const {
            return result.wait_for(time) == std::future_status::ready;
        }
    };

    bool begun_ = false, fresh_ = false;
    std::shared_ptr<const T> value_;
    std::unique_ptr<Utilization> work_;
};

}  // namespace lanewise::viz
