// Greedy non-maximum suppression wholly on the device: sort by score, overlaps of all pairs as bits, ordered reduction.
//
//     std::size_t size = 0;
//     nms::Status status = nms::workspace_size(&size, n);
//     cudaMalloc(&workspace, size);
//     status = nms::run(workspace, size, kept, count, flags, boxes, scores, nullptr, n, 0.5f, stream);
//     … cudaMemcpyAsync of *count, *flags and kept, and a synchronization …
//     if (flags_on_host) fail(nms::sentence_of(flags_on_host));
//
// run() puts its work on `stream`; it neither allocates nor synchronizes, and may be captured in a graph. What a box
// is, and what overlap means: ../kernels.cuh. CUDA's `cudaStream_t` is a `CUstream_st*`.
#pragma once

#include <cstddef>

struct CUstream_st;

namespace nms {

// Where several things are wrong, the first in this order is reported, and nothing is launched.
enum class Code : int {
    ok,
    boxes,         // a negative number of boxes, or more than kMostBoxes
    parameter,     // a threshold that is negative, above 1, or NaN
    null_pointer,  // kept, count, flags, boxes or scores
    alignment,     // boxes not at a multiple of 16, another array not of 4
    workspace,     // null, too small, or not at a multiple of 256
    device,        // no GPU, or no code for it
    launch,        // CUDA refused
};

// A sentence says what is wrong, with the value, and what to do.
struct Status {
    Code code = Code::ok;
    char sentence[200] = "";
    explicit operator bool() const { return code == Code::ok; }
};

// The rows removed so far fit in a block's shared memory. The workspace is n^2 / 16 bytes, 40 n and CUB's: 630 MB for
// 100,000 boxes, 63 GB for a million; memory is the limit before this is.
inline constexpr int kMostBoxes = 1 << 20;

// Bytes that run() needs for n boxes.
Status workspace_size(std::size_t* size, int n);

// boxes: (n, 4), x1, y1, x2, y2. scores: (n). classes: (n), or null: boxes of different classes do not suppress each
// other. kept: (n), gets the numbers of the kept boxes in order of score, then -1. count: (1), how many. flags: (1): 0,
// or what sentence_of() says. All on the device.
Status run(void* workspace, std::size_t size, int* kept, int* count, unsigned* flags, const float* boxes,
           const float* scores, const int* classes, int n, float threshold, CUstream_st* stream);

// What *flags means, once it is read; empty for 0.
const char* sentence_of(unsigned flags);

namespace detail {
enum Stage : int { ordered = 1, compared = 2, reduced = 3 };
// As run(), up to a stage: for measuring.
Status run_to(Stage stage, void* workspace, std::size_t size, int* kept, int* count, unsigned* flags,
              const float* boxes, const float* scores, const int* classes, int n, float threshold, CUstream_st* stream);
}  // namespace detail

}  // namespace nms
