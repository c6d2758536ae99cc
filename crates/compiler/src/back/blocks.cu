using Element = @Element@;
constexpr int V = @V@, R = @R@, WARPS = @WARPS@; // columns (@k@) of a lane, rows (@j@) of a warp, warps of a block
constexpr int THREADS = 32 * WARPS, COLS = 32 * V, ROWS = R * WARPS;
constexpr int STEPS = @STEPS@; // T: time steps of a launch; others take one
constexpr int RI = @RI@, RJ = @RJ@, RK = @RK@; // how far cells read along @i@, @j@ and @k@
constexpr int LATE = @LATE@, HELD = @HELD@; // planes that a level waits longer, for rows of other warps; of a level in registers
constexpr int BACK = @BACK@, STAGES = @STAGES@; // planes in shared memory: read before the newest, all of level 0
constexpr int PAGES = BACK + LATE + 1; // planes of the other levels' outer rows there
constexpr int QUAD = 16 / sizeof(Element), UNIT = 32 / sizeof(Element), LINE = 128 / sizeof(Element);
constexpr unsigned long long FIXED_COLUMNS = @FIXED_COLUMNS@; // columns of a lane that can lie beside the domain, bit by bit
constexpr unsigned long long FIXED_ROWS = @FIXED_ROWS@;    // rows of a warp that can
@BESIDE@
@HIGH@
__host__ __device__ constexpr int round_up(int x, int to) { return (x + to - 1) / to * to; }
__host__ __device__ constexpr int wrap(int x, int n) { return (x % n + n) % n; }
__host__ __device__ constexpr bool bit(unsigned long long set, int n) { return set >> n & 1; }
// How tiles of T time steps overlap, and what they need of shared memory, in elements.
template <int Steps> struct Shape {
  static constexpr int HK = round_up(Steps * RK, QUAD), HJ = (Steps - 1) * RJ; // columns and rows before the results
  static constexpr int VK = (COLS - HK - Steps * RK) / UNIT * UNIT, VJ = ROWS - 2 * HJ; // columns and rows of results
  static constexpr int LAG = Steps * RI + (Steps - 1) * LATE; // planes between loading and storing
  static constexpr int PLANE = round_up((ROWS + 2 * RJ) * COLS, LINE), PAGE = (Steps - 1) * WARPS * 2 * RJ * COLS;
  static constexpr int PAD = round_up(HJ * VK, LINE) - HJ * VK, DUMP = PAD + ROWS * VK; // aligns results; what follows is not stored
  // Warps of the last tile that start behind the domain, and lanes with columns of the halo.
  static constexpr int BEHIND = HJ > R ? (HJ + R - 1) / R : 1, BESIDE = (COLS - VK + V - 2) / V + 1;
  static constexpr int OUT = Steps == 1 ? 0 : round_up(DUMP + (R - 1) * VK + WARPS * BESIDE, LINE);
  static constexpr int BYTES = (STAGES * PLANE + 3 * OUT + PAGES * PAGE) * (int)sizeof(Element) + (STAGES + 1) * 8;
};
// Sizes, scalars and device arrays.
struct Args {
@ARGS@};
// One launch: from one buffer to the other.
struct Pass {
  CUtensorMap loads, stores; // of the same planes, for TMA
  const Element *from;
  Element *to;
  long long row, plane; // elements from one to the next
  int n_i, n_j, n_k, lo_i, hi_i, lo_j, hi_j, lo_k, hi_k; // cells of a buffer; those computed, hi is the first behind them
@RESULTS@
  int k_first, k_step; // first column stored, columns from tile to tile
  int tiles_j, tiles_k, chunks, length, major; // tiles beside each other, one behind the other, their planes; GPU generation
};
@UPDATE@// V columns of a row, aligned for accesses as wide as they can be, and the same with those beside them.
constexpr int WIDTH = V % QUAD == 0 ? QUAD : V * sizeof(Element) % 8 == 0 ? 8 / (int)sizeof(Element) : 1;
struct alignas(WIDTH * sizeof(Element)) Row { Element x[V]; };
struct Wide { Element x[V + 2 * RK]; __device__ __forceinline__ Element &operator[](int column) { return x[RK + column]; } };
// Takes the columns beside a lane's own from the lanes that own them.
__device__ __forceinline__ Wide widen(const Row &row, bool left, bool right) {
  Wide x;
  for (int v = 0; v < V; ++v) x[v] = row.x[v];
#pragma unroll
  for (int c = 1; c <= RK; ++c) {
    const int away = (c + V - 1) / V;
    if (left) x[-c] = __shfl_up_sync(~0u, row.x[V * away - c], away);
    if (right) x[V - 1 + c] = __shfl_down_sync(~0u, row.x[c - 1 - V * (away - 1)], away);
  }
  return x;
}
#if __CUDA_ARCH__ >= 900 // One thread moves whole planes by TMA; warps wait for each other at split barriers.
__device__ __forceinline__ unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ __forceinline__ void await(unsigned long long *barrier, int parity) {
  asm volatile("{ .reg .pred done;\nagain: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@!done bra again; }"
               ::"r"(shared_address(barrier)), "r"(parity) : "memory");
}
__device__ __forceinline__ void prepare(unsigned long long *loaded) {
  for (int q = 0; q <= STAGES && threadIdx.x == 0; ++q) // the last one is `published`
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(loaded + q)), "r"(q < STAGES ? 1 : WARPS));
  asm volatile("fence.mbarrier_init.release.cluster;\nfence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
}
__device__ __forceinline__ void load_plane(Element *to, const Pass &pass, int k, int j, int i, bool wanted, unsigned long long *loaded) {
  if (threadIdx.x == 0 && wanted)
    asm volatile("{ .reg .b64 t; mbarrier.arrive.expect_tx.shared::cta.b64 t, [%5], %6; }\n"
                 "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5];"
                 ::"r"(shared_address(to)), "l"(&pass.loads), "r"(k), "r"(j), "r"(i), "r"(shared_address(loaded)),
                 "r"((ROWS + 2 * RJ) * COLS * (int)sizeof(Element)) : "memory");
}
template <class S> __device__ __forceinline__ void store_plane(const Element *from, const Pass &pass, int k, int j, int i) {
  if (threadIdx.x == 0)
    asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%1, %2, %3}], [%4];\ncp.async.bulk.commit_group;"
                 ::"l"(&pass.stores), "r"(k - pass.k_first), "r"(j - @FIRST@), "r"(i - pass.lo_i), "r"(shared_address(from)) : "memory");
}
// What a warp has written so far in shared memory is for others and for TMA.
__device__ __forceinline__ void publish() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
__device__ __forceinline__ void arrive(unsigned long long *published) {
  publish();
  if (threadIdx.x == 0) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
  __syncwarp();
  if (threadIdx.x % 32 == 0) asm volatile("{ .reg .b64 t; mbarrier.arrive.shared::cta.b64 t, [%0]; }" ::"r"(shared_address(published)) : "memory");
}
__device__ __forceinline__ void wait_published(unsigned long long *published, int i) { if (i > 0) await(published, (i - 1) & 1); }
__device__ __forceinline__ void wait_loaded(unsigned long long *loaded, int parity) { await(loaded, parity); }
__device__ __forceinline__ void wait_stored() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }
#else // All threads move planes, 16 bytes at a time, with one barrier in a step.
__device__ __forceinline__ void prepare(unsigned long long *) {}
__device__ __forceinline__ void load_plane(Element *to, const Pass &pass, int k, int j, int i, bool wanted, unsigned long long *) {
  for (int q = QUAD * threadIdx.x; q < (ROWS + 2 * RJ) * COLS && i >= 0 && i < pass.n_i && wanted; q += QUAD * THREADS) {
    const int row = j + q / COLS, column = k + q % COLS;
    if (row >= 0 && row < pass.n_j && column >= 0 && column < pass.n_k)
      __pipeline_memcpy_async(to + q, pass.from + i * pass.plane + row * pass.row + column, 16);
  }
  __pipeline_commit();
}
template <class S> __device__ __forceinline__ void store_plane(const Element *from, const Pass &pass, int k, int j, int i) {
  for (int q = QUAD * threadIdx.x; q < S::VJ * S::VK; q += QUAD * THREADS) {
    const int row = j + q / S::VK, column = k + q % S::VK;
    if (row < pass.hi_j && column < pass.hi_k) *(int4 *)(pass.to + i * pass.plane + row * pass.row + column) = *(const int4 *)(from + q);
  }
}
__device__ __forceinline__ void publish() {} __device__ __forceinline__ void arrive(unsigned long long *) {}
__device__ __forceinline__ void wait_published(unsigned long long *, int) { __pipeline_wait_prior(STAGES - 2 - BACK), __syncthreads(); }
__device__ __forceinline__ void wait_loaded(unsigned long long *, int) {} __device__ __forceinline__ void wait_stored() {}
#endif
template <int Steps>
__global__ void __launch_bounds__(THREADS, @MIN_BLOCKS@) kernel(const __grid_constant__ Args args, const __grid_constant__ Pass pass) {
  using S = Shape<Steps>;
  extern __shared__ __align__(128) unsigned char memory[];
  Element *const ring = (Element *)memory;             // [STAGES][ROWS + 2 * RJ][COLS]: level 0
  Element *const outs = ring + STAGES * S::PLANE;      // [3][ROWS][VK]: level T
  Element *const pages = outs + 3 * S::OUT;            // [PAGES][T - 1][WARPS][2 * RJ][COLS]: outer rows of the levels between
  unsigned long long *const loaded = (unsigned long long *)(pages + PAGES * S::PAGE), *const published = loaded + STAGES; // barriers
  const int lane = threadIdx.x % 32, warp = __shfl_sync(~0u, (int)threadIdx.x / 32, 0); // one number for the whole warp
  const int tile_k = blockIdx.x % pass.tiles_k, tile_j = blockIdx.x / pass.tiles_k % pass.tiles_j;
  const int k_store = pass.k_first + tile_k * pass.k_step; // the first column stored; k0 and j0: the first ones computed
  int k0 = k_store - S::HK, j0 = @FIRST@ - S::HJ;
  if (Steps > 1 && pass.hi_k < k0 + COLS) k0 = pass.hi_k - align_high(pass.hi_k - k0);
  // The first tile starts at the low boundary; the others lie so that a warp of the last one starts behind the high one.
  const int last = pass.hi_j - (WARPS - S::BEHIND) * R;
  if (tile_j > 0) j0 = tile_j == pass.tiles_j - 1 ? last : max(@LOWEST@, last - (pass.tiles_j - 1 - tile_j) * S::VJ);
  const int begin = pass.@FROM@ + (int)(blockIdx.x / (pass.tiles_k * pass.tiles_j)) * pass.length, end = min(begin + pass.length, pass.@UNTIL@);
  const int first = begin - Steps * RI, steps = round_up(end - begin + Steps * RI + S::LAG, HELD); // planes loaded
  // Which of my cells lie beside the domain: they keep their value at every level.
  const int column = lane * V, j_mine = j0 + warp * R;
  bool fixed_k[V], fixed_j[R], result[V];
  for (int v = 0; v < V; ++v) fixed_k[v] = k0 + column + v < pass.lo_k || k0 + column + v >= pass.hi_k;
  for (int r = 0; r < R; ++r) fixed_j[r] = j_mine + r < pass.lo_j || j_mine + r >= pass.hi_j;
  // A cell of level t + 1 in plane i. Level T is cut off at the domain, along @k@ at the next 16 bytes only.
  auto keep = [&](Element value, Element old, int t, int i, int r, int v) {
    bool fixed = bit(FIXED_COLUMNS, v) && fixed_k[v];
    if (t + 1 < Steps) fixed = fixed || i < pass.lo_i || i >= pass.hi_i || (bit(FIXED_ROWS, r) && fixed_j[r]);
    return Steps > 1 && fixed ? old : value;
  };
  const Element *const my_ring = ring + (warp * R + RJ) * COLS + column;
  Element *const my_page = pages + warp * 2 * RJ * COLS + column;
  const Element *const page_above = my_page - (warp > 0 ? RJ * COLS : 0);
  const Element *const page_below = my_page + (warp < WARPS - 1 ? 2 * RJ * COLS : 0);
  const int beside = wrap(lane - (k_store + S::VK - k0) / V, 32);
  Element *my_out[V]; // columns of the halo go where nothing is stored from, each lane's to a word of its own
  for (int v = 0; v < V; ++v) {
    const int c = k0 + column + v - k_store;
    result[v] = c >= 0 && c < S::VK;
    my_out[v] = outs + (result[v] ? S::PAD + c : S::DUMP + beside) + warp * (result[v] ? R * S::VK : S::BESIDE);
  }
  auto load = [&](int step, int slot) { load_plane(ring + slot * S::PLANE, pass, k0, j0 - RJ, first + step, step < steps, loaded + slot); };
  auto store = [&](int step, int out) {
    const int i = first + step - S::LAG;
    if (Steps > 1 && i >= begin && i < end) store_plane<S>(outs + out * S::OUT + S::PAD + S::HJ * S::VK, pass, k_store, j0 + S::HJ, i);
  };
  prepare(loaded);
  for (int q = 0; q < STAGES; ++q) load(q, q);
@STATE@
  int slot = 0, parity = 0, page = 0, out = 0; // this step's places in the ring, the pages and `outs`
#pragma unroll 1
  for (int n = 0; n < steps; n += HELD) {
#pragma unroll
    for (int newest = 0; newest < HELD; ++newest) {
      const int i = n + newest, source = first + i; // the plane of level 0 that enters
      auto slot_before = [&](int age) { return slot < age ? slot - age + STAGES : slot - age; };
      auto page_before = [&](int age) { return page < age ? page - age + PAGES : page - age; };
      wait_published(published, i);
      if (i > 1) store(i - 2, out == 2 ? 0 : out + 1);
      if (i > BACK) load(i - 1 - BACK + STAGES, slot_before(1 + BACK));
      wait_loaded(loaded + slot, parity);
      const Element *const in = my_ring + slot * S::PLANE;
      // Row r of level t, `age` steps after it was made; rows of other warps come from shared memory.
      auto row = [&](const Row (&held)[R], int t, int r, int age) __attribute__((always_inline)) {
        const int at = page_before(age) * S::PAGE + (t - 1) * WARPS * 2 * RJ * COLS;
        if (r >= 0 && r < R) return held[r];
        if (t == 0) return *(const Row *)(my_ring + slot_before(age) * S::PLANE + r * COLS);
        return *(const Row *)(r < 0 ? page_above + at + (r + RJ) * COLS : page_below + at + (r - R) * COLS);
      };
      // Row r of level t + 1 goes on: to other warps, or out.
      auto pass_on = [&](const Row &x, int t, int r) __attribute__((always_inline)) {
        Element *const at = my_page + page * S::PAGE + t * WARPS * 2 * RJ * COLS;
        if (t + 1 < Steps && r < RJ) *(Row *)(at + r * COLS) = x;
        if (t + 1 < Steps && r >= R - RJ) *(Row *)(at + (r - R + 2 * RJ) * COLS) = x;
        if (t + 1 < Steps || (Steps == 1 && (fixed_j[r] || source - RI < begin || source - RI >= end))) return;
        Element *const to = pass.to + (source - RI) * pass.plane + (j_mine + r) * pass.row + (k0 + column);
#pragma unroll
        for (int v = 0; v < V; ++v) {
          if (Steps > 1) my_out[v][out * S::OUT + r * S::VK] = x.x[v];
          else if (result[v] && !fixed_k[v]) to[v] = x.x[v];
        }
      };
      // Outer rows come first: other warps wait for them.
      constexpr int OUTER = 2 * RJ < R ? 2 * RJ : R;
      auto nth_row = [](int n) { return n < RJ ? n : n < OUTER ? R - OUTER + n : n - OUTER + RJ; };
@BODY@
      if (++slot == STAGES) slot = 0, parity ^= 1;
      page = page + 1 == PAGES ? 0 : page + 1, out = out == 2 ? 0 : out + 1;
    }
  }
  // One arrival more would let the barrier run two phases ahead of a warp that still waits.
  publish(), __syncthreads();
  for (int step = steps - 2; step < steps; ++step) store(step, step % 3);
  wait_stored();
}
#ifndef __CUDACC_RTC__
// Whether buffers differ in cells that are never written, which levels would have to tell apart.
__global__ void compare(const @Bits@ *a, const @Bits@ *b, const __grid_constant__ Pass pass, int *differ) {
  for (long long row = blockIdx.x; row < (long long)pass.n_i * pass.n_j; row += gridDim.x) {
    const long long i = row / pass.n_j, j = row % pass.n_j;
    const int written = i >= pass.lo_i && i < pass.hi_i && j >= pass.lo_j && j < pass.hi_j ? pass.hi_k - pass.lo_k : 0;
    for (int n = threadIdx.x, k; n < pass.n_k - written; n += blockDim.x)
      if (k = n < pass.lo_k ? n : n + written, a[row * pass.row + k] != b[row * pass.row + k]) *differ = 1;
  }
}
// Lays tiles out; false where boundaries meet in one in a way that the kernel does not cover.
template <int Steps> bool lay_out(Pass &pass) {
  using S = Shape<Steps>;
  const int high = pass.hi_j - (WARPS - S::BEHIND) * R, low = @FIRST@ - S::HJ;
  if (Steps > 1 && (high < @LOWEST@ || low + ROWS > pass.hi_j)) return false;
  pass.tiles_j = 1 + (high > low ? (high - low + S::VJ - 1) / S::VJ : 0);
  pass.k_first = @FIRST_COLUMN@;
  bool good = false;
  for (pass.k_step = S::VK + UNIT; !good && pass.k_step >= S::HK + 2 * UNIT;) {
    pass.k_step -= UNIT, good = true;
    pass.tiles_k = (@END_COLUMN@ - pass.k_first + pass.k_step - 1) / pass.k_step;
    for (int c = 0; c < pass.tiles_k && Steps > 1; ++c) { // a tile that moves must keep the one boundary, and stay clear of the other
      const int x = pass.hi_k - (pass.k_first + c * pass.k_step - S::HK), aligned = align_high(x);
      if (x < COLS && aligned != x && (aligned + RK > COLS || pass.hi_k - aligned < pass.lo_k)) good = false;
    }
  }
  return good;
}
// Chooses the number of chunks: idle multiprocessors in the last wave cost as much as those that compute.
template <int Steps> cudaError_t plan(Pass &pass) {
  int device = 0, processors = 0, blocks = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess) error = cudaDeviceGetAttribute(&pass.major, cudaDevAttrComputeCapabilityMajor, device);
  if (error == cudaSuccess) error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  if (error == cudaSuccess) error = cudaFuncSetAttribute(kernel<Steps>, cudaFuncAttributeMaxDynamicSharedMemorySize, Shape<Steps>::BYTES);
  if (error == cudaSuccess) error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel<Steps>, THREADS, Shape<Steps>::BYTES);
  const long long at_once = (long long)processors * blocks, height = pass.@UNTIL@ - pass.@FROM@;
  long long best = LLONG_MAX;
  for (long long chunks = 1; chunks <= height && at_once > 0; ++chunks) {
    const long long length = (height + chunks - 1) / chunks, n = (height + length - 1) / length;
    const long long waves = (pass.tiles_j * pass.tiles_k * n + at_once - 1) / at_once;
    const long long cost = waves * round_up((int)length + Steps * RI + Shape<Steps>::LAG, HELD);
    if (cost < best) best = cost, pass.chunks = (int)n, pass.length = (int)length;
  }
  return error == cudaSuccess && best == LLONG_MAX ? cudaErrorLaunchOutOfResources : error;
}
inline cudaError_t tensor_map(CUtensorMap &map, const Pass &pass, const Element *base, int n_k, int n_j, int n_i, unsigned columns, unsigned rows) {
  static decltype(&cuTensorMapEncodeTiled) encode = nullptr;
  cudaDriverEntryPointQueryResult found;
  const cudaError_t error = encode ? cudaSuccess : cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode, 12000, cudaEnableDefault, &found);
  if (error != cudaSuccess || !encode) return error != cudaSuccess ? error : cudaErrorNotSupported;
  const cuuint64_t sizes[] = {(cuuint64_t)n_k, (cuuint64_t)n_j, (cuuint64_t)n_i}, strides[] = {pass.row * sizeof(Element), pass.plane * sizeof(Element)};
  const cuuint32_t box[] = {columns, rows, 1}, ones[] = {1, 1, 1};
  const CUresult result = encode(&map, CU_TENSOR_MAP_DATA_TYPE_@TENSOR@, 3, (void *)base, sizes, strides, box, ones, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                 CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return result == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
}
@WRAP@
// As many launches of T time steps, each from one buffer to the other; `side` is the one that holds the present state.
template <int Steps> cudaError_t advance(const Args &args, Pass &pass, Element *const (&buffers)[2], int &side, long long launches, cudaStream_t stream@SLAB@) {
  using S = Shape<Steps>;
@PLANES@
  cudaError_t error = launches > 0 ? plan<Steps>(pass) : cudaSuccess;
  const int columns = round_up(pass.hi_k - pass.k_first, QUAD); // where TMA would cut them off anyway
  for (; launches > 0 && error == cudaSuccess; --launches, side = 1 - side) {
    pass.from = buffers[side], pass.to = buffers[1 - side];
@EXCHANGE@
    const Element *const stored = pass.to + pass.lo_i * pass.plane + @FIRST@ * pass.row + pass.k_first;
    if (pass.major >= 9) error = tensor_map(pass.loads, pass, pass.from, pass.n_k, pass.n_j, pass.n_i, COLS, ROWS + 2 * RJ);
    if (pass.major >= 9 && error == cudaSuccess) error = tensor_map(pass.stores, pass, stored, columns, pass.hi_j - @FIRST@, pass.hi_i - pass.lo_i, S::VK, S::VJ);
@RUN@
  }
  return error;
}
// Runs the whole computation on device arrays, in order on a stream; waits once, for what `compare` finds.
// Arrays must start, and their rows lie, at multiples of 16 bytes (32 are faster); what pads a row to 16 bytes may be overwritten.
inline cudaError_t @NAME@(const Args &args, cudaStream_t stream@SLAB@) {
@LAUNCH@  if (n_i > INT_MAX / 2 || n_j > INT_MAX / 2 || n_k > INT_MAX / 2) return cudaErrorInvalidValue; // coordinates are of type int
  Pass one{}, many;
  one.row = args.@A@_pitch / sizeof(Element), one.plane = one.row * n_j;
  one.n_i = (int)n_i, one.n_j = (int)n_j, one.n_k = (int)n_k, one.lo_i = (int)i_lo, one.lo_j = (int)j_lo, one.lo_k = (int)k_lo;
  one.hi_i = (int)i_hi + 1, one.hi_j = (int)j_hi + 1, one.hi_k = (int)k_hi + 1, many = one;
  Element *const buffers[2] = {args.@A@, args.@A@ + n_i * one.plane};
  long long steps = t_hi - t_lo + 1, times = steps > STEPS && STEPS > 1 && lay_out<STEPS>(many) ? (steps - 1) / STEPS : 0;
  cudaError_t error = cudaSuccess;
  if (times > 0) {
    int *device_flag = nullptr, differ = 0;
    error = cudaMalloc((void **)&device_flag, sizeof(int));
    if (error == cudaSuccess) error = cudaMemsetAsync(device_flag, 0, sizeof(int), stream);
    if (error == cudaSuccess) compare<<<1024, 128, 0, stream>>>((const @Bits@ *)buffers[0], (const @Bits@ *)buffers[1], one, device_flag);
    if (error == cudaSuccess) error = cudaMemcpyAsync(&differ, device_flag, sizeof(int), cudaMemcpyDeviceToHost, stream);
    if (error == cudaSuccess) error = cudaStreamSynchronize(stream);
    if (cudaFree(device_flag), differ) times = 0;
  }
@DECIDED@
  int side = (int)wrap((int)(t_lo % 2) + @READ@, 2);
  // Both buffers are results in the end, so the last launch takes one step, and launches alternate as steps do.
  if (times % 2 != 0 && STEPS % 2 == 0 && error == cudaSuccess) {
    error = cudaMemcpyAsync(buffers[1 - side], buffers[side], one.plane * n_i * sizeof(Element), cudaMemcpyDeviceToDevice, stream);
    side = 1 - side;
  }
  if (error == cudaSuccess) error = advance<STEPS>(args, many, buffers, side, times, stream@PASSED@);
  lay_out<1>(one);
  return error == cudaSuccess ? advance<1>(args, one, buffers, side, steps - times * STEPS, stream@PASSED@) : error;
}
#endif

