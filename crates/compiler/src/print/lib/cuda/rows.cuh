
// Rows that the program reaches through pointers, as kernels use them.
namespace hexcc_memory {

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
  if (!shared) entered.copies = (char *)borrow(entered.bytes, what);
  if (rows.n) entered.table = (void **)borrow(n * sizeof *entered.table, what);
  void **const table = hexcc_table(&rows, n);
  if (!shared) {
    char *const host = (char *)hexcc_resize(nullptr, entered.bytes);
    size_t at = 0;
    for (size_t i = 0; i < rows.n; at += pitch(rows.all[i++])) {
      const hexcc_row &row = rows.all[i];
      memcpy(host + at, row.begin + row.first, row.end - row.first);
      table[row.number] = entered.copies + at - row.first;
    }
    check(cudaMemcpy(entered.copies, host, entered.bytes, cudaMemcpyHostToDevice), what);
    free(host);
  }
  if (rows.n) check(cudaMemcpy(entered.table, table, n * sizeof *table, cudaMemcpyHostToDevice), what);
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
