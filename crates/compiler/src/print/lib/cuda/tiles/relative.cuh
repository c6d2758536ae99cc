// A bound relative to the tile's origin, in 32 bits.
__device__ __forceinline__ int relative(long long bound, long long origin) { return (int)lowest(highest(bound - origin, -0x7fffffff), 0x7fffffff); }
