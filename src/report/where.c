/*
 * where.c - search paths for binaries and source files from a query
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "report/where.h"

#include "engine/query.h"

void report_where(const struct query *q, struct arena *mem, struct symbol_options *out)
{
	symbol_options_init(out, mem);
	out->symfs = q->symfs;
	out->source_path = q->source_path;
	out->trim_path = q->trim_path;
	out->source_access = q->is_uploaded ? SOURCE_NAMED : q->for_page ? SOURCE_LOCAL : SOURCE_ANY;
	if (*q->tools)
		out->tools = q->tools;
	if (q->no_cache)
		out->cache = "";
	out->debuginfod &= !q->no_debuginfod;
	out->debuginfod_seconds = q->debuginfod_timeout;
	out->progress = q->waiting;
	out->stop = q->stop;
}
