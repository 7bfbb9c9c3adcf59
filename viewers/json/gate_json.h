/*
 * gate_json.h - the result of a gate as JSON
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_GATE_JSON_H
#define VIEWERS_GATE_JSON_H

#include "base/buf.h"
#include "report/gate/gate.h"

/* Append the result as one JSON object, described by docs/schema/gate.schema.json. Numbers are not rounded; unknown
   values are null. */
void json_draw_gate(const struct gate *g, struct buf *out);

#endif
