// Ranks of MPI, a GPU each: rows travel by NCCL.
namespace hexcc_slabs {

// An error of NCCL as one of CUDA; what NCCL says of it is printed.
static cudaError_t checked(ncclResult_t result) {
  if (result == ncclSuccess) return cudaSuccess;
  fprintf(stderr, "NCCL: %s\n", ncclGetErrorString(result));
  return cudaErrorUnknown;
}

// The ranks that have a slab, with the same numbers for MPI and for NCCL.
struct Team {
  int size;
  MPI_Comm comm;
  ncclComm_t nccl;

  void meet() const { MPI_Barrier(comm); }
};

struct SlabOfRank : Share {
  const Team &team;

  SlabOfRank(const Domain &domain, int number_, const Team &team_) : Share(domain, number_), team(team_) {}

  // Whether all slabs say so.
  bool all(bool yes) const {
    int own = yes, everybody = yes;
    MPI_Allreduce(&own, &everybody, 1, MPI_INT, MPI_LAND, team.comm);
    return everybody;
  }

  // Renews the rows beside the slab in some planes, which all slabs give alike. In order on a stream of each.
  template <int N> cudaError_t exchange(const Rows (&planes)[N], cudaStream_t stream) {
    right = beside - rim;
    if (team.size == 1 || right == 0) return renew_alone(planes, stream);
    ncclResult_t result = ncclGroupStart();
    for (int side = -1; side <= 1; side += 2) { // rows travel to that side
      const int receiver = neighbour(side), sender = neighbour(-side);
      const long long n = beside - rim, from = side < 0 ? beside : rows - beside - n, to = side < 0 ? rows - beside : rim;
      for (int p = 0; p < N; ++p) {
        const size_t row = planes[p].bytes;
        if (receiver >= 0 && result == ncclSuccess) result = ncclSend((char *)planes[p].first + from * row, n * row, ncclChar, receiver, team.nccl, stream);
        if (sender >= 0 && result == ncclSuccess) result = ncclRecv((char *)planes[p].first + to * row, n * row, ncclChar, sender, team.nccl, stream);
      }
    }
    const ncclResult_t ended = ncclGroupEnd();
    return checked(result == ncclSuccess ? ended : result);
  }
};

} // namespace hexcc_slabs
