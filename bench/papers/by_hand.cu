// One thread a cell, written by hand as the two papers do: five and nine points in 2D, seven points in 3D.
//
//   nvcc -O3 -arch=native -fmad=false by_hand.cu -o by_hand && ./by_hand
//
// Prints a line of JSON for each: the median of several runs, in billions of cells a second.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void start(float *a, size_t n) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
    a[i] = (float)(i % 1009 + 1) / 1009;
}

template <int RADIUS> __global__ void plane(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < RADIUS || j < RADIUS || i >= n - RADIUS || j >= n - RADIUS) return;
  float sum = in[i * n + j];
  #pragma unroll
  for (int r = 1; r <= RADIUS; ++r) sum = sum + in[(i + r) * n + j] + in[(i - r) * n + j] + in[i * n + j + r] + in[i * n + j - r];
  out[i * n + j] = sum;
}

__global__ void volume(const float *__restrict__ in, float *__restrict__ out, int n, float c0, float c1, float c2, float c3,
                       float c4, float c5, float c6) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  const int i = blockIdx.z * blockDim.z + threadIdx.z;
  if (i < 1 || j < 1 || k < 1 || i >= n - 1 || j >= n - 1 || k >= n - 1) return;
  const float *at = in + ((size_t)i * n + j) * n + k;
  const size_t row = n, sheet = (size_t)n * n;
  out[((size_t)i * n + j) * n + k] = c0 * at[0] + c1 * at[-1] + c2 * at[1] + c3 * *(at - row) + c4 * at[row] +
                                     c5 * *(at - sheet) + c6 * at[sheet];
}

template <typename Launch> void measure(const char *name, size_t cells, double inner, int steps, Launch launch) {
  float *planes[2];
  for (float *&a : planes) {
    if (cudaMalloc(&a, cells * sizeof(float)) != cudaSuccess) exit(1);
    start<<<1024, 256>>>(a, cells);
  }
  cudaEvent_t begin, end;
  cudaEventCreate(&begin), cudaEventCreate(&end);
  std::vector<float> times;
  for (int run = 0; run < 7; ++run) {
    cudaEventRecord(begin);
    for (int t = 0; t < steps; ++t) launch(planes[t % 2], planes[(t + 1) % 2]);
    cudaEventRecord(end), cudaEventSynchronize(end);
    float ms;
    cudaEventElapsedTime(&ms, begin, end);
    if (run > 1) times.push_back(ms);
  }
  std::sort(times.begin(), times.end());
  const double ms = times[times.size() / 2];
  printf("{\"stencil\": \"%s\", \"variant\": \"by hand\", \"ms\": %.4f, \"gcells\": %.1f}\n", name, ms, inner * steps / ms / 1e6);
  for (float *a : planes) cudaFree(a);
}

int main() {
  const int n = 8192, m = 512, steps = 32;
  const dim3 block(16, 16), grid(n / 16, n / 16), wide(32, 8), rows(n / 32, n / 8), cube(32, 4, 2), blocks(m / 32, m / 4, m / 2);
  const size_t area = (size_t)n * n, space = (size_t)m * m * m;
  const double five = (n - 2.0) * (n - 2), nine = (n - 4.0) * (n - 4), seven = (m - 2.0) * (m - 2) * (m - 2);
  measure("five_points 16x16", area, five, steps, [&](float *a, float *b) { plane<1><<<grid, block>>>(a, b, n); });
  measure("five_points 32x8", area, five, steps, [&](float *a, float *b) { plane<1><<<rows, wide>>>(a, b, n); });
  measure("nine_points 16x16", area, nine, steps, [&](float *a, float *b) { plane<2><<<grid, block>>>(a, b, n); });
  measure("nine_points 32x8", area, nine, steps, [&](float *a, float *b) { plane<2><<<rows, wide>>>(a, b, n); });
  measure("seven_points 32x4x2", space, seven, steps, [&](float *a, float *b) {
    volume<<<blocks, cube>>>(a, b, m, 0.4f, 0.11f, 0.09f, 0.12f, 0.08f, 0.105f, 0.095f);
  });
  return cudaDeviceSynchronize() != cudaSuccess;
}
