// Copies OUTER x INNER rows of LENGTH bytes to shared memory, BYTES at a time; strides are in bytes.
template <int OUTER, int INNER, int LENGTH, int BYTES, int TO_OUTER, int TO_INNER>
__device__ __forceinline__ void copy_box(void *to, const void *from, long long from_outer, int from_inner, int thread) {
  // Threads per row, rows at a time, and these as rows of one plane and planes.
  constexpr int LANES = LENGTH / BYTES < THREADS ? LENGTH / BYTES : THREADS, STEP = THREADS / LANES;
  constexpr int COUNT = INNER < STEP ? INNER : STEP, PLANES = STEP / COUNT;
  const int i0 = thread / (LANES * COUNT), j0 = thread / LANES % COUNT, k0 = thread % LANES * BYTES;
  if (THREADS % (LANES * COUNT) != 0 && i0 >= PLANES) return;
  char *const first_to = (char *)to + i0 * TO_OUTER + j0 * TO_INNER + k0;
  const char *const first_from = (const char *)from + i0 * from_outer + (long long)j0 * from_inner + k0;
#pragma unroll
  for (int i = 0; i < OUTER; i += PLANES) {
    if (i + PLANES > OUTER && i + i0 >= OUTER) break;
#pragma unroll
    for (int j = 0; j < INNER; j += COUNT) {
      if (j + COUNT > INNER && j + j0 >= INNER) break;
#pragma unroll
      for (int k = 0; k < LENGTH; k += LANES * BYTES)
        if (k + LANES * BYTES <= LENGTH || k + k0 < LENGTH)
          copy<BYTES>(first_to + i * TO_OUTER + j * TO_INNER + k, first_from + i * from_outer + (long long)j * from_inner + k);
    }
  }
}
