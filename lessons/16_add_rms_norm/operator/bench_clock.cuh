// What benchmarks of memory-bound kernels need: a clock, memory that is not in L2, and a copy to compare with. Included
// within a namespace, after CUDA's headers and kernels.

void require(cudaError_t error, const char* what) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    std::exit(2);
}

struct Times {
    double median = 0, low = 0, high = 0;  // us a launch
};

double at_fraction(const std::vector<double>& sorted, double fraction) {
    const double place = fraction * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (sorted[above] - sorted[below]) * (place - static_cast<double>(below));
}

class Clock {
public:
    Clock() {
        require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
        require(cudaEventCreate(&begin_), "event");
        require(cudaEventCreate(&end_), "event");
    }
    // `launch(i)` puts launch number i on the stream.
    using Launch = std::function<void(int, cudaStream_t)>;
    Times time(const Launch& launch) { return time(launch, 600, 60); }
    // To choose among many.
    Times time_roughly(const Launch& launch) { return time(launch, 300, 11); }

private:
    Times time(const Launch& launch, double us, int samples) {
        const double once = replay(launch, 5, 3).median;
        const int count = std::clamp(static_cast<int>(us / std::max(once, 0.1)), 5, 500);
        return replay(launch, count, once > us ? samples / 2 : samples);
    }
    Times replay(const Launch& launch, int count, int samples) {
        cudaGraph_t graph;
        cudaGraphExec_t ready;
        require(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "capture");
        for (int i = 0; i < count; ++i) launch(i, stream_);
        require(cudaStreamEndCapture(stream_, &graph), "capture");
        require(cudaGraphInstantiate(&ready, graph, 0), "graph");
        for (int i = 0; i < 3; ++i) require(cudaGraphLaunch(ready, stream_), "launch");
        std::vector<double> times;
        for (int i = 0; i < samples; ++i) {
            require(cudaEventRecord(begin_, stream_), "record");
            require(cudaGraphLaunch(ready, stream_), "launch");
            require(cudaEventRecord(end_, stream_), "record");
            require(cudaEventSynchronize(end_), "synchronize");
            float ms = 0;
            require(cudaEventElapsedTime(&ms, begin_, end_), "time");
            times.push_back(static_cast<double>(ms) * 1e3 / count);
        }
        cudaGraphExecDestroy(ready);
        cudaGraphDestroy(graph);
        std::sort(times.begin(), times.end());
        return {at_fraction(times, 0.5), at_fraction(times, 0.05), at_fraction(times, 0.95)};
    }
    cudaStream_t stream_;
    cudaEvent_t begin_, end_;
};

template <int kUnroll>
__global__ void __launch_bounds__(1024) copy_kernel(const uint4* in, uint4* out, long long packs) {
    const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
    long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
    for (; i + (kUnroll - 1) * stride < packs; i += kUnroll * stride) {
        uint4 held[kUnroll];
#pragma unroll
        for (int k = 0; k < kUnroll; ++k) held[k] = __ldcs(in + i + k * stride);
#pragma unroll
        for (int k = 0; k < kUnroll; ++k) out[i + k * stride] = held[k];
    }
    for (; i < packs; i += stride) out[i] = __ldcs(in + i);
}

// A block's loads are neighbours. evict_last: L2 is asked to evict what is read last.
template <int kPacks>
__global__ void __launch_bounds__(512) copy_in_chunks(const uint4* in, uint4* out, long long packs, bool evict_last) {
    const unsigned long long policy = eviction(evict_last);
    const long long first = static_cast<long long>(blockIdx.x) * blockDim.x * kPacks + threadIdx.x;
    Pack<unsigned> held[kPacks];
#pragma unroll
    for (int k = 0; k < kPacks; ++k) {
        const long long i = first + k * static_cast<long long>(blockDim.x);
        if (i < packs) held[k] = load_hinted<false>(reinterpret_cast<const unsigned*>(in + i), 0, policy);
    }
#pragma unroll
    for (int k = 0; k < kPacks; ++k) {
        const long long i = first + k * static_cast<long long>(blockDim.x);
        if (i < packs) store(reinterpret_cast<unsigned*>(out + i), 0, held[k]);
    }
}

__global__ void fill(unsigned short* out, long long count) {
    for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
         i += static_cast<long long>(gridDim.x) * blockDim.x)
        out[i] =
            static_cast<unsigned short>(0x3c00 + (i * 2654435761u >> 16) % 512);  // about 1 as f16; finite in all types
}

// Memory for four tensors, in as many places as it takes for none to be in L2.
class Places {
public:
    Places(std::size_t tensor_bytes, bool warm) : bytes_((tensor_bytes + 255) / 256 * 256) {
        constexpr std::size_t kSpread = std::size_t{240} << 20;
        count_ = warm ? 1 : static_cast<int>(std::clamp<std::size_t>((kSpread + 4 * bytes_ - 1) / (4 * bytes_), 1, 64));
        require(cudaMalloc(&memory_, 4 * bytes_ * static_cast<std::size_t>(count_)), "memory for the tensors");
        fill<<<1024, 256>>>(reinterpret_cast<unsigned short*>(memory_), static_cast<long long>(2 * bytes_) * count_);
        require(cudaDeviceSynchronize(), "fill");
    }
    ~Places() { cudaFree(memory_); }
    Places(const Places&) = delete;
    Places& operator=(const Places&) = delete;
    // Tensor 0 to 3 of launch i: y, residual_out, a, b.
    void* at(int i, int tensor) const {
        return memory_ + bytes_ * (4 * static_cast<std::size_t>(i % count_) + static_cast<std::size_t>(tensor));
    }
    std::size_t bytes() const { return bytes_; }

private:
    std::size_t bytes_;
    int count_ = 1;
    char* memory_ = nullptr;
};

// The fastest of some shapes of a copy that reads 2 and writes 2 tensors' bytes.
Times time_copy(Clock& clock, const Places& places, int processors) {
    const long long packs = static_cast<long long>(places.bytes() / 8);  // two tensors
    Clock::Launch best;
    double shortest = 0;
    const auto take_if_faster = [&](const Clock::Launch& launch) {
        const double us = clock.time_roughly(launch).median;
        if (best && us >= shortest) return;
        best = launch;
        shortest = us;
    };
    for (const bool evict_last : {false, true}) {
        for (const int threads : {128, 512}) {
            const int each = threads == 128 ? 1 : 2;
            const auto grid = static_cast<unsigned>((packs + threads * each - 1) / (threads * each));
            take_if_faster([=, &places](int i, cudaStream_t stream) {
                const auto* in = static_cast<const uint4*>(places.at(i, 2));
                auto* out = static_cast<uint4*>(places.at(i, 0));
                if (each == 1) copy_in_chunks<1><<<grid, threads, 0, stream>>>(in, out, packs, evict_last);
                else copy_in_chunks<2><<<grid, threads, 0, stream>>>(in, out, packs, evict_last);
            });
        }
    }
    // Tensors 2 and 3 lie behind each other, as 0 and 1 do.
    for (const int threads : {256, 512, 1024}) {
        const auto whole = static_cast<unsigned>(std::min<long long>((packs + threads - 1) / threads, 0x7fffffff));
        const auto four = static_cast<unsigned>(std::max<long long>((packs / 4 + threads - 1) / threads, 1));
        const auto wave = std::min(four, static_cast<unsigned>(processors * (2048 / threads)));
        for (const unsigned grid : {whole, four, wave}) {
            take_if_faster([=, &places](int i, cudaStream_t stream) {
                const auto* in = static_cast<const uint4*>(places.at(i, 2));
                auto* out = static_cast<uint4*>(places.at(i, 0));
                if (grid == whole) copy_kernel<1><<<grid, threads, 0, stream>>>(in, out, packs);
                else copy_kernel<4><<<grid, threads, 0, stream>>>(in, out, packs);
            });
        }
    }
    return clock.time(best);
}
