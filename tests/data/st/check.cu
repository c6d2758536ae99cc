// Launches of stencils beside loops of C, with the same sizes.
#include "fdtd2d.cuh"
#include "gradient2d.cuh"
#include "jacobi1d.cuh"
#include "jacobi2d.cuh"
#include "jacobi3d.cuh"
#include "nearest.cuh"
#include "order.cuh"
#include "poisson2d.cuh"
#include "records.cuh"
#include "rician2d.cuh"
#include "ring.cuh"
#include "both.cuh"
#include "torus.cuh"
#include "tv2d.cuh"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

static void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s\n", cudaGetErrorString(error));
  exit(EXIT_FAILURE);
}

static unsigned state = 1;

// Rows of cells, on the device and for C.
template <typename E> struct Field {
  long long rows, columns;
  std::vector<E> c;
  E *device = nullptr;
  int pitch;
  // With two planes the second one begins as the first.
  Field(long long rows, long long columns, int planes = 1) : rows(rows * planes), columns(columns), c(rows * planes * columns) {
    const long long n = rows * columns;
    for (long long i = 0; i < n; ++i) {
      state = state * 1664525u + 1013904223u;
      c[i] = (E)(state >> 8) / (E)(1 << 20);
      if (planes == 2) c[n + i] = c[i];
    }
    pitch = (int)(columns * sizeof(E));
    check(cudaMalloc((void **)&device, c.size() * sizeof(E) + 1));
    copy(cudaMemcpyHostToDevice, c);
  }
  void copy(cudaMemcpyKind kind, std::vector<E> &host) {
    const size_t size = c.size() * sizeof(E);
    if (kind == cudaMemcpyHostToDevice) check(cudaMemcpy(device, host.data(), size, kind));
    else check(cudaMemcpy(host.data(), device, size, kind));
  }
  E &at(long long row, long long column) { return c[row * columns + column]; }
  void compare(const char *name, long long N, long long T) {
    std::vector<E> found(c.size());
    copy(cudaMemcpyDeviceToHost, found);
    check(cudaFree(device));
    if (c.empty() || memcmp(found.data(), c.data(), c.size() * sizeof(E)) == 0) return;
    fprintf(stderr, "%s, N = %lld, T = %lld: other results\n", name, N, T);
    exit(2);
  }
};

// With one launch per step arrays are dense, and have no pitch.
#ifdef DENSE
#define FIELD(args, name, field) ((args).name = (field).device)
#else
#define FIELD(args, name, field) ((args).name = (field).device, (args).name##_pitch = (field).pitch)
#endif
#define RUN(name, args) (check(name::launch(args, 0)), check(cudaDeviceSynchronize()))

static void in_1d(long long N, long long T) {
  Field<float> A(1, N, 2);
  hexcc_jacobi1d::Args args{};
  args.N = N, args.T = T;
  FIELD(args, A, A);
  RUN(hexcc_jacobi1d, args);
  for (long long t = 0; t < T; ++t)
    for (long long i = 1; i < N - 1; ++i) A.at((t + 1) % 2, i) = 0.33f * (A.at(t % 2, i - 1) + A.at(t % 2, i) + A.at(t % 2, i + 1));
  A.compare("jacobi1d", N, T);
}

// A ring lies behind HALO cells, and before as many.
static void ring(long long N, long long T) {
  const long long W = N + 2 * HALO;
  Field<float> A(1, N, 2), beside(1, W, 2);
  for (long long p = 0; p < 2; ++p)
    for (long long i = 0; i < N; ++i) beside.at(p, HALO + i) = A.at(p, i);
  beside.copy(cudaMemcpyHostToDevice, beside.c);
  hexcc_ring::Args args{};
  args.N = N, args.T = T;
  FIELD(args, A, beside);
  RUN(hexcc_ring, args);
  beside.copy(cudaMemcpyDeviceToHost, beside.c);
  for (long long t = 0; t < T; ++t)
    for (long long i = 0; i < N; ++i)
      A.at((t + 1) % 2, i) = 0.25f * A.at(t % 2, (i - 1 + N) % N) + 0.5f * A.at(t % 2, i) + 0.25f * A.at(t % 2, (i + 1) % N);
  // Compared are the cells of the ring after the last step.
  for (long long i = 0; i < N; ++i) A.at((T + 1) % 2, i) = A.at(T % 2, i) = A.at(T % 2, i) == beside.at(T % 2, HALO + i) ? 0 : 1;
  for (float differs : A.c)
    if (differs != 0) fprintf(stderr, "ring, N = %lld, T = %lld: other results\n", N, T), exit(2);
  check(cudaFree(A.device)), check(cudaFree(beside.device));
}

static void order(long long N, long long T) {
  if (N < 4) return;
  Field<float> A(1, N, 2), B(1, N);
  Field<int> C(1, N);
  hexcc_order::Args args{};
  args.N = N, args.T = T, args.k = 3;
  FIELD(args, A, A), args.B = B.device, args.C = C.device;
  RUN(hexcc_order, args);
  for (long long t = 0; t < T; ++t) {
    // All of a step in one row, as it is written: a statement reads what was there before it.
    std::vector<float> now(&A.at(t % 2, 0), &A.at(t % 2, 0) + N), old;
    now[0] = 0.5f * now[1] + 0.25f * now[2];
    for (long long i = 1; i < N - 1; ++i) B.at(0, i) = now[i - 1] - now[i + 1];
    old = now;
    for (long long i = 1; i < N - 1; ++i) now[i] = 0.5f * (old[i - 1] + old[i + 1]);
    now[N - 1] = now[N - 2] + 0.125f * B.at(0, N - 2);
    for (long long i = 1; i < N - 1; ++i) B.at(0, i) += now[i - 1] > now[i + 1] ? fabsf(now[i]) : -now[i];
    for (long long i = 0; i < N; ++i) C.at(0, i) = (C.at(0, i) * 3 + (int)(now[i] * 8) % 5) % 17;
    for (long long i = 0; i < N; ++i) A.at((t + 1) % 2, i) = now[i];
  }
  A.compare("order, A", N, T), B.compare("order, B", N, T), C.compare("order, C", N, T);
}

static void both(long long N, long long T) {
  if (N < 2) return;
  Field<double> A(1, N, 2), B(1, N);
  hexcc_both::Args args{};
  args.N = N, args.T = T;
  FIELD(args, A, A), args.B = B.device;
  RUN(hexcc_both, args);
  for (long long t = 0; t < T; ++t) {
    const long long from = t % 2, to = (t + 1) % 2;
    for (long long i = 0; i < N; ++i) A.at(to, i) = A.at(from, i) + 0.5 * B.at(0, i);
    for (long long i = 1; i < N - 1; ++i) B.at(0, i) -= 0.25 * (A.at(from, i - 1) + A.at(from, i + 1));
    B.at(0, 0) = 0.125 * A.at(to, 1);
  }
  A.compare("both, A", N, T), B.compare("both, B", N, T);
}

static void records(long long N, long long T) {
  if (N < 2) return;
  Field<float> u(1, N, 2);
  Field<int> n(1, N);
  Field<double> x(1, N), y(1, N);
  hexcc_records::Args args{};
  args.N = N, args.T = T;
  FIELD(args, c_u, u), args.c_n = n.device, args.p_x = x.device, args.p_y = y.device;
  RUN(hexcc_records, args);
  for (long long t = 0; t < T; ++t) {
    const long long from = t % 2, to = (t + 1) % 2;
    for (long long i = 1; i < N - 1; ++i) u.at(to, i) = 0.5f * (u.at(from, i - 1) + u.at(from, i + 1));
    for (long long i = 0; i < N; ++i) n.at(0, i) = (n.at(0, i) + (int)(u.at(to, i) * 8)) % 7;
    for (long long i = 1; i < N - 1; ++i) x.at(0, i) += 0.25 * (y.at(0, i - 1) - y.at(0, i + 1));
    for (long long i = 0; i < N; ++i) y.at(0, i) += x.at(0, i);
  }
  u.compare("records, u", N, T), n.compare("records, n", N, T), x.compare("records, x", N, T), y.compare("records, y", N, T);
}

// One array of N x M cells in two planes.
template <typename E, typename Args, typename Launch, typename Cell>
static void in_2d(const char *name, long long N, long long M, long long T, int border, Launch launch, Cell cell) {
  Field<E> A(N, M, 2);
  Args args{};
  args.N = N, args.T = T;
  launch(args, A);
  for (long long t = 0; t < T; ++t) {
    auto at = [&](long long i, long long j) { return A.at(t % 2 * N + i, j); };
    for (long long i = border; i < N - border; ++i)
      for (long long j = border; j < M - border; ++j) A.at((t + 1) % 2 * N + i, j) = cell(at, i, j);
  }
  A.compare(name, N, T);
}

static void planes(long long N, long long M, long long T) {
  in_2d<float, hexcc_jacobi2d::Args>("jacobi2d", N, N, T, 1,
    [](auto &args, auto &A) { FIELD(args, A, A); RUN(hexcc_jacobi2d, args); },
    [](auto &A, long long i, long long j) { return 0.2f * (A(i, j) + A(i + 1, j) + A(i - 1, j) + A(i, j + 1) + A(i, j - 1)); });
  in_2d<float, hexcc_gradient2d::Args>("gradient2d", N, N, T, 1,
    [](auto &args, auto &A) { FIELD(args, A, A); RUN(hexcc_gradient2d, args); },
    [](auto &A, long long i, long long j) {
      const float up = A(i, j) - A(i - 1, j), down = A(i, j) - A(i + 1, j), left = A(i, j) - A(i, j - 1), right = A(i, j) - A(i, j + 1);
      return A(i, j) + 1.0f / sqrtf(2.0f + up * up + down * down + left * left + right * right);
    });
  in_2d<float, hexcc_poisson2d::Args>("poisson2d", N, M, T, 1,
    [=](auto &args, auto &A) { args.M = M; FIELD(args, phi, A); RUN(hexcc_poisson2d, args); },
    [](auto &A, long long i, long long j) {
      return 0.2f * (A(i - 1, j) + A(i + 1, j) + A(i, j - 1) + A(i, j + 1))
        + 0.05f * (A(i - 1, j - 1) + A(i - 1, j + 1) + A(i + 1, j - 1) + A(i + 1, j + 1)) - 0.01f * A(i, j);
    });
  if (N >= 3 && M >= 3) in_2d<float, hexcc_torus::Args>("torus", N, M, T, 0,
    [=](auto &args, auto &A) { args.M = M; args.A = A.device; RUN(hexcc_torus, args); },
    [=](auto &A, long long i, long long j) {
      return 0.2f * (A(i, j) + A((i - 1 + N) % N, j) + A((i + 2) % N, j) + A(i, llabs(j - 2)) + A(i, j + 1 < M ? j + 1 : M - 2));
    });
  in_2d<double, hexcc_nearest::Args>("nearest", N, M, T, 0,
    [=](auto &args, auto &A) { args.M = M; FIELD(args, A, A); RUN(hexcc_nearest, args); },
    [=](auto &A, long long i, long long j) {
      auto row = [=](long long i) { return i < 0 ? 0 : i < N ? i : N - 1; };
      return 0.2 * (A(i, j) + A(row(i - 1), j) + A(row(i + 1), j) + A(i, j > 0 ? j - 1 : 0) + A(i, j + 2 < M ? j + 2 : M - 1));
    });
}

static void in_3d(long long N, long long T) {
  Field<float> A(N * N, N, 2);
  hexcc_jacobi3d::Args args{};
  args.N = N, args.T = T;
  FIELD(args, A, A);
  RUN(hexcc_jacobi3d, args);
  for (long long t = 0; t < T; ++t) {
    auto at = [&](long long i, long long j, long long k) { return A.at((t % 2 * N + i) * N + j, k); };
    for (long long i = 1; i < N - 1; ++i)
      for (long long j = 1; j < N - 1; ++j)
        for (long long k = 1; k < N - 1; ++k)
          A.at(((t + 1) % 2 * N + i) * N + j, k) = 0.4f * at(i, j, k)
            + 0.1f * (at(i - 1, j, k) + at(i + 1, j, k) + at(i, j - 1, k) + at(i, j + 1, k) + at(i, j, k - 1) + at(i, j, k + 1));
  }
  A.compare("jacobi3d", N, T);
}

static void fdtd(long long N, long long M, long long T) {
  Field<float> ex(N, M + 1), ey(N + 1, M), hz(N, M);
  hexcc_fdtd2d::Args args{};
  args.NX = N, args.NY = M, args.T = T;
  FIELD(args, ex, ex), FIELD(args, ey, ey), FIELD(args, hz, hz);
  RUN(hexcc_fdtd2d, args);
  for (long long t = 0; t < T; ++t) {
    for (long long i = 1; i < N; ++i)
      for (long long j = 0; j < M; ++j) ey.at(i, j) = ey.at(i, j) - 0.5f * (hz.at(i, j) - hz.at(i - 1, j));
    for (long long i = 0; i < N; ++i)
      for (long long j = 1; j < M; ++j) ex.at(i, j) = ex.at(i, j) - 0.5f * (hz.at(i, j) - hz.at(i, j - 1));
    for (long long i = 0; i < N; ++i)
      for (long long j = 0; j < M; ++j)
        hz.at(i, j) = hz.at(i, j) - 0.7f * (ex.at(i, j + 1) - ex.at(i, j) + ey.at(i + 1, j) - ey.at(i, j));
  }
  ex.compare("fdtd2d, ex", N, T), ey.compare("fdtd2d, ey", N, T), hz.compare("fdtd2d, hz", N, T);
}

static void rician(long long N, long long M, long long T) {
  Field<float> noisy(N, M), weight(N, M), image(N, M, 2);
  const float lambda = 0.065f, sigma = 0.05f, rate = 5.0f;
  hexcc_rician2d::Args args{};
  args.N = N, args.M = M, args.T = T, args.lambda = lambda, args.sigma = sigma, args.rate = rate;
  FIELD(args, noisy, noisy), FIELD(args, weight, weight), FIELD(args, image, image);
  RUN(hexcc_rician2d, args);
  for (long long t = 0; t < T; ++t) {
    auto u = [&](long long i, long long j) { return image.at(t % 2 * N + i, j); };
    auto g = [&](long long i, long long j) { return weight.at(i, j); };
    for (long long i = 1; i < N - 1; ++i)
      for (long long j = 1; j < M - 1; ++j) {
        const float right = u(i, j) - u(i, j + 1), left = u(i, j) - u(i, j - 1), down = u(i, j) - u(i + 1, j), up = u(i, j) - u(i - 1, j);
        weight.at(i, j) = 1.0f / sqrtf(1.0e-10f + right * right + left * left + down * down + up * up);
      }
    for (long long i = 1; i < N - 1; ++i)
      for (long long j = 1; j < M - 1; ++j) {
        const float r = u(i, j) * noisy.at(i, j) / sigma;
        const float ratio = r * (2.38944f + r * (0.950037f + r)) / (4.65314f + r * (2.57541f + r * (1.48937f + r)));
        const float around = u(i, j + 1) * g(i, j + 1) + u(i, j - 1) * g(i, j - 1) + u(i + 1, j) * g(i + 1, j) + u(i - 1, j) * g(i - 1, j);
        image.at((t + 1) % 2 * N + i, j) = (u(i, j) + rate * (around + lambda * noisy.at(i, j) * ratio))
          / (1 + rate * (g(i, j + 1) + g(i, j - 1) + g(i + 1, j) + g(i - 1, j) + lambda));
      }
  }
  noisy.compare("rician2d, noisy", N, T), weight.compare("rician2d, weight", N, T), image.compare("rician2d, image", N, T);
}

static void tv(long long N, long long M, long long T) {
  Field<float> noisy(N, M), image(N, M, 2);
  const float rate = 0.1f, trust = 0.03f, noise = 1.0e-4f;
  hexcc_tv2d::Args args{};
  args.N = N, args.M = M, args.T = T, args.rate = rate, args.trust = trust, args.noise = noise;
  FIELD(args, noisy, noisy), FIELD(args, image, image);
  RUN(hexcc_tv2d, args);
  for (long long t = 0; t < T; ++t) {
    auto u = [&](long long i, long long j) { return image.at(t % 2 * N + i, j); };
    for (long long i = 1; i < N - 1; ++i)
      for (long long j = 1; j < M - 1; ++j) {
        const float right = u(i, j + 1) - u(i, j), down = u(i + 1, j) - u(i, j), left = u(i, j) - u(i, j - 1), up = u(i, j) - u(i - 1, j);
        const float left_down = u(i + 1, j - 1) - u(i, j - 1), up_right = u(i - 1, j + 1) - u(i - 1, j);
        const float here = 1 / sqrtf(noise + right * right + down * down);
        const float at_left = 1 / sqrtf(noise + left * left + left_down * left_down);
        const float at_up = 1 / sqrtf(noise + up_right * up_right + up * up);
        image.at((t + 1) % 2 * N + i, j) = u(i, j) + rate * (right * here + down * here - left * at_left - up * at_up - trust * (u(i, j) - noisy.at(i, j)));
      }
  }
  noisy.compare("tv2d, noisy", N, T), image.compare("tv2d, image", N, T);
}

int main() {
  const long long sizes[][3] = {{1, 3, 1}, {2, 2, 3}, {3, 5, 2}, {4, 4, 5}, {9, 17, 4}, {33, 20, 7}, {40, 70, 9}, {70, 40, 17}};
  for (auto [N, M, T] : sizes) {
    in_1d(N * M, T), ring(N * M, T), order(N * M, T), both(N * M, T), records(N * M, T), planes(N, M, T), fdtd(N, M, T), rician(N, M, T), tv(N, M, T);
    if (N < 50) in_3d(N, T);
  }
  puts("all results are those of C");
  return 0;
}
