/* memberbound2d: Bounds and row lengths that are members of a struct, in a function that the time loop calls.
 * hexcc-test: expect=HX0105
 */
struct params {
  int nx, ny;
};

static void stream(const struct params params, float *A, float *B)
{
  for (int j = 1; j < params.ny - 1; j++)  // here
    for (int i = 1; i < params.nx - 1; i++)
      B[i + j*params.nx] = 0.5f * (A[i-1 + j*params.nx] + A[i+1 + j*params.nx]);
}

void memberbound2d(const struct params params, int T, float *A, float *B)
{
#pragma scop
  for (int t = 0; t < T; t++) {
    stream(params, A, B);
    stream(params, B, A);
  }
#pragma endscop
}

/* fix:
struct params {
  int nx, ny;
};

static void stream(int nx, int ny, float (*A)[nx], float (*B)[nx])
{
  for (int j = 1; j < ny - 1; j++)
    for (int i = 1; i < nx - 1; i++)
      B[j][i] = 0.5f * (A[j][i-1] + A[j][i+1]);
}

void memberbound2d(const struct params params, int T, float *A, float *B)
{
  int nx = params.nx, ny = params.ny;
  float (*a)[nx] = (float (*)[nx])A, (*b)[nx] = (float (*)[nx])B;

  for (int t = 0; t < T; t++) {
    stream(nx, ny, a, b);
    stream(nx, ny, b, a);
  }
}
*/
