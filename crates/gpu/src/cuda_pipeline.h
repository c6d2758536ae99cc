// What generated kernels use of CUDA's header of this name.
#pragma once

__device__ inline void __pipeline_memcpy_async(void *target, const void *source, unsigned long long size) {
  const unsigned to = (unsigned)__cvta_generic_to_shared(target);
  if (size == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(source) : "memory");
  else if (size == 8)
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(to), "l"(source) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(source) : "memory");
}

__device__ inline void __pipeline_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

__device__ inline void __pipeline_wait_prior(unsigned long long n) {
  if (n == 0)
    asm volatile("cp.async.wait_group 0;" ::: "memory");
  else if (n == 1)
    asm volatile("cp.async.wait_group 1;" ::: "memory");
  else if (n == 2)
    asm volatile("cp.async.wait_group 2;" ::: "memory");
  else
    asm volatile("cp.async.wait_group 3;" ::: "memory");
}
