
// Rows of which tiles have copies.
namespace hexcc_memory {

// Copies what C touches of rows to the tiles, or what C writes back. A row is `inner` rows of the tiles, of `width`
// elements each, that lie `pitch` bytes apart.
template <typename T>
__global__ void copy_rows(const hexcc_row *rows, size_t n, void *const *table, char *tiles, size_t inner, size_t width, size_t pitch, bool back) {
  for (size_t i = blockIdx.x; i < n; i += gridDim.x) {
    const hexcc_row &row = rows[i];
    T *const begin = (T *)table[row.number];
    const size_t end = (back ? row.end_written : row.end) / sizeof(T);
    for (size_t at = (back ? row.first_written : row.first) / sizeof(T) + threadIdx.x; at < end; at += blockDim.x) {
      T *const copy = (T *)(tiles + (row.number * inner + at / width) * pitch) + at % width;
      if (back)
        begin[at] = *copy;
      else
        *copy = begin[at];
    }
  }
}

// What is touched of the rows of an array in a call, on the device.
struct TiledRows {
  hexcc_row *all;
  size_t n, room; // how many there are, and memory for so many

  void find(const hexcc_rows &rows, const char *what) {
    if (rows.n > room) {
      if (room) check(cudaFree(all), what);
      room = 0;
      check(cudaMallocManaged((void **)&all, rows.n * sizeof *all), what);
      room = rows.n;
    }
    n = rows.n;
    if (n) check(cudaMemcpy(all, rows.all, n * sizeof *all, cudaMemcpyHostToDevice), what);
  }

  template <typename T>
  void copy(const Rows &entered, T *tiles, size_t inner, size_t width, size_t pitch, bool back) const {
    constexpr size_t MOST = 1 << 20; // blocks
    if (n == 0) return;
    copy_rows<T><<<(unsigned)(n < MOST ? n : MOST), 128, 0, 0>>>(all, n, entered.table, (char *)tiles, inner, width, pitch, back);
    check(cudaGetLastError(), "launching the kernels");
  }
};

} // namespace hexcc_memory
