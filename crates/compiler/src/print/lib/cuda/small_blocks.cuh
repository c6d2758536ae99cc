
// Small blocks of memory that kernels use where they are.
namespace hexcc_memory {

// A small block, such as one row: part of a large one that is shared, so that kernels can use it where it
// is. What is released is kept for blocks of the same size.
struct alignas(16) Part {
  size_t bytes; // with this head
  Part *next;
};
constexpr size_t SMALL = 256; // bytes; what is smaller is left to malloc
// Where blocks are known by their size alone, all have memory of their own.
constexpr size_t LONGEST = LARGE > SMALL ? (size_t)1 << 20 : LARGE, ALL_PARTS = 16 * LONGEST;
constexpr size_t GRAIN = 64, GRAIN_OF_LARGE = 4096; // bytes by which sizes differ
static Part *released[LARGE / GRAIN + LONGEST / GRAIN_OF_LARGE + 2]; // by size
static Block *divided = nullptr; // the blocks that have parts
static char *rest = nullptr, *rest_end = nullptr; // of the newest
static unsigned long long releases = 0; // of blocks: their memory is shared no more

// The bytes of a part.
[[maybe_unused]] static size_t with_head(size_t bytes) {
  const size_t all = sizeof(Part) + bytes, grain = all <= LARGE ? GRAIN : GRAIN_OF_LARGE;
  return (all + grain - 1) / grain * grain;
}

// Those of this size that are released.
[[maybe_unused]] static Part *&released_of(size_t all) {
  return released[all <= LARGE ? all / GRAIN : LARGE / GRAIN + all / GRAIN_OF_LARGE];
}

[[maybe_unused]] static bool is_part(const void *p) {
  for (const Block *b = divided; b; b = b->next)
    if ((const char *)p >= b->begin && (const char *)p < b->begin + b->bytes) return true;
  return false;
}

[[maybe_unused]] static void *allocate_row(size_t bytes) {
  if (bytes < SMALL || bytes >= LONGEST) return allocate(bytes);
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
