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
    if (team.size == 1 || right == 0) return cudaSuccess;
    ncclResult_t result = ncclGroupStart();
    for (int side = -1; side <= 1; side += 2) {
      if (number + side < 0 || number + side >= team.size) continue;
      const long long n = beside - rim, to = side < 0 ? rim : rows - beside, from = side < 0 ? beside : rows - beside - n;
      for (int p = 0; p < N && result == ncclSuccess; ++p) {
        const size_t bytes = n * planes[p].bytes;
        result = ncclSend((char *)planes[p].first + from * planes[p].bytes, bytes, ncclChar, number + side, team.nccl, stream);
        if (result == ncclSuccess) result = ncclRecv((char *)planes[p].first + to * planes[p].bytes, bytes, ncclChar, number + side, team.nccl, stream);
      }
    }
    const ncclResult_t ended = ncclGroupEnd();
    return checked(result == ncclSuccess ? ended : result);
  }
};

} // namespace hexcc_slabs
