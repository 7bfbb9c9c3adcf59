/*
 * head.c - fill in the head of a report
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "report/head.h"

#include "base/num.h"
#include "base/path.h"
#include "base/unit.h"
#include "base/utf8.h"
#include "engine/query.h"
#include "engine/view.h"
#include "report/report.h"

#include <assert.h>
#include <string.h>

const char *report_head_text(const struct profile *p, str_id id, struct arena *mem)
{
	const char *text = profile_text(p, id);
	size_t n = strtab_len(p->str, id);
	struct buf safe = { 0 };

	if (strlen(text) == n)
		return text;
	utf8_add_safe(&safe, text, n);
	text = arena_strndup(mem, safe.data, safe.len);
	buf_release(&safe);
	return text;
}

static const char *head_type(const struct view *v, struct arena *mem)
{
	struct buf name = { 0 };
	const char *type = report_head_text(v->p, v->p->type[v->type].name, mem);

	if (!v->mean)
		return type;
	buf_addf(&name, "mean_%s", type);
	type = arena_strndup(mem, name.data, name.len);
	buf_release(&name);
	return type;
}

static const char *head_file(const struct profile *p, struct arena *mem)
{
	struct buf base = { 0 };
	const char *file;

	if (p->n_maps == 0 || p->map[0].file == 0)
		return "";
	path_add_base(&base, report_head_text(p, p->map[0].file, mem));
	file = arena_strndup(mem, base.data, base.len);
	buf_release(&base);
	return file;
}

void report_head_fill_filters(struct head *h, const struct query *q, struct arena *mem)
{
	const struct filter_note known[] = {
		{ "focus", q->focus, true },
		{ "ignore", q->ignore, true },
		{ "hide", q->hide, true },
		{ "show", q->show, true },
		{ "show_from", q->show_from, true },
		{ "tagfocus", q->tagfocus, true },
		{ "tagignore", q->tagignore, true },
		{ "tagshow", q->tagshow, true },
		{ "taghide", q->taghide, true },
		{ "prune_from", q->prune_from, false },
		{ "tagroot", q->tagroot, false },
		{ "tagleaf", q->tagleaf, false },
		{ "noinlines", q->noinlines ? NULL : "", false },
		{ "relative_percentages", q->relative_percentages ? NULL : "", false },
	};
	enum { N_KNOWN = sizeof(known) / sizeof(known[0]) };
	struct filter_note *filter = arena_alloc(mem, N_KNOWN, sizeof(*filter));

	h->filter = filter;
	for (size_t i = 0; i < N_KNOWN; i++)
		if (!known[i].value || *known[i].value)
			filter[h->n_filters++] = known[i];
}

void report_head_fill(struct head *h, const struct view *v, const struct query *q, struct arena *mem)
{
	const struct profile *p = v->p;

	assert(v->type < p->n_types && v->unit && mem);
	h->file = head_file(p, mem);
	h->build_id = p->n_maps ? report_head_text(p, p->map[0].build_id, mem) : "";
	h->doc_url = report_head_text(p, p->meta.doc_url, mem);
	h->type = head_type(v, mem);
	h->unit = v->unit;
	h->n_comments = p->meta.n_comments;
	h->comment = arena_alloc(mem, p->meta.n_comments, sizeof(*h->comment));
	for (uint32_t i = 0; i < p->meta.n_comments; i++)
		h->comment[i] = report_head_text(p, p->meta.comment[i], mem);
	h->time_ns = p->meta.time_ns;
	h->duration_ns = p->meta.duration_ns;
	h->total = v->total;
	h->out_unit = q->unit;
	if (q->own_unit)
		unit_scale(1, h->unit, h->unit, &h->out_unit); /* its short name */
	h->ratio = query_ratio(q);
	h->columns = q->columns;
	h->compact = q->compact_labels;
	h->dropped_weight = (int64_t)num_abs(num_trunc((double)v->total * q->edgefraction));
	report_head_fill_filters(h, q, mem);
	h->dropped_cum = (int64_t)num_abs(num_trunc((double)v->total * q->nodefraction));
}

/* Smallest value that will be shown: flat, or cum if flat is 0; 0 for none. */
static int64_t smallest(const struct nodes *nodes, const struct trim_result *t)
{
	uint64_t min = 0;

	for (uint32_t i = 0; i < t->n; i++) {
		uint64_t v = num_abs(nodes_flat(nodes, t->node[i]));

		if (v == 0)
			v = num_abs(nodes_cum(nodes, t->node[i]));
		if (v > 0 && (min == 0 || v < min))
			min = v;
	}
	assert(t->n <= nodes->n);
	return (int64_t)min;
}

void report_head_choose_unit(struct head *h, const struct nodes *nodes, const struct trim_result *t, bool whole)
{
	if (t->n)
		report_head_choose_unit_for(h, smallest(nodes, t), whole);
}

void report_head_choose_unit_for(struct head *h, int64_t min, bool whole)
{
	int64_t max, hundred;
	const char *min_unit, *max_unit;

	if (strcmp(h->out_unit, "minimum") != 0)
		return;
	assert(h->unit && min >= 0);
	if (min == 0)
		min = h->total;
	min = report_value(h, min);
	max = report_value(h, h->total);
	unit_scale(min, h->unit, "minimum", &min_unit);
	unit_scale(max, h->unit, "minimum", &max_unit);
	if (!whole && strcmp(min_unit, max_unit) != 0 && !__builtin_mul_overflow(min, 100, &hundred) && hundred < max)
		unit_scale(hundred, h->unit, "minimum", &min_unit);
	h->out_unit = *min_unit ? min_unit : h->unit;
}

static const struct column column = { "comment", "comment", CELL_NAME };

report_make_fn report_comments_make;

/* Make one row per comment, including those that other reports omit. Like pprof internal/report printComments. */
int report_comments_make(const struct view *v, const struct query *q, struct report *out, struct buf *notes,
			 struct err *err)
{
	struct report r = { .mem = arena_new(), .head = { .command = "comments", .is_whole = true } };

	report_head_fill(&r.head, v, q, r.mem);
	r.table = (struct table){ .n_cols = 1, .n_rows = r.head.n_comments, .col = &column };
	r.table.cell = arena_alloc(r.mem, r.head.n_comments, sizeof(*r.table.cell));
	for (uint32_t i = 0; i < r.head.n_comments; i++)
		r.table.cell[i].text = r.head.comment[i];
	(void)notes;
	(void)err;
	*out = r;
	return 0;
}

void row_places_init(struct row_places *r, const struct places *pl, struct arena *mem)
{
	*r = (struct row_places){ .places = pl, .mem = mem };
}

static const char *place_file_of(struct row_places *r, const struct place *k)
{
	const char *file;

	if (!k->file)
		return "";
	if (!r->file)
		r->file = arena_zalloc(r->mem, strtab_count(r->places->files), sizeof(*r->file));
	if (!r->file[k->file]) {
		file = strtab_text(r->places->files, k->file);
		r->file[k->file] = arena_strndup(r->mem, file, strlen(file));
	}
	return r->file[k->file];
}

struct row_place row_places_of(struct row_places *r, uint32_t place)
{
	const struct place *k = &r->places->place[place];
	const struct place_detail *d = places_detail(r->places, place);
	const struct profile *p = r->places->p;

	assert(place < r->places->n);
	return (struct row_place){ .function = k->name ? report_head_text(p, k->name, r->mem) : "",
				   .file = place_file_of(r, k),
				   .binary = d->objfile ? report_head_text(p, d->objfile, r->mem) : "",
				   .line = d->line,
				   .address = d->addr };
}
