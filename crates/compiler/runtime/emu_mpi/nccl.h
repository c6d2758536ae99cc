// NCCL between emulated GPUs: what ranks send travels by MPI. Part of hexcc's emulation of CUDA (cuda_runtime.h).
//
// Only what generated programs call: a communicator of all ranks, sends and receives, in groups or alone. Operations run
// when their group ends, in the order of the stream as far as a program can tell, since streams of the emulation do.
// A group that waits for what nobody sends hangs, as it does on GPUs.
#pragma once

#include <cuda_runtime.h>
#include <mpi.h>
#include <vector>

struct ncclUniqueId {
    char internal[128];
};

typedef enum {
    ncclSuccess = 0,
    ncclUnhandledCudaError = 1,
    ncclInvalidArgument = 4,
} ncclResult_t;

typedef enum { ncclChar = 0 } ncclDataType_t;

namespace hexcc_emu {

struct NcclComm {
    MPI_Comm ranks;
};

// A send or a receive of a group.
struct NcclTransfer {
    bool sends;
    void *on_gpu;
    int peer;
    MPI_Comm ranks;
    std::vector<char> bytes;
};

inline int &nccl_depth() {
    static int depth = 0;
    return depth;
}

inline std::vector<NcclTransfer> &nccl_group() {
    static std::vector<NcclTransfer> group;
    return group;
}

inline ncclResult_t nccl_run() {
    std::vector<NcclTransfer> group;
    group.swap(nccl_group());
    std::vector<MPI_Request> requests(group.size());
    for (size_t i = 0; i < group.size(); ++i) {
        NcclTransfer &t = group[i];
        const int n = static_cast<int>(t.bytes.size());
        if (t.sends) {
            if (cudaMemcpy(t.bytes.data(), t.on_gpu, n, cudaMemcpyDeviceToHost) != cudaSuccess) return ncclUnhandledCudaError;
            MPI_Isend(t.bytes.data(), n, MPI_BYTE, t.peer, 0, t.ranks, &requests[i]);
        } else {
            MPI_Irecv(t.bytes.data(), n, MPI_BYTE, t.peer, 0, t.ranks, &requests[i]);
        }
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    for (NcclTransfer &t : group)
        if (!t.sends && cudaMemcpy(t.on_gpu, t.bytes.data(), t.bytes.size(), cudaMemcpyHostToDevice) != cudaSuccess)
            return ncclUnhandledCudaError;
    return ncclSuccess;
}

inline ncclResult_t nccl_add(bool sends, void *on_gpu, size_t bytes, int peer, NcclComm *comm) {
    int size = 0;
    MPI_Comm_size(comm->ranks, &size);
    if (peer < 0 || peer >= size || bytes > (size_t(1) << 30)) return ncclInvalidArgument;
    nccl_group().push_back({sends, on_gpu, peer, comm->ranks, std::vector<char>(bytes)});
    return nccl_depth() > 0 ? ncclSuccess : nccl_run();
}

} // namespace hexcc_emu

typedef hexcc_emu::NcclComm *ncclComm_t;

inline const char *ncclGetErrorString(ncclResult_t result) {
    return result == ncclSuccess ? "no error" : result == ncclInvalidArgument ? "invalid argument" : "unhandled cuda error";
}

inline ncclResult_t ncclGetUniqueId(ncclUniqueId *id) {
    *id = ncclUniqueId{};
    return ncclSuccess;
}

inline ncclResult_t ncclCommInitRank(ncclComm_t *comm, int n, ncclUniqueId, int rank) {
    int size = 0, own = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size), MPI_Comm_rank(MPI_COMM_WORLD, &own);
    if (n != size || rank != own) return ncclInvalidArgument;
    *comm = new hexcc_emu::NcclComm;
    MPI_Comm_dup(MPI_COMM_WORLD, &(*comm)->ranks);
    return ncclSuccess;
}

inline ncclResult_t ncclCommDestroy(ncclComm_t comm) {
    MPI_Comm_free(&comm->ranks);
    delete comm;
    return ncclSuccess;
}

inline ncclResult_t ncclGroupStart() {
    ++hexcc_emu::nccl_depth();
    return ncclSuccess;
}

inline ncclResult_t ncclGroupEnd() { return --hexcc_emu::nccl_depth() > 0 ? ncclSuccess : hexcc_emu::nccl_run(); }

inline ncclResult_t ncclSend(const void *from, size_t bytes, ncclDataType_t, int peer, ncclComm_t comm, cudaStream_t) {
    return hexcc_emu::nccl_add(true, const_cast<void *>(from), bytes, peer, comm);
}

inline ncclResult_t ncclRecv(void *to, size_t bytes, ncclDataType_t, int peer, ncclComm_t comm, cudaStream_t) {
    return hexcc_emu::nccl_add(false, to, bytes, peer, comm);
}
