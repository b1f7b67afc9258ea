// Runs the kernels of wrong/ in workers, and looks at what that took.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include "common/worker/contained_emulator.hpp"

namespace lanewise::generated {
launch::KernelSet worker_wrong_kernels();
}

namespace lanewise::worker::testing {

inline const launch::KernelSet& kernels() {
    static const launch::KernelSet set = generated::worker_wrong_kernels();
    return set;
}

inline const std::shared_ptr<Pool>& pool() {
    static const auto made = std::make_shared<Pool>(serve_emulator);
    return made;
}

// The number of the line of the kernel file that holds `text`; 0 where there is none.
inline int line_of(const std::string& text) {
    std::ifstream file(LANEWISE_WRONG_KERNELS);
    std::string line;
    for (int number = 1; std::getline(file, line); ++number)
        if (line.find(text) != line.npos) return number;
    return 0;
}

// The processes below this one.
inline std::vector<int> descendants(int of = getpid()) {
    std::vector<int> all;
    std::ifstream children("/proc/" + std::to_string(of) + "/task/" + std::to_string(of) + "/children");
    for (int child = 0; children >> child;) {
        all.push_back(child);
        for (const int below : descendants(child)) all.push_back(below);
    }
    return all;
}

// Resident memory of a process that is its own or shared, at most so far, in MB.
inline long peak_megabytes(int process) {
    std::ifstream status("/proc/" + std::to_string(process) + "/status");
    std::string text;
    while (status >> text)
        if (text == "VmHWM:") {
            long kilobytes = 0;
            status >> kilobytes;
            return kilobytes / 1024;
        }
    return 0;
}

// Watches the memory of this process and those below it.
class PeakMemory {
public:
    PeakMemory()
        : watcher_([this](const std::stop_token& stop) {
              while (!stop.stop_requested()) {
                  for (const int process : descendants())
                      if (const long here = peak_megabytes(process); here > peak_) peak_ = here;
                  std::this_thread::sleep_for(std::chrono::milliseconds(20));
              }
          }) {}
    long megabytes() const { return std::max<long>(peak_, peak_megabytes(getpid())); }

private:
    std::atomic<long> peak_{0};
    std::jthread watcher_;
};

template <class T>
std::vector<T> values_of(const launch::Outcome& outcome, std::size_t buffer) {
    std::vector<T> values(outcome.buffers[buffer].size() / sizeof(T));
    std::memcpy(values.data(), outcome.buffers[buffer].data(), outcome.buffers[buffer].size());
    return values;
}

}  // namespace lanewise::worker::testing
