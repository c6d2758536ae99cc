
// Rows of which tiles have the cells of a domain without those around it.
namespace hexcc_memory {

// Of each plane the rows and columns that are copied, how many rows it has, and how many in the tiles.
struct Inside {
  size_t first_row, rows, first_column, columns, all_rows, rows_of_tiles;
};

// Copies them to the tiles, where `to` is the first cell, or what C writes of them back.
template <typename T>
__global__ void copy_inside(const hexcc_row *rows, size_t n, void *const *table, char *to, const Inside inside, size_t pitch, bool back) {
  for (size_t i = blockIdx.x; i < n; i += gridDim.x) {
    const hexcc_row &row = rows[i];
    const size_t plane = row.number / inside.all_rows, r = row.number % inside.all_rows - inside.first_row;
    if (r >= inside.rows) continue; // or before the first
    T *const begin = (T *)table[row.number] + inside.first_column;
    T *const copy = (T *)(to + (plane * inside.rows_of_tiles + r) * pitch);
    for (size_t c = threadIdx.x; c < inside.columns; c += blockDim.x)
      if (back)
        begin[c] = copy[c];
      else
        copy[c] = begin[c];
  }
}

template <typename T>
void copy_rows_inside(const TiledRows &rows, const Rows &entered, void *to, const Inside &inside, size_t pitch, bool back) {
  constexpr size_t MOST = 1 << 20; // blocks
  if (rows.n == 0) return;
  copy_inside<T><<<(unsigned)(rows.n < MOST ? rows.n : MOST), 128, 0, 0>>>(rows.all, rows.n, entered.table, (char *)to, inside, pitch, back);
  check(cudaGetLastError(), "launching the kernels");
}

} // namespace hexcc_memory
