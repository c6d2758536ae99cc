
namespace hexcc_memory {

// The block that the program has allocated around p.
[[maybe_unused]] static const Block *around(const void *p) {
  for (const Block *b = blocks; b; b = b->next)
    if ((const char *)p >= b->begin && (const char *)p < b->begin + b->bytes) return b;
  return nullptr;
}

// How many elements there are from p to the end of its block; 0 if that is not known, or if kernels write
// in the block.
template <typename T, typename... Written> static long long elements(const T *p, const Written *...written) {
  const Block *own = around(p);
  if (!own || (... || (around(written) == own))) return 0;
  return (long long)((size_t)(own->begin + own->bytes - (const char *)p) / sizeof(T));
}

} // namespace hexcc_memory
