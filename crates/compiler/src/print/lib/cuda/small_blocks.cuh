
// Small blocks of memory that kernels use where they are.
namespace hexcc_memory {

// A small block, such as one row: part of a large one that is shared, so that kernels can use it where it
// is. What is released is kept for blocks of the same size.
struct alignas(16) Part {
  size_t bytes; // with this head
  Part *next;
};
constexpr size_t SMALL = 256, ALL_PARTS = (size_t)4 << 20, GRAIN = 64; // bytes; what is smaller is left to malloc
static Part *released[LARGE / GRAIN + 2]; // by size
static Block *divided = nullptr; // the blocks that have parts
static char *rest = nullptr, *rest_end = nullptr; // of the newest

[[maybe_unused]] static bool is_part(const void *p) {
  for (const Block *b = divided; b; b = b->next)
    if ((const char *)p >= b->begin && (const char *)p < b->begin + b->bytes) return true;
  return false;
}

[[maybe_unused]] static void *allocate_row(size_t bytes) {
  if (bytes < SMALL || bytes >= LARGE) return allocate(bytes);
  const size_t all = (sizeof(Part) + bytes + GRAIN - 1) / GRAIN * GRAIN;
  Part *part = released[all / GRAIN];
  if (part) {
    released[all / GRAIN] = part->next;
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

[[maybe_unused]] static void release_row(void *p) {
  if (!p || !is_part(p)) return release(p);
  Part *part = (Part *)p - 1;
  part->next = released[part->bytes / GRAIN];
  released[part->bytes / GRAIN] = part;
}

[[maybe_unused]] static void *reallocate_row(void *p, size_t bytes) {
  if (!p) return allocate_row(bytes);
  if (!is_part(p)) return reallocate(p, bytes);
  const size_t old = ((Part *)p - 1)->bytes - sizeof(Part);
  void *moved = allocate_row(bytes);
  if (!moved) return nullptr;
  memcpy(moved, p, bytes < old ? bytes : old);
  release_row(p);
  return moved;
}

} // namespace hexcc_memory
