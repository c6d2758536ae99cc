// One element past an array, in the memory that the argument names; the program
// itself notices nothing.
#include <stdio.h>
#include <stdlib.h>

__global__ void touch(float *out, int n, int where)
{
    extern __shared__ float dynamic[];
    __shared__ float fixed[32];
    fixed[threadIdx.x] = dynamic[threadIdx.x] = 1.0f;
    __syncthreads();
    if (threadIdx.x != 0) return;
    if (where == 0) out[n] = 1.0f;
    if (where == 1) dynamic[n] = 1.0f;
    if (where == 2) out[0] = fixed[n];
    if (where == 3) out[n - 1] = fixed[n - 1] + dynamic[n - 1];
}

int main(int argc, char **argv)
{
    float *out;
    cudaMalloc(&out, 32 * sizeof(float));
    touch<<<2, 32, 32 * sizeof(float)>>>(out, 32, argc > 1 ? atoi(argv[1]) : 3);
    cudaFree(out);
    printf("finished\n");
    return 0;
}
