// Runs the functions of a batch in C and in the emulation of CUDA on equal data.
// Every program runs in a process of its own, so that one that dies is alone.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

// Any pointer: generated functions take pointers of the element, or `void *`.
struct Any {
    void *p;
    template <class T> operator T *() const { return static_cast<T *>(p); }
};

struct Case {
    int number, arrays;
    const int *types; // 0 float, 1 double, 2 int, 3 unsigned char
    const int *buffers;
    int runs, params;
    const long long *values; // params for each run
    const long long *bytes;  // arrays for each run
    void (*c)(const long long *, void **);
    void (*cuda)(const long long *, void **);
};

static unsigned random_state;
static unsigned next_random() {
    random_state = random_state * 1664525u + 1013904223u;
    return random_state >> 8;
}

static void fill(void *data, long long bytes, int type) {
    switch (type) {
    case 0: for (long long i = 0; i < bytes / 4; i++) ((float *)data)[i] = next_random() / 16777216.0f; break;
    case 1: for (long long i = 0; i < bytes / 8; i++) ((double *)data)[i] = next_random() / 16777216.0; break;
    case 2: for (long long i = 0; i < bytes / 4; i++) ((int *)data)[i] = (int)(next_random() % 200); break;
    default: for (long long i = 0; i < bytes; i++) ((unsigned char *)data)[i] = (unsigned char)next_random(); break;
    }
}

static double value(const void *data, long long i, int type) {
    switch (type) {
    case 0: return ((const float *)data)[i];
    case 1: return ((const double *)data)[i];
    case 2: return ((const int *)data)[i];
    default: return ((const unsigned char *)data)[i];
    }
}

// Bit for bit; the bits of two NaNs may differ.
static bool compare(const Case &c, int run, int array, void *expected, void *found, long long bytes) {
    if (memcmp(expected, found, bytes) == 0) return true;
    const int size[] = {4, 8, 4, 1};
    int type = c.types[array], n = size[type];
    for (long long i = 0; i < bytes / n; i++) {
        if (memcmp((char *)expected + i * n, (char *)found + i * n, n) == 0) continue;
        double a = value(expected, i, type), b = value(found, i, type);
        if (a != a && b != b) continue;
        printf("differs %d %d array %d, element %lld: %.17g in C, %.17g in CUDA\n", c.number, run, array, i, a, b);
        return false;
    }
    return true;
}

static int run_case(const Case &c) {
    for (int run = 0; run < c.runs; run++) {
        printf("begin %d %d\n", c.number, run);
        fflush(stdout);
        void *expected[16], *found[16];
        const long long *bytes = c.bytes + run * c.arrays;
        random_state = 12345u + 77u * (unsigned)c.number + (unsigned)run;
        for (int a = 0; a < c.arrays; a++) {
            expected[a] = malloc(bytes[a]);
            found[a] = malloc(bytes[a]);
            fill(expected[a], bytes[a], c.types[a]);
            // In every other run time buffers are the same: tiles of planes take several steps then.
            long long plane = bytes[a] / c.buffers[a];
            for (int b = 1; b < c.buffers[a] && run % 2; b++)
                memcpy((char *)expected[a] + b * plane, expected[a], plane);
            memcpy(found[a], expected[a], bytes[a]);
        }
        c.c(c.values + run * c.params, expected);
        c.cuda(c.values + run * c.params, found);
        bool same = true;
        for (int a = 0; a < c.arrays; a++) {
            same = same && compare(c, run, a, expected[a], found[a], bytes[a]);
            free(expected[a]);
            free(found[a]);
        }
        if (!same) return 0;
    }
    printf("equal %d\n", c.number);
    return 0;
}

static int run_all(const Case *cases, int n, int seconds) {
    for (int i = 0; i < n; i++) {
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            // Of processor time: other processes may run beside it. A process that sleeps is given more.
            struct itimerval limit = {{0, 0}, {(long)seconds, 0}};
            setitimer(ITIMER_PROF, &limit, NULL);
            alarm(20 * seconds);
            dup2(1, 2);
            int code = run_case(cases[i]);
            fflush(stdout);
            exit(code);
        }
        int status = 0;
        waitpid(child, &status, 0);
        if (WIFSIGNALED(status))
            printf("\nended %d %s\n", cases[i].number, WTERMSIG(status) == SIGALRM || WTERMSIG(status) == SIGPROF ? "not finished in time" : strsignal(WTERMSIG(status)));
        else if (WEXITSTATUS(status) != 0)
            printf("\nended %d exit status %d\n", cases[i].number, WEXITSTATUS(status));
    }
    return 0;
}
