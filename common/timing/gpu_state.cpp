#include "common/timing/gpu_state.hpp"

#include <dlfcn.h>

#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lanewise::timing {
namespace {

constexpr const char* kLibrary = "libnvidia-ml.so.1";

// What is used of NVML's interface, which keeps these from version to version (NVML API Reference: "Device Queries").
using Device = void*;
enum Status : int { kSuccess = 0, kInsufficientSize = 7 };
enum Clock : int { kSm = 1, kMemory = 2 };
enum Sensor : int { kGpuDie = 0 };

}  // namespace

struct GpuWatch::Library {
    void* handle = nullptr;
    Device device = nullptr;
    bool started = false;
    int (*shut_down)() = nullptr;
    int (*clock)(Device, int which, unsigned* mhz) = nullptr;
    int (*temperature)(Device, int sensor, unsigned* celsius) = nullptr;
    // Asked with room for none, it says how many there are; what it would write of each is not needed.
    int (*processes)(Device, unsigned* count, void* none) = nullptr;

    ~Library() {
        if (started && shut_down) shut_down();
        if (handle) dlclose(handle);
    }

    template <class F>
    bool find(F& function, const char* name) {
        function = reinterpret_cast<F>(dlsym(handle, name));
        return function != nullptr;
    }

    // Empty, or why the library cannot be used.
    std::string open(const std::string& pci_address) {
        handle = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
        if (!handle) return fmt::format("{} is not on this machine", kLibrary);
        int (*start)() = nullptr;
        int (*by_address)(const char*, Device*) = nullptr;
        if (!find(start, "nvmlInit_v2") || !find(shut_down, "nvmlShutdown") ||
            !find(by_address, "nvmlDeviceGetHandleByPciBusId_v2") || !find(clock, "nvmlDeviceGetClockInfo") ||
            !find(temperature, "nvmlDeviceGetTemperature"))
            return fmt::format("{} lacks a function that is needed", kLibrary);
        if (!find(processes, "nvmlDeviceGetComputeRunningProcesses_v3"))
            find(processes, "nvmlDeviceGetComputeRunningProcesses_v2");
        if (const int status = start(); status != kSuccess)
            return fmt::format("{} does not start (status {})", kLibrary, status);
        started = true;
        if (const int status = by_address(pci_address.c_str(), &device); status != kSuccess)
            return fmt::format("{} does not know the GPU at {} (status {})", kLibrary, pci_address, status);
        return {};
    }
};

GpuWatch::GpuWatch(const std::string& pci_address) : library_(std::make_unique<Library>()) {
    why_not_ = library_->open(pci_address);
}

GpuWatch::~GpuWatch() = default;

GpuState GpuWatch::read() const {
    GpuState state;
    state.why_not = why_not_;
    if (!why_not_.empty()) return state;
    unsigned value = 0;
    if (library_->clock(library_->device, kSm, &value) == kSuccess) state.sm_mhz = static_cast<int>(value);
    if (library_->clock(library_->device, kMemory, &value) == kSuccess) state.memory_mhz = static_cast<int>(value);
    if (library_->temperature(library_->device, kGpuDie, &value) == kSuccess)
        state.temperature_c = static_cast<int>(value);
    unsigned count = 0;
    const int status = library_->processes ? library_->processes(library_->device, &count, nullptr) : -1;
    // This process is one of them. Where none is listed, this one is not either: the list is hidden from a container.
    if ((status == kSuccess || status == kInsufficientSize) && count > 0)
        state.other_processes = static_cast<int>(count) - 1;
    if (!state.known()) state.why_not = fmt::format("{} reports nothing on this GPU", kLibrary);
    return state;
}

std::string state_text(const GpuState& state) {
    if (!state.known()) return state.why_not.empty() ? "unknown" : "unknown: " + state.why_not;
    std::vector<std::string> parts;
    if (state.sm_mhz >= 0) parts.push_back(fmt::format("SM {} MHz", state.sm_mhz));
    if (state.memory_mhz >= 0) parts.push_back(fmt::format("memory {} MHz", state.memory_mhz));
    if (state.temperature_c >= 0) parts.push_back(fmt::format("{} °C", state.temperature_c));
    parts.push_back(state.other_processes < 0    ? "other processes unknown"
                    : state.other_processes == 0 ? "no other process"
                    : state.other_processes == 1 ? "1 other process"
                                                 : fmt::format("{} other processes", state.other_processes));
    return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace lanewise::timing
