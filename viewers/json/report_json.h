/*
 * report_json.h - reports as JSON
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_REPORT_JSON_H
#define VIEWERS_REPORT_JSON_H

#include "base/buf.h"
#include "base/jsonw.h"
#include "report/report.h"
#include "report/traces.h"

enum { JSON_SCHEMA_VERSION = 1 }; /* grows when a field changes its meaning or goes */

/* Append a report as one JSON object that docs/schema/report.schema.json describes. Values are
   integers in the unit that the object names, after divide_by. */
void json_draw(const struct report *r, struct buf *out);

/* Add what all reports begin with to the object that is open. */
void json_add_head(struct json *j, const struct head *h);

/* Add the time as text and as a number of nanoseconds. */
void json_add_time(struct json *j, int64_t time_ns);

/* The object that docs/schema/report.schema.json describes, a sample per line. */
extern const struct traces_viewer json_traces;

#endif
