/*
 * means.c - sums of means, which are rounded so that parts add up to the whole
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Of each denominator the numerators are added exactly, as a whole number and a rest, so the order of additions does not
 * matter.
 */
#include "config.h"

#include "store/means.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>

#define HALF (UINT64_C(1) << 63)

size_t means_class(struct means *m, uint64_t count)
{
	size_t i = 0;

	assert(count > 0 && count <= UINT32_MAX);
	while (i < m->n && m->class[i].count != count)
		i++;
	if (i < m->n)
		return i;
	m->class = mem_grow(m->class, &m->cap, m->n + 1, sizeof(*m->class));
	m->class[m->n++] = (struct means_class){ .count = count };
	return i;
}

/* rest / count in units of 2^-64, rounded down; rest < count < 2^32 */
static uint64_t divide_fraction(uint64_t rest, uint64_t count)
{
	uint64_t high = (rest << 32) / count, left = (rest << 32) % count;

	return high << 32 | (left << 32) / count;
}

void means_add(struct means *m, size_t class, int64_t numerator)
{
	struct means_class *c = &m->class[class];
	int64_t count = (int64_t)c->count, whole = numerator / count, rest = numerator % count;
	uint64_t before = c->fraction;

	m->added += (double)numerator / (double)count;
	m->whole += (uint64_t)whole - (rest < 0);
	c->rest += (uint64_t)(rest < 0 ? rest + count : rest);
	if (c->rest >= c->count) {
		c->rest -= c->count;
		m->whole++;
	}
	c->fraction = divide_fraction(c->rest, c->count);
	m->whole -= m->fraction < before;
	m->fraction -= before;
	m->fraction += c->fraction;
	m->whole += m->fraction < c->fraction;
}

bool means_take(struct means *m, int64_t *out)
{
	/* halves are rounded up, although the fraction may be smaller by less than a unit of each class */
	uint64_t fraction = m->fraction + m->n, rounded = m->whole + (fraction < m->n) + (fraction >= HALF);
	bool fits = m->added > -0x1p63 && m->added < 0x1p63;

	*out = (int64_t)(rounded - m->taken);
	m->taken = rounded;
	m->added = 0;
	return !fits;
}

void means_release(struct means *m)
{
	free(m->class);
	*m = (struct means){ 0 };
}
