/*
 * gate_json.h - the answer of a gate as JSON
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_GATE_JSON_H
#define VIEWERS_GATE_JSON_H

#include "base/buf.h"
#include "report/gate/gate.h"

#define GATE_JSON_SCHEMA "cpa-gate/1" /* grows when a field changes its meaning or goes */

/* Append the answer as one JSON object that docs/schema/gate.schema.json describes. Numbers are not rounded; what
   is not known is null. */
void json_draw_gate(const struct gate *g, struct buf *out);

#endif
