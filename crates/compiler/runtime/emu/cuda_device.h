// What device code may call: thread indices, barriers, shuffles, intrinsics.
//
// Functions whose names start with two underscores round as on the device; the
// fast approximations (__expf, __fdividef, ..) are computed exactly instead.
#pragma once

#include "hexcc_emu.h"
#include "vector_types.h"
#include <math.h>
#include <type_traits>

#define __global__
#define __managed__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
// __shared__, __noinline__ and __restrict__ are emucc's: see scripts/emucc.

static const uint3 &threadIdx = hexcc_emu::m.thread_idx;
static const uint3 &blockIdx = hexcc_emu::m.block_idx;
static const uint3 &blockDim = hexcc_emu::m.block_dim;
static const uint3 &gridDim = hexcc_emu::m.grid_dim;
constexpr int warpSize = 32;

// ------------------------------------------------- barriers and warp operations

// Barriers of different source lines do not meet: CUDA leaves it undefined.
inline void __syncthreads(int line = __builtin_LINE()) { hexcc_emu::block_barrier(line); }

inline void __syncwarp(unsigned mask = 0xffffffffu) { hexcc_emu::warp_op(hexcc_emu::WarpOp::Sync, mask, 0, 0); }
inline void __threadfence_block() {}
inline void __threadfence() {}
inline void __threadfence_system() {}
inline void __nanosleep(unsigned) { hexcc_emu::poll(); }
[[noreturn]] inline void __trap() { hexcc_emu::die("__trap()"); }

namespace hexcc_emu {

template <class T> inline T shuffle(unsigned mask, T value, unsigned source) {
    // CUDA's take int, long, long long, float and double; smaller integers become int.
    static_assert(std::is_arithmetic<T>::value && sizeof(T) <= 8, "shuffles move numbers of at most 8 bytes");
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof value);
    bits = warp_op(WarpOp::Shuffle, mask, bits, source);
    memcpy(&value, &bits, sizeof value);
    return value;
}

inline unsigned lane() { return m.thread % WARP; }

inline unsigned segment_start(int width) {
    if (width < 1 || width > 32 || (width & (width - 1))) die("%d is no width of a shuffle", width);
    return lane() & ~static_cast<unsigned>(width - 1);
}

} // namespace hexcc_emu

template <class T> inline T __shfl_sync(unsigned mask, T value, int source, int width = warpSize) {
    unsigned start = hexcc_emu::segment_start(width);
    return hexcc_emu::shuffle(mask, value, start + (static_cast<unsigned>(source) & static_cast<unsigned>(width - 1)));
}

template <class T> inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = warpSize) {
    unsigned at = hexcc_emu::lane(), start = hexcc_emu::segment_start(width);
    return hexcc_emu::shuffle(mask, value, at - start >= delta ? at - delta : at);
}

template <class T> inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = warpSize) {
    unsigned at = hexcc_emu::lane(), end = hexcc_emu::segment_start(width) + static_cast<unsigned>(width);
    return hexcc_emu::shuffle(mask, value, delta < end - at ? at + delta : at);
}

template <class T> inline T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = warpSize) {
    unsigned at = hexcc_emu::lane(), end = hexcc_emu::segment_start(width) + static_cast<unsigned>(width);
    unsigned source = at ^ (static_cast<unsigned>(lanes) & 31u);
    return hexcc_emu::shuffle(mask, value, source < end ? source : at);
}

inline unsigned __ballot_sync(unsigned mask, int vote) {
    return static_cast<unsigned>(hexcc_emu::warp_op(hexcc_emu::WarpOp::Ballot, mask, vote != 0, 0));
}
inline int __any_sync(unsigned mask, int vote) { return __ballot_sync(mask, vote) != 0; }
inline int __all_sync(unsigned mask, int vote) {
    uint64_t votes = hexcc_emu::warp_op(hexcc_emu::WarpOp::Ballot, mask, vote != 0, 0);
    return static_cast<uint32_t>(votes) == static_cast<uint32_t>(votes >> 32);
}
inline unsigned __activemask() { return ~hexcc_emu::m.warp[hexcc_emu::m.thread / hexcc_emu::WARP].exited; }

// ------------------------------------------------------------------- memory

template <class T> inline T __ldg(const T *at) { return *at; }
template <class T> inline T __ldca(const T *at) { return *at; }
template <class T> inline T __ldcg(const T *at) { return *at; }
template <class T> inline T __ldcs(const T *at) { return *at; }
template <class T> inline T __ldlu(const T *at) { return *at; }
template <class T> inline T __ldcv(const T *at) { return *at; }
template <class T> inline void __stwb(T *at, T value) { *at = value; }
template <class T> inline void __stcg(T *at, T value) { *at = value; }
template <class T> inline void __stcs(T *at, T value) { *at = value; }
template <class T> inline void __stwt(T *at, T value) { *at = value; }

// A thread is never interrupted, so plain operations are atomic.
#define HEXCC_EMU_ATOMIC(name, updated)                                                                 \
    template <class T, class U> inline T name(T *at, U operand_) {                                      \
        T old = *at, operand = static_cast<T>(operand_);                                                \
        *at = updated;                                                                                  \
        return old;                                                                                     \
    }
HEXCC_EMU_ATOMIC(atomicAdd, static_cast<T>(old + operand))
HEXCC_EMU_ATOMIC(atomicSub, static_cast<T>(old - operand))
HEXCC_EMU_ATOMIC(atomicExch, operand)
HEXCC_EMU_ATOMIC(atomicMin, operand < old ? operand : old)
HEXCC_EMU_ATOMIC(atomicMax, old < operand ? operand : old)
HEXCC_EMU_ATOMIC(atomicAnd, static_cast<T>(old & operand))
HEXCC_EMU_ATOMIC(atomicOr, static_cast<T>(old | operand))
HEXCC_EMU_ATOMIC(atomicXor, static_cast<T>(old ^ operand))
#undef HEXCC_EMU_ATOMIC
template <class T, class U, class V> inline T atomicCAS(T *at, U compare, V value) {
    T old = *at;
    if (old == static_cast<T>(compare)) *at = static_cast<T>(value);
    return old;
}

// --------------------------------------------------------------- arithmetic

#define HEXCC_EMU_MIN_MAX(T, A, B)                                                                      \
    inline constexpr T min(A a, B b) { return static_cast<T>(a) < static_cast<T>(b) ? static_cast<T>(a) : static_cast<T>(b); } \
    inline constexpr T max(A a, B b) { return static_cast<T>(a) > static_cast<T>(b) ? static_cast<T>(a) : static_cast<T>(b); }
HEXCC_EMU_MIN_MAX(int, int, int)
HEXCC_EMU_MIN_MAX(unsigned, unsigned, unsigned)
HEXCC_EMU_MIN_MAX(unsigned, int, unsigned)
HEXCC_EMU_MIN_MAX(unsigned, unsigned, int)
HEXCC_EMU_MIN_MAX(long, long, long)
HEXCC_EMU_MIN_MAX(unsigned long, unsigned long, unsigned long)
HEXCC_EMU_MIN_MAX(unsigned long, long, unsigned long)
HEXCC_EMU_MIN_MAX(unsigned long, unsigned long, long)
HEXCC_EMU_MIN_MAX(long long, long long, long long)
HEXCC_EMU_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
HEXCC_EMU_MIN_MAX(unsigned long long, long long, unsigned long long)
HEXCC_EMU_MIN_MAX(unsigned long long, unsigned long long, long long)
#undef HEXCC_EMU_MIN_MAX
inline float min(float a, float b) { return fminf(a, b); }
inline float max(float a, float b) { return fmaxf(a, b); }
inline double min(double a, double b) { return fmin(a, b); }
inline double max(double a, double b) { return fmax(a, b); }
inline double min(float a, double b) { return fmin(a, b); }
inline double max(float a, double b) { return fmax(a, b); }
inline double min(double a, float b) { return fmin(a, b); }
inline double max(double a, float b) { return fmax(a, b); }

inline float rsqrtf(float x) { return static_cast<float>(1.0 / sqrt(static_cast<double>(x))); }
inline double rsqrt(double x) { return 1.0 / sqrt(x); }
inline float rsqrt(float x) { return rsqrtf(x); }

inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __frcp_rn(float a) { return 1.0f / a; }
inline float __fsqrt_rn(float a) { return sqrtf(a); }
inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dsub_rn(double a, double b) { return a - b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __drcp_rn(double a) { return 1.0 / a; }
inline double __dsqrt_rn(double a) { return sqrt(a); }
inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }

inline float __fdividef(float a, float b) { return a / b; }
inline float fdividef(float a, float b) { return a / b; }
inline float __expf(float x) { return expf(x); }
inline float __exp10f(float x) { return powf(10.0f, x); }
inline float __logf(float x) { return logf(x); }
inline float __log2f(float x) { return log2f(x); }
inline float __log10f(float x) { return log10f(x); }
inline float __powf(float x, float y) { return powf(x, y); }
inline float __sinf(float x) { return sinf(x); }
inline float __cosf(float x) { return cosf(x); }
inline float __tanf(float x) { return tanf(x); }
inline float __saturatef(float x) { return fminf(fmaxf(x, 0.0f), 1.0f); }

namespace hexcc_emu {
template <class To, class From> inline To same_bits(From from) {
    static_assert(sizeof(To) == sizeof(From), "only types of one size share their bits");
    To to;
    memcpy(&to, &from, sizeof to);
    return to;
}
} // namespace hexcc_emu
inline int __float_as_int(float x) { return hexcc_emu::same_bits<int>(x); }
inline unsigned __float_as_uint(float x) { return hexcc_emu::same_bits<unsigned>(x); }
inline float __int_as_float(int x) { return hexcc_emu::same_bits<float>(x); }
inline float __uint_as_float(unsigned x) { return hexcc_emu::same_bits<float>(x); }
inline long long __double_as_longlong(double x) { return hexcc_emu::same_bits<long long>(x); }
inline double __longlong_as_double(long long x) { return hexcc_emu::same_bits<double>(x); }

inline int __mul24(int a, int b) {
    return static_cast<int>(static_cast<unsigned>((a << 8) >> 8) * static_cast<unsigned>((b << 8) >> 8));
}
inline int __mulhi(int a, int b) { return static_cast<int>((static_cast<long long>(a) * b) >> 32); }
inline unsigned __umulhi(unsigned a, unsigned b) {
    return static_cast<unsigned>((static_cast<unsigned long long>(a) * b) >> 32);
}
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __clz(int x) { return x ? __builtin_clz(static_cast<unsigned>(x)) : 32; }
inline int __ffs(int x) { return __builtin_ffs(x); }

inline long long clock64() { return 0; }
