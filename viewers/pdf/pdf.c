/*
 * pdf.c - flame graphs as PDF
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/pdf/pdf.h"

#include "base/mem.h"
#include "viewers/pdf/index.h"
#include "viewers/pdf/outline.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

/* The width of the pages of an index whose picture has a page of its own size. */
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

/* Cairo dates a document now if nobody says otherwise. */
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
	struct index_ask index = { .surface = s, .width = paper->width, .height = paper->height };
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
	outline_add(p, &(const struct outline_ask){ s, function, n, &pages });
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
