/*
 * judge_outside.c - the program without a row and without what is excluded, as cells
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The cells outside of a row are those of the whole program less the row's own classes, so that a row costs its
 * classes and one walk over the cells. Slot 0 is the tail: cells of which no part can have STATS_CELL_MIN
 * effective counts. By Cauchy and Schwarz the effective count of a sum is at most the sum of those of its parts.
 */
#include "config.h"

#include "engine/stats/judge_int.h"

#include "base/mem.h"
#include "base/pool.h"

#include <assert.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Where less than that is left of a sum, the difference has lost digits: add up what is left. */
#define TOO_LITTLE 1e-4
#define TAIL 0
#define GONE UINT32_MAX
#define NO_ROW UINT32_MAX   /* the whole program */
#define AHEAD 16            /* classes between asking for one and needing it */
#define THREAD_STEPS 100000 /* fewer are not worth a thread */

/* A class, its numbers side by side. */
struct class
{
	struct stats_cell sum;
	uint32_t slot;
};

struct slot {
	struct stats_cell sum;
	uint32_t n[N_STATS_SIDES]; /* classes that have something */
};

/* A cell in the order of x. */
struct place {
	struct stats_point point;
	uint32_t slot;
};

/* What it takes to look at a row; every thread has its own. */
struct eye {
	const struct stats_outside *o;
	uint32_t *seen_class, *seen_slot; /* [n_classes], [n_cells + 1]: the look that has met it */
	uint32_t look;
	struct slot *part; /* [n_cells + 1] what the row has of a slot */
	uint32_t *met;     /* [n_cells + 1] slots of the row */
	uint32_t n_met;
	struct stats_point *point, *own,
		*others; /* [n_cells + 2] of the reference; of slots that the row is in; of others */
	double *scratch; /* [n_cells + 3] */
};

struct stats_outside {
	const struct stats_counts *c;
	double noise, rho;
	struct class *class;        /* [n_classes] */
	bool *is_gone;              /* [n_classes] */
	uint32_t n_slots, *slot_of; /* [n_cells] */
	double *most;               /* [n_cells] effective counts of any part are at most that */
	struct slot *slot;          /* [n_cells + 1] whole */
	uint32_t *off, *of_slot;    /* classes of slot i: of_slot[off[i] .. off[i + 1]) */
	uint32_t n_places, n_loose;
	struct place *place; /* [n_cells] */
	uint32_t *loose;     /* [n_cells] slots that count for the tail, though a part of them might not */
	unsigned n_eyes;
	struct eye *eye; /* [n_eyes] those behind the first one are made when they are needed */
};

static void slot_add(struct slot *s, const struct class *class)
{
	stats_cell_add(&s->sum, &class->sum);
	for (int side = 0; side < N_STATS_SIDES; side++)
		s->n[side] += class->sum.value[side] > 0;
}

static int by_place(const void *a, const void *b)
{
	const struct place *p = a, *q = b;

	if (stats_point_is_before(&p->point, &q->point))
		return -1;
	return stats_point_is_before(&q->point, &p->point) ? 1 : (p->slot > q->slot) - (p->slot < q->slot);
}

/* Give slots to cells that can stand alone. */
static void outside_slots(struct stats_outside *o)
{
	const struct stats_counts *c = o->c;

	memset(o->most, 0, c->n_cells * sizeof(*o->most));
	for (uint32_t i = 0; i < c->n_classes; i++)
		for (int side = 0; side < N_STATS_SIDES && !o->is_gone[i]; side++)
			o->most[c->cell[i]] += stats_count(o->class[i].sum.value[side], o->class[i].sum.var[side]);
	o->n_slots = TAIL + 1;
	for (uint32_t i = 0; i < c->n_cells; i++)
		o->slot_of[i] = o->most[i] < STATS_CELL_MIN ? TAIL : o->n_slots++;
	assert(o->n_slots <= c->n_cells + 1);
	memset(o->slot, 0, o->n_slots * sizeof(*o->slot));
	memset(o->off, 0, ((size_t)o->n_slots + 1) * sizeof(*o->off));
	for (uint32_t i = 0; i < c->n_classes; i++) {
		o->class[i].slot = o->is_gone[i] ? GONE : o->slot_of[c->cell[i]];
		if (o->is_gone[i])
			continue;
		slot_add(&o->slot[o->class[i].slot], &o->class[i]);
		o->off[o->class[i].slot + 1]++;
	}
}

/* Group classes by slots, in their order. */
static void outside_group(struct stats_outside *o)
{
	for (uint32_t i = 0; i < o->n_slots; i++)
		o->off[i + 1] += o->off[i];
	for (uint32_t i = 0; i < o->c->n_classes; i++)
		if (!o->is_gone[i])
			o->of_slot[o->off[o->class[i].slot]++] = i;
	memmove(o->off + 1, o->off, o->n_slots * sizeof(*o->off));
	o->off[0] = 0;
	assert(o->off[o->n_slots] <= o->c->n_classes);
}

/* What new has over the base, of what is not excluded. */
static double outside_rho(const struct stats_outside *o)
{
	double *ratio = mem_alloc((size_t)o->n_slots + 1, sizeof(*ratio)), rho;
	uint32_t n = 0;

	for (uint32_t i = 0; i < o->n_slots; i++)
		stats_cells_add_ratio(&o->slot[i].sum, ratio, &n);
	rho = stats_cells_rho(ratio, n);
	free(ratio);
	return rho;
}

/* Start over with what is not excluded. */
static void outside_build(struct stats_outside *o)
{
	outside_slots(o);
	outside_group(o);
	o->rho = outside_rho(o);
	o->n_places = o->n_loose = 0;
	for (uint32_t i = TAIL + 1; i < o->n_slots; i++) {
		struct place *p = &o->place[o->n_places];

		p->slot = i;
		switch (stats_point_find(&o->slot[i].sum, o->noise, o->rho, false, &p->point)) {
		case STATS_SMALL:
			o->loose[o->n_loose++] = i;
			break;
		case STATS_POINT:
			o->n_places++;
			break;
		case STATS_ONE_SIDED:
			break;
		}
	}
	assert(o->n_places + o->n_loose < o->n_slots);
	qsort(o->place, o->n_places, sizeof(*o->place), by_place);
}

/* Give an eye its memory, when it has none yet. */
static void eye_open(struct eye *e, const struct stats_outside *o)
{
	size_t cells = (size_t)o->c->n_cells + 3;

	if (e->o)
		return;
	e->o = o;
	e->seen_class = mem_zalloc((size_t)o->c->n_classes + 1, sizeof(*e->seen_class));
	e->seen_slot = mem_zalloc(cells, sizeof(*e->seen_slot));
	e->part = mem_alloc(cells, sizeof(*e->part));
	e->met = mem_alloc(cells, sizeof(*e->met));
	e->point = mem_alloc(cells, sizeof(*e->point));
	e->own = mem_alloc(cells, sizeof(*e->own));
	e->others = mem_alloc(cells, sizeof(*e->others));
	e->scratch = mem_alloc(cells, sizeof(*e->scratch));
}

static void eye_close(struct eye *e)
{
	free(e->seen_class);
	free(e->seen_slot);
	free(e->part);
	free(e->met);
	free(e->point);
	free(e->own);
	free(e->others);
	free(e->scratch);
}

struct stats_outside *stats_outside_new(const struct stats_counts *c, double noise)
{
	struct stats_outside *o = mem_zalloc(1, sizeof(*o));
	size_t cells = (size_t)c->n_cells + 3, classes = (size_t)c->n_classes + 1;

	assert(noise >= 0);
	o->c = c;
	o->noise = noise;
	o->class = mem_alloc_large(classes, sizeof(*o->class));
	o->is_gone = mem_zalloc(classes, sizeof(*o->is_gone));
	o->of_slot = mem_alloc_large(classes, sizeof(*o->of_slot));
	o->slot_of = mem_alloc(cells, sizeof(*o->slot_of));
	o->most = mem_alloc(cells, sizeof(*o->most));
	o->slot = mem_alloc(cells, sizeof(*o->slot));
	o->off = mem_alloc(cells, sizeof(*o->off));
	o->place = mem_alloc(cells, sizeof(*o->place));
	o->loose = mem_alloc(cells, sizeof(*o->loose));
	for (uint32_t i = 0; i < c->n_classes; i++)
		for (int side = 0; side < N_STATS_SIDES; side++) {
			o->class[i].sum.value[side] = c->value[side][i];
			o->class[i].sum.var[side] = c->var[side][i];
		}
	o->n_eyes = pool_size();
	o->eye = mem_zalloc(o->n_eyes, sizeof(*o->eye));
	outside_build(o);
	return o;
}

void stats_outside_free(struct stats_outside *o)
{
	if (!o)
		return;
	for (unsigned i = 0; i < o->n_eyes; i++)
		eye_close(&o->eye[i]);
	free(o->eye);
	free(o->class);
	free(o->is_gone);
	free(o->of_slot);
	free(o->slot_of);
	free(o->most);
	free(o->slot);
	free(o->off);
	free(o->place);
	free(o->loose);
	free(o);
}

void stats_outside_exclude(struct stats_outside *o, uint32_t row)
{
	assert(row < o->c->n_rows);
	for (uint32_t i = o->c->row_off[row]; i < o->c->row_off[row + 1]; i++)
		o->is_gone[o->c->row_class[i]] = true;
	outside_build(o);
}

/* Add up the row's classes by slot. */
static void eye_meet(struct eye *e, uint32_t row, struct stats_cell *left)
{
	const struct class *class = e->o->class;
	const uint32_t *at = e->o->c->row_class + e->o->c->row_off[row];
	const uint32_t *end = e->o->c->row_class + e->o->c->row_off[row + 1];

	for (; at < end; at++) {
		const struct class *one = &class[*at];

		if (end - at > AHEAD) {
			__builtin_prefetch(&class[at[AHEAD]].sum);
			__builtin_prefetch(&class[at[AHEAD]].slot);
		}
		if (one->slot == GONE)
			continue;
		if (e->seen_slot[one->slot] != e->look) {
			e->seen_slot[one->slot] = e->look;
			e->part[one->slot] = (struct slot){ 0 };
			e->met[e->n_met++] = one->slot;
		}
		slot_add(&e->part[one->slot], one);
		stats_cell_add(left, &one->sum);
	}
}

/* What a slot has outside of the row, added up. */
static struct stats_cell eye_sum(struct eye *e, uint32_t row, uint32_t slot, bool *is_marked)
{
	const struct stats_outside *o = e->o;
	struct stats_cell sum = { 0 };

	for (uint32_t i = o->c->row_off[row]; i < o->c->row_off[row + 1] && !*is_marked; i++)
		e->seen_class[o->c->row_class[i]] = e->look;
	*is_marked = true;
	for (uint32_t i = o->off[slot]; i < o->off[slot + 1]; i++)
		if (e->seen_class[o->of_slot[i]] != e->look)
			stats_cell_add(&sum, &o->class[o->of_slot[i]].sum);
	return sum;
}

/* The same, by a difference where that is exact enough. */
static struct stats_cell eye_left(struct eye *e, uint32_t row, uint32_t slot, bool *is_marked)
{
	const struct stats_outside *o = e->o;
	const struct slot *all = &o->slot[slot], *part = &e->part[slot];
	struct stats_cell left = { 0 };

	if (e->seen_slot[slot] != e->look)
		return all->sum;
	for (int side = 0; side < N_STATS_SIDES; side++) {
		if (all->n[side] == part->n[side])
			continue;
		left.value[side] = all->sum.value[side] - part->sum.value[side];
		left.var[side] = all->sum.var[side] - part->sum.var[side];
		if (left.value[side] < TOO_LITTLE * all->sum.value[side] ||
		    left.var[side] < TOO_LITTLE * all->sum.var[side])
			return eye_sum(e, row, slot, is_marked);
	}
	return left;
}

/* Merge the row's own slots, sorted, into those it has no part in. */
static uint32_t eye_merge(struct eye *e, uint32_t n_own)
{
	const struct stats_outside *o = e->o;
	uint32_t n = 0;

	assert(n_own <= e->n_met + 1 && e->n_met <= o->n_slots);
	stats_points_sort(e->own, n_own, e->point);
	for (uint32_t i = 0; i < o->n_places; i++) {
		e->others[n] = o->place[i].point;
		n += e->seen_slot[o->place[i].slot] != e->look;
	}
	stats_points_merge(e->others, n, e->own, n_own, e->point);
	return n + n_own;
}

static uint32_t eye_points(struct eye *e, uint32_t row, bool *is_marked)
{
	const struct stats_outside *o = e->o;
	struct stats_cell tail = eye_left(e, row, TAIL, is_marked);
	uint32_t n_own = 0;

	for (uint32_t i = 0; i < o->n_loose; i++)
		if (e->seen_slot[o->loose[i]] != e->look)
			stats_cell_add(&tail, &o->slot[o->loose[i]].sum);
	for (uint32_t i = 0; i < e->n_met; i++) {
		if (e->met[i] == TAIL)
			continue;
		struct stats_cell left = eye_left(e, row, e->met[i], is_marked);

		switch (stats_point_find(&left, o->noise, o->rho, false, &e->own[n_own])) {
		case STATS_SMALL:
			stats_cell_add(&tail, &left);
			break;
		case STATS_POINT:
			n_own++;
			break;
		case STATS_ONE_SIDED:
			break;
		}
	}
	if (stats_point_find(&tail, o->noise, o->rho, true, &e->own[n_own]) == STATS_POINT)
		n_own++;
	return eye_merge(e, n_own);
}

/* Look at a row from outside. want_centre false leaves the cells alone and gives the rest. */
static void eye_see(struct eye *e, uint32_t row, bool want_centre, struct stats_seen *out)
{
	bool is_marked = false;
	uint32_t n;

	assert(row == NO_ROW || row < e->o->c->n_rows);
	memset(out, 0, sizeof(*out));
	e->look++;
	e->n_met = 0;
	if (row != NO_ROW)
		eye_meet(e, row, &out->left);
	if (want_centre) {
		n = eye_points(e, row, &is_marked);
		out->centre.n_cells = n;
		out->has_centre = n >= STATS_CELLS_MIN;
		if (out->has_centre) {
			stats_points_centre(e->point, n, e->o->noise, e->scratch, &out->centre);
			return;
		}
	}
	for (uint32_t i = 0; i < e->o->n_slots; i++) {
		struct stats_cell left = eye_left(e, row, i, &is_marked);

		stats_cell_add(&out->rest, &left);
	}
}

/* Rows are independent: threads take one after the other. */
struct looking {
	struct stats_outside *o;
	const uint32_t *row;
	uint32_t n;
	bool want_centre;
	struct stats_seen *seen;
	atomic_uint next;
};

static void run(void *arg, unsigned number)
{
	struct looking *w = arg;
	uint32_t i;

	while ((i = atomic_fetch_add(&w->next, 1)) < w->n) {
		eye_open(&w->o->eye[number], w->o);
		eye_see(&w->o->eye[number], w->row[i], w->want_centre, &w->seen[w->row[i]]);
	}
}

void stats_outside_see(struct stats_outside *o, const uint32_t *row, uint32_t n, bool want_centre,
		       struct stats_seen *seen)
{
	struct looking w = { .o = o, .row = row, .n = n, .want_centre = want_centre, .seen = seen };
	uint64_t steps = 0;

	for (uint32_t i = 0; i < n; i++)
		steps += (uint64_t)(o->c->row_off[row[i] + 1] - o->c->row_off[row[i]]) + o->n_slots;
	pool_run(run, &w, steps < 2 * THREAD_STEPS ? 1 : o->n_eyes);
}

void stats_outside_see_all(struct stats_outside *o, bool want_centre, struct stats_seen *out)
{
	eye_open(&o->eye[0], o);
	eye_see(&o->eye[0], NO_ROW, want_centre, out);
}
