#include "common/emu/emulator.hpp"

#include <set>

#include "common/emu/execute.hpp"
#include "common/emu/program_objects.hpp"
#include "common/emu/recording.hpp"
#include "common/emu/stacks.hpp"

namespace lanewise::emu {

namespace {

// Gives the variables of the kernel files what they hold when a program starts.
void reset_variables(const std::vector<Runnable>& kernels) {
    std::set<std::shared_ptr<const ProgramObjects>> seen;
    for (const Runnable& kernel : kernels) seen.insert(ProgramObjects::of(reinterpret_cast<const void*>(kernel.body)));
    for (const auto& objects : seen) objects->reset();
}

class Emulator : public launch::Backend {
public:
    explicit Emulator(MakeChecker make_checker) : make_checker_(std::move(make_checker)) {}

    launch::Outcome run(const launch::Plan& plan, const launch::KernelSet& kernels,
                        const launch::Request& request) override {
        const std::vector<Runnable> runnable = check_launches(plan, kernels, request);
        RunMemory memory(plan, RunMemory::kind_of(request), false);
        reset_variables(runnable);
        execute(plan, runnable, request, memory, make_checker_, nullptr, &spare_stacks_);
        return collect(plan, kernels, request, memory, lines_);
    }

    trace::Source describe() const override { return {}; }

private:
    MakeChecker make_checker_;
    SourceLines lines_;
    SpareStacks spare_stacks_;
};

}  // namespace

std::unique_ptr<launch::Backend> make_emulator(MakeChecker make_checker) {
    return std::make_unique<Emulator>(std::move(make_checker));
}

}  // namespace lanewise::emu
