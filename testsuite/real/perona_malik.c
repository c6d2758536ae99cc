/* Perona-Malik diffusion of a noisy step; two edge functions, clamped borders by helper functions. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int clamp(int i, int n)
{
    if (i < 0)
        return 0;
    if (i >= n)
        return n - 1;
    return i;
}

static double g1(double d, double kappa)
{
    return 1.0 / (1.0 + (d * d) / (kappa * kappa));
}

static double at(const double *img, int i, int j, int h, int w)
{
    return img[clamp(i, h) * w + clamp(j, w)];
}

static void diffuse(const double *in, double *out, int h, int w, double kappa, double lambda)
{
    int i, j;

    for (i = 0; i < h; i++) {
        for (j = 0; j < w; j++) {
            double c = in[i * w + j];
            double n = at(in, i - 1, j, h, w) - c;
            double s = at(in, i + 1, j, h, w) - c;
            double e = at(in, i, j + 1, h, w) - c;
            double ww = at(in, i, j - 1, h, w) - c;

            out[i * w + j] = c + lambda * (g1(n, kappa) * n + g1(s, kappa) * s + g1(e, kappa) * e + g1(ww, kappa) * ww);
        }
    }
}

int main(int argc, char **argv)
{
    int h = 48, w = 64, iterations = 20, i, j, t;
    double kappa = 15.0, mean = 0, var = 0;
    double *img, *next, *tmp;
    unsigned r = 1;

    if (argc > 1)
        iterations = atoi(argv[1]);
    if (argc > 2)
        kappa = atof(argv[2]);

    img = malloc(h * w * sizeof(double));
    next = malloc(h * w * sizeof(double));
    if (img == NULL || next == NULL) {
        fprintf(stderr, "malloc failed\n");
        return 1;
    }
    for (i = 0; i < h; i++)
        for (j = 0; j < w; j++) {
            r = r * 1664525u + 1013904223u;
            img[i * w + j] = (j < w / 2 ? 50.0 : 180.0) + (double)(r >> 24) / 8.0;
        }

    for (t = 0; t < iterations; t++) {
        diffuse(img, next, h, w, kappa, 0.2);
        tmp = img;
        img = next;
        next = tmp;
    }

    for (i = 0; i < h * w; i++)
        mean += img[i];
    mean /= h * w;
    for (i = 0; i < h * w; i++)
        var += (img[i] - mean) * (img[i] - mean);
    printf("mean %.10f variance %.10f\n", mean, var / (h * w));
    for (j = 0; j < w; j += 8)
        printf("%.8f\n", img[h / 2 * w + j]);
    free(img);
    free(next);
    return 0;
}
