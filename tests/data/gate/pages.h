// Counts the pages of managed memory that the host touches between kernels, in the emulation: such pages would travel
// between CPU and GPU. It stands before a program, which says at its end how many there were.
#include <cuda_runtime.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

namespace pages {

constexpr size_t PAGE = 4096;
static long touched = 0; // pages that the host has used between kernels
static long since = 0;   // and since the last of them, which may be its results
static int inside = 0;   // calls of CUDA that are running: these may use the memory

// The whole pages of a block.
struct Whole {
  char *begin;
  size_t bytes;
  explicit Whole(const hexcc_emu::Allocation *a) {
    const uintptr_t from = ((uintptr_t)a->base + PAGE - 1) / PAGE * PAGE, to = ((uintptr_t)a->base + a->bytes) / PAGE * PAGE;
    begin = (char *)from;
    bytes = to > from ? to - from : 0;
  }
};

static void protect(int how) {
  for (const hexcc_emu::Allocation *a = hexcc_emu::allocations; a; a = a->next) {
    const Whole whole(a);
    if (a->managed && whole.bytes && mprotect(whole.begin, whole.bytes, how) != 0) abort();
  }
}

// The first use of a page.
static void on_fault(int, siginfo_t *info, void *) {
  const uintptr_t page = (uintptr_t)info->si_addr / PAGE * PAGE;
  for (const hexcc_emu::Allocation *a = hexcc_emu::allocations; a; a = a->next) {
    const Whole whole(a);
    if (!a->managed || page < (uintptr_t)whole.begin || page >= (uintptr_t)whole.begin + whole.bytes) continue;
    if (!hexcc_emu::m.invoke && !inside) since++;
    if (mprotect((void *)page, PAGE, PROT_READ | PROT_WRITE) != 0) abort();
    return;
  }
  signal(SIGSEGV, SIG_DFL); // another fault
}

static void report() { fprintf(stderr, "pages: %ld\n", touched); }

// From the first kernel on.
static void watch() {
  static bool begun = false;
  if (begun) return;
  begun = true;
  static char stack[1 << 16];
  stack_t other{};
  other.ss_sp = stack;
  other.ss_size = sizeof stack;
  sigaltstack(&other, nullptr);
  struct sigaction action{};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &action, nullptr);
  atexit(report);
}

// A call of CUDA that may use the memory.
struct Inside {
  Inside() { inside++; }
  ~Inside() { inside--; }
};

// What kernels have used is on the device.
static cudaError_t ended(cudaError_t error) {
  watch();
  touched += since;
  since = 0;
  protect(PROT_NONE);
  return error;
}

// The program gives the memory back.
static cudaError_t freed(void *p) {
  protect(PROT_READ | PROT_WRITE);
  return cudaFree(p);
}

} // namespace pages

#define cudaDeviceSynchronize() pages::ended(cudaDeviceSynchronize())
#define cudaFree(p) pages::freed(p)
#define cudaMemcpy(...) (pages::Inside(), cudaMemcpy(__VA_ARGS__))
#define cudaMemcpyAsync(...) (pages::Inside(), cudaMemcpyAsync(__VA_ARGS__))
#define cudaMemcpy2DAsync(...) (pages::Inside(), cudaMemcpy2DAsync(__VA_ARGS__))
