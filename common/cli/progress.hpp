// "[3/27] 1024×2048 · sum: about 12 s left", rewritten in place on a terminal.
#pragma once

#include <chrono>
#include <cstddef>
#include <ostream>
#include <string>

#include <fmt/format.h>

#include "common/cli/program.hpp"

namespace lanewise::cli {

class ProgressLine {
public:
    explicit ProgressLine(const Console& console) : console_(console), start_(Clock::now()) {}
    ~ProgressLine() { clear(); }
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    void show(const std::string& before, std::size_t done, std::size_t all, const std::string& what) {
        if (!console_.progress) return;
        const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
        const double left = done > 0 ? seconds / static_cast<double>(done) * static_cast<double>(all - done) : 0;
        console_.err << "\r\033[K" << fmt::format("{}[{}/{}] {}", before, done + 1, all, what)
                     << (done > 0 ? fmt::format(" · about {:.0f} s left", left) : "") << std::flush;
        shown_ = true;
    }

private:
    using Clock = std::chrono::steady_clock;
    void clear() {
        if (shown_) console_.err << "\r\033[K" << std::flush;
    }
    const Console& console_;
    Clock::time_point start_;
    bool shown_ = false;
};

}  // namespace lanewise::cli
