// The stepper through a pseudo-terminal: real keys in, a real screen out, and the terminal given back however it ends.
#include "common/terminal/stepper.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "common/base/error.hpp"
#include "common/terminal/request.testing.hpp"

namespace lanewise::terminal {
namespace {

using testing::request;

// A child that steps through in a terminal of its own.
class Session {
public:
    explicit Session(int columns = 80, int rows = 24, const char* name = "xterm-256color") {
        winsize size{};
        size.ws_col = static_cast<unsigned short>(columns);
        size.ws_row = static_cast<unsigned short>(rows);
        child_ = forkpty(&end_, nullptr, nullptr, &size);
        if (child_ == 0) {
            setenv("TERM", name, 1);
            unsetenv("NO_COLOR");
            try {
                step_through(request());
                _exit(0);
            } catch (const std::exception&) {
                _exit(2);
            }
        }
    }
    ~Session() {
        if (child_ > 0 && !waited_) {
            kill(child_, SIGKILL);
            waitpid(child_, nullptr, 0);
        }
        close(end_);
    }

    void type(const std::string& bytes) {
        EXPECT_EQ(::write(end_, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    }
    void resize(int columns, int rows) {
        winsize size{};
        size.ws_col = static_cast<unsigned short>(columns);
        size.ws_row = static_cast<unsigned short>(rows);
        ioctl(end_, TIOCSWINSZ, &size);   // the kernel sends SIGWINCH
    }
    void signal(int number) { kill(child_, number); }
    // Reads until `text` has come (since the last call), or ten seconds have passed.
    bool comes(const std::string& text) {
        const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
        while (std::chrono::steady_clock::now() < until) {
            if (const std::size_t at = fresh_.find(text); at != std::string::npos) {
                fresh_.erase(0, at + text.size());
                return true;
            }
            pollfd watched{end_, POLLIN, 0};
            if (poll(&watched, 1, 100) <= 0) continue;
            char bytes[4096];
            const ssize_t count = ::read(end_, bytes, sizeof bytes);
            if (count <= 0) return fresh_.find(text) != std::string::npos;
            fresh_.append(bytes, static_cast<std::size_t>(count));
        }
        return false;
    }
    int wait() {
        int status = 0;
        waitpid(child_, &status, 0);
        waited_ = true;
        return status;
    }
    // Does the terminal echo and gather lines, as a shell wants it?
    bool is_usual() const {
        termios now{};
        tcgetattr(end_, &now);
        return (now.c_lflag & ECHO) && (now.c_lflag & ICANON);
    }

private:
    int end_ = -1;
    pid_t child_ = -1;
    bool waited_ = false;
    std::string fresh_;
};

class Interactive : public ::testing::Test {
protected:
    void SetUp() override {
        int end = -1, other = -1;
        if (openpty(&end, &other, nullptr, nullptr, nullptr) != 0)
            GTEST_SKIP() << "there is no pseudo-terminal here (" << std::strerror(errno) << "); mount devpts";
        close(end);
        close(other);
    }
};

constexpr const char* kAlternate = "\033[?1049h";
constexpr const char* kUsual = "\033[?1049l";

TEST_F(Interactive, RealKeysStepAndQGivesTheTerminalBack) {
    Session session;
    ASSERT_TRUE(session.comes(kAlternate));
    EXPECT_TRUE(session.comes("step 1 of 6"));
    EXPECT_FALSE(session.is_usual());
    session.type("\033[C");
    EXPECT_TRUE(session.comes("step 2 of 6"));
    session.type("\033OC\033[B");
    EXPECT_TRUE(session.comes("lane 0 ← lane 8"));
    session.type("\033[F");
    EXPECT_TRUE(session.comes("step 6 of 6"));
    session.type("\033[H");
    EXPECT_TRUE(session.comes("step 1 of 6"));
    session.type("\t");
    EXPECT_TRUE(session.comes("two-level"));
    session.type("\033[Z++ ");   // back, faster twice, play
    EXPECT_TRUE(session.comes("step 3 of 6"));
    session.type("q");
    EXPECT_TRUE(session.comes(kUsual));
    EXPECT_EQ(session.wait(), 0);
    EXPECT_TRUE(session.is_usual());
}

TEST_F(Interactive, ALoneEscEnds) {
    Session session;
    ASSERT_TRUE(session.comes("step 1 of 6"));
    session.type("\033");
    EXPECT_TRUE(session.comes(kUsual));
    EXPECT_EQ(session.wait(), 0);
}

TEST_F(Interactive, ANewSizeIsDrawnAnew) {
    Session session(80, 24);
    ASSERT_TRUE(session.comes("step 1 of 6"));
    session.resize(30, 8);
    EXPECT_TRUE(session.comes("Too small: 30×8"));
    session.resize(120, 40);
    EXPECT_TRUE(session.comes("\033[40;1H"));
    session.type("q");
    EXPECT_EQ((session.comes(kUsual), session.wait()), 0);
}

TEST_F(Interactive, CtrlCAndCrashesGiveTheTerminalBack) {
    {
        Session session;
        ASSERT_TRUE(session.comes("step 1 of 6"));
        session.type("\003");
        EXPECT_TRUE(session.comes(kUsual));
        const int status = session.wait();
        EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
        EXPECT_TRUE(session.is_usual());
    }
    for (const int number : {SIGTERM, SIGHUP, SIGSEGV, SIGABRT}) {
        Session session;
        ASSERT_TRUE(session.comes("step 1 of 6"));
        session.signal(number);
        EXPECT_TRUE(session.comes(kUsual)) << number;
        EXPECT_TRUE(WIFSIGNALED(session.wait())) << number;
        EXPECT_TRUE(session.is_usual()) << number;
    }
}

TEST_F(Interactive, CtrlZGivesTheTerminalBackUntilTheProgramGoesOn) {
    Session session;
    ASSERT_TRUE(session.comes("step 1 of 6"));
    session.signal(SIGTSTP);
    EXPECT_TRUE(session.comes(kUsual));
    session.signal(SIGCONT);
    EXPECT_TRUE(session.comes(kAlternate));
    EXPECT_TRUE(session.comes("step 1 of 6"));
    session.type("q");
    EXPECT_EQ((session.comes(kUsual), session.wait()), 0);
}

TEST_F(Interactive, ATerminalThatCannotMoveItsCursorIsLeftAlone) {
    Session session(80, 24, "dumb");
    const int status = session.wait();
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 2) << status;
}

TEST_F(Interactive, WithoutATerminalItIsASentence) {
    if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)) GTEST_SKIP() << "this test itself runs in a terminal";
    try {
        step_through(request());
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("needs a terminal"), std::string::npos);
        EXPECT_EQ(error.exit_status(), 2);
    }
}

}  // namespace
}  // namespace lanewise::terminal
