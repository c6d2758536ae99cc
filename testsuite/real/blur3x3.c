/* Box blur of a grey picture; the nine pixels are gathered into a small array. */
#include <stdio.h>
#include <stdlib.h>

typedef unsigned char byte;

static void blur(const byte *src, byte *dst, int width, int height)
{
    for (int y = 1; y < height - 1; y++) {
        for (int x = 1; x < width - 1; x++) {
            int in[9];
            int n = 0;
            int sum = 0;

            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++)
                    in[n++] = src[(y + dy) * width + x + dx];
            for (n = 0; n < 9; n++)
                sum += in[n];
            dst[y * width + x] = (byte)((sum + 4) / 9);
        }
    }
}

static void copy_border(const byte *src, byte *dst, int width, int height)
{
    for (int x = 0; x < width; x++) {
        dst[x] = src[x];
        dst[(height - 1) * width + x] = src[(height - 1) * width + x];
    }
    for (int y = 0; y < height; y++) {
        dst[y * width] = src[y * width];
        dst[y * width + width - 1] = src[y * width + width - 1];
    }
}

int main(int argc, char *argv[])
{
    int width = 120, height = 90, passes = 3;
    unsigned int hash = 5381;

    if (argc > 2) {
        width = atoi(argv[1]);
        height = atoi(argv[2]);
    }
    if (argc > 3)
        passes = atoi(argv[3]);

    byte *a = malloc((size_t)width * height);
    byte *b = malloc((size_t)width * height);
    if (!a || !b) {
        perror("malloc");
        return EXIT_FAILURE;
    }
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            a[y * width + x] = (byte)((x * x + y * y * 3 + x * y) % 251);

    for (int p = 0; p < passes; p++) {
        blur(a, b, width, height);
        copy_border(a, b, width, height);
        byte *t = a;
        a = b;
        b = t;
    }

    for (int i = 0; i < width * height; i++)
        hash = hash * 33 + a[i];
    printf("%08x\n", hash);
    printf("%d %d %d\n", a[width + 1], a[width * (height / 2) + width / 2], a[width * height - 1]);
    free(a);
    free(b);
    return EXIT_SUCCESS;
}
