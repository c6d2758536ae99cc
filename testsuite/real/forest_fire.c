/* Forest fire automaton with states in an enum and a switch per cell; randomness is a hash of place and time. */
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>

#define ROWS 60
#define COLS 80

typedef enum { EMPTY = 0, TREE = 1, FIRE = 2 } State;

static int forest[ROWS][COLS];
static int future[ROWS][COLS];

static uint32_t hash(uint32_t i, uint32_t j, uint32_t t)
{
    uint32_t h = i * 73856093u ^ j * 19349663u ^ t * 83492791u;

    h ^= h >> 13;
    h *= 0x5bd1e995u;
    h ^= h >> 15;
    return h;
}

static int burning_neighbour(int i, int j)
{
    if (i > 0 && forest[i - 1][j] == FIRE) return 1;
    if (i < ROWS - 1 && forest[i + 1][j] == FIRE) return 1;
    if (j > 0 && forest[i][j - 1] == FIRE) return 1;
    if (j < COLS - 1 && forest[i][j + 1] == FIRE) return 1;
    return 0;
}

static void tick(int t)
{
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < COLS; j++) {
            switch (forest[i][j]) {
            case EMPTY:
                future[i][j] = hash(i, j, t) % 100 < 5 ? TREE : EMPTY;
                break;
            case TREE:
                if (burning_neighbour(i, j) || hash(j, i, t) % 2000 == 0)
                    future[i][j] = FIRE;
                else
                    future[i][j] = TREE;
                break;
            case FIRE:
                future[i][j] = EMPTY;
                break;
            }
        }
    }
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLS; j++)
            forest[i][j] = future[i][j];
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 60;
    int count[3] = { 0, 0, 0 };

    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLS; j++)
            forest[i][j] = hash(i, j, 12345) % 2 ? TREE : EMPTY;

    for (int t = 0; t < steps; t++)
        tick(t);

    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLS; j++)
            count[forest[i][j]]++;
    printf("empty %d, trees %d, burning %d\n", count[EMPTY], count[TREE], count[FIRE]);
    return 0;
}
