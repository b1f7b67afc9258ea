// Kernels for the test of traced launches: what a lesson's kernels do, in small. Plain CUDA but for LANEWISE_AFTER and
// LANEWISE_ARRAY, which stand for what the generator of a lesson's traced copy writes into it; in the plain build they
// are nothing.

// The xor tree of one warp, four bytes or eight.
template <class T>
__global__ void tree_xor(const T* in, T* out) {
    T value = in[threadIdx.x];
    for (int offset = 16; offset > 0; offset >>= 1) {
        value += __shfl_xor_sync(0xffffffffu, value, offset) LANEWISE_AFTER(2, value);
    }
    out[threadIdx.x] = value;
}

// Each half of a warp under its own mask, in a branch of its own, and then all together: legal divergence.
__global__ void half_masks(const float* in, float* out) {
    float value = in[threadIdx.x];
    if (threadIdx.x < 16) {
        value += __shfl_xor_sync(0x0000ffffu, value, 8, 16) LANEWISE_AFTER(2, value);
    } else {
        value += __shfl_xor_sync(0xffff0000u, value, 4, 16) LANEWISE_AFTER(2, value);
    }
    value += __shfl_xor_sync(0xffffffffu, value, 16) LANEWISE_AFTER(2, value);
    out[threadIdx.x] = value;
}

// An inclusive scan that adds only on the lanes with a source.
__global__ void scan_up(const int* in, int* out) {
    int value = in[threadIdx.x];
    for (unsigned delta = 1; delta < 32; delta *= 2) {
        LANEWISE_STATEMENT
        const int partner = __shfl_up_sync(0xffffffffu, value, delta);
        if (threadIdx.x >= delta) value += partner LANEWISE_TOOK;
        LANEWISE_AFTER_STATEMENT(4, value);
    }
    out[threadIdx.x] = value;
}

// Two warps of a three-dimensional block through static and dynamic shared memory, the second barrier after half the
// threads have left; one atomic in each kind of memory.
__global__ void exchange(const float* in, float* out, int* count) {
    __shared__ float tile[64];
    LANEWISE_ARRAY(shared_array, 0, tile)
    __shared__ int votes;
    LANEWISE_ARRAY(shared_array, 1, votes)
    extern __shared__ double extra[];
    LANEWISE_ARRAY(dynamic_array, 2, extra)
    const int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    tile[thread] = in[thread] * 2;
    if (thread < 4) extra[thread] = thread + 0.5;
    if (thread == 0) votes = 0;
    __syncthreads();
    if (thread >= 32) return;
    if (__any_sync(0xffffffffu, thread == 7)) atomicAdd(&votes, 1);
    tile[thread] = tile[63 - thread];
    __syncthreads();
    __syncwarp();
    if (thread == 3) atomicMax(&count[1], votes);
    out[thread] = tile[thread] + static_cast<float>(extra[thread % 4]);
}

// More rounds than a lane's list first has room for.
__global__ void many_rounds(const int* in, int* out) {
    int value = in[threadIdx.x];
    for (int round = 0; round < 300; ++round) {
        value = __shfl_sync(0xffffffffu, value, (threadIdx.x + 1) % 32) LANEWISE_AFTER(1, value);
    }
    out[threadIdx.x] = value;
}

// Reads where nothing is.
__global__ void reads_nowhere(const int* in, int* out) { out[0] = in[1ull << 38]; }
