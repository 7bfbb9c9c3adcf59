/*
 * sample.c - writes stacks into the ring
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A stack is walked in place if the thread started on it, or if it is the alternate stack that the kernel reports.
 * The bounds of other stacks (fibers, threads whose start was missed) are unknown. The kernel copies their readable
 * part into the free part of the ring, and the copy is walked.
 */
#include "config.h"

#include "libcpaprof/target/caller_stack.h"
#include "libcpaprof/target/clock.h"
#include "libcpaprof/target/locals.h"
#include "libcpaprof/target/objects.h"
#include "libcpaprof/target/sample.h"
#include "libcpaprof/target/sys.h"
#include "libcpaprof/target/target.h"
#include "libcpaprof/target/threads.h"
#include "libcpaprof/target/unwind/unwind.h"

#include <sys/mman.h>
#include <ucontext.h>

enum { N_RULES = 256, N_FRAMES = 128, COPIED_WORDS = STACK_COPY_SIZE / 8, MAX_RANGES = 2, ENTERED_MAX = 8 };

/* Cache of the walker, since stacks repeat. Only one thread uses it at a time. */
struct walk_memory {
	struct unwind_cache cache;
	uint32_t generation; /* of the code to which the frames belong */
	struct unwind_rule rule[N_RULES];
	struct unwind_frame frame[2][N_FRAMES]; /* frames of the last walk, and of the current one */
};

static struct walk_memory *memory; /* [n_rings]; memory is allocated when touched, like that of rings */
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

/* Cache of the walker for ring i, or NULL. */
static struct walk_memory *sample_memory_sig(uint32_t i)
{
	struct walk_memory *m = memory ? &memory[i] : NULL;

	if (m && !m->cache.rule) {
		m->cache.mask = N_RULES - 1;
		m->cache.first_frame = m->cache.max_frames = N_FRAMES;
		m->cache.frame = m->frame[0];
		m->cache.fresh = m->frame[1];
		m->cache.rule = m->rule;
	}
	return m;
}

/* Let the collector read the rings before index n. */
static void use_rings_sig(uint32_t n)
{
	uint32_t before = atomic_load_explicit(&cpi.head->n_rings_used, memory_order_relaxed);

	while (before < n && !atomic_compare_exchange_weak(&cpi.head->n_rings_used, &before, n))
		;
}

/*
 * Claim a ring for the thread. Returns false if all are in use. It is the first free one, because the memory of the
 * first rings is allocated already.
 */
__attribute__((cold)) static bool ring_claim_sig(struct thread *t, uint32_t tid)
{
	for (uint32_t i = 0; i < cpi.n_rings; i++) {
		struct segment_ring *r = &cpi.ring[i];
		uint32_t expected = RING_FREE;

		if (atomic_load_explicit(&r->state, memory_order_relaxed) != RING_FREE)
			continue;
		use_rings_sig(i + 1);
		/* the collector reads rings that are owned or retired, so the state is set last */
		if (!atomic_compare_exchange_strong(&r->state, &expected, segment_claim(cpi.pid)))
			continue;
		r->proc = cpi.slot;
		r->serial = cpi.serial;
		atomic_store_explicit(&r->tid, tid, memory_order_relaxed);
		atomic_store_explicit(&r->state, RING_OWNED, memory_order_release);
		t->words = cpi.words + (size_t)i * RING_WORDS;
		t->memory = sample_memory_sig(i);
		t->ring = r;
		return true;
	}
	return false;
}

void cpi_ring_retire(struct thread *t)
{
	struct segment_ring *r = t->ring;

	t->ring = NULL;
	if (r)
		atomic_store_explicit(&r->state, RING_RETIRED, memory_order_release);
}

/*
 * Reserve contiguous room for a record of RECORD_HEAD + max_depth + RECORD_TAIL words. Returns NULL when the ring is
 * full. ring_push_sig publishes the first n words of it.
 */
__attribute__((hot)) static uint64_t *ring_reserve_sig(struct thread *t)
{
	struct segment_ring *r = t->ring;
	uint64_t head = atomic_load_explicit(&r->head, memory_order_relaxed);
	uint64_t tail = atomic_load_explicit(&r->tail, memory_order_acquire);
	uint64_t need = RECORD_HEAD + cpi.max_depth + RECORD_TAIL, at = head % RING_WORDS, to_end = RING_WORDS - at;
	uint64_t pad = to_end < need ? to_end : 0;

	if (head - tail > RING_WORDS || RING_WORDS - (head - tail) < need + pad)
		return NULL;
	if (pad) {
		t->words[at] = record_word(RECORD_PAD, 0, 0, 0);
		atomic_store_explicit(&r->head, head + pad, memory_order_release);
		at = 0;
	}
	return t->words + at;
}

static void ring_push_sig(struct thread *t, uint32_t n)
{
	uint64_t head = atomic_load_explicit(&t->ring->head, memory_order_relaxed);

	atomic_store_explicit(&t->ring->head, head + n, memory_order_release);
}

/* Return n free words after the record at `at`, which the collector does not read; NULL if there are none. */
__attribute__((cold)) static uint64_t *ring_scratch_sig(const struct thread *t, const uint64_t *at, uint32_t n)
{
	uint64_t head = atomic_load_explicit(&t->ring->head, memory_order_relaxed);
	uint64_t tail = atomic_load_explicit(&t->ring->tail, memory_order_acquire);
	uint64_t max = RECORD_HEAD + cpi.max_depth + RECORD_TAIL, from = (uint64_t)(at - t->words) + max;

	/* the words must be free up to the first unread word, and up to the end of the ring */
	if (RING_WORDS - (head - tail) < max + n || RING_WORDS - from < n)
		return (uint64_t)(at - t->words) >= n && head == tail ? t->words : NULL;
	return t->words + from;
}

/*
 * A signal that is late by more than both of these must have been blocked. Hosts that suspend their virtual machine
 * delay signals too, by up to 100 ms in our measurements.
 */
enum { BLOCKED_PERIODS = 8, BLOCKED_NS = 120000000 };
/* A thread that ends with its signal blocked, and owes more than this, stopped being sampled earlier. */
enum { REST_NS = 20000000 };

static bool is_late(const struct thread *t, uint32_t weight)
{
	return weight > BLOCKED_PERIODS && weight * t->period_ns > BLOCKED_NS;
}

/*
 * Did the signal interrupt a system call, other than one that changed the signal mask? Then the delay of a late
 * signal was spent in that call. The syscall instruction leaves rip in rcx; the call that sets the mask is recognised
 * by the values of three arguments.
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

/* The end of the alternate stack if sp is on it, else 0. */
static uint64_t alternate_end_sig(const ucontext_t *uc, uint64_t sp)
{
	uint64_t lo = (uint64_t)(uintptr_t)uc->uc_stack.ss_sp, n = uc->uc_stack.ss_size;

	return !(uc->uc_stack.ss_flags & SS_DISABLE) && sp - lo < n ? lo + n : 0;
}

#if defined(__x86_64__)
/*
 * Two signals often arrive at the same tick of the clock. The kernel then enters the handler of the first one and
 * interrupts it before its first instruction, to deliver ours. That handler has used no time, so the sample is taken of
 * the code that it interrupted. Such a handler has its frame at the stack pointer: the return address into the C library, which is
 * that of our frame too, and the ucontext_t, to which its third argument points.
 */
__attribute__((no_sanitize("address"))) static const ucontext_t *interrupted_sig(const struct thread *t,
										 const ucontext_t *uc)
{
	uint64_t back = ((const uint64_t *)uc)[-1];

	for (int i = 0; i < ENTERED_MAX; i++) {
		uint64_t sp = (uint64_t)uc->uc_mcontext.gregs[REG_RSP];

		if ((uint64_t)uc->uc_mcontext.gregs[REG_RDX] != sp + 8 || sp & 7 ||
		    !(sp - t->lo < t->top - t->lo || alternate_end_sig(uc, sp)) || *(const uint64_t *)sp != back)
			break;
		uc = (const ucontext_t *)(sp + 8);
	}
	return uc;
}
#else
static const ucontext_t *interrupted_sig(const struct thread *t, const ucontext_t *uc)
{
	(void)t;
	return uc;
}
#endif

/* Find the readable ranges of the stack. at: the record. Returns their number. */
static uint32_t ranges_sig(struct thread *t, const ucontext_t *uc, uint64_t sp, uint64_t *at, struct unwind_range *out)
{
	uint64_t alt_end = alternate_end_sig(uc, sp), *free_words;
	uint32_t n = 0;

	if (sp >= t->lo && sp < t->top) {
		if (sp < t->used_lo)
			t->used_lo = sp;
		out[0] = (struct unwind_range){ sp, t->top, (const unsigned char *)(uintptr_t)sp };
		return 1;
	}
	if (alt_end) {
		out[n++] = (struct unwind_range){ sp, alt_end, (const unsigned char *)(uintptr_t)sp };
	} else if ((free_words = ring_scratch_sig(t, at, COPIED_WORDS))) {
		uint64_t n_copied = cpi_caller_stack_copy_sig(sp, (unsigned char *)free_words);

		if (n_copied)
			out[n++] = (struct unwind_range){ sp, sp + n_copied, (const unsigned char *)free_words };
	}
	/* walks continue from an alternate stack on the thread's own stack, whose used part is mapped */
	if (t->used_lo < t->top)
		out[n++] = (struct unwind_range){ t->used_lo, t->top, (const unsigned char *)t->used_lo };
	return n;
}

/* The cache of a thread, without frames if code was unloaded since the last walk: other code may be at their addresses. */
static struct unwind_cache *sample_cache_sig(const struct thread *t)
{
	struct walk_memory *m = t->memory;
	uint32_t generation = atomic_load_explicit(&cpi.generation, memory_order_relaxed);

	if (!m)
		return NULL;
	if (m->generation != generation)
		m->cache.first_frame = m->cache.max_frames;
	m->generation = generation;
	return &m->cache;
}

/* Add 1 to a counter that only the owner of the ring changes, in its handler. */
static void ring_count_sig(_Atomic uint64_t *n)
{
	atomic_store_explicit(n, atomic_load_explicit(n, memory_order_relaxed) + 1, memory_order_relaxed);
}

/*
 * Walk the stack into the record at `at`, which has room for max_depth frames. Return addresses become addresses of
 * calls. Returns the number of frames.
 */
__attribute__((hot)) static uint32_t walk_sig(struct thread *t, const ucontext_t *uc, uint64_t *at)
{
	uint64_t *pc = at + RECORD_HEAD;
	struct unwind_range range[MAX_RANGES];
	struct unwind_source source = { .range = range, .find = cpi_unwind_find_sig };
	struct unwind_result result;
	struct unwind_regs regs;

	source.arg = source.cache = sample_cache_sig(t);
	cpi_unwind_regs_sig(uc, &regs);
	source.n_ranges = ranges_sig(t, uc, regs.r[UNWIND_SP], at, range);
	cpi_objects_read_begin_sig();
	cpi_unwind_walk_sig(&source, &regs, pc, cpi.max_depth, &result);
	cpi_objects_read_end_sig();
	for (uint32_t i = 1; i < result.n; i++)
		pc[i]--;
	ring_count_sig(&t->ring->cut[result.end % N_CUTS]);
	if (result.n_guessed)
		ring_count_sig(&t->ring->guessed);
	return result.n;
}

/* The second word of a record: label and thread. */
static uint64_t owner_sig(const struct thread *t)
{
	return (uint64_t)atomic_load_explicit(&cpi_local.label, memory_order_relaxed) << 32 |
	       atomic_load_explicit(&t->tid, memory_order_relaxed);
}

/* The generation as record flags. Read before the walk: code unloaded during the walk is not on this stack. */
static uint32_t generation_sig(void)
{
	return (atomic_load_explicit(&cpi.generation, memory_order_relaxed) % RECORD_GENERATIONS)
	       << RECORD_GENERATION_SHIFT;
}

/* The current time if samples have times, else 0. */
static uint64_t time_sig(void)
{
	return atomic_load_explicit(&cpi.head->times, memory_order_relaxed) ? sys_now(CLOCK_MONOTONIC) : 0;
}

/* Complete the record at `at` with its time, and publish it. */
static void finish_sig(struct thread *t, uint64_t *at, uint32_t n, uint64_t time)
{
	if (time) {
		at[0] |= (uint64_t)RECORD_TIMED << 60;
		at[RECORD_HEAD + n] = time;
	}
	ring_push_sig(t, RECORD_HEAD + n + (time ? RECORD_TAIL : 0));
}

/* Reserve a record. Without room the weight is counted as lost, and NULL returned. */
static uint64_t *target_sample_reserve_sig(struct thread *t, uint32_t weight)
{
	uint64_t *at = ring_reserve_sig(t);

	if (!at)
		atomic_fetch_add_explicit(&t->ring->lost, weight, memory_order_relaxed);
	return at;
}

/* Claim a ring, unless the thread has one. Without one the weight is counted as lost, and false returned. */
static bool target_sample_ring_sig(struct thread *t, uint32_t weight)
{
	if (t->ring || ring_claim_sig(t, atomic_load_explicit(&t->tid, memory_order_relaxed)))
		return true;
	atomic_fetch_add_explicit(&atomic_load_explicit(&cpi.proc, memory_order_relaxed)->lost, weight,
				  memory_order_relaxed);
	return false;
}

static void write_sample_sig(struct thread *t, const ucontext_t *uc, uint32_t weight)
{
	uint64_t *at = target_sample_reserve_sig(t, weight), time = time_sig();
	bool blocked = is_late(t, weight) && !in_call_sig(uc);
	uint32_t n = 0, generation = generation_sig();

	if (!at)
		return;
	if (!blocked)
		n = walk_sig(t, uc, at);
	at[0] = record_word(RECORD_CPU, (blocked ? RECORD_BLOCKED : 0) | generation, n, weight);
	at[1] = owner_sig(t);
	finish_sig(t, at, n, time);
}

/* Charge time in the kernel, which has no stack. Its record precedes that of the stack. */
__attribute__((cold)) static void write_kernel_sig(struct thread *t, uint32_t weight)
{
	uint64_t *at = target_sample_reserve_sig(t, weight);

	if (!at)
		return;
	at[0] = record_word(RECORD_KERNEL, generation_sig(), 0, weight);
	at[1] = owner_sig(t);
	finish_sig(t, at, 0, time_sig());
}

static void write_rest(struct thread *t, uint32_t weight, bool blocked)
{
	uint64_t *at = target_sample_reserve_sig(t, weight);
	bool is_repeat = t->n_charged > 0 && !blocked;
	bool is_own = atomic_load_explicit(&t->tid, memory_order_relaxed) == sys_gettid();
	uint32_t n = !is_repeat && !blocked && t->start;
	uint32_t flags = generation_sig() | (is_repeat || n ? 0 : RECORD_BLOCKED);

	if (!at)
		return;
	at[0] = record_word(is_repeat ? RECORD_REPEAT : RECORD_CPU, flags, n, weight);
	at[1] = is_own ? owner_sig(t) : atomic_load_explicit(&t->tid, memory_order_relaxed);
	at[2] = t->start;
	finish_sig(t, at, n, time_sig());
}

/*
 * The current stack does not show where the time was spent. Most likely it was where the last sample was taken. A
 * thread without samples is charged to the function it started with. If it used much time, it has our signal blocked.
 */
void cpi_sample_charge_rest(struct thread *t, bool is_blocked)
{
	uint32_t weight = cpi_is_on_sig() ? cpi_clock_owed_sig(t) : 0;
	bool blocked = is_late(t, weight) || (is_blocked && weight * t->period_ns > REST_NS);

	if (!weight || (!t->n_charged && !t->start && !blocked))
		return;
	if (!atomic_load(&cpi.proc) && !cpi_process_claim_sig())
		return;
	if (target_sample_ring_sig(t, weight))
		write_rest(t, weight, blocked);
}

void cpi_sample_sig(struct thread *t, const void *context, uint32_t weight)
{
	uint32_t kernel;

	t->n_charged += weight;
	if (!target_sample_ring_sig(t, weight))
		return;
	if (atomic_load_explicit(&cpi_local.busy, memory_order_relaxed)) {
		atomic_fetch_add_explicit(&t->ring->nested, weight, memory_order_relaxed);
		return;
	}
	atomic_store_explicit(&cpi_local.busy, 1, memory_order_relaxed);
	kernel = weight > 1 && !is_late(t, weight) ? cpi_perf_kernel_sig(t, weight - 1) : 0;
	if (kernel)
		write_kernel_sig(t, kernel);
	write_sample_sig(t, interrupted_sig(t, context), weight - kernel);
	atomic_store_explicit(&cpi_local.busy, 0, memory_order_relaxed);
}

void cpi_sample_report_stack_sig(struct thread *t, const void *context)
{
	uint64_t *at;
	uint32_t n;

	if (atomic_load_explicit(&cpi_local.busy, memory_order_relaxed) ||
	    (!t->ring && !ring_claim_sig(t, atomic_load_explicit(&t->tid, memory_order_relaxed))))
		return;
	atomic_store_explicit(&cpi_local.busy, 1, memory_order_relaxed);
	at = ring_reserve_sig(t);
	if (at) {
		n = walk_sig(t, interrupted_sig(t, context), at);
		at[0] = record_word(RECORD_THREAD, 0, n, 0);
		at[1] = owner_sig(t);
		ring_push_sig(t, RECORD_HEAD + n);
	}
	if (!cpi_cpu_is_on_sig()) /* no more records will follow */
		cpi_ring_retire(t);
	atomic_store_explicit(&cpi_local.busy, 0, memory_order_relaxed);
}
