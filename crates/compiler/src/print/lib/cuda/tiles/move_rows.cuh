// Moves the last LENGTH of every STRIDE bytes of shared memory to their start, BYTES at a time.
template <int COUNT, int LENGTH, int STRIDE, int BYTES>
__device__ __forceinline__ void move_rows(void *shared, int thread) {
  struct alignas(BYTES) Bytes { char bytes[BYTES]; };
#pragma unroll
  for (int n = thread; n < COUNT * (LENGTH / BYTES); n += THREADS) {
    char *const to = (char *)shared + n / (LENGTH / BYTES) * STRIDE + n % (LENGTH / BYTES) * BYTES;
    *(Bytes *)to = *(const Bytes *)(to + STRIDE - LENGTH);
  }
}
