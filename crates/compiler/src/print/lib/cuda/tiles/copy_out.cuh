// Copies OUTER x INNER rows of LENGTH bytes from shared memory, BYTES at a time; strides are in bytes.
template <int OUTER, int INNER, int LENGTH, int BYTES, int FROM_OUTER, int FROM_INNER>
__device__ __forceinline__ void copy_out(void *to, long long to_outer, int to_inner, const void *from, int thread) {
  struct alignas(BYTES) Bytes { char bytes[BYTES]; };
  for (int n = thread; n < OUTER * INNER * (LENGTH / BYTES); n += THREADS) {
    const int i = n / (INNER * (LENGTH / BYTES)), j = n / (LENGTH / BYTES) % INNER, k = n % (LENGTH / BYTES) * BYTES;
    *(Bytes *)((char *)to + i * to_outer + (long long)j * to_inner + k) = *(const Bytes *)((const char *)from + i * FROM_OUTER + j * FROM_INNER + k);
  }
}
