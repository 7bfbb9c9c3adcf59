/*
 * rows.c - what a gate compares: functions of two sides as rows over classes of stacks
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Functions above the floors are picked by their sums. One walk over the stacks then finds, leaf to root, the picks
 * that each counts for. What is nearly the same is merged, and stacks that agree in the rows that are left and in the
 * cell of their leaf become one class.
 */
#include "config.h"

#include "report/gate/rows_int.h"

#include "base/mem.h"
#include "base/pool.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Each row is held against all leaves outside of it: more would take minutes. */
enum { MOST_ROWS = 20000 };

/* Between picks and the answer. */
struct making {
	const struct gate_sums *s;
	struct arena *mem; /* of the answer */
	struct gate_picks p;
	uint32_t *first, *named; /* [picks] gate_picks_merge */
	double *depth;
	uint32_t *row; /* [picks] of one that names a group, else GATE_NO_FUNC */
	bool has_total;
	struct gate_rows *out;
};

/* Every part of the classes has its own place in the list of a row: count tells how many, then where. */
struct turning {
	const struct gate_classes *c;
	uint32_t *class;
};

static void turn(void *arg, unsigned number)
{
	const struct turning *t = arg;
	const struct gate_class_part *part = &t->c->part[number];
	const uint32_t *row = part->row;

	for (uint32_t i = part->first; i < part->first + part->n; i++)
		for (const uint32_t *end = part->row + t->c->end[i]; row < end; row++)
			t->class[part->count[*row]++] = i;
}

/* The classes of every row. */
static void list_classes(const struct making *m, const struct gate_classes *c)
{
	struct stats_counts *counts = &m->out->counts;
	struct turning t = { .c = c };
	uint32_t *off = arena_zalloc(m->mem, (size_t)counts->n_rows + 1, sizeof(*off)), n = 0;

	for (uint32_t row = 0; row < counts->n_rows; row++) {
		if (row == 0 && m->has_total)
			n = c->n;
		for (unsigned i = 0; i < c->n_parts; i++) {
			uint32_t count = c->part[i].count[row];

			c->part[i].count[row] = n;
			n += count;
		}
		off[row + 1] = n;
	}
	t.class = arena_alloc(m->mem, (size_t)n + 1, sizeof(*t.class));
	for (uint32_t i = 0; m->has_total && i < c->n; i++)
		t.class[i] = i;
	pool_run(turn, &t, c->n_parts);
	counts->row_off = off;
	counts->row_class = t.class;
}

/* The columns of the classes become the answer's. */
static void lay_out(const struct making *m, struct gate_classes *c)
{
	struct stats_counts *counts = &m->out->counts;

	counts->n_classes = c->n;
	counts->n_cells = m->p.n_cells;
	list_classes(m, c);
	counts->cell = arena_own(m->mem, c->cell);
	c->cell = NULL;
	for (int side = 0; side < N_STATS_SIDES; side++) {
		counts->value[side] = arena_own(m->mem, c->value[side]);
		counts->var[side] = arena_own(m->mem, c->var[side]);
		c->value[side] = c->var[side] = NULL;
	}
}

struct member {
	uint32_t pick;
	double depth;
	const char *name;
};

static int compare_members(const void *a, const void *b)
{
	const struct member *l = a, *r = b;
	int d;

	if (l->depth != r->depth)
		return l->depth < r->depth ? -1 : 1;
	d = strcmp(l->name, r->name);
	return d ? d : (l->pick > r->pick) - (l->pick < r->pick);
}

/* Who else is in the groups: members by group, those that name them left out. */
static void list_aliases(const struct making *m)
{
	uint32_t n = m->p.n, *count = mem_zalloc((size_t)n + 1, sizeof(*count));
	struct member **of = mem_zalloc((size_t)n + 1, sizeof(*of));

	for (uint32_t i = 0; i < n; i++)
		count[m->first[i]] += m->named[m->first[i]] != i;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t first = m->first[i], f = m->p.pick[i].func;
		struct gate_source *source = &m->out->source[m->row[m->named[first]]];

		if (m->named[first] == i)
			continue;
		if (!of[first])
			of[first] = mem_alloc(count[first], sizeof(**of));
		of[first][source->n_aliases++] = (struct member){ i, m->depth[i], m->p.func[f].name };
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t *alias;

		if (!of[i])
			continue;
		qsort(of[i], count[i], sizeof(**of), compare_members);
		alias = arena_alloc(m->mem, count[i], sizeof(*alias));
		for (uint32_t k = 0; k < count[i]; k++)
			alias[k] = m->p.pick[of[i][k].pick].func;
		m->out->source[m->row[m->named[i]]].alias = alias;
		free(of[i]);
	}
	free(of);
	free(count);
}

/* Rows in the order of their groups, which is by falling share; a total in front. */
static void name_rows(struct making *m)
{
	struct gate_rows *out = m->out;
	uint32_t *was;

	out->source = arena_zalloc(m->mem, (size_t)m->p.n + 1, sizeof(*out->source));
	m->row = mem_alloc((size_t)m->p.n + 1, sizeof(*m->row));
	memset(m->row, 0xff, m->p.n * sizeof(*m->row));
	if (m->has_total)
		out->source[out->n++] = (struct gate_source){ .kind = GATE_TOTAL, .func = GATE_NO_FUNC };
	for (uint32_t i = 0; i < m->p.n; i++) {
		const struct gate_pick *pick = &m->p.pick[m->named[i]];

		if (m->first[i] != i)
			continue;
		m->row[m->named[i]] = out->n;
		out->source[out->n++] = (struct gate_source){ .kind = pick->kind, .func = pick->func };
	}
	list_aliases(m);
	was = arena_alloc(m->mem, (size_t)m->s->n_funcs + 1, sizeof(*was));
	memcpy(was, m->p.was, m->s->n_funcs * sizeof(*was));
	out->was = was;
	out->counts.n_rows = out->n;
}

/* What every file has of every row. */
static void fill_files(const struct making *m)
{
	const struct gate_sums *s = m->s;
	struct stats_counts *counts = &m->out->counts;
	double *row_file, *total;
	uint32_t at[N_STATS_SIDES] = { 0 };

	for (uint32_t f = 0; f < s->n_files; f++)
		counts->n_files[s->file[f].side]++;
	if (counts->n_files[STATS_BASE] < 2 && counts->n_files[STATS_NEW] < 2)
		return;
	at[STATS_NEW] = counts->n_files[STATS_BASE];
	row_file = arena_zalloc(m->mem, (size_t)counts->n_rows * s->n_files + 1, sizeof(*row_file));
	total = arena_alloc(m->mem, s->n_files, sizeof(*total));
	for (uint32_t f = 0; f < s->n_files; f++) {
		const struct gate_file *file = &s->file[f];
		uint32_t slot = at[file->side]++;

		total[slot] = file->value;
		if (m->has_total)
			row_file[slot] = file->value;
		for (uint32_t k = 0; k < file->n_parts; k++) {
			const struct gate_part *part = &file->part[k];
			uint32_t cum = m->p.cum[part->func], flat = m->p.flat[part->func];

			if (cum != GATE_NO_FUNC && m->row[cum] != GATE_NO_FUNC)
				row_file[(size_t)m->row[cum] * s->n_files + slot] += part->cum;
			if (flat != GATE_NO_FUNC && m->row[flat] != GATE_NO_FUNC)
				row_file[(size_t)m->row[flat] * s->n_files + slot] += part->flat;
		}
	}
	counts->row_file = row_file;
	counts->file_total = total;
}

/* Where all did the same work, the program as a whole can be judged too. */
static bool tests_total(enum gate_normalize n)
{
	return n == GATE_NONE || n == GATE_WORK || n == GATE_DURATION;
}

int gate_rows_make(const struct gate_sums *s, struct arena *mem, struct gate_rows *out, struct err *err)
{
	struct arena *scratch = arena_new();
	struct making m = { .s = s, .mem = mem, .has_total = tests_total(s->options->normalize), .out = out };
	struct gate_lists lists;
	struct gate_classes classes;
	int rc;

	*out = (struct gate_rows){ .n = 0 };
	gate_picks_make(s, scratch, &m.p);
	if (m.p.n > MOST_ROWS) {
		rc = err_set(err, ERR_LIMIT,
			     "%" PRIu32
			     " rows are above the floors, more than the %d that can be judged: raise --min-share or "
			     "--min-samples",
			     m.p.n, MOST_ROWS);
		arena_free(scratch);
		return rc;
	}
	gate_lists_make(&m.p, &lists);
	m.first = arena_alloc(scratch, (size_t)m.p.n + 1, sizeof(*m.first));
	m.named = arena_alloc(scratch, (size_t)m.p.n + 1, sizeof(*m.named));
	m.depth = arena_alloc(scratch, (size_t)m.p.n + 1, sizeof(*m.depth));
	gate_picks_merge(&m.p, &lists, m.first, m.named, m.depth);
	name_rows(&m);
	gate_classes_make(&m.p, &lists, m.row, out->n, &classes);
	gate_lists_release(&lists);
	lay_out(&m, &classes);
	gate_classes_release(&classes);
	fill_files(&m);
	gate_rows_rules(&m.p, m.first, m.row, mem, out);
	free(m.row);
	arena_free(scratch);
	return 0;
}
