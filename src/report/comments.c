/*
 * comments.c - the comments report
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/view.h"
#include "report/head.h"
#include "report/report.h"

static const struct column column = { "comment", "comment", CELL_NAME };

report_make_fn report_comments_make;

/* Make one row per comment, including those that other reports omit. Like pprof internal/report printComments. */
int report_comments_make(const struct view *v, const struct query *q, struct report *out, struct buf *notes,
			 struct err *err)
{
	struct report r = { .mem = arena_new(), .head = { .command = "comments", .is_whole = true } };

	report_head_fill(&r.head, v, q, r.mem);
	r.table = (struct table){ .n_cols = 1, .n_rows = r.head.n_comments, .col = &column };
	r.table.cell = arena_alloc(r.mem, r.head.n_comments, sizeof(*r.table.cell));
	for (uint32_t i = 0; i < r.head.n_comments; i++)
		r.table.cell[i].text = r.head.comment[i];
	(void)notes;
	(void)err;
	*out = r;
	return 0;
}
