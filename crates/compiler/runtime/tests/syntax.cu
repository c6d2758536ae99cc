// Every form of launch and of shared memory that emucc promises to understand.
#include "syntax.cuh"
#include <assert.h>
#include <stdio.h>
#include <string>

__constant__ float weight[3];
__device__ int counter;
static const char *text = "a string with k<<<1, 1>>>(x) and __shared__ int y;"; // and k<<<1>>>() in a comment
static const char *raw = R"(k<<<1, 2>>>(") __shared__ )";

namespace deep {
namespace er {
template <bool Full, int N> __global__ void filled(int *out, int value)
{
    extern __shared__ __align__(16) unsigned char hexcc_smem[];
    int *held = reinterpret_cast<int *>(hexcc_smem);
    float *rest = (float *)(hexcc_smem + N * sizeof(int));
    held[threadIdx.x] = Full ? value : -value;
    rest[threadIdx.x] = weight[2];
    __syncthreads();
    out[blockIdx.x * N + threadIdx.x] = held[N - 1 - threadIdx.x] + (int)rest[0] + (int)threadIdx.x;
}
} // namespace er
template <class T> struct Box {
    T value;
};
} // namespace deep

template <class T> __global__ void boxed(deep::Box<T> box, T *out) { *out = box.value; }

__device__ __noinline__ void in_a_function(int *out)
{
    __shared__ volatile int a, *b, c[2][3];
    static __shared__ deep::Box<deep::Box<int>> d[2];
    extern __shared__ int rows[][4];
    if (threadIdx.x == 0) {
        a = 1;
        c[1][2] = 3;
        b = &c[1][2];
        d[1].value.value = 4;
        rows[1][3] = 5;
    }
    __syncthreads();
    out[threadIdx.x] = a + *b + d[1].value.value + rows[1][3] + __float_as_int(0.0f);
}

__global__ void nested(int *out) { in_a_function(out); }

__global__ void poisoned(unsigned *out)
{
    __shared__ unsigned held[4];
    out[blockIdx.x] = held[0];
    held[0] = 1;
}

__global__ void indexed(int *seen)
{
    unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    __syncthreads();
    atomicAdd(seen + block * (blockDim.x * blockDim.y * blockDim.z) + thread, 1);
}

static void launch_all(int *out, bool flag)
{
    const int N = 8;
    size_t bytes = N * (sizeof(int) + sizeof(float));
    assert(cudaFuncSetAttribute(deep::er::filled<true, N>, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10) == cudaSuccess);
    deep::er::filled<true, N><<<dim3(2, 1), dim3(N), bytes, nullptr>>>(out, 10);
    assert(out[0] == 10 && out[15] == 17);
    deep::er::filled<(N > 2), (1 << 3)><<<dim3{2u}, {N, 1, 1}, 100 << 10>>>(out, 20);
    assert(cudaGetLastError() == cudaSuccess);
    if (flag) deep::er::filled<false, N>
        <<<
            2, N,
            bytes
        >>>
        (out, 20);
    else deep::er::filled<true, N><<<1, N, bytes>>>(out, 1);
    assert(out[0] == -20);
    boxed<deep::Box<deep::Box<int>>><<<1, 1>>>({{{{7}}}}, (deep::Box<deep::Box<int>> *)out), (void)0;
    assert(out[0] == 7);
    void (*table[2])(int *) = {nested, ::nested};
    table[1]<<<1, 32, 32>>>(out);
    assert(out[31] == 13);
    (*table[0])<<<(out[31] == 13 ? 1 : 2), 32, 32>>>(out);
    struct {
        void (*go)(int *);
    } by = {nested}, *to = &by;
    to->go<<<1, 1, 32>>>(out);
    FROM_A_MACRO(by.go, out);
    cudaMemset(out, 0, 720 * sizeof(int));
    indexed<<<dim3(2, 3, 4), dim3(5, 3, 2)>>>(out);
    for (int i = 0; i < 720; i++) assert(out[i] == 1);
    poisoned<<<3, 1>>>((unsigned *)out);
    assert(out[0] == -1 && out[1] == -1 && out[2] == -1);
}

static void refused(int *out)
{
    nested<<<0, 32>>>(out);
    assert(cudaPeekAtLastError() == cudaErrorInvalidConfiguration);
    assert(cudaGetLastError() == cudaErrorInvalidConfiguration && cudaGetLastError() == cudaSuccess);
    nested<<<1, 1025>>>(out);
    assert(cudaGetLastError() == cudaErrorInvalidConfiguration);
    nested<<<1, 32, 49 * 1024>>>(out);
    assert(cudaGetLastError() == cudaErrorInvalidValue);
    assert(cudaFuncSetAttribute(nested, cudaFuncAttributeMaxDynamicSharedMemorySize, 228 << 10) == cudaErrorInvalidValue);
    int host[4];
    volatile size_t huge = 1 << 20;
    assert(cudaMemcpy(out, host, huge, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    assert(cudaMemcpy(host, out, sizeof host, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    assert(cudaFree(host) == cudaErrorInvalidValue && cudaFree(nullptr) == cudaSuccess);
    cudaGetLastError();
}

int main()
{
    int *out;
    size_t pitch;
    float weights[3] = {1, 2, 0}, *rows;
    cudaMemcpyToSymbol(weight, weights, sizeof weights);
    assert(cudaMalloc(&out, 1 << 12) == cudaSuccess && out[0] == (int)0xfbfbfbfb);
    launch_all(out, true);
    refused(out);
    assert(cudaMallocPitch(&rows, &pitch, 12, 2) == cudaSuccess && pitch == 512);
    float back[6], in[6] = {1, 2, 3, 4, 5, 6};
    assert(cudaMemcpy2D(rows, pitch, in, 12, 12, 2, cudaMemcpyHostToDevice) == cudaSuccess);
    assert(rows[128] == 4);
    assert(cudaMemcpy2D(back, 12, rows, pitch, 12, 2, cudaMemcpyDeviceToHost) == cudaSuccess && back[5] == 6);
    cudaDeviceProp prop;
    int sms = 0;
    assert(cudaGetDeviceProperties(&prop, 0) == cudaSuccess && prop.major == 9 && prop.sharedMemPerBlockOptin == 227 * 1024);
    assert(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0) == cudaSuccess && sms == 132);
    cudaEvent_t from, to;
    float ms = -1;
    cudaEventCreate(&from), cudaEventCreate(&to);
    cudaEventRecord(from), cudaEventRecord(to);
    assert(cudaEventSynchronize(to) == cudaSuccess && cudaEventElapsedTime(&ms, from, to) == cudaSuccess && ms >= 0);
    cudaEventDestroy(from), cudaEventDestroy(to);
    assert(min(3, 4u) == 3u && max(1.5f, 2.0) == 2.0 && sqrt(2.0f) == sqrtf(2.0f) && rsqrtf(4.0f) == 0.5f);
    assert(sizeof(float4) == 16 && alignof(double2) == 16 && make_int4(1, 2, 3, 4).w == 4 && __ldg(rows) == 1);
    // Multidimensional arrays of variable length are C, and accepted in host code.
    int n = sms / 66;
    double (*vla)[n + 1] = (double (*)[n + 1]) calloc(n, sizeof *vla);
    vla[n - 1][n] = 3;
    assert(((double *)vla)[n * (n + 1) - 1] == 3);
    free(vla);
    cudaFree(out), cudaFree(rows);
    assert(std::string(text).find("k<<<1, 1>>>(x)") != std::string::npos && raw[1] == '<');
    printf("ok\n");
    return 0;
}
