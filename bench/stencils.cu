// Device time of generated kernels against one thread per cell, in one run,
// results compared bit for bit with the naive kernel's.
//
// scripts/bench-prepare makes one folder per stencil with `variants.h`, which
// includes the generated kernels and lists them as VARIANTS(X), X(namespace,
// label); build with -I that folder and -DSTENCIL_<name>. Sizes must be multiples
// of 32, so that rows need no padding (fdtd2d's ex is padded here).
#include "harness.h"
#include "variants.h"

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
#else
#error "no stencil chosen"
#endif

#if defined(STENCIL_fdtd2d)

// The first two fields in one kernel, the third in another: two launches a step.
__global__ void __launch_bounds__(256)
naive_e(const float *__restrict__ hz, float *ex, float *ey, const float *fict, long long t, long long n) {
  const long long j = blockIdx.x * 32ll + threadIdx.x, i = blockIdx.y * 8ll + threadIdx.y;
  if (i >= n || j >= n) return;
  if (i == 0)
    ey[j] = fict[t];
  else
    ey[i * n + j] = ey[i * n + j] - 0.5f * (hz[i * n + j] - hz[(i - 1) * n + j]);
  if (j >= 1) ex[i * (n + 32) + j] = ex[i * (n + 32) + j] - 0.5f * (hz[i * n + j] - hz[i * n + j - 1]);
}

__global__ void __launch_bounds__(256)
naive_h(float *hz, const float *__restrict__ ex, const float *__restrict__ ey, long long n) {
  const long long j = blockIdx.x * 32ll + threadIdx.x, i = blockIdx.y * 8ll + threadIdx.y;
  if (i < n && j < n)
    hz[i * n + j] = hz[i * n + j] - 0.7f * (ex[i * (n + 32) + j + 1] - ex[i * (n + 32) + j] + ey[(i + 1) * n + j] - ey[i * n + j]);
}

int main(int argc, char **argv) {
  const long long n = argc > 1 ? std::atoll(argv[1]) : 1024, steps = argc > 2 ? std::atoll(argv[2]) : 64;
  // ex, ey, hz, fict.
  const size_t ex = size_t(n) * size_t(n + 32), ey = size_t(n + 1) * size_t(n), hz = size_t(n) * size_t(n);
  Data data(ex + ey + hz + size_t(steps));
  const double cells = double(steps) * double(n) * double(n);
  const auto run_naive = [&](float *d) {
    const dim3 grid(unsigned((n + 31) / 32), unsigned((n + 7) / 8)), block(32, 8);
    for (long long t = 0; t < steps; ++t) {
      naive_e<<<grid, block>>>(d + ex + ey, d, d + ex, d + ex + ey + hz, t, n);
      naive_h<<<grid, block>>>(d + ex + ey, d, d + ex, n);
    }
  };
#define KERNEL naive_e
#define ARGS(args)                                                                        \
  args.NX = n, args.NY = n, args.T = steps, args.ex = data.actual, args.ey = data.actual + ex,               \
  args.hz = data.actual + ex + ey, args.fict = data.actual + ex + ey + hz, args.ex_pitch = int(n + 32) * 4,  \
  args.ey_pitch = args.hz_pitch = int(n) * 4
#else

#if DIMS == 2
#define P(di, dj) in[(i + (di)) * n + j + (dj)]
__global__ void __launch_bounds__(256) naive(const float *__restrict__ in, float *__restrict__ out, long long n) {
  const long long j = blockIdx.x * 32ll + threadIdx.x + 1, i = blockIdx.y * 8ll + threadIdx.y + 1;
  if (i < n - 1 && j < n - 1) out[i * n + j] = VALUE;
}
#else
#define P(di, dj, dk) in[((i + (di)) * n + j + (dj)) * n + k + (dk)]
__global__ void __launch_bounds__(256) naive(const float *__restrict__ in, float *__restrict__ out, long long n) {
  const long long k = blockIdx.x * 32ll + threadIdx.x + 1, j = blockIdx.y * 8ll + threadIdx.y + 1, i = blockIdx.z + 1;
  if (j < n - 1 && k < n - 1) out[(i * n + j) * n + k] = VALUE;
}
#endif

int main(int argc, char **argv) {
  const long long n = argc > 1 ? std::atoll(argv[1]) : 1024, steps = argc > 2 ? std::atoll(argv[2]) : 64;
  size_t plane = 1;
  double cells = double(steps);
  for (int d = 0; d < DIMS; ++d) plane *= size_t(n), cells *= double(n - 2);
  Data data(2 * plane);
  // Both buffers share the fixed boundary.
  CHECK(cudaMemcpy(data.input + plane, data.input, plane * sizeof(float), cudaMemcpyDeviceToDevice));
  const auto run_naive = [&](float *d) {
    const unsigned b = unsigned(n - 2);
    const dim3 grid((b + 31) / 32, (b + 7) / 8, DIMS == 2 ? 1 : b);
    for (long long t = 0; t < steps; ++t)
      naive<<<grid, dim3(32, 8)>>>(d + size_t(t % 2) * plane, d + size_t((t + 1) % 2) * plane, n);
  };
#define KERNEL naive
#define ARGS(args) args.N = n, args.T = steps, args.A = data.actual, args.A_pitch = int(n) * 4
#endif

  data.reset(data.expected);
  run_naive(data.expected);
  CHECK(cudaDeviceSynchronize());
  std::printf("%s n = %lld, %lld steps\n", NAME, n, steps);
  const double naive_ms = median_ms([&] { run_naive(data.actual); });
  report(NAME, "naive", cells, naive_ms, data, KERNEL, 0, [&] {
    run_naive(data.actual);
    return cudaGetLastError();
  });

#define RUN(ns, label)                                                                    \
  {                                                                                       \
    ns::Args args{};                                                                      \
    ARGS(args);                                                                           \
    report(NAME, label, cells, naive_ms, data, ns::kernel, ns::SHARED_BYTES, [&] { return ns::launch(args, 0); }); \
  }
  VARIANTS(RUN)
  return 0;
}
