/* Speckle reducing anisotropic diffusion; neighbours by index vectors, statistics of a region in each iteration. */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

static void random_matrix(float *I, int rows, int cols)
{
	unsigned long s = 7;
	int i, j;

	for (i = 0; i < rows; i++)
		for (j = 0; j < cols; j++) {
			s = (s * 69069 + 1) & 0xffffffff;
			I[i * cols + j] = (s >> 8) / 16777216.0f;
		}
}

int main(int argc, char *argv[])
{
	int rows = 48, cols = 64, niter = 20;
	int size_I, size_R, iter, i, j, k, r1 = 0, r2 = 31, c1 = 0, c2 = 31;
	float *I, *J, *dN, *dS, *dW, *dE, *c;
	float q0sqr, sum, sum2, tmp, meanROI, varROI;
	float Jc, G2, L, num, den, qsqr, cN, cS, cW, cE, D, lambda = 0.5f;
	int *iN, *iS, *jE, *jW;

	if (argc > 1)
		niter = atoi(argv[1]);
	size_I = cols * rows;
	size_R = (r2 - r1 + 1) * (c2 - c1 + 1);
	I = (float *)malloc(size_I * sizeof(float));
	J = (float *)malloc(size_I * sizeof(float));
	c = (float *)malloc(sizeof(float) * size_I);
	iN = (int *)malloc(sizeof(int) * rows);
	iS = (int *)malloc(sizeof(int) * rows);
	jW = (int *)malloc(sizeof(int) * cols);
	jE = (int *)malloc(sizeof(int) * cols);
	dN = (float *)malloc(sizeof(float) * size_I);
	dS = (float *)malloc(sizeof(float) * size_I);
	dW = (float *)malloc(sizeof(float) * size_I);
	dE = (float *)malloc(sizeof(float) * size_I);

	for (i = 0; i < rows; i++) {
		iN[i] = i - 1;
		iS[i] = i + 1;
	}
	for (j = 0; j < cols; j++) {
		jW[j] = j - 1;
		jE[j] = j + 1;
	}
	iN[0] = 0;
	iS[rows - 1] = rows - 1;
	jW[0] = 0;
	jE[cols - 1] = cols - 1;

	random_matrix(I, rows, cols);
	for (k = 0; k < size_I; k++)
		J[k] = (float)exp(I[k]);

	for (iter = 0; iter < niter; iter++) {
		sum = 0;
		sum2 = 0;
		for (i = r1; i <= r2; i++)
			for (j = c1; j <= c2; j++) {
				tmp = J[i * cols + j];
				sum += tmp;
				sum2 += tmp * tmp;
			}
		meanROI = sum / size_R;
		varROI = (sum2 / size_R) - meanROI * meanROI;
		q0sqr = varROI / (meanROI * meanROI);

		for (i = 0; i < rows; i++)
			for (j = 0; j < cols; j++) {
				k = i * cols + j;
				Jc = J[k];
				dN[k] = J[iN[i] * cols + j] - Jc;
				dS[k] = J[iS[i] * cols + j] - Jc;
				dW[k] = J[i * cols + jW[j]] - Jc;
				dE[k] = J[i * cols + jE[j]] - Jc;
				G2 = (dN[k] * dN[k] + dS[k] * dS[k] + dW[k] * dW[k] + dE[k] * dE[k]) / (Jc * Jc);
				L = (dN[k] + dS[k] + dW[k] + dE[k]) / Jc;
				num = (0.5 * G2) - ((1.0 / 16.0) * (L * L));
				den = 1 + (.25 * L);
				qsqr = num / (den * den);
				den = (qsqr - q0sqr) / (q0sqr * (1 + q0sqr));
				c[k] = 1.0 / (1.0 + den);
				if (c[k] < 0)
					c[k] = 0;
				else if (c[k] > 1)
					c[k] = 1;
			}
		for (i = 0; i < rows; i++)
			for (j = 0; j < cols; j++) {
				k = i * cols + j;
				cN = c[k];
				cS = c[iS[i] * cols + j];
				cW = c[k];
				cE = c[i * cols + jE[j]];
				D = cN * dN[k] + cS * dS[k] + cW * dW[k] + cE * dE[k];
				J[k] = J[k] + 0.25 * lambda * D;
			}
	}
	for (i = 0; i < rows; i += 12) {
		for (j = 0; j < cols; j += 16)
			printf("%.7f ", J[i * cols + j]);
		printf("\n");
	}
	free(I); free(J); free(c);
	free(iN); free(iS); free(jW); free(jE);
	free(dN); free(dS); free(dW); free(dE);
	return 0;
}
