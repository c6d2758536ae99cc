// Several GPUs: each has a slab of the rows, and a thread of the host that launches its kernels. Rows beside a slab are
// copies of its neighbours', which are renewed before each launch.
namespace hexcc_slabs {

// The number that an environment variable has, which is not 0, or another one.
static long long number(const char *variable, const char *what, long long other) {
  const char *text = getenv(variable);
  if (!text || !*text) return other;
  char *end = nullptr;
  const long n = strtol(text, &end, 10);
  if (!*end && n >= 1 && n <= 1024) return n;
  fprintf(stderr, "%s=%s: it can be %s\n", variable, text, what);
  exit(EXIT_FAILURE);
}

// How many GPUs there are to be: HEXCC_GPUS, or all (0) or so many.
static int wanted(int gpus) {
  const char *text = getenv("HEXCC_GPUS");
  return text && strcmp(text, "all") == 0 ? 0 : (int)number("HEXCC_GPUS", "all or a number of GPUs", gpus);
}

struct Slab;

// What the threads of all slabs share.
struct Team {
  int size;
  std::vector<Slab *> slabs;
  std::atomic<int> arrived{0}, round{0}, against{0};

  // Waits for all threads.
  void meet() {
    const int now = round;
    if (++arrived == size) {
      arrived = 0;
      ++round;
    } else {
      for (int n = 0; round == now; ++n) n < 1000 ? std::this_thread::yield() : std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
  }
};

// Rows of a plane on a GPU: where the first lies, and how many bytes a row has.
struct Rows {
  void *first;
  size_t bytes;
};

// A GPU's share: rows `own` to `own + n_own - 1` of the program, which writes those from `low` to `high`.
struct Slab {
  Team &team;
  const int number;
  const long long own, n_own, low, high, beside, rim, first = own - beside, rows = n_own + 2 * beside;
  // Rows that are written, by their number in the slab.
  const long long begin = first + rim < low ? low - first : rim, end = first + rows - rim > high ? high - first + 1 : rows - rim;
  long long right = beside - rim; // rows on either side that hold what neighbours have
  int device = 0;
  cudaStream_t stream = nullptr;
  cudaEvent_t computed = nullptr, copied = nullptr; // rows of this slab, and those beside it
  const Rows *planes = nullptr;

  // Whether all slabs say so.
  bool all(bool yes) {
    if (team.size == 1) return yes;
    if (!yes) ++team.against;
    team.meet();
    const bool everybody = team.against == 0;
    team.meet();
    if (number == 0) team.against = 0;
    team.meet();
    return everybody;
  }

  // Renews the rows beside the slab in some planes, which all slabs give alike. In order on the stream of each.
  template <int N> cudaError_t exchange(const Rows (&own_planes)[N]) {
    right = beside - rim;
    if (team.size == 1 || right == 0) return cudaSuccess;
    planes = own_planes;
    cudaError_t error = cudaEventRecord(computed, stream);
    team.meet();
    for (int side = -1; side <= 1; side += 2) {
      if (number + side < 0 || number + side >= team.size) continue;
      const Slab &other = *team.slabs[number + side];
      if (error == cudaSuccess) error = cudaStreamWaitEvent(stream, other.computed, 0);
      const long long n = beside - rim, to = side < 0 ? rim : rows - beside, from = side < 0 ? other.rows - beside - n : beside;
      for (int p = 0; p < N && error == cudaSuccess; ++p)
        error = cudaMemcpyPeerAsync((char *)planes[p].first + to * planes[p].bytes, device, (char *)other.planes[p].first + from * planes[p].bytes, other.device, n * planes[p].bytes, stream);
    }
    if (error == cudaSuccess) error = cudaEventRecord(copied, stream);
    team.meet();
    for (int side = -1; side <= 1; side += 2)
      if (error == cudaSuccess && number + side >= 0 && number + side < team.size) error = cudaStreamWaitEvent(stream, team.slabs[number + side]->copied, 0);
    return error;
  }

  // Copies rows `from` to `until - 1` of the program, as far as they are its own or beside, between a plane there and one of the slab.
  // A row is `lines` lines of `width` bytes, which on the GPU are `pitch` bytes apart.
  cudaError_t copy(void *plane, size_t pitch, void *program, size_t width, size_t lines, long long from, long long until, bool back) const {
    if (from >= until) return cudaSuccess;
    char *const on_gpu = (char *)plane + (from - first) * lines * pitch, *const on_host = (char *)program + from * lines * width;
    const size_t n = (until - from) * lines;
    if (pitch == width) return back ? cudaMemcpy(on_host, on_gpu, n * width, cudaMemcpyDeviceToHost) : cudaMemcpy(on_gpu, on_host, n * width, cudaMemcpyHostToDevice);
    return back ? cudaMemcpy2D(on_host, width, on_gpu, pitch, width, n, cudaMemcpyDeviceToHost) : cudaMemcpy2D(on_gpu, pitch, on_host, width, width, n, cudaMemcpyHostToDevice);
  }

  // The rows of an array of `extent` that the slab has, but for those at the rim, which no result needs.
  cudaError_t enter(void *plane, size_t pitch, const void *program, size_t width, size_t lines, long long extent) const {
    const long long from = first + rim, until = first + rows - rim;
    return copy(plane, pitch, (void *)program, width, lines, from < 0 ? 0 : from, until < extent ? until : extent, false);
  }

  // Its own rows of an array of `extent`.
  cudaError_t leave(void *plane, size_t pitch, void *program, size_t width, size_t lines, long long extent) const {
    return copy(plane, pitch, program, width, lines, own < 0 ? 0 : own, own + n_own < extent ? own + n_own : extent, true);
  }
};

// Ends the program: what other threads wait for will not come.
[[noreturn]] static void fail(const char *name, int device, const char *what, cudaError_t error) {
  fprintf(stderr, "%s: GPU %d: %s: %s\n", name, device, what, cudaGetErrorString(error));
  fflush(nullptr);
  _Exit(EXIT_FAILURE);
}

// Shares rows `first` to `last` among so many GPUs, or all (0), and calls `work` for the slab of each, on a thread of its own.
// A launch needs `launch` rows of neighbours. Slabs have at least as many as neighbours need for `launches`, or for one. Where there are
// more slabs than GPUs, some have several.
template <typename Work> void share(const char *name, int gpus, long long first, long long last, long long launch, long long launches, long long rim, Work work) {
  int devices = 0;
  const cudaError_t error = cudaGetDeviceCount(&devices);
  if (error != cudaSuccess || devices < 1) fail(name, 0, "finding GPUs", error);
  gpus = wanted(gpus);
  const long long all = last - first + 1;
  long long n = gpus > 0 ? gpus : devices;
  launches = number("HEXCC_EXCHANGE", "a number of launches", launches);
  for (; launches > 1 && all / n < launches * launch + rim;) --launches;
  for (; n > 1 && (all < n || all / n < launches * launch + rim);) --n;
  const long long beside = launches * launch + rim;
  Team team{(int)n};
  std::vector<std::thread> threads;
  const auto run = [&](int number) {
    const long long begin = first + all * number / n, end = first + all * (number + 1) / n;
    Slab &slab = *(team.slabs[number] = new Slab{team, number, begin, end - begin, first, last, beside, rim});
    slab.device = number % devices;
    const auto check = [&](cudaError_t error, const char *what) {
      if (error != cudaSuccess) fail(name, slab.device, what, error);
    };
    check(cudaSetDevice(slab.device), "choosing the GPU");
    for (int side = -1; side <= 1; side += 2) {
      const int other = number + side, device = (other + devices) % devices;
      int can = 0;
      if (other < 0 || other >= n || device == slab.device) continue;
      check(cudaDeviceCanAccessPeer(&can, slab.device, device), "asking for its neighbour");
      if (can && cudaDeviceEnablePeerAccess(device, 0) != cudaSuccess) cudaGetLastError(); // it is, or copies go through the host
    }
    check(cudaStreamCreateWithFlags(&slab.stream, cudaStreamNonBlocking), "creating a stream");
    check(cudaEventCreateWithFlags(&slab.computed, cudaEventDisableTiming), "creating an event");
    check(cudaEventCreateWithFlags(&slab.copied, cudaEventDisableTiming), "creating an event");
    team.meet();
    work(slab);
    team.meet();
    cudaEventDestroy(slab.computed), cudaEventDestroy(slab.copied), cudaStreamDestroy(slab.stream);
    delete &slab;
  };
  team.slabs.resize(n);
  int device = 0;
  cudaGetDevice(&device);
  for (int number = 1; number < n; ++number) threads.emplace_back(run, number);
  run(0);
  for (std::thread &thread : threads) thread.join();
  cudaSetDevice(device);
}

} // namespace hexcc_slabs

