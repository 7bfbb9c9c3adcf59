/*
 * here.c - the stack of whoever calls us
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * What is remembered between walks is not the memory of the thread, which the signal handler uses that may
 * interrupt this one, but one of a few for all threads. Threads come back to the same one if it is not taken.
 * One that is taken while the process is forked stays so in the child: nobody knows how far it was written.
 */
#include "config.h"

#include "libcpaprof/target/here.h"
#include "libcpaprof/target/locals.h"
#include "libcpaprof/target/objects.h"
#include "libcpaprof/target/sys.h"
#include "libcpaprof/target/threads.h"
#include "libcpaprof/target/unwind/unwind.h"

#include <sys/resource.h>
#include <sys/uio.h>

extern void *__libc_stack_end; /* of ld.so: where the stack of the main thread begins */

enum {
	PAGE = 4096,
	COPIED_PAGES = 3,
	N_COPIES = 8,
	N_MEMORIES = 64,
	N_RULES = 128,
	N_KEPT = 96, /* frames */
	OURS = 1,
	STACK_MOST = 512 << 20
};

/* Copies of stacks that nobody knows the end of: of fibers, and of threads that nobody saw begin. */
static struct {
	_Atomic uint32_t taken;
	_Alignas(16) unsigned char bytes[COPIED_PAGES * PAGE];
} copies[N_COPIES];

static struct memory {
	_Atomic uint32_t taken;
	struct unwind_cache cache;
	struct unwind_rule rule[N_RULES];
	struct unwind_frame frame[2][N_KEPT]; /* of the last walk, and of this one */
} memories[N_MEMORIES];

/* NULL when it is taken. */
static struct memory *take_memory(void)
{
	uint64_t h = (uintptr_t)&cpi_local * 0x9e3779b97f4a7c15ULL;
	struct memory *m = &memories[(h >> 32) % N_MEMORIES];

	if (atomic_load_explicit(&m->taken, memory_order_relaxed) ||
	    atomic_exchange_explicit(&m->taken, 1, memory_order_acquire))
		return NULL;
	if (!m->cache.rule) {
		m->cache.mask = N_RULES - 1;
		m->cache.first_frame = m->cache.max_frames = N_KEPT;
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

/* Where the stack of this thread is, if it was seen to begin. That of the main thread grows, up to its limit. */
static void look_for_stack(void)
{
	uintptr_t end = ((uintptr_t)__libc_stack_end + 64) & ~(uintptr_t)15;
	struct thread *t = atomic_load_explicit(&cpi_local.thread, memory_order_relaxed);
	struct rlimit limit;
	uintptr_t size = STACK_MOST;

	if (t && t->top) {
		cpi_local.lo = t->lo;
		cpi_local.top = t->top;
	} else if (sys_gettid() == sys_getpid()) {
		if (sys_call(SYS_getrlimit, RLIMIT_STACK, (long)&limit, 0, 0) == 0 && limit.rlim_cur < size)
			size = limit.rlim_cur;
		cpi_local.lo = end - size;
		cpi_local.top = end;
	}
}

static bool is_own(uint64_t sp)
{
	if (sp >= cpi_local.lo && sp < cpi_local.top)
		return true;
	if (!cpi_local.top || sp < cpi_local.lo)
		look_for_stack();
	return sp >= cpi_local.lo && sp < cpi_local.top;
}

/* Copy what is at sp. Gives the number of bytes. */
static uint64_t copy_sig(uint64_t sp, unsigned char *to)
{
	struct iovec here = { .iov_base = to }, there[COPIED_PAGES];
	uint64_t at = sp;
	long n;

	for (int i = 0; i < COPIED_PAGES; i++) {
		uint64_t end = (at | (PAGE - 1)) + 1;

		there[i] = (struct iovec){ .iov_base = (void *)(uintptr_t)at, .iov_len = end - at };
		here.iov_len += end - at;
		at = end;
	}
	n = sys_call6(SYS_process_vm_readv, sys_getpid(), (long)&here, 1, (long)there, COPIED_PAGES, 0);
	return n > 0 ? (uint64_t)n : 0;
}

static uint32_t walk(struct unwind_regs *regs, const struct unwind_range *range, uint64_t *pc, uint32_t max,
		     uint32_t skip)
{
	struct unwind_from from = { .range = range, .n_ranges = 1, .find = cpi_unwind_find_sig };
	struct memory *m = take_memory();
	struct unwind_result result;
	uint32_t n;

	if (m)
		from.arg = from.cache = &m->cache;
	cpi_objects_enter_sig();
	cpi_unwind_walk_sig(&from, regs, pc, max, &result);
	cpi_objects_leave_sig();
	if (m)
		atomic_store_explicit(&m->taken, 0, memory_order_release);
	n = result.n > skip ? result.n - skip : 0;
	for (uint32_t i = 0; i < n; i++)
		pc[i] = pc[i + skip] - (i + skip > 0);
	return n;
}

__attribute__((noinline)) uint32_t cpi_here_sig(uint64_t *pc, uint32_t max, uint32_t skip)
{
	uint32_t n = 0, copy;
	struct unwind_range range;
	struct unwind_regs regs;

	REGS_HERE(&regs);
	range.lo = regs.r[UNWIND_SP];
	if (is_own(range.lo)) {
		range.hi = cpi_local.top;
		range.bytes = (const unsigned char *)(uintptr_t)range.lo;
		n = walk(&regs, &range, pc, max, skip + OURS);
	} else {
		for (copy = 0; copy < N_COPIES && atomic_exchange(&copies[copy].taken, 1); copy++)
			;
		if (copy == N_COPIES)
			return 0;
		range.hi = range.lo + copy_sig(range.lo, copies[copy].bytes);
		range.bytes = copies[copy].bytes;
		if (range.hi > range.lo)
			n = walk(&regs, &range, pc, max, skip + OURS);
		atomic_store(&copies[copy].taken, 0);
	}
	return n;
}
