#include "common/compile/watch_file.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "common/base/error.hpp"
#include "common/compile/kernel_file.hpp"
#include "common/worker/message.hpp"

namespace lanewise::compile {

namespace fs = std::filesystem;

namespace {

constexpr int kLookEvery = 500;                              // ms: where a file system reports nothing
constexpr auto kHalfSaved = std::chrono::milliseconds(300);  // an editor empties a file before it writes
constexpr int kQuiet = 8;                                    // ms: an editor that removes and renames does both

}  // namespace

WatchedFile::WatchedFile(fs::path file) : file_(fs::absolute(std::move(file)).lexically_normal()) {
    state_ = std::make_shared<const run::EditedFile>(
        run::EditedFile{1, file_.filename().string(), read_kernel_file(file_), {}, 0});
    headers_ = headers();
    wakes_ = eventfd(0, EFD_CLOEXEC);
    thread_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
}

WatchedFile::~WatchedFile() {
    thread_.request_stop();
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(wakes_, &one, sizeof one);
    thread_.join();
    close(wakes_);
}

std::shared_ptr<const run::EditedFile> WatchedFile::state() const {
    const std::lock_guard lock(mutex_);
    return state_;
}

void WatchedFile::on_change(std::function<void()> wake) {
    const std::lock_guard lock(mutex_);
    wake_ = std::move(wake);
}

WatchedFile::TakenUp WatchedFile::take_up() {
    const std::lock_guard lock(mutex_);
    newer_ = std::stop_source();
    return {state_->version, newer_.get_token()};
}

void WatchedFile::judge(std::uint64_t version, const std::string& problem, int line) {
    run::EditedFile to;
    {
        const std::lock_guard lock(mutex_);
        if (state_->version != version || (state_->problem == problem && state_->line == line)) return;
        to = *state_;
    }
    to.problem = problem;
    to.line = line;
    change(std::move(to), false);
}

void WatchedFile::change(run::EditedFile to, bool is_save) {
    std::function<void()> wake;
    {
        const std::lock_guard lock(mutex_);
        if (is_save) to.version = state_->version + 1;
        else if (to.version != state_->version) return;
        state_ = std::make_shared<const run::EditedFile>(std::move(to));
        if (is_save) newer_.request_stop();
        wake = wake_;
    }
    if (wake) wake();
}

// When the headers next to the file were written.
std::string WatchedFile::headers() const {
    std::vector<std::string> all;
    std::error_code failed;
    for (const auto& entry : fs::directory_iterator(file_.parent_path(), failed)) {
        const std::string ending = entry.path().extension().string();
        if (ending != ".cuh" && ending != ".h" && ending != ".hpp" && ending != ".inl") continue;
        std::error_code none;
        all.push_back(fmt::format("{} {} {};", entry.path().filename().string(), fs::file_size(entry.path(), none),
                                  fs::last_write_time(entry.path(), none).time_since_epoch().count()));
    }
    std::sort(all.begin(), all.end());
    std::string text;
    for (const std::string& one : all) text += one;
    return text;
}

void WatchedFile::look() {
    const auto now = state();
    run::EditedFile to = *now;
    try {
        to.text = read_kernel_file(file_);
    } catch (const Error&) {
        std::error_code none;
        const std::string problem =
            fs::exists(file_, none)
                ? fmt::format("{} cannot be read any more; what is shown is as it was saved last.", now->file)
                : fmt::format("{} is gone; what is shown is as it was saved last. Save it again to go on.", now->file);
        if (now->problem == problem) return;
        to.problem = problem;
        to.line = 0;
        return change(std::move(to), false);
    }
    const auto time = std::chrono::steady_clock::now();
    if (!to.text.empty()) empty_since_ = {};
    else if (empty_since_ == std::chrono::steady_clock::time_point{}) empty_since_ = time;
    if (to.text.empty() && time - empty_since_ < kHalfSaved) return;
    std::string beside = headers();
    const bool gone = now->line == 0 && now->problem.find(" is gone; ") != std::string::npos;
    if (to.text == now->text && beside == headers_ && !gone) return;
    headers_ = std::move(beside);
    to.problem.clear();
    to.line = 0;
    change(std::move(to), true);
}

void WatchedFile::watch(const std::stop_token& stop) {
    const worker::Fd notify(inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
    if (notify)
        inotify_add_watch(notify.get(), file_.parent_path().c_str(),
                          IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE);
    const auto wait = [&](int milliseconds) {
        std::array<pollfd, 2> fds{{{notify.get(), POLLIN, 0}, {wakes_, POLLIN, 0}}};
        poll(fds.data(), fds.size(), milliseconds);
        std::array<char, 4096> events;
        const bool any = notify && read(notify.get(), events.data(), events.size()) > 0;
        return any;
    };
    while (!stop.stop_requested()) {
        if (wait(kLookEvery))
            while (!stop.stop_requested() && wait(kQuiet)) {
            }
        if (stop.stop_requested()) return;
        look();
    }
}

}  // namespace lanewise::compile
