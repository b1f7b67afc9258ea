#include "common/terminal/terminal.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <fmt/format.h>

#include "common/base/error.hpp"

namespace lanewise::terminal {
namespace {

constexpr std::string_view kEnter = "\033[?1049h\033[?25l\033[2J\033[H";
constexpr std::string_view kLeave = "\033[0m\033[?25h\033[?1049l";
constexpr int kEnding[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

// A signal's handler has no other way to the terminal that it must give back.
termios saved;
struct sigaction saved_actions[sizeof kEnding / sizeof kEnding[0]], saved_stop, saved_size;
std::atomic<bool> entered{false};
std::atomic<bool> lost{false};
int woken[2] = {-1, -1};   // a pipe

// Only calls that POSIX allows in a signal's handler.
void put(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
        if (written < 0 && errno != EINTR && errno != EAGAIN) return;
        if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
    }
}

void enter() {
    termios raw = saved;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | IEXTEN);
    raw.c_iflag &= ~static_cast<tcflag_t>(IXON | ICRNL);
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
    put(kEnter);
    entered = true;
}

void leave() {
    if (!entered.exchange(false)) return;
    put(kLeave);
    tcsetattr(STDIN_FILENO, TCSADRAIN, &saved);
}

// Wakes poll(), also one that begins only after the signal: it finds a byte in the pipe.
void wake() {
    const ssize_t written = ::write(woken[1], "", 1);
    (void)written;   // a full pipe wakes as well
}

void on_size(int) {
    const int error = errno;
    wake();
    errno = error;
}

void on_end(int number) {
    leave();
    std::signal(number, SIG_DFL);
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, number);
    sigprocmask(SIG_UNBLOCK, &only, nullptr);
    raise(number);
}

void on_stop(int) {
    const int error = errno;
    leave();
    struct sigaction mine, usual{};
    usual.sa_handler = SIG_DFL;
    sigaction(SIGTSTP, &usual, &mine);
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, SIGTSTP);
    sigprocmask(SIG_UNBLOCK, &only, nullptr);
    raise(SIGTSTP);   // returns when the program continues
    sigaction(SIGTSTP, &mine, nullptr);
    enter();
    lost = true;
    wake();
    errno = error;
}

void install(int number, void (*handler)(int), struct sigaction* before) {
    struct sigaction action{};
    action.sa_handler = handler;
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, before);
}

}  // namespace

void Terminal::require() {
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        throw Error(
            "--interactive needs a terminal for its keys and its screen, and there is none here; leave it out and "
            "--text prints the steps.");
    // Such a one (an editor's, a log's) prints what should move its cursor.
    const char* name = std::getenv("TERM");
    if (!name || !*name || std::string_view(name) == "dumb")
        throw Error(fmt::format("--interactive draws on the whole screen, and a terminal that calls itself '{}' (TERM) "
                                "cannot; leave it out and --text prints the steps.",
                                name ? name : ""));
}

Terminal::Terminal() {
    require();
    if (tcgetattr(STDIN_FILENO, &saved) != 0)
        throw Error(std::string("The terminal does not give its settings: ") + std::strerror(errno) + ".");
    if (pipe2(woken, O_NONBLOCK | O_CLOEXEC) != 0)
        throw Error(
            std::string("No pipe could be opened to learn of the terminal's size: ") + std::strerror(errno) + ".",
            kExitFailed);
    std::size_t i = 0;
    for (const int number : kEnding) install(number, on_end, &saved_actions[i++]);
    install(SIGTSTP, on_stop, &saved_stop);
    install(SIGWINCH, on_size, &saved_size);
    enter();
}

Terminal::~Terminal() {
    leave();
    std::size_t i = 0;
    for (const int number : kEnding) sigaction(number, &saved_actions[i++], nullptr);
    sigaction(SIGTSTP, &saved_stop, nullptr);
    sigaction(SIGWINCH, &saved_size, nullptr);
    for (int& end : woken) {
        close(end);
        end = -1;
    }
}

Terminal::Size Terminal::size() const {
    winsize window{};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_col == 0 || window.ws_row == 0) return {};
    return {window.ws_col, window.ws_row};
}

void Terminal::write(std::string_view bytes) const { put(bytes); }

std::string Terminal::read(float seconds, bool& ended) const {
    pollfd watched[2] = {{STDIN_FILENO, POLLIN, 0}, {woken[0], POLLIN, 0}};
    const int ready = poll(watched, 2, seconds < 0 ? -1 : static_cast<int>(seconds * 1000) + 1);
    if (ready <= 0) return "";
    char bytes[256];
    if (watched[1].revents != 0)
        while (::read(woken[0], bytes, sizeof bytes) > 0) {}
    if (watched[0].revents == 0) return "";
    const ssize_t count = ::read(STDIN_FILENO, bytes, sizeof bytes);
    if (count < 0) return "";
    if (count == 0) ended = true;
    return {bytes, static_cast<std::size_t>(count)};
}

bool Terminal::must_redraw() const { return lost.exchange(false); }

std::size_t columns_of_stdout(std::size_t most) {
    winsize window{};
    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_col == 0) return most;
    return std::clamp<std::size_t>(window.ws_col, std::min<std::size_t>(60, most), most);
}

}  // namespace lanewise::terminal
