
// Where loops run: in C, or shared among threads. The program compares what both take, estimated by sizes and by
// how often it was asked, never by clocks or by how many threads there are: it decides the same in every run. The
// environment variable HEXCC_RUN_ON decides instead, where it is threads (or gpu) or host.
struct hexcc_work { double alone, shared; };

// How many iterations a loop has.
static inline double hexcc_points(long long n) { return n > 0 ? (double)n : 0.0; }

// Adds loops that take one core so many nanoseconds, of which threads share so many at a time, so often.
static inline void hexcc_loops(struct hexcc_work *work, double ns, double times, double iterations) {
  work->alone += ns;
  // Two threads, since more are not slower; a loop takes 20 us to be begun and waited for.
  work->shared += iterations < 2 ? ns : ns / 2 + times * 2e4;
}

static inline int hexcc_is(const char *x, const char *y) {
  while (*x && *x == *y) ++x, ++y;
  return *x == *y;
}

// What HEXCC_RUN_ON says: 0 the host alone, 1 threads, 2 nothing.
static inline int hexcc_asked(void) {
  const char *place = getenv("HEXCC_RUN_ON");
  if (!place || !*place || hexcc_is(place, "auto")) return 2;
  if (hexcc_is(place, "threads") || hexcc_is(place, "gpu")) return 1;
  if (hexcc_is(place, "host")) return 0;
  fprintf(stderr, "HEXCC_RUN_ON=%s: it can be auto, threads, gpu or host\n", place);
  exit(EXIT_FAILURE);
}

// Whether threads share loops. Those that gain little begin when, all in all, they would have gained what it takes
// to make threads.
static inline int hexcc_pays(struct hexcc_work work) {
  static int asked = -1;
  static double gained = 0;
  if (asked < 0) asked = hexcc_asked();
  if (asked != 2) return asked;
  work.shared += 5e4; // a team takes 50 us to begin and to end: less on idle cores, more on busy ones
  if (work.shared >= work.alone) return 0;
  if (gained < 2e5) gained += work.alone - work.shared;
  return gained >= 2e5;
}
