/* threads1d: Work that threads of OpenMP divide by their numbers, of which one would do its part alone.
 * hexcc-test: expect=HX0107
 */
int omp_get_thread_num(void);

void threads1d(int N, int T, float A[2][N])
{
  for (int t = 0; t < T; t++)
#pragma omp parallel num_threads(4)
  {
    int id = omp_get_thread_num();  // here
    for (int i = 1 + id * (N - 2) / 4; i < 1 + (id + 1) * (N - 2) / 4; i++)
      A[(t+1)%2][i] = 0.5f * (A[t%2][i-1] + A[t%2][i+1]);
  }
}

/* fix:
void threads1d(int N, int T, float A[2][N])
{
  for (int t = 0; t < T; t++)
#pragma omp parallel for num_threads(4)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = 0.5f * (A[t%2][i-1] + A[t%2][i+1]);
}
*/
