/*
 * caller_stack.c - the stack of the caller
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Walks here do not use the cache of the thread, since the signal handler that uses that cache may interrupt this
 * function. All threads share a few other caches. A thread uses the same cache each time, unless it is in use. A cache
 * that was in use during fork is never used in the child, because it may be inconsistent.
 */
#include "config.h"

#include "libcpaprof/target/caller_stack.h"
#include "libcpaprof/target/locals.h"
#include "libcpaprof/target/objects.h"
#include "libcpaprof/target/sys.h"
#include "libcpaprof/target/target.h"
#include "libcpaprof/target/threads.h"
#include "libcpaprof/target/unwind/unwind.h"

#include <sys/uio.h>

enum {
	PAGE = 4096,
	COPIED_PAGES = STACK_COPY_SIZE / PAGE,
	N_COPIES = 8,
	N_CACHES = 64,
	N_RULES = 128,
	N_FRAMES = 96, /* frames */
	OWN_FRAMES = 1
};

/* Copies of stacks with unknown bounds: of fibers, and of threads whose start was missed. */
static struct {
	_Atomic uint32_t is_used;
	_Alignas(16) unsigned char bytes[STACK_COPY_SIZE];
} copies[N_COPIES];

static struct walk_cache {
	_Atomic uint32_t is_used;
	struct unwind_cache cache;
	struct unwind_rule rule[N_RULES];
	struct unwind_frame frame[2][N_FRAMES]; /* frames of the last walk, and of the current one */
} caches[N_CACHES];

/* Take a cache; NULL if it is in use. */
static struct walk_cache *claim_cache(void)
{
	uint64_t h = (uintptr_t)&cpi_local * 0x9e3779b97f4a7c15ULL;
	struct walk_cache *m = &caches[(h >> 32) % N_CACHES];

	if (atomic_load_explicit(&m->is_used, memory_order_relaxed) ||
	    atomic_exchange_explicit(&m->is_used, 1, memory_order_acquire))
		return NULL;
	if (!m->cache.rule) {
		m->cache.mask = N_RULES - 1;
		m->cache.first_frame = m->cache.max_frames = N_FRAMES;
		m->cache.frame = m->frame[0];
		m->cache.fresh = m->frame[1];
		m->cache.rule = m->rule;
	}
	return m;
}

#if defined(__x86_64__)
#define REGS_HERE(regs)                                                                                                \
	do {                                                                                                           \
		uint64_t *cpi_r = (regs)->r;                                                                           \
		__asm__ volatile("movq %%rbx, 24(%1)\n\tmovq %%rbp, 48(%1)\n\tmovq %%rsp, 56(%1)\n\t"                  \
				 "movq %%r12, 96(%1)\n\tmovq %%r13, 104(%1)\n\tmovq %%r14, 112(%1)\n\t"                \
				 "movq %%r15, 120(%1)\n\tleaq 0(%%rip), %0"                                            \
				 : "=&r"((regs)->pc)                                                                   \
				 : "r"(cpi_r)                                                                          \
				 : "memory");                                                                          \
		(regs)->known = 1U << 3 | 1U << 6 | 1U << 7 | 0xfU << 12;                                              \
	} while (0)
#else
#define REGS_HERE(regs)                                                                                                \
	do {                                                                                                           \
		uint64_t *cpi_r = (regs)->r;                                                                           \
		__asm__ volatile("mov x9, sp\n\tstp x29, x30, [%1]\n\tstr x9, [%1, #16]\n\tadr %0, ."                  \
				 : "=&r"((regs)->pc)                                                                   \
				 : "r"(cpi_r)                                                                          \
				 : "x9", "memory");                                                                    \
		(regs)->known = 7;                                                                                     \
	} while (0)
#endif

/* Look up the stack of this thread, if its start was seen. */
static void find_stack(void)
{
	struct thread *t = atomic_load_explicit(&cpi_local.thread, memory_order_relaxed);

	if (t && t->top) {
		cpi_local.lo = t->lo;
		cpi_local.top = t->top;
	} else if (sys_gettid() == sys_getpid()) {
		cpi_thread_find_main_stack(&cpi_local.lo, &cpi_local.top);
	}
}

static bool is_own_stack(uint64_t sp)
{
	if (sp >= cpi_local.lo && sp < cpi_local.top)
		return true;
	if (!cpi_local.top || sp < cpi_local.lo)
		find_stack();
	return sp >= cpi_local.lo && sp < cpi_local.top;
}

uint64_t cpi_caller_stack_copy_sig(uint64_t sp, unsigned char *to)
{
	struct iovec local = { .iov_base = to }, remote[COPIED_PAGES];
	uint64_t at = sp;
	long n;

	if (atomic_load_explicit(&cpi.is_sandboxed, memory_order_relaxed))
		return 0;
	/* copy page by page, because each part is copied completely or not at all */
	for (int i = 0; i < COPIED_PAGES; i++) {
		uint64_t end = (at | (PAGE - 1)) + 1;

		remote[i] = (struct iovec){ .iov_base = (void *)(uintptr_t)at, .iov_len = end - at };
		local.iov_len += end - at;
		at = end;
	}
	n = sys_call6(SYS_process_vm_readv, sys_getpid(), (long)&local, 1, (long)remote, COPIED_PAGES, 0);
	return n > 0 ? (uint64_t)n : 0;
}

static uint32_t caller_stack_walk(struct unwind_regs *regs, const struct unwind_range *range, uint64_t *pc,
				  uint32_t max, uint32_t skip)
{
	struct unwind_source source = { .range = range, .n_ranges = 1, .find = cpi_unwind_find_sig };
	struct walk_cache *m = claim_cache();
	struct unwind_result result;
	uint32_t n;

	if (m)
		source.arg = source.cache = &m->cache;
	cpi_objects_read_begin_sig();
	cpi_unwind_walk_sig(&source, regs, pc, max, &result);
	cpi_objects_read_end_sig();
	if (m)
		atomic_store_explicit(&m->is_used, 0, memory_order_release);
	n = result.n > skip ? result.n - skip : 0;
	for (uint32_t i = 0; i < n; i++)
		pc[i] = pc[i + skip] - (i + skip > 0);
	return n;
}

__attribute__((noinline)) uint32_t cpi_caller_stack_sig(uint64_t *pc, uint32_t max, uint32_t skip)
{
	uint32_t n = 0, copy;
	struct unwind_range range;
	struct unwind_regs regs;

	REGS_HERE(&regs);
	range.lo = regs.r[UNWIND_SP];
	if (is_own_stack(range.lo)) {
		range.hi = cpi_local.top;
		range.bytes = (const unsigned char *)(uintptr_t)range.lo;
		n = caller_stack_walk(&regs, &range, pc, max, skip + OWN_FRAMES);
	} else {
		for (copy = 0; copy < N_COPIES && atomic_exchange(&copies[copy].is_used, 1); copy++)
			;
		if (copy == N_COPIES)
			return 0;
		range.hi = range.lo + cpi_caller_stack_copy_sig(range.lo, copies[copy].bytes);
		range.bytes = copies[copy].bytes;
		if (range.hi > range.lo)
			n = caller_stack_walk(&regs, &range, pc, max, skip + OWN_FRAMES);
		atomic_store(&copies[copy].is_used, 0);
	}
	return n;
}
