/* folded1d: A ring of 2 H cells, folded in half: cell i of the ring is L[i+1], cell 2H-1-i is
 * R[i+1], so that neighbours are at distance 1. Ghost cells join the halves at both ends. The
 * host computes the ring as it is, to compare.
 * hexcc-test: args=H,T run=1,3;2,5;3,2;5,1;16,7;17,0;40,9;64,8;129,16;300,17 tile=h=2,w=1;h=5,w=3
 */
#include <stdio.h>
#include <stdlib.h>

static void folded1d(int H, int T, float L[2][H+2], float R[2][H+2])
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i <= H; i++) {
      L[(t+1)%2][i] = 0.3f * L[t%2][i-1] + 0.7f * L[t%2][i+1];
      R[(t+1)%2][i] = 0.3f * R[t%2][i+1] + 0.7f * R[t%2][i-1];
    }
    L[(t+1)%2][0] = R[(t+1)%2][1];
    R[(t+1)%2][0] = L[(t+1)%2][1];
    L[(t+1)%2][H+1] = R[(t+1)%2][H];
    R[(t+1)%2][H+1] = L[(t+1)%2][H];
  }
#pragma endscop
}

static void ring1d(int N, int T, float A[2][N])
{
  for (int t = 0; t < T; t++)
    for (int i = 0; i < N; i++)
      A[(t+1)%2][i] = 0.3f * A[t%2][(i+N-1)%N] + 0.7f * A[t%2][(i+1)%N];
}

int main(int argc, char **argv)
{
  int H = argc > 1 ? atoi(argv[1]) : 128;
  int T = argc > 2 ? atoi(argv[2]) : 20;
  int N = 2 * H, n_wrong = 0;
  float (*A)[N] = (float (*)[N])malloc(sizeof(float[2][N]));
  float (*L)[H+2] = (float (*)[H+2])malloc(sizeof(float[2][H+2]));
  float (*R)[H+2] = (float (*)[H+2])malloc(sizeof(float[2][H+2]));
  unsigned state = 1;

  for (int i = 0; i < N; i++) {
    state = state * 1664525u + 1013904223u;
    A[0][i] = A[1][i] = ((state >> 8) | 1) / 16777216.0f;
  }
  for (int i = 0; i < H; i++) {
    L[0][i+1] = L[1][i+1] = A[0][i];
    R[0][i+1] = R[1][i+1] = A[0][N-1-i];
  }
  for (int plane = 0; plane < 2; plane++) {
    L[plane][0] = R[0][1];
    R[plane][0] = L[0][1];
    L[plane][H+1] = R[0][H];
    R[plane][H+1] = L[0][H];
  }
  folded1d(H, T, L, R);
  ring1d(N, T, A);
  for (int i = 0; i < H; i++)
    n_wrong += (L[T%2][i+1] != A[T%2][i]) + (R[T%2][i+1] != A[T%2][N-1-i]);
  printf("%d of %d cells differ\n", n_wrong, N);
  free(A);
  free(L);
  free(R);
  return n_wrong > 0;
}
