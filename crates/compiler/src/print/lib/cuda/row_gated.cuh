[[maybe_unused]] static void *allocate_row(size_t bytes) {
  if (bytes < SMALL || bytes >= LONGEST || hexcc_gate::keeps(bytes)) return allocate(bytes);
