#include "common/own/live_file.hpp"

#include "common/compile/live.hpp"

namespace lanewise::own {

namespace {

// The emulator for a file whose kernels are compiled already.
class RunsUntilSaved final : public launch::Backend {
public:
    RunsUntilSaved(std::shared_ptr<compile::WatchedFile> file, std::unique_ptr<launch::Backend> emulator)
        : file_(std::move(file)), emulator_(std::move(emulator)) {}
    launch::Outcome run(const launch::Plan& plan, const launch::KernelSet& kernels,
                        const launch::Request& request) override {
        return compile::run_until_saved(*emulator_, plan, kernels, request, file_->take_up().stop);
    }
    trace::Source describe() const override { return emulator_->describe(); }

private:
    std::shared_ptr<compile::WatchedFile> file_;
    std::unique_ptr<launch::Backend> emulator_;
};

}  // namespace

cli::Program::Live live_file(cli::Program& program, const Asked& asked, std::shared_ptr<OwnFile> first,
                             const compile::Toolchain& tools, std::shared_ptr<worker::Pool> pool) {
    const auto file = std::make_shared<compile::WatchedFile>(asked.file);
    struct State {
        std::uint64_t version = 1;
        std::shared_ptr<OwnFile> own;  // whose library the program's kernels are in
    };
    const auto state = std::make_shared<State>(State{1, std::move(first)});
    program.make_emulator = [file, make = program.make_emulator] {
        return std::make_unique<RunsUntilSaved>(file, make());
    };
    return compile::live_of(file, [=, &program](const compile::WatchedFile::TakenUp& taken_up) {
        if (taken_up.version == state->version) return false;
        auto own = std::make_shared<OwnFile>(open_file(asked, tools, pool, taken_up.stop));
        program.lesson = own->lesson;
        program.kernels = own->kernels;
        state->own = std::move(own);
        state->version = taken_up.version;
        return true;
    });
}

}  // namespace lanewise::own
