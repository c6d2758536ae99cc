/* Stands in for libcuda and libnvrtc, so that what surrounds the kernels can be
 * tested without a GPU. Device memory is host memory; kernels do nothing, but for
 * those that count. Times depend on the number of blocks launched.
 *
 * FAKE_CUDA_WRONG=n  every n-th comparison finds a difference
 * FAKE_CUDA_FAIL=n   the n-th launch of a tiled kernel breaks the GPU
 * FAKE_NVRTC_FAIL=1  nothing compiles
 * FAKE_CUDA_SLOW=n   blocks of tiled kernels take n times as long
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double blocks;
static int broken;

static int counts_to(const char *variable) {
  static int n_wrong, n_fail;
  const char *limit = getenv(variable);
  int *n = strcmp(variable, "FAKE_CUDA_FAIL") == 0 ? &n_fail : &n_wrong;
  ++*n;
  if (!limit) return 0;
  return n == &n_fail ? *n == atoi(limit) : *n % atoi(limit) == 0;
}

static int status(void) { return broken ? 700 : 0; }

int cuDriverGetVersion(int *version) { return *version = 13000, 0; }
int cuInit(unsigned flags) { return 0; }
int cuDeviceGet(int *device, int ordinal) { return *device = ordinal, 0; }
int cuDeviceGetCount(int *n) { return *n = 1, 0; }
int cuDeviceGetName(char *name, int len, int device) { return snprintf(name, len, "Fake GPU"), 0; }
int cuDeviceTotalMem_v2(size_t *bytes, int device) { return *bytes = 1 << 24, 0; }
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  switch (attribute) {
    case 16: *value = 132; break;    /* multiprocessors */
    case 75: *value = 9; break;      /* compute capability */
    case 76: *value = 0; break;
    case 81: *value = 233472; break; /* shared memory per multiprocessor */
    case 97: *value = 232448; break; /* shared memory per block, at most */
    default: *value = 0;
  }
  return 0;
}
int cuDevicePrimaryCtxRetain(void **context, int device) { return *context = &blocks, 0; }
int cuDevicePrimaryCtxRelease_v2(int device) { return 0; }
int cuCtxSetCurrent(void *context) { return 0; }
int cuCtxGetCurrent(void **context) { return *context = &blocks, 0; }
int cuCtxSynchronize(void) { return status(); }
int cuMemAlloc_v2(void **pointer, size_t bytes) {
  if (bytes > 1 << 25) return 2;
  *pointer = calloc(bytes, 1);
  return *pointer ? 0 : 2;
}
int cuMemFree_v2(void *pointer) { return free(pointer), 0; }
int cuMemcpyDtoDAsync_v2(void *to, const void *from, size_t n, void *stream) { return memmove(to, from, n), status(); }
int cuMemsetD8Async(void *to, unsigned char byte, size_t n, void *stream) { return memset(to, byte, n), status(); }
int cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *n, void *function, int threads, size_t shared, unsigned flags) {
  return *n = 2, 0;
}
int cuTensorMapEncodeTiled(void *map, int type, unsigned rank, void *base, const unsigned long long *sizes,
                           const unsigned long long *strides, const unsigned *box, const unsigned *ones, int interleave,
                           int swizzle, int promotion, int fill) {
  return memset(map, 0, 128), (size_t)base % 16 || strides[0] % 16 || strides[1] % 16 || rank != 3;
}
int cuMemcpyHtoDAsync_v2(void *to, const void *from, size_t n, void *stream) { return memcpy(to, from, n), status(); }
int cuMemcpyDtoHAsync_v2(void *to, const void *from, size_t n, void *stream) { return memcpy(to, from, n), status(); }
int cuStreamSynchronize(void *stream) { return status(); }
int cuModuleLoadData(void **module, const void *image) { return *module = &broken, status(); }
int cuModuleUnload(void *module) { return 0; }
int cuModuleGetFunction(void **function, void *module, const char *name) { return *function = strdup(name), 0; }
int cuFuncGetAttribute(int *value, int attribute, void *function) {
  *value = attribute == 4 ? 64 : 0; /* registers */
  return 0;
}
int cuFuncSetAttribute(void *function, int attribute, int value) { return 0; }
int cuLaunchKernel(const char *name, unsigned x, unsigned y, unsigned z, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void *stream, void **args, void **extra) {
  const char *end = strrchr(name, ':');
  const char *slow = end && strncmp(end, ":kernel", 7) == 0 ? getenv("FAKE_CUDA_SLOW") : 0;
  blocks += (double)x * y * z * (slow ? atof(slow) : 1);
  if (end && strcmp(end, ":count") == 0) **(unsigned long long **)args[2] += 1000;
  if (end && strncmp(end, ":kernel", 7) == 0 && counts_to("FAKE_CUDA_FAIL")) broken = 1;
  if (strncmp(name, "different<", 10) == 0 && counts_to("FAKE_CUDA_WRONG")) **(unsigned long long **)args[6] += 1;
  return status();
}
int cuEventCreate(double **event, unsigned flags) { return *event = malloc(sizeof(double)), 0; }
int cuEventRecord(double *event, void *stream) { return *event = blocks, status(); }
int cuEventSynchronize(double *event) { return status(); }
int cuEventElapsedTime_v2(float *ms, double *begin, double *end) { return *ms = (*end - *begin) * 1e-3f, 0; }
int cuEventDestroy_v2(double *event) { return free(event), 0; }
int cuGetErrorName(int error, const char **text) { return *text = "CUDA_ERROR_FAKE", 0; }
int cuGetErrorString(int error, const char **text) { return *text = "an error made up for a test", 0; }

int nvrtcCreateProgram(void **program, const char *text, const char *name, int n, const char **headers, const char **names) {
  return *program = strdup(text), 0;
}
int nvrtcDestroyProgram(void **program) { return free(*program), 0; }
int nvrtcAddNameExpression(void *program, const char *name) { return 0; }
int nvrtcCompileProgram(void *program, int n, const char **options) {
  return getenv("FAKE_NVRTC_FAIL") ? 6 : 0;
}
int nvrtcGetProgramLogSize(void *program, size_t *n) { return *n = 14, 0; }
int nvrtcGetProgramLog(void *program, char *log) { return strcpy(log, "a fake failed"), 0; }
int nvrtcGetLoweredName(void *program, const char *name, const char **lowered) { return *lowered = name, 0; }
int nvrtcGetCUBINSize(void *program, size_t *n) { return *n = 8, 0; }
int nvrtcGetCUBIN(void *program, char *image) { return memset(image, 0, 8), 0; }
