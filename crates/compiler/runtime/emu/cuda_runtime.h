// The part of the CUDA runtime that hexcc's generated programs use, on the host.
//
// scripts/emucc puts this directory in front of the system's headers. Every call
// is finished when it returns, so streams and events only exist; copies check
// that the device side lies in an allocation. The device pretends to be an H200.
//
// HEXCC_EMU_FAIL_MALLOC=n  the n-th device allocation fails
// HEXCC_EMU_FAIL_LAUNCH=n  the n-th kernel launch fails
// HEXCC_EMU_LEAKS=1        unfreed device memory turns exit status 0 into 3
// HEXCC_EMU_TRACE=1        prints a line for every launch
// HEXCC_EMU_SEED=n         the order of threads and blocks, see hexcc_emu.h
// HEXCC_EMU_STACK_KB=n     the stack of a thread, 256 unless told
// HEXCC_EMU_DEVICES=n      there are so many devices, 1 unless told
//
// Threads of the host take turns. Of several devices each has memory of its own: what a kernel touches of
// another's ends the program.
#pragma once

#include "cuda_device.h"
#include <mutex>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define HEXCC_EMU 1
#define __CUDACC__ 1
#define CUDART_VERSION 13000

enum cudaError {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInitializationError = 3,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorInvalidPitchValue = 12,
    cudaErrorInvalidSymbol = 13,
    cudaErrorInvalidMemcpyDirection = 21,
    cudaErrorInvalidDeviceFunction = 98,
    cudaErrorNoDevice = 100,
    cudaErrorInvalidDevice = 101,
    cudaErrorPeerAccessAlreadyEnabled = 704,
    cudaErrorInvalidResourceHandle = 400,
    cudaErrorNotReady = 600,
    cudaErrorIllegalAddress = 700,
    cudaErrorMisalignedAddress = 716,
    cudaErrorLaunchOutOfResources = 701,
    cudaErrorLaunchFailure = 719,
    cudaErrorNotSupported = 801,
    cudaErrorUnknown = 999
};
typedef enum cudaError cudaError_t;

enum cudaMemcpyKind {
    cudaMemcpyHostToHost = 0,
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost = 2,
    cudaMemcpyDeviceToDevice = 3,
    cudaMemcpyDefault = 4
};

enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9
};

enum cudaFuncCache { cudaFuncCachePreferNone, cudaFuncCachePreferShared, cudaFuncCachePreferL1, cudaFuncCachePreferEqual };
enum { cudaSharedmemCarveoutDefault = -1, cudaSharedmemCarveoutMaxL1 = 0, cudaSharedmemCarveoutMaxShared = 100 };

enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock = 1,
    cudaDevAttrMaxBlockDimX = 2,
    cudaDevAttrMaxBlockDimY = 3,
    cudaDevAttrMaxBlockDimZ = 4,
    cudaDevAttrMaxGridDimX = 5,
    cudaDevAttrMaxGridDimY = 6,
    cudaDevAttrMaxGridDimZ = 7,
    cudaDevAttrMaxSharedMemoryPerBlock = 8,
    cudaDevAttrTotalConstantMemory = 9,
    cudaDevAttrWarpSize = 10,
    cudaDevAttrMaxRegistersPerBlock = 12,
    cudaDevAttrClockRate = 13,
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrMemoryClockRate = 36,
    cudaDevAttrGlobalMemoryBusWidth = 37,
    cudaDevAttrL2CacheSize = 38,
    cudaDevAttrMaxThreadsPerMultiProcessor = 39,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76,
    cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
    cudaDevAttrMaxRegistersPerMultiprocessor = 82,
    cudaDevAttrCooperativeLaunch = 95,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
    cudaDevAttrMaxBlocksPerMultiprocessor = 106,
    cudaDevAttrReservedSharedMemoryPerBlock = 111
};

struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem, sharedMemPerBlock, sharedMemPerBlockOptin, sharedMemPerMultiprocessor;
    size_t reservedSharedMemPerBlock, totalConstMem;
    int regsPerBlock, regsPerMultiprocessor, warpSize, maxThreadsPerBlock, maxThreadsPerMultiProcessor;
    int maxBlocksPerMultiProcessor, maxThreadsDim[3], maxGridSize[3];
    int major, minor, multiProcessorCount, l2CacheSize, memoryBusWidth, cooperativeLaunch, ECCEnabled;
};

struct cudaFuncAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, maxDynamicSharedSizeBytes;
};

struct CUstream_st {
    unsigned flags;
    int device;
};
struct CUevent_st {
    struct timespec at;
    bool recorded;
    int device;
};
typedef CUstream_st *cudaStream_t;
typedef CUevent_st *cudaEvent_t;

enum { cudaStreamDefault = 0, cudaStreamNonBlocking = 1 };
enum { cudaEventDefault = 0, cudaEventBlockingSync = 1, cudaEventDisableTiming = 2 };
enum { cudaHostAllocDefault = 0, cudaHostAllocPortable = 1, cudaHostAllocMapped = 2 };
enum { cudaMemAttachGlobal = 1 };

namespace hexcc_emu {

constexpr size_t SHARED_DEFAULT = 48 * 1024;
constexpr size_t SHARED_OPTIN = 227 * 1024;
constexpr size_t SHARED_SM = 228 * 1024;
constexpr size_t DEVICE_BYTES = size_t(140) << 30;
constexpr int SMS = 132;

// ------------------------------------------------------------------- errors

inline thread_local cudaError_t last_error = cudaSuccess;
// The error of a kernel that failed while it ran; it stays, as CUDA's do.
inline cudaError_t sticky_error = cudaSuccess;

inline cudaError_t report(cudaError_t error) {
    if (error != cudaSuccess) last_error = error;
    return error;
}

struct ErrorText {
    cudaError_t error;
    const char *name, *text;
};
inline ErrorText error_text(cudaError_t error) {
    static const ErrorText known[] = {
        {cudaSuccess, "cudaSuccess", "no error"},
        {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
        {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
        {cudaErrorInitializationError, "cudaErrorInitializationError", "initialization error"},
        {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
        {cudaErrorInvalidPitchValue, "cudaErrorInvalidPitchValue", "invalid pitch argument"},
        {cudaErrorInvalidSymbol, "cudaErrorInvalidSymbol", "invalid device symbol"},
        {cudaErrorInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
        {cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction", "invalid device function"},
        {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
        {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
        {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
        {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
        {cudaErrorIllegalAddress, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
        {cudaErrorMisalignedAddress, "cudaErrorMisalignedAddress", "misaligned address"},
        {cudaErrorLaunchOutOfResources, "cudaErrorLaunchOutOfResources", "too many resources requested for launch"},
        {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
        {cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
        {cudaErrorUnknown, "cudaErrorUnknown", "unknown error"},
    };
    for (const ErrorText &entry : known)
        if (entry.error == error) return entry;
    return {error, "unrecognized error code", "unrecognized error code"};
}

// ------------------------------------------------------------------- devices

// Whoever uses what is below holds it.
inline std::recursive_mutex turn;
using Turn = std::lock_guard<std::recursive_mutex>;

inline thread_local int device = 0;
inline int n_devices() {
    static const int n = static_cast<int>(env_number("HEXCC_EMU_DEVICES", 1));
    return n;
}

// ------------------------------------------------------------------- memory

struct Allocation {
    Allocation *next;
    char *base;
    size_t bytes;
    bool managed; // the host may use it, too, and need not free it
    int device;
    size_t mapped; // bytes of its own pages, where there are several devices
};
inline Allocation *allocations = nullptr;
inline long n_mallocs = 0;

inline size_t front_canary() {
#ifdef HEXCC_EMU_ASAN
    return 0;
#else
    return CANARY;
#endif
}

inline void report_leaks(int status, void *) {
    size_t count = 0, bytes = 0;
    for (Allocation *a = allocations; a; a = a->next) {
        if (a->managed) continue;
        count++;
        bytes += a->bytes;
    }
    if (count == 0) return;
    fflush(nullptr);
    fprintf(stderr, "hexcc emulation: %zu device allocations (%zu bytes) were never freed\n", count, bytes);
    if (status == 0) _exit(3);
}

// Memory of its own pages, so that kernels of other devices can be kept from it.
inline void *map_pages(size_t bytes) {
    void *block = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return block == MAP_FAILED ? nullptr : block;
}

// Keeps kernels from what other devices have, or lets all at it again.
inline void protect(bool others) {
    if (n_devices() <= 1) return;
    for (const Allocation *a = allocations; a; a = a->next)
        if (a->mapped > 0 && a->device != device)
            mprotect(a->base - front_canary(), a->mapped, others ? PROT_NONE : PROT_READ | PROT_WRITE);
}

inline void strayed(int, siginfo_t *info, void *) {
    const uintptr_t at = reinterpret_cast<uintptr_t>(info->si_addr);
    for (const Allocation *a = allocations; a; a = a->next) {
        const uintptr_t base = reinterpret_cast<uintptr_t>(a->base);
        if (a->mapped == 0 || at < base - front_canary() || at >= base + a->mapped) continue;
        fprintf(stderr, "hexcc emulation: a kernel of device %d uses memory of device %d\n", device, a->device);
        _exit(1);
    }
    signal(SIGSEGV, SIG_DFL);
}

inline void watch() {
    static bool watches = false;
    if (watches || n_devices() <= 1) return;
    watches = true;
    static char stack[1 << 16];
    stack_t other{};
    other.ss_sp = stack, other.ss_size = sizeof stack;
    sigaltstack(&other, nullptr);
    struct sigaction action {};
    action.sa_sigaction = strayed, action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGSEGV, &action, nullptr);
}

inline cudaError_t allocate(void **out, size_t bytes, bool managed = false) {
    const Turn mine(turn);
    static const long fail_at = env_number("HEXCC_EMU_FAIL_MALLOC", 0);
    static const bool no_device = env_number("HEXCC_EMU_NO_DEVICE", 0) != 0;
    if (++n_mallocs == 1 && env_number("HEXCC_EMU_LEAKS", 0) != 0) on_exit(report_leaks, nullptr);
    if (!out) return report(cudaErrorInvalidValue);
    *out = nullptr;
    if (no_device) return report(cudaErrorNoDevice);
    if (n_mallocs == fail_at || bytes > DEVICE_BYTES) return report(cudaErrorMemoryAllocation);
    if (bytes == 0) return cudaSuccess;
    // Exactly sized under AddressSanitizer, so that the next byte is out of bounds.
    size_t canary = front_canary();
    const size_t mapped = n_devices() > 1 && !managed && canary > 0 ? bytes + 2 * canary : 0;
    void *block = mapped > 0 ? map_pages(mapped) : nullptr;
    if (mapped > 0 ? !block : posix_memalign(&block, 256, bytes + 2 * canary) != 0) return report(cudaErrorMemoryAllocation);
    char *base = static_cast<char *>(block) + canary;
    memset(block, POISON_CANARY, canary);
    memset(base, POISON_DEVICE, bytes);
    memset(base + bytes, POISON_CANARY, canary);
    allocations = new Allocation{allocations, base, bytes, managed, device, mapped};
    *out = base;
    return cudaSuccess;
}

inline cudaError_t release(void *pointer) {
    if (!pointer) return cudaSuccess;
    const Turn mine(turn);
    for (Allocation **at = &allocations; *at; at = &(*at)->next) {
        Allocation *found = *at;
        if (found->base != pointer) continue;
        size_t canary = front_canary();
        if (!intact(found->base - canary, canary) || !intact(found->base + found->bytes, canary))
            die("a write outside the device array of %zu bytes was found when it was freed", found->bytes);
        *at = found->next;
        if (found->mapped > 0)
            munmap(found->base - canary, found->mapped);
        else
            free(found->base - canary);
        delete found;
        return cudaSuccess;
    }
    return report(cudaErrorInvalidValue);
}

enum class Where { Device, Host, Managed, Straddles };

// Addresses are numbers here: a pointer to const would promise to the compiler's
// warnings that what it points to is read.
inline uintptr_t address(const volatile void *pointer) { return reinterpret_cast<uintptr_t>(pointer); }

inline Where where(uintptr_t from, size_t bytes) {
    for (const Allocation *a = allocations; a; a = a->next) {
        uintptr_t base = address(a->base), end = base + a->bytes;
        if (from + bytes <= base || from >= end) continue;
        if (a->managed) return from >= base && bytes <= end - from ? Where::Managed : Where::Straddles;
        return from >= base && bytes <= end - from ? Where::Device : Where::Straddles;
    }
    return Where::Host;
}

// `host_ok` admits what is not allocated: host memory and device variables.
inline bool side_ok(uintptr_t pointer, size_t bytes, bool device_ok, bool host_ok) {
    switch (where(pointer, bytes)) {
    case Where::Device: return device_ok;
    case Where::Host: return host_ok;
    case Where::Managed: return true;
    case Where::Straddles: break;
    }
    return false;
}

inline cudaError_t check_copy(uintptr_t to, size_t to_bytes, uintptr_t from, size_t from_bytes,
                              cudaMemcpyKind kind) {
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) return report(cudaErrorInvalidMemcpyDirection);
    bool any = kind == cudaMemcpyDefault;
    bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    if (!side_ok(to, to_bytes, any || to_device, any || !to_device)) return report(cudaErrorInvalidValue);
    if (!side_ok(from, from_bytes, any || from_device, any || !from_device)) return report(cudaErrorInvalidValue);
    return cudaSuccess;
}

// The device whose memory an address is in; -1 for the host's.
inline int device_of(const void *pointer) {
    for (const Allocation *a = allocations; a; a = a->next)
        if (pointer >= a->base && pointer < a->base + a->bytes) return a->device;
    return -1;
}

inline cudaError_t copy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, bool to_peer = false) {
    if (bytes == 0) return cudaSuccess;
    const Turn mine(turn);
    cudaError_t error = check_copy(address(to), bytes, address(from), bytes, kind);
    if (kind == cudaMemcpyDeviceToDevice && !to_peer && device_of(to) != device_of(from)) return report(cudaErrorInvalidValue);
    if (error == cudaSuccess) memmove(to, from, bytes);
    return error;
}

inline cudaError_t copy_2d(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                           cudaMemcpyKind kind) {
    if (width > to_pitch || width > from_pitch) return report(cudaErrorInvalidPitchValue);
    if (width == 0 || height == 0) return cudaSuccess;
    const Turn mine(turn);
    size_t last = height - 1;
    cudaError_t error = check_copy(address(to), last * to_pitch + width, address(from), last * from_pitch + width, kind);
    if (error != cudaSuccess) return error;
    for (size_t row = 0; row < height; row++)
        memmove(static_cast<char *>(to) + row * to_pitch, static_cast<const char *>(from) + row * from_pitch, width);
    return cudaSuccess;
}

inline cudaError_t fill_2d(void *to, size_t pitch, int value, size_t width, size_t height) {
    if (width == 0 || height == 0) return cudaSuccess;
    if (width > pitch) return report(cudaErrorInvalidPitchValue);
    const Turn mine(turn);
    if (where(address(to), (height - 1) * pitch + width) != Where::Device) return report(cudaErrorInvalidValue);
    for (size_t row = 0; row < height; row++) memset(static_cast<char *>(to) + row * pitch, value, width);
    return cudaSuccess;
}

// ------------------------------------------------------------------ launches

// Kernels that may have more than 48 KB of dynamic shared memory.
struct Kernel {
    Kernel *next;
    const void *function;
    size_t shared_limit;
};
inline Kernel *kernels = nullptr;

inline Kernel *find_kernel(const void *function) {
    for (Kernel *k = kernels; k; k = k->next)
        if (k->function == function) return k;
    return nullptr;
}

inline cudaError_t set_attribute(const void *function, cudaFuncAttribute attribute, int value) {
    if (!function) return report(cudaErrorInvalidDeviceFunction);
    if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout)
        return value >= -1 && value <= 100 ? cudaSuccess : report(cudaErrorInvalidValue);
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize || value < 0 ||
        static_cast<size_t>(value) > SHARED_OPTIN)
        return report(cudaErrorInvalidValue);
    const Turn mine(turn);
    Kernel *kernel = find_kernel(function);
    if (!kernel) kernel = kernels = new Kernel{kernels, function, SHARED_DEFAULT};
    kernel->shared_limit = static_cast<size_t>(value);
    return cudaSuccess;
}

struct Config {
    dim3 grid, block;
    size_t shared_bytes;
    cudaStream_t stream;
    Config(dim3 grid_, dim3 block_, size_t shared_bytes_ = 0, cudaStream_t stream_ = nullptr)
        : grid(grid_), block(block_), shared_bytes(shared_bytes_), stream(stream_) {}
};

// The error that CUDA reports for a launch, or cudaSuccess.
inline cudaError_t check_launch(const char *name, const void *function, const Config &c) {
    configure();
    m.launches++;
    if (m.trace)
        fprintf(stderr, "hexcc emulation: %s<<<(%u,%u,%u), (%u,%u,%u), %zu>>>\n", name, c.grid.x, c.grid.y, c.grid.z,
                c.block.x, c.block.y, c.block.z, c.shared_bytes);
    if (m.launches == m.fail_launch) sticky_error = cudaErrorLaunchFailure;
    if (sticky_error != cudaSuccess) return sticky_error;
    if (c.stream && c.stream->device != device) return cudaErrorInvalidResourceHandle;
    if (c.grid.x == 0 || c.grid.y == 0 || c.grid.z == 0 || c.block.x == 0 || c.block.y == 0 || c.block.z == 0)
        return cudaErrorInvalidConfiguration;
    if (c.grid.x > 0x7fffffffu || c.grid.y > 65535 || c.grid.z > 65535) return cudaErrorInvalidConfiguration;
    if (c.block.x > 1024 || c.block.y > 1024 || c.block.z > 64 ||
        static_cast<uint64_t>(c.block.x) * c.block.y * c.block.z > MAX_THREADS)
        return cudaErrorInvalidConfiguration;
    const Kernel *kernel = find_kernel(function);
    if (c.shared_bytes > (kernel ? kernel->shared_limit : SHARED_DEFAULT)) return cudaErrorInvalidValue;
    return cudaSuccess;
}

// What `kernel<<<config>>>` becomes; calling it launches, with the conversions
// of arguments to the kernel's parameters happening once, before the launch.
template <class... P> struct Launch {
    const char *name;
    void (*kernel)(P...);
    Config config;
    void operator()(P... args) const {
        const Turn mine(turn);
        watch();
        cudaError_t error = check_launch(name, reinterpret_cast<const void *>(kernel), config);
        if (error != cudaSuccess) {
            report(error);
            return;
        }
        auto body = [&] { kernel(args...); };
        protect(true);
        run_grid(name, config.grid, config.block, config.shared_bytes,
                 [](void *arg) { (*static_cast<decltype(body) *>(arg))(); }, &body);
        protect(false);
    }
};
template <class... P> inline Launch<P...> launch(const char *name, void (*kernel)(P...), const Config &config) {
    return Launch<P...>{name, kernel, config};
}

inline cudaError_t attribute(int *value, cudaDeviceAttr attr) {
    switch (attr) {
    case cudaDevAttrMaxThreadsPerBlock:
    case cudaDevAttrMaxBlockDimX:
    case cudaDevAttrMaxBlockDimY: *value = 1024; break;
    case cudaDevAttrMaxBlockDimZ: *value = 64; break;
    case cudaDevAttrMaxGridDimX: *value = 0x7fffffff; break;
    case cudaDevAttrMaxGridDimY:
    case cudaDevAttrMaxGridDimZ: *value = 65535; break;
    case cudaDevAttrMaxSharedMemoryPerBlock: *value = SHARED_DEFAULT; break;
    case cudaDevAttrTotalConstantMemory: *value = 65536; break;
    case cudaDevAttrWarpSize: *value = 32; break;
    case cudaDevAttrMaxRegistersPerBlock:
    case cudaDevAttrMaxRegistersPerMultiprocessor: *value = 65536; break;
    case cudaDevAttrClockRate: *value = 1980000; break;
    case cudaDevAttrMultiProcessorCount: *value = SMS; break;
    case cudaDevAttrMemoryClockRate: *value = 3201000; break;
    case cudaDevAttrGlobalMemoryBusWidth: *value = 6144; break;
    case cudaDevAttrL2CacheSize: *value = 60 << 20; break;
    case cudaDevAttrMaxThreadsPerMultiProcessor: *value = 2048; break;
    case cudaDevAttrComputeCapabilityMajor: *value = 9; break;
    case cudaDevAttrComputeCapabilityMinor:
    case cudaDevAttrCooperativeLaunch: *value = 0; break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: *value = SHARED_SM; break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = SHARED_OPTIN; break;
    case cudaDevAttrMaxBlocksPerMultiprocessor: *value = 32; break;
    case cudaDevAttrReservedSharedMemoryPerBlock: *value = 1024; break;
    default: return report(cudaErrorInvalidValue);
    }
    return cudaSuccess;
}

inline size_t device_bytes_used() {
    size_t bytes = 0;
    for (const Allocation *a = allocations; a; a = a->next) bytes += a->bytes;
    return bytes;
}

} // namespace hexcc_emu

inline const char *cudaGetErrorName(cudaError_t error) { return hexcc_emu::error_text(error).name; }
inline const char *cudaGetErrorString(cudaError_t error) { return hexcc_emu::error_text(error).text; }
inline cudaError_t cudaPeekAtLastError() { return hexcc_emu::last_error; }
inline cudaError_t cudaGetLastError() {
    cudaError_t error = hexcc_emu::last_error;
    hexcc_emu::last_error = cudaSuccess;
    return error;
}

// -------------------------------------------------------------------- memory

inline cudaError_t cudaMalloc(void **out, size_t bytes) { return hexcc_emu::allocate(out, bytes); }
template <class T> inline cudaError_t cudaMalloc(T **out, size_t bytes) {
    void *block = nullptr;
    cudaError_t error = hexcc_emu::allocate(&block, bytes);
    if (out) *out = static_cast<T *>(block);
    return error;
}
template <class T> inline cudaError_t cudaMallocAsync(T **out, size_t bytes, cudaStream_t) { return cudaMalloc(out, bytes); }
enum cudaMemoryType { cudaMemoryTypeUnregistered, cudaMemoryTypeHost, cudaMemoryTypeDevice, cudaMemoryTypeManaged };
struct cudaPointerAttributes {
    cudaMemoryType type;
    int device;
    void *devicePointer, *hostPointer;
};
template <class T> inline cudaError_t cudaMallocManaged(T **out, size_t bytes, unsigned = cudaMemAttachGlobal) {
    void *block = nullptr;
    cudaError_t error = hexcc_emu::allocate(&block, bytes, true);
    if (out) *out = static_cast<T *>(block);
    return error;
}
inline cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *pointer) {
    *attributes = {};
    switch (hexcc_emu::where(hexcc_emu::address(pointer), 1)) {
    case hexcc_emu::Where::Device: attributes->type = cudaMemoryTypeDevice; break;
    case hexcc_emu::Where::Managed: attributes->type = cudaMemoryTypeManaged; break;
    default: break;
    }
    return cudaSuccess;
}
template <class T> inline cudaError_t cudaMallocPitch(T **out, size_t *pitch, size_t width, size_t height) {
    *pitch = (width + 511) / 512 * 512;
    return cudaMalloc(out, *pitch * height);
}
inline cudaError_t cudaFree(void *pointer) { return hexcc_emu::release(pointer); }
using cudaMemPool_t = struct hexcc_emu_pool *;
enum cudaMemPoolAttr { cudaMemPoolAttrReleaseThreshold = 4 };
inline cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int) {
    *pool = nullptr;
    return cudaSuccess;
}
inline cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void *) { return cudaSuccess; }
inline cudaError_t cudaFreeAsync(void *pointer, cudaStream_t) { return hexcc_emu::release(pointer); }

template <class T> inline cudaError_t cudaMallocHost(T **out, size_t bytes, unsigned = 0) {
    *out = static_cast<T *>(malloc(bytes ? bytes : 1));
    return *out ? cudaSuccess : hexcc_emu::report(cudaErrorMemoryAllocation);
}
template <class T> inline cudaError_t cudaHostAlloc(T **out, size_t bytes, unsigned flags) {
    return cudaMallocHost(out, bytes, flags);
}
inline cudaError_t cudaFreeHost(void *pointer) {
    free(pointer);
    return cudaSuccess;
}
inline cudaError_t cudaHostRegister(void *, size_t, unsigned) { return cudaSuccess; }
inline cudaError_t cudaHostUnregister(void *) { return cudaSuccess; }

inline cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
    return hexcc_emu::copy(to, from, bytes, kind);
}
inline cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                                   cudaStream_t = nullptr) {
    return hexcc_emu::copy(to, from, bytes, kind);
}
inline cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes,
                                       cudaStream_t = nullptr) {
    const hexcc_emu::Turn mine(hexcc_emu::turn);
    if (hexcc_emu::device_of(to) != to_device || hexcc_emu::device_of(from) != from_device)
        return hexcc_emu::report(cudaErrorInvalidValue);
    return hexcc_emu::copy(to, from, bytes, cudaMemcpyDeviceToDevice, true);
}
inline cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                                size_t height, cudaMemcpyKind kind) {
    return hexcc_emu::copy_2d(to, to_pitch, from, from_pitch, width, height, kind);
}
inline cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                                     size_t height, cudaMemcpyKind kind, cudaStream_t = nullptr) {
    return hexcc_emu::copy_2d(to, to_pitch, from, from_pitch, width, height, kind);
}
inline cudaError_t cudaMemset(void *to, int value, size_t bytes) {
    return hexcc_emu::fill_2d(to, bytes, value, bytes, 1);
}
inline cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t = nullptr) {
    return hexcc_emu::fill_2d(to, bytes, value, bytes, 1);
}
inline cudaError_t cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height) {
    return hexcc_emu::fill_2d(to, pitch, value, width, height);
}
inline cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height,
                                     cudaStream_t = nullptr) {
    return hexcc_emu::fill_2d(to, pitch, value, width, height);
}
template <class T>
inline cudaError_t cudaMemcpyToSymbol(T &symbol, const void *from, size_t bytes, size_t offset = 0,
                                      cudaMemcpyKind = cudaMemcpyHostToDevice) {
    if (offset > sizeof symbol || bytes > sizeof symbol - offset) return hexcc_emu::report(cudaErrorInvalidValue);
    memcpy(reinterpret_cast<char *>(const_cast<void *>(static_cast<const volatile void *>(&symbol))) + offset, from, bytes);
    return cudaSuccess;
}
template <class T>
inline cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                        cudaMemcpyKind = cudaMemcpyDeviceToHost) {
    if (offset > sizeof symbol || bytes > sizeof symbol - offset) return hexcc_emu::report(cudaErrorInvalidValue);
    memcpy(to, reinterpret_cast<const char *>(&symbol) + offset, bytes);
    return cudaSuccess;
}
inline cudaError_t cudaMemGetInfo(size_t *unused, size_t *total) {
    *total = hexcc_emu::DEVICE_BYTES;
    *unused = *total - hexcc_emu::device_bytes_used();
    return cudaSuccess;
}

// ------------------------------------------------------------ kernel attributes

template <class... P>
inline cudaError_t cudaFuncSetAttribute(void (*kernel)(P...), cudaFuncAttribute attribute, int value) {
    return hexcc_emu::set_attribute(reinterpret_cast<const void *>(kernel), attribute, value);
}
inline cudaError_t cudaFuncSetAttribute(const void *kernel, cudaFuncAttribute attribute, int value) {
    return hexcc_emu::set_attribute(kernel, attribute, value);
}
template <class... P> inline cudaError_t cudaFuncSetCacheConfig(void (*)(P...), cudaFuncCache) { return cudaSuccess; }

// The emulation has no registers to count.
template <class... P> inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *out, void (*kernel)(P...)) {
    const hexcc_emu::Kernel *found = hexcc_emu::find_kernel(reinterpret_cast<const void *>(kernel));
    *out = cudaFuncAttributes{};
    out->maxThreadsPerBlock = static_cast<int>(hexcc_emu::MAX_THREADS);
    out->binaryVersion = out->ptxVersion = 90;
    out->maxDynamicSharedSizeBytes = static_cast<int>(found ? found->shared_limit : hexcc_emu::SHARED_DEFAULT);
    return cudaSuccess;
}
// Limited by threads and dynamic shared memory alone.
template <class... P>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void (*)(P...), int threads,
                                                                 size_t shared_bytes) {
    if (threads < 1 || threads > 1024) return hexcc_emu::report(cudaErrorInvalidValue);
    int by_threads = 2048 / ((threads + 31) / 32 * 32);
    int by_shared = static_cast<int>(hexcc_emu::SHARED_SM / (shared_bytes + 1024));
    *blocks = min(min(by_threads, by_shared), 32);
    return cudaSuccess;
}

// -------------------------------------------------------------------- device

inline cudaError_t cudaGetDeviceCount(int *count) {
    *count = hexcc_emu::n_devices();
    return cudaSuccess;
}
inline cudaError_t cudaGetDevice(int *device) {
    *device = hexcc_emu::device;
    return cudaSuccess;
}
inline bool hexcc_emu_exists(int device) { return device >= 0 && device < hexcc_emu::n_devices(); }
inline cudaError_t cudaSetDevice(int device) {
    if (!hexcc_emu_exists(device)) return hexcc_emu::report(cudaErrorInvalidDevice);
    hexcc_emu::device = device;
    return cudaSuccess;
}
inline cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int other) {
    *can = device != other;
    return hexcc_emu_exists(device) && hexcc_emu_exists(other) ? cudaSuccess : hexcc_emu::report(cudaErrorInvalidDevice);
}
inline cudaError_t cudaDeviceEnablePeerAccess(int other, unsigned) {
    return hexcc_emu_exists(other) && other != hexcc_emu::device ? cudaSuccess : hexcc_emu::report(cudaErrorInvalidDevice);
}
inline cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attr, int device) {
    return hexcc_emu_exists(device) ? hexcc_emu::attribute(value, attr) : hexcc_emu::report(cudaErrorInvalidDevice);
}
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp *prop, int device) {
    if (!hexcc_emu_exists(device)) return hexcc_emu::report(cudaErrorInvalidDevice);
    *prop = cudaDeviceProp{};
    snprintf(prop->name, sizeof prop->name, "NVIDIA H200 (emulated by hexcc)");
    prop->totalGlobalMem = hexcc_emu::DEVICE_BYTES;
    prop->sharedMemPerBlock = hexcc_emu::SHARED_DEFAULT;
    prop->sharedMemPerBlockOptin = hexcc_emu::SHARED_OPTIN;
    prop->sharedMemPerMultiprocessor = hexcc_emu::SHARED_SM;
    prop->reservedSharedMemPerBlock = 1024;
    prop->totalConstMem = prop->regsPerBlock = prop->regsPerMultiprocessor = 65536;
    prop->warpSize = 32;
    prop->maxThreadsPerBlock = prop->maxThreadsDim[0] = prop->maxThreadsDim[1] = 1024;
    prop->maxThreadsDim[2] = 64;
    prop->maxThreadsPerMultiProcessor = 2048;
    prop->maxBlocksPerMultiProcessor = 32;
    prop->maxGridSize[0] = 0x7fffffff;
    prop->maxGridSize[1] = prop->maxGridSize[2] = 65535;
    prop->major = 9;
    prop->multiProcessorCount = hexcc_emu::SMS;
    prop->l2CacheSize = 60 << 20;
    prop->memoryBusWidth = 6144;
    return cudaSuccess;
}
inline cudaError_t cudaDeviceSynchronize() { return hexcc_emu::report(hexcc_emu::sticky_error); }
inline cudaError_t cudaDeviceReset() { return cudaSuccess; }
inline cudaError_t cudaRuntimeGetVersion(int *version) {
    *version = CUDART_VERSION;
    return cudaSuccess;
}
inline cudaError_t cudaDriverGetVersion(int *version) { return cudaRuntimeGetVersion(version); }

// -------------------------------------------------------- streams and events

inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
    *stream = new CUstream_st{flags, hexcc_emu::device};
    return cudaSuccess;
}
inline cudaError_t cudaStreamCreate(cudaStream_t *stream) { return cudaStreamCreateWithFlags(stream, cudaStreamDefault); }
inline cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    if (!stream) return hexcc_emu::report(cudaErrorInvalidResourceHandle);
    delete stream;
    return cudaSuccess;
}
inline cudaError_t cudaStreamSynchronize(cudaStream_t) { return hexcc_emu::report(hexcc_emu::sticky_error); }
inline cudaError_t cudaStreamQuery(cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned = 0) { return cudaSuccess; }

inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned) {
    *event = new CUevent_st{{}, false, hexcc_emu::device};
    return cudaSuccess;
}
inline cudaError_t cudaEventCreate(cudaEvent_t *event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }
inline cudaError_t cudaEventDestroy(cudaEvent_t event) {
    if (!event) return hexcc_emu::report(cudaErrorInvalidResourceHandle);
    delete event;
    return cudaSuccess;
}
inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr) {
    if (!event || event->device != (stream ? stream->device : hexcc_emu::device)) return hexcc_emu::report(cudaErrorInvalidResourceHandle);
    clock_gettime(CLOCK_MONOTONIC, &event->at);
    event->recorded = true;
    return cudaSuccess;
}
inline cudaError_t cudaEventSynchronize(cudaEvent_t) { return hexcc_emu::report(hexcc_emu::sticky_error); }
inline cudaError_t cudaEventQuery(cudaEvent_t) { return cudaSuccess; }
inline cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to) {
    if (!from || !to || !from->recorded || !to->recorded) return hexcc_emu::report(cudaErrorInvalidResourceHandle);
    double seconds = static_cast<double>(to->at.tv_sec - from->at.tv_sec);
    double nanoseconds = static_cast<double>(to->at.tv_nsec - from->at.tv_nsec);
    *milliseconds = static_cast<float>(seconds * 1e3 + nanoseconds * 1e-6);
    return cudaSuccess;
}
