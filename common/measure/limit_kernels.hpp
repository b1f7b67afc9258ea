// The kernels of measure_limit() behind plain functions.
#pragma once

#include <cstdint>

struct CUstream_st;

namespace lanewise::measure {

// What L2 is asked of the lines that a copy touches.
enum class CacheHint {
    none,
    evict_first,   // of those read and those written
    evict_last     // of those read; on GPUs of sm_80 and later, else none
};

// Which shape is fastest depends on the size.
struct LimitShape {
    unsigned threads;         // in a block
    unsigned blocks_per_sm;   // at most; 0: as many blocks as give each thread one turn
    int unroll;               // 1, 2, 4 or 8 loads of 16 bytes in flight
    bool in_chunks = false;   // a block's loads of one turn are neighbours; else they are a whole grid apart
    CacheHint hint = CacheHint::none;   // a read takes none
};

// Reads `bytes` bytes at `in` (aligned to 16) and joins its 32-bit words, little-endian, by xor, the last filled up
// with zeros; `*out` is joined with the result where `guard` shares a bit with a thread's part: ~0 to verify, 0 to
// time. Returns a cudaError_t.
int launch_plain_read(LimitShape shape, unsigned sms, const void* in, std::uint64_t bytes, unsigned guard,
                      unsigned* out, CUstream_st* stream);

// Adds to `*count` how many 32-bit words of the two, the last filled up with zeros, are not the same.
int launch_count_differences(const void* a, const void* b, std::uint64_t bytes, unsigned* count, CUstream_st* stream);

// Launches a kernel that does nothing.
int launch_empty(CUstream_st* stream);

// Copies them to `out` (aligned to 16).
int launch_plain_copy(LimitShape shape, unsigned sms, const void* in, std::uint64_t bytes, void* out,
                      CUstream_st* stream);

}  // namespace lanewise::measure
