[[maybe_unused]] static void *allocate_row(size_t bytes) {
  if (bytes < SMALL || bytes >= LONGEST) return allocate(bytes);
  if (void *const first = early(bytes)) return first;
  if (hexcc_gate::keeps(bytes)) return malloc(bytes);
