// Asynchronous copies from global to shared memory, done when they are waited
// for, so that a missing wait shows as poison.
#ifndef HEXCC_EMU_CUDA_PIPELINE_H
#define HEXCC_EMU_CUDA_PIPELINE_H

#include "cuda_runtime.h"

#include <cstring>
#include <vector>

namespace hexcc_emu {

struct PendingCopy {
  void *to;
  const void *from;
  std::size_t size;
  int batch;
};

// What a thread has not waited for.
struct Copies {
  uint64_t block = 0;
  int open_batch = 0;
  std::vector<PendingCopy> pending;
};
inline Copies copies_of[MAX_THREADS];

// Those of the thread that runs; a block begins without any.
inline Copies &own_copies() {
  Copies &own = copies_of[m.thread];
  if (own.block != m.block_serial) {
    own.block = m.block_serial;
    own.pending.clear();
  }
  return own;
}

}  // namespace hexcc_emu

inline void __pipeline_memcpy_async(void *to, const void *from, std::size_t size) {
  const auto at = reinterpret_cast<uintptr_t>(to) | reinterpret_cast<uintptr_t>(from);
  if (at % size != 0) hexcc_emu::die("an asynchronous copy of %zu bytes is not aligned", size);
  auto &own = hexcc_emu::own_copies();
  own.pending.push_back({to, from, size, own.open_batch});
}

inline void __pipeline_commit() { ++hexcc_emu::own_copies().open_batch; }

inline void __pipeline_wait_prior(int prior) {
  auto &own = hexcc_emu::own_copies();
  std::size_t kept = 0;
  for (const auto &copy : own.pending) {
    if (copy.batch < own.open_batch - prior) {
      std::memcpy(copy.to, copy.from, copy.size);
    } else {
      own.pending[kept++] = copy;
    }
  }
  own.pending.resize(kept);
}

#endif
