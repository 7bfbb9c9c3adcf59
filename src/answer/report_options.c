/*
 * report_options.c - the options that have a meaning for a report
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "answer/reports.h"
#include "engine/query.h"

#include <string.h>

/* Bits of report_type.takes that a group of options requires; 0: all reports take the group. */
static const unsigned takes_group[N_GROUPS] = {
	[GROUP_FILTER] = TAKES_FILTERS,
	[GROUP_COMPARE] = TAKES_BASE,
	[GROUP_GRAIN] = TAKES_GRAIN,
	[GROUP_VALUE] = TAKES_TYPE,
};

/* Bits of report_type.takes for options that differ from their group. */
static const struct {
	const char *name;
	unsigned takes;
} takes_option[] = {
	{ "flat", TAKES_SORT },
	{ "cum", TAKES_SORT },
	{ "nodecount", TAKES_ROWS },
	{ "nodefraction", TAKES_ROWS },
	{ "trim", TAKES_ROWS },
	{ "edgefraction", TAKES_EDGES },
	{ "compact_labels", TAKES_HEAD },
	{ "drop_negative", TAKES_NEGATIVE },
	{ "relative_percentages", TAKES_PERCENT },
	{ "normalize", TAKES_NORMALIZE },
	{ "all", TAKES_ALL },
	{ "noinlines", TAKES_INLINES },
	{ "mean", TAKES_MEAN },
	{ "mean_delay", TAKES_MEAN },
	{ "divide_by", TAKES_DIVISOR },
	{ "unit", TAKES_UNIT },
	{ "add_comment", TAKES_COMMENT },
	{ "inverted", TAKES_INVERTED },
};

static bool report_options_is_any(const char *name, const char *a, const char *b)
{
	return strcmp(name, a) == 0 || strcmp(name, b) == 0;
}

/* Decide about options that depend on other fields of the row. Returns false for all other options. */
static bool report_options_find_derived(const struct report_type *t, const char *name, bool *out)
{
	if (strcmp(name, "call_tree") == 0)
		*out = t->defaults.can_call_tree;
	else if (report_options_is_any(name, "tools", "intel_syntax"))
		*out = t->needs & NEEDS_BINARY;
	else if (strcmp(name, "source_path") == 0)
		*out = t->needs & NEEDS_SOURCE || t->flags & REPORT_ADDS_SOURCES;
	else if (strcmp(name, "trim_path") == 0)
		*out = t->takes & TAKES_PATHS || t->flags & REPORT_ADDS_SOURCES;
	else if (strcmp(name, "json") == 0)
		*out = t->draw[FORMAT_JSON] || t->draw_pieces[FORMAT_JSON] || t->input == INPUT_RUNS;
	else if (strcmp(name, "csv") == 0)
		*out = t->draw[FORMAT_CSV] || t->draw_pieces[FORMAT_CSV];
	else if (strcmp(name, "markdown") == 0)
		*out = t->draw[FORMAT_MARKDOWN] || t->input == INPUT_RUNS;
	else if (strcmp(name, "version") == 0)
		*out = false;
	else
		return false;
	return true;
}

bool reports_owns_group(int group)
{
	for (size_t i = 0; group != GROUP_REPORT && i < n_reports; i++)
		if ((int)reports[i].options == group)
			return true;
	return false;
}

bool reports_takes_option(const struct report_type *t, const struct opt *o)
{
	unsigned takes = takes_group[o->group];
	bool is_taken;

	if (report_options_find_derived(t, o->name, &is_taken))
		return is_taken;
	for (size_t i = 0; i < sizeof(takes_option) / sizeof(takes_option[0]); i++)
		if (strcmp(takes_option[i].name, o->name) == 0)
			takes = takes_option[i].takes;
	if (takes == TAKES_INVERTED)
		return t->takes & TAKES_INVERTED;
	if (reports_owns_group(o->group) || o->group == GROUP_SHELL || o->group == GROUP_WEB)
		return t->options == (enum query_group)o->group;
	return (t->takes & takes) == takes;
}

bool reports_accepts_option(const struct report_type *t, const struct opt *o)
{
	bool is_pprofs = !o->is_ours && t->input == INPUT_PROFILE && !(t->flags & REPORT_IS_OURS);
	bool has_reason =
		t->check && report_options_is_any(o->name, "mean", "mean_delay"); /* its check fails with the reason */

	/* a report that lacks the format has its own message */
	return is_pprofs || has_reason || o->group == GROUP_OUTPUT || reports_takes_option(t, o);
}
