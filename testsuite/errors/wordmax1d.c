/* wordmax1d: A size that cannot be renamed, since a macro makes text of its arguments.
 * hexcc-test: expect=HX0114
 */
#define TEXT(x) #x

const char *names(void)
{
  return TEXT(max);
}

void wordmax1d(int max, int T, float A[2][max])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < max - 1; i++)  // here
      A[(t+1)%2][i] = 0.5f * (A[t%2][i-1] + A[t%2][i+1]);
#pragma endscop
}

/* fix:
#define TEXT(x) #x

const char *names(void)
{
  return TEXT(size);
}

void wordmax1d(int size, int T, float A[2][size])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < size - 1; i++)
      A[(t+1)%2][i] = 0.5f * (A[t%2][i-1] + A[t%2][i+1]);
#pragma endscop
}
*/
