/*
 * pdf.c - flame graphs as PDF: paper, pages, table of contents, index of functions
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A box may be too narrow for its name; the index has full names. If a name takes several lines, the text of the first
 * line is the whole name, so that a search finds it. Rows have no links to their boxes: cairo 1.16 would refer to link
 * objects that it does not write, which damages the file.
 */
#include "config.h"

#include "viewers/pdf/pdf.h"

#include "base/arena.h"
#include "base/columns.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/time.h"
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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PDF_MAX_SIDE = 14400 /* largest width and height of a PDF page, in points */, INDEX_DIGITS = 9 };

struct pdf_page {
	uint32_t lo, hi; /* levels [lo, hi); all pages but the first repeat the last level of the page before */
	double top;      /* y of the picture on the page */
	double height;   /* height of the page */
};

struct pages {
	uint32_t n;
	struct pdf_page *page; /* [n] pages, at least one */
};

struct outline_input {
	cairo_surface_t *surface;
	const struct flame_function *function; /* [n] */
	size_t n;
	bool has_index;
	const struct pages *pages; /* pages of the picture, which precede those of the index */
};

struct index_input {
	double width, height; /* size of a page */
	cairo_surface_t *surface;
	const struct flame_function *function; /* [n] */
	size_t n, n_listed;                    /* number of functions that are listed; at most n */
};

/* In points of 1/72 inch, in landscape format. */
static const struct {
	const char *name;
	double width, height;
} papers[] = {
	{ "fit", 0, 0 },          { "a3", 1190.55, 841.89 }, { "a4", 841.89, 595.28 },
	{ "a5", 595.28, 419.53 }, { "letter", 792, 612 },    { "legal", 1008, 612 },
};

int pdf_paper_find(const char *name, struct pdf_paper *out, struct err *err)
{
	for (size_t i = 0; i < sizeof(papers) / sizeof(papers[0]); i++) {
		if (strcmp(name, papers[i].name) == 0) {
			out->width = papers[i].width;
			out->height = papers[i].height;
			return 0;
		}
	}
	return err_set(err, ERR_USAGE, "--paper=%s: choose a3, a4, a5, letter, legal or fit", name);
}

int pdf_index_parse(const char *text, size_t *out, struct err *err)
{
	size_t len = strlen(text);

	if (strcmp(text, "all") == 0)
		*out = SIZE_MAX;
	else if (strcmp(text, "none") == 0)
		*out = 0;
	else if (len && len <= INDEX_DIGITS && strspn(text, "0123456789") == len)
		*out = strtoul(text, NULL, 10);
	else
		return err_set(err, ERR_USAGE, "--index=%s: choose a number, all or none", text);
	return 0;
}

/* The number of levels that fit; at least two, since one is repeated. */
static uint32_t pdf_count_levels(const struct painter *p, double top, double bottom, double height)
{
	double n = floor((height - top - bottom) / p->size->row);

	return n < 2 ? 2 : (uint32_t)n;
}

/*
 * Split the picture into pages of the size of the paper; with fit, into one page, or several of the largest size.
 *
 * note   text below the picture
 * out    lives in p->mem
 */
static void pages_make(const struct painter *p, const struct pdf_paper *paper, const char *note, struct pages *out)
{
	struct painter measure = *p;
	uint32_t n_levels = p->layout.n_levels, lo = 0;
	double max_height = paper->width > 0 ? paper->height : PDF_MAX_SIDE;
	size_t cap = 0;

	measure.cr = NULL;
	*out = (struct pages){ 0 };
	do {
		double top = paint_head(&measure, NULL, lo == 0),
		       bottom = paint_note(&measure, 0, note) + p->size->margin;
		uint32_t n = pdf_count_levels(p, top, bottom, max_height), hi = n < n_levels - lo ? lo + n : n_levels;
		double height = top + (hi - lo) * p->size->row + bottom;

		out->page = mem_grow(out->page, &cap, out->n + 1, sizeof(*out->page));
		out->page[out->n++] =
			(struct pdf_page){ lo, hi, top,
					   paper->width > 0 ? paper->height : fmin(ceil(height), max_height) };
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
	*out = paint_tile_rectangle(p, t, pages->page[i].top, pages->page[i].lo, pages->page[i].hi);
	return i;
}

enum { N_HEAVY = 25, NAME_COLUMNS = 100 };

struct outline {
	const struct painter *p;
	const struct outline_input *input;
	const uint32_t *tile; /* [boxes] tile of each box */
};

static int outline_add_entry(const struct outline *o, int parent, const char *text, uint32_t page, double x, double y,
			     bool is_open)
{
	struct buf link = { 0 };
	int id;

	buf_addf(&link, "page=%" PRIu32 " pos=[%d %d]", page + 1, (int)x, (int)y);
	id = o->p->lib->pdf_surface_add_outline(o->input->surface, parent, text, buf_text(&link),
						is_open ? CAIRO_PDF_OUTLINE_FLAG_OPEN : (cairo_pdf_outline_flags_t)0);
	buf_release(&link);
	return id;
}

/* The weight of a function in the outline. */
static uint64_t weight(const struct flame_function *fn)
{
	return num_abs(fn->flat[SIDE_NEW] - fn->flat[SIDE_BASE]);
}

static int pdf_compare(const void *a, const void *b)
{
	const struct flame_function *x = *(const struct flame_function *const *)a,
				    *y = *(const struct flame_function *const *)b;
	uint64_t i = weight(x), j = weight(y);

	return i != j ? (i > j ? -1 : 1) : (x > y) - (x < y); /* then by index: wider functions come first */
}

static void pdf_add_function(const struct outline *o, int parent, const struct flame_function *fn)
{
	const struct report *r = o->p->r;
	struct buf raw = { 0 }, name = { 0 }, text = { 0 };
	struct rectangle at;
	uint32_t page = pages_find(o->p, o->input->pages, &o->p->layout.tile[o->tile[fn->box]], &at);

	if (r->flame->has_base)
		flame_add_value(&r->head, fn->flat[SIDE_NEW] - fn->flat[SIDE_BASE], true, &text);
	else
		unit_add_percent_trimmed(&text, fn->flat[SIDE_NEW], r->head.total);
	flame_add_name(r->flame, fn->box, &raw);
	font_add_safe(buf_text(&raw), &name);
	buf_addz(&text, "  ");
	flame_add_shortened(buf_text(&name), NAME_COLUMNS, &text);
	outline_add_entry(o, parent, buf_text(&text), page, at.x, at.y, false);
	buf_release(&raw);
	buf_release(&name);
	buf_release(&text);
}

static void pdf_add_functions(const struct outline *o)
{
	size_t n = o->input->n;
	const struct flame_function **order = mem_alloc(n + 1, sizeof(*order));
	int parent;

	for (size_t i = 0; i < n; i++)
		order[i] = &o->input->function[i];
	qsort(order, n, sizeof(*order), pdf_compare);
	if (n && weight(order[0])) {
		parent = outline_add_entry(o, CAIRO_PDF_OUTLINE_ROOT,
					   o->p->r->flame->has_base ? "Largest changes of flat"
								    : "Heaviest functions, by flat",
					   0, 0, 0, true);
		for (size_t i = 0; i < n && i < N_HEAVY && weight(order[i]); i++)
			pdf_add_function(o, parent, order[i]);
	}
	free(order);
}

/*
 * Fill the table of contents: the picture, its pages, its functions with the largest flat values (in a comparison:
 * changes of flat), and the index.
 */
static void outline_add(const struct painter *p, const struct outline_input *input)
{
	uint32_t *tile = arena_alloc(p->mem, p->layout.n, sizeof(*tile));
	const struct outline o = { p, input, tile };
	int picture = outline_add_entry(&o, CAIRO_PDF_OUTLINE_ROOT, "Picture", 0, 0, 0, true);

	for (uint32_t i = 0; i < p->layout.n; i++)
		tile[p->layout.tile[i].box] = i;
	for (uint32_t i = 0; input->pages->n > 1 && i < input->pages->n; i++) {
		struct buf s = { 0 };

		pages_add_name(input->pages, i, &s);
		outline_add_entry(&o, picture, buf_text(&s), i, 0, 0, false);
		buf_release(&s);
	}
	pdf_add_functions(&o);
	if (input->has_index)
		outline_add_entry(&o, CAIRO_PDF_OUTLINE_ROOT, "Functions", input->pages->n, 0, 0, false);
}

enum { MAX_NAME_LINES = 6, N_COLUMNS = 4, COLUMN_WIDTH = 11, COLUMN_GAP = 2 };

struct pdf_writer {
	const struct painter *p;
	const struct index_input *input;
	double y, row;
	uint32_t n_pages;
	size_t column_end[N_COLUMNS]; /* end of each column, in columns of the font */
	size_t columns;               /* columns for a name on a line */
};

static double left_of_names(const struct pdf_writer *w)
{
	return w->p->size->margin +
	       (double)(w->column_end[N_COLUMNS - 1] + COLUMN_GAP) * font_column_width(w->p->boxes);
}

/* Draw right-aligned text in a column. */
static void draw_right(const struct pdf_writer *w, int column, const char *text)
{
	const struct painter *p = w->p;
	double end = p->size->margin + (double)w->column_end[column] * font_column_width(p->boxes);

	font_draw_text(p->boxes, p->cr, end - font_width(p->boxes, text), w->y, text, NULL);
}

static void draw_titles(const struct pdf_writer *w)
{
	static const char *const plain[N_COLUMNS] = { "cum", "cum%", "flat", "flat%" }, *const diff[N_COLUMNS] = {
		"before", "after", "change", "change%"
	};
	bool has_base = w->p->r->flame->has_base;

	paint_set_muted_color(w->p);
	for (int i = 0; i < N_COLUMNS; i++)
		draw_right(w, i, has_base ? diff[i] : plain[i]);
	font_draw_text(w->p->boxes, w->p->cr, left_of_names(w), w->y, "function", NULL);
}

static void start_page(struct pdf_writer *w)
{
	struct buf s = { 0 };

	if (w->n_pages)
		w->p->lib->show_page(w->p->cr);
	w->n_pages++;
	w->p->lib->pdf_surface_set_size(w->input->surface, w->input->width, w->input->height);
	paint_background(w->p);
	if (w->input->n_listed < w->input->n) {
		unit_add_count(&s, w->input->n_listed);
		buf_addz(&s, " of ");
	}
	unit_add_count(&s, w->input->n);
	buf_addf(&s, " functions, %s first", w->p->r->flame->has_base ? "most changed" : "widest");
	if (w->n_pages > 1)
		buf_addf(&s, ", continued");
	w->y = paint_head(w->p, buf_text(&s), false) + w->row;
	draw_titles(w);
	w->y += w->row * 0.3;
	buf_release(&s);
}

static void start_row(struct pdf_writer *w)
{
	if (w->y + w->row > w->input->height - w->p->size->margin)
		start_page(w);
	w->y += w->row;
}

/* Append a change in percent, with a sign. */
static void pdf_add_change(int64_t before, int64_t after, struct buf *out)
{
	double percent = before ? 100 * ((double)after - (double)before) / (double)before : 0;
	char text[64];

	snprintf(text, sizeof(text), "%+.2f%%", percent);

	if (before == after)
		buf_addz(out, "=");
	else if (!before)
		buf_addz(out, "new");
	else if (!after)
		buf_addz(out, "gone");
	else
		unit_add_grouped(out, text);
}

/* Fill s with the numbers of a function as text. */
static void pdf_add_numbers(const struct report *r, const struct flame_function *fn, struct buf s[N_COLUMNS])
{
	const struct head *h = &r->head;
	int64_t after = fn->cum[SIDE_NEW], before = fn->cum[SIDE_BASE], flat = fn->flat[SIDE_NEW];

	for (int i = 0; i < N_COLUMNS; i++)
		s[i].len = 0;
	if (r->flame->has_base) {
		flame_add_value(h, before, false, &s[0]);
		flame_add_value(h, after, false, &s[1]);
		flame_add_value(h, after - before, true, &s[2]);
		pdf_add_change(before, after, &s[3]);
	} else {
		flame_add_value(h, after, false, &s[0]);
		unit_add_percent_trimmed(&s[1], after, h->total);
		flame_add_value(h, flat, false, &s[2]);
		unit_add_percent_trimmed(&s[3], flat, h->total);
	}
}

static void release_numbers(struct buf s[N_COLUMNS])
{
	for (int i = 0; i < N_COLUMNS; i++)
		buf_release(&s[i]);
}

static void draw_numbers(const struct pdf_writer *w, const struct flame_function *fn)
{
	struct buf s[N_COLUMNS] = { 0 };

	pdf_add_numbers(w->p->r, fn, s);
	for (int i = 0; i < N_COLUMNS; i++)
		draw_right(w, i, buf_text(&s[i]));
	release_numbers(s);
}

/* Make each column as wide as its longest number. */
static void find_columns(struct pdf_writer *w, size_t n_rows)
{
	size_t width[N_COLUMNS], end = 0;
	struct buf s[N_COLUMNS] = { 0 };

	for (int i = 0; i < N_COLUMNS; i++)
		width[i] = COLUMN_WIDTH;
	for (size_t row = 0; row < n_rows; row++) {
		pdf_add_numbers(w->p->r, &w->input->function[row], s);
		for (int i = 0; i < N_COLUMNS; i++) {
			size_t n = column_count(buf_text(&s[i])) + COLUMN_GAP;

			width[i] = n > width[i] ? n : width[i];
		}
	}
	for (int i = 0; i < N_COLUMNS; i++)
		w->column_end[i] = end += width[i];
	release_numbers(s);
}

/* The number of bytes of a text that fit into a number of columns. */
static size_t pdf_line_bytes(const char *s, size_t columns)
{
	size_t n = strlen(s), at = 0, used = 0, len;

	for (; at < n; at += len) {
		char one[8] = { 0 };
		uint32_t c;

		len = utf8_decode(s + at, n - at, &c);
		memcpy(one, s + at, len);
		used += column_count(one);
		if (used > columns)
			break;
	}
	return at ? at : n;
}

static void pdf_draw_name(struct pdf_writer *w, const char *name)
{
	/* a search finds the whole name as the hidden text of the first line, unless it is too long */
	bool fits_hidden = strlen(name) <= FONT_HIDDEN_MAX;
	size_t n = strlen(name), end;
	struct buf line = { 0 };

	for (size_t at = 0; at < n; at = end) {
		end = at + pdf_line_bytes(name + at, w->columns);
		line.len = 0;
		buf_add(&line, name + at, end - at);
		if (at)
			start_row(w);
		font_draw_text(w->p->boxes, w->p->cr, left_of_names(w), w->y, buf_text(&line),
			       !fits_hidden ? NULL
			       : at         ? ""
					    : name);
	}
	buf_release(&line);
}

static void draw_function(struct pdf_writer *w, const struct flame_function *fn)
{
	struct buf raw = { 0 }, name = { 0 }, shown = { 0 };

	flame_add_name(w->p->r->flame, fn->box, &raw);
	font_add_safe(buf_text(&raw), &name);
	flame_add_shortened(buf_text(&name), w->columns * MAX_NAME_LINES, &shown);
	start_row(w);
	paint_set_text_color(w->p);
	draw_numbers(w, fn);
	pdf_draw_name(w, buf_text(&shown));
	buf_release(&raw);
	buf_release(&name);
	buf_release(&shown);
}

/* Draw all pages of the index with the painter of the picture. */
static void index_draw(const struct painter *p, const struct index_input *input)
{
	struct painter own = *p;
	struct pdf_writer w = { .p = &own, .input = input, .row = p->size->boxes * 1.45 };
	double room;

	own.width = input->width;
	find_columns(&w, input->n_listed);
	room = (input->width - p->size->margin - left_of_names(&w)) / font_column_width(p->boxes);
	w.columns = room > 20 ? (size_t)room : 20;
	start_page(&w);
	for (size_t i = 0; i < input->n_listed; i++)
		draw_function(&w, &input->function[i]);
	if (input->n > input->n_listed) {
		struct buf s = { 0 };

		start_row(&w);
		paint_set_muted_color(&own);
		unit_add_count(&s, input->n - input->n_listed);
		buf_addz(&s, " more; --index=all lists all");
		font_draw_text(p->boxes, p->cr, left_of_names(&w), w.y, buf_text(&s), NULL);
		buf_release(&s);
	}
	p->lib->show_page(p->cr);
}

/* The width of the index pages when the page of the picture has its own size. */
static const double index_width_min = 600, index_width_max = 1684;

double pdf_width(const struct pdf_paper *paper, double width)
{
	return paper->width > 0 ? paper->width : fmin(fmax(floor(width), 1), PDF_MAX_SIDE);
}

static cairo_status_t pdf_add_bytes(void *to, const unsigned char *data, unsigned n)
{
	buf_add(to, data, n);
	return CAIRO_STATUS_SUCCESS;
}

static void pdf_set_text(const struct painter *p, cairo_surface_t *s, cairo_pdf_metadata_t what, const char *text)
{
	struct buf clean = { 0 };

	font_add_safe(text, &clean);
	p->lib->pdf_surface_set_metadata(s, what, buf_text(&clean));
	buf_release(&clean);
}

/* Set the date of the profile, or none; cairo's default is the current time. */
static void set_date(const struct painter *p, cairo_surface_t *s)
{
	struct buf date = { 0 };
	const char *text;

	if (p->r->head.time_ns >= NS_PER_S)
		time_add_utc(&date, p->r->head.time_ns, TIME_ISO);
	text = date.len ? buf_text(&date) : NULL;
	p->lib->pdf_surface_set_metadata(s, CAIRO_PDF_METADATA_CREATE_DATE, text);
	p->lib->pdf_surface_set_metadata(s, CAIRO_PDF_METADATA_MOD_DATE, text);
	buf_release(&date);
}

static void set_metadata(const struct painter *p, cairo_surface_t *s)
{
	struct buf text = { 0 };

	flame_add_title(p->r, p->style, &text);
	pdf_set_text(p, s, CAIRO_PDF_METADATA_TITLE, buf_text(&text));
	text.len = 0;
	flame_add_subtitle(p->r, &text);
	pdf_set_text(p, s, CAIRO_PDF_METADATA_SUBJECT, buf_text(&text));
	pdf_set_text(p, s, CAIRO_PDF_METADATA_CREATOR, "cpa " PACKAGE_VERSION);
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
		paint_background(p);
		if (i) {
			pages_add_name(pages, i, &below);
			buf_addf(&below, "; level %" PRIu32 " repeats from the previous page", page->lo);
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

static void pdf_pdf_draw(struct painter *p, const struct pdf_paper *paper, cairo_surface_t *s)
{
	const char *note =
		paper->width <= 0 && p->style->width > PDF_MAX_SIDE ? "14,400 points wide, the maximum of PDF" : "";
	struct index_input index = { .surface = s, .width = paper->width, .height = paper->height };
	struct flame_function *function;
	struct pages pages;
	size_t n = flame_functions(p->r->flame, p->mem, &function);

	pages_make(p, paper, note, &pages);
	set_metadata(p, s);
	draw_picture(p, &pages, s, note);
	if (paper->width <= 0) {
		index.width = fmin(fmax(p->width, index_width_min), index_width_max);
		index.height = floor(index.width / sqrt(2));
	}
	index.function = function;
	index.n = n;
	index.n_listed = n < paper->index_max ? n : paper->index_max;
	if (index.n_listed)
		index_draw(p, &index);
	outline_add(p, &(const struct outline_input){ s, function, n, index.n_listed > 0, &pages });
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
	int rc = cairo_open(&lib, &fc, err);

	if (rc < 0)
		return rc;
	mem = arena_new();
	p = painter_make(lib, fc, r, style, size, pdf_width(paper, style->width), false, mem);
	surface = lib->pdf_surface_create_for_stream(pdf_add_bytes, &bytes, p.width, p.width);
	p.cr = lib->create(surface);
	pdf_pdf_draw(&p, paper, surface);
	status = lib->status(p.cr);
	lib->destroy(p.cr);
	lib->surface_finish(surface);
	status = status ? status : lib->surface_status(surface);
	lib->surface_destroy(surface);
	painter_release(&p);
	arena_free(mem);
	if (status)
		rc = err_set(err, ERR_IO, "drawing PDF: %s", lib->status_to_string(status));
	else
		buf_add(out, bytes.data, bytes.len);
	cairo_close(!status);
	buf_release(&bytes);
	return rc;
}
