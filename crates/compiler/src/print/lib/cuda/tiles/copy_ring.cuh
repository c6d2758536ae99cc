// copy_box where dimension AXIS of shared memory, 0, 1 or 2, is a ring of SIZE rows or bytes; the box starts at `first`.
template <int OUTER, int INNER, int LENGTH, int BYTES, int TO_OUTER, int TO_INNER, int AXIS, int SIZE>
__device__ __forceinline__ void copy_ring(void *to, int first, const void *from, long long from_outer, int from_inner, int thread) {
#pragma unroll
  for (int n = thread; n < OUTER * INNER * (LENGTH / BYTES); n += THREADS) {
    const int i = n / (INNER * (LENGTH / BYTES)), j = n / (LENGTH / BYTES) % INNER, k = n % (LENGTH / BYTES) * BYTES;
    const int to_i = AXIS == 0 ? wrap<SIZE>(first + i) : i, to_j = AXIS == 1 ? wrap<SIZE>(first + j) : j, to_k = AXIS == 2 ? wrap<SIZE>(first + k) : k;
    copy<BYTES>((char *)to + to_i * TO_OUTER + to_j * TO_INNER + to_k, (const char *)from + i * from_outer + (long long)j * from_inner + k);
  }
}
