/* Heat in a plate: all of the simulation in one struct behind a pointer, its time and its step, too. */
#include <stdio.h>
#include <stdlib.h>

typedef struct simulation {
    size_t nx, ny;
    double alpha, dt, dx, time;
    double *cur, *next;
    int step;
} simulation;

static simulation *sim_new(size_t nx, size_t ny)
{
    simulation *s = malloc(sizeof(simulation));
    s->nx = nx;
    s->ny = ny;
    s->alpha = 1.0;
    s->dx = 1.0;
    s->dt = 0.2;
    s->time = 0.0;
    s->step = 0;
    s->cur = calloc(nx * ny, sizeof(double));
    s->next = calloc(nx * ny, sizeof(double));
    return s;
}

static void sim_set_edges(simulation *s)
{
    for (size_t i = 0; i < s->nx; i++) {
        s->cur[i] = 100.0;
        s->cur[(s->ny - 1) * s->nx + i] = 0.0;
    }
    for (size_t j = 0; j < s->ny; j++) {
        s->cur[j * s->nx] = 75.0;
        s->cur[j * s->nx + s->nx - 1] = 50.0;
    }
}

static void sim_step(simulation *s)
{
    const double r = s->alpha * s->dt / (s->dx * s->dx);
    sim_set_edges(s);
    for (size_t j = 1; j < s->ny - 1; j++) {
        for (size_t i = 1; i < s->nx - 1; i++) {
            size_t k = j * s->nx + i;
            s->next[k] = s->cur[k] + r * (s->cur[k - 1] + s->cur[k + 1] + s->cur[k - s->nx] + s->cur[k + s->nx] - 4.0 * s->cur[k]);
        }
    }
    double *t = s->cur;
    s->cur = s->next;
    s->next = t;
    s->time += s->dt;
    s->step++;
}

static void sim_report(const simulation *s)
{
    double sum = 0.0;
    for (size_t k = 0; k < s->nx * s->ny; k++)
        sum += s->cur[k];
    printf("step %d time %.3f mean %.10f\n", s->step, s->time, sum / (s->nx * s->ny));
}

int main(void)
{
    simulation *s = sim_new(54, 46);
    while (s->step < 60) {
        sim_step(s);
        if (s->step % 15 == 0)
            sim_report(s);
    }
    free(s->cur);
    free(s->next);
    free(s);
    return 0;
}
