/* Gray-Scott with one layer of ghost cells that is copied in every step; structs of pointers. */
#include <stdio.h>
#include <stdlib.h>

struct field {
	float *u, *v;
};

struct sim {
	int nx, ny;
	float f, k, du, dv, dt;
	struct field now, next;
};

static float *make(struct sim *s)
{
	float *p = malloc((s->nx + 2) * (s->ny + 2) * sizeof(float));

	if (!p) {
		fputs("out of memory\n", stderr);
		exit(EXIT_FAILURE);
	}
	for (int i = 0; i < (s->nx + 2) * (s->ny + 2); i++)
		p[i] = 0.0f;
	return p;
}

static void exchange(struct sim *s, float *a)
{
	int w = s->nx + 2;

	for (int i = 1; i <= s->ny; i++) {
		a[i * w] = a[i * w + s->nx];
		a[i * w + s->nx + 1] = a[i * w + 1];
	}
	for (int j = 0; j < w; j++) {
		a[j] = a[s->ny * w + j];
		a[(s->ny + 1) * w + j] = a[w + j];
	}
}

static void advance(struct sim *s)
{
	const int w = s->nx + 2;
	float *u = s->now.u, *v = s->now.v;
	float *un = s->next.u, *vn = s->next.v;

	for (int i = 1; i <= s->ny; i++)
		for (int j = 1; j <= s->nx; j++) {
			int c = i * w + j;
			float lu = u[c - 1] + u[c + 1] + u[c - w] + u[c + w] - 4.0f * u[c];
			float lv = v[c - 1] + v[c + 1] + v[c - w] + v[c + w] - 4.0f * v[c];
			float uvv = u[c] * v[c] * v[c];

			un[c] = u[c] + s->dt * (s->du * lu - uvv + s->f * (1.0f - u[c]));
			vn[c] = v[c] + s->dt * (s->dv * lv + uvv - (s->f + s->k) * v[c]);
		}
}

int main(int argc, char **argv)
{
	struct sim s = { .nx = 60, .ny = 40, .f = 0.04f, .k = 0.06f, .du = 0.16f, .dv = 0.08f, .dt = 1.0f };
	int steps = argc > 1 ? atoi(argv[1]) : 120;

	s.now.u = make(&s);
	s.now.v = make(&s);
	s.next.u = make(&s);
	s.next.v = make(&s);
	for (int i = 1; i <= s.ny; i++)
		for (int j = 1; j <= s.nx; j++) {
			int in = abs(i - s.ny / 2) < 6 && abs(j - s.nx / 2) < 6;

			s.now.u[i * (s.nx + 2) + j] = in ? 0.5f : 1.0f;
			s.now.v[i * (s.nx + 2) + j] = in ? 0.25f : 0.0f;
		}

	for (int t = 0; t < steps; t++) {
		exchange(&s, s.now.u);
		exchange(&s, s.now.v);
		advance(&s);
		struct field old = s.now;
		s.now = s.next;
		s.next = old;
	}

	double sum = 0;
	for (int i = 1; i <= s.ny; i++)
		for (int j = 1; j <= s.nx; j++)
			sum += s.now.v[i * (s.nx + 2) + j] * (i + 2 * j);
	printf("%d steps, sum %.10g, middle %.9g\n", steps, sum, s.now.v[s.ny / 2 * (s.nx + 2) + s.nx / 2]);
	free(s.now.u);
	free(s.now.v);
	free(s.next.u);
	free(s.next.v);
	return 0;
}
