// Copies BYTES bytes to shared memory.
template <int BYTES> __device__ __forceinline__ void copy(void *to, const void *from) {
  if constexpr (BYTES >= 4)
    __pipeline_memcpy_async(to, from, BYTES);
  else
    for (int b = 0; b < BYTES; ++b) ((char *)to)[b] = ((const char *)from)[b];
}
