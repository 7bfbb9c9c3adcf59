/*
 * flame.c - the flame graph of gate
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/cli/gate/gate.h"

#include "answer/flame.h"
#include "answer/reports.h"
#include "base/io.h"
#include "base/mem.h"
#include "front/cli/messages.h"
#include "engine/view.h"
#include "profile/edit.h"
#include "profile/merge.h"
#include "sources/sides.h"

#include <math.h>
#include <stdlib.h>

bool cmd_gate_wants_flame(const struct args *a)
{
	return a->file[ARGS_FLAME] != NULL;
}

/* Merge n profiles. A single profile is returned unchanged, and *merged is not set. */
static int merge_side(struct source_run *l, size_t n, struct profile **merged, struct profile **out, struct err *err)
{
	const struct profile **src;
	int rc;

	*out = l[0].profile;
	if (n == 1)
		return 0;
	src = mem_alloc(n, sizeof(*src));
	for (size_t i = 0; i < n; i++)
		src[i] = l[i].profile;
	rc = profile_merge(src, n, NULL, merged, err);
	*out = *merged;
	free(src);
	return rc;
}

static int scale(struct profile *p, double factor, struct err *err)
{
	double *ratio = mem_alloc(p->n_types ? p->n_types : 1, sizeof(*ratio));
	int rc;

	for (uint32_t i = 0; i < p->n_types; i++)
		ratio[i] = isfinite(factor) && factor > 0 ? factor : 1;
	rc = profile_scale(p, ratio, err);
	free(ratio);
	return rc;
}

static int gate_flame_draw(const struct profile *two_sided, const struct side_sources from[N_SIDES],
			   const struct args *a, const char *title, struct buf *out, struct err *err)
{
	struct arena *mem = arena_new();
	struct query q = a->q;
	struct buf notes = { 0 };
	struct view v;
	bool is_empty;
	int rc;

	q.output = a->file[ARGS_FLAME];
	q.keep_base = true;
	q.shape = FORMAT_TEXT;
	q.normalize = "";
	q.title = *q.title ? q.title : title;
	query_apply_defaults(&q, &reports_get("flame")->defaults);
	rc = view_make(two_sided, &q.filter, mem, &v, &notes, err);
	if (rc == 0)
		rc = answer_flame(&v, from, &q, out, &is_empty, err);
	buf_release(&notes);
	arena_free(mem);
	return rc;
}

int cmd_gate_flame(struct source_run *l, const struct side_sources from[N_SIDES], double factor, const char *verdict,
		   const struct args *a)
{
	size_t n_base = from[SIDE_BASE].n;
	const struct sides_options options = {
		.keep_sides = true, .normalize = "", .new_name = "new", .base_name = "base"
	};
	struct profile *merged[N_SIDES] = { NULL, NULL }, *side[N_SIDES] = { NULL, NULL }, *two_sided = NULL;
	struct buf picture = { 0 }, title = { 0 };
	struct err err;
	int rc = merge_side(l, n_base, &merged[SIDE_BASE], &side[SIDE_BASE], &err);

	buf_addf(&title, "cpa gate: %s; new scaled by %.3g, so that unchanged code has equal size", verdict, factor);
	if (rc == 0)
		rc = merge_side(l + n_base, from[SIDE_NEW].n, &merged[SIDE_NEW], &side[SIDE_NEW], &err);
	if (rc == 0)
		rc = scale(side[SIDE_NEW], factor, &err);
	if (rc == 0)
		rc = sides_make_in_place(side[SIDE_NEW], side[SIDE_BASE], &options, &two_sided, &err);
	if (rc == 0)
		rc = gate_flame_draw(two_sided, from, a, buf_text(&title), &picture, &err);
	if (rc == 0)
		rc = io_write_file(a->file[ARGS_FLAME], buf_text(&picture), picture.len, &err);
	buf_release(&picture);
	buf_release(&title);
	profile_free(two_sided);
	profile_free(merged[SIDE_BASE]);
	profile_free(merged[SIDE_NEW]);
	return rc < 0 ? say_error("--flame: %s", err.msg) : STATUS_FINE;
}
