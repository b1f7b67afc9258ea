// Ctrl-C while something is measured: the work ends when it can, and what it has is kept.
#pragma once

#include <csignal>

namespace lanewise::cli {

// From its making to its end an interrupt is noted instead of ending the program; a second one ends it. At most one at
// a time: what a signal can reach is one place for the whole process.
class Interrupts {
public:
    Interrupts();
    ~Interrupts();
    Interrupts(const Interrupts&) = delete;
    Interrupts& operator=(const Interrupts&) = delete;

    bool asked() const;

private:
    struct sigaction before_ {};
};

}  // namespace lanewise::cli
