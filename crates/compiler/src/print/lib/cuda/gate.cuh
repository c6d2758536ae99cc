// Where loops run: in C, or as kernels on the GPU. The program compares what both take, estimated by sizes and
// by how often it was asked, never by clocks: it decides the same in every run. The environment variable
// HEXCC_RUN_ON decides instead, where it is gpu or host.
namespace hexcc_gate {

// In nanoseconds: what CUDA takes to begin, and a program to hand over shared memory; a launch, waiting for
// it, and copying an array in both directions, with this many bytes in each.
constexpr double START = 3e8, HAND_OVER = 2e7, LAUNCH = 5e3, WAIT = 1e4, COPY = 2e4, BYTES = 10;
// A thread of the GPU is so many times slower than the host; so many of them run at once.
constexpr double SLOWER = 32, THREADS = 2048;

enum Place { AUTO, GPU, HOST };
static bool started = BEGINS_WITH_CUDA; // what CUDA takes to begin is spent
static double saved = 0; // ns that the GPU would have taken less than the host, as far as it counts
static bool on_gpu = false; // these loops run there
[[maybe_unused]] static void (*on_start)() = nullptr; // what is done when CUDA has begun
static bool shares = BEGINS_WITH_CUDA; // memory is the GPU's, too: loops of the host would fetch it page by page

// What HEXCC_RUN_ON says.
static Place asked() {
  const char *place = getenv("HEXCC_RUN_ON");
  if (!place || !*place || strcmp(place, "auto") == 0) return AUTO;
  if (strcmp(place, "gpu") == 0) return GPU;
  if (strcmp(place, "host") == 0) return HOST;
  fprintf(stderr, "HEXCC_RUN_ON=%s: it can be auto, gpu or host\n", place);
  exit(EXIT_FAILURE);
}

static Place &place() {
  static Place place = asked();
  return place;
}

// Lets CUDA begin, once; says so where it cannot, and then everything runs on the host.
static bool starts() {
  static bool is_known = false;
  if (is_known || place() != AUTO) return place() != HOST;
  is_known = true;
  int n = 0;
  void *any = nullptr;
  cudaError_t error = cudaGetDeviceCount(&n);
  if (error == cudaSuccess && n > 0) error = cudaMalloc(&any, 1);
  started = error == cudaSuccess && n > 0;
  cudaFree(any);
  if (started && on_start) on_start();
  if (started) return true;
  cudaGetLastError(); // forgets it
  fprintf(stderr, "hexcc: no GPU can be used; the program's own loops run\n");
  place() = HOST;
  return false;
}

// How many points there are in a box.
template <typename... Sizes> double points(Sizes... sizes) {
  return (1.0 * ... * (sizes > 0 ? (double)sizes : 0.0));
}

// What some loops take, in nanoseconds.
struct Work {
  double host = 0, gpu = 0;

  // Adds loops that take the host so long, with their launches, of so many threads each.
  Work &loops(double ns, double launches, double threads) {
    const double at_once = threads < 1 ? 1 : threads < THREADS ? threads : THREADS;
    host += ns;
    gpu += launches * LAUNCH + ns * SLOWER / at_once;
    return *this;
  }

  // Adds an array that is copied before the kernels and after them.
  Work &copied(double bytes) {
    gpu += COPY + 2 * bytes / BYTES;
    return *this;
  }
};

// Loops of less than a launch may run there, too, as their memory is there: before anything is known, yes.
static bool may_be_small = true;

// Whether the question is worth its time for loops that take the host so many nanoseconds.
[[maybe_unused]] static bool asks(double ns) {
  return ns > LAUNCH + WAIT || may_be_small;
}

// Whether loops run on the GPU. Until CUDA has begun the host goes on as long as the GPU would have saved less
// than that takes: all in all the program never takes more than twice as long as with the better choice.
[[maybe_unused]] static bool pays(const Work &work) {
  if (place() != AUTO) return may_be_small = place() == GPU;
  if (shares) return true;
  const double gain = work.gpu > 0 ? work.host - work.gpu - WAIT : 0, enough = started ? HAND_OVER : START;
  if (on_gpu && !TOGETHER) return gain > 0; // a call brings all that it needs
  // Loops that share memory change over together, and back when the host would have saved as much.
  saved = saved + gain < 0 ? 0 : saved + gain;
  if (saved >= enough) {
    saved = enough;
    on_gpu = starts();
  }
  if (saved == 0) on_gpu = false;
  return may_be_small = on_gpu;
}

// Whether loops run on the GPU now.
[[maybe_unused]] static bool is_on_gpu() {
  return place() == AUTO ? shares || on_gpu : place() == GPU;
}

// Whether memory stays with the host: kernels that use it do not pay yet.
[[maybe_unused]] static bool keeps(size_t bytes) {
  static size_t all = 0;
  if (place() != AUTO) return place() == HOST;
  all += bytes;
  if (WAITS_FOR_LARGE && !started && bytes < (size_t)1 << 20 && all < (size_t)1 << 22) return true;
  shares = starts();
  may_be_small |= shares;
  return !shares;
}

} // namespace hexcc_gate

