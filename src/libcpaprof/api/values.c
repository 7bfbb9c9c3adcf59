/*
 * values.c - which values custom profiles hold, and the stack that added each
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * One open table, looked through slot by slot. Behind a value that goes, those that were put further than they
 * wanted move up, so that no slot is ever marked as given up.
 */
#include "config.h"

#include "libcpaprof/api/values.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>

enum { SLOTS_FIRST = 1024 };

static struct value *slot; /* [n_slots] */
static uint64_t n_slots, n_used;

static uint64_t wanted(const struct value *v, uint64_t n)
{
	uint64_t h = (v->value ^ (uint64_t)v->profile << 48) * 0x9e3779b97f4a7c15ULL;

	return (h ^ h >> 32) & (n - 1);
}

/* Where a value is, or the free slot where it would be. */
static uint64_t look(const struct value *in, uint64_t n, const struct value *v)
{
	uint64_t i = wanted(v, n);

	while (in[i].profile && (in[i].profile != v->profile || in[i].value != v->value))
		i = (i + 1) & (n - 1);
	return i;
}

static bool grow(void)
{
	uint64_t want = n_slots ? n_slots * 2 : SLOTS_FIRST;
	struct value *to = mmap(NULL, want * sizeof(*to), PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (to == MAP_FAILED)
		return false;
	for (uint64_t i = 0; i < n_slots; i++)
		if (slot[i].profile)
			to[look(to, want, &slot[i])] = slot[i];
	if (slot)
		munmap(slot, n_slots * sizeof(*slot));
	slot = to;
	n_slots = want;
	return true;
}

int values_add(const struct value *v)
{
	uint64_t at;

	/* a table that cannot grow is good until it is full, with one slot free to stop at */
	if (n_used >= n_slots / 4 * 3 && !grow() && n_used + 1 >= n_slots)
		return -ENOMEM;
	at = look(slot, n_slots, v);
	if (slot[at].profile)
		return -EEXIST;
	slot[at] = *v;
	n_used++;
	return 0;
}

bool values_take(uint64_t value, uint32_t profile, struct value *out)
{
	struct value key = { .value = value, .profile = profile };
	uint64_t at = n_slots ? look(slot, n_slots, &key) : 0, hole = at;

	if (!n_slots || !slot[at].profile)
		return false;
	*out = slot[at];
	for (uint64_t i = (at + 1) & (n_slots - 1); slot[i].profile; i = (i + 1) & (n_slots - 1)) {
		/* may it be in the hole, which lies between where it wants to be and where it is? */
		if (((i - wanted(&slot[i], n_slots)) & (n_slots - 1)) >= ((i - hole) & (n_slots - 1))) {
			slot[hole] = slot[i];
			hole = i;
		}
	}
	slot[hole].profile = 0;
	n_used--;
	return true;
}
