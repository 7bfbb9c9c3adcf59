/*
 * heap.c - samples of the heap: drawn, taken, kept while they live, counted
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Draws do not use the mathematics library: a program that has none would be given one. Series are short,
 * because their arguments are small; they are exact to some 1e-15.
 *
 * Counters are per stack and class of sizes. An object adds its weight to them when it is allocated and
 * the same weight when it is freed, so what is in use never gets below 0. It is taken out of what lives
 * before it is really freed: later another thread could already have its address.
 *
 * A child of fork has tables of its own, and knows nothing of objects that it inherits: their addresses
 * are in no filter. So nothing is held while the process is copied. A copy that the handlers of fork did
 * not see touches nothing: the kernel took its mark away. One that shares memory (vfork) has the mark, and
 * its objects are where those of its parent are.
 */
#include "config.h"

#include "libcpaprof/target/heap.h"
#include "libcpaprof/target/here.h"
#include "libcpaprof/target/locals.h"
#include "libcpaprof/target/sys.h"
#include "libcpaprof/target/target.h"

#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#define LN2 0.693147180559945309417
#define SQRT2 1.41421356237309504880

enum { FIXED = 1024, LOG_TERMS = 11, EXP_TERMS = 18, CERTAIN = 40, DRAW_BITS = 62, GRND_NO_WAIT = 1 };

/* 1 / (2 i + 1) and 1 / i: divisions take longest */
static const double odd[LOG_TERMS + 1] = { 1.,      1 / 3.,  1 / 5.,  1 / 7.,  1 / 9.,  1 / 11.,
					   1 / 13., 1 / 15., 1 / 17., 1 / 19., 1 / 21., 1 / 23. };
static const double one[EXP_TERMS + 1] = { 0.,      1.,      1 / 2.,  1 / 3.,  1 / 4.,  1 / 5.,  1 / 6.,
					   1 / 7.,  1 / 8.,  1 / 9.,  1 / 10., 1 / 11., 1 / 12., 1 / 13.,
					   1 / 14., 1 / 15., 1 / 16., 1 / 17., 1 / 18. };

/* ln(x) of 0 < x <= 1: by 2 atanh((m - 1) / (m + 1)) of its mantissa */
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
		sum = sum * s * s + odd[i];
	return exponent * LN2 + 2 * s * sum;
}

/* 1 - exp(-x) of x >= 0, without loss when x is small */
static double share(double x)
{
	double r, sum = 0, half = 1;
	int k;

	if (x >= CERTAIN)
		return 1;
	k = (int)(x / LN2);
	r = x - k * LN2;
	for (int i = EXP_TERMS; i >= 1; i--)
		sum = (1 - sum) * r * one[i];
	while (k-- > 0)
		half /= 2;
	return 1 - half + half * sum;
}

/* splitmix64 */
static uint64_t next(uint64_t *random)
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
	u = (double)((next(random) >> 11) + 1) * 0x1p-53;
	bytes = -ln(u) * rate;
	return bytes < 0x1p62 ? (uint64_t)bytes : 1ULL << DRAW_BITS;
}

uint64_t cpi_heap_weight(uint64_t size, uint32_t rate)
{
	if (rate <= 1)
		return FIXED;
	return (uint64_t)(FIXED / share((double)size / rate) + 0.5);
}

enum {
	LOOK_AGAIN = 1 << 20, /* bytes that a thread allocates until it looks whether sampling is on */
	SECOND_BITS = 18,
	SECOND = 1 << SECOND_BITS,
	FOR_EVER = 255, /* a count that is full stays so */
	LEAST_CLASS = 16,
	PAGE = 4096,
};

_Alignas(PAGE) _Atomic uint8_t cpi_heap_filter[HEAP_FILTER];
/* Asked when the first says yes: larger, and of another hash. */
static _Alignas(PAGE) _Atomic uint8_t second[SECOND];

/* What the kernel makes zeros in a copy of the process. */
static _Alignas(PAGE) struct {
	_Atomic uint8_t ours;
	uint8_t rest[PAGE - 1];
} mark;
static bool by_id; /* it does not */

static _Atomic uint32_t stopped = HEAP_UNKNOWN; /* bits of proc_heap: why there are no samples */
static _Atomic uint32_t used;                   /* there were samples */
static _Atomic uintptr_t seer;                  /* the thread that wants to know what comes to us */
static _Atomic uint32_t seen;

extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _etext[] __attribute__((visibility("hidden")));

void cpi_heap_see(void)
{
	atomic_store(&seer, (uintptr_t)&cpi_local);
	cpi_local.left = 0;
}

bool cpi_heap_seen(void)
{
	return atomic_exchange(&seen, 0) != 0;
}

bool cpi_heap_is_seer(void)
{
	if (atomic_load_explicit(&seer, memory_order_relaxed) != (uintptr_t)&cpi_local)
		return false;
	atomic_store_explicit(&seen, 1, memory_order_relaxed);
	return true;
}

static bool is_process(void)
{
	return __builtin_expect(atomic_load_explicit(&mark.ours, memory_order_relaxed), 1) ||
	       (by_id && cpi.pid == sys_getpid());
}

static void set_mark(void)
{
	by_id = sys_call(SYS_madvise, (long)&mark, sizeof(mark), MADV_WIPEONFORK, 0) != 0;
	atomic_store(&mark.ours, !by_id);
}

static uint32_t rate_now(void)
{
	uint64_t rate;

	if (!cpi_on_sig() || atomic_load_explicit(&stopped, memory_order_relaxed))
		return 0;
	rate = atomic_load_explicit(&cpi.head->heap_rate, memory_order_relaxed);
	return rate < UINT32_MAX ? (uint32_t)rate : UINT32_MAX;
}

static void draw(uint32_t rate)
{
	cpi_local.drawn = rate;
	cpi_local.left = rate ? cpi_heap_draw(&cpi_local.random, rate) : LOOK_AGAIN;
}

/*
 * When there was no sampling, the count says nothing: what is drawn now is for this object already. What we
 * or a signal handler allocate while a sample is taken is left out, and its count drawn anew: were it kept,
 * the next object would be sampled for it.
 */
uint32_t cpi_heap_due(size_t size)
{
	uint32_t rate = rate_now(), with = cpi_local.drawn;

	if (cpi_heap_is_seer())
		return 0; /* nothing is drawn, so all come here */
	if (atomic_load_explicit(&cpi_local.hook, memory_order_relaxed)) {
		draw(rate);
		return 0;
	}
	if (with == 0 && rate) {
		draw(rate);
		if (cpi_heap_passes(size))
			return 0;
		with = rate;
	}
	draw(rate);
	return rate ? with : 0;
}

static void count_up(_Atomic uint8_t *place)
{
	uint8_t n = atomic_load_explicit(place, memory_order_relaxed);

	while (n != FOR_EVER && !atomic_compare_exchange_weak_explicit(place, &n, (uint8_t)(n + 1),
								       memory_order_relaxed, memory_order_relaxed))
		;
}

static void count_down(_Atomic uint8_t *place)
{
	uint8_t n = atomic_load_explicit(place, memory_order_relaxed);

	while (n != FOR_EVER && n != 0 &&
	       !atomic_compare_exchange_weak_explicit(place, &n, (uint8_t)(n - 1), memory_order_relaxed,
						      memory_order_relaxed))
		;
}

static _Atomic uint8_t *first_place(uint64_t at)
{
	return &cpi_heap_filter[(at >> 4 ^ at >> 20) % HEAP_FILTER];
}

static _Atomic uint8_t *second_place(uint64_t at)
{
	return &second[(at >> 4) * 0x9e3779b97f4a7c15ULL >> (64 - SECOND_BITS)];
}

void cpi_heap_mark(const void *p)
{
	atomic_store_explicit(first_place((uintptr_t)p), FOR_EVER, memory_order_relaxed);
}

static void filter_add(uint64_t at)
{
	count_up(second_place(at));
	count_up(first_place(at));
}

static void filter_remove(uint64_t at)
{
	count_down(first_place(at));
	count_down(second_place(at));
}

/* Four to each power of two, as allocators have them. Objects of a class share a row of the profile. */
static uint64_t class_of(uint64_t size)
{
	uint64_t step = size > LEAST_CLASS * 4 ? 1ULL << (61 - __builtin_clzll(size - 1)) : LEAST_CLASS;

	return size > 1ULL << 62 ? size : (size + step - 1) & ~(step - 1);
}

/* Frames of our own stand in front. */
static uint32_t stack_here(uint64_t *pc)
{
	uint32_t n = cpi_here_sig(pc, cpi.max_depth, 1), ours = 0;

	while (ours < n && pc[ours] - (uintptr_t)__ehdr_start < (uint64_t)(_etext - __ehdr_start))
		ours++;
	memmove(pc, pc + ours, (n - ours) * sizeof(*pc));
	return n - ours;
}

static void count(const struct live_object *o, unsigned objects, unsigned bytes, unsigned samples, unsigned sampled)
{
	cpi_stack_add_sig(STACK_HEAP, o->stack, objects, o->weight);
	cpi_stack_add_sig(STACK_HEAP, o->stack, bytes, o->weight * o->size);
	cpi_stack_add_sig(STACK_HEAP, o->stack, samples, 1);
	cpi_stack_add_sig(STACK_HEAP, o->stack, sampled, o->size);
}

void cpi_heap_count_free(const struct live_object *o)
{
	count(o, HEAP_FREE_OBJECTS, HEAP_FREE_BYTES, HEAP_FREE_SAMPLES, HEAP_FREE_SAMPLED);
}

static void hook(uint32_t more)
{
	/* by this thread, and by handlers that leave it as it was */
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
	filter_add(o->at);
	switch (cpi_live_put(t, o, &before)) {
	case LIVE_KEPT:
		break;
	case LIVE_REPLACED: /* its free was not seen */
		filter_remove(before.at);
		cpi_heap_count_free(&before);
		break;
	case LIVE_NO_ROOM:
		filter_remove(o->at);
		cpi_heap_count_free(o);
		break;
	}
	hook(-1U);
}

static __attribute__((noinline)) void sample(void *p, size_t size, uint32_t rate)
{
	struct live_object o = { .at = (uintptr_t)p, .size = size + !size };
	uint64_t pc[FRAMES_MAX];
	uint32_t n, label = 0;

	if (!cpi_tables_sig()) { /* another thread may be about to claim them */
		if (cpi_tables_refused())
			cpi_heap_stop(HEAP_NO_TABLES);
		return;
	}
	atomic_store_explicit(&used, 1, memory_order_relaxed);
	if (atomic_load_explicit(&cpi.head->flags, memory_order_relaxed) & FLAG_HEAP_LABELS)
		label = atomic_load_explicit(&cpi_local.label, memory_order_relaxed);
	n = stack_here(pc);
	o.weight = cpi_heap_weight(o.size, rate);
	o.stack = cpi_stack_find_sig(STACK_HEAP, class_of(o.size), label, pc, n);
	count(&o, HEAP_ALLOC_OBJECTS, HEAP_ALLOC_BYTES, HEAP_ALLOC_SAMPLES, HEAP_ALLOC_SAMPLED);
	cpi_heap_put_back(&o);
}

void *cpi_heap_add(void *p, size_t size, uint32_t rate)
{
	if (!rate || !p || !is_process())
		return p;
	hook(1);
	sample(p, size, rate);
	hook(-1U);
	return p;
}

bool cpi_heap_take(void *p, struct live_object *out)
{
	uint64_t at = (uintptr_t)p;
	struct segment_tables *t;
	bool has;

	if (!atomic_load_explicit(second_place(at), memory_order_relaxed) || !is_process())
		return false;
	t = cpi_tables_sig();
	if (!t)
		return false;
	hook(1);
	has = cpi_live_take(t, at, out);
	if (has)
		filter_remove(at);
	hook(-1U);
	return has;
}

void cpi_heap_look(void)
{
	/* bytes have no memory: to draw anew at any time changes no chance */
	draw(0);
	cpi_local.left = 0;
}

void cpi_heap_start(void)
{
	atomic_store(&seer, 0);
	atomic_fetch_and(&stopped, ~(uint32_t)HEAP_UNKNOWN);
	set_mark();
	cpi_heap_look();
	/* while there is one thread: of several at once only one finds the tables */
	if (rate_now() && !cpi_tables_sig())
		cpi_heap_stop(HEAP_NO_TABLES);
}

void cpi_heap_stop(uint32_t why)
{
	struct segment_proc *p = atomic_load(&cpi.proc);

	atomic_fetch_or(&stopped, why);
	atomic_fetch_or(&cpi.heap, why);
	if (p)
		atomic_store(&p->heap, atomic_load(&cpi.heap));
}

static void forget(_Atomic uint8_t *filter, size_t size)
{
	if (sys_call(SYS_madvise, (long)filter, (long)size, MADV_DONTNEED, 0) != 0)
		memset((void *)filter, 0, size);
}

void cpi_heap_forget(void)
{
	atomic_store(&mark.ours, !by_id);
	atomic_fetch_and(&stopped, ~(uint32_t)HEAP_NO_TABLES);
	atomic_fetch_and(&cpi.heap, ~(uint32_t)HEAP_NO_TABLES);
	if (!atomic_exchange(&used, 0))
		return;
	forget(cpi_heap_filter, sizeof(cpi_heap_filter));
	forget(second, sizeof(second));
	cpi_heap_first_mark();
}
