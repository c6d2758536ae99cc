/* Spots of a reaction between two substances, in a dish with walls in it. */
#include <stdio.h>
#include <stdlib.h>

#define SIZE (1 << 6)

static inline int at(int n, int row, int column)
{
    return row * n + column;
}

/* What lies behind a wall is as dense as here. */
static inline double beside(double here, double other)
{
    return other < 0 ? here : other;
}

int main(int argc, char **argv)
{
    int n = SIZE, steps = argc > 1 ? atoi(argv[1]) : 40;
    double feed = 0.035, kill = 0.06, da = 0.16, db = 0.08;
    double *a = malloc(sizeof(double) * n * n), *b = malloc(sizeof(double) * n * n);
    double *a_next = malloc(sizeof(double) * n * n), *b_next = malloc(sizeof(double) * n * n);

    for (int i = 0; i < n * n; i++) {
        int wall = i % 37 == 5;
        a[i] = wall ? -1 : 1.0 - (i % 11) * 0.01;
        b[i] = wall ? -1 : (i % 7) * 0.05;
    }
    for (int step = 1; step <= steps; step++) {
        for (int i = 0; i < n; i++) {
            int above = (i == 0) ? n - 1 : i - 1;
            int below = (i == n - 1) ? 0 : i + 1;
            for (int j = 0; j < n; j++) {
                int left = (j == 0) ? n - 1 : j - 1;
                int right = (j == n - 1) ? 0 : j + 1;
                int c = at(n, i, j);

                if (a[c] == -1) {
                    a_next[c] = -1;
                    b_next[c] = -1;
                    continue;
                }
                double here = a[c];
                double lap_a = beside(here, a[at(n, above, j)]) + beside(here, a[at(n, below, j)])
                             + beside(here, a[at(n, i, left)]) + beside(here, a[at(n, i, right)]) - 4 * here;
                here = b[c];
                double lap_b = beside(here, b[at(n, above, j)]) + beside(here, b[at(n, below, j)])
                             + beside(here, b[at(n, i, left)]) + beside(here, b[at(n, i, right)]) - 4 * here;
                double met = a[c] * b[c] * b[c];
                a_next[c] = a[c] + da * lap_a - met + feed * (1.0 - a[c]);
                b_next[c] = b[c] + db * lap_b + met - (feed + kill) * b[c];
                if (a_next[c] > 1)
                    a_next[c] = 1;
                if (b_next[c] > 1)
                    b_next[c] = 1;
            }
        }
        double *swap = a;
        a = a_next;
        a_next = swap;
        swap = b;
        b = b_next;
        b_next = swap;
        if (step % 10 == 0)
            printf("%d: %.12f %.12f\n", step, a[at(n, n / 2, n / 3)], b[at(n, n / 3, n / 2)]);
    }
    double all = 0.0;
    for (int i = 0; i < n * n; i++)
        all += a[i] * (i % 5) - b[i];
    printf("%.12g\n", all);
    free(a);
    free(b);
    free(a_next);
    free(b_next);
    return 0;
}
