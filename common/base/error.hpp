// What every part of Lanewise throws when it cannot continue: a sentence for the person at the keyboard.
#pragma once

#include <stdexcept>
#include <string>

namespace lanewise {

// Exit statuses of a lesson's binary.
inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;   // a check or a comparison did not hold
inline constexpr int kExitUsage = 2;    // a flag, a size, a file or a machine was not what was needed
inline constexpr int kExitPartial = 3;  // a truncated trace or measurement: its beginning was used

// A failure described by a sentence that names the value and the way out. `what()` is printed as it is, on stderr.
class Error : public std::runtime_error {
public:
    explicit Error(const std::string& sentence, int exit_status = kExitUsage)
        : std::runtime_error(sentence), exit_status_(exit_status) {}

    int exit_status() const noexcept { return exit_status_; }

private:
    int exit_status_;
};

// There is no display to open a window on (or no OpenGL 3.2): not a failure, the terminal takes over.
class NoDisplay : public Error {
public:
    using Error::Error;
};

}  // namespace lanewise
