/* Brusselator on a square, no-flux walls by clamped indices (MIN/MAX macros). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define SQR(x)    ((x) * (x))

#define NX 56
#define NY 48

struct chemistry {
	double a, b, du, dv, dt;
};

static double u[NX][NY], v[NX][NY], u2[NX][NY], v2[NX][NY];

static void react(const struct chemistry *c)
{
	int i, j;

	for (i = 0; i < NX; i++) {
		for (j = 0; j < NY; j++) {
			int im = MAX(i - 1, 0), ip = MIN(i + 1, NX - 1);
			int jm = MAX(j - 1, 0), jp = MIN(j + 1, NY - 1);
			double lu, lv, r;

			lu = u[im][j] + u[ip][j] + u[i][jm] + u[i][jp] - 4 * u[i][j];
			lv = v[im][j] + v[ip][j] + v[i][jm] + v[i][jp] - 4 * v[i][j];
			r = SQR(u[i][j]) * v[i][j];
			u2[i][j] = u[i][j] + c->dt * (c->a - (c->b + 1) * u[i][j] + r + c->du * lu);
			v2[i][j] = v[i][j] + c->dt * (c->b * u[i][j] - r + c->dv * lv);
		}
	}
}

static void summary(int step)
{
	double su = 0, sv = 0;
	int i, j;

	for (i = 0; i < NX; i++)
		for (j = 0; j < NY; j++) {
			su += u[i][j];
			sv += v[i][j];
		}
	printf("%5d  <u> = %.12f  <v> = %.12f\n", step, su / (NX * NY), sv / (NX * NY));
}

int main(int argc, char **argv)
{
	struct chemistry chem = { .a = 1.0, .b = 3.0, .du = 0.2, .dv = 0.02, .dt = 0.01 };
	int steps = 100, i, j, n;

	if (argc > 1)
		steps = atoi(argv[1]);
	for (i = 0; i < NX; i++)
		for (j = 0; j < NY; j++) {
			u[i][j] = chem.a + 0.1 * ((i * 7 + j * 3) % 11) / 11.0;
			v[i][j] = chem.b / chem.a + 0.1 * ((i * 5 + j * 13) % 17) / 17.0;
		}
	summary(0);
	for (n = 0; n < steps; n++) {
		react(&chem);
		memcpy(u, u2, sizeof u);
		memcpy(v, v2, sizeof v);
	}
	summary(steps);
	printf("%.12f %.12f\n", u[0][0], v[NX - 1][NY - 1]);
	return 0;
}
