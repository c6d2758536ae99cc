/*
 * Acoustic wave propagation, 8th order in space, 2nd in time. Flat arrays with
 * a halo of four cells; the wavelet is added to one cell in every step.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define HALF 4
#define I3(z, y, x) (((z) * ny + (y)) * nx + (x))

int main(int argc, char **argv)
{
	int nz = 24, ny = 26, nx = 28, nt = 24;
	const float coef[HALF + 1] = {
		-205.0f / 72.0f, 8.0f / 5.0f, -1.0f / 5.0f, 8.0f / 315.0f, -1.0f / 560.0f
	};
	float *p0, *p1, *vel, *src;
	const float dt = 0.001f, h = 10.0f, freq = 25.0f;

	if (argc == 5) {
		nz = atoi(argv[1]);
		ny = atoi(argv[2]);
		nx = atoi(argv[3]);
		nt = atoi(argv[4]);
	} else if (argc != 1) {
		fprintf(stderr, "usage: %s [nz ny nx nt]\n", argv[0]);
		return 1;
	}

	size_t cells = (size_t)nz * ny * nx;
	p0 = calloc(cells, sizeof(float));
	p1 = calloc(cells, sizeof(float));
	vel = malloc(cells * sizeof(float));
	src = malloc(nt * sizeof(float));
	if (!p0 || !p1 || !vel || !src) {
		fprintf(stderr, "not enough memory\n");
		return 1;
	}

	for (int z = 0; z < nz; z++)
		for (int y = 0; y < ny; y++)
			for (int x = 0; x < nx; x++) {
				float c = z < nz / 2 ? 1500.0f : 2500.0f;
				vel[I3(z, y, x)] = c * c * dt * dt / (h * h);
			}
	for (int t = 0; t < nt; t++) {
		float a = 3.1415927f * freq * (t * dt - 0.01f);
		src[t] = (1.0f - 2.0f * a * a) * expf(-a * a);
	}

	for (int t = 0; t < nt; t++) {
		p0[I3(nz / 2, ny / 2, nx / 2)] += src[t];

		for (int z = HALF; z < nz - HALF; z++) {
			for (int y = HALF; y < ny - HALF; y++) {
				for (int x = HALF; x < nx - HALF; x++) {
					float lap = 3.0f * coef[0] * p0[I3(z, y, x)];

					for (int r = 1; r <= HALF; r++)
						lap += coef[r] * (p0[I3(z + r, y, x)] + p0[I3(z - r, y, x)]
								+ p0[I3(z, y + r, x)] + p0[I3(z, y - r, x)]
								+ p0[I3(z, y, x + r)] + p0[I3(z, y, x - r)]);
					p1[I3(z, y, x)] = 2.0f * p0[I3(z, y, x)] - p1[I3(z, y, x)] + vel[I3(z, y, x)] * lap;
				}
			}
		}

		float *tmp = p0;
		p0 = p1;
		p1 = tmp;
	}

	double norm = 0.0;
	for (size_t i = 0; i < cells; i++)
		norm += (double)p0[i] * p0[i];
	printf("norm %.10e\n", sqrt(norm));
	printf("receiver %.9e\n", p0[I3(nz / 2, ny / 2, nx / 2 + 3)]);
	free(p0);
	free(p1);
	free(vel);
	free(src);
	return 0;
}
