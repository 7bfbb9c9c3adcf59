/*
 * option_values.h - the choices and groups of options, and the defaults of a report
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ENGINE_OPTION_VALUES_H
#define ENGINE_OPTION_VALUES_H

#include <stdbool.h>
#include <stdint.h>

enum sort { SORT_FLAT, SORT_CUM };

enum grain { GRAIN_FUNCTIONS, GRAIN_FILEFUNCTIONS, GRAIN_FILES, GRAIN_LINES, GRAIN_ADDRESSES };

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV, FORMAT_MARKDOWN, N_FORMATS };

/* As symbol_progress_fn. */
typedef void (*query_waiting_fn)(void *arg, const char *name, int64_t got, int64_t size);

enum query_group {
	GROUP_REPORT,
	GROUP_FILTER,
	GROUP_COMPARE,
	GROUP_GATE,
	GROUP_GRAIN,
	GROUP_VALUE,
	GROUP_INPUT,
	GROUP_SYMBOL,
	GROUP_FETCH,
	GROUP_FLAME,
	GROUP_SERIES,
	GROUP_LABELS,
	GROUP_ANONYMIZE,
	GROUP_SHELL,
	GROUP_WEB,
	GROUP_OUTPUT,
	GROUP_LIMIT,
	GROUP_GENERAL,
	N_GROUPS
};

/* Defaults of a report for options that are not given or do not apply. If all are zero, all rows are shown as
 * requested. */
struct query_defaults {
	int nodecount;            /* rows without -nodecount; 0: all */
	bool all_rows_for_tools;  /* nodecount applies to text and Markdown; JSON and CSV contain all rows */
	bool by_line, by_address; /* granularity, regardless of options */
	bool by_object;           /* see query.by_object */
	bool untrimmed;           /* same as -trim=false */
	bool trims_by_width;      /* without -nodefraction, omit only boxes too narrow to be drawn; keep_labels */
	bool noinlines;           /* same as -noinlines */
	bool whole_paths;         /* see query.whole_paths */
	bool can_call_tree;       /* the report supports -call_tree */
};

#endif
