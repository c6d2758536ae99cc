/* Temperature of a chip from its power map; borders and corners treated apart. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

#define FLOAT float

#define MAX_PD      (3.0e6)
#define PRECISION   0.001
#define SPEC_HEAT_SI 1.75e6
#define K_SI 100
#define FACTOR_CHIP 0.5

const FLOAT t_chip = 0.0005;
const FLOAT chip_height = 0.016;
const FLOAT chip_width = 0.016;
const FLOAT amb_temp = 80.0;

void single_iteration(FLOAT *result, FLOAT *temp, FLOAT *power, int row, int col,
                      FLOAT Cap_1, FLOAT Rx_1, FLOAT Ry_1, FLOAT Rz_1)
{
    FLOAT delta;
    int r, c;

    for (r = 0; r < row; r++) {
        for (c = 0; c < col; c++) {
            if (r == 0 && c == 0) {
                delta = Cap_1 * (power[0] + (temp[1] - temp[0]) * Rx_1 + (temp[col] - temp[0]) * Ry_1 +
                                 (amb_temp - temp[0]) * Rz_1);
            } else if (r == 0 && c == col - 1) {
                delta = Cap_1 * (power[c] + (temp[c - 1] - temp[c]) * Rx_1 + (temp[c + col] - temp[c]) * Ry_1 +
                                 (amb_temp - temp[c]) * Rz_1);
            } else if (r == row - 1 && c == col - 1) {
                delta = Cap_1 * (power[r * col + c] + (temp[r * col + c - 1] - temp[r * col + c]) * Rx_1 +
                                 (temp[(r - 1) * col + c] - temp[r * col + c]) * Ry_1 +
                                 (amb_temp - temp[r * col + c]) * Rz_1);
            } else if (r == row - 1 && c == 0) {
                delta = Cap_1 * (power[r * col] + (temp[r * col + 1] - temp[r * col]) * Rx_1 +
                                 (temp[(r - 1) * col] - temp[r * col]) * Ry_1 + (amb_temp - temp[r * col]) * Rz_1);
            } else if (r == 0) {
                delta = Cap_1 * (power[c] + (temp[c + 1] + temp[c - 1] - 2.0 * temp[c]) * Rx_1 +
                                 (temp[col + c] - temp[c]) * Ry_1 + (amb_temp - temp[c]) * Rz_1);
            } else if (c == col - 1) {
                delta = Cap_1 * (power[r * col + c] +
                                 (temp[(r + 1) * col + c] + temp[(r - 1) * col + c] - 2.0 * temp[r * col + c]) * Ry_1 +
                                 (temp[r * col + c - 1] - temp[r * col + c]) * Rx_1 +
                                 (amb_temp - temp[r * col + c]) * Rz_1);
            } else if (r == row - 1) {
                delta = Cap_1 * (power[r * col + c] +
                                 (temp[r * col + c + 1] + temp[r * col + c - 1] - 2.0 * temp[r * col + c]) * Rx_1 +
                                 (temp[(r - 1) * col + c] - temp[r * col + c]) * Ry_1 +
                                 (amb_temp - temp[r * col + c]) * Rz_1);
            } else if (c == 0) {
                delta = Cap_1 * (power[r * col] +
                                 (temp[(r + 1) * col] + temp[(r - 1) * col] - 2.0 * temp[r * col]) * Ry_1 +
                                 (temp[r * col + 1] - temp[r * col]) * Rx_1 + (amb_temp - temp[r * col]) * Rz_1);
            } else {
                delta = Cap_1 * (power[r * col + c] +
                                 (temp[(r + 1) * col + c] + temp[(r - 1) * col + c] - 2.0f * temp[r * col + c]) * Ry_1 +
                                 (temp[r * col + c + 1] + temp[r * col + c - 1] - 2.0f * temp[r * col + c]) * Rx_1 +
                                 (amb_temp - temp[r * col + c]) * Rz_1);
            }
            result[r * col + c] = temp[r * col + c] + delta;
        }
    }
}

void compute_tran_temp(FLOAT *result, int num_iterations, FLOAT *temp, FLOAT *power, int row, int col)
{
    FLOAT grid_height = chip_height / row;
    FLOAT grid_width = chip_width / col;
    FLOAT Cap = FACTOR_CHIP * SPEC_HEAT_SI * t_chip * grid_width * grid_height;
    FLOAT Rx = grid_width / (2.0 * K_SI * t_chip * grid_height);
    FLOAT Ry = grid_height / (2.0 * K_SI * t_chip * grid_width);
    FLOAT Rz = t_chip / (K_SI * grid_height * grid_width);
    FLOAT max_slope = MAX_PD / (FACTOR_CHIP * t_chip * SPEC_HEAT_SI);
    FLOAT step = PRECISION / max_slope / 1000.0;
    FLOAT *r = result, *t = temp, *tmp;

    for (int i = 0; i < num_iterations; i++) {
        single_iteration(r, t, power, row, col, step / Cap, 1.f / Rx, 1.f / Ry, 1.f / Rz);
        tmp = t;
        t = r;
        r = tmp;
    }
}

int main(int argc, char **argv)
{
    int rows = 48, cols = 56, iterations = 40;
    FLOAT *temp, *power, *result;
    struct timeval t0, t1;

    if (argc >= 4) {
        rows = atoi(argv[1]);
        cols = atoi(argv[2]);
        iterations = atoi(argv[3]);
    }
    temp = (FLOAT *)calloc(rows * cols, sizeof(FLOAT));
    power = (FLOAT *)calloc(rows * cols, sizeof(FLOAT));
    result = (FLOAT *)calloc(rows * cols, sizeof(FLOAT));
    if (!temp || !power || !result)
        return fprintf(stderr, "unable to allocate memory\n"), 1;
    for (int i = 0; i < rows * cols; i++) {
        temp[i] = 320.0f + (i % 17) * 0.3f;
        power[i] = (i / cols + i % cols) % 11 ? 0.0f : 1e-2f;
    }
    gettimeofday(&t0, NULL);
    compute_tran_temp(result, iterations, temp, power, rows, cols);
    gettimeofday(&t1, NULL);
    fprintf(stderr, "Total time: %.3f ms\n", (t1.tv_sec - t0.tv_sec) * 1e3 + (t1.tv_usec - t0.tv_usec) / 1e3);
    FLOAT *out = iterations & 1 ? result : temp;
    for (int i = 0; i < rows; i += 8)
        printf("%d\t%g\n", i, out[i * cols + i % cols]);
    double sum = 0;
    for (int i = 0; i < rows * cols; i++)
        sum += out[i];
    printf("%.10f\n", sum);
    free(temp), free(power), free(result);
    return 0;
}
