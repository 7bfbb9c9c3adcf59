/*
 * index.c - the pages of a PDF that list all functions of a flame graph
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A box may be too narrow for its name; here each name is found, and read in full. A name that takes
 * several lines is, for a search, all on the first of them. Rows are no links to their boxes: cairo 1.16
 * refers to objects of links that it does not write, and leaves a damaged file.
 */
#include "config.h"

#include "viewers/pdf/index.h"

#include "base/unit.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { MAX_ROWS = 2000, MAX_NAME_LINES = 6, N_COLUMNS = 4, COLUMN_WIDTH = 11 };

struct writer {
	const struct painter *p;
	const struct index_ask *ask;
	double y, row;
	uint32_t n_pages;
	size_t columns; /* of a name on a line */
};

static double left_of_names(const struct writer *w)
{
	return w->p->size->margin + (N_COLUMNS * COLUMN_WIDTH + 2) * font_column(w->p->boxes);
}

/* Text that ends at a column. */
static void put_right(const struct writer *w, int column, const char *text)
{
	const struct painter *p = w->p;
	double end = p->size->margin + (column + 1) * COLUMN_WIDTH * font_column(p->boxes);

	while (*text == ' ')
		text++;
	font_show(p->boxes, p->cr, end - font_width(p->boxes, text), w->y, text, NULL);
}

static void put_titles(const struct writer *w)
{
	static const char *const plain[N_COLUMNS] = { "cum", "cum%", "flat", "flat%" }, *const diff[N_COLUMNS] = {
		"before", "after", "change", "change%"
	};
	bool has_base = w->p->r->flame->has_base;

	paint_faint(w->p);
	for (int i = 0; i < N_COLUMNS; i++)
		put_right(w, i, has_base ? diff[i] : plain[i]);
	font_show(w->p->boxes, w->p->cr, left_of_names(w), w->y, "function", NULL);
}

static void start_page(struct writer *w)
{
	struct buf s = { 0 };

	if (w->n_pages)
		w->p->lib->show_page(w->p->cr);
	w->n_pages++;
	w->p->lib->pdf_surface_set_size(w->ask->surface, w->ask->width, w->ask->height);
	paint_ground(w->p);
	buf_addf(&s, "%zu functions, %s first", w->ask->n, w->p->r->flame->has_base ? "most changed" : "widest");
	if (w->n_pages > 1)
		buf_addf(&s, ", continued");
	w->y = paint_head(w->p, buf_text(&s), false) + w->row;
	put_titles(w);
	w->y += w->row * 0.3;
	buf_release(&s);
}

static void start_row(struct writer *w)
{
	if (w->y + w->row > w->ask->height - w->p->size->margin)
		start_page(w);
	w->y += w->row;
}

/* A percentage as in other reports, with a sign when it is of a change. */
static void add_change(int64_t before, int64_t after, struct buf *out)
{
	double percent = before ? 100 * ((double)after - (double)before) / (double)before : 0;

	if (before == after)
		buf_addz(out, "=");
	else if (!before)
		buf_addz(out, "new");
	else if (!after)
		buf_addz(out, "gone");
	else
		buf_addf(out, "%+.2f%%", percent);
}

static void put_numbers(const struct writer *w, const struct flame_function *fn)
{
	const struct head *h = &w->p->r->head;
	int64_t after = fn->cum[FLAME_AFTER], before = fn->cum[FLAME_BEFORE];
	struct buf s[N_COLUMNS] = { 0 };

	if (w->p->r->flame->has_base) {
		report_add_value(h, before, &s[0]);
		report_add_value(h, after, &s[1]);
		if (after > before)
			buf_addz(&s[2], "+");
		report_add_value(h, after - before, &s[2]);
		add_change(before, after, &s[3]);
	} else {
		report_add_value(h, after, &s[0]);
		unit_add_percent(&s[1], after, h->total);
		report_add_value(h, fn->flat[FLAME_AFTER], &s[2]);
		unit_add_percent(&s[3], fn->flat[FLAME_AFTER], h->total);
	}
	for (int i = 0; i < N_COLUMNS; i++) {
		put_right(w, i, buf_text(&s[i]));
		buf_release(&s[i]);
	}
}

/* The end of the part of a text that fits on a line. */
static size_t cut_line(const char *s, size_t columns)
{
	size_t n = strlen(s), at = 0, used = 0, len;

	for (; at < n; at += len) {
		char one[8] = { 0 };
		uint32_t c;

		len = utf8_decode(s + at, n - at, &c);
		memcpy(one, s + at, len);
		used += flame_columns(one);
		if (used > columns)
			break;
	}
	return at ? at : n;
}

static void put_name(struct writer *w, const char *name)
{
	bool is_one = strlen(name) <= FONT_MAX_HIDDEN; /* can be all on the first line for a search */
	size_t n = strlen(name), end;
	struct buf line = { 0 };

	for (size_t at = 0; at < n; at = end) {
		end = at + cut_line(name + at, w->columns);
		line.len = 0;
		buf_add(&line, name + at, end - at);
		if (at)
			start_row(w);
		font_show(w->p->boxes, w->p->cr, left_of_names(w), w->y, buf_text(&line),
			  !is_one ? NULL
			  : at    ? ""
				  : name);
	}
	buf_release(&line);
}

static void put_function(struct writer *w, const struct flame_function *fn)
{
	struct buf raw = { 0 }, name = { 0 }, shown = { 0 };

	flame_add_name(w->p->r->flame, fn->box, &raw);
	font_add_text(buf_text(&raw), &name);
	flame_add_short(buf_text(&name), w->columns * MAX_NAME_LINES, &shown);
	start_row(w);
	paint_ink(w->p);
	put_numbers(w, fn);
	put_name(w, buf_text(&shown));
	buf_release(&raw);
	buf_release(&name);
	buf_release(&shown);
}

void index_draw(const struct painter *p, const struct index_ask *ask)
{
	struct painter mine = *p;
	struct writer w = { .p = &mine, .ask = ask, .row = p->size->boxes * 1.45 };
	double room;

	mine.width = ask->width;
	room = (ask->width - p->size->margin - left_of_names(&w)) / font_column(p->boxes);
	w.columns = room > 20 ? (size_t)room : 20;
	start_page(&w);
	for (size_t i = 0; i < ask->n && i < MAX_ROWS; i++)
		put_function(&w, &ask->function[i]);
	if (ask->n > MAX_ROWS) {
		struct buf s = { 0 };

		start_row(&w);
		paint_faint(&mine);
		buf_addf(&s, "%zu narrower functions are not listed", ask->n - MAX_ROWS);
		font_show(p->boxes, p->cr, left_of_names(&w), w.y, buf_text(&s), NULL);
		buf_release(&s);
	}
	p->lib->show_page(p->cr);
}
