#include "common/compile/live_lesson.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/compile/live.hpp"

namespace lanewise::compile {

namespace fs = std::filesystem;

namespace {

// The emulator, with the kernels of a plan taken from a file that is compiled when they are asked for.
class EditedKernels final : public launch::Backend {
public:
    EditedKernels(std::shared_ptr<WatchedFile> file, Toolchain tools, std::shared_ptr<worker::Pool> pool)
        : file_(std::move(file)),
          tools_(std::move(tools)),
          pool_(std::move(pool)),
          emulator_(worker::contained_emulator(pool_, kLimits)) {}

    launch::Outcome run(const launch::Plan& plan, const launch::KernelSet& kernels,
                        const launch::Request& request) override {
        const auto taken_up = file_->take_up();
        if (taken_up.version != version_) compiled_.clear();
        version_ = taken_up.version;
        std::string key;
        BuildRequest build;
        build.file = file_->path();
        for (const auto& launch : plan.launches) {
            const launch::Kernel& kernel = kernels.find(launch.kernel, launch.arguments);
            if (kernel.file != file_->path().filename().string())
                throw Error(fmt::format("{} is in {}, and the copy that you edit is of {}.", kernel.full_name(),
                                        kernel.file, file_->path().filename().string()));
            if (key.find(kernel.full_name() + ";") != key.npos) continue;
            key += kernel.full_name() + ";";
            build.instances.push_back({kernel.name, kernel.arguments, kernel.warp_size, 0});
        }
        auto& compiled = compiled_[key];
        if (!compiled.library) compiled = compile(build, taken_up.stop);
        for (const auto& launch : plan.launches) {
            const auto& kernel = compiled.kernels.find(launch.kernel, launch.arguments);
            if (kernel.parameters.size() != launch.values.size())
                throw Error(fmt::format("{} takes {} arguments now, and the lesson gives it {}: keep its parameters.",
                                        kernel.full_name(), kernel.parameters.size(), launch.values.size()));
        }
        return run_until_saved(*emulator_, plan, compiled.kernels, request, taken_up.stop);
    }

    trace::Source describe() const override { return emulator_->describe(); }

private:
    struct Compiled {
        std::shared_ptr<const Library> library;
        launch::KernelSet kernels;
    };

    Compiled compile(const BuildRequest& build, const std::stop_token& stop) {
        Compiled compiled{build_library(tools_, build, stop), {}};
        const std::string path = compiled.library->path().string();
        auto contents = worker::describe_library(*pool_, path);
        contents.file.file = file_->path().filename().string();
        compiled.kernels.add(contents.file);
        contents.file.build = launch::Build::emulated;
        compiled.kernels.add(contents.file);
        compiled.kernels.set_library(path);
        return compiled;
    }

    std::shared_ptr<WatchedFile> file_;
    Toolchain tools_;
    std::shared_ptr<worker::Pool> pool_;
    std::unique_ptr<launch::Backend> emulator_;
    std::uint64_t version_ = 0;
    std::map<std::string, Compiled> compiled_;  // of this version, by the instances in it
};

}  // namespace

cli::Program::Live live_lesson(cli::Program& program, const fs::path& path, const Toolchain& tools,
                               std::shared_ptr<worker::Pool> pool) {
    const auto file = std::make_shared<WatchedFile>(path);
    program.kernel_folder = file->path().parent_path();
    program.make_emulator = [=] { return std::make_unique<EditedKernels>(file, tools, pool); };
    const auto version = std::make_shared<std::uint64_t>(1);
    return live_of(file, [version](const WatchedFile::TakenUp& taken_up) {
        return std::exchange(*version, taken_up.version) != taken_up.version;
    });
}

fs::path learners_copy(const lesson::Lesson& lesson) {
    const char* named = std::getenv("LANEWISE_HOME");
    const char* home = std::getenv("HOME");
    if (!(named && *named) && !(home && *home))
        throw Error("There is no folder for your copy of the kernels: name one in LANEWISE_HOME.");
    const fs::path folder = (named && *named ? fs::path(named) : fs::path(home) / "lanewise") / lesson.name();
    std::error_code failed;
    fs::create_directories(folder, failed);
    if (failed)
        throw Error(fmt::format("{} cannot be made ({}); LANEWISE_HOME names another folder.", folder.string(),
                                failed.message()));
    for (const auto& entry : fs::directory_iterator(lesson.folder())) {
        const fs::path name = entry.path().filename();
        if (name.extension() != ".cuh" || name.string().starts_with("kernels_sm") || fs::exists(folder / name))
            continue;
        fs::copy_file(entry.path(), folder / name, failed);
        if (failed) throw Error(fmt::format("{} cannot be written ({}).", (folder / name).string(), failed.message()));
        fs::permissions(folder / name, fs::perms::owner_write, fs::perm_options::add, failed);
    }
    return folder / launch::kKernelFile;
}

}  // namespace lanewise::compile
