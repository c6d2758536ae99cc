// Shared by the benchmarks: random input, timing with events, comparison.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
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
template <typename T> std::vector<T> random_values(size_t n) {
  std::vector<T> values(n);
  uint32_t state = 12345;
  for (T &v : values) {
    state = state * 1664525u + 1013904223u;
    v = T((state >> 8) | 1) / T(16777216);
  }
  return values;
}

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

// Runs `run` once on fresh copies of the input and returns the result.
template <typename T, typename Run>
std::vector<T> result_of(T *device, const std::vector<T> &input, Run run) {
  CHECK(cudaMemcpy(device, input.data(), input.size() * sizeof(T), cudaMemcpyHostToDevice));
  run();
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  std::vector<T> output(input.size());
  CHECK(cudaMemcpy(output.data(), device, input.size() * sizeof(T), cudaMemcpyDeviceToHost));
  return output;
}

// One line of the table: name, GCell/s, ratio, registers, local memory, check.
template <typename T, typename Run, typename Kernel>
double report(const char *stencil, const char *variant, double cells, double naive_ms, T *device,
              const std::vector<T> &input, const std::vector<T> &expected, Kernel kernel, int shared_bytes, Run run) {
  const std::vector<T> output = result_of(device, input, run);
  size_t different = 0;
  double worst = 0;
  for (size_t i = 0; i < output.size(); ++i) {
    if (std::memcmp(&output[i], &expected[i], sizeof(T)) != 0) ++different;
    const double scale = std::max(std::fabs(double(expected[i])), 1e-30);
    worst = std::max(worst, std::fabs(double(output[i]) - double(expected[i])) / scale);
  }
  const double ms = median_ms(run);
  cudaFuncAttributes attributes{};
  CHECK(cudaFuncGetAttributes(&attributes, (const void *)kernel));
  std::printf("%-12s %-22s %9.3f ms %8.1f GCell/s %6.2fx  regs %3d  local %4d B  shared %6d B  %s (worst relative %.1e)\n",
              stencil, variant, ms, cells / ms / 1e6, naive_ms > 0 ? naive_ms / ms : 1.0, attributes.numRegs,
              (int)attributes.localSizeBytes, shared_bytes, different == 0 ? "bit-equal" : "DIFFERENT", worst);
  std::fflush(stdout);
  return ms;
}
