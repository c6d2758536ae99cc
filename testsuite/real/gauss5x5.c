/* Unsharp mask: Gaussian of 5x5 with a table of weights, then the difference; one sweep, no time. */
#include <stdio.h>
#include <stdlib.h>

#define K 2

static const float kernel[2 * K + 1][2 * K + 1] = {
    { 1, 4, 6, 4, 1 },
    { 4, 16, 24, 16, 4 },
    { 6, 24, 36, 24, 6 },
    { 4, 16, 24, 16, 4 },
    { 1, 4, 6, 4, 1 },
};

typedef struct {
    int width, height;
    float *pixel;
} Image;

static Image *image_new(int width, int height)
{
    Image *im = malloc(sizeof(Image));

    if (im == NULL || (im->pixel = calloc(width * height, sizeof(float))) == NULL) {
        fprintf(stderr, "image_new: out of memory\n");
        exit(EXIT_FAILURE);
    }
    im->width = width;
    im->height = height;
    return im;
}

static void image_free(Image *im)
{
    free(im->pixel);
    free(im);
}

static void gauss(const Image *in, Image *out)
{
    int w = in->width, h = in->height;

    for (int y = K; y < h - K; y++)
        for (int x = K; x < w - K; x++) {
            float sum = 0.0f;

            for (int dy = -K; dy <= K; dy++)
                for (int dx = -K; dx <= K; dx++)
                    sum += kernel[dy + K][dx + K] * in->pixel[(y + dy) * w + (x + dx)];
            out->pixel[y * w + x] = sum / 256.0f;
        }
}

static void sharpen(const Image *in, const Image *soft, Image *out, float amount)
{
    for (int y = K; y < in->height - K; y++)
        for (int x = K; x < in->width - K; x++) {
            float v = in->pixel[y * in->width + x];
            float s = v + amount * (v - soft->pixel[y * in->width + x]);

            out->pixel[y * in->width + x] = s < 0.0f ? 0.0f : s > 255.0f ? 255.0f : s;
        }
}

int main(int argc, char **argv)
{
    float amount = argc > 1 ? (float)atof(argv[1]) : 1.5f;
    Image *in = image_new(150, 110), *soft = image_new(150, 110), *out = image_new(150, 110);
    double sum = 0;

    for (int y = 0; y < in->height; y++)
        for (int x = 0; x < in->width; x++)
            in->pixel[y * in->width + x] = (float)((x / 8 + y / 8) % 2 * 180 + (x * y) % 23);
    gauss(in, soft);
    sharpen(in, soft, out, amount);
    for (int k = 0; k < out->width * out->height; k++)
        sum += out->pixel[k] * (k % 19);
    printf("%.6f %.6f\n", out->pixel[55 * 150 + 75], sum);
    image_free(in);
    image_free(soft);
    image_free(out);
    return 0;
}
