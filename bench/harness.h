// Shared by the benchmarks: random input, timing with events, comparison. All on
// the device, so that arrays of gigabytes cost no copies.
#pragma once
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CHECK(call)                                                                       \
  do {                                                                                    \
    cudaError_t error_ = (call);                                                          \
    if (error_ != cudaSuccess) {                                                          \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error_)); \
      std::exit(1);                                                                       \
    }                                                                                     \
  } while (0)

// Deterministic values in (0, 1], never zero.
__global__ void fill(float *values, size_t n, unsigned seed) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
    unsigned x = unsigned(i) * 2654435761u + seed;
    x = (x ^ (x >> 15)) * 2246822519u;
    x ^= x >> 13;
    values[i] = float((x >> 8) | 1) / 16777216.0f;
  }
}

// Counts the elements whose bits differ.
__global__ void compare(const unsigned *a, const unsigned *b, size_t n, unsigned long long *different) {
  unsigned long long mine = 0;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
    mine += a[i] != b[i];
  if (mine != 0) atomicAdd(different, mine);
}

// Arrays one after the other, as every kernel of a stencil takes them.
struct Data {
  size_t n;
  float *input, *expected, *actual;
  unsigned long long *different;

  explicit Data(size_t elements) : n(elements) {
    CHECK(cudaMalloc(&input, n * sizeof(float)));
    CHECK(cudaMalloc(&expected, n * sizeof(float)));
    CHECK(cudaMalloc(&actual, n * sizeof(float)));
    CHECK(cudaMallocManaged(&different, sizeof *different));
    fill<<<1024, 256>>>(input, n, 12345);
    CHECK(cudaDeviceSynchronize());
  }

  void reset(float *to) { CHECK(cudaMemcpy(to, input, n * sizeof(float), cudaMemcpyDeviceToDevice)); }

  unsigned long long n_different() {
    *different = 0;
    compare<<<1024, 256>>>((const unsigned *)expected, (const unsigned *)actual, n, different);
    CHECK(cudaDeviceSynchronize());
    return *different;
  }
};

// Milliseconds of one run: two warm-ups, median of five.
template <typename Run> double median_ms(Run run) {
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  std::vector<float> times;
  for (int i = 0; i < 7; ++i) {
    CHECK(cudaEventRecord(begin));
    run();
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    if (i >= 2) times.push_back(ms);
  }
  CHECK(cudaGetLastError());
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

// Runs a variant once on fresh input, compares, and times it: one line of the table.
template <typename Kernel, typename Run>
void report(const char *stencil, const char *variant, double cells, double naive_ms, Data &data, Kernel kernel,
            int shared_bytes, Run run) {
  data.reset(data.actual);
  cudaError_t error = run();
  if (error == cudaSuccess) error = cudaDeviceSynchronize();
  if (error != cudaSuccess) {
    std::printf("%-12s %-52s %s\n", stencil, variant, cudaGetErrorString(error));
    std::exit(1);
  }
  const bool equal = data.n_different() == 0;
  const double ms = median_ms(run);
  cudaFuncAttributes attributes{};
  CHECK(cudaFuncGetAttributes(&attributes, (const void *)kernel));
  std::printf("%-12s %-52s %9.3f ms %8.1f GCell/s %6.2fx  regs %3d  local %4d  shared %6d  %s\n", stencil, variant, ms,
              cells / ms / 1e6, naive_ms / ms, attributes.numRegs, (int)attributes.localSizeBytes, shared_bytes,
              equal ? "bit-equal" : "DIFFERENT");
  std::fflush(stdout);
}
