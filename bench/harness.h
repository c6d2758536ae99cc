// Shared by the benchmarks: random input, timing with events, comparison. All on
// the device, so that arrays of gigabytes cost no copies; copies to and from the
// host are timed on their own.
#pragma once
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
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

// Elements of all arrays.
#ifndef REAL
#define REAL float
#endif
using real = REAL;

// Deterministic values in (0, 1], never zero.
__global__ void fill(real *values, size_t n, unsigned seed) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
    unsigned x = unsigned(i) * 2654435761u + seed;
    x = (x ^ (x >> 15)) * 2246822519u;
    x ^= x >> 13;
    values[i] = real((x >> 8) | 1) / 16777216.0f;
  }
}

// Counts the elements that differ, in the first `columns` of every `pitch`.
__global__ void compare(const real *a, const real *b, size_t n, size_t columns, size_t pitch, unsigned long long *different) {
  unsigned long long mine = 0;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
    mine += i % pitch < columns && a[i] != b[i];
  if (mine != 0) atomicAdd(different, mine);
}

// Arrays one after the other, as every kernel of a stencil takes them.
struct Data {
  size_t n, columns = 1, pitch = 1; // of rows, where they are padded
  real *input, *expected, *actual, *next; // `next`: what kernels need beside the arrays
  unsigned long long *different;

  explicit Data(size_t elements) : n(elements) {
    CHECK(cudaMalloc(&input, n * sizeof(real)));
    CHECK(cudaMalloc(&expected, n * sizeof(real)));
    CHECK(cudaMalloc(&actual, n * sizeof(real)));
    CHECK(cudaMalloc(&next, n * sizeof(real)));
    CHECK(cudaMallocManaged(&different, sizeof *different));
    fill<<<1024, 256>>>(input, n, 12345);
    CHECK(cudaDeviceSynchronize());
  }

  void reset(real *to) { CHECK(cudaMemcpy(to, input, n * sizeof(real), cudaMemcpyDeviceToDevice)); }

  unsigned long long n_different() {
    *different = 0;
    compare<<<1024, 256>>>(expected, actual, n, columns, pitch, different);
    CHECK(cudaDeviceSynchronize());
    return *different;
  }
};

// Milliseconds of a run.
struct Times {
  double median, best;
};

// Times runs after a warm-up beside the run that was checked: five, or three where a run takes a
// quarter of a second or more; or as many as are given, each on fresh input.
template <typename Run, typename Reset> Times time_runs(Run run, int given, Reset reset) {
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  std::vector<float> times;
  for (int i = 0, n = given > 0 ? given + 1 : 6; i < n; ++i) {
    if (given > 0) reset();
    CHECK(cudaEventRecord(begin));
    run();
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    if (i >= 1) times.push_back(ms);
    if (ms > 250 && given == 0) n = 3;
  }
  CHECK(cudaGetLastError());
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
  std::sort(times.begin(), times.end());
  return {times[times.size() / 2], times[0]};
}

// N STEPS [--runs N] [--json FILE] [--table NAME] [--variants A,B] [--profile]
struct Options {
  long long n = 1024, steps = 64;
  const char *json = nullptr; // a line per variant is appended here
  const char *table = "speed"; // what these lines belong to
  const char *variants = nullptr; // namespaces to run, separated by commas; all by default
  int runs = 0; // timed ones of each variant, on fresh input; 0: a few in a row
  bool profile = false; // run every variant once, without comparing and timing, for a profiler

  Options(int argc, char **argv) {
    int positional = 0;
    for (int i = 1; i < argc; ++i) {
      const std::string word = argv[i];
      const bool more = i + 1 < argc;
      if (word == "--json" && more)
        json = argv[++i];
      else if (word == "--table" && more)
        table = argv[++i];
      else if (word == "--variants" && more)
        variants = argv[++i];
      else if (word == "--runs" && more)
        runs = std::atoi(argv[++i]);
      else if (word == "--profile")
        profile = true;
      else if (positional < 2 && std::atoll(argv[i]) > 0)
        (positional++ == 0 ? n : steps) = std::atoll(argv[i]);
      else {
        std::fprintf(stderr, "usage: %s [N [STEPS]] [--runs N] [--json FILE] [--table NAME] [--variants v0,v1] [--profile]\n", argv[0]);
        std::exit(2);
      }
    }
  }

  bool wants(const char *name) const {
    return variants == nullptr || ("," + std::string(variants) + ",").find("," + std::string(name) + ",") != std::string::npos;
  }
};

// Milliseconds to copy all arrays to the GPU and back, median of three.
inline double copies_ms(Data &data, bool page_locked) {
  const size_t bytes = data.n * sizeof(real);
  real *host = nullptr;
  if (page_locked)
    CHECK(cudaMallocHost(&host, bytes));
  else if ((host = (real *)std::malloc(bytes)) == nullptr)
    std::exit(1);
  std::memset(host, 1, bytes);
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  std::vector<float> times;
  for (int i = 0; i < 3; ++i) {
    CHECK(cudaEventRecord(begin));
    CHECK(cudaMemcpy(data.actual, host, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(host, data.actual, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    times.push_back(ms);
  }
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
  if (page_locked)
    CHECK(cudaFreeHost(host));
  else
    std::free(host);
  std::sort(times.begin(), times.end());
  return times[1];
}

// One stencil with one size: prints and writes a line per variant.
struct Report {
  const char *stencil;
  const Options &options;
  double cells;
  Data &data;
  double naive_ms = 0, pageable_ms = 0, page_locked_ms = 0;

  // Runs a variant once on fresh input, compares, and times it. The first one is the baseline.
  template <typename Kernel, typename Run> void line(const char *variant, Kernel kernel, int shared_bytes, Run run) {
    if (options.profile) {
      const cudaError_t error = run();
      CHECK(error != cudaSuccess ? error : cudaDeviceSynchronize());
      return;
    }
    data.reset(data.actual);
    cudaError_t error = run();
    if (error == cudaSuccess) error = cudaDeviceSynchronize();
    if (error != cudaSuccess) {
      std::printf("%-12s %-52s %s\n", stencil, variant, cudaGetErrorString(error));
      std::exit(1);
    }
    const unsigned long long different = data.n_different();
    const int given = naive_ms == 0 ? std::min(options.runs, 3) : options.runs; // the baseline takes long
    const auto [ms, best] = time_runs(run, given, [&] { data.reset(data.actual); });
    if (naive_ms == 0) naive_ms = ms;
    cudaFuncAttributes attributes{};
    CHECK(cudaFuncGetAttributes(&attributes, kernel));
    shared_bytes += (int)attributes.sharedSizeBytes;
    std::printf("%-12s %-52s %9.3f ms %8.1f GCell/s (best %.1f) %6.2fx  regs %3d  local %4d  shared %6d  %s\n", stencil, variant, ms,
                cells / ms / 1e6, cells / best / 1e6, naive_ms / ms, attributes.numRegs, (int)attributes.localSizeBytes, shared_bytes,
                different == 0 ? "bit-equal" : "DIFFERENT");
    std::fflush(stdout);
    FILE *file = options.json == nullptr ? nullptr : std::fopen(options.json, "a");
    if (file == nullptr) return;
    cudaDeviceProp gpu{};
    CHECK(cudaGetDeviceProperties(&gpu, 0));
    std::fprintf(file,
                 "{\"kind\":\"bench\",\"table\":\"%s\",\"stencil\":\"%s\",\"problem\":\"N=%lld,T=%lld\",\"variant\":\"%s\","
                 "\"gpu\":\"%s\",\"ms\":%.4f,\"gcells\":%.2f,\"best_gcells\":%.2f,\"ratio\":%.4f,\"registers\":%d,\"local_bytes\":%d,"
                 "\"shared_bytes\":%d,\"different\":%llu,\"pageable_ms\":%.2f,\"page_locked_ms\":%.2f}\n",
                 options.table, stencil, options.n, options.steps, variant, gpu.name, ms, cells / ms / 1e6, cells / best / 1e6, naive_ms / ms,
                 attributes.numRegs, (int)attributes.localSizeBytes, shared_bytes, different, pageable_ms, page_locked_ms);
    std::fclose(file);
  }

  // Once, before the first line, where times with copies are wanted.
  void copies() {
    if (options.profile) return;
    pageable_ms = copies_ms(data, false);
    page_locked_ms = copies_ms(data, true);
    std::printf("%-12s copies of all arrays to the GPU and back: %.1f ms, page-locked %.1f ms\n", stencil, pageable_ms, page_locked_ms);
  }
};
