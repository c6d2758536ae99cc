/* untouched1d: for small N no statement touches D, whose constant subscript then lies outside of it.
 * D ends with a page of memory: a copy of more than N + 1 elements is an error.
 * hexcc-test: args=N,T run=1,3;2,4;3,2;4,3;5,3;6,2;9,5;24,11;40,20 tile=h=1,w=2;h=7,w=2 variants=--threads=64
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

static void untouched1d(int N, int T, int A[2][N], int C[T+1][N], int D[N+1])
{
#pragma scop
  for (int t = 1; t < T; t++) {
    A[(t+1)%2][0] = A[t%2][0] + 1;
    for (int i = 2; i < N-2; i++) {
      if (i >= 3)
        C[t+1][i] = C[t][i-1] + A[t%2][i];
      else
        C[t+1][i] = C[t][i+2] + D[i+2] - D[i-2];
    }
  }
#pragma endscop
}

static void fill(int *x, size_t size)
{
  static unsigned state = 1;

  for (size_t i = 0; i < size / sizeof *x; i++) {
    state = state * 1664525u + 1013904223u;
    x[i] = state >> 16;
  }
}

static unsigned long long hash = 14695981039346656037ull;

static void add_to_hash(const void *data, size_t size)
{
  const unsigned char *byte = (const unsigned char *)data;

  for (size_t i = 0; i < size; i++)
    hash = (hash ^ byte[i]) * 1099511628211ull;
}

int main(int argc, char **argv)
{
  int N = argc > 1 ? atoi(argv[1]) : 64;
  int T = argc > 2 ? atoi(argv[2]) : 20;
  size_t A_size = sizeof(int[2][N]), C_size = sizeof(int[T + 1][N]), D_size = sizeof(int[N + 1]);
  int (*A)[N] = (int (*)[N])malloc(A_size);
  int (*C)[N] = (int (*)[N])malloc(C_size);
  size_t page = 65536, room = (D_size + page - 1) / page * page;
  char *pages = (char *)mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(pages + room, page, PROT_NONE);
  int *D = (int *)(pages + room - D_size);

  fill(&A[0][0], A_size);
  fill(&C[0][0], C_size);
  fill(D, D_size);
  untouched1d(N, T, A, C, D);
  add_to_hash(A, A_size);
  add_to_hash(C, C_size);
  add_to_hash(D, D_size);
  printf("%016llx\n", hash);
  munmap(pages, room + page);
  free(A);
  free(C);
  return 0;
}
