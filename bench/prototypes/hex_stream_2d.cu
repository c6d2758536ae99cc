// Prototype: streamed kernels for star2d1r and box2d1r (float) that compute no columns twice, or few. Three arrangements of
// the same pipeline, in which a lane owns V neighbouring columns, keeps two rows of each of T time levels in registers, and
// each row that enters at level 0 ripples through all of them:
//   warp     overlapped: a warp's 32 V columns shrink by two a level
//   block    overlapped, but the warps of a block exchange a lane's columns with their neighbours every E levels through
//            shared memory, so that columns are computed twice for E levels only; at the block's ends for T
//   hexagon  two phases, each with every other tile of 30 V columns, half of T levels apart: a tile gets the columns beside
//            its own at its first level and at level E = T / 2, which the tiles of the other phase computed a launch before
// Build and run (README.md has what was measured):
//   nvcc -O3 -std=c++17 -arch=sm_90 --use_fast_math -o hex_stream hex_stream_2d.cu
//   ./hex_stream check [N]        every cell against a naive kernel, at sizes that are multiples of nothing
//   ./hex_stream time [N [K]]     all variants in turn, K times, 1000 steps each, median: GCell/s
//   ./hex_stream once VARIANT     one launch, for ncu
// -include FILE with another #define VARIANTS replaces the list below. -DEQUAL divides rows among warps differently.
// -DGENERATED -I DIR also times DIR/star2d1r.cu and DIR/box2d1r.cu as hexcc --fast-math writes them, as variants 0 and 1.
// Covers only what a measurement needs: steps are a multiple of T, rows are padded, arrays stay below 4 G elements.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>
#include <cuda_runtime.h>
#ifndef VARIANTS // W: warp, B: block, H: hexagon; V, T, rows loaded ahead, warps a block, blocks a multiprocessor
#define VARIANTS \
  W(8, 12, 4, 4, 2, false) W(8, 11, 4, 4, 2, false) W(8, 10, 4, 4, 2, false) W(4, 12, 4, 4, 3, false) \
  B(4, 12, 4, 4, 3, false, 4) B(4, 12, 4, 6, 2, false, 4) B(4, 12, 4, 12, 1, false, 4) \
  H(8, 12, 4, 4, 2, false) H(6, 12, 4, 4, 2, false) H(4, 8, 4, 4, 4, false) \
  W(8, 8, 4, 4, 2, true) W(8, 7, 4, 4, 2, true) B(4, 8, 4, 4, 3, true, 4) B(4, 8, 4, 12, 1, true, 4) H(8, 8, 4, 4, 2, true)
#endif

template <int V> struct Row { float x[V + 2]; __device__ __forceinline__ float &operator[](int c) { return x[c + 1]; } };
// Takes the columns beside a lane's from its neighbours.
template <int V> __device__ __forceinline__ void exchange(Row<V> &r) {
  r[-1] = __shfl_up_sync(~0u, r[V - 1], 1), r[V] = __shfl_down_sync(~0u, r[0], 1);
}
// The two stencils, as bench/stencils has them: what the rows above and in the middle give, and the rest.
template <bool BOX, int V> __device__ __forceinline__ float first(Row<V> &n, Row<V> &c, int v) {
  if constexpr (BOX)
    return 0.1067f * n[v - 1] + 0.1077f * n[v] + 0.1086f * n[v + 1] + 0.1096f * c[v - 1] + 0.1106f * c[v] + 0.1116f * c[v + 1];
  else return 0.1920f * n[v] + 0.1952f * c[v - 1] + 0.1984f * c[v] + 0.2016f * c[v + 1];
}
template <bool BOX, int V> __device__ __forceinline__ float rest(float sum, Row<V> &s, int v) {
  if constexpr (BOX) return sum + 0.1126f * s[v - 1] + 0.1136f * s[v] + 0.1146f * s[v + 1];
  else return sum + 0.2048f * s[v];
}
__device__ __forceinline__ uint32_t shared_address(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }
__host__ __device__ constexpr int piece(int v) { return v % 4 == 0 ? 4 : 2; } // floats of one access
template <int V> __device__ __forceinline__ void load_shared(Row<V> &r, uint32_t from) {
#pragma unroll
  for (int c = 0; c < V; c += piece(V)) {
    if constexpr (piece(V) == 4)
      asm volatile("ld.shared.v4.f32 {%0,%1,%2,%3}, [%4];"
                   : "=f"(r[c]), "=f"(r[c + 1]), "=f"(r[c + 2]), "=f"(r[c + 3]) : "r"(from + c * 4) : "memory");
    else
      asm volatile("ld.shared.v2.f32 {%0,%1}, [%2];" : "=f"(r[c]), "=f"(r[c + 1]) : "r"(from + c * 4) : "memory");
  }
}
template <int V> __device__ __forceinline__ void load_shared_if(int p, Row<V> &r, uint32_t from) {
#pragma unroll
  for (int c = 0; c < V; c += piece(V)) {
    if constexpr (piece(V) == 4)
      asm volatile("{\n.reg .pred p;\nsetp.ne.s32 p, %5, 0;\n@p ld.shared.v4.f32 {%0,%1,%2,%3}, [%4];\n}"
                   : "+f"(r[c]), "+f"(r[c + 1]), "+f"(r[c + 2]), "+f"(r[c + 3]) : "r"(from + c * 4), "r"(p) : "memory");
    else
      asm volatile("{\n.reg .pred p;\nsetp.ne.s32 p, %3, 0;\n@p ld.shared.v2.f32 {%0,%1}, [%2];\n}"
                   : "+f"(r[c]), "+f"(r[c + 1]) : "r"(from + c * 4), "r"(p) : "memory");
  }
}
template <int V> __device__ __forceinline__ void store_shared(Row<V> &r, uint32_t to) {
#pragma unroll
  for (int c = 0; c < V; c += piece(V)) {
    if constexpr (piece(V) == 4)
      asm volatile("st.shared.v4.f32 [%0], {%1,%2,%3,%4};"
                   ::"r"(to + c * 4), "f"(r[c]), "f"(r[c + 1]), "f"(r[c + 2]), "f"(r[c + 3]) : "memory");
    else
      asm volatile("st.shared.v2.f32 [%0], {%1,%2};" ::"r"(to + c * 4), "f"(r[c]), "f"(r[c + 1]) : "memory");
  }
}
template <int V> __device__ __forceinline__ void store_piece(float *to, Row<V> &r, int c) {
  if constexpr (piece(V) == 4)
    asm volatile("st.global.v4.f32 [%0], {%1,%2,%3,%4};"
                 ::"l"(to), "f"(r[c]), "f"(r[c + 1]), "f"(r[c + 2]), "f"(r[c + 3]) : "memory");
  else
    asm volatile("st.global.v2.f32 [%0], {%1,%2};" ::"l"(to), "f"(r[c]), "f"(r[c + 1]) : "memory");
}
// A side goes out as whole sectors of 32 bytes.
template <int V, int ROOM> __device__ __forceinline__ void store_side(float *to, Row<V> &r) {
#pragma unroll
  for (int c = 0; c < ROOM; c += piece(V)) store_piece(to + c, r, c < V ? c : 0);
}
__device__ __forceinline__ void copy16(uint32_t to, const void *from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}
__device__ __forceinline__ void copy16_if(int p, uint32_t to, const void *from) {
  asm volatile("{\n.reg .pred p;\nsetp.ne.s32 p, %2, 0;\n@p cp.async.cg.shared.global [%0], [%1], 16;\n}"
               ::"r"(to), "l"(from), "r"(p) : "memory");
}
// The asm keeps the compiler from computing later values of the pointer from this one.
template <typename Pointer> __device__ __forceinline__ void step(Pointer &p, long long bytes) {
  p = (Pointer)((const char *)p + bytes);
  asm volatile("" : "+l"(p));
}
template <int I> struct Mode { static constexpr int value = I; };

enum Kind { WARP, BLOCK, HEXAGON, HALF };
// V columns a lane, T levels, D rows of the ring, W warps a block, MINB blocks an SM, E levels between exchanges (BLOCK).
template <int KIND_, int V_, int T_, int D_, int W_, int MINB_, bool BOX_, int E_ = 0, int U_ = 2> struct Shape {
  static constexpr int KIND = KIND_, V = V_, T = T_, D = D_, W = W_, MINB = MINB_, U = U_;
  static constexpr int E = KIND == BLOCK ? E_ : KIND == HEXAGON ? T / 2 : T;
  static constexpr bool BOX = BOX_, HEX = KIND == HEXAGON || KIND == HALF;
  static constexpr int P = piece(V), NX = KIND == BLOCK ? (T - 1) / E : 0, LAG = T + NX; // exchanges; rows by which results lag
  static constexpr int GROUP = KIND == BLOCK ? W : 1;         // warps that stream one tile together
  static constexpr int COLUMNS = ((GROUP - 1) * 30 + 32) * V; // of a group
  static constexpr int HALO = (T + 3) / 4 * 4, WIDTH = HEX ? 30 * V : COLUMNS - 2 * HALO, BACK = HEX ? V : HALO;
  // A row of a hexagon's array: its own columns, then for each side those of level 0 and of level E.
  static constexpr int ROOM = V > 4 ? 8 : 4, SIDES = (30 * V + 7) / 8 * 8;
  static constexpr int FLOATS = HEX ? SIDES + 4 * ROOM : 32 * V, SLOT = FLOATS * 4, PIECES = FLOATS / 4;
  static constexpr int BEFORE = (T + LAG + U - 1) / U * U - LAG, EXTRA = BEFORE + LAG;
  static constexpr int RING = W * D * SLOT, XROW = W * 32 * V * 4, SHARED = RING + 2 * NX * XROW;
  static_assert(WIDTH % V == 0 && U % 2 == 0 && D % U == 0 && (KIND == WARP || KIND == HALF || E <= V));
};
struct Work { int tile, first, last; };
struct Frame { int n, pitch, tiles, rows; }; // pitch in floats; rows: of a tile's own array (hexagons)

// One launch of T steps. Each warp (block) has the tiles work[begin_of[its number]] and on. Hexagons write their sides to `push`,
// what the other phase's tiles read in the next launch.
template <class S> __global__ void __launch_bounds__(32 * S::W, S::MINB)
stream(const float *in, float *out, float *push, const Frame f, const Work *work, const int *begin_of) {
  constexpr int V = S::V, T = S::T, U = S::U, D = S::D, P = S::P, E = S::E, KIND = S::KIND;
  constexpr bool HEX = S::HEX;
  extern __shared__ __align__(128) char shared[];
  const int lane = threadIdx.x % 32, warp = __shfl_sync(~0u, (int)threadIdx.x / 32, 0), n = f.n;
  const int member = KIND == BLOCK ? warp : 0, group = KIND == BLOCK ? blockIdx.x : blockIdx.x * S::W + warp;
  auto uniform = [](int x) { return __shfl_sync(~0u, x, 0); };
  const uint32_t ring = shared_address(shared) + warp * D * S::SLOT, write_at = ring + lane * 16;
  const bool last_lane = lane == 31;
  const uint32_t sides_at = ring + (S::SIDES + (last_lane ? 2 * S::ROOM : 0)) * 4;
  const uint32_t read_at = HEX ? (lane == 0 || last_lane ? sides_at : ring + (lane - 1) * V * 4) : ring + lane * V * 4;
  // Where a lane leaves its columns for the neighbours (BLOCK), and takes its own or, at the warp's ends, theirs.
  const uint32_t xput = shared_address(shared) + S::RING + threadIdx.x * V * 4;
  const uint32_t xget = lane == 0 && warp > 0 ? xput - 2 * V * 4 : last_lane && warp < S::W - 1 ? xput + 2 * V * 4 : xput;
  bool stores[V / P];
#pragma unroll
  for (int q = 0; q < V / P; ++q) {
    const int c = (member * 30 + lane) * V + q * P;
    stores[q] = HEX ? lane >= 1 && lane <= 30
                    : c >= S::HALO && c + P <= S::COLUMNS - S::HALO &&
                          (KIND != BLOCK || ((lane >= 1 || warp == 0) && (lane <= 30 || warp == S::W - 1)));
  }
  const long long pitch = (long long)f.pitch * 4;
  auto sync = [] { if constexpr (KIND == BLOCK) __syncthreads(); else __syncwarp(); };
  const int w_end = uniform(begin_of[group + 1]);
#pragma unroll 1
  for (int w = uniform(begin_of[group]); w < w_end; ++w) {
    const Work job{uniform(work[w].tile), uniform(work[w].first), uniform(work[w].last)};
    const int x0 = job.tile * S::WIDTH - S::BACK + member * 30 * V, column = x0 + lane * V;
    const int begin = job.first - S::BEFORE, end = job.last + S::LAG + 1;
    const bool left = x0 < 1, right = x0 + 32 * V > n - 1;
    const size_t own = (size_t)job.tile * f.rows * f.pitch;
    const float *const source = HEX ? in + own : in + x0;
    const int pushes = HEX && ((lane == 1 && job.tile > 0) || (lane == 30 && job.tile < f.tiles - 1));
    const int fetches = KIND == HEXAGON && ((lane == 0 && job.tile > 0) || (last_lane && job.tile < f.tiles - 1));
    auto row_of = [&](int r) {
      return (const char *)(source + (ptrdiff_t)(HEX ? r : min(max(r, 0), n - 1)) * f.pitch) + lane * 16;
    };
    auto copy = [&](int slot, const char *from) {
#pragma unroll
      for (int k = 0; k < S::PIECES; k += 32) {
        if (k + 32 <= S::PIECES) copy16(write_at + slot + k * 16, from + k * 16);
        else copy16_if(lane < S::PIECES - k, write_at + slot + k * 16, from + k * 16);
      }
      asm volatile("cp.async.commit_group;" ::: "memory");
    };
    asm volatile("cp.async.wait_all;" ::: "memory");
    sync();
#pragma unroll 1
    for (int d = 0; d < D; ++d) copy(d * S::SLOT, row_of(begin + d));
    const char *from = row_of(begin + D);
    float *to = out + (ptrdiff_t)(begin - S::LAG) * f.pitch + (HEX ? (ptrdiff_t)own + (lane - 1) * V : (ptrdiff_t)column);
    // The neighbour's row that takes this lane's columns: level E as its level 0, level T of the row E above as its level E.
    float *to_side = push;
    if (HEX)
      to_side += (size_t)(job.tile + (lane == 1 ? -1 : 1)) * f.rows * f.pitch +
                 (ptrdiff_t)(begin - (KIND == HALF ? 0 : E)) * f.pitch + S::SIDES + (lane == 1 ? 2 * S::ROOM : 0);
    Row<V> held[T][2] = {}; // two rows of each level, the older in place [u % 2]
    int slot0 = 0;
    auto advance = [&](auto mode, int newest, int u) __attribute__((always_inline)) {
      // 0: all rows and columns are the domain's; 1: but column 0; 4: but the last columns; 2: any. 3: as 0, but no results yet.
      constexpr int M = decltype(mode)::value;
      const int slot = slot0 + u * S::SLOT;
      // What the held rows give to the next level, before its rows' registers are taken: the newest row of
      // each level replaces the oldest, in the same registers.
      float sum[2][V];
      auto gather = [&](int t) __attribute__((always_inline)) {
        if constexpr (!S::BOX) exchange(held[t][(u + 1) % 2]);
#pragma unroll
        for (int v = 0; v < V; ++v) sum[t % 2][v] = first<S::BOX>(held[t][u % 2], held[t][(u + 1) % 2], v);
      };
      gather(0);
      asm volatile("cp.async.wait_group %0;" ::"n"(D - 1) : "memory");
      sync();
      load_shared(held[0][u % 2], read_at + slot);
#pragma unroll
      for (int t = 0; t < T; ++t) { // level t + 1
        Row<V> &newest_row = held[t][u % 2], &middle = held[t][(u + 1) % 2];
        if constexpr (S::BOX) exchange(newest_row);
        if (t + 1 < T) gather(t + 1);
        const int i = newest - (t + 1) - (KIND == BLOCK ? t / E : 0);
        Row<V> made;
#pragma unroll
        for (int v = 0; v < V; ++v) {
          float value = rest<S::BOX>(sum[t % 2][v], newest_row, v);
          if ((M == 2 || (M == 1 && v == S::BACK % V)) && column + v < 1) value = middle[v];
          if ((M == 2 || M == 4) && column + v > n - 2) value = middle[v];
          if (M == 2 && (i < 1 || i > n - 2)) value = middle[v];
          made[v] = value;
        }
        const bool in_job = M == 0 || (M != 3 && (unsigned)(i - job.first) <= (unsigned)(job.last - job.first));
        if (KIND == HEXAGON && t + 1 == E) {
          if (M == 0 || (unsigned)(i - job.first) <= (unsigned)(job.last - job.first))
            if (pushes) store_side<V, S::ROOM>(to_side, made);
          load_shared_if(fetches, made, sides_at + S::ROOM * 4 + slot);
        }
        if (KIND == BLOCK && t + 1 < T && (t + 1) % E == 0) { // the row goes on one row later, with the neighbours' columns
          const int x = (t + 1) / E - 1;
          store_shared(made, xput + (u % 2 * S::NX + x) * S::XROW);
          load_shared(made, xget + ((u + 1) % 2 * S::NX + x) * S::XROW);
        }
        if (t + 1 < T) {
#pragma unroll
          for (int v = 0; v < V; ++v) held[t + 1 < T ? t + 1 : t][u % 2][v] = made[v];
        } else if (in_job) {
#pragma unroll
          for (int q = 0; q < V / P; ++q)
            if (stores[q]) store_piece(to + q * P, made, q * P);
          if (HEX && pushes) store_side<V, S::ROOM>(to_side + S::ROOM, made);
        }
      }
      step(to, pitch);
      if (HEX) step(to_side, pitch);
      __syncwarp();
      copy(slot, from);
      if (M == 2) from = row_of(newest + D + 1); else step(from, pitch);
    };
    auto turn = [&] {
      slot0 = D == U ? 0 : D == 2 * U ? U * S::SLOT - slot0 : slot0 + U * S::SLOT == D * S::SLOT ? 0 : slot0 + U * S::SLOT;
    };
    const int inner_lo = S::LAG + 1, inner_hi = n - 1 - U - D;
    const int fast_lo = job.first + S::LAG, fast_hi = job.last + S::LAG - U + 1;
    int newest = begin;
    while (newest < end) {
      const bool inner = newest >= inner_lo && newest <= inner_hi;
      if (KIND == BLOCK && x0 >= n) { // nothing to do, but others wait
        for (int u = 0; u < U; ++u) sync();
        newest += U;
      } else if (inner && left && !right) {
#pragma unroll 1
        for (const int stop = min(end - 1, inner_hi); newest <= stop; newest += U, turn())
#pragma unroll
          for (int u = 0; u < U; ++u) advance(Mode<1>{}, newest + u, u);
      } else if (inner && right && !left) {
#pragma unroll 1
        for (const int stop = min(end - 1, inner_hi); newest <= stop; newest += U, turn())
#pragma unroll
          for (int u = 0; u < U; ++u) advance(Mode<4>{}, newest + u, u);
      } else if (inner && !left && newest < fast_lo) {
#pragma unroll 1
        for (const int stop = min(fast_lo - 1, inner_hi); newest <= stop; newest += U, turn())
#pragma unroll
          for (int u = 0; u < U; ++u) advance(Mode<3>{}, newest + u, u);
      } else if (inner && !left && newest <= fast_hi) {
#pragma unroll 1
        for (const int stop = min(fast_hi, inner_hi); newest <= stop; newest += U, turn())
#pragma unroll
          for (int u = 0; u < U; ++u) advance(Mode<0>{}, newest + u, u);
      } else {
#pragma unroll
        for (int u = 0; u < U; ++u) advance(Mode<2>{}, newest + u, u);
        newest += U, turn();
      }
    }
  }
}

static void check_call(cudaError_t error, int line) {
  if (error == cudaSuccess) return;
  printf("line %d: %s\n", line, cudaGetErrorString(error));
  exit(1);
}
#define CK(x) check_call(x, __LINE__)
constexpr int OFF = 64; // columns before column 0
__global__ void init(float *a, int n, int pitch, unsigned seed) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y;
  if (j >= pitch) return;
  unsigned x = (unsigned)(i * 16411 + (j - OFF)) * 2654435761u ^ seed; // a hash, so that no two cells are alike
  x = (x ^ x >> 16) * 0x9e3779b1u, x = (x ^ x >> 15) * 0x7feb352du, x ^= x >> 16;
  a[(size_t)i * pitch + j] = j >= OFF && j < OFF + n ? (float)((x >> 8) | 1) * (1.f / 16777216.f) : NAN;
}
template <bool BOX> __global__ void naive(const float *a, float *b, int n, int pitch) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x + 1, i = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (i >= n - 1 || j >= n - 1) return;
  Row<1> r[3];
  for (int d = 0; d < 3; ++d) for (int e = -1; e < 2; ++e) r[d][e] = a[(size_t)(i + d - 1) * pitch + OFF + j + e];
  b[(size_t)i * pitch + OFF + j] = rest<BOX>(first<BOX>(r[0], r[1], 0), r[2], 0);
}
__global__ void compare(const float *a, const float *b, int n, int pitch, unsigned long long *wrong) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y;
  const size_t k = (size_t)i * pitch + OFF + j;
  if (j < n && __float_as_uint(a[k]) != __float_as_uint(b[k])) atomicAdd(wrong, 1ull);
}

// Tiles one below the other, as many as let all of a launch run at once. All tiles have the same rows, so that what they
// read beside their own columns is in the cache, but those at the ends of rows, which take longer for a row, are lower
// (`ends` times as many), and so are the first and last, for their rows outside of the domain (by `lower` rows).
struct Cost { double ends; int lower, extra; };
[[maybe_unused]] static void divide(int tiles, int phase, int n, Cost cost, int groups, std::vector<Work> &work,
                                    std::vector<int> &begin) {
  work.clear(), begin.clear();
  std::vector<int> list[2]; // inner tiles, ends
  for (int t = std::max(phase, 0); t < tiles; t += phase < 0 ? 1 : 2) list[t == 0 || t == tiles - 1].push_back(t);
  const int rows = n - 2, least = 40;
  auto of_end = [&](int chunks) { return (int)std::ceil(chunks * cost.ends); };
  int chunks = 1;
  auto fits = [&](int chunks) {
    return (int)list[0].size() * chunks + (int)list[1].size() * of_end(chunks) <= groups && of_end(chunks) * least <= rows;
  };
  while (fits(chunks + 1)) ++chunks;
  for (int end = 1; end >= 0; --end) {
    const int count = end ? of_end(chunks) : chunks, lower = count > 2 ? cost.lower : 0;
    const double each = (rows + 2.0 * lower) / count;
    auto edge = [&](int k) { return k == 0 ? 1 : k == count ? n - 1 : 1 + (int)(each * k) - lower; };
    for (int k = 0; k < count; ++k) for (int t : list[end]) work.push_back({t, edge(k), edge(k + 1) - 1});
  }
  const size_t of_group = (work.size() + groups - 1) / groups;
  for (int g = 0; g <= groups; ++g) begin.push_back((int)std::min(work.size(), g * of_group));
}
// Instead: the rows of all tiles, one tile after the other, in parts of equal cost (-DEQUAL). A row of the tiles at the ends
// of rows costs 1.3, one outside of the domain or near it 2.5.
[[maybe_unused]] static bool divide_equally(int tiles, int phase, int n, int extra, int groups, double most,
                                            std::vector<Work> &work, std::vector<int> &begin) {
  work.clear(), begin.assign(1, 0);
  double left = most;
  for (int t = std::max(phase, 0); t < tiles; t += phase < 0 ? 1 : 2) {
    const double weight = t == 0 || t == tiles - 1 ? 1.3 : 1, bottom = 0.75 * extra;
    for (int r = 1; r < n - 1;) {
      const double top = r < extra ? 1.5 * extra : 0;
      int rows = (int)((left - top) / weight) - extra;
      if (rows >= n - 1 - r - (int)bottom) rows = std::max(n - 2 - r - (int)bottom, (int)((left - top - bottom) / weight) - extra);
      rows = std::min(rows, n - 1 - r);
      if (rows < std::min(16, n - 1 - r)) { // the next group's
        begin.push_back((int)work.size()), left = most;
        if ((int)begin.size() > groups) return false;
        continue;
      }
      work.push_back({t, r, r + rows - 1});
      left -= weight * (rows + extra) + top + (r + rows == n - 1 ? bottom : 0), r += rows;
    }
  }
  begin.resize(groups + 1, (int)work.size());
  return true;
}
struct Plan {
  Work *work = nullptr; int *begin = nullptr, grid = 0;
  std::vector<Work> w; std::vector<int> b;
  void make(int tiles, int phase, int n, Cost c, int blocks, int groups_a_block) {
    grid = blocks; const int groups = blocks * groups_a_block;
#ifdef EQUAL
    double low = 1, most = 1e9;
    for (int i = 0; i < 60; ++i) {
      const double middle = (low + most) / 2;
      (divide_equally(tiles, phase, n, c.extra, groups, middle, w, b) ? most : low) = middle;
    }
    divide_equally(tiles, phase, n, c.extra, groups, most, w, b);
#else
    divide(tiles, phase, n, c, groups, w, b);
#endif
    cudaFree(work), cudaFree(begin);
    CK(cudaMalloc(&work, w.size() * sizeof(Work)));
    CK(cudaMalloc(&begin, b.size() * sizeof(int)));
    CK(cudaMemcpy(work, w.data(), w.size() * sizeof(Work), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(begin, b.data(), b.size() * sizeof(int), cudaMemcpyHostToDevice));
  }
};
static int processors() { int sms; CK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0)); return sms; }
struct Buffers { float *a, *b, *c, *d; unsigned long long *wrong; int n, pitch; };
struct Variant {
  std::string name;
  bool box;
  int T; // steps are a multiple of it
  std::function<void(Buffers &)> prepare;
  std::function<void(Buffers &, int)> run; // so many steps; the result is in the buffer a
  std::vector<double> times;
};

template <class S> static Variant describe(int &at_once) {
  cudaFuncAttributes fa;
  CK(cudaFuncSetAttribute(stream<S>, cudaFuncAttributeMaxDynamicSharedMemorySize, S::SHARED));
  CK(cudaFuncGetAttributes(&fa, stream<S>));
  CK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&at_once, stream<S>, 32 * S::W, S::SHARED));
  const char *kinds[] = {"warp", "block", "hexagon", "half hexagon"};
  char s[256];
  snprintf(s, sizeof s, "%s %-7s V=%d T=%-2d E=%-2d D=%d U=%d, %2d warps x %d, %d registers, %d local, %d shared",
           S::BOX ? "box " : "star", kinds[S::KIND], S::V, S::T, S::E, S::D, S::U, S::W, at_once, fa.numRegs,
           (int)fa.localSizeBytes, S::SHARED);
  return {s, S::BOX, S::T};
}
template <class S> Cost cost() { return {S::KIND == BLOCK ? 1 : S::V > 4 ? 1.6 : 1.25, (int)(0.7 * S::EXTRA), S::EXTRA}; }
template <class S> Variant plain_variant() {
  static Plan plan;
  int at_once;
  Variant v = describe<S>(at_once);
  v.prepare = [=](Buffers &B) {
    plan.make((B.n - 1 + S::WIDTH - 1) / S::WIDTH, -1, B.n, cost<S>(), processors() * at_once, S::W / S::GROUP);
  };
  v.run = [](Buffers &B, int steps) {
    const Frame f{B.n, B.pitch, 0, 0};
    for (int t = 0; t < steps; t += S::T) {
      stream<S><<<plan.grid, 32 * S::W, S::SHARED>>>(B.a + OFF, B.b + OFF, nullptr, f, plan.work, plan.begin);
      std::swap(B.a, B.b);
    }
  };
  return v;
}
// Hexagons: tiles' own arrays, rows from -PAD on.
constexpr int PAD = 48;
template <class S> __global__ void pack(const float *a, float *m, int n, int pitch, int tiles, int rows, int g) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x, r = (int)blockIdx.y - PAD, tile = blockIdx.z;
  if (k >= S::FLOATS) return;
  const int x0 = tile * S::WIDTH - S::BACK;
  int column = k < 30 * S::V ? x0 + S::V + k : -1, i = r;
  if (k >= S::SIDES) {
    const int q = (k - S::SIDES) / S::ROOM, c = k % S::ROOM;
    column = c < S::V ? x0 + q / 2 * 31 * S::V + c : -1, i = q % 2 ? r - g : r;
  }
  const bool inside = i >= 0 && i < n && column >= 0 && column < n;
  m[((size_t)tile * rows + r + PAD) * S::FLOATS + k] = inside ? a[(size_t)i * pitch + OFF + column] : 0;
}
template <class S> __global__ void unpack(float *a, const float *m, int n, int pitch, int tiles, int rows, int phase) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y, tile = blockIdx.z;
  if (k >= 30 * S::V || (tile & 1) != phase) return;
  const int column = tile * S::WIDTH - S::BACK + S::V + k;
  if (column >= 0 && column < n)
    a[(size_t)r * pitch + OFF + column] = m[((size_t)tile * rows + r + PAD) * S::FLOATS + k];
}
template <class S, class H> Variant hex_variant() {
  static Plan plan[3]; // of both phases, and of the half-high tiles of phase 1 at the start and the end
  static float *m[2];
  static int tiles, rows;
  int at_once, at_once_half;
  describe<H>(at_once_half);
  Variant v = describe<S>(at_once);
  v.prepare = [=](Buffers &B) {
    tiles = (B.n - 1 + S::WIDTH - 1) / S::WIDTH, rows = B.n + 2 * PAD;
    for (int p = 0; p < 2; ++p) plan[p].make(tiles, p, B.n, cost<S>(), processors() * at_once, S::W);
    plan[2].make(tiles, 1, B.n, cost<H>(), processors() * at_once_half, H::W);
    for (int k = 0; k < 2; ++k) {
      cudaFree(m[k]);
      CK(cudaMalloc(&m[k], (size_t)tiles * rows * S::FLOATS * sizeof(float)));
      pack<S><<<dim3((S::FLOATS + 127) / 128, rows, tiles), 128>>>(B.a, m[k], B.n, B.pitch, tiles, rows, S::E);
    }
    CK(cudaDeviceSynchronize());
  };
  v.run = [](Buffers &B, int steps) { // without packing; unpacks where the result is wanted
    int now[2] = {0, 0}; // where each phase's newest state is
    const Frame f{B.n, S::FLOATS, tiles, rows};
    const size_t o = (size_t)PAD * S::FLOATS;
    auto half = [&] {
      if (tiles > 1)
        stream<H><<<plan[2].grid, 32 * H::W, H::SHARED>>>(m[now[1]] + o, m[now[1] ^ 1] + o, m[now[0]] + o, f, plan[2].work,
                                                            plan[2].begin);
      now[1] ^= 1;
    };
    auto full = [&](int p) {
      stream<S><<<plan[p].grid, 32 * S::W, S::SHARED>>>(m[now[p]] + o, m[now[p] ^ 1] + o, m[now[p ^ 1]] + o, f, plan[p].work,
                                                        plan[p].begin);
      now[p] ^= 1;
    };
    half();
    for (int t = 0; t < steps; t += S::T) {
      full(0);
      if (t + S::T < steps && tiles > 1) full(1);
    }
    half();
    if (B.c)
      for (int p = 0; p < 2; ++p)
        unpack<S><<<dim3((30 * S::V + 127) / 128, B.n, tiles), 128>>>(B.a, m[now[p]], B.n, B.pitch, tiles, rows, p);
  };
  return v;
}
static void allocate(Buffers &B, int n, bool check) { // c, d: for the naive kernel
  B = {}, B.n = n, B.pitch = (OFF + n + 2200 + 31) / 32 * 32;
  const size_t bytes = (size_t)n * B.pitch * sizeof(float);
  CK(cudaMalloc(&B.wrong, sizeof *B.wrong));
  for (float **x : {&B.a, &B.b, &B.c, &B.d}) {
    if (!check && x != &B.a && x != &B.b) continue;
    CK(cudaMalloc(x, bytes));
    init<<<dim3((B.pitch + 255) / 256, n), 256>>>(*x, n, B.pitch, 1234u);
  }
}
static void release(Buffers &B) { cudaFree(B.a), cudaFree(B.b), cudaFree(B.c), cudaFree(B.d), cudaFree(B.wrong); }
static int check(Variant &v, int n, int steps) {
  Buffers B;
  allocate(B, n, true);
  v.prepare(B), v.run(B, steps);
  for (int t = 0; t < steps; ++t) {
    const dim3 grid((n + 31) / 32, (n + 7) / 8), block(32, 8);
    if (v.box) naive<true><<<grid, block>>>(B.c, B.d, n, B.pitch);
    else naive<false><<<grid, block>>>(B.c, B.d, n, B.pitch);
    std::swap(B.c, B.d);
  }
  unsigned long long wrong = 0;
  CK(cudaMemset(B.wrong, 0, sizeof wrong));
  compare<<<dim3((n + 255) / 256, n), 256>>>(B.a, B.c, n, B.pitch, B.wrong);
  CK(cudaMemcpy(&wrong, B.wrong, sizeof wrong, cudaMemcpyDeviceToHost));
  CK(cudaGetLastError());
  if (wrong) printf("WRONG %llu of %d^2, %d steps: %s\n", wrong, n, steps, v.name.c_str());
  release(B);
  return wrong != 0;
}
static void time_once(Variant &v, Buffers &B, int total) {
  const int steps = total / v.T * v.T;
  cudaEvent_t begin, end;
  float ms;
  CK(cudaEventCreate(&begin)), CK(cudaEventCreate(&end));
  CK(cudaEventRecord(begin)), v.run(B, steps), CK(cudaEventRecord(end));
  CK(cudaEventSynchronize(end)), CK(cudaGetLastError()), CK(cudaEventElapsedTime(&ms, begin, end));
  v.times.push_back((double)(B.n - 2) * (B.n - 2) * steps / ms * 1e-6);
}
#ifdef GENERATED
#define main generated_star_main
#include "star2d1r.cu"
#undef main
#define main generated_box_main
#undef REAL
#include "box2d1r.cu"
#undef main
template <class A, class L> Variant generated(const char *name, bool box, L launch) {
  static float *state, *next;
  static int pitch;
  Variant v{name, box, 1};
  v.prepare = [](Buffers &B) {
    pitch = (B.n * 4 + 127) / 128 * 128;
    const size_t plane = (size_t)pitch * B.n;
    cudaFree(state), cudaFree(next);
    CK(cudaMalloc(&state, 2 * plane)), CK(cudaMalloc(&next, plane));
    for (int k = 0; k < 2; ++k)
      CK(cudaMemcpy2D((char *)state + k * plane, pitch, B.a + OFF, B.pitch * 4, B.n * 4, B.n, cudaMemcpyDeviceToDevice));
  };
  v.run = [=](Buffers &B, int steps) {
    A args{};
    args.N = B.n, args.T = steps, args.A = state, args.A_pitch = pitch, args.A_next = next;
    CK(launch(args));
  };
  return v;
}
#endif
int main(int argc, char **argv) {
  const std::string what = argc > 1 ? argv[1] : "check";
  const int number = argc > 2 ? atoi(argv[2]) : what == "time" ? 16384 : 0, rounds = argc > 3 ? atoi(argv[3]) : 5;
  std::vector<Variant> all;
#ifdef GENERATED
  all.push_back(generated<hexcc_star2d1r::Args>("star generated", false, [](auto &a) { return hexcc_star2d1r::launch(a, 0); }));
  all.push_back(generated<hexcc_box2d1r::Args>("box  generated", true, [](auto &a) { return hexcc_box2d1r::launch(a, 0); }));
#endif
#define W(V, T, D, WARPS, MINB, BOX) all.push_back(plain_variant<Shape<WARP, V, T, D, WARPS, MINB, BOX>>());
#define B(V, T, D, WARPS, MINB, BOX, E) all.push_back(plain_variant<Shape<BLOCK, V, T, D, WARPS, MINB, BOX, E>>());
#define H(V, T, D, WARPS, MINB, BOX) \
  all.push_back(hex_variant<Shape<HEXAGON, V, T, D, WARPS, MINB, BOX>, Shape<HALF, V, T / 2, D, WARPS, MINB, BOX>>());
  VARIANTS
#undef W
#undef B
#undef H
  if (what == "check") {
    int checked = 0, bad = 0;
    for (auto &v : all) {
      if (v.T == 1) continue; // generated, which is checked elsewhere
      ++checked;
      for (int n : {997, 131, 64, 1500, 3001})
        if (!number || n == number) bad += check(v, n, 3 * v.T);
    }
    printf("%d of %zu variants checked, %d wrong\n", checked, all.size(), bad);
    return bad != 0;
  }
  Buffers b;
  allocate(b, what == "time" ? number : 16384, false);
  if (what == "time") {
    for (auto &v : all) v.prepare(b);
    for (int r = -1; r < rounds; ++r) // the first does not count
      for (auto &v : all) {
        time_once(v, b, 1000);
        if (r < 0) v.times.clear();
      }
    for (auto &v : all) {
      std::sort(v.times.begin(), v.times.end());
      printf("%6.0f (%.0f to %.0f) %s\n", v.times[v.times.size() / 2], v.times[0], v.times.back(), v.name.c_str());
    }
  } else {
    Variant &v = all.at(number);
    v.prepare(b), v.run(b, v.T > 1 ? v.T : v.box ? 17 : 13); // generated: the first launch is one of all steps
    CK(cudaDeviceSynchronize());
  }
}
