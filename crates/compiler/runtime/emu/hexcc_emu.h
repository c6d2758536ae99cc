// hexcc's CUDA emulation: launching kernels on the host, one thread at a time.
//
// Blocks of a grid run one after the other, each to its end. The threads of a
// block are fibers on one operating system thread: a fiber runs until it needs
// another thread of its block (a barrier, a shuffle), then the next one runs.
// A kernel that never waits therefore runs on a single stack, as a plain loop.
//
// The order of threads and blocks is free in CUDA and chosen here by
// HEXCC_EMU_SEED (0: ascending, 1: descending, n: pseudo-random, different in
// every barrier interval), so a program whose result depends on it is wrong.
//
// Deliberately absent: preemption (a thread that polls memory for another's
// write hangs unless it calls __nanosleep), several host threads that launch at
// once, streams that overlap, and C++ exceptions leaving a kernel.
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define HEXCC_EMU_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HEXCC_EMU_ASAN 1
#endif
#endif
#ifdef HEXCC_EMU_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define HEXCC_EMU_NO_ASAN __attribute__((no_sanitize_address))
#define HEXCC_EMU_SWITCH HEXCC_EMU_NO_ASAN __attribute__((noinline)) inline
#else
#define HEXCC_EMU_NO_ASAN
#define HEXCC_EMU_SWITCH inline __attribute__((always_inline))
#endif

#if !defined(__x86_64__) || defined(__ILP32__)
#define HEXCC_EMU_UCONTEXT 1
#endif
#ifdef HEXCC_EMU_UCONTEXT
#include <ucontext.h>
#endif

// The compiler must not learn anything about a function in which other threads
// run: it would keep shared memory in registers across a barrier.
#ifdef __clang__
#define HEXCC_EMU_OPAQUE __attribute__((noinline, optnone))
#else
#define HEXCC_EMU_OPAQUE __attribute__((noipa))
#endif
#define HEXCC_EMU_COLD __attribute__((noinline, cold))

struct uint3 {
    unsigned x, y, z;
};

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return uint3{x, y, z}; }
};

namespace hexcc_emu {

constexpr unsigned MAX_THREADS = 1024;
constexpr unsigned WARP = 32;
constexpr unsigned MAX_WARPS = MAX_THREADS / WARP;
constexpr unsigned NONE = ~0u;
constexpr unsigned char POISON_SHARED = 0xFF;
constexpr unsigned char POISON_DEVICE = 0xFB;
constexpr unsigned char POISON_CANARY = 0xA5;
constexpr size_t CANARY = 256;

// A stack to run threads on; `sp`, `pc` and `bp` are at fixed offsets because
// the assembly of `swap_context` knows them.
struct Fiber {
    void *sp = nullptr;
    void *pc = nullptr;
    void *bp = nullptr;
    Fiber *next_idle = nullptr;
    const void *stack = nullptr;
    size_t stack_size = 0;
    void *fake_stack = nullptr;
#ifdef HEXCC_EMU_UCONTEXT
    ucontext_t context;
#endif
};

enum class WarpOp : unsigned char { Sync, Shuffle, Ballot };

// Every existing, unfinished lane is in exactly one of `ready` (which includes
// the running one), `waiting` (in a warp operation), `at_barrier` and `polling`.
struct Warp {
    uint32_t ready, waiting, at_barrier, polling;
    uint32_t exited; // including lanes that never existed
    uint32_t mask[WARP];
    WarpOp op[WARP];
    unsigned char source[WARP];
    uint64_t value[WARP];
    uint64_t result[WARP];
};

enum class Order : unsigned char { Ascending, Descending, Random };

// All state of the emulated device except its memory. There is one, and its
// zero value is the state before the first launch.
struct Machine {
    // Seen by kernels.
    uint3 thread_idx, block_idx, block_dim, grid_dim;
    void *dynamic_shared;
    uint64_t block_serial; // counts blocks over the whole program

    // The launch in progress; `invoke` is null when there is none.
    void (*invoke)(void *);
    void *invoke_arg;
    const char *kernel;
    size_t dynamic_shared_bytes;
    uint64_t blocks, blocks_left, block, block_step;

    // The block in progress.
    unsigned thread;
    unsigned threads, warps, alive, arrived;
    unsigned warp_pos;
    int barrier_line;
    bool any_polling;
    Warp warp[MAX_WARPS];
    unsigned char warp_order[MAX_WARPS];
    Fiber *fiber_of[MAX_THREADS];
    uint3 index_of[MAX_THREADS];

    // The whole program.
    Order order;
    uint64_t random;
    bool configured, trace;
    long fail_launch, launches;
    size_t stack_bytes;
    unsigned fibers;
    Fiber *idle;
    Fiber *switching_from;
    Fiber host;
};
inline Machine m;

inline long env_number(const char *name, long otherwise) {
    const char *text = getenv(name);
    if (!text || !*text) return otherwise;
    char *end = nullptr;
    long value = strtol(text, &end, 0);
    if (*end || value < 0) {
        fprintf(stderr, "hexcc emulation: %s=%s is not a number of at least 0\n", name, text);
        exit(2);
    }
    return value;
}

[[noreturn]] HEXCC_EMU_COLD __attribute__((format(printf, 1, 2))) inline void die(const char *format, ...) {
    fflush(nullptr);
    fprintf(stderr, "hexcc emulation: ");
    if (m.invoke) {
        fprintf(stderr, "kernel %s, block (%u,%u,%u), thread (%u,%u,%u): ", m.kernel, m.block_idx.x,
                m.block_idx.y, m.block_idx.z, m.thread_idx.x, m.thread_idx.y, m.thread_idx.z);
    }
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    abort();
}

#ifdef HEXCC_EMU_ALIGNMENT
// What compilers tell of an access with -fsanitize=alignment.
struct Misaligned {
    const char *file;
    uint32_t line, column;
    const struct {
        uint16_t kind, info;
        char name[64];
    } *type;
    unsigned char log_alignment, kind;
};
#endif

inline void configure() {
    if (m.configured) return;
    m.configured = true;
    long seed = env_number("HEXCC_EMU_SEED", 0);
    m.order = seed == 0 ? Order::Ascending : seed == 1 ? Order::Descending : Order::Random;
    m.random = 0x9E3779B97F4A7C15ull * static_cast<uint64_t>(seed + 1);
    m.trace = env_number("HEXCC_EMU_TRACE", 0) != 0;
    m.fail_launch = env_number("HEXCC_EMU_FAIL_LAUNCH", 0);
    m.stack_bytes = static_cast<size_t>(env_number("HEXCC_EMU_STACK_KB", 256)) * 1024;
    if (m.stack_bytes < 32768) m.stack_bytes = 32768;
}

inline uint64_t next_random() {
    uint64_t x = m.random;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    m.random = x;
    return (x * 0x2545F4914F6CDD1Dull) >> 32;
}

// ---------------------------------------------------------------- fibers

inline void fiber_main();

// Leaves `from` and continues `to`; returns when something switches to `from`.
// Only functions that are opaque to their callers may call it.
HEXCC_EMU_SWITCH void switch_to(Fiber *from, Fiber *to) {
#ifdef HEXCC_EMU_ASAN
    Fiber *volatile self = from;
    m.switching_from = from;
    __sanitizer_start_switch_fiber(&from->fake_stack, to->stack, to->stack_size);
#endif
#ifdef HEXCC_EMU_UCONTEXT
    swapcontext(&from->context, &to->context);
#else
    // An indirect jump, not a return: all switches but the first of a fiber have
    // the same target, so it is predicted, and calls stay paired with returns.
    asm volatile("leaq 1f(%%rip), %%rcx\n\t"
                 "movq %%rsp, 0(%%rdi)\n\t"
                 "movq %%rcx, 8(%%rdi)\n\t"
                 "movq %%rbp, 16(%%rdi)\n\t"
                 "movq 0(%%rsi), %%rsp\n\t"
                 "movq 16(%%rsi), %%rbp\n\t"
                 "jmpq *8(%%rsi)\n"
                 "1:\n"
                 : "+D"(from), "+S"(to)
                 :
                 : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0",
                   "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
                   "xmm12", "xmm13", "xmm14", "xmm15", "cc", "memory");
#endif
#ifdef HEXCC_EMU_ASAN
    Fiber *previous = m.switching_from;
    __sanitizer_finish_switch_fiber(self->fake_stack, &previous->stack, &previous->stack_size);
#endif
}

HEXCC_EMU_NO_ASAN inline void fiber_entry() {
#ifdef HEXCC_EMU_ASAN
    // The first switch to a fiber also tells where the host's stack lies.
    Fiber *previous = m.switching_from;
    __sanitizer_finish_switch_fiber(nullptr, &previous->stack, &previous->stack_size);
#endif
    fiber_main();
}

HEXCC_EMU_COLD inline Fiber *new_fiber() {
    const size_t page = 4096;
    size_t bytes = (m.stack_bytes + page - 1) / page * page;
    void *base = mmap(nullptr, bytes + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                      -1, 0);
    if (base == MAP_FAILED || mprotect(base, page, PROT_NONE) != 0) die("no memory for the stack of a thread");
    char *stack = static_cast<char *>(base) + page;
    Fiber *fiber = new Fiber;
    fiber->stack = stack;
    // Stacks start at different cache lines of their pages; at equal ones the
    // fibers of a block would all compete for the same sets of the L1 cache.
    size_t used = m.fibers++ * 5 % 64 * 64;
    fiber->stack_size = bytes - used;
#ifdef HEXCC_EMU_UCONTEXT
    getcontext(&fiber->context);
    fiber->context.uc_stack.ss_sp = stack;
    fiber->context.uc_stack.ss_size = fiber->stack_size;
    fiber->context.uc_link = nullptr;
    makecontext(&fiber->context, fiber_entry, 0);
#else
    // As after a call: the return address 0 ends stack traces.
    uint64_t *top = reinterpret_cast<uint64_t *>(stack + fiber->stack_size) - 2;
    top[0] = top[1] = 0;
    fiber->sp = top + 1;
    fiber->pc = reinterpret_cast<void *>(&fiber_entry);
#endif
    return fiber;
}

inline Fiber *take_idle_fiber() {
    Fiber *fiber = m.idle;
    if (!fiber) return new_fiber();
    m.idle = fiber->next_idle;
    return fiber;
}

// ------------------------------------------------------------- scheduling

inline void enter(unsigned thread) {
    m.thread = thread;
    m.thread_idx = m.index_of[thread];
}

inline void new_interval() {
    m.warp_pos = 0;
    if (m.order != Order::Random) return;
    for (unsigned i = m.warps; i > 1; i--) {
        unsigned j = static_cast<unsigned>(next_random() % i);
        unsigned char held = m.warp_order[i - 1];
        m.warp_order[i - 1] = m.warp_order[j];
        m.warp_order[j] = held;
    }
}

[[noreturn]] HEXCC_EMU_COLD inline void die_of_deadlock() {
    unsigned in_warp_op = 0, warp_thread = NONE, barrier_thread = NONE;
    for (unsigned w = 0; w < m.warps; w++) {
        in_warp_op += static_cast<unsigned>(__builtin_popcount(m.warp[w].waiting));
        if (m.warp[w].waiting && warp_thread == NONE)
            warp_thread = w * WARP + static_cast<unsigned>(__builtin_ctz(m.warp[w].waiting));
        if (m.warp[w].at_barrier && barrier_thread == NONE)
            barrier_thread = w * WARP + static_cast<unsigned>(__builtin_ctz(m.warp[w].at_barrier));
    }
    uint32_t mask = m.warp[warp_thread / WARP].mask[warp_thread % WARP];
    uint3 a = m.index_of[warp_thread];
    enter(warp_thread);
    if (barrier_thread == NONE)
        die("deadlock: %u threads, among them (%u,%u,%u), wait in warp operations (mask 0x%08x) that the "
            "lanes of their masks never reach together",
            in_warp_op, a.x, a.y, a.z, mask);
    uint3 b = m.index_of[barrier_thread];
    die("deadlock: %u threads, among them (%u,%u,%u), wait in warp operations (mask 0x%08x) while %u threads, "
        "among them (%u,%u,%u), wait at __syncthreads() of line %d",
        in_warp_op, a.x, a.y, a.z, mask, m.arrived, b.x, b.y, b.z, m.barrier_line);
}

inline __attribute__((always_inline)) unsigned pick_lane(uint32_t ready) {
    switch (m.order) {
    case Order::Ascending: return static_cast<unsigned>(__builtin_ctz(ready));
    case Order::Descending: return 31u - static_cast<unsigned>(__builtin_clz(ready));
    case Order::Random: break;
    }
    unsigned turn = static_cast<unsigned>(next_random()) & 31u;
    uint32_t turned = (ready >> turn) | (ready << ((32u - turn) & 31u));
    return (static_cast<unsigned>(__builtin_ctz(turned)) + turn) & 31u;
}

// `pick` when the warp at hand has no lane that can go on.
__attribute__((noinline)) inline unsigned pick_elsewhere() {
    for (;;) {
        while (m.warp_pos < m.warps) {
            unsigned w = m.warp_order[m.warp_pos];
            uint32_t ready = m.warp[w].ready;
            if (ready) return w * WARP + pick_lane(ready);
            m.warp_pos++;
        }
        if (m.any_polling) {
            m.any_polling = false;
            for (unsigned w = 0; w < m.warps; w++) {
                m.warp[w].ready = m.warp[w].polling;
                m.warp[w].polling = 0;
            }
        } else if (m.alive == 0) {
            return NONE;
        } else if (m.arrived == m.alive) {
            m.arrived = 0;
            m.barrier_line = 0;
            for (unsigned w = 0; w < m.warps; w++) {
                m.warp[w].ready = m.warp[w].at_barrier;
                m.warp[w].at_barrier = 0;
            }
        } else {
            die_of_deadlock();
        }
        new_interval();
    }
}

// The thread to run next, or NONE when every thread of the block has finished.
//
// A warp is left only when none of its lanes can go on; that loses no order of
// two conflicting accesses, since the order of warps changes as well.
inline __attribute__((always_inline)) unsigned pick() {
    if (m.warp_pos < m.warps) {
        unsigned w = m.warp_order[m.warp_pos];
        uint32_t ready = m.warp[w].ready;
        if (__builtin_expect(ready != 0, 1)) return w * WARP + pick_lane(ready);
    }
    return pick_elsewhere();
}

// Runs other threads until this one, which has just left `ready`, is picked.
inline __attribute__((always_inline)) void wait() {
    unsigned self = m.thread;
    unsigned next = pick();
    if (next == self) return;
    Fiber *from = m.fiber_of[self];
    Fiber *to = m.fiber_of[next];
    if (!to) to = m.fiber_of[next] = take_idle_fiber();
    enter(next);
    switch_to(from, to);
}

inline void need_kernel(const char *what) {
    if (__builtin_expect(!m.invoke, 0)) die("%s outside a kernel", what);
}

HEXCC_EMU_OPAQUE inline void block_barrier(int line) {
    need_kernel("__syncthreads()");
    Warp &warp = m.warp[m.thread / WARP];
    uint32_t bit = 1u << m.thread % WARP;
    if (m.barrier_line != line) {
        if (m.barrier_line != 0)
            die("waits at __syncthreads() of line %d while other threads of its block wait at the one of line %d",
                line, m.barrier_line);
        m.barrier_line = line;
    }
    warp.ready &= ~bit;
    warp.at_barrier |= bit;
    m.arrived++;
    wait();
}

HEXCC_EMU_OPAQUE inline void poll() {
    need_kernel("__nanosleep()");
    Warp &warp = m.warp[m.thread / WARP];
    uint32_t bit = 1u << m.thread % WARP;
    warp.ready &= ~bit;
    warp.polling |= bit;
    m.any_polling = true;
    wait();
}

inline uint32_t ballot_of(const Warp &warp, uint32_t group) {
    uint32_t votes = 0;
    for (uint32_t rest = group; rest; rest &= rest - 1) {
        unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
        if (warp.value[lane]) votes |= 1u << lane;
    }
    return votes;
}

// Performs the operation in which all unfinished lanes of `mask` have arrived.
//
// The last lane to arrive does it for all, so that a lane that goes on may
// deposit its next value before the others have read this one.
inline void complete_warp_op(Warp &warp, uint32_t mask) {
    uint32_t group = mask & warp.waiting;
    WarpOp op = warp.op[__builtin_ctz(group)];
    for (uint32_t rest = group; rest; rest &= rest - 1) {
        unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
        if (warp.mask[lane] != mask || warp.op[lane] != op)
            die("lanes of one warp meet in different warp operations (masks 0x%08x and 0x%08x)", mask,
                warp.mask[lane]);
    }
    if (op == WarpOp::Shuffle) {
        for (uint32_t rest = group; rest; rest &= rest - 1) {
            unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
            unsigned source = warp.source[lane];
            warp.result[lane] = group >> source & 1u ? warp.value[source] : ~0ull;
        }
    } else if (op == WarpOp::Ballot) {
        uint64_t votes = ballot_of(warp, group) | static_cast<uint64_t>(group) << 32;
        for (uint32_t rest = group; rest; rest &= rest - 1) warp.result[__builtin_ctz(rest)] = votes;
    }
    warp.waiting &= ~group;
    warp.ready |= group;
}

// Waits for the lanes of `mask`. A shuffle returns the value of lane `source`
// (all ones when that lane takes no part), a ballot the votes and, in the upper
// half, the lanes that voted.
HEXCC_EMU_OPAQUE inline uint64_t warp_op(WarpOp op, uint32_t mask, uint64_t value, unsigned source) {
    need_kernel("a warp operation");
    unsigned lane = m.thread % WARP;
    Warp &warp = m.warp[m.thread / WARP];
    uint32_t bit = 1u << lane;
    if (!(mask & bit)) die("the mask 0x%08x of a warp operation lacks the calling lane %u", mask, lane);
    warp.mask[lane] = mask;
    warp.op[lane] = op;
    warp.value[lane] = value;
    warp.source[lane] = static_cast<unsigned char>(source);
    warp.waiting |= bit;
    warp.ready &= ~bit;
    if (((warp.waiting | warp.exited) & mask) == mask)
        complete_warp_op(warp, mask);
    else
        wait();
    return warp.result[lane];
}

inline void finish_thread() {
    Warp &warp = m.warp[m.thread / WARP];
    uint32_t bit = 1u << m.thread % WARP;
    warp.ready &= ~bit;
    warp.exited |= bit;
    m.fiber_of[m.thread] = nullptr;
    m.alive--;
    for (uint32_t rest = warp.waiting; rest; rest &= warp.waiting & (rest - 1)) {
        uint32_t mask = warp.mask[__builtin_ctz(rest)];
        if (((warp.waiting | warp.exited) & mask) == mask) complete_warp_op(warp, mask);
    }
}

inline void begin_block() {
    m.block_idx.x = static_cast<unsigned>(m.block % m.grid_dim.x);
    m.block_idx.y = static_cast<unsigned>(m.block / m.grid_dim.x % m.grid_dim.y);
    m.block_idx.z = static_cast<unsigned>(m.block / m.grid_dim.x / m.grid_dim.y);
    m.block_serial++;
    m.alive = m.threads;
    m.arrived = 0;
    m.barrier_line = 0;
    for (unsigned w = 0; w < m.warps; w++) {
        unsigned lanes = m.threads - w * WARP;
        Warp &warp = m.warp[w];
        warp.ready = lanes >= WARP ? ~0u : (1u << lanes) - 1;
        warp.exited = ~warp.ready;
        warp.waiting = warp.at_barrier = warp.polling = 0;
    }
    memset(m.dynamic_shared, POISON_SHARED, m.dynamic_shared_bytes);
    new_interval();
}

inline bool intact(const void *canary, size_t bytes) {
    const unsigned char *at = static_cast<const unsigned char *>(canary);
    for (size_t i = 0; i < bytes; i++)
        if (at[i] != POISON_CANARY) return false;
    return true;
}

// Ends a block and begins the next; false after the last one of the grid.
inline bool next_block() {
#ifndef HEXCC_EMU_ASAN
    if (!intact(static_cast<char *>(m.dynamic_shared) + m.dynamic_shared_bytes, 64))
        die("a thread of this block wrote past the %zu bytes of dynamic shared memory", m.dynamic_shared_bytes);
#endif
    if (--m.blocks_left == 0) return false;
    m.block += m.block_step;
    if (m.block >= m.blocks) m.block -= m.blocks;
    begin_block();
    return true;
}

// What every fiber does: run threads from their beginning as long as threads
// that have not begun are next, else give the stack back.
HEXCC_EMU_OPAQUE inline void fiber_main() {
    Fiber *self = m.fiber_of[m.thread];
    for (;;) {
        m.invoke(m.invoke_arg);
        finish_thread();
        unsigned next = pick();
        if (next == NONE && next_block()) next = pick();
        Fiber *to = next == NONE ? &m.host : m.fiber_of[next];
        if (next != NONE) enter(next);
        if (to) {
            self->next_idle = m.idle;
            m.idle = self;
            switch_to(self, to);
        } else {
            m.fiber_of[next] = self;
        }
    }
}

inline uint64_t gcd(uint64_t a, uint64_t b) {
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

inline void order_blocks() {
    m.block = 0;
    m.block_step = 1;
    if (m.order == Order::Descending) {
        m.block = m.blocks - 1;
        m.block_step = m.blocks - 1;
    } else if (m.order == Order::Random) {
        // Steps coprime to the number of blocks visit each once.
        m.block = next_random() % m.blocks;
        do m.block_step = 1 + next_random() % m.blocks;
        while (gcd(m.block_step, m.blocks) != 1);
    }
    for (unsigned w = 0; w < m.warps; w++)
        m.warp_order[w] = static_cast<unsigned char>(m.order == Order::Descending ? m.warps - 1 - w : w);
}

// Runs a whole grid; the caller has checked the configuration.
HEXCC_EMU_OPAQUE inline void run_grid(const char *kernel, dim3 grid, dim3 block, size_t shared_bytes,
                                      void (*invoke)(void *), void *arg) {
    if (m.invoke) die("a kernel launches the kernel %s, which the emulation lacks", kernel);
    m.kernel = kernel;
    m.grid_dim = grid;
    m.block_dim = block;
    m.threads = block.x * block.y * block.z;
    m.warps = (m.threads + WARP - 1) / WARP;
    m.blocks = m.blocks_left = static_cast<uint64_t>(grid.x) * grid.y * grid.z;
    for (unsigned t = 0; t < m.threads; t++)
        m.index_of[t] = uint3{t % block.x, t / block.x % block.y, t / block.x / block.y};
    order_blocks();

#ifdef HEXCC_EMU_ASAN
    size_t canary = 0;
#else
    size_t canary = 64;
#endif
    m.dynamic_shared_bytes = shared_bytes;
    if (posix_memalign(&m.dynamic_shared, 1024, shared_bytes + canary) != 0) die("no memory for shared memory");
    memset(static_cast<char *>(m.dynamic_shared) + shared_bytes, POISON_CANARY, canary);

    m.invoke = invoke;
    m.invoke_arg = arg;
    begin_block();
    unsigned first = pick();
    Fiber *fiber = m.fiber_of[first] = take_idle_fiber();
    enter(first);
    switch_to(&m.host, fiber);
    m.invoke = nullptr;

    free(m.dynamic_shared);
    m.dynamic_shared = nullptr;
}

// --------------------------------------------------------- shared memory

// `extern __shared__ T name[];` inside a function.
template <class T> inline T *dynamic_shared() {
    need_kernel("dynamic shared memory");
    return reinterpret_cast<T *>(m.dynamic_shared);
}

// `__shared__ T name;`, which emucc turns into a static variable: the first
// thread of every block to come by fills it with poison. Taking the address
// here also stops the compiler from thinking that only this thread uses it.
inline void poison_shared(uint64_t &serial, volatile void *data, size_t bytes) {
    asm volatile("" : : "r"(data) : "memory");
    if (serial == m.block_serial) return;
    need_kernel("shared memory");
    serial = m.block_serial;
    memset(const_cast<void *>(data), POISON_SHARED, bytes);
}

} // namespace hexcc_emu

#ifdef HEXCC_EMU_ALIGNMENT
// A GPU ends kernels with accesses that are not aligned; the host's processor takes them.
extern "C" __attribute__((used)) HEXCC_EMU_COLD inline void __ubsan_handle_type_mismatch_v1(void *data, void *pointer) {
    if (!hexcc_emu::m.invoke) return;
    const auto *access = static_cast<const hexcc_emu::Misaligned *>(data);
    hexcc_emu::die("line %u: an access of type %s at %p is not aligned to %u bytes", access->line, access->type->name,
                   pointer, 1u << access->log_alignment);
}
#endif
