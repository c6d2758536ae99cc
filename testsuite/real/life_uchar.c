/* Life with unsigned char cells, ghost rows and columns, stops when nothing changes. */
#include <stdio.h>
#include <stdlib.h>

#define ROWS 70
#define COLS 90

typedef unsigned char cell;

static cell grid[ROWS + 2][COLS + 2];
static cell tmp[ROWS + 2][COLS + 2];

static void wrap(void)
{
	int i;

	for (i = 1; i <= ROWS; i++) {
		grid[i][0] = grid[i][COLS];
		grid[i][COLS + 1] = grid[i][1];
	}
	for (i = 0; i <= COLS + 1; i++) {
		grid[0][i] = grid[ROWS][i];
		grid[ROWS + 1][i] = grid[1][i];
	}
}

static int generation(void)
{
	int i, j, changes = 0;

	for (i = 1; i <= ROWS; i++) {
		for (j = 1; j <= COLS; j++) {
			int sum = grid[i-1][j-1] + grid[i-1][j] + grid[i-1][j+1]
				+ grid[i][j-1] + grid[i][j+1]
				+ grid[i+1][j-1] + grid[i+1][j] + grid[i+1][j+1];

			if (sum == 3)
				tmp[i][j] = 1;
			else if (sum == 2)
				tmp[i][j] = grid[i][j];
			else
				tmp[i][j] = 0;
		}
	}
	for (i = 1; i <= ROWS; i++) {
		for (j = 1; j <= COLS; j++) {
			if (tmp[i][j] != grid[i][j])
				changes++;
			grid[i][j] = tmp[i][j];
		}
	}
	return changes;
}

int main(int argc, char **argv)
{
	int max = argc > 1 ? atoi(argv[1]) : 50;
	int step = 0, changes, alive = 0;

	/* an R-pentomino and a glider */
	grid[30][40] = grid[30][41] = grid[31][39] = grid[31][40] = grid[32][40] = 1;
	grid[5][6] = grid[6][7] = grid[7][5] = grid[7][6] = grid[7][7] = 1;

	do {
		wrap();
		changes = generation();
		step++;
		if (step % 10 == 0)
			printf("step %d: %d changes\n", step, changes);
	} while (changes > 0 && step < max);

	for (int i = 1; i <= ROWS; i++)
		for (int j = 1; j <= COLS; j++)
			alive += grid[i][j];
	printf("alive: %d\n", alive);
	return 0;
}
