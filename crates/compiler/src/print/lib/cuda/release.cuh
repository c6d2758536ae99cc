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

