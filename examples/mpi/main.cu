/* A program that uses MPI itself: each rank has memory for some rows of the plate, and a GPU that computes them.
 *
 *   hexcc heat.c --emit kernel --gpus mpi -o heat.cuh
 *   nvcc -O3 -fmad=false -arch=native -ccbin mpicxx main.cu -o heat -lnccl
 *   mpirun -np 4 ./heat [N [STEPS]]
 *
 * Rank 0 compares with the loops of heat.c, as far as the plate is small. */
#include "heat.cuh"
#include <string.h>
#include <vector>

static float start(long long i, long long j) { return (float)((i * 37 + j * 101) % 1000) / 1000; }

static void check(bool is_right, const char *what)
{
  if (is_right) return;
  fprintf(stderr, "%s failed\n", what);
  MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
}

/* The whole plate by the loops of heat.c. */
static std::vector<float> by_loops(int n, int steps)
{
  const size_t plane = (size_t)n * n;
  std::vector<float> u(2 * plane);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) u[(size_t)i * n + j] = u[plane + (size_t)i * n + j] = start(i, j);
  for (int t = 0; t < steps; t++) {
    const float *from = &u[t % 2 * plane];
    float *to = &u[(t + 1) % 2 * plane];
    for (size_t i = 1; i + 1 < (size_t)n; i++)
      for (size_t j = 1; j + 1 < (size_t)n; j++) {
        const float *x = &from[i * n + j];
        to[i * n + j] = 0.5f * x[0] + 0.125f * (x[-n] + x[-1] + x[1] + x[n]);
      }
  }
  return u;
}

int main(int argc, char **argv)
{
  int rank, ranks, on_host, gpus = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int n = argc > 1 ? atoi(argv[1]) : 1000, steps = argc > 2 ? atoi(argv[2]) : 100;

  /* A GPU for each rank, and NCCL among them. */
  MPI_Comm host;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &host);
  MPI_Comm_rank(host, &on_host);
  check(cudaGetDeviceCount(&gpus) == cudaSuccess && cudaSetDevice(on_host % gpus) == cudaSuccess, "choosing a GPU");
  ncclUniqueId id;
  ncclComm_t nccl;
  if (rank == 0) ncclGetUniqueId(&id);
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  check(ncclCommInitRank(&nccl, ranks, id, rank) == ncclSuccess, "starting NCCL");

  /* The rows of this rank: `slab.n_own` rows from row `slab.own` of the plate on, and others beside them. */
  const hexcc_slabs::Domain domain = hexcc_heat::domain(n, steps, ranks);
  check(domain.slabs == ranks, "a plate of so few rows");
  const hexcc_slabs::Team team{ranks, MPI_COMM_WORLD, nccl};
  hexcc_slabs::Slab slab(domain, rank, team);
  check(slab.create() == cudaSuccess, "creating streams");

  /* Two planes of `slab.rows` rows, of which the first is row `slab.first`. Rows begin at multiples of 128 bytes. */
  const size_t width = sizeof(float) * n, pitch = (width + 127) / 128 * 128, plane = slab.rows * pitch;
  char *u = nullptr;
  check(cudaMalloc((void **)&u, 2 * plane) == cudaSuccess, "memory");
  /* The rank has its own rows, and those at the edges of the plate beside them. */
  const long long from = rank == 0 ? 0 : slab.own, until = rank + 1 == ranks ? n : slab.own + slab.n_own;
  std::vector<float> own((until - from) * n);
  for (long long i = from; i < until; i++)
    for (long long j = 0; j < n; j++) own[(i - from) * n + j] = start(i, j);
  for (int p = 0; p < 2; p++)
    check(cudaMemcpy2D(u + p * plane + (from - slab.first) * pitch, pitch, own.data(), width, width, until - from, cudaMemcpyHostToDevice) == cudaSuccess, "copying");

  hexcc_heat::Args args{};
  args.size = n, args.steps = steps, args.plate = (float *)u, args.plate_pitch = (int)pitch;
  check(hexcc_heat::launch(args, slab) == cudaSuccess, "computing");
  check(cudaStreamSynchronize(slab.stream) == cudaSuccess, "computing");

  /* Back to the rank, and to rank 0. */
  check(cudaMemcpy2D(own.data(), width, u + steps % 2 * plane + (from - slab.first) * pitch, pitch, width, until - from, cudaMemcpyDeviceToHost) == cudaSuccess, "copying");
  std::vector<int> counts(ranks), places(ranks);
  const int count = (int)own.size();
  MPI_Gather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
  for (int r = 1; r < ranks; r++) places[r] = places[r - 1] + counts[r - 1];
  std::vector<float> all(rank == 0 ? (size_t)n * n : 0);
  MPI_Gatherv(own.data(), count, MPI_FLOAT, all.data(), counts.data(), places.data(), MPI_FLOAT, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    const std::vector<float> expected = by_loops(n, steps);
    check(memcmp(all.data(), &expected[steps % 2 * (size_t)n * n], all.size() * sizeof(float)) == 0, "the comparison with loops");
    printf("%d ranks: as by loops\n", ranks);
  }
  cudaFree(u), slab.destroy(), ncclCommDestroy(nccl);
  MPI_Finalize();
}
