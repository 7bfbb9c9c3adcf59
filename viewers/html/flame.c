/*
 * flame.c - flame graphs as web pages: data for the script, a table for readers without scripts
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The page loads nothing and runs only its own script: its policy lists the SHA-256 of script and style, which the
 * makefile computes. Texts of the profile are in the data, which is never run, and between tags, where they are
 * escaped.
 */
#include "config.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/unit.h"
#include "base/webpage.h"
#include "viewers/flame/flame.h"
#include "viewers/html/flame_parts.h"
#include "viewers/html/html.h"
#include "viewers/html/html_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 50 };

static int64_t sort_key(const struct flame_function *fn, bool has_base)
{
	int64_t change = fn->cum[SIDE_NEW] - fn->cum[SIDE_BASE];

	return !has_base ? fn->flat[SIDE_NEW] : change < 0 ? -change : change;
}

static int html_flame_compare(const void *a, const void *b, void *arg)
{
	const struct flame_function *x = a, *y = b;
	const struct flame *f = arg;
	int64_t i = sort_key(x, f->has_base), j = sort_key(y, f->has_base);

	if (i != j)
		return i > j ? -1 : 1;
	if (x->cum[SIDE_NEW] != y->cum[SIDE_NEW])
		return x->cum[SIDE_NEW] > y->cum[SIDE_NEW] ? -1 : 1;
	return strcmp(f->frames[f->frame[x->box]].name, f->frames[f->frame[y->box]].name);
}

static void html_flame_add_value(const struct report *r, int64_t value, bool is_change, struct buf *out)
{
	struct buf text = { 0 };

	flame_add_value(&r->head, value, is_change, &text);
	buf_addz(out, "<td>");
	webpage_add_name(out, buf_text(&text));
	buf_addz(out, "</td>");
	buf_release(&text);
}

static void html_flame_add_share(int64_t value, int64_t total, struct buf *out)
{
	buf_addz(out, "<td>");
	unit_add_percent_trimmed(out, value, total);
	buf_addz(out, "</td>");
}

static void html_flame_add_row(const struct report *r, const struct flame_function *fn, struct buf *out)
{
	buf_addz(out, "<tr>");
	if (r->flame->has_base) {
		html_flame_add_value(r, fn->cum[SIDE_BASE], false, out);
		html_flame_add_value(r, fn->cum[SIDE_NEW], false, out);
		html_flame_add_value(r, fn->cum[SIDE_NEW] - fn->cum[SIDE_BASE], true, out);
		html_flame_add_value(r, fn->flat[SIDE_NEW] - fn->flat[SIDE_BASE], true, out);
	} else {
		html_flame_add_value(r, fn->flat[SIDE_NEW], false, out);
		html_flame_add_share(fn->flat[SIDE_NEW], r->head.total, out);
		html_flame_add_value(r, fn->cum[SIDE_NEW], false, out);
		html_flame_add_share(fn->cum[SIDE_NEW], r->head.total, out);
	}
	buf_addz(out, "<td class=\"name\">");
	webpage_add_name(out, r->flame->frames[r->flame->frame[fn->box]].name);
	buf_addz(out, "</td></tr>\n");
}

void html_flame_add_table(const struct report *r, struct buf *out)
{
	const struct flame *f = r->flame;
	struct arena *mem = arena_new();
	struct flame_function *list;
	size_t n_all = flame_functions(f, mem, &list), n = n_all < ROWS_MAX ? n_all : ROWS_MAX;

	qsort_r(list, n_all, sizeof(*list), html_flame_compare, (void *)f);
	buf_addz(out, "<p class=\"plain\">The graph needs JavaScript, which does not run here. ");
	buf_addf(out, "These are the %zu %s of ", n, f->has_base ? "most changed" : "heaviest");
	unit_add_count(out, n_all);
	buf_addz(out, " functions in the graph.</p>\n<table class=\"plain\">\n<thead><tr>");
	buf_addz(out, f->has_base ? "<th>cum before</th><th>cum after</th><th>cum change</th><th>flat change</th>"
				  : "<th>flat</th><th>flat %</th><th>cum</th><th>cum %</th>");
	buf_addz(out, "<th class=\"name\">function</th></tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < n; i++)
		html_flame_add_row(r, &list[i], out);
	buf_addz(out, "</tbody>\n</table>\n");
	arena_free(mem);
}

enum { BYTES_PER_BOX = 18 /* about */, BOXES_PARALLEL = 20000 };

static const char policy[] =
	"default-src 'none'; style-src 'sha256-" FLAME_STYLE_SUM "'; script-src 'sha256-" FLAME_SCRIPT_SUM
	"'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'";

static const char style_text[] = FLAME_STYLE;
static const char script_text[] = FLAME_SCRIPT;
static const char body_text[] = FLAME_BODY;

/* An element that contains untrusted text. */
static void html_flame_add_element(const char *start, const struct buf *text, const char *end, struct buf *out)
{
	buf_addz(out, start);
	webpage_add_name(out, buf_text(text));
	buf_addz(out, end);
}

static void html_flame_add_head(const char *theme, const struct buf *title, struct buf *out)
{
	buf_addf(out, "<!DOCTYPE html>\n<html lang=\"en\" data-theme=\"%s\">\n<head>\n<meta charset=\"utf-8\">\n",
		 theme);
	buf_addf(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"%s\">\n", policy);
	buf_addz(out, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		      "<meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"generator\" content=\"cpa\">\n");
	html_flame_add_element("<title>", title, "</title>\n", out);
	buf_addz(out, "<style>");
	buf_addz(out, style_text);
	buf_addz(out, "</style>\n</head>\n<body>\n");
}

void html_run_both(pool_fn fn, void *arg, uint32_t n_boxes)
{
	if (n_boxes >= BOXES_PARALLEL && pool_size() > 1) {
		pool_run(fn, arg, 2);
	} else {
		fn(arg, 0);
		fn(arg, 1);
	}
}

/* The parts of a page that are computed in parallel. */
struct html_flame_page {
	const struct report *r;
	const struct flame_style *style;
	struct flame_layout layout;
	struct buf table;
};

static void html_flame_run(void *arg, unsigned part)
{
	struct html_flame_page *p = arg;

	if (part == 0)
		flame_lay_out(p->r->flame, p->style, p->r->mem, &p->layout);
	else
		html_flame_add_table(p->r, &p->table);
}

void html_flame_draw(const struct report *r, const struct flame_style *style, struct buf *out)
{
	static const char *const themes[] = { [FLAME_AUTO] = "auto", [FLAME_LIGHT] = "light", [FLAME_DARK] = "dark" };
	struct buf title = { 0 }, subtitle = { 0 }, note = { 0 };
	struct html_flame_page p = { .r = r, .style = style };

	assert(r->flame && style);
	html_run_both(html_flame_run, &p, r->flame->n);
	flame_add_title(r, style, &title);
	flame_add_subtitle(r, &subtitle);
	flame_add_note(r, style, &note);
	buf_room(out, (size_t)p.layout.n * BYTES_PER_BOX);
	html_flame_add_head(themes[style->theme], &title, out);
	html_flame_add_element("<header>\n<h1>", &title, "</h1>\n", out);
	html_flame_add_element("<p>", &subtitle, "</p>\n</header>\n", out);
	buf_addz(out, "<main>\n");
	buf_addz(out, body_text);
	buf_addz(out, "</main>\n");
	buf_addz(out, "<noscript>\n");
	buf_add(out, p.table.data, p.table.len);
	buf_addz(out, "</noscript>\n");
	html_flame_add_element("<p id=\"note\">", &note, "</p>\n", out);
	buf_addz(out, "<script type=\"application/json\" id=\"data\">");
	html_flame_add_data(r, &p.layout, style, NULL, out);
	buf_addz(out, "</script>\n<script>");
	buf_addz(out, script_text);
	buf_addz(out, "</script>\n</body>\n</html>\n");
	buf_release(&p.table);
	buf_release(&title);
	buf_release(&subtitle);
	buf_release(&note);
}
