// Something that takes long, worked out away from the thread that draws: a frame asks whether it is there.
#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <utility>

namespace lanewise::viz {

// How long a frame waits for what it has begun: a small run's is there then, and nothing flickers.
inline constexpr std::chrono::milliseconds kShortPatience{12};

template <typename T>
class Later {
public:
    // Begins. What was there before is gone; work that is still under way is waited for.
    void begin(std::function<T()> work) {
        value_.reset();
        begun_ = true;
        fresh_ = true;
        future_ =
            std::async(std::launch::async, [work = std::move(work)] { return std::make_shared<const T>(work()); });
    }
    bool begun() const { return begun_; }
    // Under way, as far as get() has seen.
    bool busy() const { return begun_ && !value_; }

    // Null while it is under way. `patient`: waits for it; else only the first time, and not for long.
    std::shared_ptr<const T> get(bool patient) {
        if (value_ || !begun_) return value_;
        if (!patient &&
            future_.wait_for(std::exchange(fresh_, false) ? kShortPatience : std::chrono::milliseconds(0)) !=
                std::future_status::ready)
            return nullptr;
        value_ = future_.get();
        return value_;
    }

private:
    bool begun_ = false, fresh_ = false;
    std::shared_ptr<const T> value_;
    std::future<std::shared_ptr<const T>> future_;   // last: its end waits for the work
};

}  // namespace lanewise::viz
