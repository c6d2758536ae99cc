constexpr long long FOLD_BLOCK = FOLD_THREADS * FOLD_PARTS; // parts that a block combines

// Memory for the parts of n blocks and for combining them, while it is used on a stream.
template <typename Fold> struct Parts {
  Part<Fold> *memory = nullptr;
  const long long n;
  const cudaStream_t stream;
  Parts(long long n, cudaStream_t stream) : n(n), stream(stream) {
    void *found = nullptr;
    const size_t bytes = sizeof(Part<Fold>) * (size_t)(n + (n + FOLD_BLOCK - 1) / FOLD_BLOCK);
    if (cudaMallocAsync(&found, bytes, stream) == cudaSuccess) memory = (Part<Fold> *)found;
  }
  ~Parts() {
    if (memory) cudaFreeAsync(memory, stream);
  }
  Parts(const Parts &) = delete;
  // Folds the parts of all blocks into an element.
  template <typename T> void fold_into(T *element) {
    Part<Fold> *from = memory, *to = memory + n;
    long long left = n;
    do {
      const long long blocks = (left + FOLD_BLOCK - 1) / FOLD_BLOCK;
      combine<Fold, T><<<(unsigned)blocks, FOLD_THREADS, 0, stream>>>(from, left, to, element);
      Part<Fold> *const combined = to;
      to = from;
      from = combined;
      left = blocks;
    } while (left > 1);
  }
};

