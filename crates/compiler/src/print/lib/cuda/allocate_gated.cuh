[[maybe_unused]] static void *allocate(size_t bytes) {
  void *p = nullptr;
  if (bytes < LARGE || hexcc_gate::keeps(bytes)) return malloc(bytes);
  if (cudaMallocManaged(&p, bytes) != cudaSuccess) {
    cudaGetLastError(); // forgets it
    return malloc(bytes);
  }
  blocks = new Block{(char *)p, bytes, blocks};
  return p;
}

