#include "common/worker/pool.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio_ext.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/error.hpp"

namespace lanewise::worker {

namespace {

struct Order {
    WorkerMain main;
    const void* argument;
};

int open_process(pid_t pid) { return static_cast<int>(syscall(SYS_pidfd_open, pid, 0)); }

[[noreturn]] void become_worker(const Order& order, int socket, int output) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(output, STDOUT_FILENO);
    if (output != STDOUT_FILENO) close(output);
    std::signal(SIGCHLD, SIG_DFL);
    order.main(socket, order.argument);
    std::fflush(stdout);
    _exit(0);
}

// The process that workers are forked from. It ends with the program, whose end closes the socket.
[[noreturn]] void serve(int control) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    // What the program has yet to print is the program's, and its reader must not wait for this process.
    __fpurge(stdout);
    const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nowhere >= 0) dup2(nowhere, STDIN_FILENO);
    if (nowhere >= 0) dup2(nowhere, STDOUT_FILENO);
    // No process waits for a worker: the pool sees its end by other means, and nothing is left of it.
    std::signal(SIGCHLD, SIG_IGN);
    // An interrupt is the program's to answer; when that ends, so does this.
    std::signal(SIGINT, SIG_IGN);
    std::signal(SIGHUP, SIG_IGN);
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    std::vector<std::byte> bytes;
    std::vector<Fd> fds;
    while (receive_message(control, bytes, &fds)) {
        Order order;
        if (bytes.size() != sizeof order || fds.size() != 2) break;
        std::memcpy(&order, bytes.data(), sizeof order);
        // A worker begins when its process can be watched: one that ended before would be gone without a trace.
        std::array<int, 2> begin{-1, -1};
        if (pipe2(begin.data(), O_CLOEXEC) != 0) break;
        Fd wait(begin[0]);
        Fd go(begin[1]);
        const pid_t pid = fork();
        if (pid == 0) {
            close(control);
            go.reset();
            char none = 0;
            while (read(wait.get(), &none, 1) < 0 && errno == EINTR) {}
            wait.reset();
            become_worker(order, fds[0].release(), fds[1].release());
        }
        const Fd process(pid > 0 ? open_process(pid) : -1);
        fds.clear();
        const std::int64_t answer = process ? pid : -errno;
        go.reset();
        const int fd = process.get();
        if (!send_message(control, std::as_bytes(std::span(&answer, 1)), {&fd, process ? 1u : 0u})) break;
    }
    // Those that are left end as their sockets close; one that does not is killed as this ends.
    for (int tries = 0; tries < 200 && waitpid(-1, nullptr, WNOHANG) == 0; ++tries) usleep(500);
    _exit(0);
}

}  // namespace

Child& Child::operator=(Child&& other) noexcept {
    signal(SIGKILL);
    socket_ = std::move(other.socket_);
    output_ = std::move(other.output_);
    process_ = std::move(other.process_);
    pid_ = other.pid_;
    return *this;
}

Child::~Child() { signal(SIGKILL); }

void Child::signal(int number) const {
    if (process_) syscall(SYS_pidfd_send_signal, process_.get(), number, nullptr, 0);
}

double Child::seconds() const {
    clockid_t clock = 0;
    timespec time{};
    if (clock_getcpuclockid(pid_, &clock) != 0 || clock_gettime(clock, &time) != 0) return 0;
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

bool Pool::possible() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__linux__) || !defined(__x86_64__)
    return false;
#else
    // Linux 5.3; a container may forbid it.
    static const bool works = [] {
        const Fd self(open_process(getpid()));
        return static_cast<bool>(self);
    }();
    return works;
#endif
}

Pool::Pool(WorkerMain spare_main) : spare_main_(spare_main) {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
        throw Error(fmt::format("no process for kernels could be made: {}.", std::strerror(errno)));
    control_.reset(ends[0]);
    Fd theirs(ends[1]);
    pid_ = fork();
    if (pid_ < 0) throw Error(fmt::format("no process for kernels could be made: {}.", std::strerror(errno)));
    if (pid_ == 0) {
        control_.reset();
        serve(theirs.release());
    }
    theirs.reset();
    spare_ = ask(spare_main_, nullptr);
}

Pool::~Pool() {
    control_.reset();
    spare_.reset();
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {}
}

Pool::Asked Pool::ask(WorkerMain main, const void* argument) {
    std::array<int, 2> socket{}, output{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, socket.data()) != 0)
        throw Error(fmt::format("no worker could be made: {}.", std::strerror(errno)));
    Asked asked{Fd(socket[0]), Fd()};
    const Fd their_socket(socket[1]);
    if (pipe2(output.data(), O_CLOEXEC) != 0)
        throw Error(fmt::format("no worker could be made: {}.", std::strerror(errno)));
    asked.output.reset(output[0]);
    const Fd their_output(output[1]);
    const Order order{main, argument};
    const std::array<int, 2> fds{their_socket.get(), their_output.get()};
    if (!send_message(control_.get(), std::as_bytes(std::span(&order, 1)), fds))
        throw Error("The process that makes workers has ended; start the program again.", kExitFailed);
    return asked;
}

Child Pool::answer(Asked asked) {
    std::vector<std::byte> bytes;
    std::vector<Fd> fds;
    std::int64_t pid = 0;
    if (!receive_message(control_.get(), bytes, &fds) || bytes.size() != sizeof pid)
        throw Error("The process that makes workers has ended; start the program again.", kExitFailed);
    std::memcpy(&pid, bytes.data(), sizeof pid);
    if (fds.size() != 1)
        throw Error(fmt::format("no worker could be made: {}.", std::strerror(static_cast<int>(-pid))), kExitFailed);
    return {std::move(asked.socket), std::move(asked.output), std::move(fds[0]), static_cast<pid_t>(pid)};
}

Child Pool::take() {
    const std::lock_guard lock(mutex_);
    Child child = answer(spare_ ? std::move(*spare_) : ask(spare_main_, nullptr));
    spare_.reset();
    spare_ = ask(spare_main_, nullptr);
    return child;
}

Child Pool::make(WorkerMain main, const void* argument) {
    const std::lock_guard lock(mutex_);
    // Answers come in the order of the questions: the spare one's first, which is asked for again.
    if (spare_) {
        Child waiting = answer(std::move(*spare_));
        spare_.reset();
    }
    Child child = answer(ask(main, argument));
    spare_ = ask(spare_main_, nullptr);
    return child;
}

}  // namespace lanewise::worker
