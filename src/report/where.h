/*
 * where.h - where names and source code come from, as a question says it
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef REPORT_WHERE_H
#define REPORT_WHERE_H

#include "base/arena.h"
#include "engine/query.h"
#include "symbol/where.h"

/* What the environment says, and what options put in its place. mem and q live longer. */
void report_where(const struct query *q, struct arena *mem, struct symbol_where *out);

#endif
