/* Sobel edges, written to a PGM on standard output at the end. */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define WIDTH  72
#define HEIGHT 40

unsigned char image[HEIGHT][WIDTH];
unsigned char edges[HEIGHT][WIDTH];

int gx[3][3] = { { -1, 0, 1 }, { -2, 0, 2 }, { -1, 0, 1 } };
int gy[3][3] = { { -1, -2, -1 }, { 0, 0, 0 }, { 1, 2, 1 } };

void draw(void)
{
    int x, y;

    for (y = 0; y < HEIGHT; y++)
        for (x = 0; x < WIDTH; x++) {
            int dx = x - WIDTH / 3, dy = y - HEIGHT / 2;
            image[y][x] = dx * dx + dy * dy < 150 ? 220 : (x + y) % 40;
        }
}

void sobel(int threshold)
{
    int x, y, i, j;

    for (y = 1; y < HEIGHT - 1; y++) {
        for (x = 1; x < WIDTH - 1; x++) {
            int sumx = 0, sumy = 0, mag;

            for (i = -1; i <= 1; i++) {
                for (j = -1; j <= 1; j++) {
                    sumx += gx[i + 1][j + 1] * image[y + i][x + j];
                    sumy += gy[i + 1][j + 1] * image[y + i][x + j];
                }
            }
            mag = (int) sqrt((double) (sumx * sumx + sumy * sumy));
            if (mag > 255)
                mag = 255;
            if (mag < threshold)
                mag = 0;
            edges[y][x] = mag;
        }
    }
}

int main(int argc, char **argv)
{
    int threshold = 60, x, y;

    if (argc > 1)
        threshold = atoi(argv[1]);
    draw();
    sobel(threshold);
    printf("P2\n%d %d\n255\n", WIDTH, HEIGHT);
    for (y = 0; y < HEIGHT; y++) {
        for (x = 0; x < WIDTH; x++)
            printf("%d ", edges[y][x]);
        putchar('\n');
    }
    return 0;
}
