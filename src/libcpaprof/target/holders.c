/*
 * holders.c - locks with waiting threads, and their last unlocks
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A hash table by the address of the lock. An entry (a place) is used only while threads wait, so locks may be
 * destroyed and their memory reused. For a lock without waiting threads, an unlock only reads the filter. The table is
 * lock-free: places are claimed and freed by compare-and-swap of a word with the address and the number of threads.
 * Threads that begin to wait at the same time may claim two places for one lock; unlocks are written to all of them.
 */
#include "config.h"

#include "libcpaprof/target/locals.h"
#include "libcpaprof/target/wait.h"

enum { PLACE_PROBES = 4, COUNT_BITS = 16, COUNT_MAX = 0x7fff };

struct unlock {
	_Atomic uint32_t serial; /* 1 for the first unlock; 0 while it is written */
	_Atomic uint32_t stack;
	_Atomic uint64_t ns;
};

struct holders_place {
	_Alignas(64) _Atomic uint64_t word; /* address of the lock << COUNT_BITS | waiting threads; 0: free */
	_Atomic uint32_t n;                 /* unlocks so far */
	struct unlock unlock[HOLDER_UNLOCKS];
};

_Atomic uint32_t cpi_holder_n_waiting;
_Atomic uint16_t cpi_holder_filter[HOLDER_BUCKETS];
static struct holders_place places[HOLDER_BUCKETS];

static struct holders_place *holders_place_of(uint32_t bucket, uint32_t probe)
{
	return &places[(bucket + probe) % HOLDER_BUCKETS];
}

/* Add a waiting thread to a place, if its word is unchanged. */
static bool add_waiter(struct holders_place *p, uint64_t word, uint64_t key)
{
	return (word & COUNT_MAX) < COUNT_MAX &&
	       atomic_compare_exchange_strong(&p->word, &word, word ? word + 1 : key | 1);
}

static struct holders_place *claim_place(uint32_t bucket, uint64_t key)
{
	for (int want_free = 0; want_free < 2; want_free++)
		for (uint32_t i = 0; i < PLACE_PROBES; i++) {
			struct holders_place *p = holders_place_of(bucket, i);
			uint64_t word = atomic_load(&p->word), address = word >> COUNT_BITS << COUNT_BITS;

			if ((address == key || (want_free && !word)) && add_waiter(p, word, key))
				return p;
		}
	return NULL;
}

uint32_t cpi_holder_wait_begin(uintptr_t lock, uint32_t *first)
{
	uint32_t bucket = HOLDER_BUCKET(lock);
	uint64_t key = (uint64_t)lock << COUNT_BITS;
	struct holders_place *p;

	if (atomic_load_explicit(&cpi_holder_filter[bucket], memory_order_relaxed) >= COUNT_MAX)
		return HOLDER_NONE;
	p = claim_place(bucket, key);
	if (!p)
		return HOLDER_NONE;
	*first = atomic_load(&p->n);
	atomic_fetch_add(&cpi_holder_filter[bucket], 1);
	atomic_fetch_add(&cpi_holder_n_waiting, 1);
	return (uint32_t)(p - places);
}

void cpi_holder_wait_end(uintptr_t lock, uint32_t place)
{
	struct holders_place *p = &places[place];
	uint64_t word = atomic_load(&p->word);

	atomic_fetch_sub(&cpi_holder_n_waiting, 1);
	atomic_fetch_sub(&cpi_holder_filter[HOLDER_BUCKET(lock)], 1);
	while (!atomic_compare_exchange_weak(&p->word, &word, (word & COUNT_MAX) == 1 ? 0 : word - 1))
		;
}

static void holders_push(struct holders_place *p, uint64_t ns, uint32_t stack)
{
	uint32_t n = atomic_fetch_add(&p->n, 1);
	struct unlock *u = &p->unlock[n % HOLDER_UNLOCKS];

	atomic_store(&u->serial, 0);
	atomic_store(&u->stack, stack);
	atomic_store(&u->ns, ns);
	atomic_store(&u->serial, n + 1);
}

void cpi_holder_unlock(const void *lock, const struct wait_site *site)
{
	uint64_t key = (uint64_t)(uintptr_t)lock << COUNT_BITS, ns = 0;
	uint32_t bucket = HOLDER_BUCKET(lock), stack = 0;

	if (atomic_load_explicit(&cpi_local.hook, memory_order_relaxed))
		return;
	for (uint32_t i = 0; i < PLACE_PROBES; i++) {
		struct holders_place *p = holders_place_of(bucket, i);

		if (atomic_load(&p->word) >> COUNT_BITS << COUNT_BITS != key)
			continue;
		if (!ns) {
			stack = cpi_wait_stack(STACK_MUTEX, site, 0);
			ns = cpi_wait_now();
		}
		holders_push(p, ns, stack);
	}
}

uint32_t cpi_holder_unlocks(uint32_t place, uint32_t first, struct holder_unlock out[HOLDER_UNLOCKS], uint32_t *lost)
{
	struct holders_place *p = &places[place];
	uint32_t end = atomic_load(&p->n), n = 0;

	*lost = end - first > HOLDER_UNLOCKS ? end - first - HOLDER_UNLOCKS : 0;
	for (uint32_t i = first + *lost; i != end; i++) {
		struct unlock *u = &p->unlock[i % HOLDER_UNLOCKS];

		if (atomic_load(&u->serial) != i + 1)
			continue;
		out[n].ns = atomic_load(&u->ns);
		out[n].stack = atomic_load(&u->stack);
		if (atomic_load(&u->serial) == i + 1) /* otherwise the entry was overwritten meanwhile */
			n++;
	}
	return n;
}

void cpi_holders_forget(void)
{
	atomic_store(&cpi_holder_n_waiting, 0);
	for (uint32_t i = 0; i < HOLDER_BUCKETS; i++) {
		if (!atomic_load(&cpi_holder_filter[i]))
			continue;
		atomic_store(&cpi_holder_filter[i], 0);
		for (uint32_t probe = 0; probe < PLACE_PROBES; probe++)
			atomic_store(&holders_place_of(i, probe)->word, 0);
	}
}
