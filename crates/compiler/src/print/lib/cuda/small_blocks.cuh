
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

