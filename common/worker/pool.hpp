// Where workers come from. A process forked from this program while it was young (no threads, no window, no CUDA) waits
// to be asked for workers, and forks them: they hold the same kernels at the same addresses, and cost a millisecond.
// Re-executing the program instead would start every library of the window again, and kernels would have to be found by
// name.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include <sys/types.h>

#include "common/worker/message.hpp"

namespace lanewise::worker {

// What a worker does, until its socket closes. `argument` is an address in the program as it was when the pool began.
using WorkerMain = void (*)(int socket, const void* argument);

// A worker process. It is killed with this.
class Child {
public:
    Child(Fd socket, Fd output, Fd process, pid_t pid)
        : socket_(std::move(socket)), output_(std::move(output)), process_(std::move(process)), pid_(pid) {}
    Child(Child&&) = default;
    Child& operator=(Child&& other) noexcept;
    ~Child();

    int socket() const { return socket_.get(); }
    int output() const { return output_.get(); }     // reads what it prints
    int process() const { return process_.get(); }   // becomes readable when it ends
    pid_t pid() const { return pid_; }
    void signal(int number) const;
    // The processor time it took so far, in seconds.
    double seconds() const;

private:
    Fd socket_, output_, process_;
    pid_t pid_ = 0;
};

class Pool {
public:
    // Can this build have workers? Not where sanitizers watch the process, and on Linux only; kernels then run in the
    // program itself.
    static bool possible();

    // Forks: call it before the program has threads. `main` is what spare workers do.
    explicit Pool(WorkerMain spare_main);
    ~Pool();
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    // A worker that was waiting; the next one is made meanwhile. Throws Error where there is none to be had.
    Child take();
    // A worker that does something else.
    Child make(WorkerMain main, const void* argument);

private:
    struct Asked {
        Fd socket, output;
    };
    Asked ask(WorkerMain main, const void* argument);
    Child answer(Asked asked);

    WorkerMain spare_main_;
    std::mutex mutex_;
    Fd control_;
    pid_t pid_ = 0;
    std::optional<Asked> spare_;
};

}  // namespace lanewise::worker
