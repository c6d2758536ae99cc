// An index below 2 SIZE modulo SIZE.
template <int SIZE> __device__ __forceinline__ int wrap(int x) { return x >= SIZE ? x - SIZE : x; }
