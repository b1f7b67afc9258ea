// Every atomic on every type CUDA has it for, in its three scopes, on global and on shared memory.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

constexpr int kSlots = 8;  // of each block

__device__ int thread_number() {
  const int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  return block * blockDim.x * blockDim.y * blockDim.z +
         (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

#define SCOPED(atomic)                                                            \
  struct atomic##_scoped {                                                        \
    template <class T>                                                            \
    static __device__ T call(T* address, T value, T, int scope) {                 \
      if (scope == 0) return atomic(address, value);                              \
      return scope == 1 ? atomic##_block(address, value) : atomic##_system(address, value); \
    }                                                                             \
  };
SCOPED(atomicAdd)
SCOPED(atomicSub)
SCOPED(atomicMin)
SCOPED(atomicMax)
SCOPED(atomicInc)
SCOPED(atomicDec)
SCOPED(atomicAnd)
SCOPED(atomicOr)
SCOPED(atomicXor)
SCOPED(atomicExch)
struct atomicCAS_scoped {
  template <class T>
  static __device__ T call(T* address, T value, T compare, int scope) {
    if (scope == 0) return atomicCAS(address, compare, value);
    return scope == 1 ? atomicCAS_block(address, compare, value) : atomicCAS_system(address, compare, value);
  }
};
// Vectors of floats, from sm_90 on.
struct add_vector_call {
  template <class T>
  static __device__ T call(T* address, T value, T compare, int scope) {
#if defined(LANEWISE_EMULATED) || !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    return atomicAdd_scoped::call(address, value, compare, scope);
#else
    return value;
#endif
  }
};
// These have no scope of their own.
struct add_unscoped_call {
  template <class T>
  static __device__ T call(T* address, T value, T, int) {
    return atomicAdd(address, value);
  }
};
struct cas_unscoped_call {
  template <class T>
  static __device__ T call(T* address, T value, T compare, int) {
    return atomicCAS(address, compare, value);
  }
};

// memory: kSlots for each block. slot: where each thread works, in the whole memory (below) or in its block's part.
// old: what each thread got.
template <class Atomic, class T>
__device__ void on_global(T* memory, const T* value, const T* compare, const int* slot, T* old, int scope) {
  const int thread = thread_number();
  old[thread] = Atomic::call(memory + slot[thread], value[thread], compare[thread], scope);
}

template <class Atomic, class T>
__device__ void on_shared(T* memory, const T* value, const T* compare, const int* slot, T* old, int scope) {
  __shared__ T slots[kSlots];
  const int thread = thread_number();
  const int own = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const int size = blockDim.x * blockDim.y * blockDim.z;
  T* mine = memory + (thread - own) / size * kSlots;
  for (int i = own; i < kSlots; i += size) slots[i] = mine[i];
  __syncthreads();
  old[thread] = Atomic::call(slots + slot[thread] % kSlots, value[thread], compare[thread], scope);
  __syncthreads();
  for (int i = own; i < kSlots; i += size) mine[i] = slots[i];
}

#define KERNELS(name, atomic)                                                                                   \
  template <class T>                                                                                            \
  __global__ void name##_global(T* memory, const T* value, const T* compare, const int* slot, T* old, int scope) { \
    on_global<atomic>(memory, value, compare, slot, old, scope);                                                \
  }                                                                                                             \
  template <class T>                                                                                            \
  __global__ void name##_shared(T* memory, const T* value, const T* compare, const int* slot, T* old, int scope) { \
    on_shared<atomic>(memory, value, compare, slot, old, scope);                                                \
  }
KERNELS(add, atomicAdd_scoped)
KERNELS(add_vector, add_vector_call)
KERNELS(sub, atomicSub_scoped)
KERNELS(least, atomicMin_scoped)
KERNELS(greatest, atomicMax_scoped)
KERNELS(inc, atomicInc_scoped)
KERNELS(dec, atomicDec_scoped)
KERNELS(bit_and, atomicAnd_scoped)
KERNELS(bit_or, atomicOr_scoped)
KERNELS(bit_xor, atomicXor_scoped)
KERNELS(exch, atomicExch_scoped)
KERNELS(cas, atomicCAS_scoped)
KERNELS(add_unscoped, add_unscoped_call)
KERNELS(cas_unscoped, cas_unscoped_call)

// The architecture that this was compiled for.
__global__ void architecture(int* out) {
#ifdef __CUDA_ARCH__
  out[0] = __CUDA_ARCH__;
#endif
}
