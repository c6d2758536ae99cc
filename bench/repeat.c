/* A program of the testsuite, several times in one process: repeat TIMES ARGUMENTS..
 *
 * Built by the C compiler from the C file, or by nvcc from what hexcc made of it:
 * -DPROGRAM='"jacobi2d.c"'. Both print the same lines. On the GPU, standard error tells
 * whether later runs take longer, or leave less memory, than the first ones.
 */
#define main program
#include PROGRAM
#undef main
#include <stdio.h>
#include <stdlib.h>

#ifdef __CUDACC__
#include <algorithm>
#include <chrono>
#include <vector>

int main(int argc, char **argv)
{
  const int times = argc > 1 ? atoi(argv[1]) : 1;
  std::vector<double> seconds;
  std::vector<size_t> free_bytes;

  for (int n = 0; n < times; n++) {
    const auto begin = std::chrono::steady_clock::now();
    if (program(argc - 1, argv + 1) != 0)
      return 1;
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    size_t free = 0, total = 0;
    if (cudaMemGetInfo(&free, &total) != cudaSuccess)
      return 1;
    free_bytes.push_back(free);
  }
  // The first run also starts CUDA.
  const auto median = [&](size_t from, size_t to) {
    std::vector<double> part(seconds.begin() + from, seconds.begin() + to);
    std::sort(part.begin(), part.end());
    return 1e3 * part[part.size() / 2];
  };
  const size_t tenth = std::max(seconds.size() / 10, (size_t)1);
  if (seconds.size() > 2)
    fprintf(stderr, "%d runs: first %.1f ms; median of the next %zu: %.2f ms, of the last %zu: %.2f ms\n", times, 1e3 * seconds[0],
            tenth, median(1, 1 + tenth), tenth, median(seconds.size() - tenth, seconds.size()));
  else
    fprintf(stderr, "%d runs: the last %.1f ms\n", times, 1e3 * seconds.back());
  fprintf(stderr, "free memory after the first run %zu bytes, least %zu, after the last %zu\n", free_bytes.front(),
          *std::min_element(free_bytes.begin(), free_bytes.end()), free_bytes.back());
  return 0;
}
#else
int main(int argc, char **argv)
{
  for (int n = argc > 1 ? atoi(argv[1]) : 1; n > 0; n--)
    if (program(argc - 1, argv + 1) != 0)
      return 1;
  return 0;
}
#endif
