/*
 * where.h - search paths for binaries and source files from a query
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef REPORT_WHERE_H
#define REPORT_WHERE_H

#include "base/arena.h"
#include "symbol/options.h"

struct query;

/* Fill in the search paths from the environment, overridden by options. mem and q must outlive out. */
void report_where(const struct query *q, struct arena *mem, struct symbol_options *out);

#endif
