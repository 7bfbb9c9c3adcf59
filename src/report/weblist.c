/*
 * weblist.c - the report weblist
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "report/weblist.h"

#include "report/head.h"
#include "report/weblist_int.h"

#include <stdlib.h>

static int make(struct web *w, struct weblist *out, struct buf *notes, struct err *err)
{
	int rc = web_read_samples(w, err);

	if (rc == 0 && !w->any_interest)
		rc = err_set(err, ERR_USAGE, "no matches found for regexp: %s", w->q->pattern);
	if (rc == 0)
		rc = web_read_code(w, notes, err);
	return rc < 0 ? rc : web_make_pages(w, out, err);
}

int report_weblist_make(const struct view *v, const struct query *q, struct report *r, struct weblist *out,
			struct buf *notes, struct err *err)
{
	struct web w = { .v = v, .q = q, .mem = arena_new(), .interest = strtab_new(), .files = strtab_new() };
	int rc;

	r->mem = w.mem;
	r->head.command = "weblist";
	r->head.is_whole = true;
	report_head_fill(&r->head, v, q, w.mem);
	binaries_init(&w.binaries, v->p, q, w.mem);
	rc = make(&w, out, notes, err);
	binaries_release(&w.binaries);
	strtab_free(w.interest);
	strtab_free(w.files);
	free(w.inst);
	free(w.use);
	return rc;
}
