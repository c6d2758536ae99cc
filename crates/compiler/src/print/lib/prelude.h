// Quotient rounded towards minus infinity.
static inline long long hexcc_floor_div(long long x, long long d) { return x / d - (x % d < 0); }
static inline long long hexcc_lowest(long long x, long long y) { return x < y ? x : y; }
static inline long long hexcc_highest(long long x, long long y) { return x > y ? x : y; }

// Whether arrays do not lie in the same memory, of which one is written. Where they do, it ends the
// program, unless that runs its own loops then: `said` counts how often it has had to.
static inline int hexcc_separate(const void *x, size_t x_bytes, const void *y, size_t y_bytes, const char *what, int *said) {
  if (!x_bytes || !y_bytes || (const char *)y >= (const char *)x + x_bytes || (const char *)x >= (const char *)y + y_bytes) return 1;
  if (!said || !(*said)++) fprintf(stderr, "%s%s\n", what, said ? "; the program's own loops run" : "; made with hexcc --fallback, the program would run its own loops");
  if (!said) exit(EXIT_FAILURE);
  return 0;
}

// Memory for an array that the program declares where it is used.
static inline void *hexcc_memory(size_t bytes, const char *what) {
  void *memory = malloc(bytes);
  if (memory) return memory;
  fprintf(stderr, "%s\n", what);
  exit(EXIT_FAILURE);
}
