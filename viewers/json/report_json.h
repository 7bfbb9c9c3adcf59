/*
 * report_json.h - reports as JSON
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_REPORT_JSON_H
#define VIEWERS_REPORT_JSON_H

#include "base/buf.h"
#include "base/jsonw.h"
#include "report/gate/gate.h"
#include "report/report.h"
#include "report/traces.h"

enum { JSON_SCHEMA_VERSION = 2 }; /* increases when a field is removed or changes its meaning */

/* Append a report as one JSON object, described by docs/schema/report.schema.json. Values are integers in the unit
   of sample_type, after divide_by. */
void json_draw(const struct report *r, struct buf *out);

/* Add the common fields of all reports to the open object. */
void json_add_head(struct json *j, const struct head *h);

/* Add the key "sample_type" and its object. */
void json_add_sample_type(struct json *j, const char *type, const char *unit);

/* Add the time as a string and as a number of nanoseconds. */
void json_add_time(struct json *j, int64_t time_ns);

/* Add the keys "builds" and "stored" of a side, as far as they are known. t may be NULL. */
void json_add_traffic(struct json *j, const struct side_traffic *t, const struct side_builds *b);

/* Traces as an object described by docs/schema/report.schema.json, one sample per line. */
extern const struct traces_viewer json_traces;

/* Append the result as one JSON object, described by docs/schema/gate.schema.json. Numbers are not rounded; unknown
   values are null. */
void json_draw_gate(const struct gate *g, struct buf *out);

#endif
