// Time is a double, and so is the loop over it.
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <assert.h>

struct rod {
    double length;
    double conductivity;
    double left, right;
    int    cells;
    double *temperature, *next;
};

static struct rod *rod_create(double length, int cells)
{
    struct rod *r = malloc(sizeof *r);
    assert(r);
    r->length = length;
    r->conductivity = 0.5;
    r->left = 300.0;
    r->right = 400.0;
    r->cells = cells;
    r->temperature = malloc(cells * sizeof(double));
    r->next = malloc(cells * sizeof(double));
    assert(r->temperature && r->next);
    for (int i = 0; i < cells; ++i)
        r->temperature[i] = r->next[i] = 300.0 + 50.0 * sin(0.1 * i);
    return r;
}

static void rod_destroy(struct rod *r)
{
    if (!r)
        return;
    free(r->temperature);
    free(r->next);
    free(r);
}

static void rod_advance(struct rod *r, double dt)
{
    double dx = r->length / r->cells;
    double k = r->conductivity * dt / (dx * dx);
    double *swap;

    r->temperature[0] = r->left;
    r->temperature[r->cells - 1] = r->right;
    for (int i = 1; i < r->cells - 1; ++i)
        r->next[i] = (1.0 - 2.0 * k) * r->temperature[i] + k * (r->temperature[i - 1] + r->temperature[i + 1]);
    r->next[0] = r->left;
    r->next[r->cells - 1] = r->right;
    swap = r->temperature;
    r->temperature = r->next;
    r->next = swap;
}

int main(int argc, char **argv)
{
    double t_end = argc > 1 ? atof(argv[1]) : 30.0;
    struct rod *rod = rod_create(100.0, 300);
    double dt = 0.1, next_report = 0.0;

    for (double t = 0.0; t < t_end; t += dt) {
        if (t >= next_report) {
            double heat = 0.0;
            for (int i = 0; i < rod->cells; ++i)
                heat += rod->temperature[i];
            printf("%6.2f  %.10f  %.10f\n", t, heat / rod->cells, rod->temperature[rod->cells / 2]);
            next_report += 10.0;
        }
        rod_advance(rod, dt);
    }
    printf("end: %.10f\n", rod->temperature[rod->cells / 3]);
    rod_destroy(rod);
    return EXIT_SUCCESS;
}
