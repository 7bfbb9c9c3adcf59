/*
 * pdf.c - flame graphs as PDF: paper, pages, table of contents, index of functions
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A box may be too narrow for its name; the index has each name in full. For a search, a name on several lines is
 * completely on the first. Rows are not linked to their boxes: cairo 1.16 refers to objects of links that it does not
 * write, and leaves a damaged file.
 */
#include "config.h"

#include "viewers/pdf/pdf.h"

#include "base/arena.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/unit.h"
#include "base/utf8.h"
#include "report/report.h"
#include "viewers/pdf/font.h"
#include "viewers/pdf/paint.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PDF_MAX_SIDE = 14400 }; /* points; the largest page of PDF */

struct pdf_page {
	uint32_t lo, hi; /* levels, [lo, hi); all but the first page repeat one of the page before */
	double top;      /* start of the picture */
	double height;   /* of the page */
};

struct pages {
	uint32_t n;
	struct pdf_page *page; /* [n] at least one */
};

struct outline_input {
	cairo_surface_t *surface;
	const struct flame_function *function; /* [n] */
	size_t n;
	const struct pages *pages; /* of the picture; the index follows them, if there is a function */
};

struct index_input {
	double width, height; /* of a page */
	cairo_surface_t *surface;
	const struct flame_function *function; /* [n] */
	size_t n;
};

/* In points of 1/72 inch, in landscape format. */
static const struct {
	const char *name;
	struct pdf_paper paper;
} papers[] = {
	{ "fit", { 0, 0 } },          { "a3", { 1190.55, 841.89 } }, { "a4", { 841.89, 595.28 } },
	{ "a5", { 595.28, 419.53 } }, { "letter", { 792, 612 } },    { "legal", { 1008, 612 } },
};

int pdf_paper_find(const char *name, struct pdf_paper *out, struct err *err)
{
	for (size_t i = 0; i < sizeof(papers) / sizeof(papers[0]); i++) {
		if (strcmp(name, papers[i].name) == 0) {
			*out = papers[i].paper;
			return 0;
		}
	}
	return err_set(err, ERR_USAGE, "--paper=%s: choose a3, a4, a5, letter, legal or fit", name);
}

/* The number of levels that fit; at least one more than the repeated one. */
static uint32_t count_levels(const struct painter *p, double top, double bottom, double height)
{
	double n = floor((height - top - bottom) / p->size->row);

	return n < 2 ? 2 : (uint32_t)n;
}

/*
 * Choose pages: of a paper, or one as large as the picture, or as many of the largest size as needed.
 *
 * note   text below the picture
 * out    lives in p->mem
 */
static void pages_make(const struct painter *p, const struct pdf_paper *paper, const char *note, struct pages *out)
{
	struct painter measure = *p;
	uint32_t n_levels = p->layout.n_levels, lo = 0;
	double most = paper->width > 0 ? paper->height : PDF_MAX_SIDE;
	size_t cap = 0;

	measure.cr = NULL;
	*out = (struct pages){ 0 };
	do {
		double top = paint_head(&measure, NULL, lo == 0),
		       bottom = paint_note(&measure, 0, note) + p->size->margin;
		uint32_t n = count_levels(p, top, bottom, most), hi = n < n_levels - lo ? lo + n : n_levels;
		double height = top + (hi - lo) * p->size->row + bottom;

		out->page = mem_grow(out->page, &cap, out->n + 1, sizeof(*out->page));
		out->page[out->n++] =
			(struct pdf_page){ lo, hi, top, paper->width > 0 ? paper->height : fmin(ceil(height), most) };
		lo = hi - 1;
	} while (lo + 1 < n_levels);
	arena_own(p->mem, out->page);
}

/* Append "page 2 of 3, levels 40-79". */
static void pages_add_name(const struct pages *pages, uint32_t i, struct buf *out)
{
	const struct pdf_page *page = &pages->page[i];

	assert(i < pages->n);
	buf_addf(out, "page %" PRIu32 " of %" PRIu32 ", levels %" PRIu32 "\xe2\x80\x93%" PRIu32, i + 1, pages->n,
		 page->lo, page->hi - 1);
}

/* The first page of a tile, from 0, and its place there. */
static uint32_t pages_find(const struct painter *p, const struct pages *pages, const struct flame_tile *t,
			   struct rectangle *out)
{
	uint32_t i = 0;

	assert(pages->n > 0);
	while (t->level >= pages->page[i].hi)
		i++;
	*out = paint_place(p, t, pages->page[i].top, pages->page[i].lo, pages->page[i].hi);
	return i;
}

enum { N_HEAVY = 25, NAME_COLUMNS = 100 };

struct outline {
	const struct painter *p;
	const struct outline_input *ask;
	const uint32_t *tile; /* [boxes] the tile of each */
};

static int add(const struct outline *o, int parent, const char *text, uint32_t page, double x, double y, bool is_open)
{
	struct buf link = { 0 };
	int id;

	buf_addf(&link, "page=%" PRIu32 " pos=[%d %d]", page + 1, (int)x, (int)y);
	id = o->p->lib->pdf_surface_add_outline(o->ask->surface, parent, text, buf_text(&link),
						is_open ? CAIRO_PDF_OUTLINE_FLAG_OPEN : (cairo_pdf_outline_flags_t)0);
	buf_release(&link);
	return id;
}

/* The weight of a function in the outline. */
static uint64_t weight(const struct flame_function *fn)
{
	return num_abs(fn->flat[FLAME_AFTER] - fn->flat[FLAME_BEFORE]);
}

static int compare(const void *a, const void *b)
{
	const struct flame_function *x = *(const struct flame_function *const *)a,
				    *y = *(const struct flame_function *const *)b;
	uint64_t i = weight(x), j = weight(y);

	return i != j ? (i > j ? -1 : 1) : (x > y) - (x < y); /* then the widest first */
}

static void add_function(const struct outline *o, int parent, const struct flame_function *fn)
{
	const struct report *r = o->p->r;
	struct buf raw = { 0 }, name = { 0 }, text = { 0 };
	struct rectangle at;
	uint32_t page = pages_find(o->p, o->ask->pages, &o->p->layout.tile[o->tile[fn->box]], &at);

	if (r->flame->has_base) {
		int64_t change = fn->flat[FLAME_AFTER] - fn->flat[FLAME_BEFORE];

		if (change > 0)
			buf_addz(&text, "+");
		report_add_value(&r->head, change, &text);
	} else {
		unit_add_percent_tight(&text, fn->flat[FLAME_AFTER], r->head.total);
	}
	flame_add_name(r->flame, fn->box, &raw);
	font_add_text(buf_text(&raw), &name);
	buf_addz(&text, "  ");
	flame_add_short(buf_text(&name), NAME_COLUMNS, &text);
	add(o, parent, buf_text(&text), page, at.x, at.y, false);
	buf_release(&raw);
	buf_release(&name);
	buf_release(&text);
}

static void add_functions(const struct outline *o)
{
	size_t n = o->ask->n;
	const struct flame_function **order = mem_alloc(n + 1, sizeof(*order));
	int parent;

	for (size_t i = 0; i < n; i++)
		order[i] = &o->ask->function[i];
	qsort(order, n, sizeof(*order), compare);
	if (n && weight(order[0])) {
		parent = add(o, CAIRO_PDF_OUTLINE_ROOT,
			     o->p->r->flame->has_base ? "Largest changes of flat" : "Heaviest functions, by flat", 0, 0,
			     0, true);
		for (size_t i = 0; i < n && i < N_HEAVY && weight(order[i]); i++)
			add_function(o, parent, order[i]);
	}
	free(order);
}

/*
 * Add the picture, its pages, its heaviest functions by self value (in a comparison by its change), and the index to the
 * table of contents.
 */
static void outline_add(const struct painter *p, const struct outline_input *ask)
{
	uint32_t *tile = arena_alloc(p->mem, p->layout.n, sizeof(*tile));
	const struct outline o = { p, ask, tile };
	int picture = add(&o, CAIRO_PDF_OUTLINE_ROOT, "Picture", 0, 0, 0, true);

	for (uint32_t i = 0; i < p->layout.n; i++)
		tile[p->layout.tile[i].box] = i;
	for (uint32_t i = 0; ask->pages->n > 1 && i < ask->pages->n; i++) {
		struct buf s = { 0 };

		pages_add_name(ask->pages, i, &s);
		add(&o, picture, buf_text(&s), i, 0, 0, false);
		buf_release(&s);
	}
	add_functions(&o);
	if (ask->n)
		add(&o, CAIRO_PDF_OUTLINE_ROOT, "All functions", ask->pages->n, 0, 0, false);
}

enum { MAX_ROWS = 2000, MAX_NAME_LINES = 6, N_COLUMNS = 4, COLUMN_WIDTH = 11 };

struct writer {
	const struct painter *p;
	const struct index_input *ask;
	double y, row;
	uint32_t n_pages;
	size_t columns; /* of a name on a line */
};

static double left_of_names(const struct writer *w)
{
	return w->p->size->margin + (N_COLUMNS * COLUMN_WIDTH + 2) * font_column(w->p->boxes);
}

/* Right-aligned text. */
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

/* A percentage as in other reports, with a sign for a change. */
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

/* The number of bytes of a text that fit on a line. */
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
	bool is_one = strlen(name) <= FONT_MAX_HIDDEN; /* the first line can contain the whole name for a search */
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

/* Draw all pages of the index with the painter of the picture. */
static void index_draw(const struct painter *p, const struct index_input *ask)
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

/* The width of the index pages when the page of the picture has its own size. */
static const double least_index = 600, most_index = 1684;

double pdf_width(const struct pdf_paper *paper, double width)
{
	return paper->width > 0 ? paper->width : fmin(fmax(floor(width), 1), PDF_MAX_SIDE);
}

static cairo_status_t add_bytes(void *to, const unsigned char *data, unsigned n)
{
	buf_add(to, data, n);
	return CAIRO_STATUS_SUCCESS;
}

static void set_text(const struct painter *p, cairo_surface_t *s, cairo_pdf_metadata_t what, const char *text)
{
	struct buf clean = { 0 };

	font_add_text(text, &clean);
	p->lib->pdf_surface_set_metadata(s, what, buf_text(&clean));
	buf_release(&clean);
}

/* By default cairo dates a document now. */
static void set_date(const struct painter *p, cairo_surface_t *s)
{
	const int64_t second = 1000000000;
	time_t at = (time_t)(p->r->head.time_ns / second);
	char text[64] = "";
	struct tm tm;

	if (at > 0 && gmtime_r(&at, &tm))
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	p->lib->pdf_surface_set_metadata(s, CAIRO_PDF_METADATA_CREATE_DATE, *text ? text : NULL);
	p->lib->pdf_surface_set_metadata(s, CAIRO_PDF_METADATA_MOD_DATE, *text ? text : NULL);
}

static void set_metadata(const struct painter *p, cairo_surface_t *s)
{
	struct buf text = { 0 };

	flame_add_title(p->r, p->style, &text);
	set_text(p, s, CAIRO_PDF_METADATA_TITLE, buf_text(&text));
	text.len = 0;
	flame_add_subtitle(p->r, &text);
	set_text(p, s, CAIRO_PDF_METADATA_SUBJECT, buf_text(&text));
	set_text(p, s, CAIRO_PDF_METADATA_CREATOR, "cpa " PACKAGE_VERSION);
	set_date(p, s);
	buf_release(&text);
}

static void draw_picture(const struct painter *p, const struct pages *pages, cairo_surface_t *s, const char *note)
{
	for (uint32_t i = 0; i < pages->n; i++) {
		const struct pdf_page *page = &pages->page[i];
		struct buf below = { 0 };
		double end;

		p->lib->pdf_surface_set_size(s, p->width, page->height);
		paint_ground(p);
		if (i) {
			pages_add_name(pages, i, &below);
			buf_addf(&below, "; level %" PRIu32 " is also on the page before", page->lo);
		}
		paint_head(p, i ? buf_text(&below) : NULL, i == 0);
		end = paint_levels(p, page->top, page->lo, page->hi);
		below.len = 0;
		if (i + 1 < pages->n)
			buf_addz(&below, "continued on the next page");
		paint_note(p, end, i + 1 < pages->n ? buf_text(&below) : note);
		p->lib->show_page(p->cr);
		buf_release(&below);
	}
}

static void draw(struct painter *p, const struct pdf_paper *paper, cairo_surface_t *s)
{
	const char *note = paper->width <= 0 && p->style->width > PDF_MAX_SIDE
				   ? "14400 points wide, since no page of a PDF can be wider"
				   : "";
	struct index_input index = { .surface = s, .width = paper->width, .height = paper->height };
	struct flame_function *function;
	struct pages pages;
	size_t n = flame_functions(p->r->flame, p->mem, &function);

	pages_make(p, paper, note, &pages);
	set_metadata(p, s);
	draw_picture(p, &pages, s, note);
	if (paper->width <= 0) {
		index.width = fmin(fmax(p->width, least_index), most_index);
		index.height = floor(index.width / sqrt(2));
	}
	index.function = function;
	index.n = n;
	if (n)
		index_draw(p, &index);
	outline_add(p, &(const struct outline_input){ s, function, n, &pages });
}

int pdf_draw(const struct report *r, const struct flame_style *style, const struct pdf_paper *paper, struct buf *out,
	     struct err *err)
{
	const struct sizes *size = paper->width > 0 ? &sizes_paper : &sizes_screen;
	const struct fontconfig *fc;
	const struct cairo *lib;
	struct buf bytes = { 0 };
	cairo_surface_t *surface;
	cairo_status_t status;
	struct arena *mem;
	struct painter p;
	int rc = cairo_load(&lib, &fc, err);

	if (rc < 0)
		return rc;
	mem = arena_new();
	p = painter_make(lib, fc, r, style, size, pdf_width(paper, style->width), false, mem);
	surface = lib->pdf_surface_create_for_stream(add_bytes, &bytes, p.width, p.width);
	p.cr = lib->create(surface);
	draw(&p, paper, surface);
	status = lib->status(p.cr);
	lib->destroy(p.cr);
	lib->surface_finish(surface);
	status = status ? status : lib->surface_status(surface);
	lib->surface_destroy(surface);
	painter_release(&p);
	arena_free(mem);
	if (status) {
		rc = err_set(err, ERR_IO, "drawing PDF: %s", lib->status_to_string(status));
	} else {
		cairo_rest(lib, fc);
		buf_add(out, bytes.data, bytes.len);
	}
	buf_release(&bytes);
	return rc;
}
