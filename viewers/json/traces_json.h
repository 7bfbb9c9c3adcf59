/*
 * traces_json.h - traces as JSON
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_TRACES_JSON_H
#define VIEWERS_TRACES_JSON_H

#include "report/traces.h"

/* The object that docs/schema/report.schema.json describes, a sample per line. */
extern const struct traces_viewer json_traces;

#endif
