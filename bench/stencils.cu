// Device time of generated kernels against one thread per cell and against one time
// step per launch from shared memory ("spatial"), in one run, results compared bit
// for bit with the naive kernel's.
//
// bench/prepare makes one folder per stencil with `variants.h`, which
// includes the generated kernels and lists them as VARIANTS(X), X(namespace,
// label); build with -I that folder and -DSTENCIL_<name>. Rows are padded to
// multiples of 32 elements; fdtd2d's size must be one (its ex is padded). One time step must
// have less than 2^31 cells: kernels index with 32 bits, which is up to a sixth faster in 3D;
// -DINDEX='long long' is for larger ones.
#include "harness.h"
#include "variants.h"

#ifndef INDEX
#define INDEX int
#endif
using index_t = INDEX;

#if defined(STENCIL_jacobi2d)
#define NAME "jacobi2d"
#define DIMS 2
#define VALUE 0.2f * (P(0, 0) + P(1, 0) + P(-1, 0) + P(0, 1) + P(0, -1))
#elif defined(STENCIL_laplacian2d)
#define NAME "laplacian2d"
#define DIMS 2
#define VALUE 0.5f * P(0, 0) + 0.125f * (P(-1, 0) + P(1, 0) + P(0, -1) + P(0, 1))
#elif defined(STENCIL_heat2d)
#define NAME "heat2d"
#define DIMS 2
#define VALUE                                                                             \
  0.11f * (P(-1, -1) + P(-1, 0) + P(-1, 1) + P(0, -1) + P(0, 0) + P(0, 1) + P(1, -1) + P(1, 0) + P(1, 1))
#elif defined(STENCIL_gradient2d)
#define NAME "gradient2d"
#define DIMS 2
#define D(i, j) (P(0, 0) - P(i, j)) * (P(0, 0) - P(i, j))
#define VALUE P(0, 0) + 1.0f / sqrtf(2.0f + D(-1, 0) + D(1, 0) + D(0, -1) + D(0, 1))
#elif defined(STENCIL_fdtd2d)
#define NAME "fdtd2d"
#define DIMS 2
#elif defined(STENCIL_laplacian3d)
#define NAME "laplacian3d"
#define DIMS 3
#define VALUE                                                                             \
  0.4f * P(0, 0, 0) + 0.1f * (P(-1, 0, 0) + P(1, 0, 0) + P(0, -1, 0) + P(0, 1, 0) + P(0, 0, -1) + P(0, 0, 1))
#elif defined(STENCIL_heat3d)
#define NAME "heat3d"
#define DIMS 3
#define ROW(i, j) P(i, j, -1) + P(i, j, 0) + P(i, j, 1)
#define VALUE                                                                             \
  0.037f * (ROW(-1, -1) + ROW(-1, 0) + ROW(-1, 1) + ROW(0, -1) + ROW(0, 0) + ROW(0, 1) + ROW(1, -1) + ROW(1, 0) + ROW(1, 1))
#elif defined(STENCIL_gradient3d)
#define NAME "gradient3d"
#define DIMS 3
#define D(i, j, k) (P(0, 0, 0) - P(i, j, k)) * (P(0, 0, 0) - P(i, j, k))
#define VALUE 1.0f / sqrtf(1.0f + D(-1, 0, 0) + D(1, 0, 0) + D(0, -1, 0) + D(0, 1, 0) + D(0, 0, -1) + D(0, 0, 1))
#elif defined(NAME)
// bench/prepare has taken VALUE, DIMS and RADIUS from a file of bench/stencils.
#else
#error "no stencil chosen"
#endif
#ifndef RADIUS
#define RADIUS 1
#endif

// Where an argument of the kernel is: `Args` has no member for a size that is constant.
#define SET(member)                                                                       \
  template <typename A, typename V> auto set_##member(A &args, V value, int) -> decltype((void)(args.member = value)) { \
    args.member = value;                                                                  \
  }                                                                                       \
  template <typename A, typename V> void set_##member(A &, V, long) {}
SET(N) SET(NX) SET(NY) SET(T) SET(A_next) SET(ex_next) SET(ey_next) SET(hz_next)

#if defined(STENCIL_fdtd2d)

// The first two fields in one kernel, the third in another: two launches a step.
__global__ void __launch_bounds__(256)
naive_e(const float *__restrict__ hz, float *ex, float *ey, const float *fict, long long t, index_t n) {
  const int j = blockIdx.x * 32 + threadIdx.x, i = blockIdx.y * 8 + threadIdx.y;
  if (i >= n || j >= n) return;
  if (i == 0)
    ey[j] = fict[t];
  else
    ey[i * n + j] = ey[i * n + j] - 0.5f * (hz[i * n + j] - hz[(i - 1) * n + j]);
  if (j >= 1) ex[i * (n + 32) + j] = ex[i * (n + 32) + j] - 0.5f * (hz[i * n + j] - hz[i * n + j - 1]);
}

__global__ void __launch_bounds__(256)
naive_h(float *hz, const float *__restrict__ ex, const float *__restrict__ ey, index_t n) {
  const int j = blockIdx.x * 32 + threadIdx.x, i = blockIdx.y * 8 + threadIdx.y;
  if (i < n && j < n)
    hz[i * n + j] = hz[i * n + j] - 0.7f * (ex[i * (n + 32) + j + 1] - ex[i * (n + 32) + j] + ey[(i + 1) * n + j] - ey[i * n + j]);
}

// The same from tiles of H x W in shared memory.
constexpr int W = 128, H = 16;

__global__ void __launch_bounds__(256)
spatial_e(const float *__restrict__ hz, float *ex, float *ey, const float *fict, long long t, index_t n) {
  __shared__ float s[H + 1][W + 4]; // hz[i0 - 1 ..][j0 - 4 ..]
  const int i0 = blockIdx.y * H, j0 = blockIdx.x * W;
  for (int y = threadIdx.y; y < H + 1; y += 8)
    for (int x = threadIdx.x; x < W + 4; x += 32)
      if (i0 + y >= 1 && i0 + y <= n && j0 + x >= 4 && j0 + x < n + 4) s[y][x] = hz[(i0 + y - 1) * n + j0 + x - 4];
  __syncthreads();
  for (int y = threadIdx.y; y < H; y += 8)
    for (int x = threadIdx.x; x < W; x += 32) {
      const int i = i0 + y, j = j0 + x;
      if (i >= n || j >= n) continue;
      if (i == 0)
        ey[j] = fict[t];
      else
        ey[i * n + j] = ey[i * n + j] - 0.5f * (s[y + 1][x + 4] - s[y][x + 4]);
      if (j >= 1) ex[i * (n + 32) + j] = ex[i * (n + 32) + j] - 0.5f * (s[y + 1][x + 4] - s[y + 1][x + 3]);
    }
}

__global__ void __launch_bounds__(256)
spatial_h(float *hz, const float *__restrict__ ex, const float *__restrict__ ey, index_t n) {
  __shared__ float s_ex[H][W + 1], s_ey[H + 1][W];
  const int i0 = blockIdx.y * H, j0 = blockIdx.x * W;
  for (int y = threadIdx.y; y < H + 1; y += 8)
    for (int x = threadIdx.x; x < W + 1; x += 32) {
      if (y < H && i0 + y < n && j0 + x <= n) s_ex[y][x] = ex[(i0 + y) * (n + 32) + j0 + x];
      if (x < W && i0 + y <= n && j0 + x < n) s_ey[y][x] = ey[(i0 + y) * n + j0 + x];
    }
  __syncthreads();
  for (int y = threadIdx.y; y < H; y += 8)
    for (int x = threadIdx.x; x < W; x += 32) {
      const int i = i0 + y, j = j0 + x;
      if (i < n && j < n) hz[i * n + j] = hz[i * n + j] - 0.7f * (s_ex[y][x + 1] - s_ex[y][x] + s_ey[y + 1][x] - s_ey[y][x]);
    }
}

int main(int argc, char **argv) {
  const Options options(argc, argv);
  const long long n = options.n, steps = options.steps;
  // ex, ey, hz, fict.
  const size_t ex = size_t(n) * size_t(n + 32), ey = size_t(n + 1) * size_t(n), hz = size_t(n) * size_t(n);
  Data data(ex + ey + hz + size_t(steps));
  const double cells = double(steps) * double(n) * double(n);
  const auto run_naive = [&](float *d) {
    const dim3 grid(unsigned((n + 31) / 32), unsigned((n + 7) / 8)), block(32, 8);
    for (long long t = 0; t < (options.profile ? 1 : steps); ++t) {
      naive_e<<<grid, block>>>(d + ex + ey, d, d + ex, d + ex + ey + hz, t, n);
      naive_h<<<grid, block>>>(d + ex + ey, d, d + ex, n);
    }
  };
  const auto run_spatial = [&](float *d) {
    const dim3 grid(unsigned((n + W - 1) / W), unsigned((n + H - 1) / H)), block(32, 8);
    for (long long t = 0; t < (options.profile ? 1 : steps); ++t) {
      spatial_e<<<grid, block>>>(d + ex + ey, d, d + ex, d + ex + ey + hz, t, n);
      spatial_h<<<grid, block>>>(d + ex + ey, d, d + ex, n);
    }
  };
#define KERNEL naive_e
#define SPATIAL spatial_e
#define ARGS(args)                                                                        \
  set_NX(args, n, 0), set_NY(args, n, 0), set_T(args, steps, 0), args.ex = data.actual, args.ey = data.actual + ex, \
  args.hz = data.actual + ex + ey, args.fict = data.actual + ex + ey + hz, args.ex_pitch = int(n + 32) * 4,  \
  args.ey_pitch = args.hz_pitch = int(n) * 4, set_ex_next(args, data.next, 0), set_ey_next(args, data.next + ex, 0), \
  set_hz_next(args, data.next + ex + ey, 0)
#else

#if DIMS == 2
#define P(di, dj) in[(i + (di)) * p + j + (dj)]
__global__ void __launch_bounds__(256) naive(const real *__restrict__ in, real *__restrict__ out, index_t n, index_t p) {
  const int j = blockIdx.x * 32 + threadIdx.x + RADIUS, i = blockIdx.y * 8 + threadIdx.y + RADIUS;
  if (i < n - RADIUS && j < n - RADIUS) out[i * p + j] = VALUE;
}

// Tiles of H x W cells from shared memory.
constexpr int W = 128, H = 16, CHUNK = 1;
#undef P
#define P(di, dj) s[y + (di)][x + (dj)]
__global__ void __launch_bounds__(256) spatial(const real *__restrict__ in, real *__restrict__ out, index_t n, index_t p) {
  __shared__ real s[H + 2][W + 2]; // in[i0 ..][j0 ..]
  const int i0 = blockIdx.y * H, j0 = blockIdx.x * W;
#pragma unroll
  for (int y = threadIdx.y; y < H + 2; y += 8)
#pragma unroll
    for (int x = threadIdx.x; x < W + 2; x += 32)
      if (i0 + y < n && j0 + x < n) s[y][x] = in[(i0 + y) * p + j0 + x];
  __syncthreads();
#pragma unroll
  for (int y = threadIdx.y + 1; y <= H; y += 8)
#pragma unroll
    for (int x = threadIdx.x + 1; x <= W; x += 32) {
      const int i = i0 + y, j = j0 + x;
      if (i < n - 1 && j < n - 1) out[i * p + j] = VALUE;
    }
}
#else
#define P(di, dj, dk) in[((i + (di)) * n + j + (dj)) * p + k + (dk)]
__global__ void __launch_bounds__(256) naive(const real *__restrict__ in, real *__restrict__ out, index_t n, index_t p) {
  const int k = blockIdx.x * 32 + threadIdx.x + RADIUS, j = blockIdx.y * 8 + threadIdx.y + RADIUS, i = blockIdx.z + RADIUS;
  if (j < n - RADIUS && k < n - RADIUS) out[(i * n + j) * p + k] = VALUE;
}

// Tiles of H x W cells in the inner dimensions, marching through CHUNK planes, of
// which shared memory holds the last three and the next.
constexpr int W = 64, H = 16, CHUNK = 64;
#undef P
#define P(di, dj, dk) s[(plane + (di)) & 3][y + (dj)][x + (dk)]
__global__ void __launch_bounds__(256) spatial(const real *__restrict__ in, real *__restrict__ out, index_t n, index_t p) {
  __shared__ real s[4][H + 2][W + 2];
  const int i0 = blockIdx.z * CHUNK, j0 = blockIdx.y * H, k0 = blockIdx.x * W;
  const auto load = [&](int plane) {
#pragma unroll
    for (int y = threadIdx.y; y < H + 2; y += 8)
#pragma unroll
      for (int x = threadIdx.x; x < W + 2; x += 32)
        if (i0 + plane < n && j0 + y < n && k0 + x < n) s[plane & 3][y][x] = in[((i0 + plane) * n + j0 + y) * p + k0 + x];
  };
  load(0), load(1);
  for (int plane = 1; plane <= CHUNK; ++plane) {
    load(plane + 1);
    __syncthreads();
#pragma unroll
    for (int y = threadIdx.y + 1; y <= H; y += 8)
#pragma unroll
      for (int x = threadIdx.x + 1; x <= W; x += 32) {
        const int i = i0 + plane, j = j0 + y, k = k0 + x;
        if (i < n - 1 && j < n - 1 && k < n - 1) out[(i * n + j) * p + k] = VALUE;
      }
  }
}
#endif

int main(int argc, char **argv) {
  const Options options(argc, argv);
  const long long n = options.n, steps = options.steps;
  const long long pitch = (n + 31) / 32 * 32; // of a row, in elements
  size_t plane = size_t(pitch);
  double cells = double(steps);
  for (int d = 0; d < DIMS; ++d) plane *= d == 0 ? 1 : size_t(n), cells *= double(n - 2 * RADIUS);
  Data data(2 * plane);
  data.columns = size_t(n), data.pitch = size_t(pitch);
  // Both buffers start alike: kernels that stream planes take one step at a time otherwise.
  CHECK(cudaMemcpy(data.input + plane, data.input, plane * sizeof(real), cudaMemcpyDeviceToDevice));
  const unsigned b = unsigned(n - 2 * RADIUS);
  const auto run_naive = [&](real *d) {
    const dim3 grid((b + 31) / 32, (b + 7) / 8, DIMS == 2 ? 1 : b);
    for (long long t = 0; t < (options.profile ? 1 : steps); ++t)
      naive<<<grid, dim3(32, 8)>>>(d + size_t(t % 2) * plane, d + size_t((t + 1) % 2) * plane, n, pitch);
  };
  const auto run_spatial = [&](real *d) {
    const dim3 grid((b + W - 1) / W, (b + H - 1) / H, DIMS == 2 ? 1 : (b + CHUNK - 1) / CHUNK);
    for (long long t = 0; t < (options.profile ? 1 : steps); ++t)
      spatial<<<grid, dim3(32, 8)>>>(d + size_t(t % 2) * plane, d + size_t((t + 1) % 2) * plane, n, pitch);
  };
#define KERNEL naive
#define SPATIAL spatial
#define ARGS(args) set_N(args, n, 0), set_T(args, steps, 0), args.A = data.actual, args.A_pitch = int(pitch * sizeof(real)), \
  set_A_next(args, data.next, 0)
#endif

  data.reset(data.expected);
  run_naive(data.expected);
  CHECK(cudaDeviceSynchronize());
  std::printf("%s n = %lld, %lld steps\n", NAME, n, steps);
  Report report{NAME, options, cells, data};
  if (std::strcmp(options.table, "speed") == 0) report.copies();
  if (!options.profile || options.wants("naive"))
    report.line("naive", KERNEL, 0, [&] {
      run_naive(data.actual);
      return cudaGetLastError();
    });
  if (RADIUS == 1 && options.wants("spatial"))
    report.line("spatial", SPATIAL, 0, [&] {
      run_spatial(data.actual);
      return cudaGetLastError();
    });

#define RUN(ns, label)                                                                    \
  if (options.wants(#ns)) {                                                               \
    ns::Args args{};                                                                      \
    ARGS(args);                                                                           \
    report.line(label, KERNEL_##ns, SHARED_##ns, [&] { return ns::launch(args, 0); }); \
  }
  VARIANTS(RUN)
  return 0;
}
