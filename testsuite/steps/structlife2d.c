/* Life in structs that are swapped: cells and sizes are int, and no pointer to int leads to a size.
 * hexcc-test: args=N,T run=8,3;9,4;20,7;33,12;40,0;35,1
 */
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    int rows, cols;
    int **cells;
} board;

static board *make(int rows, int cols)
{
    board *b = malloc(sizeof *b);
    b->rows = rows;
    b->cols = cols;
    b->cells = malloc(rows * sizeof *b->cells);
    for (int i = 0; i < rows; i++)
        b->cells[i] = calloc(cols, sizeof **b->cells);
    return b;
}

static void update(board *now, board *next)
{
    for (int i = 1; i <= now->rows - 2; i++) {
        for (int j = 1; j <= now->cols - 2; j++) {
            int alive = 0;
            for (int k = i - 1; k <= i + 1; k++)
                for (int l = j - 1; l <= j + 1; l++)
                    if (!(k == i && l == j))
                        alive += now->cells[k][l];
            next->cells[i][j] = alive == 3 || (alive == 2 && now->cells[i][j]);
        }
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 20, steps = argc > 2 ? atoi(argv[2]) : 5;
    board *now = make(n, n + 3), *next = make(n, n + 3);

    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n + 2; j++)
            now->cells[i][j] = (i * 7 + j * 13 + i * j) % 3 == 0;

    for (int t = 0; t < steps; t++) {
        update(now, next);
        board *held = now;
        now = next;
        next = held;
    }

    long sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n + 3; j++)
            sum += now->cells[i][j] * (3 * i + j + 1);
    printf("%ld\n", sum);
    free(now);
    free(next);
    return 0;
}
