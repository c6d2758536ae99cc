/* Heat with a conductivity that depends on place; fluxes in temporaries declared outside, some under conditions. */
#include <stdio.h>
#include <stdlib.h>

#define NI 70
#define NJ 60
#define NT 50

double T[NI][NJ], Tn[NI][NJ], K[NI][NJ], Qsrc[NI][NJ];

int main(int argc, char *argv[])
{
    int i, j, n, nt = NT;
    double fe, fw, fn, fs, ke, kw, kn, ks, bi = 0.05, Tair = 20.0, total;

    if (argc > 1) nt = atoi(argv[1]);

    for (i = 0; i < NI; i++) {
        for (j = 0; j < NJ; j++) {
            T[i][j] = Tn[i][j] = 20.0;
            K[i][j] = (i > 20 && i < 40) ? 0.05 : 0.2;
            Qsrc[i][j] = 0.0;
        }
    }
    Qsrc[NI / 2][NJ / 2] = 40.0;
    Qsrc[NI / 4][NJ / 2] = 25.0;

    for (n = 0; n < nt; n++) {
        for (i = 0; i < NI; i++) {
            for (j = 0; j < NJ; j++) {
                fe = fw = fn = fs = 0.0;
                if (i < NI - 1) {
                    ke = 2.0 * K[i][j] * K[i+1][j] / (K[i][j] + K[i+1][j]);
                    fe = ke * (T[i+1][j] - T[i][j]);
                }
                if (i > 0) {
                    kw = 2.0 * K[i][j] * K[i-1][j] / (K[i][j] + K[i-1][j]);
                    fw = kw * (T[i-1][j] - T[i][j]);
                }
                if (j < NJ - 1) {
                    kn = 2.0 * K[i][j] * K[i][j+1] / (K[i][j] + K[i][j+1]);
                    fn = kn * (T[i][j+1] - T[i][j]);
                } else
                    fn = bi * (Tair - T[i][j]);
                if (j > 0) {
                    ks = 2.0 * K[i][j] * K[i][j-1] / (K[i][j] + K[i][j-1]);
                    fs = ks * (T[i][j-1] - T[i][j]);
                } else
                    fs = bi * (Tair - T[i][j]);
                Tn[i][j] = T[i][j] + fe + fw + fn + fs + Qsrc[i][j];
            }
        }
        for (i = 0; i < NI; i++)
            for (j = 0; j < NJ; j++)
                T[i][j] = Tn[i][j];
    }
    total = 0.0;
    for (i = 0; i < NI; i++)
        for (j = 0; j < NJ; j++)
            total += T[i][j];
    printf("nt %d total %.10f\n", nt, total);
    printf("%.10f %.10f %.10f\n", T[NI/2][NJ/2], T[NI/4][NJ/2], T[0][0]);
    return 0;
}
