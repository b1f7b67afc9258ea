// Which GPU there is, or why there is none. Includable without CUDA.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace lanewise::gpu {

struct Device {
    std::string name;                // "NVIDIA H200"
    std::string driver;              // the CUDA version the driver knows, "13.0"
    std::string compute_capability;  // "9.0"
    int multiprocessors = 0;
    int threads_per_multiprocessor = 0;
    int max_threads_per_block = 0;
    std::size_t shared_bytes_per_block = 0;        // without asking for more
    std::size_t shared_bytes_per_block_optin = 0;  // at most
    std::size_t reserved_shared_bytes = 0;         // where a block's own shared memory begins
    std::size_t l2_bytes = 0;
    int memory_gb_per_s = 0;  // at its highest clock; 0 where the driver does not say
};

// Can kernels run here? When not, `why` becomes a sentence with the way out. Never throws for a missing GPU.
bool available(std::string* why = nullptr);

// The first GPU. Throws Error with available()'s sentence where there is none.
Device device();

// Of the first GPU: 90 for compute capability 9.0. Cheaper than device(). Throws Error as that does.
std::uint32_t architecture();

// A CUDA version number as text: 13000 is "13.0".
std::string version_text(int version);

}  // namespace lanewise::gpu
