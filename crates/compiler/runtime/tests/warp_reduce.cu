// Shuffles of all kinds, votes, partial masks, and a warp that ends early.
#include <stdio.h>

__device__ int n_failures = 0;

__device__ inline void expect(bool ok, const char *what)
{
    if (!ok) {
        if (atomicAdd(&n_failures, 1) < 10) printf("thread %u of block %u: %s\n", threadIdx.x, blockIdx.x, what);
    }
}

template <class T> __device__ __forceinline__ T sum_of_warp(T value)
{
    for (int lanes = warpSize / 2; lanes > 0; lanes /= 2) value += __shfl_xor_sync(0xffffffffu, value, lanes);
    return value;
}

__global__ void sum(const double *in, double *out, int n)
{
    __shared__ double partial[32];
    int at = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    double total = sum_of_warp(at < n ? in[at] : 0.0);
    if (lane == 0) partial[warp] = total;
    __syncthreads();
    if (warp != 0) return;
    total = sum_of_warp(lane < (int)blockDim.x / 32 ? partial[lane] : 0.0);
    if (lane == 0) atomicAdd(out, total);
}

__global__ void shuffles()
{
    const unsigned all = 0xffffffffu;
    int lane = threadIdx.x % 32;
    expect(__shfl_sync(all, lane, 5) == 5, "shfl");
    expect(__shfl_sync(all, lane, 37) == 5, "shfl wraps");
    expect(__shfl_sync(all, lane, 1, 8) == lane / 8 * 8 + 1, "shfl with width");
    expect(__shfl_up_sync(all, lane, 1) == (lane ? lane - 1 : 0), "shfl_up");
    expect(__shfl_up_sync(all, lane, 3, 16) == (lane % 16 < 3 ? lane : lane - 3), "shfl_up with width");
    expect(__shfl_down_sync(all, lane, 2) == (lane < 30 ? lane + 2 : lane), "shfl_down");
    expect(__shfl_down_sync(all, (float)lane, 1, 4) == (float)(lane % 4 == 3 ? lane : lane + 1), "shfl_down with width");
    expect(__shfl_xor_sync(all, (long long)lane << 40, 7) == (long long)(lane ^ 7) << 40, "shfl_xor of 8 bytes");
    expect(__ballot_sync(all, lane % 2) == 0xaaaaaaaau, "ballot");
    expect(__any_sync(all, lane == 31), "any");
    expect(!__all_sync(all, lane != 31) && __all_sync(all, 1), "all");
    unsigned half = lane < 16 ? 0x0000ffffu : 0xffff0000u;
    for (int i = 0; i < lane / 16 + 1; i++) expect(__shfl_sync(half, lane, lane ^ 1) == (lane ^ 1), "partial mask");
    __syncwarp();
    if (lane >= 20) return;
    expect(__shfl_sync(0x000fffffu, lane, 19) == 19, "after lanes have ended");
    __syncwarp(0x000fffffu);
}

int main()
{
    const int n = 10000;
    static double in[n];
    double expected = 0.0, result = 0.0, *device_in, *device_out;
    int failures = -1;
    for (int i = 0; i < n; i++) expected += in[i] = i;
    cudaMalloc(&device_in, sizeof in);
    cudaMalloc(&device_out, sizeof result);
    cudaMemcpy(device_in, in, sizeof in, cudaMemcpyHostToDevice);
    cudaMemset(device_out, 0, sizeof result);
    dim3 block(256), grid((n + block.x - 1) / block.x);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    sum<<<grid, block, 0, stream>>>(device_in, device_out, n);
    shuffles<<<3, 96>>>();
    cudaStreamSynchronize(stream);
    cudaMemcpy(&result, device_out, sizeof result, cudaMemcpyDeviceToHost);
    cudaMemcpyFromSymbol(&failures, n_failures, sizeof failures);
    cudaStreamDestroy(stream);
    cudaFree(device_in);
    cudaFree(device_out);
    printf("%.0f %.0f, %d failures\n", result, expected, failures);
    return result != expected || failures != 0;
}
