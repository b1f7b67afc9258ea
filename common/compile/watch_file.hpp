// Sees a file change, whatever program writes it: in place, by another one renamed to it, or after it was gone.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "common/run/services.hpp"

namespace lanewise::compile {

class WatchedFile {
public:
    // Throws Error where the file cannot be read. Headers next to it count as part of it.
    explicit WatchedFile(std::filesystem::path file);
    ~WatchedFile();
    WatchedFile(const WatchedFile&) = delete;
    WatchedFile& operator=(const WatchedFile&) = delete;

    const std::filesystem::path& path() const { return file_; }
    std::shared_ptr<const run::EditedFile> state() const;
    // `wake` is called after each change of it, from a thread of its own.
    void on_change(std::function<void()> wake);
    // The version to be taken up; the token asks to stop when there is a newer one.
    struct TakenUp {
        std::uint64_t version = 0;
        std::stop_token stop;
    };
    TakenUp take_up();
    // What is wrong with that version; empty: nothing.
    void judge(std::uint64_t version, const std::string& problem, int line);

private:
    void watch(const std::stop_token& stop);
    void look();
    void change(run::EditedFile to, bool is_save);
    std::string headers() const;

    std::filesystem::path file_;
    mutable std::mutex mutex_;
    std::shared_ptr<const run::EditedFile> state_;
    std::chrono::steady_clock::time_point empty_since_{};  // it may be half saved
    std::string headers_;                                  // when those next to it were written
    std::stop_source newer_;
    std::function<void()> wake_;
    int wakes_ = -1;  // an eventfd that ends the waiting
    std::jthread thread_;
};

}  // namespace lanewise::compile
