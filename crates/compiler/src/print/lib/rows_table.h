
// A table of the pointers to all rows, of which there are `n`.
static inline void **hexcc_table(const struct hexcc_rows *rows, size_t n) {
  void **table = (void **)hexcc_resize(0, (n ? n : 1) * sizeof *table);
  for (size_t i = 0; i < rows->n; ++i) table[rows->all[i].number] = rows->all[i].begin;
  return table;
}
