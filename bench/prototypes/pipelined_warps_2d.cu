// Prototype: warps as a pipeline in time, stars and boxes of any reach, fixed boundaries. All warps of a block own the same 32 X columns;
// warp w advances rows by L time steps and hands them on in a ring of rows in shared memory, a barrier every B rows. Blocks have equal shares
// of one list of all rows of all tiles; tops, bottoms and the tiles at both ends of rows are pieces with code of their own.
// H200, 2026-11-24, 16384^2, FMA, equal with one thread a cell (GCell/s; -DMODE=1 -DL_ -DX_ -DW_ -DU_ -DB_ -DD_):
//   float  star 1: 3444 (3,28,8,2,1,4); with MODE=2, whose borders are wrong: 3766 (3,28,8,4,2,2); box 1: 2405 (3,20,8,3,3,2)
//          star 2: 2019 (2,20,8,5,5,2); star 3: 1318 (1,20,12,7,1,4); star 4: 953 (1,20,8,9,1,4); box 2: 895 (1,20,12,5,1,4)
//   double star 1: 2054 (3,14,8,6,3,2); box 1: 1309 (2,18,8,3,3,2); star 2: 1029 (2,10,8,5,5,2); star 3: 717 (1,14,8,7,1,4); box 2: 469 (1,10,12,5,5,2)
//   (star 1 and box 1 in double, star 3 and box 2 in float with tops and bottoms in the same loop instead of pieces.)
// What mattered: rows written out U = 2 R + 1 times, so that nothing is moved (1.1 to 1.5 times), by repeated text, since nvcc does not unroll as much;
// loops of at most some 2000 instructions, more wait for instructions (U = 10 for star 2: 1220); a barrier every B = U rows instead of every one (up to 10%).
// Build: nvcc -O3 -std=c++17 -arch=sm_90 -DFMA -DMODE=1 [-DREAL=double] [-DBOX=1] -DR_=1 -DL_=3 -DX_=28 -DW_=8 -DU_=4; run: ./a.out 20 16384 10007
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuda_pipeline_primitives.h>
#include <vector>
#define CK(x) do { cudaError_t e_ = (x); if (e_) { printf("%s: %s\n", #x, cudaGetErrorString(e_)); exit(1); } } while (0)
#ifndef REAL
#define REAL float
#endif
#ifndef BOX
#define BOX 0
#endif
#ifndef R_
#define R_ 1
#endif
#ifndef D_
#define D_ 4
#endif
#ifndef MB
#define MB 1
#endif
#ifndef U_
#define U_ (L_ + 1)
#endif
#ifndef MODE
#define MODE 2
#endif
#ifndef EDGE
#define EDGE 11
#endif
constexpr int R = R_, L = L_, X = X_, W = W_, T = L * W, D = D_, E = 16 / sizeof(REAL), P = R, U = U_;
constexpr int pow2(int n) { int m = 1; while (m < n) m *= 2; return m; }
#ifndef B_
#define B_ 1
#endif
constexpr int B = B_;
static_assert(U % B == 0);
constexpr int S = W * B + D * B + B, COLS = 32 * X, THREADS = 32 * W, VECS = COLS / E, PER = (VECS + THREADS - 1) / THREADS;
constexpr int HALO = (T * R + E - 1) / E * E, VALID = COLS - 2 * HALO;
constexpr int BEFORE = T * R, AFTER = T * R + W * B, EXTRA = BEFORE + AFTER; // rows before results, iterations in excess
static_assert(VALID > 0 && X >= 2 * R && X % E == 0);
constexpr int TERMS = BOX ? (2 * R + 1) * (2 * R + 1) : 4 * R + 1;
constexpr int SIDE = 2 * R + 1;
__host__ __device__ constexpr int ti(int k) { return BOX ? k / SIDE - R : k < R ? k - R : k < 3 * R + 1 ? 0 : k - 3 * R; }
__host__ __device__ constexpr int tj(int k) { return BOX ? k % SIDE - R : k < R || k > 3 * R ? 0 : k - 2 * R; }
__host__ __device__ constexpr REAL tc(int k) { return (REAL)((1.0f + 0.01f * k) / (TERMS * (1.0f + 0.005f * (TERMS - 1)))); }
struct alignas(16) Vec { REAL x[E]; };
template <bool B> struct Flag { static constexpr bool value = B; };
struct Job { const REAL *in; REAL *out; int n, pitch, tiles; int share; };
#ifdef FMA
__device__ __forceinline__ float mad(float a, float b, float c) { return __fmaf_rn(a, b, c); }
__device__ __forceinline__ double mad(double a, double b, double c) { return __fma_rn(a, b, c); }
#else
__device__ __forceinline__ float mad(float a, float b, float c) { return __fadd_rn(__fmul_rn(a, b), c); }
__device__ __forceinline__ double mad(double a, double b, double c) { return __dadd_rn(__dmul_rn(a, b), c); }
#endif
// A row with its margins.
struct Row { REAL x[X + 2 * R]; __device__ __forceinline__ REAL &operator[](int k) { return x[k + R]; }
  __device__ __forceinline__ void exchange() {
#pragma unroll
    for (int c = 1; c <= R; c++) { x[R - c] = __shfl_up_sync(~0u, x[R + X - c], 1); x[R + X - 1 + c] = __shfl_down_sync(~0u, x[R + c - 1], 1); }
  } };
// adds the terms of a row that lies i rows beside the output; the first term starts the sum
template <int I> __device__ __forceinline__ void add(REAL (&sum)[X], Row &row) {
#pragma unroll
  for (int k = 0; k < TERMS; k++) if (ti(k) == I) {
#pragma unroll
    for (int x = 0; x < X; x++) sum[x] = k == 0 ? tc(k) * row[x + tj(k)] : mad(tc(k), row[x + tj(k)], sum[x]);
  }
}
template <int I> struct Absorb { static __device__ __forceinline__ void go(REAL (&sums)[2 * R][X], Row &row) { // sums[k]: output with row at offset R-1-k
  add<I>(sums[R - 1 - I], row); Absorb<I - 1>::go(sums, row); } };
template <> struct Absorb<-R - 1> { static __device__ __forceinline__ void go(REAL (&)[2 * R][X], Row &) {} };

template <int I> struct Early { static __device__ __forceinline__ void go(REAL (&sum)[X], Row *rows) { add<I>(sum, rows[R - 1 - I]); Early<I + 1>::go(sum, rows); } };
template <> struct Early<R> { static __device__ __forceinline__ void go(REAL (&)[X], Row *) {} };

template <bool FULL> __device__ __forceinline__ void piece(const Job &job, REAL (*ring)[COLS], int tile, int y0, int y1) {
  const int tid = threadIdx.x, lane = tid % 32, w = __shfl_sync(~0u, tid / 32, 0);
  const int n = job.n, lo = R, hi = n - R; // written: [lo, hi)
    const bool last = tile == job.tiles - 1;
    const int results = last ? (hi + E - 1) / E * E - VALID : min(lo / E * E + tile * VALID, (hi - HALO) / E * E - VALID), j0 = results - HALO;
    const int stored = last ? min(lo / E * E + tile * VALID, (hi - HALO) / E * E) : lo / E * E + tile * VALID; // those before are another tile's
    __syncthreads();
    auto fetch = [&](int s, int slot) {
#pragma unroll
      for (int p = 0; p < PER; p++) {
        const int at = (p * THREADS + tid) * E;
        if (PER * THREADS == VECS || at < COLS) __pipeline_memcpy_async(&ring[slot][at], job.in + (size_t)max(0, min(y0 - BEFORE + s, n - 1)) * job.pitch + max(0, min(j0 + at, job.pitch - E)), 16);
      }
    };
#pragma unroll
    for (int d = 0; d < D; d++) { for (int b = 0; b < B; b++) fetch(d * B + b, d * B + b); __pipeline_commit(); }
    const int steps = y1 - y0 + BEFORE + AFTER;
    const int column = j0 + lane * X;
    constexpr int ROWS = MODE != 2 ? 2 * R + 1 : 1, SUMS = MODE != 2 ? 1 : 2 * R;
    REAL sums[L][SUMS][X] = {};
    Row A[L][ROWS] = {}; // [0]: newest
    int at_s = 0; // s modulo S
    auto one = [&](auto flag, const int s, const int u) __attribute__((always_inline)) {
      constexpr bool edge = decltype(flag)::value;
      {
        const int r = s - w * B, y = y0 - BEFORE + r - w * L * P, done = y0 - BEFORE + s - W * B - T * P;
        if (u % B == 0) {
          __pipeline_wait_prior(D - 1);
          __syncthreads();
          for (int b = 0; b < B; b++) { const int to = at_s + b + D * B; fetch(s + b + D * B, to >= S ? to - S : to); }
          __pipeline_commit();
        }
        if (done >= y0 && done < y1) {
#pragma unroll
          for (int p = 0; p < PER; p++) {
            const int at = (p * THREADS + tid) * E, j = j0 + at;
            if (at >= HALO && at < HALO + VALID && j >= stored) {
              const Vec v = *(Vec *)&ring[at_s >= W * B ? at_s - W * B : at_s - W * B + S][at];
              if (!edge || j >= lo && j + E <= hi) *(Vec *)(job.out + (size_t)done * job.pitch + j) = v;
              else for (int e = 0; e < E; e++) if (j + e >= lo && j + e < hi) job.out[(size_t)done * job.pitch + j + e] = v.x[e];
            }
          }
        }
        Row a;
        REAL *slot = &ring[at_s >= w * B ? at_s - w * B : at_s - w * B + S][lane * X];
#pragma unroll
        for (int x = 0; x < X; x += E) { const Vec v = *(Vec *)(slot + x);
#pragma unroll
          for (int e = 0; e < E; e++) a[x + e] = v.x[e]; }
#pragma unroll
        for (int l = 0; l < L; l++) {
#if MODE == 3
#elif MODE == 1
          // A[l][d]: row at offset R - 1 - d of the output
          if (!BOX) A[l][R - 1].exchange();
          Early<-R>::go(sums[l][0], A[l]);
#else
          if (!BOX) A[l][0].exchange();
          Absorb<R - 1>::go(sums[l], A[l][0]);
#endif
        }
#pragma unroll
        for (int l = 0; l < L; l++) {
          const int row = y - l * P - R;
          if (BOX) a.exchange();
          REAL out[X];
#if MODE == 3
          if (!BOX) A[l][R - 1].exchange();
          Early<-R>::go(sums[l][0], A[l]);
#endif
#pragma unroll
          for (int x = 0; x < X; x++) out[x] = sums[l][0][x];
          add<R>(out, a);
          if (edge) {
            const bool fixed = row < lo || row >= hi;
#pragma unroll
            for (int x = 0; x < X; x++) {
              constexpr auto inside = [](int p, int q, int x) { for (int k = p; k <= q; k++) if (k % X == x) return true; return false; };
              const bool in_left = inside(HALO - R, HALO + E - 2, x), in_right = inside(HALO + VALID - E + 1, HALO + VALID + R - 1, x);
              bool keep = fixed;
              if (in_left) keep |= column + x < lo;
              if (in_right) keep |= column + x >= hi;
              if (keep) out[x] = MODE != 2 ? A[l][MODE != 2 ? R - 1 : 0][x] : (REAL)1;
            }
          }
#pragma unroll
          for (int k = 0; k + 1 < SUMS; k++)
#pragma unroll
            for (int x = 0; x < X; x++) sums[l][k][x] = sums[l][k + 1][x];
#pragma unroll
          for (int k = ROWS - 1; k > 0; k--) A[l][k] = A[l][k - 1];
          A[l][0] = a;
#pragma unroll
          for (int x = 0; x < X; x++) a[x] = out[x];
        }
        if (r >= 0)
#pragma unroll
          for (int x = 0; x < X; x += E) { Vec v;
#pragma unroll
            for (int e = 0; e < E; e++) v.x[e] = a[x + e];
            *(Vec *)(slot + x) = v; }
        if (++at_s == S) at_s = 0;
      }
    };
    auto loop = [&](int base) __attribute__((always_inline)) {
      if constexpr (U > 0) one(Flag<!FULL>{}, base + 0, 0);
      if constexpr (U > 1) one(Flag<!FULL>{}, base + 1, 1);
      if constexpr (U > 2) one(Flag<!FULL>{}, base + 2, 2);
      if constexpr (U > 3) one(Flag<!FULL>{}, base + 3, 3);
      if constexpr (U > 4) one(Flag<!FULL>{}, base + 4, 4);
      if constexpr (U > 5) one(Flag<!FULL>{}, base + 5, 5);
      if constexpr (U > 6) one(Flag<!FULL>{}, base + 6, 6);
      if constexpr (U > 7) one(Flag<!FULL>{}, base + 7, 7);
      if constexpr (U > 8) one(Flag<!FULL>{}, base + 8, 8);
      if constexpr (U > 9) one(Flag<!FULL>{}, base + 9, 9);
    };
#pragma unroll 1
    for (int base = 0; base < steps; base += U) loop(base);
}
__global__ void __launch_bounds__(THREADS, MB) kernel(const Job job) {
  extern __shared__ __align__(16) char raw[];
  REAL(*ring)[COLS] = (REAL(*)[COLS])raw;
  const int tid = threadIdx.x, lane = tid % 32, w = __shfl_sync(~0u, tid / 32, 0);
  const int n = job.n, lo = R, hi = n - R; // written: [lo, hi)
  // a work list: tiles one after the other, those at the ends first and last
  // Pieces one after the other: those at the ends of rows whole, the others with a top and a bottom of their own.
  int from = blockIdx.x * job.share;
  const int rows = hi - lo, side = (rows + EXTRA) * EDGE, top = (T * R + EXTRA) * EDGE, middle = (rows - 2 * T * R + EXTRA) * 8, inner = middle + 2 * top;
  const int until = min(from + job.share, (job.tiles - 2) * inner + 2 * side);
  while (from < until) {
    const int tile = from < side ? 0 : min(job.tiles - 1, 1 + (from - side) / inner);
    const bool last = tile == job.tiles - 1, ends = tile == 0 || last;
    int start = tile ? side + (tile - 1) * inner : 0, length = ends ? side : top, first = lo, end = ends ? hi : lo + T * R;
    bool full = false;
    if (!ends && from >= start + top) {
      start += top, length = middle, first = end, end = hi - T * R, full = true;
      if (from >= start + middle) start += middle, length = top, first = end, end = hi, full = false;
    }
    const int upto = min(until, start + length), unit = full ? 8 : EDGE;
    const int y0 = first + max(0, (from - start) / unit - EXTRA), y1 = upto == start + length ? end : first + max(0, (upto - start) / unit - EXTRA);
    from = upto;
    if (y0 >= y1) continue;
    if (full) piece<true>(job, ring, tile, y0, y1); else piece<false>(job, ring, tile, y0, y1);
  }
}
__global__ void naive(const REAL *in, REAL *out, int n, int pitch) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x + R, i = blockIdx.y * blockDim.y + threadIdx.y + R;
  if (i >= n - R || j >= n - R) return;
  const REAL *p = in + (size_t)i * pitch + j;
  REAL sum = 0;
#pragma unroll
  for (int k = 0; k < TERMS; k++) { const REAL v = p[ti(k) * pitch + tj(k)]; sum = k ? mad(tc(k), v, sum) : tc(k) * v; }
  out[(size_t)i * pitch + j] = sum;
}
__global__ void fill(REAL *a, int n, int pitch) {
  for (size_t k = blockIdx.x * (size_t)blockDim.x + threadIdx.x; k < (size_t)n * pitch; k += (size_t)gridDim.x * blockDim.x) {
    unsigned x = (unsigned)k * 2654435761u;
    x ^= x >> 15, x *= 2246822519u, x ^= x >> 13;
    a[k] = 1 + (x & 0xffffff) / (REAL)16777216;
  }
}
__global__ void differ(const REAL *a, const REAL *b, int n, int pitch, unsigned long long *count) {
  for (size_t k = blockIdx.x * (size_t)blockDim.x + threadIdx.x; k < (size_t)n * n; k += (size_t)gridDim.x * blockDim.x)
    if (a[k / n * pitch + k % n] != b[k / n * pitch + k % n]) atomicAdd(count, 1ull);
}
int main(int c, char **v) {
  const int launches = atoi(v[1]);
  const int shared = S * COLS * sizeof(REAL);
  CK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  int sms = 132, resident = 0;
  CK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, THREADS, shared));
  cudaFuncAttributes at;
  CK(cudaFuncGetAttributes(&at, kernel));
  for (int arg = 2; arg < c; arg++) {
    const int n = atoi(v[arg]), pitch = (n + 31) / 32 * 32;
    const size_t bytes = (size_t)n * pitch * sizeof(REAL);
    REAL *A[2], *B[2];
    unsigned long long *bad, count = 0;
    CK(cudaMalloc(&bad, 8));
    CK(cudaMemset(bad, 0, 8));
    for (int k = 0; k < 2; k++) { CK(cudaMalloc(&A[k], bytes)); CK(cudaMalloc(&B[k], bytes)); }
    const int lo = R / E * E, hi_in = (n - R - HALO) / E * E, inner_tiles = (hi_in - lo) / VALID, tiles = inner_tiles + 1 + ((n - R + E - 1) / E * E - VALID > lo + inner_tiles * VALID), blocks = sms * resident;
    const int rows = n - 2 * R, side = (rows + EXTRA) * EDGE, top = (T * R + EXTRA) * EDGE, inner = (rows - 2 * T * R + EXTRA) * 8 + 2 * top, share = ((tiles - 2) * inner + 2 * side + blocks - 1) / blocks;
    auto run = [&](int count) { for (int t = 0; t < count; t++) kernel<<<blocks, THREADS, shared>>>(Job{A[t % 2], A[(t + 1) % 2], n, pitch, tiles, share}); };
    for (auto *X : {A, B}) { fill<<<1024, 256>>>(X[0], n, pitch); CK(cudaMemcpy(X[1], X[0], bytes, cudaMemcpyDeviceToDevice)); }
    run(2);
    CK(cudaDeviceSynchronize());
    for (int t = 0; t < 2 * T; t++) naive<<<dim3((n + 31) / 32, (n + 7) / 8), dim3(32, 8)>>>(B[t % 2], B[(t + 1) % 2], n, pitch);
    differ<<<1024, 256>>>(A[0], B[0], n, pitch, bad);
    CK(cudaMemcpy(&count, bad, 8, cudaMemcpyDeviceToHost));
    cudaEvent_t s, e;
    cudaEventCreate(&s), cudaEventCreate(&e);
    std::vector<float> ms(3);
    for (float &m : ms) { cudaEventRecord(s); run(launches); cudaEventRecord(e); cudaEventSynchronize(e); cudaEventElapsedTime(&m, s, e); }
    std::sort(ms.begin(), ms.end());
    CK(cudaGetLastError());
    printf("%s %s2d%dr n %d L %d X %d W %d U %d D %d T %d regs %d local %zu resident %d tiles %d: %.0f GCell/s, %llu differ\n", sizeof(REAL) == 4 ? "float" : "double", BOX ? "box" : "star", R, n, L, X, W, U, D, T, at.numRegs, at.localSizeBytes, resident, tiles, (double)(n-2*R) * (n-2*R) * T * launches / ms[1] / 1e6, count);
    fflush(stdout);
    for (int k = 0; k < 2; k++) { cudaFree(A[k]); cudaFree(B[k]); }
  }
}
