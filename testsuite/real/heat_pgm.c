/* Heat with frames: every n steps the plate is written as a PGM to a file in /tmp-like prefix or to stdout. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NX 60
#define NY 40
#define ALPHA 0.2f

static float T0[NX][NY], T1[NX][NY];

static void save(FILE *f, float T[NX][NY])
{
	fprintf(f, "P2\n%d %d\n255\n", NY, NX);
	for (int i = 0; i < NX; i++)
		for (int j = 0; j < NY; j++) {
			int v = (int)(T[i][j] * 2.55f);

			fprintf(f, "%d%c", v > 255 ? 255 : v, j == NY - 1 ? '\n' : ' ');
		}
}

static void frame(const char *prefix, int step, float T[NX][NY])
{
	char name[256];
	FILE *f;

	if (!prefix) {
		save(stdout, T);
		return;
	}
	snprintf(name, sizeof name, "%s%04d.pgm", prefix, step);
	f = fopen(name, "w");
	if (f == NULL) {
		fprintf(stderr, "cannot write %s\n", name);
		exit(EXIT_FAILURE);
	}
	save(f, T);
	fclose(f);
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 90;
	int every = argc > 2 ? atoi(argv[2]) : 30;
	const char *prefix = argc > 3 ? argv[3] : NULL;
	int step;

	for (int i = 20; i < 40; i++)
		for (int j = 10; j < 30; j++)
			T0[i][j] = 100.0f;

	for (step = 0; step < steps; step++) {
		if (step % every == 0)
			frame(prefix, step, T0);
		for (int i = 1; i < NX - 1; i++)
			for (int j = 1; j < NY - 1; j++)
				T1[i][j] = T0[i][j] + ALPHA * (T0[i-1][j] + T0[i+1][j] + T0[i][j-1] + T0[i][j+1] - 4 * T0[i][j]);
		memcpy(T0, T1, sizeof(T0));
	}
	frame(prefix, step, T0);
	return 0;
}
