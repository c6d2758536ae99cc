
namespace hexcc_slabs {

// Fills the rows of a plane that an array of `extent` rows does not have, and those at the rim, which no result needs: with NaN.
static cudaError_t clear(const Share &slab, const Rows &plane, long long extent, cudaStream_t stream) {
  const long long from = slab.enters_from() - slab.first, until = slab.enters_until(extent) - slab.first;
  cudaError_t error = cudaMemsetAsync(plane.first, 0xff, from * plane.bytes, stream);
  return error == cudaSuccess ? cudaMemsetAsync((char *)plane.first + until * plane.bytes, 0xff, (slab.rows - until) * plane.bytes, stream) : error;
}

} // namespace hexcc_slabs
