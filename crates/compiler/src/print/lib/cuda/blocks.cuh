// Memory that kernels and the program share. Large blocks that the program allocates are managed by
// CUDA: both use the same pointers, and pages lie where they were used last. Other memory is copied
// for each kernel.
namespace hexcc_memory {

struct Block {
  char *begin;
  size_t bytes;
  Block *next;
};
static Block *blocks = nullptr; // shared memory that the program has allocated
static Block *borrowed = nullptr; // device memory while kernels use it
