// What the emulation must not let pass, one thing for each number.
#include <stdio.h>
#include <stdlib.h>

__global__ void wrong(int which, float *out)
{
    int lane = threadIdx.x % 32;
    switch (which) {
    case 1: // barriers at different places
        if (threadIdx.x < 7)
            __syncthreads();
        else
            __syncthreads();
        break;
    case 2: // a barrier for some, a shuffle for others
        if (lane < 16)
            __syncthreads();
        else
            __shfl_sync(0xffffffffu, lane, 0);
        break;
    case 3: // different masks in one warp
        __shfl_sync(lane < 16 ? 0xffffffffu : 0xffff0001u, lane, 0);
        break;
    case 4: // a mask without the caller
        __syncwarp(1u << ((lane + 1) % 32));
        break;
    case 5: // lanes of the mask that never come
        if (lane != 3) __syncwarp(0x0000ffffu << (lane & 16));
        __syncthreads();
        break;
    case 6: out[64] = 1.0f; break; // found when the array is freed
    case 7: *(float4 *)(out + 4 * lane + 1) = make_float4(1, 2, 3, 4); break; // not at a multiple of 16 bytes
    case 0: // exited threads count as arrived
        if (threadIdx.x == 5) return;
        __syncthreads();
        out[threadIdx.x] = 0.0f;
        break;
    }
}

int main(int argc, char **argv)
{
    int which = argc > 1 ? atoi(argv[1]) : 0;
    float *a, *b;
    if (cudaMalloc(&a, 64 * sizeof(float)) != cudaSuccess) return 10;
    if (cudaMalloc(&b, 64 * sizeof(float)) != cudaSuccess) return 11;
    wrong<<<1, 64>>>(which, a);
    if (cudaGetLastError() != cudaSuccess) return 12;
    cudaFree(a);
    if (argc <= 2) cudaFree(b);
    return 0;
}
