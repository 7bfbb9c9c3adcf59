/*
 * where.c - where names and source code come from, as a question says it
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "report/where.h"

void report_where(const struct query *q, struct arena *mem, struct symbol_where *out)
{
	symbol_where_init(out, mem);
	out->symfs = q->symfs;
	out->source_path = q->source_path;
	out->trim_path = q->trim_path;
	if (*q->tools)
		out->tools = q->tools;
	if (q->no_cache)
		out->cache = "";
	out->debuginfod &= !q->no_debuginfod;
	out->debuginfod_seconds = q->debuginfod_timeout;
	out->progress = q->waiting;
	out->stop = q->stop;
}
