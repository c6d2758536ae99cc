/* The same kind of kernel with a Matrix type and access macros. */
#include <stdio.h>
#include <stdlib.h>

#define MR(mt, n, r, c, d) mt->m[(n) * mt->mrows * mt->mcols * mt->mdeps + (r) * mt->mcols * mt->mdeps + (c) * mt->mdeps + (d)]

struct Mat {
    float *m;
    int mnums;
    int mrows;
    int mcols;
    int mdeps;
};
typedef struct Mat Matrix;

int newMat(Matrix *Mat, int mnums, int mrows, int mcols, int mdeps)
{
    Mat->mnums = mnums;
    Mat->mrows = mrows;
    Mat->mcols = mcols;
    Mat->mdeps = mdeps;
    Mat->m = NULL;
    Mat->m = (float *)malloc(mnums * mrows * mcols * mdeps * sizeof(float));
    return (Mat->m != NULL) ? 1 : 0;
}

void clearMat(Matrix *Mat)
{
    if (Mat->m)
        free(Mat->m);
    Mat->m = NULL;
}

void mat_set(Matrix *Mat, int l, float val)
{
    int i, j, k;

    for (i = 0; i < Mat->mrows; i++)
        for (j = 0; j < Mat->mcols; j++)
            for (k = 0; k < Mat->mdeps; k++)
                MR(Mat, l, i, j, k) = val;
}

void mat_set_init(Matrix *Mat)
{
    int i, j, k;

    for (i = 0; i < Mat->mrows; i++)
        for (j = 0; j < Mat->mcols; j++)
            for (k = 0; k < Mat->mdeps; k++)
                MR(Mat, 0, i, j, k) = (float)(i * i) / (float)((Mat->mrows - 1) * (Mat->mrows - 1));
}

float jacobi(int nn, Matrix *a, Matrix *c, Matrix *p, Matrix *bnd, Matrix *wrk)
{
    int i, j, k, n, imax, jmax, kmax;
    float gosa = 0.0f, s0, ss, omega = 0.8f;

    imax = p->mrows - 1;
    jmax = p->mcols - 1;
    kmax = p->mdeps - 1;

    for (n = 0; n < nn; n++) {
        gosa = 0.0f;
        for (i = 1; i < imax; i++)
            for (j = 1; j < jmax; j++)
                for (k = 1; k < kmax; k++) {
                    s0 = MR(a, 0, i, j, k) * MR(p, 0, i + 1, j, k) + MR(a, 1, i, j, k) * MR(p, 0, i, j + 1, k) +
                         MR(a, 2, i, j, k) * MR(p, 0, i, j, k + 1) + MR(c, 0, i, j, k) * MR(p, 0, i - 1, j, k) +
                         MR(c, 1, i, j, k) * MR(p, 0, i, j - 1, k) + MR(c, 2, i, j, k) * MR(p, 0, i, j, k - 1);
                    ss = (s0 * MR(a, 3, i, j, k) - MR(p, 0, i, j, k)) * MR(bnd, 0, i, j, k);
                    gosa += ss * ss;
                    MR(wrk, 0, i, j, k) = MR(p, 0, i, j, k) + omega * ss;
                }
        for (i = 1; i < imax; i++)
            for (j = 1; j < jmax; j++)
                for (k = 1; k < kmax; k++)
                    MR(p, 0, i, j, k) = MR(wrk, 0, i, j, k);
    }
    return gosa;
}

int main(int argc, char *argv[])
{
    int n = argc > 1 ? atoi(argv[1]) : 6, mi = 16, mj = 16, mk = 24;
    Matrix a, c, p, bnd, wrk;

    if (!newMat(&p, 1, mi, mj, mk) || !newMat(&bnd, 1, mi, mj, mk) || !newMat(&wrk, 1, mi, mj, mk) ||
        !newMat(&a, 4, mi, mj, mk) || !newMat(&c, 3, mi, mj, mk)) {
        printf("not enough memory\n");
        return 1;
    }
    mat_set_init(&p);
    mat_set(&bnd, 0, 1.0f);
    mat_set(&wrk, 0, 0.0f);
    mat_set(&a, 0, 1.0f);
    mat_set(&a, 1, 1.0f);
    mat_set(&a, 2, 1.0f);
    mat_set(&a, 3, 1.0f / 6.0f);
    mat_set(&c, 0, 1.0f);
    mat_set(&c, 1, 1.0f);
    mat_set(&c, 2, 1.0f);
    printf("gosa %.9e\n", jacobi(n, &a, &c, &p, &bnd, &wrk));
    clearMat(&p);
    clearMat(&bnd);
    clearMat(&wrk);
    clearMat(&a);
    clearMat(&c);
    return 0;
}
