/* A plate with a heated cell, which has a number: the length of rows is a constant variable of the file, and the sum that each
 * cell computes is a variable of the file, too.
 * hexcc-test: args=T run=0;1;2;3;12;30
 */
#include <stdio.h>
#include <stdlib.h>

const int N = 64;
const int row = 20, column = 31;
float sum, plate[64][64], next[64][64], outside = 0.25f;

static void start(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            plate[i][j] = outside + (float)((i * 64 + j * 37) % 19) / 64;
    plate[row][column] = 30;
}

static void iterate(int steps)
{
    for (int k = 0; k < steps; k++) {
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                if (i * N + j != row * N + column) {
                    sum = 0;
                    if (i + 1 < N)
                        sum = sum + plate[i + 1][j];
                    else
                        sum = sum + outside;
                    if (i - 1 >= 0)
                        sum = sum + plate[i - 1][j];
                    else
                        sum = sum + outside;
                    if (j + 1 < N)
                        sum = sum + plate[i][j + 1];
                    else
                        sum = sum + outside;
                    if (j - 1 >= 0)
                        sum = sum + plate[i][j - 1];
                    else
                        sum = sum + outside;
                    next[i][j] = sum / 4;
                }
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                if (i * N + j != row * N + column)
                    plate[i][j] = next[i][j];
    }
}

int main(int argc, char **argv)
{
    start();
    iterate(argc > 1 ? atoi(argv[1]) : 20);
    double all = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            all += plate[i][j] * ((i * 64 + j) % 17 + 1);
    printf("%.9g\n", all);
    return 0;
}
