/* Opening of a binary picture: erosions, then dilations, with a cross of five cells. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define W 96
#define H 72
#define min(a,b) (((a)<(b))?(a):(b))
#define max(a,b) (((a)>(b))?(a):(b))

typedef unsigned char uchar;

uchar img[H][W];
uchar tmp[H][W];

void erode(void)
{
    for (int y = 1; y < H - 1; y++)
        for (int x = 1; x < W - 1; x++)
            tmp[y][x] = min(img[y][x], min(min(img[y-1][x], img[y+1][x]), min(img[y][x-1], img[y][x+1])));
    memcpy(img, tmp, sizeof(img));
}

void dilate(void)
{
    for (int y = 1; y < H - 1; y++)
        for (int x = 1; x < W - 1; x++)
            tmp[y][x] = max(img[y][x], max(max(img[y-1][x], img[y+1][x]), max(img[y][x-1], img[y][x+1])));
    memcpy(img, tmp, sizeof(img));
}

int count(void)
{
    int n = 0;

    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            n += img[y][x] != 0;
    return n;
}

int main(int argc, char *argv[])
{
    int k = 2;
    if (argc > 1)
        k = atoi(argv[1]);

    for (int y = 2; y < H - 2; y++)
        for (int x = 2; x < W - 2; x++) {
            int a = (x - 30) * (x - 30) + (y - 36) * (y - 36) < 400;
            int b = x > 55 && x < 85 && y > 20 && y < 23;
            int c = x > 60 && x < 80 && y > 35 && y < 60;
            int noise = (x * 131 + y * 71) % 97 == 0;
            img[y][x] = (a || b || c || noise) ? 255 : 0;
        }
    printf("before %d\n", count());
    for (int i = 0; i < k; i++)
        erode();
    printf("eroded %d\n", count());
    for (int i = 0; i < k; i++)
        dilate();
    printf("opened %d\n", count());

    for (int y = 0; y < H; y += 4) {
        for (int x = 0; x < W; x += 2)
            putchar(img[y][x] ? '#' : '.');
        putchar('\n');
    }
    return 0;
}
