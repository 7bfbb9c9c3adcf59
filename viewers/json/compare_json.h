/*
 * compare_json.h - what a comparison says besides its table, as JSON
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_COMPARE_JSON_H
#define VIEWERS_COMPARE_JSON_H

#include "base/jsonw.h"
#include "report/report.h"

/* Write the key "comparison" and its object. */
void json_compare(struct json *j, const struct head *h);

#endif
