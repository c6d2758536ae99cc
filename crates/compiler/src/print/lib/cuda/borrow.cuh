[[maybe_unused]] static void *allocate_zeros(size_t n, size_t size) {
  if (size != 0 && n > (size_t)-1 / size) return nullptr;
  void *p = allocate(n * size);
  if (p) memset(p, 0, n * size);
  return p;
}

[[maybe_unused]] static void release(void *p) {
  Block **link = find(&blocks, p);
  if (!p || !*link) return free(p);
  remove(link);
  check(cudaFree(p), "freeing memory");
}

[[maybe_unused]] static void *reallocate(void *p, size_t bytes) {
  const Block *old = *find(&blocks, p);
  if (!p || !old) return p || bytes < LARGE ? realloc(p, bytes) : allocate(bytes);
  void *moved = allocate(bytes);
  if (!moved) return nullptr;
  memcpy(moved, p, bytes < old->bytes ? bytes : old->bytes);
  release(p);
  return moved;
}

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
