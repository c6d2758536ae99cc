/* 3D heat; everything is passed through one pointer, two buffers and a flag that flips. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Simulation {
	size_t nx, ny, nz;
	double alpha, dt, h;
	double *buffer[2];
	int flip;
} Simulation;

static bool sim_init(Simulation *sim, size_t nx, size_t ny, size_t nz)
{
	sim->nx = nx;
	sim->ny = ny;
	sim->nz = nz;
	sim->alpha = 1.0;
	sim->h = 1.0 / (nx - 1);
	sim->dt = sim->h * sim->h / (8.0 * sim->alpha);
	sim->flip = 0;
	for (int b = 0; b < 2; b++) {
		sim->buffer[b] = calloc(nx * ny * nz, sizeof(double));
		if (!sim->buffer[b])
			return false;
		for (size_t k = 0; k < ny * nz; k++)
			sim->buffer[b][k] = 1.0;
	}
	return true;
}

static void sim_step(Simulation *sim)
{
	const double *restrict u = sim->buffer[sim->flip];
	double *restrict v = sim->buffer[!sim->flip];
	const size_t ny = sim->ny, nz = sim->nz;
	const double c = sim->alpha * sim->dt / (sim->h * sim->h);

	for (size_t i = 1; i < sim->nx - 1; i++)
		for (size_t j = 1; j < ny - 1; j++)
			for (size_t k = 1; k < nz - 1; k++) {
				size_t at = (i * ny + j) * nz + k;

				v[at] = u[at] + c * (u[at - ny * nz] + u[at + ny * nz] + u[at - nz] + u[at + nz]
						     + u[at - 1] + u[at + 1] - 6.0 * u[at]);
			}
	sim->flip = !sim->flip;
}

static double sim_total(const Simulation *sim)
{
	double total = 0.0;

	for (size_t n = 0; n < sim->nx * sim->ny * sim->nz; n++)
		total += sim->buffer[sim->flip][n];
	return total;
}

static void sim_free(Simulation *sim)
{
	free(sim->buffer[0]);
	free(sim->buffer[1]);
}

int main(int argc, char **argv)
{
	Simulation sim;
	int steps = argc > 1 ? atoi(argv[1]) : 20;
	size_t n = argc > 2 ? (size_t)atoi(argv[2]) : 22;

	if (!sim_init(&sim, n, n + 2, n + 4)) {
		fprintf(stderr, "no memory\n");
		sim_free(&sim);
		return 1;
	}
	for (int s = 0; s < steps; s++)
		sim_step(&sim);
	printf("%.14e\n", sim_total(&sim));
	printf("%.14e\n", sim.buffer[sim.flip][(2 * sim.ny + sim.ny / 2) * sim.nz + sim.nz / 2]);
	sim_free(&sim);
	return 0;
}
