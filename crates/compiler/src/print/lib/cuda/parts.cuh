  const size_t all = with_head(bytes);
  Part *part = released_of(all);
  if (part) {
    released_of(all) = part->next;
    return part + 1;
  }
  if ((size_t)(rest_end - rest) < all) {
    void *p = nullptr;
    if (cudaMallocManaged(&p, ALL_PARTS) != cudaSuccess) {
      cudaGetLastError(); // forgets it
      return malloc(bytes);
    }
    blocks = new Block{(char *)p, ALL_PARTS, blocks};
    divided = new Block{(char *)p, ALL_PARTS, divided};
    rest = (char *)p, rest_end = rest + ALL_PARTS;
  }
  part = (Part *)rest;
  rest += all;
  part->bytes = all;
  return part + 1;
}

[[maybe_unused]] static void *allocate_rows_of_zeros(size_t n, size_t size) {
  if (size != 0 && n > (size_t)-1 / size) return nullptr;
  void *p = allocate_row(n * size);
  if (p) memset(p, 0, n * size);
  return p;
}

// Counts a block that begins at p and is about to be released.
[[maybe_unused]] static void count_release(const void *p) {
  if (p && *find(&blocks, p)) ++releases;
}

[[maybe_unused]] static void release_row(void *p) {
  if (!is_part(p)) {
    count_release(p);
    return release(p);
  }
  Part *part = (Part *)p - 1;
  part->next = released_of(part->bytes);
  released_of(part->bytes) = part;
}

[[maybe_unused]] static void *reallocate_row(void *p, size_t bytes) {
  if (!p) return allocate_row(bytes);
  if (!is_part(p)) {
    count_release(p);
    return reallocate(p, bytes);
  }
  const size_t old = ((Part *)p - 1)->bytes - sizeof(Part);
  void *moved = allocate_row(bytes);
  if (!moved) return nullptr;
  memcpy(moved, p, bytes < old ? bytes : old);
  release_row(p);
  return moved;
}

} // namespace hexcc_memory
