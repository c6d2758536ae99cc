
// An array of the rows, one after the other, each in `width` bytes; what C does not touch is zero.
static inline char *hexcc_gather(const struct hexcc_rows *rows, size_t bytes, size_t width) {
  char *dense = (char *)calloc(bytes ? bytes : 1, 1);
  if (!dense) {
    fprintf(stderr, "hexcc: no memory for rows\n");
    exit(EXIT_FAILURE);
  }
  for (size_t i = 0; i < rows->n; ++i) {
    const struct hexcc_row *row = &rows->all[i];
    memcpy(dense + row->number * width + row->first, row->begin + row->first, row->end - row->first);
  }
  return dense;
}

// Copies what is written from such an array back to the rows.
__attribute__((unused)) static inline void hexcc_scatter(const struct hexcc_rows *rows, const char *dense, size_t width) {
  for (size_t i = 0; i < rows->n; ++i) {
    const struct hexcc_row *row = &rows->all[i];
    if (row->first_written < row->end_written)
      memcpy(row->begin + row->first_written, dense + row->number * width + row->first_written, row->end_written - row->first_written);
  }
}
