/*
 * wait.c - waits are counted: at who waits, and at who made them wait
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A wait of d ns is kept when d is at least the rate, else with probability d / rate, and then counts as
 * rate / d waits of rate ns in all: no bias, whatever the rate. Of contended locks one of n is followed,
 * and counts n times; n as it is then, so a change does not touch what was counted.
 */
#include "config.h"

#include "libcpaprof/target/here.h"
#include "libcpaprof/target/locals.h"
#include "libcpaprof/target/sys.h"
#include "libcpaprof/target/target.h"
#include "libcpaprof/target/wait.h"

#include <errno.h>
#include <time.h>

enum { ONE = 1024 /* a wait, in the unit of WAIT_COUNT */, OURS_MOST = 8 /* frames of ours above a wrapper */ };

uint64_t cpi_wait_now(void)
{
	struct timespec now = { 0 };

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* From splitmix64. */
static uint64_t random_of_thread(void)
{
	uint64_t x = cpi_local.random;

	if (!x)
		x = cpi_wait_now() ^ (uint64_t)sys_gettid() << 32;
	x += 0x9e3779b97f4a7c15ULL;
	cpi_local.random = x;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

/* True with probability part / n. */
static bool one_of(uint64_t part, uint64_t n)
{
	return n <= part || (uint64_t)((__uint128_t)random_of_thread() * n >> 64) < part;
}

uint32_t cpi_wait_stack(enum stack_kind kind, const struct wait_site *site, uint32_t skip)
{
	uint32_t label = kind == STACK_CREATE ? 0 : atomic_load_explicit(&cpi_local.label, memory_order_relaxed);
	uint64_t pc[WAIT_FRAMES + OURS_MOST];
	uint32_t n, at = 0, name;

	atomic_fetch_add_explicit(&cpi_local.hook, 1, memory_order_relaxed);
	n = cpi_here_sig(pc, sizeof(pc) / sizeof(*pc), 0);
	while (at < n && at < OURS_MOST && (!at || pc[at] != site->back - 1))
		at++;
	if (at == n || pc[at] != site->back - 1) /* a walk that failed early */
		at = 0;
	else if (site->wrapper)
		pc[--at] = site->wrapper;
	else
		at = at + skip < n ? at + skip : n;
	n = n - at > WAIT_FRAMES ? WAIT_FRAMES : n - at;
	name = cpi_stack_find_sig(kind, 0, label, pc + at, n);
	atomic_fetch_sub_explicit(&cpi_local.hook, 1, memory_order_relaxed);
	return name;
}

static void add(enum stack_kind kind, uint32_t name, uint64_t count, uint64_t ns)
{
	cpi_stack_add_sig(kind, name, WAIT_COUNT, count);
	cpi_stack_add_sig(kind, name, WAIT_NS, ns);
}

static uint64_t rate_of(const _Atomic uint64_t *rate)
{
	return cpi_on_sig() && !atomic_load_explicit(&cpi_local.hook, memory_order_relaxed)
		       ? atomic_load_explicit(rate, memory_order_relaxed)
		       : 0;
}

void cpi_wait_block(const struct wait_site *site, uint32_t skip, uint64_t ns)
{
	uint64_t rate = cpi.head ? rate_of(&cpi.head->block_rate) : 0, count = ONE;

	ns = ns ? ns : 1;
	if (!rate || !one_of(ns, rate))
		return;
	if (ns < rate) {
		count = (uint64_t)(((__uint128_t)rate * ONE + ns / 2) / ns);
		ns = rate;
	}
	add(STACK_BLOCK, cpi_wait_stack(STACK_BLOCK, site, skip), count, ns);
}

void cpi_wait_mutex(const struct wait_site *site, uint32_t skip, uint64_t ns)
{
	uint64_t fraction = cpi.head ? rate_of(&cpi.head->mutex_fraction) : 0;

	if (fraction && one_of(1, fraction))
		add(STACK_MUTEX, cpi_wait_stack(STACK_MUTEX, site, skip), ONE * fraction, ns * fraction);
}

void cpi_wait_begin(struct wait *w, const void *lock)
{
	*w = (struct wait){ .lock = (uintptr_t)lock, .place = HOLDER_NONE };
	w->on = cpi_on_sig() && !atomic_load_explicit(&cpi_local.hook, memory_order_relaxed);
	if (!w->on)
		return;
	if (lock) {
		w->fraction = rate_of(&cpi.head->mutex_fraction);
		if (w->fraction && !one_of(1, w->fraction))
			w->fraction = 0;
		if (w->fraction)
			w->place = cpi_holder_wait(w->lock, &w->first);
	}
	w->start_ns = cpi_wait_now();
}

/*
 * Of a long wait only the last unlocks are known. They share what came before them by how long each took:
 * what a lock does is much the same all the time.
 */
static void share_lost(uint64_t ns[], uint32_t n)
{
	uint64_t known = 0, early = ns[0], given = 0;

	for (uint32_t i = 1; i < n; i++)
		known += ns[i];
	if (!known)
		return;
	for (uint32_t i = 1; i < n; i++) {
		uint64_t part = (uint64_t)((__uint128_t)early * ns[i] / known);

		ns[i] += part;
		given += part;
	}
	ns[0] = early - given;
}

/* Charge those who let the lock go from start to end. */
static void charge(const struct wait *w, uint64_t end, const struct wait_site *site, bool got)
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
		share_lost(ns, n);
	rest = end - from;
	if (n && got)
		ns[n - 1] += rest;
	for (uint32_t i = 0; i < n; i++)
		add(STACK_MUTEX, unlock[i].stack, i == n - 1 && got ? ONE * w->fraction : 0, ns[i] * w->fraction);
	if (!n || !got)
		add(STACK_MUTEX, cpi_wait_stack(STACK_MUTEX, site, 0), ONE * w->fraction, rest * w->fraction);
}

void cpi_wait_end(struct wait *w, const struct wait_site *site, enum wait_end end)
{
	int before = errno;
	uint64_t now;

	if (!w->on)
		return;
	now = cpi_wait_now();
	if (now < w->start_ns)
		now = w->start_ns;
	if (w->fraction && end != WAIT_FAILED)
		charge(w, now, site, end == WAIT_GOT);
	if (w->place != HOLDER_NONE)
		cpi_holder_done(w->lock, w->place);
	if (end != WAIT_FAILED)
		cpi_wait_block(site, 0, now - w->start_ns);
	errno = before;
}
