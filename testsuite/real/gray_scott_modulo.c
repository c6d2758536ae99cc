/* Gray-Scott on a torus. Writes a PGM picture if a file name is given. */
#include <stdio.h>
#include <stdlib.h>

#define W 64
#define H 48

typedef struct {
    double F, k, Du, Dv;
    int steps;
} Params;

static double u[2][H][W], v[2][H][W];

static void seed(void)
{
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            u[0][y][x] = 1.0;
            v[0][y][x] = 0.0;
        }
    for (int y = H / 2 - 5; y < H / 2 + 5; y++)
        for (int x = W / 2 - 5; x < W / 2 + 5; x++) {
            u[0][y][x] = 0.5;
            v[0][y][x] = 0.25 + 0.01 * ((x * 3 + y * 5) % 7);
        }
}

static double laplace(double a[H][W], int y, int x)
{
    int n = (y + H - 1) % H, s = (y + 1) % H;
    int w = (x + W - 1) % W, e = (x + 1) % W;

    return a[n][x] + a[s][x] + a[y][w] + a[y][e] - 4.0 * a[y][x];
}

static void write_pgm(const char *name, double a[H][W])
{
    FILE *f = fopen(name, "w");

    if (!f) {
        perror(name);
        return;
    }
    fprintf(f, "P2\n%d %d\n255\n", W, H);
    for (int y = 0; y < H; y++) {
        for (int x = 0; x < W; x++)
            fprintf(f, "%d ", (int)(255 * a[y][x]));
        fprintf(f, "\n");
    }
    fclose(f);
}

int main(int argc, char **argv)
{
    Params p = { 0.035, 0.06, 0.16, 0.08, 150 };
    int cur = 0;

    if (argc > 1)
        p.steps = atoi(argv[1]);
    seed();
    for (int t = 0; t < p.steps; t++) {
        int nxt = 1 - cur;

        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++) {
                double a = u[cur][y][x], b = v[cur][y][x];
                double r = a * b * b;

                u[nxt][y][x] = a + p.Du * laplace(u[cur], y, x) - r + p.F * (1.0 - a);
                v[nxt][y][x] = b + p.Dv * laplace(v[cur], y, x) + r - (p.F + p.k) * b;
            }
        cur = nxt;
    }
    if (argc > 2)
        write_pgm(argv[2], v[cur]);

    double su = 0, sv = 0;
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            su += u[cur][y][x];
            sv += v[cur][y][x];
        }
    printf("u %.12f v %.12f centre %.12f\n", su, sv, v[cur][H / 2][W / 2]);
    return 0;
}
