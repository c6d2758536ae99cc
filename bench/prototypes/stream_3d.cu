// A streamed kernel for 3D stencils, in the form in which a generator can print it; check and timing at the end.
//
//   nvcc -O3 -std=c++17 -arch=sm_90 --use_fast_math -DSTENCIL=star3d1r -DREAL=float -DV_=3 -DR_=7 -DWARPS_=8 -DT_=4 stream_3d.cu
//   ./a.out                checks several shapes, then times 512^3 with two chunks of planes (-q 1 2 3: times these only)
//
// With -fmad=false instead of --use_fast_math the results are bit-equal to the naive kernel's. -DREST takes what T does not
// divide, shapes too small for T and buffers that differ outside the domain with T = 1.
//
// A block holds a tile of 32 V columns (k) by WARPS R rows (j) and streams over the planes (i). Each lane keeps V x R
// cells of a few planes of T time levels in registers: level 0 is what the array holds, level T is stored. Tiles overlap:
// the cells that a level spoils at the rim are computed by two tiles. Columns of other lanes come by shuffles, rows of
// other warps through shared memory: every warp publishes its outer rows, arrives at a barrier, works on its inner rows
// and waits for the others only in the next plane. One thread loads and stores whole planes by TMA.
#include <cuda.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <type_traits>

#ifndef REAL
#define REAL float
#endif
#ifndef STENCIL
#define STENCIL star3d1r
#endif
#ifndef V_
#define V_ 3
#endif
#ifndef R_
#define R_ 7
#endif
#ifndef WARPS_
#define WARPS_ 8
#endif
#ifndef T_
#define T_ 4
#endif
#ifndef STAGES_
#define STAGES_ 4
#endif
#ifndef BLOCKS_
#define BLOCKS_ 1
#endif

using real = REAL;
#define DEVICE __device__ __forceinline__
#define BOTH __host__ __device__ constexpr

// ---------------------------------------------------------------------------------------------------------------------
// What depends on the stencil: radii, the list of reads, the expression in the source's order.
// A stencil with CHAIN = true gives its expression in parts, one per plane (see `chain` below).

struct Offset { int di, dj, dk; };

struct star3d1r {
  static constexpr int RI = 1, RJ = 1, RK = 1;
  static constexpr bool CHAIN = false;
  static constexpr Offset READS[] = {{-1, 0, 0}, {0, -1, 0}, {0, 0, -1}, {0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {1, 0, 0}};
  template <class A> static DEVICE real update(A a) {
    return real(0.1248) * a(-1, 0, 0) + real(0.1250) * a(0, -1, 0) + real(0.1252) * a(0, 0, -1) + real(0.2500) * a(0, 0, 0) +
           real(0.1253) * a(0, 0, 1) + real(0.1251) * a(0, 1, 0) + real(0.1246) * a(1, 0, 0);
  }
};

struct star3d2r {
  static constexpr int RI = 2, RJ = 2, RK = 2;
  static constexpr bool CHAIN = false;
  static constexpr Offset READS[] = {{-2, 0, 0}, {-1, 0, 0}, {0, -2, 0}, {0, -1, 0}, {0, 0, -2}, {0, 0, -1}, {0, 0, 0},
                                     {0, 0, 1},  {0, 0, 2},  {0, 1, 0},  {0, 2, 0},  {1, 0, 0},  {2, 0, 0}};
  template <class A> static DEVICE real update(A a) {
    return real(0.0621) * a(-2, 0, 0) + real(0.0622) * a(-1, 0, 0) + real(0.0623) * a(0, -2, 0) + real(0.0624) * a(0, -1, 0) +
           real(0.0625) * a(0, 0, -2) + real(0.0626) * a(0, 0, -1) + real(0.2500) * a(0, 0, 0) + real(0.0627) * a(0, 0, 1) +
           real(0.0628) * a(0, 0, 2) + real(0.0629) * a(0, 1, 0) + real(0.0619) * a(0, 2, 0) + real(0.0618) * a(1, 0, 0) +
           real(0.0638) * a(2, 0, 0);
  }
};

BOTH double weight27(int di, int dj, int dk) { return 0.037 + 0.0001 * (di + 1) + 0.00003 * (dj + 1) - 0.00007 * dk; }

struct j3d27pt {
  static constexpr int RI = 1, RJ = 1, RK = 1;
#ifdef NO_CHAIN
  static constexpr bool CHAIN = false;
#else
  static constexpr bool CHAIN = true;
#endif
  static constexpr Offset READS[] = {
      {-1, -1, -1}, {-1, -1, 0}, {-1, -1, 1}, {-1, 0, -1}, {-1, 0, 0}, {-1, 0, 1}, {-1, 1, -1}, {-1, 1, 0}, {-1, 1, 1},
      {0, -1, -1},  {0, -1, 0},  {0, -1, 1},  {0, 0, -1},  {0, 0, 0},  {0, 0, 1},  {0, 1, -1},  {0, 1, 0},  {0, 1, 1},
      {1, -1, -1},  {1, -1, 0},  {1, -1, 1},  {1, 0, -1},  {1, 0, 0},  {1, 0, 1},  {1, 1, -1},  {1, 1, 0},  {1, 1, 1}};
  // The terms of plane D, added to the sum over the planes before it.
  template <int D, class A> static DEVICE real part(real sum, A a) {
    const real first = real(weight27(D, -1, -1)) * a(-1, -1);
    sum = D == -RI ? first : sum + first;
    return sum + real(weight27(D, -1, 0)) * a(-1, 0) + real(weight27(D, -1, 1)) * a(-1, 1) + real(weight27(D, 0, -1)) * a(0, -1) +
           real(weight27(D, 0, 0)) * a(0, 0) + real(weight27(D, 0, 1)) * a(0, 1) + real(weight27(D, 1, -1)) * a(1, -1) +
           real(weight27(D, 1, 0)) * a(1, 0) + real(weight27(D, 1, 1)) * a(1, 1);
  }
  template <class A> static DEVICE real update(A a) {
    real sum = part<-1>(real(0), [&](int dj, int dk) { return a(-1, dj, dk); });
    sum = part<0>(sum, [&](int dj, int dk) { return a(0, dj, dk); });
    return part<1>(sum, [&](int dj, int dk) { return a(1, dj, dk); });
  }
};

#ifndef MARGIN
#define MARGIN 0  // cells around the domain that are neither written nor read
#endif

using S = STENCIL;
constexpr int RI = S::RI, RJ = S::RJ, RK = S::RK;

// ---------------------------------------------------------------------------------------------------------------------
// Sizes chosen by the compiler.

constexpr int V = V_;            // columns of a lane
constexpr int R = R_;            // rows of a warp
constexpr int WARPS = WARPS_;    // warps of a block
constexpr int STAGES = STAGES_;  // planes of level 0 in shared memory
static_assert(R >= RJ, "rows of other warps come from the next warp only");

constexpr int BYTES = sizeof(real);
BOTH int round_up(int x, int to) { return (x + to - 1) / to * to; }
BOTH int mod(int x, int n) { return (x % n + n) % n; }

// ---- which rows of which planes the reads touch, one bit per (di, dj) ----
BOTH int row_bit(int di, int dj) { return (di + RI) * (2 * RJ + 1) + dj + RJ; }
template <class F> constexpr uint64_t rows_where(F keep) {
  uint64_t bits = 0;
  for (Offset o : S::READS)
    if (keep(o)) bits |= uint64_t(1) << row_bit(o.di, o.dj);
  return bits;
}
template <class F> constexpr int largest(F of) {
  int most = 0;
  for (Offset o : S::READS) most = std::max(most, int(of(o)));
  return most;
}
constexpr uint64_t ROW = rows_where([](Offset) { return true; });
constexpr uint64_t LEFT = rows_where([](Offset o) { return o.dk < 0; });
constexpr uint64_t RIGHT = rows_where([](Offset o) { return o.dk > 0; });
BOTH bool has(uint64_t set, int di, int dj) { return set >> row_bit(di, dj) & 1; }

// A level reads rows of its newest plane that another warp makes: it has to wait a plane longer. (Levels above 0: TMA brings
// level 0 whole.)
constexpr int LATE = largest([](Offset o) { return o.di == RI && o.dj != 0; });
// How many planes back level 0 is read in shared memory. (1: rows are read in the plane's step, after the barrier.)
constexpr int BACK = S::CHAIN ? 0 : std::max(1, largest([](Offset o) { return o.dj != 0 ? RI - o.di : 0; }));
// Planes a level holds. Without LATE the newest replaces the oldest cell by cell if nobody else reads the oldest.
constexpr int HELD = S::CHAIN ? 1 : 2 * RI + std::max(LATE, largest([](Offset o) { return o.di == -RI && o.dj != 0; }));
constexpr int PAGES = BACK + LATE + 1;  // published planes in shared memory
static_assert(STAGES >= BACK + 3, "one plane of reads in flight");

constexpr int COLS = 32 * V, ROWS = R * WARPS;
constexpr int UNIT = 32 / BYTES;  // columns of a 32-byte sector, on which stores start
constexpr int QUAD = 16 / BYTES;  // columns of 16 bytes, on which TMA loads have to start
// With V odd, a tile moves left in steps of QUAD until the domain ends at a lane's first column: `x` columns into the tile.
BOTH int align_high(int x) {
  if constexpr (V % 2 == 1)
    while (x % V) x += QUAD;
  return x;
}

template <int T> struct Shape {
  static constexpr int HK = round_up(T * RK, QUAD);              // columns left of what the tile stores
  static constexpr int HJ = (T - 1) * RJ;                        // rows above it; level 0 comes with RJ more on both sides
  static constexpr int VK = (COLS - HK - T * RK) / UNIT * UNIT;  // columns stored
  static constexpr int VJ = ROWS - 2 * HJ;                       // rows stored
  static constexpr int LAG = T * RI + (T - 1) * LATE;            // planes between loading and storing
  static_assert(VK > 0 && VJ > 0, "all of the tile is halo");
  // Columns of a lane that can hold fixed cells: left of the domain, or right of it. To the right, KEPT columns matter:
  // those read, and cells of the array that share 16 bytes with the domain.
  static constexpr int KEPT = std::max(RK, std::min(QUAD - 1, RK + MARGIN));
  static BOTH bool fixed_column(int v) {
    bool any = V % 2 == 0 || v < KEPT;
    for (int q = 1; q <= RK; q++) any = any || (HK - q) % V == v;
    return any;
  }
  // Rows of a warp that can: above the domain in the first tile, or below it in the last, which ends with a warp's first row.
  static BOTH bool fixed_row(int r) {
    for (int q = 1; q <= RJ; q++)
      if (r == q - 1 || r == mod(HJ - q, R)) return true;
    return false;
  }
  // Shared memory, in elements. TMA wants 128-byte alignment.
  static constexpr int PLANE = round_up((ROWS + 2 * RJ) * COLS, 128 / BYTES);
  static constexpr int PAD = mod(-HJ * VK, 128 / BYTES);  // so that the first row stored is aligned
  static constexpr int DUMP = PAD + ROWS * VK;            // what lies behind it is written, never read
  static constexpr int OUT = round_up(DUMP + (R - 1) * VK + 32, 128 / BYTES);
  static constexpr int PAGE = (T - 1) * WARPS * 2 * RJ * COLS;
  static constexpr int BYTES_SHARED = (STAGES * PLANE + 3 * OUT + PAGES * PAGE) * BYTES + (STAGES + 1) * 8;
};

struct Box { int lo_i, hi_i, lo_j, hi_j, lo_k, hi_k; };
struct Grid { int tiles_j, tiles_k, step_k, chunks, length, pad_k; size_t row, plane; };

// ---------------------------------------------------------------------------------------------------------------------
// Fixed text: barriers, TMA, vector accesses, shuffles.

DEVICE uint32_t shared_address(const void *p) { return uint32_t(__cvta_generic_to_shared(p)); }
DEVICE void barrier_init(uint64_t *b, int count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(b)), "r"(count));
}
DEVICE void barrier_arrive(uint64_t *b) {
  asm volatile("{ .reg .b64 t; mbarrier.arrive.shared::cta.b64 t, [%0]; }" ::"r"(shared_address(b)) : "memory");
}
DEVICE void barrier_expect(uint64_t *b, int bytes) {
  asm volatile("{ .reg .b64 t; mbarrier.arrive.expect_tx.shared::cta.b64 t, [%0], %1; }" ::"r"(shared_address(b)), "r"(bytes) : "memory");
}
DEVICE void barrier_wait(uint64_t *b, uint32_t parity) {
  asm volatile(
      "{ .reg .pred done;\n"
      "again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@!done bra again; }" ::"r"(shared_address(b)), "r"(parity) : "memory");
}
DEVICE void tma_load(real *to, const CUtensorMap *map, int k, int j, int i, uint64_t *b) {
  asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5];" ::"r"(
                   shared_address(to)), "l"(map), "r"(k), "r"(j), "r"(i), "r"(shared_address(b)) : "memory");
}
DEVICE void tma_store(const CUtensorMap *map, int k, int j, int i, const real *from) {
  asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%1, %2, %3}], [%4];" ::"l"(map), "r"(k), "r"(j), "r"(i),
               "r"(shared_address(from)) : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
DEVICE void tma_stores_read() { asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); }
DEVICE void tma_stores_done() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }
DEVICE void fence_for_tma() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

constexpr int WIDTH = V * BYTES % 16 == 0 ? 16 / BYTES : V * BYTES % 8 == 0 ? 8 / BYTES : 1;  // elements of one access
struct alignas(WIDTH * BYTES) Pack { real x[WIDTH]; };
DEVICE void load(real (&to)[V], const real *from) {
#pragma unroll
  for (int v = 0; v < V; v += WIDTH) {
    const Pack p = *reinterpret_cast<const Pack *>(from + v);
#pragma unroll
    for (int q = 0; q < WIDTH; q++) to[v + q] = p.x[q];
  }
}
DEVICE void store(real *to, const real (&from)[V]) {
#pragma unroll
  for (int v = 0; v < V; v += WIDTH) {
    Pack p;
#pragma unroll
    for (int q = 0; q < WIDTH; q++) p.x[q] = from[v + q];
    *reinterpret_cast<Pack *>(to + v) = p;
  }
}
// x[RK..RK+V) are a lane's own columns; fills in the columns of its neighbours.
DEVICE void edges(real (&x)[V + 2 * RK], bool left, bool right) {
#pragma unroll
  for (int q = 1; q <= RK; q++) {
    const int lanes = (q + V - 1) / V, v = lanes * V - q;
    if (left) x[RK - q] = __shfl_up_sync(~0u, x[RK + v], lanes);
    if (right) x[RK + V - 1 + q] = __shfl_down_sync(~0u, x[RK + V - 1 - v], lanes);
  }
}

// ---------------------------------------------------------------------------------------------------------------------

template <int T>
__global__ void __launch_bounds__(32 * WARPS, BLOCKS_)
    stream(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to, real *array, const Box box, const Grid grid) {
  using H = Shape<T>;
  using Q = std::conditional_t<(T > 0), S, void>;  // S, looked at only where it is used
  extern __shared__ __align__(128) unsigned char memory[];
  real *const ring = reinterpret_cast<real *>(memory);  // [STAGES][ROWS + 2 RJ][COLS]
  real *const outs = ring + STAGES * H::PLANE;          // [3][ROWS][VK]
  real *const pages = outs + 3 * H::OUT;                // [PAGES][T - 1][WARPS][2 RJ][COLS]
  uint64_t *const loaded = reinterpret_cast<uint64_t *>(pages + PAGES * H::PAGE);
  uint64_t *const published = loaded + STAGES;

  const int lane = threadIdx.x % 32;
  const int warp = __shfl_sync(~0u, threadIdx.x / 32, 0);
  const bool leader = threadIdx.x == 0;

  // ---- the tile ----
  const int tile_k = blockIdx.x % grid.tiles_k, tile_j = blockIdx.x / grid.tiles_k % grid.tiles_j;
  const int chunk = blockIdx.x / (grid.tiles_k * grid.tiles_j);
  const int store_k = box.lo_k + tile_k * grid.step_k;  // first column stored
  int k0 = store_k - H::HK;                             // first column computed
  if (T > 1 && box.hi_k < k0 + COLS) k0 = box.hi_k - align_high(box.hi_k - k0);
  // The first tile starts at the low boundary, the others are placed from the high one: its first row outside the domain
  // is the first row of a warp. TMA stores want coordinates >= 0 (seen: illegal instruction), which this gives.
  int j0 = box.lo_j - H::HJ;                            // first row computed
  if (tile_j > 0) {
    const int last = box.hi_j - (WARPS - 1) * R;
    j0 = max(box.lo_j, last - (grid.tiles_j - 1 - tile_j) * H::VJ);
    if (tile_j == grid.tiles_j - 1) j0 = last;
  }
  const int begin = box.lo_i + chunk * grid.length, end = min(begin + grid.length, box.hi_i);
  const int first = begin - T * RI;                     // plane loaded in step 0
  const int steps = round_up(end - begin + T * RI + H::LAG, HELD);

  // ---- cells outside the domain keep their value at every level: which of mine are such ----
  bool fixed_k[V];
#pragma unroll
  for (int v = 0; v < V; v++) {
    const int k = k0 + lane * V + v;
    fixed_k[v] = k < box.lo_k || k >= box.hi_k;
  }
  bool fixed_j[R];
#pragma unroll
  for (int r = 0; r < R; r++) {
    const int j = j0 + warp * R + r;
    fixed_j[r] = j < box.lo_j || j >= box.hi_j;
  }
  // Level t + 1 of a cell: `old` is what level t holds there. TMA cuts level T off at the domain, in k to 16 bytes only.
  auto keep = [&](real value, real old, int t, int p, int r, int v) {
    if (T == 1) return value;
    bool fixed = H::fixed_column(v) && fixed_k[v];
    if (t + 1 < T) {
      fixed = fixed || p < box.lo_i || p >= box.hi_i;
      if (H::fixed_row(r)) fixed = fixed || fixed_j[r];
    }
    return fixed ? old : value;
  };

  // ---- where I read and write in shared memory ----
  const int column = lane * V;
  const real *const my_ring = ring + (warp * R + RJ) * COLS + column;
  real *const my_page = pages + warp * 2 * RJ * COLS + column;
  const real *const page_above = my_page - (warp > 0 ? RJ * COLS : 0);
  const real *const page_below = my_page + (warp < WARPS - 1 ? 2 * RJ * COLS : 0);
  real *my_out[V];  // columns of the halo go to a place that is not stored
#pragma unroll
  for (int v = 0; v < V; v++) {
    const int c = column + v + k0 - store_k;
    my_out[v] = outs + (c >= 0 && c < H::VK ? H::PAD + warp * R * H::VK + c : H::DUMP + lane);
  }

  if (leader) {
    for (int q = 0; q < STAGES; q++) barrier_init(loaded + q, 1);
    barrier_init(published, WARPS);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    fence_for_tma();
  }
  __syncthreads();
  auto load_plane = [&](int step, int slot) {
    barrier_expect(loaded + slot, (ROWS + 2 * RJ) * COLS * BYTES);
    tma_load(ring + slot * H::PLANE, &from, k0 + grid.pad_k, j0 - RJ, first + step, loaded + slot);
  };
  if (leader)
    for (int q = 0; q < STAGES && q < steps; q++) load_plane(q, q);
  auto store_plane = [&](int step, int out) {
    const int plane = first + step - H::LAG;
    if (T > 1 && plane >= begin && plane < end)
      tma_store(&to, store_k - box.lo_k, j0 + H::HJ - box.lo_j, plane - box.lo_i, outs + out * H::OUT + H::PAD + H::HJ * H::VK);
  };

  // ---- the state: planes of every level, the newest overwriting the oldest; ----
  // ---- with CHAIN the newest plane and a partial sum for each output that needs later planes ----
  real plane[T][HELD][R][V];
  real sum[S::CHAIN ? T : 1][2 * RI][R][V];
#pragma unroll
  for (int t = 0; t < T; t++)
#pragma unroll
    for (int r = 0; r < R; r++)
#pragma unroll
      for (int v = 0; v < V; v++) {
#pragma unroll
        for (int q = 0; q < HELD; q++) plane[t][q][r][v] = 0;
        if (S::CHAIN)
#pragma unroll
          for (int q = 0; q < 2 * RI; q++) sum[t][q][r][v] = 0;
      }

  int slot = 0, parity = 0;  // of the ring, in this step
  int page = 0, out = 0;     // page to publish on, buffer to store from

  // Age 0 is this step's: where `back` planes older ones lie.
  auto slot_before = [&](int back) { return slot < back ? slot - back + STAGES : slot - back; };
  auto page_before = [&](int back) { return page < back ? page - back + PAGES : page - back; };

  auto step = [&](auto phase, int i) __attribute__((always_inline)) {
    [[maybe_unused]] constexpr int NEW = decltype(phase)::value;  // where the newest plane of a level goes
    const int source = first + i;                                 // plane of level 0

    if (i > 0) barrier_wait(published, (i - 1) & 1);
    if (leader && i > 0) {  // all warps are done with step i - 2 and with the halo rows of step i - 1
      if (i > 1) store_plane(i - 2, out == 2 ? 0 : out + 1);
      const int next = i - 1 - BACK + STAGES;
      if (next >= STAGES && next < steps) load_plane(next, slot_before(1 + BACK));
    }
    barrier_wait(loaded + slot, parity);
    const real *const in = my_ring + slot * H::PLANE;

    // Row r of a level, -RJ <= r < R + RJ, `age` steps after it was made; rows of other warps from shared memory.
    auto row = [&](real (&x)[V + 2 * RK], const real (&held)[R][V], int t, int r, int age) __attribute__((always_inline)) {
      real own[V];
      if (r >= 0 && r < R) {
#pragma unroll
        for (int v = 0; v < V; v++) own[v] = held[r][v];
      } else if (t == 0) {
        load(own, my_ring + slot_before(age) * H::PLANE + r * COLS);
      } else {
        const int at = page_before(age) * H::PAGE + (t - 1) * WARPS * 2 * RJ * COLS;
        load(own, r < 0 ? page_above + at + (r + RJ) * COLS : page_below + at + (r - R) * COLS);
      }
#pragma unroll
      for (int v = 0; v < V; v++) x[RK + v] = own[v];
    };
    auto publish = [&](int t, int r, const real (&x)[V]) __attribute__((always_inline)) {
      real *const at = my_page + page * H::PAGE + (t - 1) * WARPS * 2 * RJ * COLS;
      if (r < RJ) store(at + r * COLS, x);
      if (r >= R - RJ) store(at + (r - R + 2 * RJ) * COLS, x);
    };
    auto put_out = [&](int r, const real (&x)[V]) __attribute__((always_inline)) {
      if constexpr (T == 1) {  // exact stores: never a cell outside the domain, for what TMA cannot do
        const int i = source - RI, j = j0 + warp * R + r, k = k0 + column;
        if (i >= begin && i < end && j < box.hi_j)
#pragma unroll
          for (int v = 0; v < V; v++)
            if (k + v >= store_k && k + v < min(store_k + H::VK, box.hi_k))
              array[i * grid.plane + j * grid.row + grid.pad_k + k + v] = x[v];
      } else {
#pragma unroll
        for (int v = 0; v < V; v++) my_out[v][out * H::OUT + r * H::VK] = x[v];
      }
    };
    auto arrive = [&]() __attribute__((always_inline)) {
      fence_for_tma();  // what I wrote to `outs` so far
      if (leader) tma_stores_read();
      __syncwarp();
      if (lane == 0) barrier_arrive(published);
    };
    // Outer rows first: 0..RJ-1, R-RJ..R-1, then the inner ones.
    constexpr int OUTER = 2 * RJ < R ? 2 * RJ : R;
    auto nth_row = [](int n) { return n < RJ ? n : n < OUTER ? R - OUTER + n : n - OUTER + RJ; };

    // A row of level t + 1 goes up: to shared memory for other warps, or out.
    auto pass_on = [&](const real (&result)[V], int t, int r) __attribute__((always_inline)) {
      if (t == T - 1) put_out(r, result);
      else if (r < RJ || r >= R - RJ) publish(t + 1, r, result);
    };

    if constexpr (!S::CHAIN && LATE == 0) {
      // A new row ripples through all levels. Nobody but this cell row reads what the newest row replaces.
#pragma unroll
      for (int n = 0; n < R; n++) {
        const int r = nth_row(n);
        real newest[V];
        load(newest, in + r * COLS);
#pragma unroll
        for (int t = 0; t < T; t++) {
          real x[2 * RI + 1][2 * RJ + 1][V + 2 * RK], result[V];
#pragma unroll
          for (int di = -RI; di <= RI; di++)
#pragma unroll
            for (int dj = -RJ; dj <= RJ; dj++)
              if (has(ROW, di, dj)) {
                real(&to)[V + 2 * RK] = x[di + RI][dj + RJ];
                if (di == RI) {
#pragma unroll
                  for (int v = 0; v < V; v++) to[RK + v] = newest[v];
                } else {
                  row(to, plane[t][mod(NEW - RI + di, HELD)], t, r + dj, RI - di);
                }
                edges(to, has(LEFT, di, dj), has(RIGHT, di, dj));
              }
#pragma unroll
          for (int v = 0; v < V; v++) {
            result[v] = S::update([&](int di, int dj, int dk) { return x[di + RI][dj + RJ][RK + v + dk]; });
            result[v] = keep(result[v], plane[t][mod(NEW - RI, HELD)][r][v], t, source - RI * (t + 1), r, v);
          }
          pass_on(result, t, r);
#pragma unroll
          for (int v = 0; v < V; v++) plane[t][NEW][r][v] = newest[v], newest[v] = result[v];
        }
        if (n == OUTER - 1) arrive();
      }
    } else if constexpr (!S::CHAIN) {
      // Rows of the newest plane are read too: from the last level to the first, each from planes of earlier steps.
#pragma unroll
      for (int r = 0; r < R; r++) load(plane[0][NEW][r], in + r * COLS);
#pragma unroll
      for (int t = T - 1; t >= 0; t--) {
        const int late = t > 0 ? LATE : 0;
        real x[2 * RI + 1][R + 2 * RJ][V + 2 * RK];
#pragma unroll
        for (int di = -RI; di <= RI; di++)
#pragma unroll
          for (int r = -RJ; r < R + RJ; r++) {
            bool any = false, left = false, right = false;
#pragma unroll
            for (int dj = -RJ; dj <= RJ; dj++)
              if (r - dj >= 0 && r - dj < R) any |= has(ROW, di, dj), left |= has(LEFT, di, dj), right |= has(RIGHT, di, dj);
            if (any) row(x[di + RI][r + RJ], plane[t][mod(NEW - RI + di - late, HELD)], t, r, RI - di + late);
            edges(x[di + RI][r + RJ], left, right);
          }
#pragma unroll
        for (int n = 0; n < R; n++) {
          const int r = nth_row(n);
          real result[V];
#pragma unroll
          for (int v = 0; v < V; v++) {
            result[v] = S::update([&](int di, int dj, int dk) { return x[di + RI][r + dj + RJ][RK + v + dk]; });
            result[v] = keep(result[v], x[RI][r + RJ][RK + v], t, source - RI * (t + 1) - LATE * t, r, v);
          }
          pass_on(result, t, r);
          if (t + 1 < T)
#pragma unroll
            for (int v = 0; v < V; v++) plane[t + 1][NEW][r][v] = result[v];
          if (t == 0 && n == OUTER - 1) arrive();
        }
      }
    } else {
      // Partial sums: a new plane ends the sum of the output RI planes back, goes on with those between and starts one.
#pragma unroll
      for (int r = 0; r < R; r++) load(plane[0][0][r], in + r * COLS);
#pragma unroll
      for (int t = T - 1; t >= 0; t--) {
        real x[R + 2 * RJ][V + 2 * RK];
        auto fill = [&](int r) __attribute__((always_inline)) {
          row(x[r + RJ], plane[t][0], t, r, t > 0 ? 1 : 0);
          edges(x[r + RJ], true, true);
        };
        const int p = source - (RI + LATE) * t;  // the plane that enters
#pragma unroll
        for (int r = -RJ; r < R + RJ; r++) fill(r);
#pragma unroll
        for (int n = 0; n < R; n++) {
          const int r = nth_row(n);
          real result[V];
#pragma unroll
          for (int v = 0; v < V; v++) {
            auto a = [&](int dj, int dk) { return x[r + dj + RJ][RK + v + dk]; };
            const real centre = x[r + RJ][RK + v];
            auto next = [&](auto distance) __attribute__((always_inline)) {
              constexpr int D = decltype(distance)::value;
              const real before = D > -RI ? sum[t][D > -RI ? D + RI - 1 : 0][r][v] : real(0);
              real after = Q::template part<D>(before, a);
              if (D >= 0) after = keep(after, D == 0 ? centre : before, t, p - D, r, v);
              if (D < RI) sum[t][D < RI ? D + RI : 0][r][v] = after;
              else result[v] = after;
            };
            static_assert(RI == 1 || !S::CHAIN, "one call per plane");
            next(std::integral_constant<int, 1>{});
            next(std::integral_constant<int, 0>{});
            next(std::integral_constant<int, -1>{});
          }
          pass_on(result, t, r);
          if (t + 1 < T)
#pragma unroll
            for (int v = 0; v < V; v++) plane[t + 1][0][r][v] = result[v];
          if (t == 0 && n == OUTER - 1) arrive();
        }
      }
    }
    if (++slot == STAGES) slot = 0, parity ^= 1;
    if (++page == PAGES) page = 0;
    if (++out == 3) out = 0;
  };

#pragma unroll 1
  for (int i = 0; i < steps; i += HELD) {
    step(std::integral_constant<int, 0>{}, i);
    if constexpr (HELD > 1) step(std::integral_constant<int, 1>{}, i + 1);
    if constexpr (HELD > 2) step(std::integral_constant<int, 2>{}, i + 2);
    if constexpr (HELD > 3) step(std::integral_constant<int, 3>{}, i + 3);
    if constexpr (HELD > 4) step(std::integral_constant<int, 4>{}, i + 4);
    static_assert(HELD <= 5, "one line per phase");
  }
  fence_for_tma();
  __syncthreads();
  if (leader) {
    if (steps > 1) store_plane(steps - 2, (steps - 2) % 3);
    store_plane(steps - 1, (steps - 1) % 3);
    tma_stores_done();
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Host: layout of the arrays, tiles and chunks.

#define CHECK(x)                                                                       \
  do {                                                                                 \
    const cudaError_t e_ = (x);                                                        \
    if (e_ != cudaSuccess) printf("line %d: %s\n", __LINE__, cudaGetErrorString(e_)), exit(1); \
  } while (0)

struct Layout {
  int ni, nj, nk, pad_k, pitch;  // pad_k columns before each row, so that column lo_k starts a sector
  Layout(int ni, int nj, int nk, int lo_k) : ni(ni), nj(nj), nk(nk), pad_k(mod(-lo_k, UNIT)), pitch(round_up(pad_k + nk, UNIT)) {}
  size_t elements() const { return size_t(ni) * nj * pitch; }
};

static decltype(&cuTensorMapEncodeTiled) encode;
static CUtensorMap tensor_map(real *base, int n_k, int n_j, int n_i, const Layout &l, int box_k, int box_j) {
  CUtensorMap map;
  const cuuint64_t sizes[3] = {cuuint64_t(n_k), cuuint64_t(n_j), cuuint64_t(n_i)};
  const cuuint64_t strides[2] = {cuuint64_t(l.pitch) * BYTES, cuuint64_t(l.pitch) * l.nj * BYTES};
  const cuuint32_t box[3] = {cuuint32_t(box_k), cuuint32_t(box_j), 1}, ones[3] = {1, 1, 1};
  const CUresult e = encode(&map, BYTES == 4 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT32 : CU_TENSOR_MAP_DATA_TYPE_FLOAT64, 3, base, sizes, strides,
                            box, ones, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                            CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (e != CUDA_SUCCESS) printf("cuTensorMapEncodeTiled: %d\n", int(e)), exit(1);
  return map;
}
template <int T> CUtensorMap load_map(real *a, const Layout &l) {  // all of the array, with the columns before it
  return tensor_map(a, l.pad_k + l.nk, l.nj, l.ni, l, COLS, ROWS + 2 * RJ);
}
// The domain, in k up to the next 16 bytes, where TMA would cut it off anyway.
template <int T> CUtensorMap store_map(real *a, const Layout &l, const Box &b) {
  real *const origin = a + (size_t(b.lo_i) * l.nj + b.lo_j) * l.pitch + l.pad_k + b.lo_k;
  return tensor_map(origin, round_up(b.hi_k - b.lo_k, QUAD), b.hi_j - b.lo_j, b.hi_i - b.lo_i, l, Shape<T>::VK, Shape<T>::VJ);
}

// Tiles, or false if boundaries meet in one tile in a way that the kernel does not cover (T = 1 always works).
template <int T> bool make_grid(Grid &g, const Box &b, const Layout &l, int chunks) {
  using H = Shape<T>;
  const int high_j = b.hi_j - (WARPS - 1) * R, low_j = b.lo_j - H::HJ;
  if (T > 1 && (high_j < b.lo_j || low_j + ROWS > b.hi_j)) return false;
  g.tiles_j = 1 + (high_j > low_j ? (high_j - low_j + H::VJ - 1) / H::VJ : 0);
  g.pad_k = l.pad_k;
  g.row = l.pitch;
  g.plane = size_t(l.pitch) * l.nj;
  g.chunks = chunks;
  g.length = (b.hi_i - b.lo_i + chunks - 1) / chunks;
  for (g.step_k = H::VK; g.step_k > 0; g.step_k -= UNIT) {
    bool good = true;
    g.tiles_k = (b.hi_k - b.lo_k + g.step_k - 1) / g.step_k;
    for (int c = 0; c < g.tiles_k && T > 1; c++) {
      const int x = b.hi_k - (b.lo_k + c * g.step_k - H::HK), aligned = x < COLS ? align_high(x) : x;
      if (x < COLS && (aligned + RK > COLS && V % 2)) good = false;
      if (aligned != x && b.hi_k - aligned < b.lo_k) good = false;
    }
    if (good) return true;
  }
  return false;
}

__global__ void naive(const real *__restrict__ a, real *__restrict__ b, int pitch, int nj, Box box) {
  const int k = box.lo_k + blockIdx.x * blockDim.x + threadIdx.x, j = box.lo_j + blockIdx.y * blockDim.y + threadIdx.y;
  const int i = box.lo_i + blockIdx.z;
  if (j >= box.hi_j || k >= box.hi_k) return;
  const size_t at = (size_t(i) * nj + j) * pitch + k;
  b[at] = S::update([&](int di, int dj, int dk) { return a[at + (ptrdiff_t(di) * nj + dj) * pitch + dk]; });
}
__global__ void fill(real *a, size_t n, size_t seed) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x) {
    uint64_t x = (i + seed) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    a[i] = real((x >> 40) * (1.0 / 16777216));
  }
}
__global__ void differ(const real *a, const real *b, int pitch, int nk, size_t rows, unsigned long long *count, unsigned *worst) {
  for (size_t row = blockIdx.x; row < rows; row += gridDim.x)
    for (int k = threadIdx.x; k < nk; k += blockDim.x) {
      const real x = a[row * pitch + k], y = b[row * pitch + k];
      if (x == y) continue;
      atomicAdd(count, 1ull);
      const float d = fabsf(float(x - y));
      atomicMax(worst, d == d ? __float_as_uint(d) : 0x7f800000u);
    }
}

template <int T> void launch(real *from, real *to, const Layout &l, const Box &b, const Grid &g) {
  const CUtensorMap in = load_map<T>(from, l), out = store_map<T>(to, l, b);
  stream<T><<<g.tiles_j * g.tiles_k * g.chunks, 32 * WARPS, Shape<T>::BYTES_SHARED>>>(in, out, to, b, g);
}

static bool run(int ni, int nj, int nk, int time_steps, int chunks, int repeats, bool check, bool unequal = false) {
  constexpr int T = T_;
  const int m = MARGIN;
  const Box box{RI + m, ni - RI - m, RJ + m, nj - RJ - m, RK + m, nk - RK - m};
  const Layout l(ni, nj, nk, box.lo_k);
  const size_t n = l.elements();
  real *a[2], *c[2];
  for (auto p : {&a[0], &a[1], &c[0], &c[1]}) CHECK(cudaMalloc(p, n * BYTES));
  CHECK(cudaFuncSetAttribute(stream<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, Shape<T>::BYTES_SHARED));
  Grid g;
  const bool fits = make_grid<T>(g, box, l, chunks) && !unequal;  // with T > 1 the buffers must agree outside the domain
#ifdef REST
  Grid g1;
  make_grid<1>(g1, box, l, 1);
  CHECK(cudaFuncSetAttribute(stream<1>, cudaFuncAttributeMaxDynamicSharedMemorySize, Shape<1>::BYTES_SHARED));
#else
  if (!fits) return printf("%dx%dx%d: boundaries meet in a tile\n", ni, nj, nk), false;
  time_steps -= time_steps % T;
#endif
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  auto elapsed = [&] {
    float ms;
    CHECK(cudaEventRecord(stop));
    CHECK(cudaEventSynchronize(stop));
    CHECK(cudaGetLastError());
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    return ms;
  };
  float best = 1e30f;
  int side = 0;
  for (int q = 0; q < repeats; q++) {
    for (int b = 0; b < 2; b++) fill<<<1024, 256>>>(a[b], n, 1 + (unequal ? b * n : 0));
    side = 0;
    int t = 0;
    CHECK(cudaEventRecord(start));
    for (; fits && t + T <= time_steps; t += T, side ^= 1) launch<T>(a[side], a[side ^ 1], l, box, g);
#ifdef REST
    for (; t < time_steps; t++, side ^= 1) launch<1>(a[side], a[side ^ 1], l, box, g1);
#endif
    best = std::min(best, elapsed());
  }
  unsigned long long *wrong, count = 0;
  float worst = 0, naive_ms = 0;
  CHECK(cudaMalloc(&wrong, 16));
  CHECK(cudaMemset(wrong, 0, 16));
  if (check) {
    for (int b = 0; b < 2; b++) fill<<<1024, 256>>>(c[b], n, 1 + (unequal ? b * n : 0));
    CHECK(cudaEventRecord(start));
    for (int t = 0; t < time_steps; t++)
      naive<<<dim3((nk + 31) / 32, (nj + 7) / 8, box.hi_i - box.lo_i), dim3(32, 8)>>>(c[t & 1] + l.pad_k, c[~t & 1] + l.pad_k, l.pitch, nj, box);
    naive_ms = elapsed();
    differ<<<1024, 128>>>(a[side] + l.pad_k, c[time_steps & 1] + l.pad_k, l.pitch, nk, size_t(ni) * nj, wrong, reinterpret_cast<unsigned *>(wrong + 1));
    CHECK(cudaMemcpy(&count, wrong, 8, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&worst, wrong + 1, 4, cudaMemcpyDeviceToHost));
  }
  const double cells = double(box.hi_i - box.lo_i) * (box.hi_j - box.lo_j) * (box.hi_k - box.lo_k) * time_steps;
  cudaFuncAttributes f;
  CHECK(cudaFuncGetAttributes(&f, stream<T>));
  printf("%dx%dx%d steps %d V%d R%d W%d T%d S%d%s tiles %dx%d chunks %d = %d blocks, %d regs, %zu local, %d shared: %.1f GCell/s",
         ni, nj, nk, time_steps, V, R, WARPS, T, STAGES, fits ? "" : " (T = 1)", g.tiles_k, g.tiles_j, chunks, g.tiles_k * g.tiles_j * chunks, f.numRegs,
         f.localSizeBytes, Shape<T>::BYTES_SHARED, cells / best / 1e6);
  if (check) printf(", naive %.1f, %llu cells differ, by at most %g", cells / naive_ms / 1e6, count, worst);
  printf("\n");
  for (auto p : {a[0], a[1], c[0], c[1]}) CHECK(cudaFree(p));
  CHECK(cudaFree(wrong));
  return true;
}

int main(int argc, char **argv) {
  cudaDriverEntryPointQueryResult found;
  CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", reinterpret_cast<void **>(&encode), 12000, cudaEnableDefault, &found));
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
  printf("%s %s\n", TEXT(STENCIL), TEXT(REAL));
  // Arguments: -q times only, -s checks small shapes only; numbers of chunks to time.
  int chunks[16] = {2}, n = 0;
  bool small = true, large = true;
  for (int q = 1; q < argc && n < 16; q++)
    if (argv[q][0] == '-') small = argv[q][1] != 'q', large = argv[q][1] != 's';
    else chunks[n++] = atoi(argv[q]);
  if (small) {
    const int shapes[][3] = {{130, 130, 130}, {67, 131, 257}, {40, 203, 178}, {33, 95, 514}, {20, 30, 40}, {150, 160, 99}, {12, 90, 1027}};
    for (auto &s : shapes) run(s[0], s[1], s[2], 4 * T_ + 3, 2, 1, true);
    run(40, 203, 177, 5, 2, 1, true, true);
  }
  for (int q = 0; q < std::max(n, 1) && large; q++) run(512 + 2 * RI, 512 + 2 * RJ, 512 + 2 * RK, 240, chunks[q], 3, q == 0);
}
