// CUDA's short vectors: same names, members, sizes and alignments.
#pragma once

#define HEXCC_EMU_VECTORS(T, name, align2, align4)                                                      \
    struct name##1 {                                                                                    \
        T x;                                                                                            \
    };                                                                                                  \
    struct alignas(align2) name##2 {                                                                    \
        T x, y;                                                                                         \
    };                                                                                                  \
    struct name##3 {                                                                                    \
        T x, y, z;                                                                                      \
    };                                                                                                  \
    struct alignas(align4) name##4 {                                                                    \
        T x, y, z, w;                                                                                   \
    };                                                                                                  \
    inline constexpr name##1 make_##name##1(T x) { return name##1{x}; }                                 \
    inline constexpr name##2 make_##name##2(T x, T y) { return name##2{x, y}; }                         \
    inline constexpr name##3 make_##name##3(T x, T y, T z) { return name##3{x, y, z}; }                 \
    inline constexpr name##4 make_##name##4(T x, T y, T z, T w) { return name##4{x, y, z, w}; }

HEXCC_EMU_VECTORS(signed char, char, 2, 4)
HEXCC_EMU_VECTORS(unsigned char, uchar, 2, 4)
HEXCC_EMU_VECTORS(short, short, 4, 8)
HEXCC_EMU_VECTORS(unsigned short, ushort, 4, 8)
HEXCC_EMU_VECTORS(int, int, 8, 16)
HEXCC_EMU_VECTORS(long long, longlong, 16, 16)
HEXCC_EMU_VECTORS(unsigned long long, ulonglong, 16, 16)
HEXCC_EMU_VECTORS(float, float, 8, 16)
HEXCC_EMU_VECTORS(double, double, 16, 16)
#undef HEXCC_EMU_VECTORS

struct uint1 {
    unsigned x;
};
struct alignas(8) uint2 {
    unsigned x, y;
};
struct alignas(16) uint4 {
    unsigned x, y, z, w;
};
inline constexpr uint1 make_uint1(unsigned x) { return uint1{x}; }
inline constexpr uint2 make_uint2(unsigned x, unsigned y) { return uint2{x, y}; }
inline constexpr uint3 make_uint3(unsigned x, unsigned y, unsigned z) { return uint3{x, y, z}; }
inline constexpr uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return uint4{x, y, z, w}; }
