// Blurs a checkerboard; the stencil function is called twice per iteration, once in each direction.
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

void stencil(const int nx, const int ny, float *restrict image, float *restrict tmp_image);
void init_image(const int nx, const int ny, float *image, float *tmp_image);
void output_image(const int nx, const int ny, float *image);
double wtime(void);

int main(int argc, char *argv[]) {

  // defaults, or three arguments
  if (argc != 1 && argc != 4) {
    fprintf(stderr, "Usage: %s nx ny niters\n", argv[0]);
    exit(EXIT_FAILURE);
  }

  int nx = argc == 4 ? atoi(argv[1]) : 64;
  int ny = argc == 4 ? atoi(argv[2]) : 64;
  int niters = argc == 4 ? atoi(argv[3]) : 20;

  // Allocate the image
  float *image = malloc(sizeof(float) * nx * ny);
  float *tmp_image = malloc(sizeof(float) * nx * ny);

  init_image(nx, ny, image, tmp_image);

  double tic = wtime();
  for (int t = 0; t < niters; ++t) {
    stencil(nx, ny, image, tmp_image);
    stencil(nx, ny, tmp_image, image);
  }
  double toc = wtime();

  fprintf(stderr, "------------------------------------\n");
  fprintf(stderr, " runtime: %lf s\n", toc - tic);
  fprintf(stderr, "------------------------------------\n");

  output_image(nx, ny, image);
  free(image);
  free(tmp_image);
  return 0;
}

void stencil(const int nx, const int ny, float *restrict image, float *restrict tmp_image) {
  for (int j = 0; j < ny; ++j) {
    for (int i = 0; i < nx; ++i) {
      tmp_image[j+i*ny] = image[j+i*ny] * 3.0f/5.0f;
      if (i > 0)    tmp_image[j+i*ny] += image[j  +(i-1)*ny] * 0.5f/5.0f;
      if (i < nx-1) tmp_image[j+i*ny] += image[j  +(i+1)*ny] * 0.5f/5.0f;
      if (j > 0)    tmp_image[j+i*ny] += image[j-1+i*ny] * 0.5f/5.0f;
      if (j < ny-1) tmp_image[j+i*ny] += image[j+1+i*ny] * 0.5f/5.0f;
    }
  }
}

void init_image(const int nx, const int ny, float *image, float *tmp_image) {
  for (int j = 0; j < ny; ++j)
    for (int i = 0; i < nx; ++i) {
      image[j+i*ny] = 0.0f;
      tmp_image[j+i*ny] = 0.0f;
    }

  // checkerboard of 8 by 8
  for (int j = 0; j < 8; ++j)
    for (int i = 0; i < 8; ++i)
      for (int jj = j*ny/8; jj < (j+1)*ny/8; ++jj)
        for (int ii = i*nx/8; ii < (i+1)*nx/8; ++ii)
          if ((i+j)%2)
            image[jj+ii*ny] = 100.0f;
}

void output_image(const int nx, const int ny, float *image) {
  float maximum = 0.0f;
  unsigned long hash = 0;

  for (int k = 0; k < nx*ny; ++k)
    if (image[k] > maximum)
      maximum = image[k];
  for (int k = 0; k < nx*ny; ++k)
    hash = hash * 31 + (unsigned char)(255.0f * image[k] / maximum);
  printf("maximum %.6f hash %lx\n", maximum, hash);
}

double wtime(void) {
  struct timeval tv;
  gettimeofday(&tv, NULL);
  return tv.tv_sec + tv.tv_usec * 1e-6;
}
