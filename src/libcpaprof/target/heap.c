/*
 * heap.c - samples of the heap: choose objects, record them, remember them until they are freed
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Random intervals are computed without libm, because a program that does not use libm would have to load it. The
 * series are short because their arguments are small. They are exact to about 1e-15.
 *
 * Counters are per stack and size class. An object adds its weight when it is allocated, and the same weight when it is
 * freed, so in use never drops below 0. It is removed from the live objects before it is really freed, because from
 * then on another thread can get its address.
 *
 * A child of fork has its own tables. Inherited objects are not in its filter, so it ignores them. No lock is needed
 * for fork. A child that was created without our fork handlers counts nothing, because the kernel has cleared its mark.
 * A child that shares memory (vfork) has the mark, and its objects are in the tables of its parent.
 */
#include "config.h"

#include "libcpaprof/target/heap.h"
#include "libcpaprof/target/caller_stack.h"
#include "libcpaprof/target/locals.h"
#include "libcpaprof/target/sys.h"
#include "libcpaprof/target/target.h"

#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#define LN2 0.693147180559945309417
#define SQRT2 1.41421356237309504880

#define EXP_SMALL 0x1p-7

enum {
	FIXED = 1024,
	LOG_TERMS = 11,
	EXP_TERMS = 18,
	EXP_SMALL_TERMS = 7,
	EXP_ARGUMENT_MAX = 40,
	DRAW_BITS = 62,
	GRND_NO_WAIT = 1
};

/* 1 / (2 i + 1) and 1 / i, because divisions would take most of the time */
static const double odd_inverse[LOG_TERMS + 1] = { 1.,      1 / 3.,  1 / 5.,  1 / 7.,  1 / 9.,  1 / 11.,
						   1 / 13., 1 / 15., 1 / 17., 1 / 19., 1 / 21., 1 / 23. };
static const double inverse[EXP_TERMS + 1] = { 0.,      1.,      1 / 2.,  1 / 3.,  1 / 4.,  1 / 5.,  1 / 6.,
					       1 / 7.,  1 / 8.,  1 / 9.,  1 / 10., 1 / 11., 1 / 12., 1 / 13.,
					       1 / 14., 1 / 15., 1 / 16., 1 / 17., 1 / 18. };

/* ln(x) for 0 < x <= 1: 2 atanh((m - 1) / (m + 1)) of the mantissa m */
static double ln(double x)
{
	uint64_t bits;
	double m, s, sum = 0;
	int exponent;

	memcpy(&bits, &x, sizeof(bits));
	exponent = (int)(bits >> 52) - 1023;
	bits = (bits & ((1ULL << 52) - 1)) | 1023ULL << 52;
	memcpy(&m, &bits, sizeof(m));
	if (m > SQRT2) {
		m /= 2;
		exponent++;
	}
	s = (m - 1) / (m + 1);
	for (int i = LOG_TERMS; i >= 0; i--)
		sum = sum * (s * s) + odd_inverse[i];
	return exponent * LN2 + 2 * s * sum;
}

/* 1 - exp(-x) for x >= 0, exact for small x, which need fewer terms */
static double one_minus_exp(double x)
{
	double r, sum = 0, half = 1;
	int k, n_terms = x < EXP_SMALL ? EXP_SMALL_TERMS : EXP_TERMS;

	if (x >= EXP_ARGUMENT_MAX)
		return 1;
	k = (int)(x / LN2);
	r = x - k * LN2;
	for (int i = n_terms; i >= 1; i--)
		sum = (1 - sum) * (r * inverse[i]);
	while (k-- > 0)
		half /= 2;
	return 1 - half + half * sum;
}

uint64_t cpi_heap_random(uint64_t *random)
{
	uint64_t z = *random += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

static uint64_t seed(void)
{
	uint64_t s = 0;

	if (sys_call(SYS_getrandom, (long)&s, sizeof(s), GRND_NO_WAIT, 0) != sizeof(s))
		s = sys_now(CLOCK_MONOTONIC) ^ (uint64_t)sys_gettid() << 40;
	return s ? s : 1;
}

uint64_t cpi_heap_draw(uint64_t *random, uint32_t rate)
{
	double u, bytes;

	if (rate <= 1)
		return 0;
	if (*random == 0)
		*random = seed();
	u = (double)((cpi_heap_random(random) >> 11) + 1) * 0x1p-53;
	bytes = -ln(u) * rate;
	return bytes < 0x1p62 ? (uint64_t)bytes : 1ULL << DRAW_BITS;
}

uint64_t cpi_heap_weight(uint64_t size, uint32_t rate)
{
	if (rate <= 1)
		return FIXED;
	return (uint64_t)(FIXED / one_minus_exp((double)size / rate) + 0.5);
}

enum {
	RECHECK_BYTES = 1 << 20, /* bytes that a thread allocates before it checks whether sampling is on */
	CLASS_MIN = 16,
	PAGE = 4096,
};

/* The kernel clears this page in a forked child. */
static _Alignas(PAGE) struct {
	_Atomic uint8_t n_ours;
	uint8_t rest[PAGE - 1];
} mark;
static bool compares_pid; /* the kernel cannot clear a page in the child: compare the pid instead */

static _Atomic uint32_t stop_reasons = HEAP_UNKNOWN; /* bits of proc_heap: why there are no samples */
static _Atomic uint32_t has_samples;                 /* have there been samples? */
static _Atomic uintptr_t prober;                     /* cpi_local of the thread that runs the probe */
static _Atomic uint32_t probe_hits;

extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _etext[] __attribute__((visibility("hidden")));

void cpi_heap_probe_begin(void)
{
	atomic_store(&prober, (uintptr_t)&cpi_local);
	cpi_local.bytes_to_sample = 0;
}

bool cpi_heap_probe_was_hit(void)
{
	return atomic_exchange(&probe_hits, 0) != 0;
}

bool cpi_heap_probe_hit(void)
{
	if (atomic_load_explicit(&prober, memory_order_relaxed) != (uintptr_t)&cpi_local)
		return false;
	atomic_store_explicit(&probe_hits, 1, memory_order_relaxed);
	return true;
}

static bool is_process(void)
{
	return __builtin_expect(atomic_load_explicit(&mark.n_ours, memory_order_relaxed), 1) ||
	       (compares_pid && cpi.pid == sys_getpid());
}

static void heap_set_mark(void)
{
	compares_pid = sys_call(SYS_madvise, (long)&mark, sizeof(mark), MADV_WIPEONFORK, 0) != 0;
	atomic_store(&mark.n_ours, !compares_pid);
}

static uint32_t rate_now(void)
{
	uint64_t rate;

	if (!cpi_is_on_sig() || atomic_load_explicit(&stop_reasons, memory_order_relaxed))
		return 0;
	rate = atomic_load_explicit(&cpi.head->heap_rate, memory_order_relaxed);
	return rate < UINT32_MAX ? (uint32_t)rate : UINT32_MAX;
}

static void heap_draw(uint32_t rate)
{
	cpi_local.drawn_rate = rate;
	cpi_local.bytes_to_sample = rate ? cpi_heap_draw(&cpi_local.random, rate) : RECHECK_BYTES;
}

/*
 * If sampling was off before, the old count is meaningless: a new count is drawn, which includes this object.
 * Allocations while a sample is taken, by us or by a signal handler, are not sampled. A new count is drawn for them
 * too, because otherwise the next object would be sampled in their place.
 */
uint32_t cpi_heap_due(size_t size)
{
	uint32_t rate = rate_now(), sample_rate = cpi_local.drawn_rate;

	if (cpi_heap_probe_hit()) {
		cpi_local.bytes_to_sample = 0; /* the next allocation is noticed too */
		return 0;
	}
	if (atomic_load_explicit(&cpi_local.hook, memory_order_relaxed)) {
		heap_draw(rate);
		return 0;
	}
	if (sample_rate == 0 && rate) {
		heap_draw(rate);
		if (cpi_heap_count_down(size))
			return 0;
		sample_rate = rate;
	}
	heap_draw(rate);
	return rate ? sample_rate : 0;
}

/* Size classes: four per power of two, like those of allocators. Objects of a class share a row of the profile. */
static uint64_t heap_class_of(uint64_t size)
{
	uint64_t step = size > CLASS_MIN * 4 ? 1ULL << (61 - __builtin_clzll(size - 1)) : CLASS_MIN;

	return size > 1ULL << 62 ? size : (size + step - 1) & ~(step - 1);
}

/* The stack without our own frames at the leaf. */
static uint32_t stack_here(uint64_t *pc)
{
	uint32_t n = cpi_caller_stack_sig(pc, cpi.max_depth, 1), n_ours = 0;

	while (n_ours < n && pc[n_ours] - (uintptr_t)__ehdr_start < (uint64_t)(_etext - __ehdr_start))
		n_ours++;
	memmove(pc, pc + n_ours, (n - n_ours) * sizeof(*pc));
	return n - n_ours;
}

static void heap_count(const struct live_object *o, unsigned objects, unsigned bytes, unsigned samples,
		       unsigned sampled)
{
	cpi_stack_add_sig(STACK_HEAP, o->stack, objects, o->weight);
	cpi_stack_add_sig(STACK_HEAP, o->stack, bytes, o->weight * o->size);
	cpi_stack_add_sig(STACK_HEAP, o->stack, samples, 1);
	cpi_stack_add_sig(STACK_HEAP, o->stack, sampled, o->size);
}

void cpi_heap_count_free(const struct live_object *o)
{
	heap_count(o, HEAP_FREE_OBJECTS, HEAP_FREE_BYTES, HEAP_FREE_SAMPLES, HEAP_FREE_SAMPLED);
}

static void hook(uint32_t more)
{
	/* changed only by this thread, and by handlers that restore it */
	atomic_store_explicit(&cpi_local.hook, atomic_load_explicit(&cpi_local.hook, memory_order_relaxed) + more,
			      memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
}

void cpi_heap_put_back(const struct live_object *o)
{
	struct segment_tables *t = cpi_tables_sig();
	struct live_object before;

	if (!t)
		return;
	hook(1);
	if (cpi_heap_filter_take(t, o->at, &before)) /* we missed the free of the previous object at this address */
		cpi_heap_count_free(&before);
	if (!cpi_heap_filter_put(t, o))
		cpi_heap_count_free(o);
	hook(-1U);
}

static __attribute__((noinline)) void heap_sample(void *p, size_t size, uint32_t rate)
{
	struct live_object o = { .at = (uintptr_t)p, .size = size + !size };
	uint64_t pc[FRAMES_MAX];
	uint32_t n, label = 0;

	if (!cpi_tables_sig()) { /* another thread may be claiming the tables */
		if (cpi_tables_refused())
			cpi_heap_stop(HEAP_NO_TABLES);
		return;
	}
	if (!atomic_load_explicit(&has_samples, memory_order_relaxed)) /* a store would slow down other threads */
		atomic_store_explicit(&has_samples, 1, memory_order_relaxed);
	if (atomic_load_explicit(&cpi.head->flags, memory_order_relaxed) & FLAG_HEAP_LABELS)
		label = atomic_load_explicit(&cpi_local.label, memory_order_relaxed);
	n = stack_here(pc);
	o.weight = cpi_heap_weight(o.size, rate);
	o.stack = cpi_stack_find_sig(STACK_HEAP, heap_class_of(o.size), label, pc, n);
	heap_count(&o, HEAP_ALLOC_OBJECTS, HEAP_ALLOC_BYTES, HEAP_ALLOC_SAMPLES, HEAP_ALLOC_SAMPLED);
	cpi_heap_put_back(&o);
}

void *cpi_heap_add(void *p, size_t size, uint32_t rate)
{
	if (!rate || !p || !is_process())
		return p;
	hook(1);
	heap_sample(p, size, rate);
	hook(-1U);
	return p;
}

bool cpi_heap_take(void *p, struct live_object *out)
{
	struct segment_tables *t = is_process() ? cpi_tables_sig() : NULL;
	bool is_sampled;

	if (!t)
		return false;
	hook(1);
	is_sampled = cpi_heap_filter_take(t, (uintptr_t)p, out);
	hook(-1U);
	return is_sampled;
}

void cpi_heap_rate_changed(void)
{
	/* drawing again changes no probability, because the distribution is memoryless */
	heap_draw(0);
	cpi_local.bytes_to_sample = 0;
}

void cpi_heap_start(void)
{
	atomic_store(&prober, 0);
	atomic_fetch_and(&stop_reasons, ~(uint32_t)HEAP_UNKNOWN);
	heap_set_mark();
	cpi_heap_rate_changed();
	/* claim the tables while there is one thread: of several threads only the first one would get them */
	if (rate_now() && !cpi_tables_sig())
		cpi_heap_stop(HEAP_NO_TABLES);
}

void cpi_heap_stop(uint32_t why)
{
	struct segment_proc *p = atomic_load(&cpi.proc);

	atomic_fetch_or(&stop_reasons, why);
	atomic_fetch_or(&cpi.heap, why);
	if (p)
		atomic_store(&p->heap, atomic_load(&cpi.heap));
}

void cpi_heap_forget(void)
{
	atomic_store(&mark.n_ours, !compares_pid);
	atomic_fetch_and(&stop_reasons, ~(uint32_t)HEAP_NO_TABLES);
	atomic_fetch_and(&cpi.heap, ~(uint32_t)HEAP_NO_TABLES);
	if (!atomic_exchange(&has_samples, 0))
		return;
	cpi_heap_filter_clear();
	cpi_heap_bootstrap_mark();
}
