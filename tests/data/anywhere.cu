// Dense arrays of every width, which begin at any element, against loops of C.
#include "jacobi2d.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

static void check(cudaError_t error, const char *what) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  exit(EXIT_FAILURE);
}

int main() {
  const long long steps[] = {1, 2, 7, 30};
  for (long long N = 1; N <= 300; ++N) {
    const long long T = steps[N > 60 ? N % 3 : N % 4], shift = N % 5;
    const size_t n = 2 * N * N;
    std::vector<REAL> c(n), result(n);
    for (size_t i = 0; i < n; ++i) c[i] = (REAL)((i * 31 + 7) % 101) / 8;
    // Both planes have the same boundary.
    for (long long i = 0; i < N; ++i)
      for (long long j = 0; j < N; ++j)
        if (i == 0 || j == 0 || i == N - 1 || j == N - 1) c[N * N + i * N + j] = c[i * N + j];
    REAL *memory = nullptr, *next = nullptr;
    check(cudaMalloc((void **)&memory, (n + shift) * sizeof(REAL)), "allocating");
    check(cudaMemcpy(memory + shift, c.data(), n * sizeof(REAL), cudaMemcpyHostToDevice), "copying");
    jacobi::Args args{};
    args.N = N;
    args.T = T;
    args.A = memory + shift;
    args.A_pitch = (int)(N * sizeof(REAL));
#ifdef BESIDE
    if (N % 3 == 0) check(cudaMalloc((void **)&next, N * N * sizeof(REAL)), "allocating");
    args.A_next = next;
#endif
    check(jacobi::launch(args, 0), "launching");
    check(cudaDeviceSynchronize(), "running");
    check(cudaMemcpy(result.data(), memory + shift, n * sizeof(REAL), cudaMemcpyDeviceToHost), "copying back");
    check(cudaFree(memory), "freeing");
    check(cudaFree(next), "freeing");
    for (long long t = 0; t < T; ++t) {
      const REAL *const from = &c[t % 2 * N * N];
      REAL *const to = &c[(t + 1) % 2 * N * N];
      for (long long i = 1; i < N - 1; ++i)
        for (long long j = 1; j < N - 1; ++j)
          to[i * N + j] = (REAL)0.2 * (from[i * N + j] + from[(i + 1) * N + j] + from[(i - 1) * N + j] + from[i * N + j + 1] + from[i * N + j - 1]);
    }
    if (memcmp(c.data(), result.data(), n * sizeof(REAL)) != 0) {
      fprintf(stderr, "N = %lld, T = %lld: other results\n", N, T);
      return 2;
    }
  }
  puts("300 widths are right");
  return 0;
}
