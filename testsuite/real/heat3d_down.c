/* Heat in three dimensions: all loops count down, and two indices tell the planes. */
#include <stdio.h>
#include <stdlib.h>

#define I3(x, y, z) (((long)(x) * n + (y)) * n + (z))

int main(int argc, char **argv)
{
    long n = argc > 1 ? atol(argv[1]) : 22;
    int iters = argc > 2 ? atoi(argv[2]) : 25;
    double *buf[2];
    long x, y, z;
    int t, src = 0, dst = 1;
    buf[0] = malloc(n * n * n * sizeof(double));
    buf[1] = malloc(n * n * n * sizeof(double));
    for (x = n - 1; x >= 0; x--)
        for (y = n - 1; y >= 0; y--)
            for (z = n - 1; z >= 0; z--)
                buf[0][I3(x, y, z)] = buf[1][I3(x, y, z)] = (x + 2 * y + 3 * z) % 11;
    for (t = iters; t > 0; t--) {
        for (x = n - 2; x >= 1; x--)
            for (y = n - 2; y >= 1; y--)
                for (z = n - 2; z >= 1; z--)
                    buf[dst][I3(x, y, z)] = buf[src][I3(x, y, z)] * 0.4
                        + 0.1 * (buf[src][I3(x - 1, y, z)] + buf[src][I3(x + 1, y, z)]
                               + buf[src][I3(x, y - 1, z)] + buf[src][I3(x, y + 1, z)]
                               + buf[src][I3(x, y, z - 1)] + buf[src][I3(x, y, z + 1)]);
        src = dst;
        dst = 1 - src;
    }
    double s = 0;
    for (x = 0; x < n * n * n; x++)
        s += buf[src][x];
    printf("%.12f\n", s);
    free(buf[0]);
    free(buf[1]);
    return 0;
}
