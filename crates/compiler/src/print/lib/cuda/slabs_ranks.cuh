// Rank 0 runs the program, the others wait for slabs. MPI starts the ranks, and tells them what rank 0 calls.
namespace hexcc_slabs {

static int ranks = 1, rank = 0, device_of_rank = 0;
static ncclComm_t nccl = nullptr;

// Ends all ranks: what others wait for will not come.
[[noreturn]] static void fail(const char *name, int device, const char *what, const char *why) {
  fprintf(stderr, "%s: rank %d, GPU %d: %s: %s\n", name, rank, device, what, why);
  fflush(nullptr);
  MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  _Exit(EXIT_FAILURE);
}

[[noreturn]] static void fail(const char *name, int device, const char *what, cudaError_t error) { fail(name, device, what, cudaGetErrorString(error)); }

// What rank 0 calls: a function, by its distance from another one of the program, how many bytes it is given, and what is shared.
struct Call {
  long long function, bytes;
  Domain domain;
};

struct Slab : SlabOfRank {
  const int device = device_of_rank;
  void *staged = nullptr; // rows on their way to other ranks, in rank 0
  size_t staged_bytes = 0;

  Slab(const Domain &domain_, int number_, const Team &team_) : SlabOfRank(domain_, number_, team_) {}

  // Lines of `pitch` bytes on a GPU from the program that rank 0 runs to another rank's `on_gpu`, or back; a share of them at a time.
  cudaError_t send(int other, void *on_gpu, size_t pitch, char *program, size_t width, size_t lines, bool back) {
    const size_t most = (size_t(64) << 20) / pitch + 1;
    cudaError_t error = cudaSuccess;
    if (number == 0 && staged_bytes < most * pitch) {
      cudaFree(staged), staged = nullptr;
      error = cudaMalloc(&staged, staged_bytes = most * pitch);
    }
    for (size_t line = 0; line < lines && error == cudaSuccess; line += most) {
      const size_t n = lines - line < most ? lines - line : most;
      void *const own = number == 0 ? staged : (char *)on_gpu + line * pitch;
      if (number == 0 && !back) error = copy(own, pitch, program + line * width, width, n, false);
      if (error == cudaSuccess && number == 0 && !back) error = cudaDeviceSynchronize();
      if (error == cudaSuccess) error = checked((number == 0) != back ? ncclSend(own, n * pitch, ncclChar, number == 0 ? other : 0, nccl, stream) : ncclRecv(own, n * pitch, ncclChar, number == 0 ? other : 0, nccl, stream));
      if (error == cudaSuccess) error = cudaStreamSynchronize(stream);
      if (error == cudaSuccess && number == 0 && back) error = copy(own, pitch, program + line * width, width, n, true);
    }
    return error;
  }

  // Some rows of each slab, between a plane there and the program.
  cudaError_t move(void *plane, const Form &form, char *program, long long extent, bool back) {
    cudaError_t error = cudaSuccess;
    for (int other = 0; other < team.size && error == cudaSuccess; ++other) {
      if (number != 0 && number != other) continue;
      const Share share(domain, other);
      const long long from = back ? share.leaves_from() : share.enters_from(), until = back ? share.leaves_until(extent) : share.enters_until(extent);
      error = share.each(from, until, form, [&](long long row, long long at, size_t lines) {
        char *const there = (char *)plane + (row - share.first) * form.row, *const here = program + at * form.lines * form.width;
        return other == 0 ? copy(there, form.line, here, form.width, lines, back) : send(other, there, form.line, here, form.width, lines, back);
      });
    }
    return error;
  }

  // What slabs have of a plane of an array of `extent` rows, from the program.
  cudaError_t enter(void *plane, const Form &form, const void *program, long long extent) { return move(plane, form, (char *)program, extent, false); }

  // Their own rows, to the program.
  cudaError_t leave(void *plane, const Form &form, void *program, long long extent) { return move(plane, form, (char *)program, extent, true); }

  // An array that every GPU has as a whole.
  cudaError_t enter_whole(void *array, size_t pitch, const void *program, size_t width, size_t lines) {
    cudaError_t error = number == 0 ? copy(array, pitch, (void *)program, width, lines, false) : cudaSuccess;
    for (int other = 1; other < team.size && error == cudaSuccess; ++other)
      if (number == 0 || number == other) error = send(other, array, pitch, (char *)program, width, lines, false);
    return error;
  }
};

// What ranks do for a call: `work` is what rank 0 has, byte by byte.
template <typename Work> void on_rank(Slab &slab, const void *work) { (*(const Work *)work)(slab); }

// Where functions are counted from: they lie elsewhere in the memory of each rank, but at the same distances.
static void origin() {}

// Calls a function for the slab of this rank, if it has one.
static void run(const Call &call, const void *work) {
  const char *const name = "hexcc";
  Team team{(int)call.domain.slabs, MPI_COMM_WORLD, nccl};
  if (team.size < ranks) MPI_Comm_split(MPI_COMM_WORLD, rank < team.size ? 0 : MPI_UNDEFINED, rank, &team.comm);
  if (rank >= team.size) return;
  cudaError_t error = cudaSetDevice(device_of_rank);
  if (error != cudaSuccess) fail(name, device_of_rank, "choosing the GPU", error);
  Slab slab(call.domain, rank, team);
  error = slab.create();
  if (error != cudaSuccess) fail(name, slab.device, "creating streams", error);
  ((void (*)(Slab &, const void *))((intptr_t)&origin + (intptr_t)call.function))(slab, work);
  cudaFree(slab.staged), slab.destroy();
  if (team.size < ranks) MPI_Comm_free(&team.comm);
}

// Tells the other ranks of a call, or, without a function, that the program ends.
static void tell(Call call, const void *work) {
  MPI_Bcast(&call, sizeof call, MPI_BYTE, 0, MPI_COMM_WORLD);
  if (call.bytes > 0) MPI_Bcast((void *)work, (int)call.bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}

// Has NCCL connect each rank with its neighbours and with rank 0, which takes long where rows first travel.
static cudaError_t connect() {
  char *bytes = nullptr;
  cudaError_t error = cudaMalloc((void **)&bytes, 2);
  if (error != cudaSuccess) return error;
  ncclResult_t result = ncclGroupStart();
  for (int other = 0; other < ranks && result == ncclSuccess; ++other) {
    const int apart = (other - rank + ranks) % ranks;
    if (apart == 0 || (rank != 0 && other != 0 && apart != 1 && apart != ranks - 1)) continue;
    result = ncclSend(bytes, 1, ncclChar, other, nccl, 0);
    if (result == ncclSuccess) result = ncclRecv(bytes + 1, 1, ncclChar, other, nccl, 0);
  }
  const ncclResult_t ended = ncclGroupEnd();
  error = checked(result == ncclSuccess ? ended : result);
  if (error == cudaSuccess) error = cudaDeviceSynchronize();
  cudaFree(bytes);
  return error;
}

static void end() {
  if (rank == 0) tell(Call{}, nullptr);
  if (nccl) ncclCommDestroy(nccl);
  MPI_Finalize();
}

// Begins the program: in rank 0 it goes on, the other ranks end here.
static void begin() {
  const char *const name = "hexcc";
  MPI_Init(nullptr, nullptr);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks), MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm here;
  int devices = 0;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &here);
  MPI_Comm_rank(here, &device_of_rank), MPI_Comm_free(&here);
  cudaError_t error = cudaGetDeviceCount(&devices);
  if (error != cudaSuccess) fail(name, 0, "finding GPUs", error);
  if (device_of_rank >= devices) fail(name, device_of_rank, "choosing the GPU", "this host has more ranks than GPUs");
  error = cudaSetDevice(device_of_rank);
  if (error != cudaSuccess) fail(name, device_of_rank, "choosing the GPU", error);
  ncclUniqueId id;
  if (rank == 0) error = checked(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  if (error == cudaSuccess) error = checked(ncclCommInitRank(&nccl, ranks, id, rank));
  if (error == cudaSuccess) error = connect();
  if (error != cudaSuccess) fail(name, device_of_rank, "starting NCCL", error);
  if (rank == 0) {
    atexit(end);
    return;
  }
  std::vector<char> work;
  for (Call call;;) {
    MPI_Bcast(&call, sizeof call, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (!call.function) break;
    work.resize(call.bytes);
    MPI_Bcast(work.data(), (int)call.bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    run(call, work.data());
  }
  end();
  _Exit(EXIT_SUCCESS);
}

// Shares rows `low` to `high` among the ranks; `work`, of which each has a copy, is called for the slab of each.
template <typename Work> void share(const char *, int, long long low, long long high, long long launch, long long launches, long long rim, bool ring, Work work) {
  static_assert(std::is_trivially_copyable<Work>::value, "what ranks are given is bytes");
  const intptr_t function = (intptr_t)&on_rank<Work> - (intptr_t)&origin;
  const Call call{(long long)function, (long long)sizeof work, divided(low, high, ranks, launch, launches, rim, ring)};
  tell(call, &work);
  run(call, &work);
}

} // namespace hexcc_slabs

