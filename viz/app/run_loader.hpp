// Runs variants away from the window's thread: the first run may have to start CUDA, and a frame must not wait for it.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "viz/views/exhibit.hpp"

namespace lanewise::viz {

class RunLoader {
public:
    using Run = std::function<std::shared_ptr<const lesson::Run>(const std::string&)>;

    // What became of a request.
    struct Result {
        std::shared_ptr<const Exhibit> exhibit;   // null while it runs and where it failed
        std::string error;                        // a sentence, where it failed
        bool done() const { return exhibit != nullptr || !error.empty(); }
    };

    // `wake` is called from the worker when a result is there.
    RunLoader(Run run, std::function<void()> wake);
    ~RunLoader();   // waits for the run in progress
    RunLoader(const RunLoader&) = delete;
    RunLoader& operator=(const RunLoader&) = delete;

    // The result for a variant; asks for it where nobody has.
    Result get(const std::string& variant);
    // The same, waiting until it is there.
    Result wait(const std::string& variant);

private:
    void work();

    Run run_;
    std::function<void()> wake_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::string, Result> results_;
    std::deque<std::string> wanted_;
    bool closing_ = false;
    std::thread worker_;
};

}  // namespace lanewise::viz
