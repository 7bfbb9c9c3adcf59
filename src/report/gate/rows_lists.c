/*
 * rows_lists.c - the picks that every stack counts for
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Stacks are parted into ranges, and threads take ranges side by side. What every pick has in every range is added
 * up on the way: functions that differ there cannot have nearly the same samples, which spares looking closer.
 */
#include "config.h"

#include "report/gate/rows_int.h"

#include "base/mem.h"
#include "base/pool.h"

#include <stdlib.h>
#include <string.h>

enum {
	RANGES = 1024,
	LEAST_RANGES = 16,
	MOST_SUMS = 1 << 20, /* ranges * picks, or so */
	FEW_STACKS = 20000,  /* they are not worth a thread */
};

struct listing {
	const struct gate_picks *p;
	struct gate_lists *out;
	unsigned n_parts;
	uint64_t *first, *end; /* [parts] in out->pick */
	double *sum;           /* [ranges * picks * sides] */
};

static uint32_t range_start(const struct gate_lists *l, uint32_t range)
{
	return (uint32_t)((uint64_t)l->n * range / l->n_ranges);
}

static uint32_t part_start(const struct listing *w, unsigned part)
{
	return (uint32_t)((uint64_t)w->out->n_ranges * part / w->n_parts);
}

/* The list of stack i goes to at; gives its end. */
static uint32_t *list_stack(const struct gate_picks *p, uint32_t i, uint32_t *seen, uint32_t *at)
{
	const struct gate_paths *paths = &p->s->paths;
	const uint32_t *func = paths->func + paths->off[i], *end = paths->func + paths->off[i + 1];

	if (func < end && p->flat[*func] != GATE_NO_FUNC)
		*at++ = p->flat[*func];
	for (; func < end; func++) {
		uint32_t pick = p->cum[*func];

		if (pick == GATE_NO_FUNC || seen[pick] == i + 1)
			continue;
		seen[pick] = i + 1;
		*at++ = pick;
	}
	return at;
}

/* Add a stack to what its picks have in this range. */
static void add_sums(const struct gate_paths *paths, uint32_t i, const uint32_t *pick, const uint32_t *end, double *sum)
{
	double base = paths->value[STATS_BASE][i], new = paths->value[STATS_NEW][i];

	for (; pick < end; pick++) {
		sum[(size_t)*pick * N_STATS_SIDES + STATS_BASE] += base;
		sum[(size_t)*pick * N_STATS_SIDES + STATS_NEW] += new;
	}
}

static void run(void *arg, unsigned part)
{
	const struct listing *w = arg;
	struct gate_lists *out = w->out;
	const struct gate_paths *paths = &w->p->s->paths;
	uint32_t *seen = mem_zalloc((size_t)w->p->n + 1, sizeof(*seen)), *at = out->pick + w->first[part];

	for (uint32_t range = part_start(w, part); range < part_start(w, part + 1); range++) {
		double *sum = w->sum + (size_t)range * w->p->n * N_STATS_SIDES;
		uint32_t end = range_start(out, range + 1);

		for (uint32_t i = range_start(out, range); i < end; i++) {
			uint32_t *list = at;
			bool has_leaf = paths->off[i] < paths->off[i + 1];

			out->off[i] = (uint64_t)(at - out->pick);
			out->cell[i] = has_leaf ? w->p->cell[paths->func[paths->off[i]]] : 0;
			at = list_stack(w->p, i, seen, at);
			add_sums(paths, i, list, at, sum);
		}
	}
	w->end[part] = (uint64_t)(at - out->pick);
	free(seen);
}

/* Every part wrote where it had room for all of its frames: move them together. */
static void close_up(struct listing *w)
{
	struct gate_lists *out = w->out;
	uint64_t n = w->end[0];

	for (unsigned part = 1; part < w->n_parts; part++) {
		uint64_t gap = w->first[part] - n, size = w->end[part] - w->first[part];

		memmove(out->pick + n, out->pick + w->first[part], size * sizeof(*out->pick));
		for (uint32_t i = range_start(out, part_start(w, part)); i < range_start(out, part_start(w, part + 1));
		     i++)
			out->off[i] -= gap;
		n += size;
	}
	out->off[out->n] = n;
}

/* What a pick has stands together, side by side. */
static void turn_sums(struct listing *w)
{
	uint32_t n = w->p->n, ranges = w->out->n_ranges;
	double *turned = mem_alloc((size_t)n * ranges * N_STATS_SIDES + 1, sizeof(*turned));

	for (uint32_t range = 0; range < ranges; range++)
		for (uint32_t pick = 0; pick < n; pick++)
			for (int side = 0; side < N_STATS_SIDES; side++)
				turned[((size_t)pick * N_STATS_SIDES + side) * ranges + range] =
					w->sum[((size_t)range * n + pick) * N_STATS_SIDES + side];
	w->out->sum = turned;
}

unsigned gate_rows_threads(uint32_t n_stacks)
{
	return n_stacks < FEW_STACKS ? 1 : pool_size();
}

void gate_lists_make(const struct gate_picks *p, struct gate_lists *out)
{
	const struct gate_paths *paths = &p->s->paths;
	struct listing w = { .p = p, .out = out, .n_parts = gate_rows_threads(paths->n) };
	uint32_t ranges = MOST_SUMS / (p->n + 1);

	ranges = ranges < LEAST_RANGES ? LEAST_RANGES : ranges > RANGES ? RANGES : ranges;
	*out = (struct gate_lists){ .n = paths->n, .n_ranges = ranges };
	out->off = mem_alloc_large((size_t)paths->n + 1, sizeof(*out->off));
	out->cell = mem_alloc_large((size_t)paths->n + 1, sizeof(*out->cell));
	out->pick = mem_alloc_large((size_t)(paths->n ? paths->off[paths->n] : 0) + paths->n + 1, sizeof(*out->pick));
	w.first = mem_alloc(w.n_parts, sizeof(*w.first));
	w.end = mem_alloc(w.n_parts, sizeof(*w.end));
	w.sum = mem_zalloc((size_t)ranges * p->n * N_STATS_SIDES + 1, sizeof(*w.sum));
	for (unsigned part = 0; part < w.n_parts; part++) {
		uint32_t from = range_start(out, part_start(&w, part));

		w.first[part] = (uint64_t)(from ? paths->off[from] : 0) + from;
	}
	pool_run(run, &w, w.n_parts);
	close_up(&w);
	turn_sums(&w);
	free(w.first);
	free(w.end);
	free(w.sum);
}

void gate_lists_release(struct gate_lists *l)
{
	free(l->off);
	free(l->cell);
	free(l->pick);
	free(l->sum);
}
