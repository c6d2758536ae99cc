// The GPUs of this process: a thread of the host for each, and copies from GPU to GPU.
namespace hexcc_slabs {

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

struct Slab : Share {
  Team &team;
  int device = 0;
  cudaEvent_t computed = nullptr, copied = nullptr; // rows of this slab, and those beside it
  const Rows *planes = nullptr;

  Slab(const Domain &domain, int number_, Team &team_) : Share(domain, number_), team(team_) {}

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

  // Renews the rows beside the slab in some planes, which all slabs give alike. In order on a stream of each.
  template <int N> cudaError_t exchange(const Rows (&own_planes)[N], cudaStream_t stream) {
    right = beside - rim;
    if (team.size == 1 || right == 0) return renew_alone(own_planes, stream);
    planes = own_planes;
    cudaError_t error = cudaEventRecord(computed, stream);
    team.meet();
    for (int side = -1; side <= 1; side += 2) {
      if (neighbour(side) < 0) continue;
      const Slab &other = *team.slabs[neighbour(side)];
      if (error == cudaSuccess) error = cudaStreamWaitEvent(stream, other.computed, 0);
      const long long n = beside - rim, to = side < 0 ? rim : rows - beside, from = side < 0 ? other.rows - beside - n : beside;
      for (int p = 0; p < N && error == cudaSuccess; ++p)
        error = cudaMemcpyPeerAsync((char *)planes[p].first + to * planes[p].bytes, device, (char *)other.planes[p].first + from * planes[p].bytes, other.device, n * planes[p].bytes, stream);
    }
    if (error == cudaSuccess) error = cudaEventRecord(copied, stream);
    team.meet();
    for (int side = -1; side <= 1; side += 2)
      if (error == cudaSuccess && neighbour(side) >= 0) error = cudaStreamWaitEvent(stream, team.slabs[neighbour(side)]->copied, 0);
    return error;
  }

  // Some rows, between a plane of an array and the program.
  cudaError_t move(long long from, long long until, void *plane, const Form &form, void *program, bool back) const {
    return each(from, until, form, [&](long long row, long long at, size_t lines) { return copy((char *)plane + (row - first) * form.row, form.line, (char *)program + at * form.lines * form.width, form.width, lines, back); });
  }

  // What the slab has of a plane of an array of `extent` rows, from the program.
  cudaError_t enter(void *plane, const Form &form, const void *program, long long extent) const { return move(enters_from(), enters_until(extent), plane, form, (void *)program, false); }

  // Its own rows, to the program.
  cudaError_t leave(void *plane, const Form &form, void *program, long long extent) const { return move(leaves_from(), leaves_until(extent), plane, form, program, true); }

  // An array that every GPU has as a whole.
  cudaError_t enter_whole(void *array, size_t pitch, const void *program, size_t width, size_t lines) const { return copy(array, pitch, (void *)program, width, lines, false); }
};

// Ends the program: what other threads wait for will not come.
[[noreturn]] static void fail(const char *name, int device, const char *what, cudaError_t error) {
  fprintf(stderr, "%s: GPU %d: %s: %s\n", name, device, what, cudaGetErrorString(error));
  fflush(nullptr);
  _Exit(EXIT_FAILURE);
}

// Shares rows `low` to `high` among so many GPUs, or all (0), and calls `work` for the slab of each, on a thread of its own.
// Where there are more slabs than GPUs, some have several.
template <typename Work> void share(const char *name, int gpus, long long low, long long high, long long launch, long long launches, long long rim, bool ring, Work work) {
  int devices = 0;
  const cudaError_t error = cudaGetDeviceCount(&devices);
  if (error != cudaSuccess || devices < 1) fail(name, 0, "finding GPUs", error);
  gpus = wanted(gpus);
  const Domain domain = divided(low, high, gpus > 0 ? gpus : devices, launch, launches, rim, ring);
  Team team{(int)domain.slabs};
  std::vector<std::thread> threads;
  const auto run = [&](int number) {
    Slab &slab = *(team.slabs[number] = new Slab(domain, number, team));
    slab.device = number % devices;
    const auto check = [&](cudaError_t error, const char *what) {
      if (error != cudaSuccess) fail(name, slab.device, what, error);
    };
    check(cudaSetDevice(slab.device), "choosing the GPU");
    for (int side = -1; side <= 1; side += 2) {
      const int other = slab.neighbour(side), device = other % devices;
      int can = 0;
      if (other < 0 || device == slab.device) continue;
      check(cudaDeviceCanAccessPeer(&can, slab.device, device), "asking for its neighbour");
      if (can && cudaDeviceEnablePeerAccess(device, 0) != cudaSuccess) cudaGetLastError(); // it is, or copies go through the host
    }
    check(slab.create(), "creating streams");
    check(cudaEventCreateWithFlags(&slab.computed, cudaEventDisableTiming), "creating an event");
    check(cudaEventCreateWithFlags(&slab.copied, cudaEventDisableTiming), "creating an event");
    team.meet();
    work(slab);
    team.meet();
    cudaEventDestroy(slab.computed), cudaEventDestroy(slab.copied), slab.destroy();
    delete &slab;
  };
  team.slabs.resize(team.size);
  int device = 0;
  cudaGetDevice(&device);
  for (int number = 1; number < team.size; ++number) threads.emplace_back(run, number);
  run(0);
  for (std::thread &thread : threads) thread.join();
  cudaSetDevice(device);
}

} // namespace hexcc_slabs

