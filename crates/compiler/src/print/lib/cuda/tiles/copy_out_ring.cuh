// copy_out where dimension AXIS of shared memory, 0, 1 or 2, is a ring of SIZE rows or bytes; the box starts at `first`.
template <int OUTER, int INNER, int LENGTH, int BYTES, int FROM_OUTER, int FROM_INNER, int AXIS, int SIZE>
__device__ __forceinline__ void copy_out_ring(void *to, long long to_outer, int to_inner, const void *from, int first, int thread) {
  struct alignas(BYTES) Bytes { char bytes[BYTES]; };
  for (int n = thread; n < OUTER * INNER * (LENGTH / BYTES); n += THREADS) {
    const int i = n / (INNER * (LENGTH / BYTES)), j = n / (LENGTH / BYTES) % INNER, k = n % (LENGTH / BYTES) * BYTES;
    const int at_i = AXIS == 0 ? wrap<SIZE>(first + i) : i, at_j = AXIS == 1 ? wrap<SIZE>(first + j) : j, at_k = AXIS == 2 ? wrap<SIZE>(first + k) : k;
    *(Bytes *)((char *)to + i * to_outer + (long long)j * to_inner + k) = *(const Bytes *)((const char *)from + at_i * FROM_OUTER + at_j * FROM_INNER + at_k);
  }
}
