#include "common/compile/live.hpp"

#include <filesystem>
#include <utility>

#include "common/base/error.hpp"
#include "common/compile/build.hpp"

namespace lanewise::compile {

namespace fs = std::filesystem;

cli::Program::Live live_of(const std::shared_ptr<WatchedFile>& file,
                           std::function<bool(const WatchedFile::TakenUp&)> prepare) {
    cli::Program::Live live;
    live.state = [file] { return file->state(); };
    live.wake = [file](std::function<void()> wake) { file->on_change(std::move(wake)); };
    live.run = [file, prepare = std::move(prepare)](const std::function<void()>& forget,
                                                    const std::function<std::shared_ptr<const run::Run>()>& run) {
        for (;;) {
            const auto taken_up = file->take_up();
            try {
                if (prepare(taken_up)) forget();
                auto result = run();
                file->judge(taken_up.version, "", 0);
                return result;
            } catch (const Stopped&) {
                continue;  // there is a newer one
            } catch (const CompileError& error) {
                const Message& first = error.messages().front();
                const bool here = fs::path(first.file).filename() == file->path().filename();
                file->judge(taken_up.version, here && first.line > 0 ? first.sentence : error.what(),
                            here ? first.line : 0);
                throw;
            } catch (const Error& error) {
                file->judge(taken_up.version, error.what(), 0);
                throw;
            }
        }
    };
    return live;
}

launch::Outcome run_until_saved(launch::Backend& emulator, const launch::Plan& plan, const launch::KernelSet& kernels,
                                const launch::Request& request, const std::stop_token& saved) {
    std::stop_source either;
    const auto stop = [&either] { either.request_stop(); };
    const std::stop_callback by_request(request.stop, stop);
    const std::stop_callback by_save(saved, stop);
    launch::Request stoppable = request;
    stoppable.stop = either.get_token();
    launch::Outcome outcome = emulator.run(plan, kernels, stoppable);
    if (saved.stop_requested()) throw Stopped();
    return outcome;
}

}  // namespace lanewise::compile
