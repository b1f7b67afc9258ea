#include "common/compile/command.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/worker/message.hpp"
#include "common/worker/watch.hpp"

extern char** environ;

namespace lanewise::compile {
namespace {

using Clock = std::chrono::steady_clock;

// Takes what is there. False when there will be no more.
bool read_some(int fd, std::string& output, std::size_t most) {
    std::array<char, 16384> bytes;
    const ssize_t count = read(fd, bytes.data(), bytes.size());
    if (count < 0) return errno == EINTR || errno == EAGAIN;
    if (count == 0) return false;
    output.append(bytes.data(), std::min(static_cast<std::size_t>(count), most - std::min(most, output.size())));
    return true;
}

// The plain messages of compilers, whatever the learner's language is.
std::vector<std::string> plain_environment(const std::string& temporary_folder) {
    std::vector<std::string> all;
    for (char** entry = environ; *entry; ++entry) {
        const std::string text = *entry;
        if (!text.starts_with("LC_") && !text.starts_with("LANG") && !text.starts_with("GCC_")) all.push_back(text);
    }
    all.emplace_back("LC_ALL=C.UTF-8");
    if (!temporary_folder.empty()) {
        std::erase_if(all, [](const std::string& entry) { return entry.starts_with("TMPDIR="); });
        all.push_back("TMPDIR=" + temporary_folder);
    }
    return all;
}

}  // namespace

CommandResult run_command(const std::vector<std::string>& arguments, const std::stop_token& stop,
                          const CommandLimits& limits) {
    CommandResult result;
    std::array<int, 2> ends{-1, -1};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
        result.end = CommandResult::End::not_found;
        return result;
    }
    const worker::Fd output(ends[0]);
    worker::Fd theirs(ends[1]);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, theirs.get(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, theirs.get(), STDERR_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);  // so that all of it can be ended
    std::vector<char*> argv, envp;
    for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    const std::vector<std::string> environment = plain_environment(limits.temporary_folder);
    for (const std::string& entry : environment) envp.push_back(const_cast<char*>(entry.c_str()));
    envp.push_back(nullptr);
    pid_t pid = 0;
    const int failed = posix_spawnp(&pid, argv[0], &actions, &attributes, argv.data(), envp.data());
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    theirs.reset();
    if (failed != 0) {
        result.end = CommandResult::End::not_found;
        return result;
    }
    const rlimit memory{limits.memory, limits.memory};
    prlimit(pid, RLIMIT_AS, &memory, nullptr);
    const worker::StopEvent stopped(stop);
    const auto until =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limits.seconds));
    for (bool more = true; more;) {
        std::array<pollfd, 2> fds{{{output.get(), POLLIN, 0}, {stopped.fd(), POLLIN, 0}}};
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
        const int ready = left > 0 ? poll(fds.data(), fds.size(), static_cast<int>(left)) : 0;
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) result.end = CommandResult::End::too_long;
        else if (fds[1].revents) result.end = CommandResult::End::stopped;
        else more = read_some(output.get(), result.output, limits.output);
        if (result.end != CommandResult::End::exited) break;
    }
    if (result.end != CommandResult::End::exited) kill(-pid, SIGKILL);
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    // posix_spawnp of a name that is no program may only show in the child.
    if (result.end == CommandResult::End::exited && result.status == 127 && result.output.empty())
        result.end = CommandResult::End::not_found;
    return result;
}

}  // namespace lanewise::compile
