/*
 * reference.c - the reference of a row: the program without the row and without excluded rows, as cells
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The cells outside of a row are those of the whole program minus the row's own classes, so the cost of a row is its
 * classes and one pass over the cells. Slot 0 is the tail: cells so small that no part of them can have STATS_CELL_MIN
 * effective counts. By the Cauchy-Schwarz inequality the effective count of a sum is at most the sum of those of its
 * parts.
 */
#include "config.h"

#include "engine/stats/judge_int.h"

#include "base/mem.h"
#include "base/pool.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* If less than this share of a sum remains, the difference has lost digits: add up the rest instead. */
#define REST_SHARE_MIN 1e-4
#define TAIL 0
#define EXCLUDED UINT32_MAX
#define NO_ROW UINT32_MAX   /* in place of a row: the whole program */
#define AHEAD 16            /* prefetch distance, in classes */
#define THREAD_STEPS 100000 /* min steps for using threads */

struct reference_slot {
	struct stats_cell sum;
	uint32_t n[N_SIDES]; /* number of classes with a value > 0 */
};

/* A cell in the list sorted by x. */
struct reference_place {
	struct stats_point point;
	uint32_t slot;
};

/* Scratch memory of one thread for the reference of a row. */
struct reference_worker {
	const struct stats_reference *o;
	uint32_t *class_pass, *slot_pass; /* [n_classes], [n_cells + 1]: the last pass that marked each of them */
	uint32_t pass;
	struct reference_slot *row_part; /* [n_cells + 1] the row's part of each slot */
	uint32_t *row_slot;              /* [n_cells + 1] slots of the row */
	uint32_t n_row_slots;
	struct stats_point *point, *own,
		*others; /* [n_cells + 2] points of the reference; of the row's slots; of other slots */
	double *scratch; /* [n_cells + 3] */
};

struct stats_reference {
	const struct stats_counts *c;
	double noise, rho;
	struct stats_cell *class;    /* [n_classes] values and variances, copied next to each other */
	uint32_t *class_slot;        /* [n_classes] slot of each class; EXCLUDED if excluded */
	bool *is_excluded;           /* [n_classes] */
	uint32_t n_slots, *slot_of;  /* [n_cells] */
	double *max_count;           /* [n_cells] upper bound on the effective counts of any part */
	struct reference_slot *slot; /* [n_cells + 1] slots of the whole program */
	uint32_t *off, *of_slot;     /* classes of slot i: of_slot[off[i] .. off[i + 1]) */
	uint32_t n_places, n_borderline;
	struct reference_place *place; /* [n_cells] */
	uint32_t *borderline;          /* [n_cells] slots too small as a whole, of which a part may be large enough */
	unsigned n_workers;
	struct reference_worker *worker; /* scratch memory of each thread, allocated when needed */
};

static void slot_add(struct reference_slot *s, const struct stats_cell *class)
{
	stats_cell_add(&s->sum, class);
	for (int side = 0; side < N_SIDES; side++)
		s->n[side] += class->value[side] > 0;
}

static int reference_by_place(const void *a, const void *b)
{
	const struct reference_place *p = a, *q = b;

	if (stats_point_is_before(&p->point, &q->point))
		return -1;
	return stats_point_is_before(&q->point, &p->point) ? 1 : (p->slot > q->slot) - (p->slot < q->slot);
}

/* Assign slots to cells that are large enough. */
static void assign_slots(struct stats_reference *o)
{
	const struct stats_counts *c = o->c;

	memset(o->max_count, 0, c->n_cells * sizeof(*o->max_count));
	for (uint32_t i = 0; i < c->n_classes; i++)
		for (int side = 0; side < N_SIDES && !o->is_excluded[i]; side++)
			o->max_count[c->cell[i]] += stats_count(o->class[i].value[side], o->class[i].var[side]);
	o->n_slots = TAIL + 1;
	for (uint32_t i = 0; i < c->n_cells; i++)
		o->slot_of[i] = o->max_count[i] < STATS_CELL_MIN ? TAIL : o->n_slots++;
	assert(o->n_slots <= c->n_cells + 1);
	memset(o->slot, 0, o->n_slots * sizeof(*o->slot));
	memset(o->off, 0, ((size_t)o->n_slots + 1) * sizeof(*o->off));
	for (uint32_t i = 0; i < c->n_classes; i++) {
		o->class_slot[i] = o->is_excluded[i] ? EXCLUDED : o->slot_of[c->cell[i]];
		if (o->is_excluded[i])
			continue;
		slot_add(&o->slot[o->class_slot[i]], &o->class[i]);
		o->off[o->class_slot[i] + 1]++;
	}
}

/* Group classes by slot, in ascending order. */
static void group_classes(struct stats_reference *o)
{
	for (uint32_t i = 0; i < o->n_slots; i++)
		o->off[i + 1] += o->off[i];
	for (uint32_t i = 0; i < o->c->n_classes; i++)
		if (!o->is_excluded[i])
			o->of_slot[o->off[o->class_slot[i]]++] = i;
	memmove(o->off + 1, o->off, o->n_slots * sizeof(*o->off));
	o->off[0] = 0;
	assert(o->off[o->n_slots] <= o->c->n_classes);
}

/* The expected ratio new / base of the cells that are not excluded. */
static double reference_find_rho(const struct stats_reference *o)
{
	double *ratio = mem_alloc((size_t)o->n_slots + 1, sizeof(*ratio)), rho;
	uint32_t n = 0;

	for (uint32_t i = 0; i < o->n_slots; i++)
		stats_cells_add_ratio(&o->slot[i].sum, ratio, &n);
	rho = stats_cells_rho(ratio, n);
	free(ratio);
	return rho;
}

/* Rebuild the cells from the classes that are not excluded. */
static void build_cells(struct stats_reference *o)
{
	assign_slots(o);
	group_classes(o);
	o->rho = reference_find_rho(o);
	o->n_places = o->n_borderline = 0;
	for (uint32_t i = TAIL + 1; i < o->n_slots; i++) {
		struct reference_place *p = &o->place[o->n_places];

		p->slot = i;
		switch (stats_point_find(&o->slot[i].sum, o->noise, o->rho, false, &p->point)) {
		case STATS_SMALL:
			o->borderline[o->n_borderline++] = i;
			break;
		case STATS_POINT:
			o->n_places++;
			break;
		case STATS_ONE_SIDED:
			break;
		}
	}
	assert(o->n_places + o->n_borderline < o->n_slots);
	qsort(o->place, o->n_places, sizeof(*o->place), reference_by_place);
}

/* Allocate the memory of a thread, if not done yet. */
static void worker_open(struct reference_worker *e, const struct stats_reference *o)
{
	size_t cells = (size_t)o->c->n_cells + 3;

	if (e->o)
		return;
	e->o = o;
	e->class_pass = mem_zalloc((size_t)o->c->n_classes + 1, sizeof(*e->class_pass));
	e->slot_pass = mem_zalloc(cells, sizeof(*e->slot_pass));
	e->row_part = mem_alloc(cells, sizeof(*e->row_part));
	e->row_slot = mem_alloc(cells, sizeof(*e->row_slot));
	e->point = mem_alloc(cells, sizeof(*e->point));
	e->own = mem_alloc(cells, sizeof(*e->own));
	e->others = mem_alloc(cells, sizeof(*e->others));
	e->scratch = mem_alloc(cells, sizeof(*e->scratch));
}

static void worker_close(struct reference_worker *e)
{
	free(e->class_pass);
	free(e->slot_pass);
	free(e->row_part);
	free(e->row_slot);
	free(e->point);
	free(e->own);
	free(e->others);
	free(e->scratch);
}

struct stats_reference *stats_reference_new(const struct stats_counts *c, double noise)
{
	struct stats_reference *o = mem_zalloc(1, sizeof(*o));
	size_t cells = (size_t)c->n_cells + 3, classes = (size_t)c->n_classes + 1;

	assert(noise >= 0);
	o->c = c;
	o->noise = noise;
	o->class = mem_alloc_large(classes, sizeof(*o->class));
	o->class_slot = mem_alloc_large(classes, sizeof(*o->class_slot));
	o->is_excluded = mem_zalloc(classes, sizeof(*o->is_excluded));
	o->of_slot = mem_alloc_large(classes, sizeof(*o->of_slot));
	o->slot_of = mem_alloc(cells, sizeof(*o->slot_of));
	o->max_count = mem_alloc(cells, sizeof(*o->max_count));
	o->slot = mem_alloc(cells, sizeof(*o->slot));
	o->off = mem_alloc(cells, sizeof(*o->off));
	o->place = mem_alloc(cells, sizeof(*o->place));
	o->borderline = mem_alloc(cells, sizeof(*o->borderline));
	for (uint32_t i = 0; i < c->n_classes; i++)
		for (int side = 0; side < N_SIDES; side++) {
			o->class[i].value[side] = c->value[side][i];
			o->class[i].var[side] = c->var[side][i];
		}
	o->n_workers = pool_size();
	o->worker = mem_zalloc(o->n_workers, sizeof(*o->worker));
	build_cells(o);
	return o;
}

void stats_reference_free(struct stats_reference *o)
{
	if (!o)
		return;
	for (unsigned i = 0; i < o->n_workers; i++)
		worker_close(&o->worker[i]);
	free(o->worker);
	free(o->class);
	free(o->class_slot);
	free(o->is_excluded);
	free(o->of_slot);
	free(o->slot_of);
	free(o->max_count);
	free(o->slot);
	free(o->off);
	free(o->place);
	free(o->borderline);
	free(o);
}

void stats_reference_exclude(struct stats_reference *o, uint32_t row)
{
	assert(row < o->c->n_rows);
	for (uint32_t i = o->c->row_off[row]; i < o->c->row_off[row + 1]; i++)
		o->is_excluded[o->c->row_class[i]] = true;
	build_cells(o);
}

/* Add up the row's classes by slot. */
static void worker_add_row(struct reference_worker *e, uint32_t row, struct stats_cell *sum)
{
	const struct stats_cell *class = e->o->class;
	const uint32_t *class_slot = e->o->class_slot;
	const uint32_t *at = e->o->c->row_class + e->o->c->row_off[row];
	const uint32_t *end = e->o->c->row_class + e->o->c->row_off[row + 1];

	for (; at < end; at++) {
		uint32_t slot = class_slot[*at];

		if (end - at > AHEAD) {
			__builtin_prefetch(&class[at[AHEAD]]);
			__builtin_prefetch(&class_slot[at[AHEAD]]);
		}
		if (slot == EXCLUDED)
			continue;
		if (e->slot_pass[slot] != e->pass) {
			e->slot_pass[slot] = e->pass;
			e->row_part[slot] = (struct reference_slot){ 0 };
			e->row_slot[e->n_row_slots++] = slot;
		}
		slot_add(&e->row_part[slot], &class[*at]);
		stats_cell_add(sum, &class[*at]);
	}
}

/* Add up the classes of a slot that are not in the row. */
static struct stats_cell worker_sum(struct reference_worker *e, uint32_t row, uint32_t slot, bool *is_marked)
{
	const struct stats_reference *o = e->o;
	struct stats_cell sum = { 0 };

	for (uint32_t i = o->c->row_off[row]; i < o->c->row_off[row + 1] && !*is_marked; i++)
		e->class_pass[o->c->row_class[i]] = e->pass;
	*is_marked = true;
	for (uint32_t i = o->off[slot]; i < o->off[slot + 1]; i++)
		if (e->class_pass[o->of_slot[i]] != e->pass)
			stats_cell_add(&sum, &o->class[o->of_slot[i]]);
	return sum;
}

/* The same sum, by subtraction if that is exact enough. */
static struct stats_cell worker_rest(struct reference_worker *e, uint32_t row, uint32_t slot, bool *is_marked)
{
	const struct stats_reference *o = e->o;
	const struct reference_slot *all = &o->slot[slot], *part = &e->row_part[slot];
	struct stats_cell rest = { 0 };

	if (e->slot_pass[slot] != e->pass)
		return all->sum;
	for (int side = 0; side < N_SIDES; side++) {
		if (all->n[side] == part->n[side])
			continue;
		rest.value[side] = all->sum.value[side] - part->sum.value[side];
		rest.var[side] = all->sum.var[side] - part->sum.var[side];
		if (rest.value[side] < REST_SHARE_MIN * all->sum.value[side] ||
		    rest.var[side] < REST_SHARE_MIN * all->sum.var[side])
			return worker_sum(e, row, slot, is_marked);
	}
	return rest;
}

/* Sort the points of the row's slots, and merge them with those of other slots. */
static uint32_t worker_merge(struct reference_worker *e, uint32_t n_own)
{
	const struct stats_reference *o = e->o;
	uint32_t n = 0;

	assert(n_own <= e->n_row_slots + 1 && e->n_row_slots <= o->n_slots);
	stats_points_sort(e->own, n_own, e->point);
	for (uint32_t i = 0; i < o->n_places; i++) {
		e->others[n] = o->place[i].point;
		n += e->slot_pass[o->place[i].slot] != e->pass;
	}
	stats_points_merge(e->others, n, e->own, n_own, e->point);
	return n + n_own;
}

static uint32_t worker_points(struct reference_worker *e, uint32_t row, bool *is_marked)
{
	const struct stats_reference *o = e->o;
	struct stats_cell tail = worker_rest(e, row, TAIL, is_marked);
	uint32_t n_own = 0;

	for (uint32_t i = 0; i < o->n_borderline; i++)
		if (e->slot_pass[o->borderline[i]] != e->pass)
			stats_cell_add(&tail, &o->slot[o->borderline[i]].sum);
	for (uint32_t i = 0; i < e->n_row_slots; i++) {
		if (e->row_slot[i] == TAIL)
			continue;
		struct stats_cell rest = worker_rest(e, row, e->row_slot[i], is_marked);

		switch (stats_point_find(&rest, o->noise, o->rho, false, &e->own[n_own])) {
		case STATS_SMALL:
			stats_cell_add(&tail, &rest);
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
	return worker_merge(e, n_own);
}

/* Find the reference of a row. If want_centre is false, only the sum is computed. */
static void worker_find(struct reference_worker *e, uint32_t row, bool want_centre, struct stats_reference_result *out)
{
	bool is_marked = false;
	uint32_t n;

	assert(row == NO_ROW || row < e->o->c->n_rows);
	memset(out, 0, sizeof(*out));
	e->pass++;
	e->n_row_slots = 0;
	if (row != NO_ROW)
		worker_add_row(e, row, &out->remaining);
	if (want_centre) {
		n = worker_points(e, row, &is_marked);
		out->centre.n_cells = n;
		out->has_centre = n >= STATS_CELLS_MIN;
		if (out->has_centre) {
			stats_points_centre(e->point, n, e->o->noise, e->scratch, &out->centre);
			return;
		}
	}
	for (uint32_t i = 0; i < e->o->n_slots; i++) {
		struct stats_cell rest = worker_rest(e, row, i, &is_marked);

		stats_cell_add(&out->rest, &rest);
	}
}

/* Queue of rows, which are independent, shared by threads. */
struct reference_row_queue {
	struct stats_reference *o;
	const uint32_t *row;
	uint32_t n;
	bool want_centre;
	struct stats_reference_result *found;
	atomic_uint next;
};

static void reference_run(void *arg, unsigned number)
{
	struct reference_row_queue *w = arg;
	uint32_t i;

	while ((i = atomic_fetch_add(&w->next, 1)) < w->n) {
		worker_open(&w->o->worker[number], w->o);
		worker_find(&w->o->worker[number], w->row[i], w->want_centre, &w->found[w->row[i]]);
	}
}

void stats_reference_find(struct stats_reference *o, const uint32_t *row, uint32_t n, bool want_centre,
			  struct stats_reference_result *found)
{
	struct reference_row_queue w = { .o = o, .row = row, .n = n, .want_centre = want_centre, .found = found };
	uint64_t steps = 0;

	for (uint32_t i = 0; i < n; i++)
		steps += (uint64_t)(o->c->row_off[row[i] + 1] - o->c->row_off[row[i]]) + o->n_slots;
	pool_run(reference_run, &w, steps < 2 * THREAD_STEPS ? 1 : o->n_workers);
}

void stats_reference_find_all(struct stats_reference *o, bool want_centre, struct stats_reference_result *out)
{
	worker_open(&o->worker[0], o);
	worker_find(&o->worker[0], NO_ROW, want_centre, out);
}
