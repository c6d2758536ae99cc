#define NEXT_CELL c = c + 1
#define REPORT printf("%d %d\n", t, last)
