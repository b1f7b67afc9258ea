// What GPUs of sm_90 have for long rows: barriers in shared memory that wait for bytes, stores to the shared memory of
// a cluster's other blocks; launches that overlap; and L2 asked ahead of time. Inline PTX (PTX ISA: mbarrier, st.async,
// griddepcontrol, cp.async.bulk.prefetch).

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

__device__ __forceinline__ unsigned shared_address(const void* place) {
  return static_cast<unsigned>(__cvta_generic_to_shared(place));
}

// A barrier's phase is over when `arrivals` have arrived and all bytes that they announced are there.
__device__ __forceinline__ void init_barrier(unsigned long long* barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" : : "r"(shared_address(barrier)), "r"(arrivals) : "memory");
}

// Makes initialized barriers visible to the cluster's other blocks, once all have met.
__device__ __forceinline__ void publish_barriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" : : : "memory");
}

// Arrives, and announces so many bytes.
__device__ __forceinline__ void arrive_expecting(unsigned long long* barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
               : : "r"(shared_address(barrier)), "r"(bytes) : "memory");
}

// Waits for the end of a phase; phases count 0, 1, 0, 1, …
__device__ __forceinline__ void wait_for(unsigned long long* barrier, unsigned phase) {
  unsigned done = 0;
  while (!done) {
    asm volatile("{ .reg .pred over; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 over, [%1], %2; "
                 "selp.u32 %0, 1, 0, over; }"
                 : "=r"(done) : "r"(shared_address(barrier)), "r"(phase) : "memory");
  }
}

// Stores 4 bytes where block `rank` of the cluster has `place`, and counts them at its `barrier`. Both are this block's
// own addresses of what lies at the same place in every block.
__device__ __forceinline__ void store_in_block(float* place, float value, unsigned long long* barrier, unsigned rank) {
  unsigned there = 0;
  unsigned its_barrier = 0;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(shared_address(place)), "r"(rank));
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(its_barrier) : "r"(shared_address(barrier)), "r"(rank));
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.f32 [%0], %1, [%2];"
               : : "r"(there), "f"(value), "r"(its_barrier) : "memory");
}

constexpr int kMostCluster = 8;

// A number that all blocks of a cluster add up: each stores its part into the shared memory of all. A block waits for
// the parts, not for the other blocks to arrive at a barrier.
struct ClusterSum {
  unsigned long long joined;
  float sums[kMostCluster];

  // By one thread, before any other use; then all blocks of the cluster must meet.
  __device__ __forceinline__ void init() {
    init_barrier(&joined, 1);
    publish_barriers();
  }
  // By warp 0: tells all blocks this block's part.
  __device__ __forceinline__ void tell(float part, unsigned rank, int blocks, int lane) {
    if (lane == 0) arrive_expecting(&joined, blocks * sizeof(float));
    if (lane < blocks) store_in_block(&sums[rank], part, &joined, lane);
  }
  // By all threads.
  __device__ __forceinline__ float wait(int blocks) {
    wait_for(&joined, 0);
    float sum = 0.0f;
    for (int block = 0; block < blocks; ++block) sum += sums[block];
    return sum;
  }
};

#endif

// Kernels here are launched while the kernel before them on the stream still runs. This one waits until that is over
// and its results are there; by every thread, before it touches global memory.
__device__ __forceinline__ void begin_after_previous() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" : : : "memory");
#endif
}

// Joins as Join does. By then a row's threads have asked for all that they read, and the next kernel may be launched as
// soon as all blocks have come here. Let in before the loads it cost more time than it saved, in RMS norm on an H200.
template <class Join>
struct JoinAndLetNextBegin {
  Join join;
  __device__ __forceinline__ float operator()(float value) const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" : : : "memory");
#endif
    return join(value);
  }
};

// Asks for whole packs of 16 bytes, at multiples of 16, to be brought into L2, and does not wait. L2 sees what every
// kernel writes, so this may be done even while another kernel still writes there.
__device__ __forceinline__ void prefetch_into_l2(const void* from, int bytes) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;"
               : : "l"(__cvta_generic_to_global(from)), "r"(bytes) : "memory");
#else
  (void)from;
  (void)bytes;
#endif
}
