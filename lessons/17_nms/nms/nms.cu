#include "nms.hpp"

#include <cstdarg>
#include <cstdint>
#include <cstdio>

#include <cuda_runtime.h>
#include <cub/device/device_radix_sort.cuh>

namespace nms {

namespace {

#include "../kernels.cuh"

constexpr int kThreads = 256;
constexpr int kReduceThreads = 1024;

// Keys that sort as the scores do, the boxes' numbers, and whether there is a NaN.
__global__ void prepare(const float4* boxes, const float* scores, unsigned* keys, int* numbers, unsigned* flags,
                        int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    keys[i] = key_of(scores[i]);
    numbers[i] = i;
    if (has_nan(boxes[i], scores[i])) atomicOr(flags, 1u);
}

__global__ void gather(const float4* boxes, const int* order, float4* sorted, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) sorted[i] = boxes[order[i]];
}

Status failed(Code code, const char* format, ...) {
    Status status;
    status.code = code;
    va_list values;
    va_start(values, format);
    std::vsnprintf(status.sentence, sizeof status.sentence, format, values);
    va_end(values);
    return status;
}

bool is_aligned(const void* p, std::size_t to) { return reinterpret_cast<std::uintptr_t>(p) % to == 0; }

// Where the parts of the workspace lie.
struct Parts {
    std::size_t keys, sorted_keys, numbers, order, sorted, diagonal, mask, sort, sort_bytes, all;
};

cudaError_t sort(void* memory, std::size_t& bytes, const unsigned* keys, unsigned* sorted_keys, const int* numbers,
                 int* order, int n, cudaStream_t stream) {
    // Stable: boxes of one score stay in the order of their numbers.
    return cub::DeviceRadixSort::SortPairsDescending(memory, bytes, keys, sorted_keys, numbers, order, n, 0, 32,
                                                     stream);
}

cudaError_t parts_of(Parts& parts, int n) {
    std::size_t at = 0;
    const auto place = [&](std::size_t bytes) {
        const std::size_t here = at;
        at += (bytes + 255) / 256 * 256;
        return here;
    };
    const auto count = static_cast<std::size_t>(n), tiles = (count + 63) / 64;
    parts.keys = place(count * sizeof(unsigned));
    parts.sorted_keys = place(count * sizeof(unsigned));
    parts.numbers = place(count * sizeof(int));
    parts.order = place(count * sizeof(int));
    parts.sorted = place(count * sizeof(float4));
    parts.diagonal = place(count * sizeof(unsigned long long));
    parts.mask = place(tiles * (tiles - 1) / 2 * 64 * sizeof(unsigned long long));
    parts.sort_bytes = 0;
    const cudaError_t error = sort(nullptr, parts.sort_bytes, nullptr, nullptr, nullptr, nullptr, n, nullptr);
    parts.sort = place(parts.sort_bytes);
    parts.all = at;
    return error;
}

Status check_count(int n) {
    if (n < 0 || n > kMostBoxes) return failed(Code::boxes, "There are %d boxes; give 0 to %d.", n, kMostBoxes);
    return {};
}

Status check_pointers(const void* kept, const void* count, const void* flags, const void* boxes, const void* scores,
                      const void* classes, int n) {
    struct Named {
        const char* name;
        const void* pointer;
        std::size_t alignment;
        bool needed;
    };
    const bool some = n > 0;
    const Named all[] = {{"kept", kept, 4, some},    {"count", count, 4, true},   {"flags", flags, 4, true},
                         {"boxes", boxes, 16, some}, {"scores", scores, 4, some}, {"classes", classes, 4, false}};
    for (const Named& one : all)
        if (one.needed && !one.pointer)
            return failed(Code::null_pointer, "%s is null; give a device address.", one.name);
    for (const Named& one : all)
        if (!is_aligned(one.pointer, one.alignment))
            return failed(Code::alignment, "%s is at %p; its address must be a multiple of %zu.", one.name, one.pointer,
                          one.alignment);
    return {};
}

Status refused(Code code, cudaError_t error) {
    cudaGetLastError();  // clears the error, which is reported here
    return failed(code,
                  code == Code::device ? "There is no GPU here, or no code for it: %s." : "CUDA refused a launch: %s.",
                  cudaGetErrorString(error));
}

}  // namespace

Status workspace_size(std::size_t* size, int n) {
    if (Status status = check_count(n); !status) return status;
    if (!size) return failed(Code::null_pointer, "workspace_size() got no place for the size; give its address.");
    *size = 0;
    if (n == 0) return {};
    Parts parts;
    if (const cudaError_t error = parts_of(parts, n); error != cudaSuccess) return refused(Code::device, error);
    *size = parts.all;
    return {};
}

Status detail::run_to(Stage stage, void* workspace, std::size_t size, int* kept, int* count, unsigned* flags,
                      const float* boxes, const float* scores, const int* classes, int n, float threshold,
                      CUstream_st* stream) {
    if (Status status = check_count(n); !status) return status;
    if (!(threshold >= 0 && threshold <= 1))
        return failed(Code::parameter, "The threshold is %g; give 0 to 1.", static_cast<double>(threshold));
    if (Status status = check_pointers(kept, count, flags, boxes, scores, classes, n); !status) return status;
    Parts parts{};
    if (n > 0) {
        // The size is CUB's to say, which asks the device; what can be said without is said first.
        if (!workspace) return failed(Code::workspace, "The workspace is null; give a device address.");
        if (!is_aligned(workspace, 256))
            return failed(Code::workspace, "The workspace is at %p; its address must be a multiple of 256.", workspace);
        if (const cudaError_t error = parts_of(parts, n); error != cudaSuccess) return refused(Code::device, error);
        if (size < parts.all)
            return failed(Code::workspace, "The workspace has %zu bytes and %zu are needed: ask workspace_size().",
                          size, parts.all);
    }
    cudaError_t error = cudaMemsetAsync(flags, 0, sizeof *flags, stream);
    if (n == 0) {
        if (error == cudaSuccess) error = cudaMemsetAsync(count, 0, sizeof *count, stream);
        return error == cudaSuccess ? Status{} : refused(Code::launch, error);
    }
    char* const memory = static_cast<char*>(workspace);
    auto* const keys = reinterpret_cast<unsigned*>(memory + parts.keys);
    auto* const sorted_keys = reinterpret_cast<unsigned*>(memory + parts.sorted_keys);
    auto* const numbers = reinterpret_cast<int*>(memory + parts.numbers);
    auto* const order = reinterpret_cast<int*>(memory + parts.order);
    auto* const sorted = reinterpret_cast<float4*>(memory + parts.sorted);
    auto* const diagonal = reinterpret_cast<unsigned long long*>(memory + parts.diagonal);
    auto* const mask = reinterpret_cast<unsigned long long*>(memory + parts.mask);
    const auto* const corners = reinterpret_cast<const float4*>(boxes);
    const auto blocks = static_cast<unsigned>((n + kThreads - 1) / kThreads);
    const auto tiles = static_cast<unsigned>((n + 63) / 64);

    if (error == cudaSuccess) {
        prepare<<<blocks, kThreads, 0, stream>>>(corners, scores, keys, numbers, flags, n);
        error = cudaGetLastError();
    }
    if (error == cudaSuccess)
        error = sort(memory + parts.sort, parts.sort_bytes, keys, sorted_keys, numbers, order, n, stream);
    if (error == cudaSuccess) {
        gather<<<blocks, kThreads, 0, stream>>>(corners, order, sorted, n);
        error = cudaGetLastError();
    }
    if (error == cudaSuccess && stage >= compared) {
        const dim3 grid((tiles + kThreads / 32 - 1) / (kThreads / 32), tiles);
        if (classes)
            overlap_tiles<kThreads, true>
                <<<grid, kThreads, 0, stream>>>(sorted, order, classes, diagonal, mask, n, threshold);
        else
            overlap_tiles<kThreads, false>
                <<<grid, kThreads, 0, stream>>>(sorted, order, classes, diagonal, mask, n, threshold);
        error = cudaGetLastError();
    }
    if (error == cudaSuccess && stage >= reduced) {
        const unsigned bytes = 2 * tiles * static_cast<unsigned>(sizeof(unsigned));
        if (bytes > 48u << 10)
            error = cudaFuncSetAttribute(keep_tiles<kReduceThreads>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                         static_cast<int>(bytes));
        if (error == cudaSuccess) {
            keep_tiles<kReduceThreads><<<1, kReduceThreads, bytes, stream>>>(diagonal, mask, order, kept, count, n);
            error = cudaGetLastError();
        }
    }
    return error == cudaSuccess ? Status{} : refused(Code::launch, error);
}

Status run(void* workspace, std::size_t size, int* kept, int* count, unsigned* flags, const float* boxes,
           const float* scores, const int* classes, int n, float threshold, CUstream_st* stream) {
    return detail::run_to(detail::reduced, workspace, size, kept, count, flags, boxes, scores, classes, n, threshold,
                          stream);
}

const char* sentence_of(unsigned flags) {
    return flags == 0 ? ""
                      : "A box or a score is not a number, so what was kept is of no use; look for NaN in the inputs.";
}

}  // namespace nms

// For languages that call C: assets/torch_nms.py. 0, or a Code; `sentence`, of `size_of_sentence` bytes, says what is
// wrong.
extern "C" int nms_workspace_size(std::size_t* size, int n) {
    return static_cast<int>(nms::workspace_size(size, n).code);
}

extern "C" int nms_run(void* workspace, std::size_t size, int* kept, int* count, unsigned* flags, const float* boxes,
                       const float* scores, const int* classes, int n, float threshold, void* stream, char* sentence,
                       int size_of_sentence) {
    const nms::Status status = nms::run(workspace, size, kept, count, flags, boxes, scores, classes, n, threshold,
                                        static_cast<CUstream_st*>(stream));
    if (sentence && size_of_sentence > 0)
        std::snprintf(sentence, static_cast<std::size_t>(size_of_sentence), "%s", status.sentence);
    return static_cast<int>(status.code);
}
