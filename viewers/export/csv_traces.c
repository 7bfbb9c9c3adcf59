/*
 * csv_traces.c - traces as comma-separated values
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/export/export.h"

#include "base/mem.h"
#include "base/texts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct drawing {
	const struct report *r;
	struct texts frames; /* the end of the line of each frame of a location */
};

static void *start(const struct report *r)
{
	struct drawing *d = mem_zalloc(1, sizeof(*d));
	const struct traces *t = r->traces;

	d->r = r;
	for (uint32_t loc = 0; loc < t->frames.n; loc++) {
		for (uint32_t i = t->frames.off[loc]; i < t->frames.off[loc + 1]; i++) {
			csv_add_quoted(&d->frames.all, t->name[t->frames.item[i]]);
			buf_addz(&d->frames.all, i + 1 < t->frames.off[loc + 1] ? ",inline," : ",,");
			csv_add_quoted(&d->frames.all, r->head.unit);
			buf_add(&d->frames.all, "\n", 1);
			texts_end(&d->frames);
		}
	}
	return d;
}

/* Many lines have little but this in them, so it is not left to printf. */
static void add_number(struct buf *out, uint32_t n)
{
	char digits[10], *at = digits + sizeof(digits);

	do
		*--at = (char)('0' + n % 10);
	while (n /= 10);
	buf_add(out, at, (size_t)(digits + sizeof(digits) - at));
}

static void add_sample(const struct drawing *d, uint32_t sample, struct buf *out)
{
	const struct traces *t = d->r->traces;
	uint32_t stack = t->stack[sample], depth = 0;
	char number[64];
	int n = snprintf(number, sizeof(number), "%" PRIu32 ",%" PRId64 ",", sample + 1,
			 report_value(&d->r->head, t->value[sample]));

	for (uint32_t k = t->stacks->off[stack]; k < t->stacks->off[stack + 1]; k++) {
		uint32_t loc = t->stacks->item[k];

		for (uint32_t i = t->frames.off[loc]; i < t->frames.off[loc + 1]; i++) {
			size_t len;
			const char *text = texts_at(&d->frames, i, &len);

			buf_add(out, number, (size_t)n);
			add_number(out, depth++);
			buf_add(out, ",", 1);
			buf_add(out, text, len);
		}
	}
}

static void draw(const void *drawing, uint32_t lo, uint32_t hi, struct buf *out)
{
	if (lo == 0)
		buf_addz(out, "sample,value,depth,name,inlined,unit\n");
	for (uint32_t i = lo; i < hi; i++)
		add_sample(drawing, i, out);
}

static void end(void *drawing)
{
	struct drawing *d = drawing;

	texts_release(&d->frames);
	free(d);
}

const struct traces_viewer csv_traces = { start, draw, end };
