// Several GPUs share the rows of a domain: each has a slab of them, and launches its kernels. Rows beside a slab are
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

// Rows of a plane on a GPU: where the first lies, and how many bytes a row has.
struct Rows {
  void *first;
  size_t bytes;
};

// Rows `low` to `high` of the program in so many slabs, with rows beside each, of which those at the rim are read only. The rows of
// a ring go around: the last slab is the first one's neighbour.
struct Domain {
  long long low, high, slabs, beside, rim;
  bool ring;

  long long begin(long long slab) const { return low + (high - low + 1) * slab / slabs; }
};

// In as many slabs as are wanted, if these have as many rows as neighbours need for `launches`, or for one. A launch needs `launch` rows of neighbours.
static Domain divided(long long low, long long high, long long slabs, long long launch, long long launches, long long rim, bool ring) {
  const long long all = high - low + 1;
  launches = number("HEXCC_EXCHANGE", "a number of launches", launches);
  for (; launches > 1 && all / slabs < launches * launch + rim;) --launches;
  for (; slabs > 1 && (all < slabs || all / slabs < launches * launch + rim);) --slabs;
  return {low, high, slabs, launches * launch + rim, rim, ring};
}

// How rows lie: their bytes and those of a line on a GPU; the bytes of a line in the program, and the lines of a row.
struct Form {
  size_t row, line, width, lines;
};

// A GPU's share: rows `own` to `own + n_own - 1` of the program.
struct Share {
  const Domain domain;
  const int number;
  const long long own, n_own, beside, rim, first, rows;
  // Rows that are written, by their number in the slab.
  const long long begin, end;
  long long right; // rows on either side that hold what neighbours have
  cudaStream_t stream = nullptr, early = nullptr; // of kernels; of those whose results neighbours wait for
  cudaEvent_t started = nullptr, ended = nullptr; // what `early` waits for, and what waits for it

  Share(const Domain &domain_, int number_)
      : domain(domain_), number(number_), own(domain.begin(number)), n_own(domain.begin(number + 1) - own), beside(domain.beside), rim(domain.rim), first(own - beside), rows(n_own + 2 * beside),
        begin(!domain.ring && first + rim < domain.low ? domain.low - first : rim), end(!domain.ring && first + rows - rim > domain.high ? domain.high - first + 1 : rows - rim), right(beside - rim) {}

  // The slab on a side (-1, 1), or -1.
  int neighbour(int side) const {
    const long long other = number + side;
    return (int)(domain.ring ? (other + domain.slabs) % domain.slabs : other < domain.slabs ? other : -1);
  }

  // Rows that a launch writes, by their number in the slab, if so many on either side are a neighbour's.
  long long from(long long more) const { return begin > beside - more ? begin : beside - more; }
  long long until(long long more) const { return end < beside + n_own + more ? end : beside + n_own + more; }

  cudaError_t create() {
    cudaError_t error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    if (error == cudaSuccess) error = cudaStreamCreateWithFlags(&early, cudaStreamNonBlocking);
    if (error == cudaSuccess) error = cudaEventCreateWithFlags(&started, cudaEventDisableTiming);
    return error == cudaSuccess ? cudaEventCreateWithFlags(&ended, cudaEventDisableTiming) : error;
  }
  void destroy() { cudaEventDestroy(started), cudaEventDestroy(ended), cudaStreamDestroy(early), cudaStreamDestroy(stream); }

  // The rows of an array of `extent` that enter the slab, all but those at the rim, which no result needs; and its own.
  long long enters_from() const { return !domain.ring && first + rim < 0 ? 0 : first + rim; }
  long long enters_until(long long extent) const { return domain.ring || first + rows - rim < extent ? first + rows - rim : extent; }
  long long leaves_from() const { return own < 0 ? 0 : own; }
  long long leaves_until(long long extent) const { return own + n_own < extent ? own + n_own : extent; }

  // Calls `part` for parts of some rows that are one behind the other in the program and on the GPU: with the first, with the
  // program's row that it is, and with how many lines there are.
  template <typename Part> cudaError_t each(long long from, long long until, const Form &form, Part part) const {
    const long long all = domain.high - domain.low + 1;
    cudaError_t error = cudaSuccess;
    for (long long n; from < until && error == cudaSuccess; from += n) {
      const long long at = domain.ring ? domain.low + ((from - domain.low) % all + all) % all : from;
      n = domain.ring && domain.high + 1 - at < until - from ? domain.high + 1 - at : until - from;
      if (form.row != form.lines * form.line) n = 1; // a row has further lines
      error = part(from, at, n * form.lines);
    }
    return error;
  }

  // Renews the rows beside the only slab: those of a ring are its own.
  template <int N> cudaError_t renew_alone(const Rows (&planes)[N], cudaStream_t stream) const {
    const long long all = domain.ring ? beside - rim : 0;
    cudaError_t error = cudaSuccess;
    for (long long done = 0, n; done < all; done += n) {
      n = all - done < n_own ? all - done : n_own;
      for (const Rows &plane : planes) {
        const auto renew = [&](long long to, long long from) {
          if (error == cudaSuccess) error = cudaMemcpyAsync((char *)plane.first + to * plane.bytes, (char *)plane.first + from * plane.bytes, n * plane.bytes, cudaMemcpyDeviceToDevice, stream);
        };
        renew(beside - done - n, beside + n_own - n), renew(beside + n_own + done, beside);
      }
    }
    return error;
  }
};

// Copies so many lines of `width` bytes between the program and a GPU, where they are `pitch` bytes apart.
static cudaError_t copy(void *on_gpu, size_t pitch, void *program, size_t width, size_t lines, bool back) {
  if (pitch == width) return back ? cudaMemcpy(program, on_gpu, lines * width, cudaMemcpyDeviceToHost) : cudaMemcpy(on_gpu, program, lines * width, cudaMemcpyHostToDevice);
  return back ? cudaMemcpy2D(program, width, on_gpu, pitch, width, lines, cudaMemcpyDeviceToHost) : cudaMemcpy2D(on_gpu, pitch, program, width, width, lines, cudaMemcpyHostToDevice);
}

// Computes the slab's own rows, by `compute(stream, from, until)`: first those that neighbours need, which travel while the
// others are computed.
template <typename Slab, int N, typename Compute> cudaError_t compute_and_exchange(Slab &slab, const Rows (&results)[N], Compute compute) {
  const long long n = slab.team.size > 1 ? slab.beside - slab.rim : 0, low = slab.neighbour(-1) < 0 ? 0 : n, high = slab.neighbour(1) < 0 ? 0 : n;
  if (low + high == 0 || slab.n_own <= low + high) {
    const cudaError_t error = compute(slab.stream, slab.from(0), slab.until(0));
    return error == cudaSuccess ? slab.exchange(results, slab.stream) : error;
  }
  const long long from = slab.from(0), until = slab.until(0);
  cudaError_t error = cudaEventRecord(slab.started, slab.stream);
  if (error == cudaSuccess) error = cudaStreamWaitEvent(slab.early, slab.started, 0);
  if (error == cudaSuccess && low > 0) error = compute(slab.early, from, from + low);
  if (error == cudaSuccess && high > 0) error = compute(slab.early, until - high, until);
  if (error == cudaSuccess) error = compute(slab.stream, from + low, until - high);
  if (error == cudaSuccess) error = slab.exchange(results, slab.early);
  if (error == cudaSuccess) error = cudaEventRecord(slab.ended, slab.early);
  return error == cudaSuccess ? cudaStreamWaitEvent(slab.stream, slab.ended, 0) : error;
}

} // namespace hexcc_slabs

