#include "common/gpu/gpu_backend.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <set>

#include "common/base/error.hpp"
#include "common/gpu/capture.hpp"
#include "common/gpu/device.hpp"
#include "common/gpu/cuda_error.hpp"
#include "common/gpu/prepared.hpp"
#include "common/trace/lane_events.hpp"

namespace lanewise::gpu {
namespace {

// Room doubles at least, so this many runs reach from the default to the limit.
constexpr int kMaxAttempts = 16;

std::vector<std::uint32_t> blocks_to_record(const std::vector<std::uint32_t>& wanted, const launch::Grid& grid) {
    std::set<std::uint32_t> blocks;
    for (const std::uint32_t block : wanted)
        if (block < grid.count()) blocks.insert(block);
    return {blocks.begin(), blocks.end()};
}

// Switches recording off again, whatever happens in between.
class Attachment {
public:
    Attachment(const Capture& capture, const void* symbol) : symbol_(symbol) { capture.attach(symbol); }
    ~Attachment() { Capture::detach(symbol_); }
    Attachment(const Attachment&) = delete;
    Attachment& operator=(const Attachment&) = delete;

private:
    const void* symbol_;
};

class GpuBackend final : public launch::Backend {
public:
    GpuBackend() : device_(device()) { CUDA_CHECK(cudaFree(nullptr)); }  // starts CUDA now rather than at the first run

    launch::Outcome run(const launch::Plan& plan, const launch::KernelSet& kernels,
                        const launch::Request& request) override {
        const std::lock_guard lock(mutex_);  // the capture variable is one for all
        return request.record ? run_recorded(plan, kernels, request) : run_plain(plan, kernels);
    }

    trace::Source describe() const override {
        return {trace::SourceKind::gpu, device_.name, device_.driver, device_.compute_capability, ""};
    }

private:
    static launch::Outcome run_plain(const launch::Plan& plan, const launch::KernelSet& kernels) {
        PreparedPlan prepared(plan, kernels, launch::Build::gpu_plain);
        for (std::size_t i = 0; i < plan.launches.size(); ++i) {
            prepared.launch(i);
            prepared.finish(i);
        }
        launch::Outcome outcome;
        outcome.buffers = prepared.download();
        return outcome;
    }

    launch::Outcome run_recorded(const launch::Plan& plan, const launch::KernelSet& kernels,
                                 const launch::Request& request) {
        const launch::KernelFile& file = file_of(plan, kernels);
        if (!file.capture_symbol)
            throw Error(
                "The traced GPU build of these kernels is not in this program: build it with CUDA, or record on "
                "the emulator (--backend cpu).");
        std::vector<CaptureRoom> rooms(plan.launches.size());
        for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
            std::optional<launch::Outcome> outcome = attempt_recorded(plan, kernels, file, request, rooms);
            if (outcome) return std::move(*outcome);
        }
        throw Error("The recording outgrew its room again and again: the kernel does something different in each run. "
                    "Record fewer blocks, or run the emulator (--backend cpu).",
                    kExitFailed);
    }

    // The kernel file that all launches of the plan are in: a trace names one.
    static const launch::KernelFile& file_of(const launch::Plan& plan, const launch::KernelSet& kernels) {
        if (plan.launches.empty()) throw Error("There is nothing to record: the plan has no launches.");
        const auto kernel = [&](const launch::LaunchSpec& spec) -> const launch::Kernel& {
            return kernels.find(spec.kernel, spec.arguments);
        };
        const launch::Kernel& first = kernel(plan.launches[0]);
        for (const launch::LaunchSpec& spec : plan.launches)
            if (kernel(spec).file != first.file)
                throw Error(
                    fmt::format("{} is in {} and {} in {}: kernels of one variant must be in one file to be "
                                "recorded.",
                                first.full_name(), first.file, kernel(spec).full_name(), kernel(spec).file));
        if (!first.gpu_traced) throw Error(launch::why_no_gpu_build(first, kernels));
        return kernels.file_of(first);
    }

    // Empty where a launch needed more room than it had; `rooms` has then grown, and the whole plan must run again on
    // fresh buffers.
    std::optional<launch::Outcome> attempt_recorded(const launch::Plan& plan, const launch::KernelSet& kernels,
                                                    const launch::KernelFile& file,
                                                    const launch::Request& request, std::vector<CaptureRoom>& rooms) {
        PreparedPlan prepared(plan, kernels, launch::Build::gpu_traced);
        std::vector<std::vector<CapturedBlock>> captured;
        bool grown = false;
        for (std::size_t i = 0; i < plan.launches.size(); ++i) {
            const launch::LaunchSpec& spec = plan.launches[i];
            rooms[i].grow_to({0, 0, prepared.shared_bytes(i), 0});
            const Capture capture(blocks_to_record(request.blocks, spec.grid), spec.block.count(),
                                  static_cast<std::uint32_t>(device_.reserved_shared_bytes), rooms[i],
                                  watched(plan, prepared));
            const Attachment attached(capture, file.capture_symbol);
            prepared.launch(i);
            prepared.finish(i);
            grown |= rooms[i].grow_to(capture.used());
            if (!grown) captured.push_back(capture.read(static_cast<std::uint32_t>(i)));
        }
        if (grown) return std::nullopt;
        launch::Outcome outcome;
        outcome.buffers = prepared.download();
        outcome.trace = make_trace(plan, file, prepared, captured);
        return outcome;
    }

    // Where the plan's snapshots lie on the GPU.
    static std::vector<prelude::GpuWatched> watched(const launch::Plan& plan, const PreparedPlan& prepared) {
        std::vector<prelude::GpuWatched> parts;
        for (const launch::Plan::Snapshot& snapshot : plan.snapshots) {
            const DeviceRange& buffer = prepared.ranges()[snapshot.buffer];
            parts.push_back({reinterpret_cast<const unsigned char*>(buffer.address), buffer.bytes,
                             snapshot.per_block * static_cast<std::uint64_t>(element_size(buffer.element))});
        }
        return parts;
    }

    trace::Trace make_trace(const launch::Plan& plan, const launch::KernelFile& file, const PreparedPlan& prepared,
                            const std::vector<std::vector<CapturedBlock>>& captured) const {
        trace::Trace result;
        result.header.source = describe();
        result.header.statements = file.statements;
        launch::ArrayNumbering numbering(plan);
        std::set<std::uint32_t> recorded;
        for (std::size_t i = 0; i < plan.launches.size(); ++i) {
            const launch::LaunchSpec& spec = plan.launches[i];
            result.header.launches.push_back({prepared.kernel(i).full_name(),
                                              {spec.grid.x, spec.grid.y, spec.grid.z},
                                              {spec.block.x, spec.block.y, spec.block.z},
                                              spec.block.dynamic_shared_bytes});
            std::vector<launch::SharedArray> reports;
            for (const CapturedBlock& block : captured[i])
                reports.insert(reports.end(), block.shared.begin(), block.shared.end());
            const std::vector<launch::SharedArray> shared =
                numbering.add_launch(std::move(reports), file.shared_names);
            for (const CapturedBlock& block : captured[i]) {
                recorded.insert(block.block);
                trace::assemble(to_block_events(block, prepared.ranges(), plan.snapshots, shared, numbering),
                                result.records);
            }
        }
        result.arrays = numbering.arrays();
        result.header.blocks.assign(recorded.begin(), recorded.end());
        return result;
    }

    Device device_;
    std::mutex mutex_;
};

}  // namespace

std::unique_ptr<launch::Backend> make_gpu_backend() { return std::make_unique<GpuBackend>(); }

}  // namespace lanewise::gpu
