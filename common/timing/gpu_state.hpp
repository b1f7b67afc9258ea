// A GPU's clocks, temperature and other users, as the driver's management library (NVML) reports them. The library is
// looked for when it is needed: without it, or without an answer from it, a GpuState says so.
#pragma once

#include <memory>
#include <string>

#include "common/timing/timing.hpp"

namespace lanewise::timing {

class GpuWatch {
public:
    // Of the GPU at this PCI address ("0000:1b:00.0"). Never throws.
    explicit GpuWatch(const std::string& pci_address);
    ~GpuWatch();
    GpuWatch(const GpuWatch&) = delete;
    GpuWatch& operator=(const GpuWatch&) = delete;

    GpuState read() const;

private:
    struct Library;
    std::unique_ptr<Library> library_;
    std::string why_not_;
};

// One line: "SM 1980 MHz, memory 3201 MHz, 41 °C, no other process"; what is unknown is left out or said.
std::string state_text(const GpuState& state);

}  // namespace lanewise::timing
