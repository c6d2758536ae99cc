// Quotient rounded towards minus infinity.
static inline long long hexcc_floor_div(long long x, long long d) { return x / d - (x % d < 0); }
static inline long long hexcc_lowest(long long x, long long y) { return x < y ? x : y; }
static inline long long hexcc_highest(long long x, long long y) { return x > y ? x : y; }

// Ends the program where arrays lie in the same memory, of which one is written.
static inline void hexcc_separate(const void *x, size_t x_bytes, const void *y, size_t y_bytes, const char *what) {
  if (!x_bytes || !y_bytes || (const char *)y >= (const char *)x + x_bytes || (const char *)x >= (const char *)y + y_bytes) return;
  fprintf(stderr, "%s\n", what);
  exit(EXIT_FAILURE);
}

// Memory for an array that the program declares where it is used.
static inline void *hexcc_memory(size_t bytes, const char *what) {
  void *memory = malloc(bytes);
  if (memory) return memory;
  fprintf(stderr, "%s\n", what);
  exit(EXIT_FAILURE);
}
