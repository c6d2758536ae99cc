#define N 200

void heat(float u[2][N][N], int steps);
