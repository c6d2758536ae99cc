/* Conway's game of life on a torus, ints, flat. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int width = 64, height = 48;

int get(const int *world, int x, int y)
{
    x = (x + width) % width;
    y = (y + height) % height;
    return world[y * width + x];
}

int neighbors(const int *world, int x, int y)
{
    int dx, dy, count = 0;

    for (dy = -1; dy <= 1; dy++)
        for (dx = -1; dx <= 1; dx++) {
            if (dx == 0 && dy == 0)
                continue;
            count += get(world, x + dx, y + dy);
        }
    return count;
}

void evolve(const int *world, int *next)
{
    int x, y;

    for (y = 0; y < height; y++) {
        for (x = 0; x < width; x++) {
            int n = neighbors(world, x, y);
            if (get(world, x, y))
                next[y * width + x] = n == 2 || n == 3;
            else
                next[y * width + x] = n == 3;
        }
    }
}

void show(const int *world)
{
    int x, y;

    for (y = 0; y < 16; y++) {
        for (x = 0; x < 32; x++)
            putchar(world[y * width + x] ? '#' : '.');
        putchar('\n');
    }
}

int main(int argc, char *argv[])
{
    int generations = 40, g, i, alive = 0;
    unsigned int seed = 12345;
    int *world, *next;

    if (argc > 1)
        generations = atoi(argv[1]);

    world = (int *)calloc(width * height, sizeof(int));
    next = (int *)calloc(width * height, sizeof(int));
    if (!world || !next) {
        fprintf(stderr, "calloc\n");
        return 1;
    }
    for (i = 0; i < width * height; i++) {
        seed = seed * 1103515245u + 12345u;
        world[i] = (seed >> 16) % 3 == 0;
    }

    for (g = 0; g < generations; g++) {
        evolve(world, next);
        memcpy(world, next, width * height * sizeof(int));
    }

    for (i = 0; i < width * height; i++)
        alive += world[i];
    printf("%d cells alive after %d generations\n", alive, generations);
    show(world);
    free(world);
    free(next);
    return 0;
}
