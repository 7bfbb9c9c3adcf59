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

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static const double *copy_numbers(struct arena *mem, const double *from, uint32_t n)
{
	double *to = arena_alloc(mem, (size_t)n + 1, sizeof(*to));

	if (n)
		memcpy(to, from, n * sizeof(*to));
	return to;
}

/* Columns of the classes, and the classes of every row. */
static void lay_out(const struct making *m, const struct gate_classes *c)
{
	struct stats_counts *counts = &m->out->counts;
	uint32_t n = c->ids.n, *cell = arena_alloc(m->mem, (size_t)n + 1, sizeof(*cell));
	uint32_t *list = mem_alloc((size_t)m->p.n + 2, sizeof(*list));
	uint32_t *off = arena_zalloc(m->mem, (size_t)counts->n_rows + 2, sizeof(*off)), *class;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t n_list = gate_classes_get(c, i, &cell[i], list);

		for (uint32_t k = 0; k < n_list; k++)
			off[list[k] + 2]++;
	}
	if (m->has_total)
		off[2] = n;
	for (uint32_t i = 1; i <= counts->n_rows; i++)
		off[i + 1] += off[i];
	class = arena_alloc(m->mem, (size_t)off[counts->n_rows + 1] + 1, sizeof(*class));
	for (uint32_t i = 0; i < n; i++) {
		uint32_t n_list = gate_classes_get(c, i, &cell[i], list);

		for (uint32_t k = 0; k < n_list; k++)
			class[off[list[k] + 1]++] = i;
		if (m->has_total)
			class[off[1]++] = i;
	}
	free(list);
	counts->n_classes = n;
	counts->n_cells = m->p.n_cells;
	counts->cell = cell;
	counts->row_off = off;
	counts->row_class = class;
	for (int side = 0; side < N_STATS_SIDES; side++) {
		counts->value[side] = copy_numbers(m->mem, c->value[side], n);
		counts->var[side] = copy_numbers(m->mem, c->var[side], n);
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

void gate_rows_make(const struct gate_sums *s, struct arena *mem, struct gate_rows *out)
{
	struct arena *scratch = arena_new();
	struct making m = { .s = s, .mem = mem, .has_total = tests_total(s->how->normalize), .out = out };
	struct gate_lists lists;
	struct gate_classes classes;

	*out = (struct gate_rows){ .n = 0 };
	gate_picks_make(s, scratch, &m.p);
	gate_lists_make(&m.p, &lists);
	m.first = arena_alloc(scratch, (size_t)m.p.n + 1, sizeof(*m.first));
	m.named = arena_alloc(scratch, (size_t)m.p.n + 1, sizeof(*m.named));
	m.depth = arena_alloc(scratch, (size_t)m.p.n + 1, sizeof(*m.depth));
	gate_picks_merge(&m.p, &lists, m.first, m.named, m.depth);
	name_rows(&m);
	gate_classes_make(&m.p, &lists, m.row, &classes);
	gate_lists_release(&lists);
	lay_out(&m, &classes);
	gate_classes_release(&classes);
	fill_files(&m);
	gate_rows_rules(&m.p, m.first, m.row, mem, out);
	free(m.row);
	arena_free(scratch);
}
