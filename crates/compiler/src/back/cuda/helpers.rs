//! Device functions that generated code calls, and where they are inserted.

use super::END_OF_CONSTANTS;
use crate::back::expr::{HELPERS, Row, quotients};
use crate::back::names::mentions;
use crate::kernel::KernelIr;

/// Device functions, printed where they are called, each with a comment of one line;
/// it calls only those before it.
const DEVICE_HELPERS: [(&str, &str); 10] = [
    (
        "wrap",
        "// An index below 2 SIZE modulo SIZE.
template <int SIZE> __device__ __forceinline__ int wrap(int x) { return x >= SIZE ? x - SIZE : x; }
",
    ),
    (
        "relative",
        "// A bound relative to the tile's origin, in 32 bits.
__device__ __forceinline__ int relative(long long bound, long long origin) { return (int)lowest(highest(bound - origin, -0x7fffffff), 0x7fffffff); }
",
    ),
    (
        "row",
        "// Row number r of an array whose rows lie `pitch` bytes apart.
template <typename Element> __device__ __forceinline__ Element *row(Element *array, long long r, long long pitch) {
  return (Element *)((char *)array + r * pitch);
}
",
    ),
    (
        "copy",
        "// Copies BYTES bytes to shared memory.
template <int BYTES> __device__ __forceinline__ void copy(void *to, const void *from) {
  if constexpr (BYTES >= 4)
    __pipeline_memcpy_async(to, from, BYTES);
  else
    for (int b = 0; b < BYTES; ++b) ((char *)to)[b] = ((const char *)from)[b];
}
",
    ),
    (
        "copy_box",
        "// Copies OUTER x INNER rows of LENGTH bytes to shared memory, BYTES at a time; strides are in bytes.
template <int OUTER, int INNER, int LENGTH, int BYTES, int TO_OUTER, int TO_INNER>
__device__ __forceinline__ void copy_box(void *to, const void *from, long long from_outer, int from_inner, int thread) {
  // Threads per row, rows at a time, and these as rows of one plane and planes.
  constexpr int LANES = LENGTH / BYTES < THREADS ? LENGTH / BYTES : THREADS, STEP = THREADS / LANES;
  constexpr int COUNT = INNER < STEP ? INNER : STEP, PLANES = STEP / COUNT;
  const int i0 = thread / (LANES * COUNT), j0 = thread / LANES % COUNT, k0 = thread % LANES * BYTES;
  if (THREADS % (LANES * COUNT) != 0 && i0 >= PLANES) return;
  char *const first_to = (char *)to + i0 * TO_OUTER + j0 * TO_INNER + k0;
  const char *const first_from = (const char *)from + i0 * from_outer + (long long)j0 * from_inner + k0;
#pragma unroll
  for (int i = 0; i < OUTER; i += PLANES) {
    if (i + PLANES > OUTER && i + i0 >= OUTER) break;
#pragma unroll
    for (int j = 0; j < INNER; j += COUNT) {
      if (j + COUNT > INNER && j + j0 >= INNER) break;
#pragma unroll
      for (int k = 0; k < LENGTH; k += LANES * BYTES)
        if (k + LANES * BYTES <= LENGTH || k + k0 < LENGTH)
          copy<BYTES>(first_to + i * TO_OUTER + j * TO_INNER + k, first_from + i * from_outer + (long long)j * from_inner + k);
    }
  }
}
",
    ),
    (
        "copy_inside",
        "// The same for what lies inside the array: row numbers from i0 and j0 below i_end and j_end, bytes from k0 below k_end.
template <int OUTER, int INNER, int LENGTH, int BYTES>
__device__ __forceinline__ void copy_inside(void *to, int to_i, int to_j, const void *from, long long from_i, int from_j,
                                            long long i0, long long i_end, long long j0, long long j_end, long long k0, long long k_end, int thread) {
  const int i_lo = (int)highest(0, -i0), i_hi = (int)lowest(OUTER, i_end - i0), j_lo = (int)highest(0, -j0), j_hi = (int)lowest(INNER, j_end - j0);
  const int k_lo = (int)highest(0, -k0), k_hi = (int)lowest(LENGTH, k_end - k0);
  for (int n = thread; n < OUTER * INNER * (LENGTH / BYTES); n += THREADS) {
    const int i = n / (INNER * (LENGTH / BYTES)), j = n / (LENGTH / BYTES) % INNER, k = n % (LENGTH / BYTES) * BYTES;
    if (i >= i_lo && i < i_hi && j >= j_lo && j < j_hi && k >= k_lo && k < k_hi)
      copy<BYTES>((char *)to + i * to_i + j * to_j + k, (const char *)from + i * from_i + (long long)j * from_j + k);
  }
}
",
    ),
    (
        "copy_out",
        "// Copies OUTER x INNER rows of LENGTH bytes from shared memory, BYTES at a time; strides are in bytes.
template <int OUTER, int INNER, int LENGTH, int BYTES, int FROM_OUTER, int FROM_INNER>
__device__ __forceinline__ void copy_out(void *to, long long to_outer, int to_inner, const void *from, int thread) {
  struct alignas(BYTES) Bytes { char bytes[BYTES]; };
  for (int n = thread; n < OUTER * INNER * (LENGTH / BYTES); n += THREADS) {
    const int i = n / (INNER * (LENGTH / BYTES)), j = n / (LENGTH / BYTES) % INNER, k = n % (LENGTH / BYTES) * BYTES;
    *(Bytes *)((char *)to + i * to_outer + (long long)j * to_inner + k) = *(const Bytes *)((const char *)from + i * FROM_OUTER + j * FROM_INNER + k);
  }
}
",
    ),
    (
        "copy_ring",
        "// copy_box where dimension AXIS of shared memory, 0, 1 or 2, is a ring of SIZE rows or bytes; the box starts at `first`.
template <int OUTER, int INNER, int LENGTH, int BYTES, int TO_OUTER, int TO_INNER, int AXIS, int SIZE>
__device__ __forceinline__ void copy_ring(void *to, int first, const void *from, long long from_outer, int from_inner, int thread) {
#pragma unroll
  for (int n = thread; n < OUTER * INNER * (LENGTH / BYTES); n += THREADS) {
    const int i = n / (INNER * (LENGTH / BYTES)), j = n / (LENGTH / BYTES) % INNER, k = n % (LENGTH / BYTES) * BYTES;
    const int to_i = AXIS == 0 ? wrap<SIZE>(first + i) : i, to_j = AXIS == 1 ? wrap<SIZE>(first + j) : j, to_k = AXIS == 2 ? wrap<SIZE>(first + k) : k;
    copy<BYTES>((char *)to + to_i * TO_OUTER + to_j * TO_INNER + to_k, (const char *)from + i * from_outer + (long long)j * from_inner + k);
  }
}
",
    ),
    (
        "copy_out_ring",
        "// copy_out where dimension AXIS of shared memory, 0, 1 or 2, is a ring of SIZE rows or bytes; the box starts at `first`.
template <int OUTER, int INNER, int LENGTH, int BYTES, int FROM_OUTER, int FROM_INNER, int AXIS, int SIZE>
__device__ __forceinline__ void copy_out_ring(void *to, long long to_outer, int to_inner, const void *from, int first, int thread) {
  struct alignas(BYTES) Bytes { char bytes[BYTES]; };
  for (int n = thread; n < OUTER * INNER * (LENGTH / BYTES); n += THREADS) {
    const int i = n / (INNER * (LENGTH / BYTES)), j = n / (LENGTH / BYTES) % INNER, k = n % (LENGTH / BYTES) * BYTES;
    const int at_i = AXIS == 0 ? wrap<SIZE>(first + i) : i, at_j = AXIS == 1 ? wrap<SIZE>(first + j) : j, at_k = AXIS == 2 ? wrap<SIZE>(first + k) : k;
    *(Bytes *)((char *)to + i * to_outer + (long long)j * to_inner + k) = *(const Bytes *)((const char *)from + at_i * FROM_OUTER + at_j * FROM_INNER + at_k);
  }
}
",
    ),
    (
        "move_rows",
        "// Moves the last LENGTH of every STRIDE bytes of shared memory to their start, BYTES at a time.
template <int COUNT, int LENGTH, int STRIDE, int BYTES>
__device__ __forceinline__ void move_rows(void *shared, int thread) {
  struct alignas(BYTES) Bytes { char bytes[BYTES]; };
#pragma unroll
  for (int n = thread; n < COUNT * (LENGTH / BYTES); n += THREADS) {
    char *const to = (char *)shared + n / (LENGTH / BYTES) * STRIDE + n % (LENGTH / BYTES) * BYTES;
    *(Bytes *)to = *(const Bytes *)(to + STRIDE - LENGTH);
  }
}
",
    ),
];

/// Puts the helpers that are called in front: the arithmetic ones before the
/// constants, which the others need.
pub(super) fn insert_helpers(text: String, ir: &KernelIr) -> String {
    // A helper calls only those before it.
    let mut calls = text.clone();
    let (mut arithmetic, mut device) = (Vec::new(), Vec::new());
    for (name, code) in DEVICE_HELPERS.iter().rev() {
        if mentions(&calls, name) {
            // The comment in the first line may name others.
            calls.push_str(code.split_once('\n').map_or("", |(_, code)| code));
            device.push(code.to_string());
        }
    }
    for helper in HELPERS.iter().rev().filter(|h| mentions(&calls, h.name)) {
        arithmetic.push(helper.definition("__host__ __device__ constexpr"));
        if !helper.comment.is_empty() {
            arithmetic.push(format!("// {}\n", helper.comment));
        }
    }
    let quotients = quotients(&ir.stencil.stmts, Row::No);
    if !quotients.is_empty() {
        device.insert(0, quotients);
    }
    let mut text = text;
    for (helpers, marker) in [
        (arithmetic, format!("namespace {} {{\n\n", ir.stencil.name)),
        (device, END_OF_CONSTANTS.to_string()),
    ] {
        if !helpers.is_empty() {
            let helpers: String = helpers.into_iter().rev().collect();
            text = text.replacen(&marker, &format!("{marker}{helpers}\n"), 1);
        }
    }
    text.replacen(END_OF_CONSTANTS, "", 1)
}
