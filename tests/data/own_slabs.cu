/* Slabs of a program with memory of its own: each thread fills rows of its slab, and compares them with C. The size is
 * a multiple of 4. */
#include "wave.cuh"

extern "C" void wave(int size, int steps, float *field, float *speed);

static float start(long long at) { return (float)((unsigned)at * 2654435761u % 1000) / 1000; }

int main(int argc, char **argv)
{
  const long long size = atoi(argv[1]), steps = atoi(argv[2]), row = size * size, plane = size * row;
  std::vector<float> field(2 * plane), speed(plane), expected;
  for (long long at = 0; at < plane; at++) field[at] = field[plane + at] = start(at), speed[at] = start(3 * at) / 8;
  expected = field;
  wave(size, steps, expected.data(), speed.data());
  std::atomic<int> wrong{0}, slabs{0};
  hexcc_wave::share(size, steps, [&](hexcc_slabs::Slab &slab) {
    hexcc_wave::Args args{};
    args.size = size, args.steps = steps;
#ifdef PITCHES /* kernels of tiles want to know them */
    args.field_pitch = args.speed_pitch = (int)(size * sizeof(float));
#endif
    const size_t bytes = slab.rows * row * sizeof(float);
    cudaMalloc((void **)&args.field, 2 * bytes), cudaMalloc((void **)&args.speed, bytes);
    /* Its own rows, and the first and the last one of all. */
    const long long end = slab.own + slab.n_own, from = slab.own == 1 ? 0 : slab.own, until = end == size - 1 ? size : end;
    const size_t n = (until - from) * row * sizeof(float), to = (from - slab.first) * row;
    for (int p = 0; p < 2; p++)
      cudaMemcpy((float *)args.field + p * slab.rows * row + to, &field[p * plane + from * row], n, cudaMemcpyHostToDevice);
    cudaMemcpy((float *)args.speed + to, &speed[from * row], n, cudaMemcpyHostToDevice);
    wrong += hexcc_wave::launch(args, slab) != cudaSuccess;
    wrong += cudaStreamSynchronize(slab.stream) != cudaSuccess;
    std::vector<float> found((until - from) * row);
    for (int p = 0; p < 2; p++) {
      cudaMemcpy(found.data(), (float *)args.field + p * slab.rows * row + to, n, cudaMemcpyDeviceToHost);
      wrong += memcmp(found.data(), &expected[p * plane + from * row], n) != 0;
    }
    cudaFree((void *)args.field), cudaFree((void *)args.speed);
    ++slabs;
  });
  printf("%d slabs, %d wrong\n", slabs.load(), wrong.load());
  return wrong != 0;
}
