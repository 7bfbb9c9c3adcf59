/*
 * sample.c - a stack into the ring
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The stack is walked where it is when it is the one that the thread began on, or the alternate stack
 * that the kernel knows. Of others (fibers, threads that nobody saw start) nothing says where they end,
 * so the kernel copies what can be read of them, into the free part of the ring, and the copy is walked.
 */
#include "config.h"

#include "libcpaprof/target/clock.h"
#include "libcpaprof/target/locals.h"
#include "libcpaprof/target/objects.h"
#include "libcpaprof/target/ring.h"
#include "libcpaprof/target/sample.h"
#include "libcpaprof/target/sys.h"
#include "libcpaprof/target/target.h"
#include "libcpaprof/target/threads.h"
#include "libcpaprof/target/unwind/unwind.h"

#include <sys/mman.h>
#include <sys/uio.h>
#include <ucontext.h>

enum { N_RULES = 256, PAGE = 4096, N_COPIED_PAGES = 3, COPIED_WORDS = N_COPIED_PAGES * PAGE / 8, MAX_RANGES = 2 };

/* What the walker remembers: where it was before it will be again. One thread uses it at a time. */
struct walk_memory {
	struct unwind_cache cache;
	struct unwind_rule rule[N_RULES];
};

static struct walk_memory *memory; /* [n_rings]; touched as rings are */
static uint32_t n_memories;

void cpi_sample_init(uint32_t n)
{
	void *p = mmap(NULL, n * sizeof(*memory), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		       -1, 0);

	memory = p == MAP_FAILED ? NULL : p;
	n_memories = memory ? n : 0;
}

bool cpi_sample_is_memory(uintptr_t at)
{
	return at - (uintptr_t)memory < n_memories * sizeof(*memory);
}

struct walk_memory *cpi_sample_memory_sig(uint32_t i)
{
	struct walk_memory *m = memory ? &memory[i] : NULL;

	if (m && !m->cache.rule) {
		m->cache.rule = m->rule;
		m->cache.mask = N_RULES - 1;
	}
	return m;
}

/*
 * A sample that waited for so many periods, and so long, was blocked. Machines that are halted by their
 * host make signals late too: 100 ms were seen.
 */
enum { BLOCKED_PERIODS = 64, BLOCKED_NS = 250000000 };

static bool is_late(const struct thread *t, uint32_t weight)
{
	return weight > BLOCKED_PERIODS && weight * t->period_ns > BLOCKED_NS;
}

/*
 * Did the kernel interrupt a system call, and not one that changed the signal mask? Then the time of
 * a late signal is that of the call. The instruction leaves rip in rcx; the mask call has three
 * arguments known by their values.
 */
static bool in_call_sig(const ucontext_t *uc)
{
#if defined(__x86_64__)
	const greg_t *r = uc->uc_mcontext.gregs;

	return r[REG_RCX] == r[REG_RIP] &&
	       !(r[REG_RAX] == 0 && r[REG_R10] == SYS_MASK_SIZE && (uint64_t)r[REG_RDI] <= SIG_SETMASK);
#else
	(void)uc;
	return false;
#endif
}

/* Copy what is at sp. Gives how many bytes there are. */
static uint64_t copy_sig(uint64_t sp, unsigned char *to)
{
	struct iovec here = { .iov_base = to, .iov_len = 0 }, there[N_COPIED_PAGES];
	uint64_t at = sp;
	long n;

	/* a page at a time: a part is copied as a whole or not at all */
	for (int i = 0; i < N_COPIED_PAGES; i++) {
		uint64_t end = (at | (PAGE - 1)) + 1;

		there[i] = (struct iovec){ .iov_base = (void *)(uintptr_t)at, .iov_len = end - at };
		here.iov_len += end - at;
		at = end;
	}
	n = sys_call6(SYS_process_vm_readv, cpi.pid, (long)&here, 1, (long)there, N_COPIED_PAGES, 0);
	return n > 0 ? (uint64_t)n : 0;
}

/* What of the stack can be read. Gives how many ranges there are. */
static uint32_t ranges_sig(struct thread *t, const ucontext_t *uc, uint64_t sp, uint64_t *free_words,
			   struct unwind_range *out)
{
	uint64_t alt = (uint64_t)(uintptr_t)uc->uc_stack.ss_sp, alt_end = alt + uc->uc_stack.ss_size;
	uint32_t n = 0;

	if (sp >= t->lo && sp < t->top) {
		if (sp < t->low)
			t->low = sp;
		out[0] = (struct unwind_range){ sp, t->top, (const unsigned char *)(uintptr_t)sp };
		return 1;
	}
	if (!(uc->uc_stack.ss_flags & SS_DISABLE) && sp >= alt && sp < alt_end) {
		out[n++] = (struct unwind_range){ sp, alt_end, (const unsigned char *)(uintptr_t)sp };
	} else if (free_words) {
		uint64_t got = copy_sig(sp, (unsigned char *)free_words);

		if (got)
			out[n++] = (struct unwind_range){ sp, sp + got, (const unsigned char *)free_words };
	}
	/* an alternate stack leads back to the thread's own; what was in use of it is mapped */
	if (t->low < t->top)
		out[n++] = (struct unwind_range){ t->low, t->top, (const unsigned char *)t->low };
	return n;
}

/* Walk into pc[max]; return addresses become addresses of calls. Gives the number of frames. */
static uint32_t walk_sig(struct thread *t, const ucontext_t *uc, uint64_t *pc, uint64_t *free_words)
{
	struct unwind_range range[MAX_RANGES];
	struct unwind_from from = { .range = range, .find = cpi_unwind_find_sig };
	struct unwind_result result;
	struct unwind_regs regs;

	if (t->memory)
		from.arg = from.cache = &t->memory->cache;
	cpi_unwind_regs_sig(uc, &regs);
	from.n_ranges = ranges_sig(t, uc, regs.r[UNWIND_SP], free_words, range);
	cpi_objects_enter_sig();
	cpi_unwind_walk_sig(&from, &regs, pc, cpi.max_depth, &result);
	cpi_objects_leave_sig();
	for (uint32_t i = 1; i < result.n; i++)
		pc[i]--;
	atomic_fetch_add_explicit(&t->ring->cut[result.end % N_CUTS], 1, memory_order_relaxed);
	return result.n;
}

/* Whose record it is: its second word. */
static uint64_t who_sig(const struct thread *t)
{
	return (uint64_t)atomic_load_explicit(&cpi_local.label, memory_order_relaxed) << 32 |
	       atomic_load_explicit(&t->tid, memory_order_relaxed);
}

/* As flags of a record. Of before the walk: what is unloaded during it is not on this stack. */
static uint32_t generation_sig(void)
{
	return (atomic_load_explicit(&cpi.generation, memory_order_relaxed) % RECORD_GENERATIONS)
	       << RECORD_GENERATION_SHIFT;
}

/* Now, if samples have times; else 0. */
static uint64_t time_sig(void)
{
	return atomic_load_explicit(&cpi.head->times, memory_order_relaxed) ? sys_now(CLOCK_MONOTONIC) : 0;
}

/* The record at `at` is whole but for its time. */
static void finish_sig(struct thread *t, uint64_t *at, uint32_t n, uint64_t time)
{
	if (time) {
		at[0] |= (uint64_t)RECORD_TIMED << 60;
		at[RECORD_HEAD + n] = time;
	}
	cpi_ring_push_sig(t, RECORD_HEAD + n + (time ? RECORD_TAIL : 0));
}

static void put_sig(struct thread *t, const ucontext_t *uc, uint32_t weight)
{
	uint64_t *at = cpi_ring_room_sig(t), *copy = NULL, time = time_sig();
	bool blocked = is_late(t, weight) && !in_call_sig(uc);
	uint32_t n = 0, generation = generation_sig();

	if (!at) {
		atomic_fetch_add_explicit(&t->ring->lost, weight, memory_order_relaxed);
		return;
	}
	if (!blocked) {
		copy = cpi_ring_spare_sig(t, at, COPIED_WORDS);
		n = walk_sig(t, uc, at + RECORD_HEAD, copy);
	}
	at[0] = record_word(RECORD_CPU, (blocked ? RECORD_BLOCKED : 0) | generation, n, weight);
	at[1] = who_sig(t);
	finish_sig(t, at, n, time);
}

static void put_end(struct thread *t, uint32_t weight)
{
	uint64_t *at = cpi_ring_room_sig(t);
	bool again = t->n_charged > 0;
	bool mine = atomic_load_explicit(&t->tid, memory_order_relaxed) == sys_gettid();
	uint32_t n = !again && t->start, flags = generation_sig() | (again || n ? 0 : RECORD_BLOCKED);

	if (!at) {
		atomic_fetch_add_explicit(&t->ring->lost, weight, memory_order_relaxed);
		return;
	}
	at[0] = record_word(again ? RECORD_AGAIN : RECORD_CPU, flags, n, weight);
	at[1] = mine ? who_sig(t) : atomic_load_explicit(&t->tid, memory_order_relaxed);
	at[2] = t->start;
	finish_sig(t, at, n, time_sig());
}

/*
 * Where the thread is now says nothing of where it was. Most likely that was where the last sample
 * found it; one that was never found is charged to the function it began in. One that used much time, and began
 * before profiling did, has our signal blocked.
 */
void cpi_sample_end(struct thread *t)
{
	uint32_t weight = cpi_on_sig() ? cpi_clock_owed_sig(t) : 0;

	if (!weight || (!t->n_charged && !t->start && !is_late(t, weight)))
		return;
	if (!atomic_load(&cpi.proc) && !cpi_process_claim_sig())
		return;
	if (!t->ring && !cpi_ring_claim_sig(t, atomic_load_explicit(&t->tid, memory_order_relaxed)))
		atomic_fetch_add_explicit(&atomic_load_explicit(&cpi.proc, memory_order_relaxed)->lost, weight,
					  memory_order_relaxed);
	else
		put_end(t, weight);
}

void cpi_sample_sig(struct thread *t, const void *context, uint32_t weight)
{
	t->n_charged += weight;
	if (!t->ring && !cpi_ring_claim_sig(t, atomic_load_explicit(&t->tid, memory_order_relaxed))) {
		atomic_fetch_add_explicit(&atomic_load_explicit(&cpi.proc, memory_order_relaxed)->lost, weight,
					  memory_order_relaxed);
		return;
	}
	if (atomic_load_explicit(&cpi_local.busy, memory_order_relaxed)) {
		atomic_fetch_add_explicit(&t->ring->nested, weight, memory_order_relaxed);
		return;
	}
	atomic_store_explicit(&cpi_local.busy, 1, memory_order_relaxed);
	put_sig(t, context, weight);
	atomic_store_explicit(&cpi_local.busy, 0, memory_order_relaxed);
}

void cpi_sample_tell_sig(struct thread *t, const void *context)
{
	uint64_t *at;
	uint32_t n;

	if (atomic_load_explicit(&cpi_local.busy, memory_order_relaxed) ||
	    (!t->ring && !cpi_ring_claim_sig(t, atomic_load_explicit(&t->tid, memory_order_relaxed))))
		return;
	atomic_store_explicit(&cpi_local.busy, 1, memory_order_relaxed);
	at = cpi_ring_room_sig(t);
	if (at) {
		n = walk_sig(t, context, at + RECORD_HEAD, cpi_ring_spare_sig(t, at, COPIED_WORDS));
		at[0] = record_word(RECORD_THREAD, 0, n, 0);
		at[1] = who_sig(t);
		cpi_ring_push_sig(t, RECORD_HEAD + n);
	}
	if (!cpi_cpu_on_sig()) /* it has no more to say */
		cpi_ring_retire(t);
	atomic_store_explicit(&cpi_local.busy, 0, memory_order_relaxed);
}
