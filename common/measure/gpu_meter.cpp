// The meter that is a GPU.
#include <cuda_runtime_api.h>

#include <array>

#include "common/gpu/device.hpp"
#include "common/gpu/cuda_error.hpp"
#include "common/timing/gpu_state.hpp"
#include "common/measure/meter.hpp"
#include "common/measure/sampler.hpp"

namespace lanewise::measure {

using timing::Timing;
using timing::TimingTable;

namespace {

class GpuMeter final : public Meter {
public:
    explicit GpuMeter(const launch::KernelSet& kernels)
        : kernels_(kernels), device_(gpu::device()), watch_(pci_address()) {
        CUDA_CHECK(cudaFree(nullptr));  // starts CUDA, so that this process is among those the driver counts
    }

    TimingTable machine() const override {
        TimingTable table;
        table.gpu = device_.name;
        table.driver = device_.driver;
        return table;
    }
    timing::GpuState state() const override { return watch_.read(); }
    std::uint64_t free_bytes() const override {
        std::size_t free = 0, all = 0;
        CUDA_CHECK(cudaMemGetInfo(&free, &all));
        return free;
    }
    Timing measure(const launch::Plan& plan, const MeasureOptions& options) override {
        return measure::measure(plan, kernels_, options);
    }
    Timing measure_baseline(const std::string& name, const launch::Plan& plan, std::uint64_t n,
                            const MeasureOptions& options) override {
        return measure::measure_baseline(name, plan, n, options);
    }
    Timing measure_limit(const std::string& name, const launch::Plan& plan, const MeasureOptions& options) override {
        return measure::measure_limit(name, plan, options);
    }

private:
    const launch::KernelSet& kernels_;
    gpu::Device device_;
    timing::GpuWatch watch_;
};

}  // namespace

std::string pci_address() {
    std::array<char, 32> text{};
    CUDA_CHECK(cudaDeviceGetPCIBusId(text.data(), static_cast<int>(text.size()), 0));
    return text.data();
}

std::unique_ptr<Meter> make_gpu_meter(const launch::KernelSet& kernels) {
    require_gpu();
    return std::make_unique<GpuMeter>(kernels);
}

}  // namespace lanewise::measure
