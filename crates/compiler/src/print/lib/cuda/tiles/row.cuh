// Row number r of an array whose rows lie `pitch` bytes apart.
template <typename Element> __device__ __forceinline__ Element *row(Element *array, long long r, long long pitch) {
  return (Element *)((char *)array + r * pitch);
}
