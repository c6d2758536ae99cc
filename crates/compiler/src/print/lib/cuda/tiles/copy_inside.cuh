// The same for what lies inside the array: row numbers from i0 and j0 below i_end and j_end, bytes from k0 below k_end.
template <int OUTER, int INNER, int LENGTH, int BYTES>
__device__ __forceinline__ void copy_inside(void *to, int to_i, int to_j, const void *from, long long from_i, int from_j,
                                            long long i0, long long i_end, long long j0, long long j_end, long long k0, long long k_end, int thread) {
  const int i_lo = (int)highest(0, -i0), i_hi = (int)lowest(OUTER, i_end - i0), j_lo = (int)highest(0, -j0), j_hi = (int)lowest(INNER, j_end - j0);
  const int k_lo = (int)highest(0, -k0), k_hi = (int)lowest(LENGTH, k_end - k0);
  for (int n = thread; n < OUTER * INNER * (LENGTH / BYTES); n += THREADS) {
    const int i = n / (INNER * (LENGTH / BYTES)), j = n / (LENGTH / BYTES) % INNER, k = n % (LENGTH / BYTES) * BYTES;
    if (i >= i_lo && i < i_hi && j >= j_lo && j < j_hi && k >= k_lo && k < k_hi)
      copy<BYTES>((char *)to + i * to_i + j * to_j + k, (const char *)from + i * from_i + (long long)j * from_j + k);
  }
}
