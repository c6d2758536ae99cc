// The link to the block that begins at p; to the end of the list where there is none.
[[maybe_unused]] static Block **find(Block **list, const void *p) {
  Block **link = list;
  while (*link && (*link)->begin != p) link = &(*link)->next;
  return link;
}

// Takes a block out of its list.
[[maybe_unused]] static void remove(Block **link) {
  Block *gone = *link;
  *link = gone->next;
  delete gone;
}

// Whether kernels can use memory by its address.
[[maybe_unused]] static bool is_shared(const void *p, size_t bytes) {
  for (const Block *b = blocks; b; b = b->next)
    if ((const char *)p >= b->begin && (const char *)p + bytes <= b->begin + b->bytes) return true;
  cudaPointerAttributes attributes;
  if (cudaPointerGetAttributes(&attributes, p) == cudaSuccess) return attributes.type == cudaMemoryTypeManaged;
  cudaGetLastError(); // forgets it
  return false;
}

