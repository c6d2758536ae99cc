
// What some iterations have of a reduction.
template <typename Fold> struct Part {
  typename Fold::Value value;
  int state; // 0: nothing yet; 1: to be combined with what comes before; 2: instead of what comes before
};

// The part of some iterations, and then that of those after them.
template <typename Fold> __device__ Part<Fold> both(const Part<Fold> &a, const Part<Fold> &b) {
  if (a.state == 0 || b.state == 2) return b;
  if (b.state == 0) return a;
  return {Fold::with(a.value, b.value), a.state};
}

constexpr int FOLD_THREADS = 256; // of a block that reduces
constexpr int FOLD_ROWS = 8; // iterations of the outermost loop that a thread takes where order does not matter
constexpr int FOLD_PARTS = 4; // that a thread combines

// Combines what the threads of a block have, in their order; the first one gets it.
template <typename Fold> __device__ Part<Fold> of_block(Part<Fold> part) {
  __shared__ Part<Fold> of_warp[FOLD_THREADS / 32];
  for (int d = 1; d < 32; d *= 2) {
    const Part<Fold> later{__shfl_down_sync(0xffffffff, part.value, d), __shfl_down_sync(0xffffffff, part.state, d)};
    part = both(part, later);
  }
  __syncthreads(); // of_warp may be in use for another reduction
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = part;
  __syncthreads();
  if (threadIdx.x == 0)
    for (int w = 1; w < FOLD_THREADS / 32; ++w) part = both(part, of_warp[w]);
  return part;
}

// Combines the n parts of blocks in their order, each block some; the only one updates the element.
template <typename Fold, typename T> __global__ void __launch_bounds__(FOLD_THREADS) combine(const Part<Fold> *parts, long long n, Part<Fold> *combined, T *element) {
  const long long first = (blockIdx.x * (long long)FOLD_THREADS + threadIdx.x) * FOLD_PARTS;
  Part<Fold> part{};
  for (long long k = first; k < first + FOLD_PARTS && k < n; ++k) part = both(part, parts[k]);
  part = of_block(part);
  if (threadIdx.x > 0) return;
  combined[blockIdx.x] = part;
  if (gridDim.x > 1 || part.state == 0) return;
  *element = part.state == 2 ? part.value : Fold::with(*element, part.value);
}
