/*
 * unwind_compare.c - a preloaded library that walks each sample with cpa and with libunwind
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * usage: UNWIND_COMPARE_OUT=FILE [UNWIND_COMPARE_HZ=N] LD_PRELOAD=./unwind_compare.so PROGRAM
 *
 * Appends one line of numbers to FILE when the program ends, and up to N_SHOWN stacks that differ. The unwinders take
 * turns, and only the first walk of a sample is timed, because it fills the caches. For tests only: libunwind takes
 * locks in the handler.
 */
#define UNW_LOCAL_ONLY

#include "config.h"

#include "libcpaprof/target/sys.h"
#include "libcpaprof/target/unwind/unwind.h"

#include <errno.h>
#include <fcntl.h>
#include <libunwind.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum { MAX = 1024, N_TIMES = 20000, N_SHOWN = 20, N_RULES = 1024 };
enum walker { PLAIN, CACHED, LIBUNWIND, PEEKED, N_WALKERS };

struct times {
	uint32_t n;
	uint32_t ns[N_TIMES];
};

static struct unwind_rule rules[N_RULES];
static struct unwind_frame frames[2][512];
static struct unwind_cache cache = {
	.frame = frames[0], .fresh = frames[1], .max_frames = 512, .rule = rules, .mask = N_RULES - 1
};
static struct unwind_range stack;
static struct times times[N_WALKERS];
static uint64_t n_samples, n_equal, n_other, n_frames, n_ends[UNWIND_N_ENDS], n_cached_differs;
static uint64_t n_peeked, n_peeked_equal, n_guessed;
static pid_t main_thread, pid;
static int out_fd = -1, n_shown;
static uint64_t depth[N_TIMES];

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

struct walked {
	uint64_t pc[MAX];
	struct unwind_result r;
};

static void walk(enum walker who, const ucontext_t *uc, struct walked *out)
{
	struct unwind_source from = { .range = &stack, .n_ranges = 1, .find = cpi_unwind_find_sig };
	struct unwind_regs regs;

	if (who == CACHED) {
		from.cache = &cache;
		from.arg = &cache;
	}
	cpi_unwind_regs_sig(uc, &regs);
	if (who == PEEKED)
		cpi_unwind_regs_of_pc_sp_sig(regs.pc, regs.r[UNWIND_SP], &regs);
	cpi_unwind_walk_sig(&from, &regs, out->pc, MAX, &out->r);
}

static void walk_libunwind(ucontext_t *uc, struct walked *out)
{
	unw_cursor_t c;
	uint32_t n = 0;
	unw_word_t ip;

	if (unw_init_local2(&c, uc, UNW_INIT_SIGNAL_FRAME) == 0)
		do {
			if (unw_get_reg(&c, UNW_REG_IP, &ip) < 0 || ip == 0)
				break;
			out->pc[n++] = ip;
		} while (n < MAX && unw_step(&c) > 0);
	out->r.n = n;
}

/* Add 1 to addresses of frames that are not calls. */
static bool same(const struct walked *a, const struct walked *b)
{
	if (a->r.n != b->r.n)
		return false;
	for (uint32_t i = 0; i < a->r.n; i++)
		if (a->pc[i] != b->pc[i] && a->pc[i] != b->pc[i] + 1)
			return false;
	return true;
}

static void show(const char *name, const struct walked *w)
{
	dprintf(out_fd, "  %s end %d:", name, w->r.end);
	for (uint32_t i = 0; i < w->r.n && i < 60; i++)
		dprintf(out_fd, " %lx", (long)w->pc[i]);
	dprintf(out_fd, "\n");
}

static void timed(enum walker who, ucontext_t *uc, struct walked *out)
{
	uint64_t t = now_ns();

	if (who == LIBUNWIND)
		walk_libunwind(uc, out);
	else
		walk(who, uc, out);
	t = now_ns() - t;
	if (times[who].n < N_TIMES)
		times[who].ns[times[who].n++] = (uint32_t)t;
}

static void on_signal(int sig, siginfo_t *info, void *arg)
{
	static struct walked w[N_WALKERS];
	int saved = errno;
	enum walker first = n_samples % 3;

	(void)sig;
	(void)info;
	if (syscall(SYS_gettid) != main_thread) {
		n_other++;
		return;
	}
	timed(first, arg, &w[first]);
	for (enum walker i = 0; i < N_WALKERS; i++)
		if (i == LIBUNWIND && i != first)
			walk_libunwind(arg, &w[i]);
		else if (i != first)
			walk(i, arg, &w[i]);
	if (n_samples < N_TIMES)
		depth[n_samples] = w[PLAIN].r.n;
	n_samples++;
	n_frames += w[PLAIN].r.n;
	n_ends[w[PLAIN].r.end]++;
	n_guessed += w[PLAIN].r.n_guessed != 0;
	n_cached_differs += !same(&w[CACHED], &w[PLAIN]);
	n_peeked += w[PEEKED].r.end == UNWIND_ROOT;
	n_peeked_equal += same(&w[PEEKED], &w[PLAIN]);
	if (same(&w[PLAIN], &w[LIBUNWIND])) {
		n_equal++;
	} else if (n_shown++ < N_SHOWN) {
		show("cpa      ", &w[PLAIN]);
		show("libunwind", &w[LIBUNWIND]);
	}
	errno = saved;
}

static int by_size(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static uint32_t quantile(struct times *t, uint32_t percent)
{
	return t->n ? t->ns[(uint64_t)(t->n - 1) * percent / 100] : 0;
}

__attribute__((destructor)) static void finish(void)
{
	struct itimerval off = { 0 };

	setitimer(ITIMER_PROF, &off, NULL);
	if (out_fd < 0 || getpid() != pid || n_samples == 0)
		return;
	for (int i = 0; i < N_WALKERS; i++)
		qsort(times[i].ns, times[i].n, sizeof(uint32_t), by_size);
	dprintf(out_fd,
		"%s: samples %lu frames %.1f equal %.3f%% complete %.3f%% guessed %lu cache-differs %lu other %lu\n",
		program_invocation_short_name, n_samples, (double)n_frames / (double)n_samples,
		100.0 * (double)n_equal / (double)n_samples, 100.0 * (double)n_ends[UNWIND_ROOT] / (double)n_samples,
		n_guessed, n_cached_differs, n_other);
	dprintf(out_fd,
		"  ns median/p90: plain %u/%u cached %u/%u libunwind %u/%u  cache hits %.1f%%  peeked: root %.2f%% "
		"same %.2f%%\n",
		quantile(&times[PLAIN], 50), quantile(&times[PLAIN], 90), quantile(&times[CACHED], 50),
		quantile(&times[CACHED], 90), quantile(&times[LIBUNWIND], 50), quantile(&times[LIBUNWIND], 90),
		100.0 * cache.n_hit / (cache.n_hit + cache.n_miss + 1.0), 100.0 * (double)n_peeked / (double)n_samples,
		100.0 * (double)n_peeked_equal / (double)n_samples);
	dprintf(out_fd, "  ends:");
	for (int i = 0; i < UNWIND_N_ENDS; i++)
		dprintf(out_fd, " %lu", n_ends[i]);
	dprintf(out_fd, "\n");
}

__attribute__((constructor)) static void start(void)
{
	struct sigaction sa = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK };
	const char *path = getenv("UNWIND_COMPARE_OUT"), *hz = getenv("UNWIND_COMPARE_HZ");
	long us = 1000000 / (hz ? atol(hz) : 250);
	struct itimerval every = { { 0, us }, { 0, us } };
	pthread_attr_t attr;
	size_t size;
	void *lo;

	out_fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644) : -1;
	if (out_fd < 0 || pthread_getattr_np(pthread_self(), &attr) != 0)
		return;
	pthread_attr_getstack(&attr, &lo, &size);
	stack = (struct unwind_range){ (uint64_t)lo, (uint64_t)lo + size, lo };
	cpi_unwind_init(sys_is_mapped);
	main_thread = (pid_t)syscall(SYS_gettid);
	pid = getpid();
	sigfillset(&sa.sa_mask);
	sigaction(SIGPROF, &sa, NULL);
	setitimer(ITIMER_PROF, &every, NULL);
}
