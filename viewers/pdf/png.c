/*
 * png.c - flame graphs as PNG
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/unit.h"
#include "viewers/pdf/paint.h"
#include "viewers/pdf/pdf.h"

#include <math.h>

/* The max width and height of cairo's images; more pixels than MAX_PIXELS would take more than 512 MiB. */
enum { MAX_SIDE = 32767, MAX_PIXELS = 1 << 27 };

static cairo_status_t png_add_bytes(void *to, const unsigned char *data, unsigned n)
{
	buf_add(to, data, n);
	return CAIRO_STATUS_SUCCESS;
}

static int write_png(const struct cairo *lib, cairo_surface_t *surface, struct buf *out, struct err *err)
{
	size_t before = out->len;
	cairo_status_t status = lib->surface_write_to_png_stream(surface, png_add_bytes, out);

	if (status == CAIRO_STATUS_SUCCESS)
		return 0;
	out->len = before;
	return err_set(err, ERR_IO, "drawing PNG: %s", lib->status_to_string(status));
}

/* The number of levels that fit into an image; if not all do, note is set. */
static uint32_t png_count_levels(const struct painter *p, double top, struct buf *note)
{
	double max_height = fmin(MAX_SIDE, floor(MAX_PIXELS / p->width)),
	       room = max_height - top - p->size->margin - p->size->text * 4;
	uint32_t n = p->layout.n_levels;

	if (n * p->size->row <= room)
		return n;
	n = room < p->size->row ? 1 : (uint32_t)(room / p->size->row);
	unit_add_count(note, n);
	buf_addz(note, " of ");
	unit_add_count(note, p->layout.n_levels);
	buf_addz(note, " levels shown: the maximum for a PNG of this width");
	return n;
}

static int pdf_png_draw(struct painter *p, struct buf *out, struct err *err)
{
	struct buf note = { 0 };
	double top = paint_head(p, NULL, true);
	uint32_t n = png_count_levels(p, top, &note);
	double height = ceil(paint_note(p, top + n * p->size->row, buf_text(&note)) + p->size->margin);
	cairo_surface_t *surface = p->lib->image_surface_create(CAIRO_FORMAT_RGB24, (int)p->width, (int)height);
	cairo_status_t status;
	int rc;

	p->cr = p->lib->create(surface);
	paint_background(p);
	paint_head(p, NULL, true);
	paint_levels(p, top, 0, n);
	paint_note(p, top + n * p->size->row, buf_text(&note));
	status = p->lib->status(p->cr);
	rc = status ? err_set(err, ERR_IO, "drawing PNG: %s", p->lib->status_to_string(status))
		    : write_png(p->lib, surface, out, err);
	p->lib->destroy(p->cr);
	p->lib->surface_destroy(surface);
	buf_release(&note);
	return rc;
}

int png_draw(const struct report *r, const struct flame_style *style, struct buf *out, struct err *err)
{
	const struct fontconfig *fc;
	const struct cairo *lib;
	struct arena *mem;
	struct painter p;
	int rc;

	if (!(style->width >= 1 && style->width <= MAX_SIDE))
		return err_set(err, ERR_USAGE, "--width=%.0f: must be 1 to %d for PNG", style->width, MAX_SIDE);
	rc = cairo_open(&lib, &fc, err);
	if (rc < 0)
		return rc;
	mem = arena_new();
	p = painter_make(lib, fc, r, style, &sizes_screen, floor(style->width), true, mem);
	rc = pdf_png_draw(&p, out, err);
	painter_release(&p);
	cairo_close(rc == 0);
	arena_free(mem);
	return rc;
}
