namespace hexcc_gate {

// The bytes of an array that kernels cannot use where it is: they are copied. Only arrays at file scope are shared
// and no blocks; where there are none CUDA is not asked.
[[maybe_unused]] static double unshared(const void *p, double bytes) {
  if (place() != AUTO) return 0;
  const char *const begin = (const char *)p;
  for (const hexcc_memory::Block *b = hexcc_memory::blocks; b; b = b->next)
    if (begin >= b->begin && begin < b->begin + b->bytes) return 0;
  return BEGINS_WITH_CUDA && hexcc_memory::is_shared(p, 1) ? 0 : bytes;
}

} // namespace hexcc_gate

