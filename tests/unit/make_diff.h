/*
 * make_diff.h - two profiles and their comparison, for tests
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef TESTS_UNIT_MAKE_DIFF_H
#define TESTS_UNIT_MAKE_DIFF_H

#include "engine/query.h"
#include "report/diff.h"
#include "tests/unit/make_profile.h"

#include <math.h>

/* Two profiles and their report. Include cmocka.h first. */
struct compared {
	struct make m[N_SIDES];
	struct profile *p[N_SIDES];
	struct query q;
	struct report r;
	struct buf notes;
};

static inline void compared_start(struct compared *c, const char *types)
{
	*c = (struct compared){ .notes = { 0 } };
	for (int side = 0; side < N_SIDES; side++)
		c->m[side] = make_start(types);
	query_init(&c->q);
}

static inline void compared_seal(struct compared *c)
{
	for (int side = 0; side < N_SIDES; side++)
		c->p[side] = make_end(&c->m[side]);
}

/* Compare. Returns the result of report_diff. */
static inline int compared_report(struct compared *c, struct err *err)
{
	static const char *const name[N_SIDES] = { [SIDE_NEW] = "new.pb", [SIDE_BASE] = "base.pb" };
	const struct side_sources from[N_SIDES] = { { &name[0], 1, NULL }, { &name[1], 1, NULL } };

	if (!c->p[0])
		compared_seal(c);
	query_apply_defaults(&c->q, &(struct query_defaults){ .nodecount = 30, .all_rows_for_tools = true });
	return report_diff((const struct profile *const *)c->p, from, &c->q, &c->r, &c->notes, err);
}

static inline void compare_all(struct compared *c)
{
	struct err err;

	if (compared_report(c, &err) < 0)
		fail_msg("%s", err.msg);
}

static inline void compared_release(struct compared *c)
{
	for (int side = 0; side < N_SIDES; side++)
		profile_free(c->p[side]);
	buf_release(&c->notes);
	query_release(&c->q);
	if (c->r.mem)
		report_release(&c->r);
}

/* The row of a name; fails if there is none. */
static inline const union cell *compared_row(const struct compared *c, const char *name)
{
	const struct table *t = &c->r.table;

	for (uint32_t i = 0; i < t->n_rows; i++)
		if (strcmp(t->cell[i * t->n_cols + DIFF_NAME].text, name) == 0)
			return t->cell + i * t->n_cols;
	fail_msg("no row is named %s", name);
	return NULL;
}

#endif
