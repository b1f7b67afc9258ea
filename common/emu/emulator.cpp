#include "common/emu/emulator.hpp"

#include "common/emu/execute.hpp"
#include "common/emu/recording.hpp"

namespace lanewise::emu {

namespace {

class Emulator : public launch::Backend {
public:
    launch::Outcome run(const launch::Plan& plan, const launch::KernelSet& kernels,
                        const launch::Request& request) override {
        const std::vector<Runnable> runnable = check_launches(plan, kernels, request);
        RunMemory memory(plan, request.record, false);
        execute(plan, runnable, request, memory);
        return collect(plan, kernels, request, memory, lines_);
    }

    trace::Source describe() const override { return {}; }

private:
    SourceLines lines_;
};

}  // namespace

std::unique_ptr<launch::Backend> make_emulator() { return std::make_unique<Emulator>(); }

}  // namespace lanewise::emu
