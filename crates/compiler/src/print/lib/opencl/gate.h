
// Where loops run: in C, or as kernels on a device of OpenCL. The program compares what both take, estimated by sizes and by
// how often it was asked, never by clocks: it decides the same in every run. The environment variable HEXCC_RUN_ON decides
// instead, where it is gpu or host.
struct hexcc_work { double host, device, copies; };
enum { HEXCC_AUTO, HEXCC_GPU, HEXCC_HOST };

// In nanoseconds: what OpenCL takes to begin, a launch, waiting for it, and copying an array in both directions, with this
// many bytes in each.
#define HEXCC_START 3e8
#define HEXCC_LAUNCH 5e3
#define HEXCC_WAIT 1e4
#define HEXCC_COPY 2e4
#define HEXCC_BYTES 10
// A thread of a GPU is so many times slower than the host; so many of them run at once. On a CPU these are its cores.
static double hexcc_slower = 32, hexcc_threads = 2048;

// How many iterations a loop has.
static inline double hexcc_points(long long n) { return n > 0 ? (double)n : 0.0; }

// Adds loops that take the host so long, with their launches, of so many threads each.
static inline void hexcc_loops(struct hexcc_work *work, double ns, double launches, double threads) {
  const double at_once = threads < 1 ? 1 : threads < hexcc_threads ? threads : hexcc_threads;
  work->host += ns;
  work->device += launches * HEXCC_LAUNCH + ns * hexcc_slower / at_once;
}

// Adds an array that the device does not have.
static inline void hexcc_copied(struct hexcc_work *work, const void *array, double bytes) {
  if (!hexcc_is_resident(array)) work->copies += HEXCC_COPY + 2 * bytes / HEXCC_BYTES;
}

// What HEXCC_RUN_ON says.
static inline int hexcc_asked(void) {
  const char *place = getenv("HEXCC_RUN_ON");
  if (!place || !*place || strcmp(place, "auto") == 0) return HEXCC_AUTO;
  if (strcmp(place, "gpu") == 0) return HEXCC_GPU;
  if (strcmp(place, "host") == 0) return HEXCC_HOST;
  fprintf(stderr, "HEXCC_RUN_ON=%s: it can be auto, gpu or host\n", place);
  exit(EXIT_FAILURE);
}

// Looks for a device; says so where there is none.
static inline int hexcc_starts(void) {
  static int said = 0;
  struct hexcc_program any = {"hexcc", 0, 0, 0, 0, 0, 0};
  struct hexcc_run run = {&any, &said, 1, 0, 0, 0};
  cl_device_type type = 0;
  cl_uint cores = 1;
  if (!hexcc_find_device(&run)) return 0;
  clGetDeviceInfo(hexcc_device, CL_DEVICE_TYPE, sizeof type, &type, 0);
  clGetDeviceInfo(hexcc_device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof cores, &cores, 0);
  if (type & CL_DEVICE_TYPE_CPU) hexcc_slower = 1, hexcc_threads = cores;
  return 1;
}

// Whether loops run as kernels. Until OpenCL has begun the host goes on as long as kernels would have saved less than that
// takes; in a loop with arrays that stay on the device, as long as they would have saved less than the copies take.
static inline int hexcc_pays(struct hexcc_work work) {
  static int asked = -1, started = 0;
  static double saved = 0; // ns, until OpenCL begins
  if (asked < 0) asked = hexcc_asked();
  if (asked != HEXCC_AUTO) return asked == HEXCC_GPU;
  double gain = work.device > 0 ? work.host - work.device - HEXCC_WAIT : 0;
  if (!hexcc_stays) gain -= work.copies;
  if (!started) {
    if (gain > 0) saved += gain;
    if (saved < HEXCC_START) return 0;
    started = hexcc_starts();
    if (!started) asked = HEXCC_HOST;
    return started && gain > 0;
  }
  if (!hexcc_stays) return gain > 0;
  hexcc_saved = hexcc_saved + gain < 0 ? 0 : hexcc_saved + gain;
  if (hexcc_saved > work.copies && !hexcc_stay_pays) hexcc_saved = work.copies + 1, hexcc_stay_pays = 1;
  if (hexcc_saved == 0) hexcc_stay_pays = 0;
  return hexcc_stay_pays;
}
