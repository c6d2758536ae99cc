/* What C has beside stencils: each construct prints what it computes. */
#define _GNU_SOURCE
#include <assert.h>
#include <complex.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SQUARE(x) ((x) * (x))
#define PI 3.14159265358979323846
#define THIRD 0.333333333f
#define FOREVER for (;;)
#define EACH(i, n) for (int i = 0; i < (n); i++)
#define ALLOCATE(n) malloc(sizeof(double[n][4]))
#define NAME(x) #x
#define PASTE(a, b) a##b
#define BIG 0xFFFFFFFFu

typedef struct { int x, y; } point;
typedef struct node { int value; struct node *next; } node;
typedef int (*operation)(int, int);
typedef float row[8];
typedef double vector __attribute__((vector_size(32)));
enum color { RED, GREEN = 5, BLUE };
enum { FIRST = -1, SECOND };
struct forward;
struct forward { unsigned low : 3, : 2, high : 7; struct { int a; union { int b; float c; }; }; struct inner { char c[3]; } in[2]; };
struct __attribute__((packed)) tight { char c; double d; };
union word { uint32_t whole; uint8_t bytes[4]; };
extern int counter;
int counter = 3;
static const char *const names[] = { "one", "two" " and " "a half", [3] = "four" };
static int table[2][3] = { { 1, 2, 3 }, { [1] = 5 } };
static struct { point p; double w[3]; } nested = { .p = { .y = 2 }, .w[1] = 2.5 };
static int spread[10] = { [2 ... 4] = 7, 8 };
static _Thread_local int per_thread = 4;
_Static_assert(sizeof(int) == 4, "an int has four bytes");

__attribute__((constructor)) static void early(void) { puts("before main"); }
static int unaligned __attribute__((unused)), far_away __attribute__((aligned(64)));
_Noreturn void stop(int code);
static inline int add(int a, int b) { return a + b; }
static int subtract(int a, int b) { return a - b; }
static operation choose(char which) { return which == '+' ? add : &subtract; }
static int (*chosen(int which))(int, int) { return which ? add : subtract; }
static int old(a, b) int a; double b; { return a + (int)b; }
static int sum(int n, ...)
{
    va_list list;
    int s = 0;
    va_start(list, n);
    while (n-- > 0)
        s += va_arg(list, int);
    va_end(list);
    return s;
}
static double trace(int n, double a[static n][n], const double (*b)[n])
{
    double s = 0;
    for (int i = 0, j = n - 1; i < n; i++, j--)
        s += a[i][i] * b[i][j];
    return s;
}
static int kinds(int n)
{
    int r = 0;
    switch (n) {
    case 1:
    case 2: r = 10; break;
    case 3 ... 5: r = 20; /* fallthrough */
    case 'A': r += 1; break;
    default: { r = 5; }
    }
    return r;
}
static int jumps(int n)
{
    int i = 0;
again:
    if (i < n) { i += 2; goto again; }
    do i--; while (i > 3);
    for (; i < 10;) i++;
    for (i = 2;; i++) if (i > 6) break;
    for (;; ) { if (i++ > 20) break; else continue; }
    FOREVER { if (i-- < 3) break; }
    for (int k; (k = i) < 5; i++) ;
    void *to = &&done;
    goto *to;
    i = 1000;
done:
    return i;
}
static void dangling(int a, int b)
{
    if (a)
        if (b) puts("both"); else puts("a only");
    else if (b) puts("b only");
    else ;
}

int main(int argc, char **argv)
{
    point p = { 1, 2 }, *q = &p, ps[2] = { { 3 }, { 4, 5 } };
    node n2 = { 2, NULL }, n1 = { .value = 1, .next = &n2 };
    int a = 5, b = -3, *pa = &a, **ppa = &pa, i;
    unsigned char byte = 250;
    bool yes = true;
    struct forward f = { .low = 5, .high = 100, .a = 1, .c = 2.5f };
    union word w = { .whole = 0x01020304 };
    printf("%d %d %d\n", - -a, - (-a), !~a + !a);
    printf("%d %d\n", a - (b - 2), (a - b) - 2);
    printf("%d %d %d\n", a & b | a ^ 3, (a & (b | a)) ^ 3, a << 2 >> 1);
    printf("%d\n", a > b ? a < 3 ? 1 : 2 : b ? 3 : 4);
    printf("%d %d\n", (a = 4, b += a), (a *= 2) ? a-- - --b : 0);
    printf("%d %d %d\n", q->x + ps[1].y, (*q).y, (&ps[0])->x);
    printf("%d %d\n", n1.next->value, **ppa++);
    printf("%d %d\n", byte + 10, (unsigned char)(byte + 10));
    printf("%u %ld %llu %lu\n", BIG, 123L, 5ull, sizeof(point) + sizeof a + sizeof(row));
    printf("%c %d %d %s\n", 'x', '\n', '\'', "tab\t\"quoted\" \\ \x41 \001z");
    printf("%.17g %.9g %.17g %.17g\n", PI, THIRD, SQUARE(2.5), 1e-3 + .5 + 0x1p-3);
    printf("%.17Lg\n", 1.25L + 3);
    printf("%d %d %d %d\n", RED, GREEN, BLUE, FIRST);
    printf("%d %d %d %d %.1f\n", f.low, f.high, f.a, f.in[0].c[0], f.c);
    printf("%d %zu %zu\n", w.bytes[0], sizeof(struct tight), offsetof(struct tight, d));
    printf("%s %s %d %d %g %d\n", names[1], names[3], table[1][1], nested.p.y, nested.w[1], spread[3] + spread[5]);
    printf("%d %d %d\n", add(1, 2), choose('+')(3, 4), choose('-')(3, 4));
    printf("%d %d %d\n", chosen(1)(5, 6), (*chosen(0))(5, 6), old(1, 2.5));
    printf("%d %d\n", sum(3, 1, 2, 3), sum(0));
    printf("%d %d %d %d\n", kinds(2), kinds(4), kinds('A'), kinds(99));
    printf("%d\n", jumps(9));
    dangling(1, 1), dangling(1, 0), dangling(0, 1), dangling(0, 0);
    {
        int m = argc + 2;
        double x[m][m], (*y)[m] = malloc(sizeof(double[m][m])), (*z)[4] = ALLOCATE(m);
        typedef double line[m];
        line l;
        EACH(r, m) { l[r] = r; for (int c = 0; c < m; c++) x[r][c] = y[r][c] = r * 10 + c; }
        z[1][2] = 4;
        printf("%g %zu %zu %g %g\n", trace(m, x, (const double (*)[m])y), sizeof x, sizeof(line), l[1], z[1][2]);
        free(y), free(z);
    }
    printf("%d\n", ({ int t = a; t *= 2; t + 1; }));
    printf("%d %d\n", ((point){ 7, 8 }).y, (int[]){ 1, 2, 3 }[1]);
    printf("%s\n", _Generic(a, int: "int", double: "double"));
    printf("%d\n", _Generic(1.0f, int: 1, float: 2.5f, default: "no") > 2);
    printf("%s %d\n", NAME(a b), PASTE(coun, ter));
    printf("%s %s\n", __func__, yes ? "yes" : "no");
    vector v = { 1, 2, 3, 4 };
    v = v * v + (vector){ 1, 1, 1, 1 };
    printf("%g %g\n", v[1], v[3]);
    double complex z = 1.0 + 2.0 * I;
    z *= z;
    printf("%g %g %g\n", creal(z), cimag(z), __real__ z);
    errno = 0;
    assert(a == 7 || a != 7);
    printf("%d %d %d\n", errno, isnan(NAN) != 0, isinf(INFINITY) != 0);
    printf("%d %g %d\n", INT_MAX, fabs(-2.5), isdigit('5') != 0);
    extern int counter;
    static int kept = 3, *where = &kept;
    register int quick = 2;
    volatile int careful = 1;
    const int fixed = 4;
    __typeof__(a) same = 3;
    struct local { int x; } one = { 9 };
    enum shade { DARK = 2 } shade = DARK;
    printf("%d %d %d %d %d %d %d %d\n", counter++, *where, quick, careful, fixed + same, one.x, shade, per_thread);
    for (i = 0; names[i] && i < 2; i++) switch (i) case 1: printf("case %d\n", i);
    while (i --> 0) { }
    row rows[2] = { { 1 }, { 2 } };
    printf("%g %d\n", (double)rows[1][0], (int)(sizeof rows / sizeof *rows));
    int (*const ops[])(int, int) = { add, subtract };
    printf("%d %d\n", ops[0](1, 1), (*ops[1])(1, 1));
    char text[] = "abc", fill[8] = "de";
    printf("%s %s %zu %d %s\n", text, fill, sizeof text, 1[text], text + 1);
    printf("%d %p\n", a ?: 3, (void *)0);
    if (argc > 100)
        stop(argc);
    printf("%d\n", (int)((uintptr_t)&far_away % 64));
    return !strcmp(argv[0], "") ? EXIT_FAILURE : 0;
}

_Noreturn void stop(int code) { exit(code); }
