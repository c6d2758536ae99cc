// Lets the device keep memory for later kernels.
[[maybe_unused]] static bool keep_memory() {
  int device = 0;
  cudaMemPool_t pool;
  unsigned long long all = ~0ull;
  if (cudaGetDevice(&device) != cudaSuccess || cudaDeviceGetDefaultMemPool(&pool, device) != cudaSuccess) return false;
  return cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all) == cudaSuccess;
}

// Device memory for kernels.
[[maybe_unused]] static void *borrow(size_t bytes, const char *what) {
  static const bool kept = keep_memory();
  void *p = nullptr;
  if (!kept) cudaGetLastError(); // forgets it
  check(cudaMallocAsync(&p, bytes, 0), what);
  borrowed = new Block{(char *)p, bytes, borrowed};
  return p;
}

// Ends what borrow began.
[[maybe_unused]] static void give_back(void *p, const char *what) {
  remove(find(&borrowed, p));
  check(cudaFreeAsync(p, 0), what);
}

// Where kernels find what the program has at p.
[[maybe_unused]] static void *enter(const void *p, size_t bytes, const char *what) {
  if (bytes == 0 || is_shared(p, bytes)) return (void *)p;
  void *copy = borrow(bytes, what);
  check(cudaMemcpy(copy, p, bytes, cudaMemcpyHostToDevice), what);
  return copy;
}

// Ends what enter began.
[[maybe_unused]] static void leave(const void *p, void *device, size_t bytes, bool written, const char *what) {
  if (device == p) return;
  if (written) check(cudaMemcpy((void *)p, device, bytes, cudaMemcpyDeviceToHost), what);
  give_back(device, what);
}

} // namespace hexcc_memory
