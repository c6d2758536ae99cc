
// Rows that the program reaches through pointers, as kernels use them.
namespace hexcc_memory {

// A block of memory for one row: part of a large one that is shared, so that kernels can use it where it
// is. What is released is kept for rows of the same size.
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

struct Rows {
  void **table; // device memory: pointers to the rows
  char *copies; // device memory with all that is touched of them; none where they are shared
  size_t bytes; // of the copies
};

// How far what is touched of the next row lies behind that of a row in copies.
[[maybe_unused]] static size_t pitch(const hexcc_row &row) { return (row.end - row.first + 15) / 16 * 16; }

// Where kernels find rows, of which the array has n.
[[maybe_unused]] static Rows enter_rows(const hexcc_rows &rows, size_t n, const char *what) {
  Rows entered{};
  bool shared = true;
  for (size_t i = 0; i < rows.n; ++i) {
    const hexcc_row &row = rows.all[i];
    shared = shared && is_shared(row.begin + row.first, row.end - row.first);
    entered.bytes += pitch(row);
  }
  void **const table = hexcc_table(&rows, n);
  if (!shared) {
    char *const host = (char *)hexcc_resize(nullptr, entered.bytes);
    entered.copies = (char *)borrow(entered.bytes, what);
    size_t at = 0;
    for (size_t i = 0; i < rows.n; at += pitch(rows.all[i++])) {
      const hexcc_row &row = rows.all[i];
      memcpy(host + at, row.begin + row.first, row.end - row.first);
      table[row.number] = entered.copies + at - row.first;
    }
    check(cudaMemcpy(entered.copies, host, entered.bytes, cudaMemcpyHostToDevice), what);
    free(host);
  }
  if (rows.n) {
    entered.table = (void **)borrow(n * sizeof *table, what);
    check(cudaMemcpy(entered.table, table, n * sizeof *table, cudaMemcpyHostToDevice), what);
  }
  free(table);
  return entered;
}

// Ends what enter_rows began.
[[maybe_unused]] static void leave_rows(const hexcc_rows &rows, const Rows &entered, bool written, const char *what) {
  if (entered.copies && written) {
    char *const host = (char *)hexcc_resize(nullptr, entered.bytes);
    check(cudaMemcpy(host, entered.copies, entered.bytes, cudaMemcpyDeviceToHost), what);
    size_t at = 0;
    for (size_t i = 0; i < rows.n; at += pitch(rows.all[i++])) {
      const hexcc_row &row = rows.all[i];
      if (row.first_written < row.end_written)
        memcpy(row.begin + row.first_written, host + at + (row.first_written - row.first), row.end_written - row.first_written);
    }
    free(host);
  }
  if (entered.copies) give_back(entered.copies, what);
  if (entered.table) give_back(entered.table, what);
}

} // namespace hexcc_memory
