/*
 * wait.c - counts waits, at the waiting thread and at the thread it waits for
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A wait of d ns is recorded if d is at least the rate. A shorter one is recorded with probability d / rate, and then
 * counts as rate / d waits that take rate ns in all. So there is no bias, whatever the rate. One in n waits for a lock
 * is charged to the mutex profile, and counts n times. n is read when the wait begins, so changing it does not affect
 * earlier counts.
 */
#include "config.h"

#include "libcpaprof/target/caller_stack.h"
#include "libcpaprof/target/heap.h"
#include "libcpaprof/target/locals.h"
#include "libcpaprof/target/sys.h"
#include "libcpaprof/target/target.h"
#include "libcpaprof/target/wait.h"

#include <errno.h>
#include <time.h>

/* ONE: one wait in the unit of WAIT_COUNT. OWN_FRAMES_MAX: maximum number of our frames before the caller's. */
enum { ONE = 1024, OWN_FRAMES_MAX = 8 };

uint64_t cpi_wait_now(void)
{
	struct timespec now = { 0 };

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static uint64_t thread_random(void)
{
	if (!cpi_local.random)
		cpi_local.random = cpi_wait_now() ^ (uint64_t)sys_gettid() << 32;
	return cpi_heap_random(&cpi_local.random);
}

/* Returns true with probability part / n. */
static bool is_chosen(uint64_t part, uint64_t n)
{
	return n <= part || (uint64_t)((__uint128_t)thread_random() * n >> 64) < part;
}

uint32_t cpi_wait_stack(enum stack_kind kind, const struct wait_site *site, uint32_t skip)
{
	uint32_t label = kind == STACK_CREATE ? 0 : atomic_load_explicit(&cpi_local.label, memory_order_relaxed);
	uint64_t pc[WAIT_FRAMES + OWN_FRAMES_MAX];
	uint32_t n, at = 0, id;

	atomic_fetch_add_explicit(&cpi_local.hook, 1, memory_order_relaxed);
	n = cpi_caller_stack_sig(pc, sizeof(pc) / sizeof(*pc), 0);
	while (at < n && at < OWN_FRAMES_MAX && (!at || pc[at] != site->back - 1))
		at++;
	if (at == n || pc[at] != site->back - 1) /* the walk ended before site */
		at = 0;
	else if (site->wrapper)
		pc[--at] = site->wrapper;
	else
		at = at + skip < n ? at + skip : n;
	n = n - at > WAIT_FRAMES ? WAIT_FRAMES : n - at;
	id = cpi_stack_find_sig(kind, 0, label, pc + at, n);
	atomic_fetch_sub_explicit(&cpi_local.hook, 1, memory_order_relaxed);
	return id;
}

static void wait_add(enum stack_kind kind, uint32_t id, uint64_t count, uint64_t ns)
{
	cpi_stack_add_sig(kind, id, WAIT_COUNT, count);
	cpi_stack_add_sig(kind, id, WAIT_NS, ns);
}

static uint64_t rate_of(const _Atomic uint64_t *rate)
{
	return cpi_is_on_sig() && !atomic_load_explicit(&cpi_local.hook, memory_order_relaxed)
		       ? atomic_load_explicit(rate, memory_order_relaxed)
		       : 0;
}

void cpi_wait_block(const struct wait_site *site, uint32_t skip, uint64_t ns)
{
	uint64_t rate = cpi.head ? rate_of(&cpi.head->block_rate) : 0, count = ONE;

	ns = ns ? ns : 1;
	if (!rate || !is_chosen(ns, rate))
		return;
	if (ns < rate) {
		count = (uint64_t)(((__uint128_t)rate * ONE + ns / 2) / ns);
		ns = rate;
	}
	wait_add(STACK_BLOCK, cpi_wait_stack(STACK_BLOCK, site, skip), count, ns);
}

void cpi_wait_mutex(const struct wait_site *site, uint32_t skip, uint64_t ns)
{
	uint64_t fraction = cpi.head ? rate_of(&cpi.head->mutex_fraction) : 0;

	if (fraction && is_chosen(1, fraction))
		wait_add(STACK_MUTEX, cpi_wait_stack(STACK_MUTEX, site, skip), ONE * fraction, ns * fraction);
}

void cpi_wait_begin(struct wait *w, const void *lock)
{
	*w = (struct wait){ .lock = (uintptr_t)lock, .place = HOLDER_NONE };
	w->is_counted = cpi_is_on_sig() && !atomic_load_explicit(&cpi_local.hook, memory_order_relaxed);
	if (!w->is_counted)
		return;
	if (lock) {
		w->fraction = rate_of(&cpi.head->mutex_fraction);
		if (w->fraction && !is_chosen(1, w->fraction))
			w->fraction = 0;
		if (w->fraction)
			w->place = cpi_holder_wait_begin(w->lock, &w->first);
	}
	w->start_ns = cpi_wait_now();
}

/*
 * For a long wait only the last unlocks are known. The time of the earlier unlocks is distributed over the known ones
 * in proportion to their times, since holders of a lock tend to take similar times.
 */
static void distribute_lost(uint64_t ns[], uint32_t n)
{
	uint64_t known = 0, early = ns[0], distributed = 0;

	for (uint32_t i = 1; i < n; i++)
		known += ns[i];
	if (!known)
		return;
	for (uint32_t i = 1; i < n; i++) {
		uint64_t part = (uint64_t)((__uint128_t)early * ns[i] / known);

		ns[i] += part;
		distributed += part;
	}
	ns[0] = early - distributed;
}

/* Charge the threads that released the lock between start and end. */
static void wait_charge(const struct wait *w, uint64_t end, const struct wait_site *site, bool acquired)
{
	uint64_t ns[HOLDER_UNLOCKS] = { 0 }, from = w->start_ns, rest;
	struct holder_unlock unlock[HOLDER_UNLOCKS];
	uint32_t lost = 0, n = 0;

	if (w->place != HOLDER_NONE)
		n = cpi_holder_unlocks(w->place, w->first, unlock, &lost);
	for (uint32_t i = 0; i < n; i++) {
		uint64_t at = unlock[i].ns < from ? from : unlock[i].ns > end ? end : unlock[i].ns;

		ns[i] = at - from;
		from = at;
	}
	if (lost && n)
		distribute_lost(ns, n);
	rest = end - from;
	if (n && acquired)
		ns[n - 1] += rest;
	for (uint32_t i = 0; i < n; i++)
		wait_add(STACK_MUTEX, unlock[i].stack, i == n - 1 && acquired ? ONE * w->fraction : 0,
			 ns[i] * w->fraction);
	if (!n || !acquired)
		wait_add(STACK_MUTEX, cpi_wait_stack(STACK_MUTEX, site, 0), ONE * w->fraction, rest * w->fraction);
}

void cpi_wait_end(struct wait *w, const struct wait_site *site, enum wait_end end)
{
	int before = errno;
	uint64_t now;

	if (!w->is_counted)
		return;
	now = cpi_wait_now();
	if (now < w->start_ns)
		now = w->start_ns;
	if (w->fraction && end != WAIT_FAILED)
		wait_charge(w, now, site, end == WAIT_ACQUIRED);
	if (w->place != HOLDER_NONE)
		cpi_holder_wait_end(w->lock, w->place);
	if (end != WAIT_FAILED)
		cpi_wait_block(site, 0, now - w->start_ns);
	errno = before;
}
