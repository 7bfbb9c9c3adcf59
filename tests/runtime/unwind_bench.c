/*
 * unwind_bench.c - the cost of a walk with everything in the caches of the processor
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * usage: unwind_bench
 *
 * The walks start in a signal handler and pass functions with and without a frame pointer. Prints nanoseconds of CPU
 * time per walk, the best of 50 rounds of 1000, without and with a cache of rules. unwind_compare.sh measures the cost
 * in real programs, whose own work has filled the caches.
 */
#include "config.h"

#include "libcpaprof/target/sys.h"
#include "unwind_here.h"

#include <signal.h>
#include <stdio.h>
#include <time.h>

enum { WALKS = 1000, ROUNDS = 50 };

static struct unwind_rule rules[1024];
static struct unwind_frame frames[2][512];
static struct unwind_cache cache = {
	.frame = frames[0], .fresh = frames[1], .max_frames = 512, .rule = rules, .mask = 1023
};
static struct unwind_range stack;
static volatile int sink;

static double cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double cost(const struct unwind_source *from, const void *uc, struct walked *w)
{
	double best = 1e18;

	for (int round = 0; round < ROUNDS; round++) {
		double t = cpu_ns();

		for (int i = 0; i < WALKS; i++) {
			struct unwind_regs regs;

			cpi_unwind_regs_sig(uc, &regs);
			cpi_unwind_walk_sig(from, &regs, w->pc, MAX_FRAMES, &w->r);
		}
		t = (cpu_ns() - t) / WALKS;
		best = t < best ? t : best;
	}
	return best;
}

static void on_signal(int sig, siginfo_t *info, void *uc)
{
	struct unwind_source plain = { .range = &stack, .n_ranges = 1, .find = cpi_unwind_find_sig };
	struct unwind_source cached = plain;
	static struct walked w;
	double a, b;

	(void)sig;
	(void)info;
	cached.cache = cached.arg = &cache;
	a = cost(&plain, uc, &w);
	b = cost(&cached, uc, &w);
	printf("%3u frames, %s: plain %5.0f ns, cached %5.0f ns\n", w.r.n, end_name(w.r.end), a, b);
}

__attribute__((noinline)) static void deep(int n);

__attribute__((noinline)) static void deeper(int n)
{
	volatile char *p = __builtin_alloca(64 + (size_t)(n & 1));

	p[0] = 1;
	deep(n - 1);
	sink += p[0];
}

__attribute__((noinline)) static void deep(int n)
{
	if (n <= 0)
		raise(SIGUSR1);
	else
		deeper(n - 1);
	sink++;
}

int main(void)
{
	struct sigaction sa = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };
	static const int depths[] = { 8, 28, 58 };

	cpi_unwind_init(sys_is_mapped);
	stack = this_stack();
	sigaction(SIGUSR1, &sa, NULL);
	for (int i = 0; i < 3; i++)
		deep(depths[i]);
	return 0;
}
