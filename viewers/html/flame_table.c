/*
 * flame_table.c - the heaviest functions of a flame graph as a table, for readers without scripts
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/arena.h"
#include "base/unit.h"
#include "viewers/html/flame_int.h"
#include "viewers/html/html.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 50 };

static int64_t weight(const struct flame_function *fn, bool has_base)
{
	int64_t change = fn->cum[FLAME_AFTER] - fn->cum[FLAME_BEFORE];

	return !has_base ? fn->flat[FLAME_AFTER] : change < 0 ? -change : change;
}

static int compare(const void *a, const void *b, void *arg)
{
	const struct flame_function *x = a, *y = b;
	const struct flame *f = arg;
	int64_t i = weight(x, f->has_base), j = weight(y, f->has_base);

	if (i != j)
		return i > j ? -1 : 1;
	if (x->cum[FLAME_AFTER] != y->cum[FLAME_AFTER])
		return x->cum[FLAME_AFTER] > y->cum[FLAME_AFTER] ? -1 : 1;
	return strcmp(f->frames[f->frame[x->box]].name, f->frames[f->frame[y->box]].name);
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

static void add_row(const struct report *r, const struct flame_function *fn, struct buf *out)
{
	buf_addz(out, "<tr>");
	if (r->flame->has_base) {
		add_value(r, fn->cum[FLAME_BEFORE], false, out);
		add_value(r, fn->cum[FLAME_AFTER], false, out);
		add_value(r, fn->cum[FLAME_AFTER] - fn->cum[FLAME_BEFORE], true, out);
		add_value(r, fn->flat[FLAME_AFTER] - fn->flat[FLAME_BEFORE], true, out);
	} else {
		add_value(r, fn->flat[FLAME_AFTER], false, out);
		add_share(fn->flat[FLAME_AFTER], r->head.total, out);
		add_value(r, fn->cum[FLAME_AFTER], false, out);
		add_share(fn->cum[FLAME_AFTER], r->head.total, out);
	}
	buf_addz(out, "<td class=\"name\">");
	html_add_name(out, r->flame->frames[r->flame->frame[fn->box]].name);
	buf_addz(out, "</td></tr>\n");
}

void html_flame_add_table(const struct report *r, struct buf *out)
{
	const struct flame *f = r->flame;
	struct arena *mem = arena_new();
	struct flame_function *list;
	size_t all = flame_functions(f, mem, &list), n = all < ROWS ? all : ROWS;

	qsort_r(list, all, sizeof(*list), compare, (void *)f);
	buf_addz(out, "<p class=\"plain\">The graph needs scripts, which do not run here. ");
	buf_addf(out, "These are the %zu %s of %zu functions in the graph.</p>\n<table class=\"plain\">\n<thead><tr>",
		 n, f->has_base ? "most changed" : "heaviest", all);
	buf_addz(out, f->has_base ? "<th>cum before</th><th>cum after</th><th>change</th><th>flat change</th>"
				  : "<th>flat</th><th>flat %</th><th>cum</th><th>cum %</th>");
	buf_addz(out, "<th class=\"name\">function</th></tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < n; i++)
		add_row(r, &list[i], out);
	buf_addz(out, "</tbody>\n</table>\n");
	arena_free(mem);
}
