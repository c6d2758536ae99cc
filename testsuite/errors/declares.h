/* What programs of this folder declare their arrays with. */
#define ROWS(A) float A[n][n]
#define BLOCK(A) float (*A)[n] = (float (*)[n])malloc(sizeof(float[n][n]))
#define SQUARE [n][n]
