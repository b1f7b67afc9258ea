#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/gpu/buffer.hpp"
#include "common/gpu/cuda_error.hpp"
#include "common/gpu/event.hpp"
#include "common/gpu/graph.hpp"
#include "common/gpu/stream.hpp"

namespace lanewise::gpu {

void destroy_stream(CUstream_st* stream) noexcept { CUDA_CHECK_NOTHROW(cudaStreamDestroy(stream)); }
void destroy_event(CUevent_st* event) noexcept { CUDA_CHECK_NOTHROW(cudaEventDestroy(event)); }
void destroy_graph(CUgraphExec_st* graph) noexcept { CUDA_CHECK_NOTHROW(cudaGraphExecDestroy(graph)); }
void free_memory(void* memory) noexcept { CUDA_CHECK_NOTHROW(cudaFree(memory)); }

Stream::Stream() {
    cudaStream_t raw = nullptr;
    CUDA_CHECK(cudaStreamCreateWithFlags(&raw, cudaStreamNonBlocking));
    handle_ = Handle<CUstream_st*, destroy_stream>(raw);
}

void Stream::synchronize() const { CUDA_CHECK(cudaStreamSynchronize(get())); }

Event::Event() {
    cudaEvent_t raw = nullptr;
    CUDA_CHECK(cudaEventCreate(&raw));
    handle_ = Handle<CUevent_st*, destroy_event>(raw);
}

void Event::record(const Stream& stream) { CUDA_CHECK(cudaEventRecord(get(), stream.get())); }
void Event::synchronize() const { CUDA_CHECK(cudaEventSynchronize(get())); }

double Event::microseconds_since(const Event& start) const {
    float milliseconds = 0;
    CUDA_CHECK(cudaEventElapsedTime(&milliseconds, start.get(), get()));
    return double{milliseconds} * 1e3;
}

Graph::Graph(const Stream& stream, const std::function<void()>& work) {
    // Relaxed: other threads may continue allocating while this one records.
    CUDA_CHECK(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeRelaxed));
    cudaGraph_t graph = nullptr;
    try {
        work();
    } catch (...) {
        // Ends the recording so that the stream can be used again; what went wrong is what `work` threw.
        (void)cudaStreamEndCapture(stream.get(), &graph);
        if (graph) CUDA_CHECK_NOTHROW(cudaGraphDestroy(graph));
        (void)cudaGetLastError();
        throw;
    }
    CUDA_CHECK(cudaStreamEndCapture(stream.get(), &graph));
    cudaGraphExec_t raw = nullptr;
    const cudaError_t status = cudaGraphInstantiateWithFlags(&raw, graph, 0);
    CUDA_CHECK_NOTHROW(cudaGraphDestroy(graph));
    check(status, "cudaGraphInstantiateWithFlags", Site::current());
    handle_ = Handle<CUgraphExec_st*, destroy_graph>(raw);
}

void Graph::launch(const Stream& stream) const { CUDA_CHECK(cudaGraphLaunch(handle_.get(), stream.get())); }

Buffer::Buffer(std::size_t bytes) : bytes_(bytes) {
    void* raw = nullptr;
    const cudaError_t status = cudaMalloc(&raw, bytes > 0 ? bytes : 1);
    if (status == cudaErrorMemoryAllocation) {
        (void)cudaGetLastError();
        std::size_t free_bytes = 0, all_bytes = 0;
        CUDA_CHECK(cudaMemGetInfo(&free_bytes, &all_bytes));
        throw Error(fmt::format("The GPU has no room for a buffer of {} MiB ({} MiB are free): choose a smaller --n.",
                                bytes >> 20, free_bytes >> 20));
    }
    check(status, "cudaMalloc", Site::current());
    handle_ = Handle<void*, free_memory>(raw);
}

void Buffer::upload(std::span<const std::byte> contents) {
    if (contents.size() > bytes_)
        throw Error(fmt::format("{} bytes do not fit into a buffer of {}.", contents.size(), bytes_));
    if (!contents.empty()) CUDA_CHECK(cudaMemcpy(data(), contents.data(), contents.size(), cudaMemcpyHostToDevice));
}

void Buffer::fill(int byte, CUstream_st* stream) {
    if (bytes_ > 0) CUDA_CHECK(cudaMemsetAsync(data(), byte, bytes_, stream));
}

void Buffer::download(std::size_t offset, std::span<std::byte> into) const {
    if (offset > bytes_ || into.size() > bytes_ - offset)
        throw Error(fmt::format("{} bytes from {} on do not lie in a buffer of {}.", into.size(), offset, bytes_));
    if (!into.empty())
        CUDA_CHECK(cudaMemcpy(into.data(), as<std::byte>() + offset, into.size(), cudaMemcpyDeviceToHost));
}

std::vector<std::byte> Buffer::download() const {
    std::vector<std::byte> contents(bytes_);
    download(0, contents);
    return contents;
}

}  // namespace lanewise::gpu
