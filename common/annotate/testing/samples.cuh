// Kernels in the styles that people write, for annotate's tests: each returns what its lane ends with.
#define FULL 0xffffffffu
#define ROUND(v, o) \
  v += __shfl_xor_sync(FULL, v, o)

template <class T>
struct Pair {
  T sum, best;
};

template <class A, class B>
__device__ A chosen(A a, B b) { return a > b ? a : b; }

__device__ float braceless_loops(float v, int lane) {
#pragma unroll
  for (int o = 16; o > 0; o >>= 1)
    for (int k = 0; k < 2; ++k) v += __shfl_xor_sync(FULL, v, o);
  int o = 16;
  while (o >>= 1) v = v * 0.5f + __shfl_down_sync(FULL, v, o);
  do v = fmaxf(v, __shfl_up_sync(FULL, v, ++o)); while (o < 4);
  return v + lane;
}

__device__ float conditional_scan(float v, int lane) {
  for (int d = 1; d < 32; d *= 2) {
    float p = __shfl_up_sync(FULL, v, d);
    if (lane >= d) v += p;
  }
  for (int d = 1; d < 32; d *= 2) {
    const auto p = __shfl_up_sync(FULL, v, d);
    if (lane >= d && d != 4) { v = v + p; }
    else v -= p;
  }
  for (int d = 1; d < 32; d *= 2) {
    float p{__shfl_up_sync(FULL, v, d)};
    v += lane >= d ? p : 0;
    float q(__shfl_down_sync(FULL, v, d)), r = __shfl_down_sync(FULL, v, d + 1);
    v = q > v ? q : v;
    if (lane < d) { v += r; continue; }
    v -= 1;
  }
  return v;
}

__device__ float three_v(float v, int lane) {
  v = 3*v - __shfl_down_sync(
      FULL, v,  // the one above
      2
  );
  if (lane < 16) v += __shfl_xor_sync(0x0000ffffu, v, 8); else v -= __shfl_xor_sync(0xffff0000u, v, 4);
  ROUND(v, 2);
  const float w = 2 * __shfl_xor_sync(FULL, v, 1);
  return __shfl_sync(FULL, v, 0) + w;
}

__device__ float members(float v, int lane) {
  Pair<float> pair{v, v};
  pair.sum += __shfl_xor_sync(FULL, pair.sum, 1),
      pair.best = chosen<float, float>(pair.best, __shfl_xor_sync(FULL, pair.best, 2));
  float many[4] = {v, v, v, v};
  int i = 0;
  many[i++] += __shfl_xor_sync(FULL, v, 1);
  many[i] = many[i] > 2 ? __shfl_xor_sync(FULL, v, 1) : __shfl_xor_sync(FULL, v, 2);
  switch (lane % 3) {
    case 0: v += __shfl_xor_sync(FULL, v, 1); break;
    case 1: {
      float other;
      other = __shfl_xor_sync(FULL, v, 2);
      v -= other;
    } break;
    default: v = __shfl_xor_sync(FULL, __shfl_xor_sync(FULL, v, 1), 3);
  }
  auto again = [&](float x) -> float { x += __shfl_xor_sync(FULL, x, 1); return x; };
  if (__shfl_xor_sync(FULL, v, 1) > 10) v = again(v);
  return v + pair.sum + pair.best + many[0] + many[1] + i;
}

__device__ double text_and_numbers(double v, int lane) {
  const char* text = "v += __shfl_xor_sync(FULL, v, 1); {{{ // not a comment";  // nor is this {{{ a brace
  const char* raw = R"(atomicAdd(a, 1); ")" /* __syncthreads(); */;
  const int big = 1'000'000, hex = 0xE0 + 1, quote = '\'' + '"';
  v += (lane < big >> 3) ? __shfl_xor_sync(FULL, v, 1) : hex;
  v += text[0] + raw[0] + quote;
  return v;
}
