/* Rows in an array of pointers, float *A[N]; in-place neighbours average with a second array. */
#include <stdio.h>
#include <stdlib.h>

#define N 80
#define M 64

float *A[N], *B[N];

void allocate(float *rows[], int n, int m)
{
   int i;

   for (i = 0; i < n; i++)
   {
      rows[i] = (float*) malloc(m * sizeof(float));
      if (rows[i] == NULL)
      {
         printf("Cannot allocate row %d\n", i);
         exit(1);
      }
   }
}

void release(float *rows[], int n)
{
   int i;

   for (i = 0; i < n; i++)
      free(rows[i]);
}

int main(int argc, char *argv[])
{
   int i, j, t, T = 40;
   float sum = 0.0f;

   if (argc == 2)
      T = atoi(argv[1]);

   allocate(A, N, M);
   allocate(B, N, M);
   for (i = 0; i < N; i++)
      for (j = 0; j < M; j++)
      {
         A[i][j] = (float) ((i * 13 + j * 7) % 29);
         B[i][j] = A[i][j];
      }

   for (t = 0; t < T; t++)
   {
      for (i = 1; i < N - 1; i++)
         for (j = 1; j < M - 1; j++)
            B[i][j] = 0.125f * (A[i-1][j] + A[i+1][j] + A[i][j-1] + A[i][j+1]) + 0.5f * A[i][j];
      for (i = 1; i < N - 1; i++)
         for (j = 1; j < M - 1; j++)
            A[i][j] = B[i][j];
   }

   for (i = 0; i < N; i++)
      for (j = 0; j < M; j++)
         sum += A[i][j] * (float) (1 + (i + j) % 3);
   printf("T = %d, sum = %.4f\n", T, sum);
   printf("%.7f %.7f\n", A[1][1], A[N/2][M/2]);
   release(A, N);
   release(B, N);
   return 0;
}
