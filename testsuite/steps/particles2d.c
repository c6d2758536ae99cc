/* particles2d: Structs in structs, copied as a whole and through variables, and functions that take them by pointer and by value.
 * hexcc-test: args=N,T run=3,0;4,2;30,5;65,3 warns=HX0209
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct vec {
  double x, y;
};

typedef struct {
  struct vec pos, v;
  double w[3];
  int hits;
} Particle;

static Particle a[65][70], b[65][70];

static double norm(const Particle *p)
{
  return sqrt(p->v.x * p->v.x + p->v.y * p->v.y);
}

static double dot(struct vec p, struct vec q)
{
  return p.x * q.x + p.y * q.y;
}

static void relax(Particle *p, const Particle *q, double f)
{
  p->v.x = f * q->v.y;
  p->w[1] += f;
  p->hits++;
}

int main(int argc, char **argv)
{
  int N = argc > 1 ? atoi(argv[1]) : 30;
  int T = argc > 2 ? atoi(argv[2]) : 5;
  unsigned long long hash = 0;

  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      Particle p = {{(double)i, (double)j}, {i * 0.125, j * 0.25}, {1, 2, 3}, i + j};

      a[i][j] = p;
      b[i][j] = p;
    }

  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++) {
        Particle p = a[i][j];

        p.v.x += 0.1 * (a[i - 1][j].v.x - p.v.x);
        p.pos.y = p.pos.x * 0.5 + dot(a[i][j].v, a[i][j + 1].v);
        for (int k = 0; k < 3; k++)
          p.w[k] += 0.5 * a[i][j + 1].w[2 - k];
        b[i][j] = p;
        b[i][j].v.y = norm(&a[i][j]);
        b[i][j].pos = a[i][j - 1].pos;
      }
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        relax(&a[i][j], &b[i][j], 0.5);
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        a[i][j] = b[i][j];
  }

  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      const Particle *p = &a[i][j];

      hash = hash * 31 + (unsigned long long)(long long)(p->v.x * 4096 + p->v.y * 64 + p->pos.y);
      hash = hash * 31 + (unsigned long long)(long long)(p->w[0] * 64 + p->w[1] * 16 + p->w[2]) + (unsigned long long)p->hits;
    }
  printf("hash %llx\n", hash);
  return 0;
}
