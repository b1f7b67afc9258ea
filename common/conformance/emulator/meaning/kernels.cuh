// Operations whose meaning C++ leaves open and a GPU does not, in the ways in which kernels write them. One element a
// thread.

template <class From, class To>
__global__ void convert(const From* in, To* out) {
  out[3 * threadIdx.x] = static_cast<To>(in[threadIdx.x]);
  out[3 * threadIdx.x + 1] = (To)in[threadIdx.x];
  From value = in[threadIdx.x];
  value = value * 1;
  out[3 * threadIdx.x + 2] = (To)(value + value - value);
}

__device__ int returned(float v) { return v; }
__device__ int taken(int v) { return v; }

__global__ void convert_silently(const float* in, int* out) {
  const float v = in[threadIdx.x];
  int* mine = out + 8 * threadIdx.x;
  int initialized = v;
  int assigned = 1;
  assigned = v;
  int added = 1;
  added += v;
  mine[0] = v;
  mine[1] = initialized;
  mine[2] = assigned;
  mine[3] = added;
  mine[4] = returned(v);
  mine[5] = taken(v);
  mine[6] = int(v);
  unsigned char byte = v;
  mine[7] = byte;
}

template <class T, class Amount>
__global__ void shift(const T* in, const Amount* by, T* out) {
  const T a = in[threadIdx.x];
  const Amount b = by[threadIdx.x];
  T* mine = out + 4 * threadIdx.x;
  mine[0] = a << b;
  mine[1] = a >> b;
  mine[2] = a;
  mine[2] <<= b;
  mine[3] = a;
  mine[3] >>= b;
}

template <class T>
__global__ void divide(const T* in, const T* by, T* out) {
  const T a = in[threadIdx.x], b = by[threadIdx.x];
  T* mine = out + 4 * threadIdx.x;
  mine[0] = a / b;
  mine[1] = a % b;
  T quotient = a, rest = a;
  quotient /= b;
  rest %= b;
  mine[2] = quotient;
  mine[3] = rest;
}
