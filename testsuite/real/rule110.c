/* Elementary cellular automaton: argv[1] is the rule, printed line by line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 320
#define SHOW 64

static unsigned char row[WIDTH], next_row[WIDTH];

static void print_row(const unsigned char *r)
{
	char line[SHOW + 1];

	for (int i = 0; i < SHOW; i++)
		line[i] = r[WIDTH - SHOW + i] ? '*' : ' ';
	line[SHOW] = '\0';
	puts(line);
}

static void apply(int rule)
{
	for (int i = 0; i < WIDTH; i++) {
		int left = row[(i + WIDTH - 1) % WIDTH];
		int self = row[i];
		int right = row[(i + 1) % WIDTH];
		int pattern = left << 2 | self << 1 | right;

		next_row[i] = (rule >> pattern) & 1;
	}
}

static int population(void)
{
	int n = 0;

	for (int i = 0; i < WIDTH; i++)
		n += row[i];
	return n;
}

int main(int argc, char *argv[])
{
	int rule = 110, lines = 48;

	if (argc > 3) {
		fprintf(stderr, "usage: %s [rule [lines]]\n", argv[0]);
		return 1;
	}
	if (argc > 1)
		rule = atoi(argv[1]);
	if (argc > 2)
		lines = atoi(argv[2]);
	if (rule < 0 || rule > 255) {
		fprintf(stderr, "a rule is a number from 0 to 255\n");
		return 1;
	}

	row[WIDTH - 2] = 1;
	for (int l = 0; l < lines; l++) {
		print_row(row);
		apply(rule);
		memcpy(row, next_row, sizeof row);
	}
	printf("population %d\n", population());
	return 0;
}
