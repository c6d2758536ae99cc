// Device time of generated kernels against one thread per cell, in one run,
// results compared bit for bit with the naive kernel's.
//
// scripts/bench-prepare makes one folder per stencil with `variants.h`, which
// includes the generated kernels and lists them as VARIANTS(X), X(namespace,
// label); build with -I that folder and -DSTENCIL_<name>.
#include "harness.h"
#include "variants.h"

#if defined(STENCIL_jacobi2d)
#define NAME "jacobi2d"
#define DIMS 2
#define VALUE 0.2f * (P(0, 0) + P(1, 0) + P(-1, 0) + P(0, 1) + P(0, -1))
#elif defined(STENCIL_heat2d)
#define NAME "heat2d"
#define DIMS 2
#define VALUE                                                                             \
  0.11f * (P(-1, -1) + P(-1, 0) + P(-1, 1) + P(0, -1) + P(0, 0) + P(0, 1) + P(1, -1) + P(1, 0) + P(1, 1))
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
#else
#error "no stencil chosen"
#endif

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
  const long long n = argc > 1 ? std::atoll(argv[1]) : 1024;
  const long long steps = argc > 2 ? std::atoll(argv[2]) : 64;
  size_t plane = 1;
  double cells = double(steps);
  for (int d = 0; d < DIMS; ++d) plane *= size_t(n), cells *= double(n - 2);
  std::vector<float> input = random_values<float>(2 * plane);
  // Both buffers share the fixed boundary.
  std::memcpy(input.data() + plane, input.data(), plane * sizeof(float));
  float *device = nullptr;
  CHECK(cudaMalloc(&device, input.size() * sizeof(float)));

  const auto run_naive = [&] {
    const unsigned b = unsigned(n - 2);
#if DIMS == 2
    const dim3 grid((b + 31) / 32, (b + 7) / 8);
#else
    const dim3 grid((b + 31) / 32, (b + 7) / 8, b);
#endif
    for (long long t = 0; t < steps; ++t)
      naive<<<grid, dim3(32, 8)>>>(device + size_t(t % 2) * plane, device + size_t((t + 1) % 2) * plane, n);
  };
  const std::vector<float> expected = result_of(device, input, run_naive);
  std::printf("%s n = %lld, %lld steps\n", NAME, n, steps);
  const double naive_ms = report(NAME, "naive", cells, 0, device, input, expected, naive, 0, run_naive);

#define RUN(ns, label)                                                                    \
  {                                                                                       \
    ns::Args args{};                                                                      \
    args.N = n;                                                                           \
    args.T = steps;                                                                       \
    args.A = device;                                                                      \
    report(NAME, label, cells, naive_ms, device, input, expected, ns::kernel, ns::SHARED_BYTES, \
           [&] { CHECK(ns::launch(args, 0)); });                                          \
  }
  VARIANTS(RUN)
  CHECK(cudaFree(device));
  return 0;
}
