/*
 * head.h - fill the head of a report
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef REPORT_HEAD_H
#define REPORT_HEAD_H

#include "engine/graph.h"
#include "engine/query.h"
#include "engine/trim.h"
#include "engine/view.h"
#include "report/report.h"

/* What the profile says about itself, and the value in question. Like pprof ProfileLabels. */
void report_head_fill(struct head *h, const struct view *v, const struct query *q, struct arena *mem);

/*
 * Choose the one unit of a report over a graph, when the question leaves it open (minimum): the
 * one that shows the smallest value, or a hundred times it when that and the total are far apart.
 *
 * whole   values will be shown without decimals, so that the smallest one decides
 * Like    pprof internal/report selectOutputUnit
 */
void report_head_choose_unit(struct head *h, const struct nodes *nodes, const struct trimmed *t, bool whole);

/* The same for a report whose smallest value other than 0 is min; 0 when all are 0. */
void report_head_choose_unit_for(struct head *h, int64_t min, bool whole);

/* A string of the profile as a C string: with \x00 in it when it holds a NUL. */
const char *report_head_text(const struct profile *p, str_id id, struct arena *mem);

/* List the filters in force; report_head_fill does so too. */
void report_head_fill_filters(struct head *h, const struct query *q, struct arena *mem);

#endif
