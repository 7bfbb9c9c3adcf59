/*
 * layout.c - positions of boxes and arrows, computed by Graphviz
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The label of an arrow is a run of the letter x, which reserves its space. Courier is as wide as our font, so the label
 * fits whatever fonts are installed.
 */
#include "config.h"

#include "viewers/graph/layout.h"

#include "base/child.h"
#include "viewers/graph/callgraph.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

enum { SECONDS_MAX = 10, MEMORY_MAX = 256 << 20, OUTPUT_MAX = 64 << 20 };

/* Append a length in inches, with four decimals, whatever the locale. */
static void add_inches(struct buf *out, double points)
{
	int64_t size = llround(points / 72 * 10000);

	buf_addf(out, "%" PRId64 ".%04d", size / 10000, (int)(size % 10000));
}

void layout_write(const struct layout *l, struct buf *out)
{
	buf_addz(out, "digraph {\nnode [shape=box fixedsize=true label=\"\"]\n");
	buf_addf(out, "edge [fontname=Courier fontsize=%d]\n", LAYOUT_FONT);
	for (uint32_t i = 0; i < l->n_boxes; i++) {
		buf_addf(out, "n%" PRIu32 " [width=", i + 1);
		add_inches(out, l->box[i].width);
		buf_addz(out, " height=");
		add_inches(out, l->box[i].height);
		buf_addz(out, "]\n");
	}
	for (uint32_t i = 0; i < l->n_arrows; i++) {
		const struct layout_arrow *a = &l->arrow[i];

		assert(a->columns <= LAYOUT_COLUMNS_MAX && a->from < l->n_boxes && a->to < l->n_boxes);
		buf_addf(out, "n%" PRIu32 " -> n%" PRIu32 " [weight=%d%s", a->from + 1, a->to + 1, a->weight,
			 a->is_long ? " minlen=2" : "");
		for (uint32_t line = 0; line < a->lines; line++) {
			buf_addz(out, line ? "\\n" : " label=\"");
			buf_fill(out, 'x', a->columns);
		}
		buf_addz(out, a->lines ? "\"]\n" : "]\n");
	}
	buf_addz(out, "}\n");
}

int layout_make(struct layout *l, const struct stop *stop, struct arena *mem, struct err *err)
{
	const struct child_limits limits = {
		.max_output = OUTPUT_MAX, .max_memory = MEMORY_MAX, .seconds = SECONDS_MAX, .stop = stop
	};
	struct buf in = { 0 }, out = { 0 };
	int rc;

	layout_write(l, &in);
	rc = child_run_limited((const char *const[]){ "dot", "-Tplain", NULL }, in.data, in.len, &limits, &out, err);
	if (rc == ERR_UNKNOWN)
		err_set(err, rc, CALLGRAPH_NO_DOT);
	else if (rc == ERR_IO)
		rc = err_set(err, ERR_LIMIT,
			     "Graphviz could not place %" PRIu32 " boxes and %" PRIu32
			     " calls in %d seconds and %d MiB; show fewer nodes (nodecount)",
			     l->n_boxes, l->n_arrows, SECONDS_MAX, MEMORY_MAX >> 20);
	else if (rc == 0)
		rc = layout_read(l, buf_text(&out), out.len, mem, err);
	buf_release(&in);
	buf_release(&out);
	return rc;
}
