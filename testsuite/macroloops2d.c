/* Macros make the loops, over time and over cells.
 * hexcc-test: args=N,T run=8,3;9,4;20,7;33,12;40,0;35,1 tile=h=1,w=2:8;h=3,w=3:16 stream=steps=4,vector=1
 */
#include <stdio.h>
#include <stdlib.h>

#define FOR(i, begin, end) for (int i = (begin); i < (end); i++)
#define EACH_CELL \
    FOR(i, 1, n - 1) \
        for (int j = 1; j < n - 1; j++)

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 20, steps = argc > 2 ? atoi(argv[2]) : 5;
    double(*u)[n] = malloc(sizeof(double[n][n])), (*v)[n] = malloc(sizeof(double[n][n]));

    FOR(i, 0, n)
        FOR(j, 0, n)
            u[i][j] = v[i][j] = (i * 13 + j * 7) % 11;

    FOR(t, 0, steps) {
        EACH_CELL
            v[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
        EACH_CELL {
            u[i][j] = v[i][j];
        }
    }

    double sum = 0;
    FOR(i, 0, n)
        FOR(j, 0, n)
            sum += (1 + i % 5 + j % 3) * u[i][j];
    printf("%.17g\n", sum);
    return 0;
}
