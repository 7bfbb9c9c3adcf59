/*
 * head.h - fill in the head of a report
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef REPORT_HEAD_H
#define REPORT_HEAD_H

#include "engine/places.h"
#include "engine/trim.h"
#include "engine/view.h"
#include "report/report.h"

/* Fill in the metadata of the profile and the sample type. Like pprof ProfileLabels. */
void report_head_fill(struct head *h, const struct view *v, const struct query *q, struct arena *mem);

/*
 * Choose the unit of a report over a graph if the query does not (minimum): the unit that fits the smallest value, or a
 * hundred times that value if the total is far larger.
 *
 * whole   values are printed without decimals, so the smallest one decides
 * Like    pprof internal/report selectOutputUnit
 */
void report_head_choose_unit(struct head *h, const struct nodes *nodes, const struct trim_result *t, bool whole);

/* Choose the unit, as above, of a report whose smallest nonzero value is known; 0 if all values are 0. */
void report_head_choose_unit_for(struct head *h, int64_t min, bool whole);

/* A string of the profile as a C string; NULs are written as \x00. */
const char *report_head_text(const struct profile *p, str_id id, struct arena *mem);

/* List the active filters. report_head_fill includes this. */
void report_head_fill_filters(struct head *h, const struct query *q, struct arena *mem);

/* Makes the struct row_place of rows. A file name that many places share is copied once. */
struct row_places {
	const struct places *places;
	struct arena *mem;
	const char **file; /* [files] NULL until used */
};

/* The results refer to mem and to the profile, not to the places. */
void row_places_init(struct row_places *r, const struct places *pl, struct arena *mem);

struct row_place row_places_of(struct row_places *r, uint32_t place);

#endif
