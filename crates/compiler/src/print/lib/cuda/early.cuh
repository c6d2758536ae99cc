
// The first small blocks of a program that has not begun with CUDA: memory of the host, which kernels use by its address
// from then on.
constexpr size_t EARLY = 1 << 20; // bytes of all
alignas(4096) static char early_memory[EARLY];
static size_t early_used = 0;
static Block *early_blocks = nullptr; // while they are no shared ones

[[maybe_unused]] static bool is_early(const void *p) {
  return (const char *)p >= early_memory && (const char *)p < early_memory + EARLY;
}

// Lets kernels use them, once CUDA has begun.
[[maybe_unused]] static void share_early() {
  cudaPointerAttributes attributes{};
  const bool shares = cudaHostRegister(early_memory, EARLY, 2 /* mapped */) == cudaSuccess && cudaPointerGetAttributes(&attributes, early_memory) == cudaSuccess && attributes.devicePointer == early_memory;
  if (!shares) cudaGetLastError(); // forgets it: kernels have copies
  while (Block *b = shares ? early_blocks : nullptr) {
    early_blocks = b->next;
    b->next = blocks;
    blocks = b;
  }
}

// Such a block; none where CUDA has begun, or is to begin, or there is no more room.
[[maybe_unused]] static void *early(size_t bytes) {
  const size_t all = (bytes + 63) / 64 * 64;
  if (hexcc_gate::started || hexcc_gate::place() != hexcc_gate::AUTO || all < bytes || all > EARLY - early_used) return nullptr;
  char *const p = early_memory + early_used;
  early_used += all;
  early_blocks = new Block{p, bytes, early_blocks};
  hexcc_gate::on_start = share_early;
  return p;
}
