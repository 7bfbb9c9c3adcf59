/*
 * filter.c - the part of a profile that a query selects
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Every name is matched once per expression. Then each location, stack and label set is decided once, and rows only
 * look up the results.
 *
 * Filtered profiles are not cached: of 270 ms of CPU time for top on a million samples the filter takes 20, and the walks over the
 * stacks, which depend on all options, take 240.
 */
#include "config.h"

#include "engine/filter.h"

#include "base/mem.h"
#include "engine/filter_int.h"
#include "engine/query_filter.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

bool filter_is_empty(const struct query_filter *q)
{
	const char *const all[] = { q->focus,    q->ignore,    q->hide,    q->show,    q->show_from, q->prune_from,
				    q->tagfocus, q->tagignore, q->tagshow, q->taghide, q->tagroot,   q->tagleaf };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (*all[i])
			return false;
	return true;
}

static void filter_release(struct filter *f)
{
	for (int i = 0; i < N_NAMES; i++)
		matcher_release(&f->name[i]);
	tag_filter_release(&f->tagfocus);
	tag_filter_release(&f->tagignore);
	matcher_release(&f->tagshow);
	matcher_release(&f->taghide);
}

/* Compile the expressions in the order of pprof, because the first invalid one is reported. */
static int filter_compile(struct filter *f, struct err *err)
{
	const struct query_filter *q = f->q;
	int rc = matcher_init(&f->name[NAME_FOCUS], "focus", q->focus, err);

	if (rc == 0)
		rc = matcher_init(&f->name[NAME_IGNORE], "ignore", q->ignore, err);
	if (rc == 0)
		rc = matcher_init(&f->name[NAME_HIDE], "hide", q->hide, err);
	if (rc == 0)
		rc = matcher_init(&f->name[NAME_SHOW], "show", q->show, err);
	if (rc == 0)
		rc = matcher_init(&f->name[NAME_SHOW_FROM], "show_from", q->show_from, err);
	if (rc == 0)
		rc = tag_filter_init(f, &f->tagfocus, "tagfocus", q->tagfocus, err);
	if (rc == 0)
		rc = tag_filter_init(f, &f->tagignore, "tagignore", q->tagignore, err);
	if (rc == 0)
		rc = matcher_init(&f->name[NAME_PRUNE_FROM], "prune_from", q->prune_from, err);
	if (rc == 0)
		rc = matcher_init(&f->tagshow, "tagshow", q->tagshow, err);
	if (rc == 0)
		rc = matcher_init(&f->taghide, "taghide", q->taghide, err);
	for (int i = 0; i < N_NAMES; i++)
		f->name[i].stop = q->stop;
	f->tagshow.stop = f->taghide.stop = q->stop;
	return rc;
}

int filter_check(const struct query_filter *q, struct err *err)
{
	struct arena *mem = arena_new();
	struct buf notes = { 0 };
	struct filter f = { .q = q, .mem = mem, .notes = &notes };
	int rc = filter_compile(&f, err);

	filter_release(&f);
	buf_release(&notes);
	arena_free(mem);
	return rc;
}

static bool is_removed(const struct filter *f, uint32_t row)
{
	return (f->stack_removed && f->stack_removed[f->d.stack[row]]) ||
	       (f->set_removed && f->set_removed[f->d.labels[row]]);
}

uint8_t *filter_used_sets(const struct filter *f)
{
	uint8_t *used = mem_zalloc(f->d.label_sets.n, sizeof(*used));

	for (uint32_t row = 0; row < f->d.n_rows; row++)
		if (!is_removed(f, row))
			used[f->d.labels[row]] = 1;
	return used;
}

static uint32_t *gather_ids(struct arena *mem, const uint32_t *column, const uint32_t *row, uint32_t n)
{
	uint32_t *out = arena_alloc(mem, n, sizeof(*out));

	for (uint32_t i = 0; i < n; i++)
		out[i] = column[row[i]];
	return out;
}

static int64_t **gather_values(struct arena *mem, int64_t *const *value, uint32_t n_types, const uint32_t *row,
			       uint32_t n)
{
	int64_t **out = arena_alloc(mem, n_types, sizeof(*out));

	for (uint32_t t = 0; t < n_types; t++) {
		out[t] = arena_alloc(mem, n, sizeof(**out));
		for (uint32_t i = 0; i < n; i++)
			out[t][i] = value[t][row[i]];
	}
	return out;
}

/* Remove the rows that are filtered out. */
static void engine_filter_rows(struct filter *f)
{
	struct profile *d = &f->d;
	uint32_t *row, n = 0;

	if (!f->stack_removed && !f->set_removed)
		return;
	row = mem_alloc(d->n_rows, sizeof(*row)); /* rows that remain */
	for (uint32_t i = 0; i < d->n_rows; i++) {
		row[n] = i;
		n += !is_removed(f, i);
	}
	assert(n <= d->n_rows);
	if (n < d->n_rows) {
		d->stack = gather_ids(f->mem, d->stack, row, n);
		d->labels = gather_ids(f->mem, d->labels, row, n);
		d->value = gather_values(f->mem, d->value, d->n_types, row, n);
		d->n_rows = n;
	}
	free(row);
}

/* Do any rows remain? */
static bool has_rows(const struct filter *f)
{
	for (uint32_t row = 0; row < f->d.n_rows; row++)
		if (!is_removed(f, row))
			return true;
	return false;
}

/* Add a note that these options together removed all samples, although each expression matched some. */
static void filter_note_empty(struct filter *f, const char *const option[], const bool set[], int n)
{
	const char *between = "No samples are left after ";

	for (int i = 0; i < n; i++) {
		if (set[i]) {
			buf_addf(f->notes, "%s%s", between, option[i]);
			between = ", ";
		}
	}
	buf_addz(f->notes, "\n");
}

static int apply_names(struct filter *f, struct err *err)
{
	static const char *const option[] = { "focus", "ignore", "hide", "show", "show_from" };
	size_t len = f->notes->len;
	bool set[N_NAMES - 1];
	int rc = filter_names(f, err);

	for (int i = 0; i < N_NAMES - 1; i++)
		set[i] = f->name[i].rx != NULL;
	if (rc == 0 && f->stack_removed && f->notes->len == len && !has_rows(f))
		filter_note_empty(f, option, set, N_NAMES - 1);
	return rc;
}

static int apply_tags(struct filter *f, const struct label_units *units, struct err *err)
{
	static const char *const option[] = { "tagfocus", "tagignore" };
	const bool set[] = { f->tagfocus.is_set, f->tagignore.is_set }, had_rows = has_rows(f);
	size_t len = f->notes->len;
	int rc = filter_tags(f, units, err);

	if (rc == 0 && had_rows && f->notes->len == len && !has_rows(f))
		filter_note_empty(f, option, set, 2);
	return rc;
}

static int filter_apply(struct filter *f, const struct profile *p, struct err *err)
{
	struct label_units units = { 0 };
	int rc = filter_frames(f, err);

	if (f->tagfocus.n_ranges || f->tagignore.n_ranges)
		label_units_make(p, f->mem, &units, NULL);
	if (rc == 0)
		rc = apply_names(f, err);
	if (rc == 0)
		rc = apply_tags(f, &units, err);
	if (rc == 0)
		rc = stop_check(f->q->stop, err);
	if (rc == 0)
		engine_filter_rows(f);
	return rc;
}

int filter_make(const struct profile *p, const struct query_filter *q, struct arena *mem, const struct profile **out,
		struct buf *notes, struct err *err)
{
	struct filter f = { .d = *p, .q = q, .mem = mem, .notes = notes };
	int rc;

	if (filter_is_empty(q)) {
		*out = p;
		return 0;
	}
	assert(mem && notes);
	rc = filter_compile(&f, err);
	if (rc == 0)
		rc = filter_apply(&f, p, err);
	if (rc == 0) {
		struct profile *d = arena_alloc(mem, 1, sizeof(*d));

		*d = f.d;
		*out = d;
	}
	filter_release(&f);
	return rc;
}

const struct profile *filter_no_inlines(const struct profile *p, bool show_columns, struct arena *mem)
{
	struct profile *d = arena_alloc(mem, 1, sizeof(*d));
	uint32_t n = 0;

	*d = *p;
	d->loc_line = arena_alloc(mem, (size_t)p->n_locs + 1, sizeof(*d->loc_line));
	d->line_func = arena_alloc(mem, p->n_locs, sizeof(*d->line_func));
	d->line_no = arena_alloc(mem, p->n_locs, sizeof(*d->line_no));
	d->line_col = arena_alloc(mem, p->n_locs, sizeof(*d->line_col));
	for (uint32_t loc = 0; loc < p->n_locs; loc++) {
		uint32_t end = p->loc_line[loc + 1];

		d->loc_line[loc] = n;
		if (end == p->loc_line[loc])
			continue;
		d->line_func[n] = p->line_func[end - 1];
		d->line_no[n] = p->line_no[end - 1];
		d->line_col[n++] = show_columns ? p->line_col[end - 1] : 0;
	}
	assert(n <= p->n_locs && n <= p->n_lines);
	d->loc_line[p->n_locs] = d->n_lines = n;
	d->map = arena_alloc(mem, p->n_maps, sizeof(*d->map));
	if (p->n_maps)
		memcpy(d->map, p->map, p->n_maps * sizeof(*d->map));
	for (uint32_t i = 0; i < p->n_maps; i++)
		d->map[i].has_inline_frames = false;
	return d;
}
