// What blocks of a cluster need to join results: barriers in shared memory that wait for bytes, and stores to the
// shared memory of the cluster's other blocks. Inline PTX of sm_90 (PTX ISA, mbarrier, st.async).

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

#endif
