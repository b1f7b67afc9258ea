#include "common/cli/interrupts.hpp"

namespace lanewise::cli {
namespace {

// A signal handler is given nothing but a number: this is the only way out of it.
volatile std::sig_atomic_t interrupted = 0;

extern "C" void note_interrupt(int) { interrupted = 1; }

}  // namespace

Interrupts::Interrupts() {
    interrupted = 0;
    struct sigaction action {};
    action.sa_handler = note_interrupt;
    action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);  // the next one does what it did before
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, &before_);
}

Interrupts::~Interrupts() { sigaction(SIGINT, &before_, nullptr); }

bool Interrupts::asked() const { return interrupted != 0; }

}  // namespace lanewise::cli
