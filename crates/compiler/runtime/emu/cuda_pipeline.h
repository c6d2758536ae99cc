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

// Copies of the thread that runs; threads take turns only at barriers, and
// generated code waits for its copies before the next one.
inline std::vector<PendingCopy> pending_copies;
inline int open_batch = 0;

}  // namespace hexcc_emu

inline void __pipeline_memcpy_async(void *to, const void *from, std::size_t size) {
  hexcc_emu::pending_copies.push_back({to, from, size, hexcc_emu::open_batch});
}

inline void __pipeline_commit() { ++hexcc_emu::open_batch; }

inline void __pipeline_wait_prior(int prior) {
  auto &copies = hexcc_emu::pending_copies;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    if (copies[i].batch < hexcc_emu::open_batch - prior) {
      std::memcpy(copies[i].to, copies[i].from, copies[i].size);
    } else {
      copies[kept++] = copies[i];
    }
  }
  copies.resize(kept);
}

#endif
