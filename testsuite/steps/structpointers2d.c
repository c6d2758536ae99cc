/* Pointers to structs are swapped; of structs with different sizes the loop stays C's.
 * hexcc-test: args=N,T run=8,3;9,4;20,7;33,12;40,0;35,1;21,6
 */
#include <stdio.h>
#include <stdlib.h>

struct grid {
    double **cells;
    int size;
};

static struct grid *new_grid(int n, int size)
{
    struct grid *g = malloc(sizeof *g);
    g->cells = malloc((n + 2) * sizeof *g->cells);
    for (int i = 0; i < n + 2; i++) {
        g->cells[i] = malloc((n + 2) * sizeof **g->cells);
        for (int j = 0; j < n + 2; j++)
            g->cells[i][j] = (i * 13 + j * 7) % 11;
    }
    g->size = size;
    return g;
}

static void step(struct grid *from, struct grid *to)
{
    for (int i = 1; i <= from->size; i++)
        for (int j = 1; j <= from->size; j++)
            to->cells[i][j] = 0.25 * (from->cells[i - 1][j] + from->cells[i + 1][j] + from->cells[i][j - 1] +
                                      from->cells[i][j + 1]);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 20, steps = argc > 2 ? atoi(argv[2]) : 5;
    struct grid *now = new_grid(n, n), *next = new_grid(n, n % 7 ? n : n - 1), *held;

    for (int t = 0; t < steps; t++) {
        step(now, next);
        held = now;
        now = next;
        next = held;
    }

    double sum = 0;
    for (int i = 0; i < n + 2; i++)
        for (int j = 0; j < n + 2; j++)
            sum += (1 + i % 5 + j % 3) * now->cells[i][j] - next->cells[i][j] / 8;
    printf("%.17g %d %d\n", sum, now->size, next->size);
    return 0;
}
