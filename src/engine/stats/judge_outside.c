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

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Where less than that is left of a sum, the difference has lost digits: add up what is left. */
#define TOO_LITTLE 1e-4
#define TAIL 0

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

struct stats_outside {
	const struct stats_counts *c;
	double noise;
	struct class *class;              /* [n_classes] */
	bool *is_gone;                    /* [n_classes] */
	uint32_t *seen_class, *seen_slot; /* [n_classes], [n_cells + 1]: the look that has met it */
	uint32_t look;
	uint32_t n_slots, *slot_of; /* [n_cells] */
	double *most;               /* [n_cells] effective counts of any part are at most that */
	struct slot *slot, *part;   /* [n_cells + 1] whole, and what the row has of it */
	uint32_t *off, *of_slot;    /* classes of slot i: of_slot[off[i] .. off[i + 1]) */
	uint32_t n_places, n_loose;
	struct place *place; /* [n_cells] */
	uint32_t *loose;     /* [n_cells] slots that count for the tail, though a part of them might not */
	uint32_t *met;       /* [n_cells + 1] slots of the row */
	uint32_t n_met;
	struct stats_point *point, *own; /* [n_cells + 2] of the reference; of slots that the row is in */
	double *scratch;                 /* [n_cells + 3] */
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
	memset(o->slot, 0, o->n_slots * sizeof(*o->slot));
	memset(o->off, 0, ((size_t)o->n_slots + 1) * sizeof(*o->off));
	for (uint32_t i = 0; i < c->n_classes; i++) {
		o->class[i].slot = o->slot_of[c->cell[i]];
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
}

/* Start over with what is not excluded. */
static void outside_build(struct stats_outside *o)
{
	outside_slots(o);
	outside_group(o);
	o->n_places = o->n_loose = 0;
	for (uint32_t i = TAIL + 1; i < o->n_slots; i++) {
		struct place *p = &o->place[o->n_places];

		p->slot = i;
		if (stats_cell_is_small(&o->slot[i].sum))
			o->loose[o->n_loose++] = i;
		else if (stats_point_make(&o->slot[i].sum, o->noise, &p->point))
			o->n_places++;
	}
	qsort(o->place, o->n_places, sizeof(*o->place), by_place);
}

struct stats_outside *stats_outside_new(const struct stats_counts *c, double noise)
{
	struct stats_outside *o = mem_zalloc(1, sizeof(*o));
	size_t cells = (size_t)c->n_cells + 3, classes = (size_t)c->n_classes + 1;

	o->c = c;
	o->noise = noise;
	o->class = mem_alloc(classes, sizeof(*o->class));
	o->is_gone = mem_zalloc(classes, sizeof(*o->is_gone));
	o->seen_class = mem_zalloc(classes, sizeof(*o->seen_class));
	o->of_slot = mem_alloc(classes, sizeof(*o->of_slot));
	o->seen_slot = mem_zalloc(cells, sizeof(*o->seen_slot));
	o->slot_of = mem_alloc(cells, sizeof(*o->slot_of));
	o->most = mem_alloc(cells, sizeof(*o->most));
	o->slot = mem_alloc(cells, sizeof(*o->slot));
	o->part = mem_alloc(cells, sizeof(*o->part));
	o->off = mem_alloc(cells, sizeof(*o->off));
	o->place = mem_alloc(cells, sizeof(*o->place));
	o->loose = mem_alloc(cells, sizeof(*o->loose));
	o->met = mem_alloc(cells, sizeof(*o->met));
	o->point = mem_alloc(cells, sizeof(*o->point));
	o->own = mem_alloc(cells, sizeof(*o->own));
	o->scratch = mem_alloc(cells, sizeof(*o->scratch));
	for (uint32_t i = 0; i < c->n_classes; i++)
		for (int side = 0; side < N_STATS_SIDES; side++) {
			o->class[i].sum.value[side] = c->value[side][i];
			o->class[i].sum.var[side] = c->var[side][i];
		}
	outside_build(o);
	return o;
}

void stats_outside_free(struct stats_outside *o)
{
	if (!o)
		return;
	free(o->class);
	free(o->is_gone);
	free(o->seen_class);
	free(o->of_slot);
	free(o->seen_slot);
	free(o->slot_of);
	free(o->most);
	free(o->slot);
	free(o->part);
	free(o->off);
	free(o->place);
	free(o->loose);
	free(o->met);
	free(o->point);
	free(o->own);
	free(o->scratch);
	free(o);
}

void stats_outside_exclude(struct stats_outside *o, uint32_t row)
{
	for (uint32_t i = o->c->row_off[row]; i < o->c->row_off[row + 1]; i++)
		o->is_gone[o->c->row_class[i]] = true;
	outside_build(o);
}

/* Add up the row's classes by slot. */
static void outside_meet(struct stats_outside *o, uint32_t row, struct stats_cell *left)
{
	for (uint32_t i = o->c->row_off[row]; i < o->c->row_off[row + 1]; i++) {
		uint32_t at = o->c->row_class[i], slot = o->class[at].slot;

		if (o->is_gone[at])
			continue;
		if (o->seen_slot[slot] != o->look) {
			o->seen_slot[slot] = o->look;
			o->part[slot] = (struct slot){ 0 };
			o->met[o->n_met++] = slot;
		}
		slot_add(&o->part[slot], &o->class[at]);
		stats_cell_add(left, &o->class[at].sum);
	}
}

/* What a slot has outside of the row, added up. */
static struct stats_cell outside_sum(struct stats_outside *o, uint32_t row, uint32_t slot, bool *is_marked)
{
	struct stats_cell sum = { 0 };

	for (uint32_t i = o->c->row_off[row]; i < o->c->row_off[row + 1] && !*is_marked; i++)
		o->seen_class[o->c->row_class[i]] = o->look;
	*is_marked = true;
	for (uint32_t i = o->off[slot]; i < o->off[slot + 1]; i++)
		if (o->seen_class[o->of_slot[i]] != o->look)
			stats_cell_add(&sum, &o->class[o->of_slot[i]].sum);
	return sum;
}

/* The same, by a difference where that is exact enough. */
static struct stats_cell outside_left(struct stats_outside *o, uint32_t row, uint32_t slot, bool *is_marked)
{
	const struct slot *all = &o->slot[slot], *part = &o->part[slot];
	struct stats_cell left = { 0 };

	if (o->seen_slot[slot] != o->look)
		return all->sum;
	for (int side = 0; side < N_STATS_SIDES; side++) {
		if (all->n[side] == part->n[side])
			continue;
		left.value[side] = all->sum.value[side] - part->sum.value[side];
		left.var[side] = all->sum.var[side] - part->sum.var[side];
		if (left.value[side] < TOO_LITTLE * all->sum.value[side] ||
		    left.var[side] < TOO_LITTLE * all->sum.var[side])
			return outside_sum(o, row, slot, is_marked);
	}
	return left;
}

/* Merge the row's own slots, sorted, into those it has no part in. */
static uint32_t outside_merge(struct stats_outside *o, uint32_t n_own)
{
	uint32_t n = 0, own = 0;

	stats_points_sort(o->own, n_own, o->point);
	for (uint32_t i = 0; i < o->n_places; i++) {
		const struct place *p = &o->place[i];

		if (o->seen_slot[p->slot] == o->look)
			continue;
		while (own < n_own && stats_point_is_before(&o->own[own], &p->point))
			o->point[n++] = o->own[own++];
		o->point[n++] = p->point;
	}
	while (own < n_own)
		o->point[n++] = o->own[own++];
	return n;
}

static uint32_t outside_points(struct stats_outside *o, uint32_t row, bool *is_marked)
{
	struct stats_cell tail = outside_left(o, row, TAIL, is_marked);
	uint32_t n_own = 0;

	for (uint32_t i = 0; i < o->n_loose; i++)
		if (o->seen_slot[o->loose[i]] != o->look)
			stats_cell_add(&tail, &o->slot[o->loose[i]].sum);
	for (uint32_t i = 0; i < o->n_met; i++) {
		if (o->met[i] == TAIL)
			continue;
		struct stats_cell left = outside_left(o, row, o->met[i], is_marked);

		if (stats_cell_is_small(&left))
			stats_cell_add(&tail, &left);
		else if (stats_point_make(&left, o->noise, &o->own[n_own]))
			n_own++;
	}
	if (stats_point_make(&tail, o->noise, &o->own[n_own]))
		n_own++;
	return outside_merge(o, n_own);
}

void stats_outside_see(struct stats_outside *o, uint32_t row, bool want_centre, struct stats_seen *out)
{
	bool is_marked = false;
	uint32_t n;

	memset(out, 0, sizeof(*out));
	o->look++;
	o->n_met = 0;
	if (row != STATS_NO_ROW)
		outside_meet(o, row, &out->left);
	if (want_centre) {
		n = outside_points(o, row, &is_marked);
		out->centre.n_cells = n;
		out->has_centre = n >= STATS_CELLS_MIN;
		if (out->has_centre) {
			stats_points_centre(o->point, n, o->noise, o->scratch, &out->centre);
			return;
		}
	}
	for (uint32_t i = 0; i < o->n_slots; i++) {
		struct stats_cell left = outside_left(o, row, i, &is_marked);

		stats_cell_add(&out->rest, &left);
	}
}
