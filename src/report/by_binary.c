/*
 * by_binary.c - the binaries report: samples by program and library
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/mem.h"
#include "base/num.h"
#include "engine/forest_walk.h"
#include "engine/nodes.h"
#include "engine/query.h"
#include "engine/view.h"
#include "report/head.h"
#include "report/report.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

report_make_fn report_binaries_make;

enum { COL_FLAT, COL_FLAT_PCT, COL_SUM_PCT, COL_CUM, COL_CUM_PCT, COL_NAME, COL_BUILD_ID, N_COLS };

static const struct column columns[N_COLS] = {
	[COL_FLAT] = { "flat", "flat", CELL_VALUE },
	[COL_FLAT_PCT] = { "flat_percent", "flat%", CELL_PERCENT },
	[COL_SUM_PCT] = { "sum_percent", "sum%", CELL_PERCENT },
	[COL_CUM] = { "cum", "cum", CELL_VALUE },
	[COL_CUM_PCT] = { "cum_percent", "cum%", CELL_PERCENT },
	[COL_NAME] = { "name", "", CELL_NAME },
	[COL_BUILD_ID] = { "build_id", "", CELL_NOTE },
};

/* All mappings of one file and build id; a program may map a file several times. */
struct by_binary {
	uint32_t map;           /* first of these mappings; PROFILE_NONE for frames without a mapping */
	int64_t flat, flat_div; /* sums of the samples whose leaf is in the binary */
	int64_t cum, cum_div;   /* sums of the samples with any frame in it */
	uint32_t seen;          /* last stack that was added to cum, + 1 */
};

struct table_maker {
	const struct view *v;
	const struct query *q;
	uint32_t *of_map; /* [n_maps + 1] index of the binary of each mapping; last: of frames without a mapping */
	uint32_t n;
	struct by_binary *binary; /* [n] */
	struct arena *mem;
};

/* The properties that identify a binary. */
struct map_key {
	str_id file, build_id;
	uint32_t map;
};

static int by_binary_compare_keys(const void *a, const void *b)
{
	const struct map_key *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	if (x->build_id != y->build_id)
		return x->build_id < y->build_id ? -1 : 1;
	return (x->map > y->map) - (x->map < y->map);
}

/* Assign mappings of the same file to one binary. */
static void find_binaries(struct table_maker *t)
{
	const struct profile *p = t->v->p;
	struct map_key *key = mem_alloc(p->n_maps + 1, sizeof(*key));

	for (uint32_t i = 0; i < p->n_maps; i++)
		key[i] = (struct map_key){ p->map[i].file, p->map[i].build_id, i };
	qsort(key, p->n_maps, sizeof(*key), by_binary_compare_keys);
	t->of_map = arena_alloc(t->mem, p->n_maps + 1, sizeof(*t->of_map));
	t->binary = arena_zalloc(t->mem, p->n_maps + 1, sizeof(*t->binary));
	for (uint32_t i = 0; i < p->n_maps; i++) {
		if (i == 0 || key[i].file != key[i - 1].file || key[i].build_id != key[i - 1].build_id)
			t->binary[t->n++].map = key[i].map;
		t->of_map[key[i].map] = t->n - 1;
	}
	t->of_map[p->n_maps] = t->n;
	t->binary[t->n++].map = PROFILE_NONE;
	free(key);
}

static struct by_binary *by_binary_of(const struct table_maker *t, uint32_t loc)
{
	const struct profile *p = t->v->p;
	uint32_t map = p->loc_map[loc] == PROFILE_NONE ? p->n_maps : p->loc_map[loc];

	assert(map <= p->n_maps);
	return &t->binary[t->of_map[map]];
}

/* Add the samples of a stack, once to each binary in it. */
static void by_binary_add_stack(const struct table_maker *t, uint32_t stack, int64_t value, int64_t div)
{
	const struct stack_lists *stacks = &t->v->p->stacks;
	uint32_t lo = stacks->off[stack], hi = stacks->off[stack + 1];

	for (uint32_t i = lo; i < hi; i++) {
		struct by_binary *b = by_binary_of(t, stack_id_at(stacks, i));

		if (i == lo) {
			b->flat += value;
			b->flat_div += div;
		}
		if (b->seen != stack + 1) {
			b->cum += value;
			b->cum_div += div;
			b->seen = stack + 1;
		}
	}
}

/* Replace cum by the sums of a forest: to these, binaries are places. */
static void by_binary_add_forest(const struct table_maker *t)
{
	const struct view *v = t->v;
	const struct profile *p = v->p;
	struct places pl = { .p = p, .n = t->n, .list = arena_alloc(t->mem, p->n_locs, sizeof(*pl.list)) };
	struct forest_sums sums;

	for (uint32_t loc = 0; loc < p->n_locs; loc++)
		pl.list[loc] = (uint32_t)(by_binary_of(t, loc) - t->binary);
	walk_forest_cum(v, &pl, t->mem, &sums);
	for (uint32_t i = 0; i < t->n; i++) {
		t->binary[i].cum = sums.cum[i];
		t->binary[i].cum_div = sums.div ? sums.div[i] : 0;
		t->binary[i].seen = t->binary[i].cum || t->binary[i].cum_div;
	}
}

/* Sums of views do not overflow (view_make). */
static void by_binary_add_all(const struct table_maker *t)
{
	const struct view *v = t->v;
	const struct profile *p = v->p;
	int64_t *sum = mem_zalloc(p->stacks.n + 1, sizeof(*sum)), *div = mem_zalloc(p->stacks.n + 1, sizeof(*div));

	for (uint32_t i = 0; i < v->n; i++) {
		sum[p->stack[i]] += v->val[i];
		div[p->stack[i]] += v->mean ? v->div[i] : 0;
	}
	for (uint32_t s = 0; s < p->stacks.n && !stop_step(v->stop, s); s++)
		if (sum[s] || div[s])
			by_binary_add_stack(t, s, sum[s], div[s]);
	if (p->forest)
		by_binary_add_forest(t);
	free(sum);
	free(div);
}

static int64_t flat_of(const struct by_binary *b)
{
	return nodes_mean(b->flat, b->flat_div);
}

static int64_t by_binary_cum_of(const struct by_binary *b)
{
	return nodes_mean(b->cum, b->cum_div);
}

static const char *by_binary_name_of(const struct table_maker *t, const struct by_binary *b)
{
	const struct profile *p = t->v->p;

	return b->map != PROFILE_NONE && p->map[b->map].file ? report_head_text(p, p->map[b->map].file, t->mem)
							     : "<unknown>";
}

/* Build id in parentheses; "" if there is none, or it is not hexadecimal. */
static const char *build_id_of(const struct table_maker *t, const struct by_binary *b)
{
	const char *id = b->map != PROFILE_NONE ? profile_text(t->v->p, t->v->p->map[b->map].build_id) : "";
	size_t n = strlen(id);
	char *note;

	if (n == 0 || n > 128 || strspn(id, "0123456789abcdefABCDEF") != n)
		return "";
	note = arena_alloc(t->mem, n + 3, 1);
	note[0] = '(';
	memcpy(note + 1, id, n);
	memcpy(note + 1 + n, ")", 2);
	return note;
}

/* Compare binaries for sorting: by descending value, then by name and first mapping. */
static int compare_binaries(const void *a, const void *b, void *arg)
{
	const struct table_maker *t = arg;
	const struct by_binary *x = a, *y = b;
	bool by_cum = t->q->sort == SORT_CUM;
	uint64_t one = num_abs(by_cum ? by_binary_cum_of(x) : flat_of(x)),
		 two = num_abs(by_cum ? by_binary_cum_of(y) : flat_of(y));
	int order;

	if (one == two) {
		one = num_abs(by_cum ? flat_of(x) : by_binary_cum_of(x));
		two = num_abs(by_cum ? flat_of(y) : by_binary_cum_of(y));
	}
	order = (one < two) - (one > two);
	if (order == 0)
		order = strcmp(by_binary_name_of(t, x), by_binary_name_of(t, y));
	return order ? order : (x->map > y->map) - (x->map < y->map);
}

/* Drop binaries without samples, and those that -nodefraction, -nodecount or -drop_negative exclude. */
static void by_binary_choose_rows(struct table_maker *t, struct head *h)
{
	uint64_t min_cum = num_abs(h->dropped_cum);
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->n; i++) {
		const struct by_binary *b = &t->binary[i];

		if (b->seen == 0 || (t->q->drop_negative && by_binary_cum_of(b) < 0))
			continue;
		if (num_abs(by_binary_cum_of(b)) <= min_cum && min_cum > 0)
			h->n_dropped++;
		else
			t->binary[n++] = *b;
	}
	qsort_r(t->binary, n, sizeof(*t->binary), compare_binaries, t);
	h->n_before_limit = n;
	t->n = t->q->nodecount > 0 && t->q->nodecount < n ? (uint32_t)t->q->nodecount : n;
	h->n_shown = t->n;
}

static void by_binary_fill_table(const struct table_maker *t, struct report *r)
{
	struct table *table = &r->table;
	uint64_t min = 0;

	*table = (struct table){ .n_cols = N_COLS, .n_rows = t->n, .col = columns };
	table->cell = arena_alloc(r->mem, (size_t)t->n * N_COLS, sizeof(*table->cell));
	for (uint32_t i = 0; i < t->n; i++) {
		const struct by_binary *b = &t->binary[i];
		union cell *cell = table->cell + (size_t)i * N_COLS;
		uint64_t weight = num_abs(flat_of(b) ? flat_of(b) : by_binary_cum_of(b));

		r->head.shown += flat_of(b);
		cell[COL_FLAT].value = cell[COL_FLAT_PCT].value = flat_of(b);
		cell[COL_SUM_PCT].value = r->head.shown;
		cell[COL_CUM].value = cell[COL_CUM_PCT].value = by_binary_cum_of(b);
		cell[COL_NAME].text = by_binary_name_of(t, b);
		cell[COL_BUILD_ID].text = build_id_of(t, b);
		if (weight && (min == 0 || weight < min))
			min = weight;
	}
	if (t->n)
		report_head_choose_unit_for(&r->head, (int64_t)min, false);
}

/* Make one row per program and library, as top does per function. */
int report_binaries_make(const struct view *v, const struct query *q, struct report *out, struct buf *notes,
			 struct err *err)
{
	struct report r = { .mem = arena_new(), .head = { .command = "binaries" } };
	struct table_maker t = { .v = v, .q = q, .mem = r.mem };
	int rc;

	(void)notes;
	find_binaries(&t);
	by_binary_add_all(&t);
	rc = stop_check(v->stop, err);
	if (rc < 0) {
		report_release(&r);
		return rc;
	}
	report_head_fill(&r.head, v, q, r.mem);
	by_binary_choose_rows(&t, &r.head);
	by_binary_fill_table(&t, &r);
	*out = r;
	return 0;
}
