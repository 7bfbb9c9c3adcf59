/*
 * flame_table.c - the heaviest functions of a flame graph as a table, for readers without scripts
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/mem.h"
#include "base/unit.h"
#include "viewers/html/flame_int.h"
#include "viewers/html/html.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 50 };

/* A function over all its boxes; where it calls itself it counts once. */
struct row {
	const char *name;
	int64_t flat[FLAME_SIDES], cum[FLAME_SIDES];
	int64_t weight; /* by which it comes first */
};

static int compare_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	if (x->cum[FLAME_AFTER] != y->cum[FLAME_AFTER])
		return x->cum[FLAME_AFTER] > y->cum[FLAME_AFTER] ? -1 : 1;
	return strcmp(x->name, y->name);
}

static void count_box(const struct flame *f, uint32_t box, bool is_nested, struct row *row)
{
	for (int side = 0; side < FLAME_SIDES && f->total[side]; side++) {
		if (!is_nested)
			row->cum[side] += f->total[side][box];
		if (!f->inverted)
			row->flat[side] += f->self[side][box];
		else if (f->parent[box] == 0)
			row->flat[side] += f->total[side][box];
	}
}

/* Walk in depth, with how many boxes of a frame are open. */
static struct row *count_rows(const struct flame *f)
{
	uint32_t *first = mem_alloc(f->n, sizeof(*first)), *next = mem_alloc(f->n, sizeof(*next));
	uint32_t *open = mem_zalloc((size_t)f->n_frames + 1, sizeof(*open));
	struct row *rows = mem_zalloc((size_t)f->n_frames + 1, sizeof(*rows));

	memset(first, 0xff, f->n * sizeof(*first));
	for (uint32_t i = f->n; i-- > 1;) {
		next[i] = first[f->parent[i]];
		first[f->parent[i]] = i;
	}
	for (uint32_t i = 0; i < f->n_frames; i++)
		rows[i].name = f->frames[i].name;
	for (uint32_t box = first[0]; box != FLAME_NONE && box != 0;) {
		uint32_t frame = f->frame[box];

		if (frame != FLAME_NONE) {
			count_box(f, box, open[frame] > 0, &rows[frame]);
			open[frame]++;
		}
		if (first[box] != FLAME_NONE) {
			box = first[box];
			continue;
		}
		for (;; box = f->parent[box]) {
			if (box && f->frame[box] != FLAME_NONE)
				open[f->frame[box]]--;
			if (box == 0 || next[box] != FLAME_NONE)
				break;
		}
		box = box ? next[box] : 0;
	}
	free(first);
	free(next);
	free(open);
	return rows;
}

/* Where boxes are left out, the sums over all stacks are better. */
static void take_sums(const struct flame *f, struct row *rows)
{
	for (int side = 0; side < FLAME_SIDES && f->flat[side]; side++) {
		for (uint32_t i = 0; i < f->n_frames; i++) {
			rows[i].flat[side] = f->flat[side][i];
			rows[i].cum[side] = f->cum[side][i];
		}
	}
}

static void add_value(const struct report *r, int64_t value, bool is_change, struct buf *out)
{
	struct buf text = { 0 };

	report_add_value(&r->head, value < 0 ? -value : value, &text);
	buf_addz(out, "<td>");
	if (is_change && value)
		buf_addz(out, value > 0 ? "&#43;" : "&#8722;");
	html_add_name(out, buf_text(&text));
	buf_addz(out, "</td>");
	buf_release(&text);
}

static void add_share(int64_t value, int64_t total, struct buf *out)
{
	buf_addz(out, "<td>");
	unit_add_percent_tight(out, value, total);
	buf_addz(out, "</td>");
}

static void add_row(const struct report *r, const struct row *row, struct buf *out)
{
	buf_addz(out, "<tr>");
	if (r->flame->has_base) {
		add_value(r, row->cum[FLAME_BEFORE], false, out);
		add_value(r, row->cum[FLAME_AFTER], false, out);
		add_value(r, row->cum[FLAME_AFTER] - row->cum[FLAME_BEFORE], true, out);
		add_value(r, row->flat[FLAME_AFTER] - row->flat[FLAME_BEFORE], true, out);
	} else {
		add_value(r, row->flat[FLAME_AFTER], false, out);
		add_share(row->flat[FLAME_AFTER], r->head.total, out);
		add_value(r, row->cum[FLAME_AFTER], false, out);
		add_share(row->cum[FLAME_AFTER], r->head.total, out);
	}
	buf_addz(out, "<td class=\"name\">");
	html_add_name(out, row->name);
	buf_addz(out, "</td></tr>\n");
}

void html_flame_add_table(const struct report *r, struct buf *out)
{
	const struct flame *f = r->flame;
	struct row *rows = count_rows(f);
	uint32_t n = f->n_frames < ROWS ? f->n_frames : ROWS;

	take_sums(f, rows);
	for (uint32_t i = 0; i < f->n_frames; i++) {
		int64_t change = rows[i].cum[FLAME_AFTER] - rows[i].cum[FLAME_BEFORE];

		rows[i].weight = !f->has_base ? rows[i].flat[FLAME_AFTER] : change < 0 ? -change : change;
	}
	qsort(rows, f->n_frames, sizeof(*rows), compare_rows);
	buf_addz(out, "<p class=\"plain\">The graph needs scripts, which do not run here. ");
	buf_addf(out,
		 "These are the %" PRIu32 " %s of %" PRIu32
		 " functions in the graph.</p>\n<table class=\"plain\">\n<thead><tr>",
		 n, f->has_base ? "most changed" : "heaviest", f->n_frames);
	buf_addz(out, f->has_base ? "<th>cum before</th><th>cum after</th><th>change</th><th>flat change</th>"
				  : "<th>flat</th><th>flat %</th><th>cum</th><th>cum %</th>");
	buf_addz(out, "<th class=\"name\">function</th></tr></thead>\n<tbody>\n");
	for (uint32_t i = 0; i < n; i++)
		add_row(r, &rows[i], out);
	buf_addz(out, "</tbody>\n</table>\n");
	free(rows);
}
