// Kernels that would end the program, or never end: each is survived and named.
#include <stdlib.h>

#pragma GCC diagnostic ignored "-Winfinite-recursion"

__global__ void right(const int* in, int* out) { out[threadIdx.x] = 2 * in[threadIdx.x]; }

// Never ends, and each turn is recorded.
__global__ void endless_shuffles(int* out) {
  int value = 1;
  for (int offset = 16; offset >= 0; offset /= 2) {
    value += __shfl_xor_sync(0xffffffffu, value, offset);
  }
  out[threadIdx.x] = value;
}
__global__ void endless_fences(int* out) {
  while (out[1] != 12345) {
    __threadfence();
  }
}
__global__ void endless_barriers(int* out) {
  for (int i = 1; i > 0; i = i % 2 + 1) {
    __syncthreads();
  }
  out[threadIdx.x] = 1;
}
__global__ void endless_stores(int* out) {
  for (int i = 1; i > 0; i = i % 2 + 1) {
    out[threadIdx.x] = i;
  }
}
__global__ void endless_atomics(int* out) {
  if (threadIdx.x > 0) return;
  while (atomicAdd(out, 2) != 1) {
  }
}
// No memory access at all.
__global__ void endless_nothing(int* out) {
  unsigned x = threadIdx.x;
  for (;;) {
    x = x * 1664525u + 1013904223u;
    if ((x & 1u) > 1u) break;
  }
  out[0] = x;
}
// What the compiler may read once.
__global__ void plain_flag(int* flag, int* out) {
  if (threadIdx.x == 0) {
    while (*flag == 0) {
    }
    out[0] = 7;
  } else {
    *flag = 1;
  }
}
__global__ void volatile_flag(int* flag, int* out) {
  volatile int* word = flag;
  const unsigned setter = blockDim.x - 1;
  if (threadIdx.x != setter) {
    while (*word == 0) {
    }
    out[threadIdx.x] = 7;
  } else {
    out[threadIdx.x] = 7;
    *word = 1;
  }
}
__global__ void volatile_flag_never_set(int* flag, int* out) {
  volatile int* word = flag;
  while (*word == 0) {  // never
  }
  out[0] = 1;
}
// Local memory: 400 KB works, 4 MB in one frame and a recursion without end do not.
__global__ void local_memory(int* out) {
  volatile char large[400 * 1024];
  for (int i = 0; i < 400 * 1024; i += 1024) large[i] = static_cast<char>(i / 1024 + threadIdx.x);
  int sum = 0;
  for (int i = 0; i < 400 * 1024; i += 1024) sum += large[i];
  out[threadIdx.x] = sum;
}
__global__ void huge_frame(int* out) {
  volatile char large[4 << 20];
  large[0] = 1;
  large[sizeof(large) - 1] = 2;
  out[threadIdx.x] = large[0];
}
__device__ __noinline__ int deeper(int n, int* out) {
  volatile int here[16];
  here[0] = n;
  const int below = deeper(n + 1, out) + here[0];
  return below + here[n & 15];
}
__global__ void recursion(int* out) { out[threadIdx.x] = deeper(1, out); }

__global__ void null_pointer(int* out) {
  int* nothing = reinterpret_cast<int*>(static_cast<size_t>(out[1000]));
  out[threadIdx.x] = 1;
  if (threadIdx.x == 5) nothing[3] = 1;
}
__global__ void wild_pointer(int* out) {
  out[threadIdx.x] = 1;
  if (threadIdx.x == 5) *reinterpret_cast<int*>(0x123456789000ull) = 1;
}
__global__ void impossible_pointer(int* out) {
  out[threadIdx.x] = 1;
  if (threadIdx.x == 5) *reinterpret_cast<int*>(0x7dead00012345678ull) = 1;
}
__global__ void far_out_of_bounds(int* out) {
  out[threadIdx.x] = 1;
  if (threadIdx.x == 5) out[100000] = 1;
}
__global__ void divides_by_zero(const int* in, int* out) { out[threadIdx.x] = 100 / in[threadIdx.x]; }
__global__ void misaligned(const float* in, float4* out) {
  const float4 four = *reinterpret_cast<const float4*>(in + 1);
  out[threadIdx.x] = four;
}
__global__ void jumps_nowhere(int* out) {
  void (*volatile nowhere)(int*) = nullptr;
  out[threadIdx.x] = 1;
  nowhere(out);
}
__global__ void jumps_into_data(int* out) {
  void (*volatile data)(int*) = reinterpret_cast<void (*)(int*)>(out);
  data(out);
}
__global__ void aborts(int* out) {
  out[threadIdx.x] = 1;
  if (threadIdx.x == 3) abort();
}
// What the checks have found stays when the run dies.
__global__ void races(int* out) {
  out[threadIdx.x] = out[(threadIdx.x + 1) % blockDim.x] + 1;
}
__global__ void races_and_aborts(int* out) {
  out[threadIdx.x] = out[(threadIdx.x + 1) % blockDim.x] + 1;
  __syncthreads();
  if (threadIdx.x == 3) abort();
}
__global__ void throws_number(int* out) {
  out[threadIdx.x] = 1;
  if (threadIdx.x == 3) throw 7;
}
__global__ void exits(int* out) {
  out[threadIdx.x] = 1;
  if (threadIdx.x == 3) exit(0);
}
__global__ void exits_at_once(int* out) {
  out[threadIdx.x] = 1;
  if (threadIdx.x == 3) _Exit(0);
}
__global__ void prints_forever(int* out) {
  while (out[0] == 0) {
    printf("again and again and again and again and again and again and again and again\n");
  }
}
__global__ void takes_all_memory(int* out) {
  for (;;) {
    volatile char* more = static_cast<char*>(malloc(64 << 20));
    for (int i = 0; i < 64 << 20; i += 4096) more[i] = 1;
    out[0] = more[0];
  }
}
