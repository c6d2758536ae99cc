[[maybe_unused]] static void *allocate(size_t bytes) {
  void *p = bytes < LARGE ? malloc(bytes) : early(bytes);
  if (p || bytes < LARGE) return p;
  if (hexcc_gate::keeps(bytes)) return malloc(bytes);
  if (cudaMallocManaged(&p, bytes) != cudaSuccess) {
    cudaGetLastError(); // forgets it
    return malloc(bytes);
  }
  blocks = new Block{(char *)p, bytes, blocks};
  return p;
}

