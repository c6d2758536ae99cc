/* D2Q5 whose cell returns early at the walls; sizes in variables that are sums of macros. */
#include <stdio.h>
#include <stdlib.h>

#ifndef WIDTH
#define WIDTH 24
#endif
#ifndef HEIGHT
#define HEIGHT 18
#endif

enum { REST, EAST, WEST, NORTH, SOUTH, Q };

static double grid[2][HEIGHT + 4][WIDTH + 4][Q];

static void cell(double c, double e, double w, double n, double s, double *out_c, double *out_e, double *out_w,
                 double *out_n, double *out_s, int y, int x)
{
    double heat, ux;

    if (((y == 1 || y == HEIGHT + 2) && (x > 1 && x < WIDTH + 2)) ||
        ((x == 1 || x == WIDTH + 2) && (y > 1 && y < HEIGHT + 2))) {
        *out_c = c;
        *out_e = w;
        *out_w = e;
        *out_n = s;
        *out_s = n;
        return;
    }

    heat = c + e + w + n + s;
    ux = 0.0;
    if (y == HEIGHT + 1 && x > 1 && x < WIDTH + 2) {
        ux = 0.15;
        heat = 0.9 * heat + 0.1;
    }

    *out_c = 0.4 * c + 0.6 * heat / 3.0;
    *out_e = 0.4 * e + 0.1 * heat * (1.0 + 3.0 * ux);
    *out_w = 0.4 * w + 0.1 * heat * (1.0 - 3.0 * ux);
    *out_n = 0.4 * n + 0.1 * heat;
    *out_s = 0.4 * s + 0.1 * heat;
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 12;
    short right = WIDTH + 3, top = HEIGHT + 3;
    double sum = 0.0;

    for (int y = 0; y < HEIGHT + 4; y++)
        for (int x = 0; x < WIDTH + 4; x++)
            for (int k = 0; k < Q; k++)
                grid[0][y][x][k] = grid[1][y][x][k] = (k == REST ? 2 : 1) * (1.0 + 0.01 * ((x + 3 * y) % 7)) / 6.0;

    for (int t = 0; t < steps; t++)
        for (int y = 1; y < top; y++)
            for (int x = 1; x < right; x++)
                cell(grid[t % 2][y][x][REST], grid[t % 2][y][x - 1][EAST], grid[t % 2][y][x + 1][WEST],
                     grid[t % 2][y - 1][x][NORTH], grid[t % 2][y + 1][x][SOUTH], &grid[(t + 1) % 2][y][x][REST],
                     &grid[(t + 1) % 2][y][x][EAST], &grid[(t + 1) % 2][y][x][WEST], &grid[(t + 1) % 2][y][x][NORTH],
                     &grid[(t + 1) % 2][y][x][SOUTH], y, x);

    for (int y = 1; y < top; y++)
        for (int x = 1; x < right; x++)
            for (int k = 0; k < Q; k++)
                sum += grid[steps % 2][y][x][k] * (1 + k);
    printf("%d steps: %.12e %.12e\n", steps, sum, grid[steps % 2][HEIGHT / 2][WIDTH / 3][EAST]);
    return 0;
}
