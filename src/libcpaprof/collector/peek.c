/*
 * peek.c - the stack of a thread that waits, without a word to it
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Most stacks are shallow, so little is copied first. A walk that comes to the end of what was copied
 * is made again with more of it, or with a piece of the other stack that it went on to: a handler
 * that waits on the alternate stack leads back to the thread's own.
 */
#include "config.h"

#include "libcpaprof/collector/peek.h"

enum { RULES = 4096, FIRST = 8 << 10, STEP = 8, COPY_MOST = 1 << 20, TRIES = 8 };

struct peeking {
	struct peek *p;
	struct unwind_range range[PEEK_RANGES];
	size_t asked[PEEK_RANGES];
	uint32_t n;
};

/* Copy n bytes of range i; false when that is no more than there was. */
static bool copy(struct peeking *w, uint32_t i, uint64_t lo, size_t n)
{
	struct peek *p = w->p;
	uint64_t before = w->range[i].hi - w->range[i].lo;
	size_t got;

	if (!p->copy[i])
		p->copy[i] = memory_map(COPY_MOST);
	if (!p->copy[i] || n > COPY_MOST)
		return false;
	got = space_read(&p->space, lo, p->copy[i], n);
	w->range[i] = (struct unwind_range){ lo, lo + got, p->copy[i] };
	w->asked[i] = n;
	return got > before;
}

/* The walk wants what is at sp, or behind it. */
static bool more(struct peeking *w, uint64_t sp)
{
	for (uint32_t i = 0; i < w->n; i++)
		if (sp >= w->range[i].lo && sp < w->range[i].hi)
			return w->range[i].hi - w->range[i].lo == w->asked[i] &&
			       copy(w, i, w->range[i].lo, w->asked[i] * STEP);
	if (w->n == PEEK_RANGES || !copy(w, w->n, sp, FIRST))
		return false;
	w->n++;
	return true;
}

static void remember(struct peek *p)
{
	if (p->cache.rule)
		return;
	p->cache.rule = memory_map(RULES * sizeof(*p->cache.rule));
	p->cache.mask = RULES - 1;
}

uint32_t peek_stack(struct peek *p, uint64_t ip, uint64_t sp, uint64_t *pc, uint32_t max, enum unwind_end *end)
{
	struct peeking w = { .p = p };
	struct unwind_from from = { .range = w.range, .find = space_find, .arg = &p->space };
	struct unwind_result result = { .end = UNWIND_OUTSIDE };
	struct unwind_regs regs;

	remember(p);
	from.cache = p->cache.rule ? &p->cache : NULL;
	regs.r[UNWIND_SP] = sp;
	for (int i = 0; i < TRIES && result.end == UNWIND_OUTSIDE; i++) {
		if (!more(&w, regs.r[UNWIND_SP]) && i > 0)
			break;
		from.n_ranges = w.n;
		cpi_unwind_regs_peeked_sig(ip, sp, &regs);
		cpi_unwind_walk_sig(&from, &regs, pc, max, &result);
	}
	for (uint32_t i = 1; i < result.n; i++)
		pc[i]--;
	*end = result.end;
	return result.n;
}

void peek_release(struct peek *p)
{
	for (int i = 0; i < PEEK_RANGES; i++)
		memory_unmap(p->copy[i], COPY_MOST);
	memory_unmap(p->cache.rule, RULES * sizeof(*p->cache.rule));
	space_release(&p->space);
	*p = (struct peek){ .space.mem = -1 };
}
