// Fills and compares arrays on the GPU. Arrays are `rows` rows of `n` elements,
// `pitch` elements apart.
typedef long long Int;
typedef unsigned long long Bits;

__device__ Bits mixed(Bits x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

// In (0, 1], never zero; integers in 0 .. 4.
template <typename T> __device__ T value(Bits hash) { return (T)(hash % 5); }
template <> __device__ float value<float>(Bits hash) { return ((hash >> 40) | 1) / 16777216.0f; }
template <> __device__ double value<double>(Bits hash) { return ((hash >> 11) | 1) / 9007199254740992.0; }

template <typename T> __device__ bool same(T a, T b) { return a == b; }
template <> __device__ bool same<float>(float a, float b) {
  return __float_as_uint(a) == __float_as_uint(b) || (a != a && b != b);
}
template <> __device__ bool same<double>(double a, double b) {
  return __double_as_longlong(a) == __double_as_longlong(b) || (a != a && b != b);
}

#define FOR_EACH(i) \
  for (Int i = blockIdx.x * (Int)blockDim.x + threadIdx.x; i < rows * n; i += gridDim.x * (Int)blockDim.x)

// Elements of type T with the values that elements of type S would have.
template <typename T, typename S> __global__ void fill(T *a, Int rows, Int n, Int pitch, Bits seed) {
  FOR_EACH(i) a[i / n * pitch + i % n] = (T)value<S>(mixed((Bits)i + seed));
}

template <typename T>
__global__ void different(const T *a, const T *b, Int rows, Int n, Int pitch_a, Int pitch_b, Bits *count) {
  Bits mine = 0;
  FOR_EACH(i) {
    const Int row = i / n, column = i % n;
    mine += !same(a[row * pitch_a + column], b[row * pitch_b + column]);
  }
  if (mine) atomicAdd(count, mine);
}

// Whether two buffers of n_i planes of n_j rows differ outside of a box; the last bound of
// each dimension is the first index behind it.
template <typename T>
__global__ void differ_outside(const T *a, const T *b, Int row, Int n_i, Int n_j, Int n_k, Int lo_i, Int hi_i, Int lo_j,
                               Int hi_j, Int lo_k, Int hi_k, Bits *differ) {
  for (Int r = blockIdx.x; r < n_i * n_j; r += gridDim.x) {
    const Int i = r / n_j, j = r % n_j;
    const Int inside = i >= lo_i && i < hi_i && j >= lo_j && j < hi_j ? hi_k - lo_k : 0;
    for (Int n = threadIdx.x; n < n_k - inside; n += blockDim.x) {
      const Int at = r * row + (n < lo_k ? n : n + inside);
      if (a[at] != b[at]) *differ = 1;
    }
  }
}

struct Sums {
  double squares, norm;
  Bits largest, n_infinite;
};

__global__ void error_of(const float *a, const double *exact, Int rows, Int n, Int pitch, Sums *sums) {
  double squares = 0, norm = 0, largest = 0;
  Bits n_infinite = 0;
  FOR_EACH(i) {
    const Int at = i / n * pitch + i % n;
    const double difference = fabs(a[at] - exact[at]), size = fabs(exact[at]);
    if (!(difference <= 1e300 && size <= 1e300)) {
      ++n_infinite;
      continue;
    }
    squares += difference * difference;
    norm += size * size;
    largest = fmax(largest, difference / fmax(size, 1e-30));
  }
  atomicAdd(&sums->squares, squares);
  atomicAdd(&sums->norm, norm);
  atomicMax(&sums->largest, (Bits)__double_as_longlong(largest));
  if (n_infinite) atomicAdd(&sums->n_infinite, n_infinite);
}
