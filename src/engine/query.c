/*
 * query.c - the query of a command line: a field per option
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/query.h"

#include "base/amount.h"
#include "base/str.h"
#include "profile/normalize.h"

#include <assert.h>
#include <math.h>
#include <string.h>

const struct opt query_options[] = {
#define AT(field) offsetof(struct query, field)
#define OPTION(type, name, kind, preset, arg, group, help)                                                             \
	{ #name, kind, AT(name), 0, preset, arg, group, false, help },
#define OWN(type, name, kind, preset, arg, group, help) { #name, kind, AT(name), 0, preset, arg, group, true, help },
#define PICK(name, field, value, group, help) { #name, OPT_CHOICE, AT(field), value, NULL, NULL, group, false, help },
#define OWN_PICK(name, field, value, group, help)                                                                      \
	{ #name, OPT_CHOICE, AT(field), value, NULL, NULL, group, true, help },
#include "engine/query.def"
#undef AT
};
const size_t query_n_options = sizeof(query_options) / sizeof(query_options[0]);

const struct query_choice query_choices[] = {
#define CHOICE(field) { #field, offsetof(struct query, field) },
#include "engine/query.def"
};
const size_t query_n_choices = sizeof(query_choices) / sizeof(query_choices[0]);

const struct query_param query_params[] = {
#define PARAM(name, param, kind) { #name, param, kind },
#include "engine/query.def"
};
const size_t query_n_params = sizeof(query_params) / sizeof(query_params[0]);

const char *const query_group_title[N_GROUPS] = {
	[GROUP_REPORT] = "Rows and order",
	[GROUP_FILTER] = "Filters",
	[GROUP_COMPARE] = "Comparison",
	[GROUP_GATE] = "Gate",
	[GROUP_GRAIN] = "Granularity",
	[GROUP_VALUE] = "Values and units",
	[GROUP_INPUT] = "Reading profiles",
	[GROUP_SYMBOL] = "Names, source and assembly",
	[GROUP_FETCH] = "Fetching from servers",
	[GROUP_FLAME] = "Flame graph",
	[GROUP_SERIES] = "Totals over time",
	[GROUP_LABELS] = "Labels",
	[GROUP_ANONYMIZE] = "Pseudonyms",
	[GROUP_SHELL] = "Interactive shell",
	[GROUP_WEB] = "Web UI",
	[GROUP_OUTPUT] = "Output",
	[GROUP_LIMIT] = "Input limits (0 = unlimited)",
	[GROUP_GENERAL] = "General",
};

void query_init(struct query *q)
{
	*q = (struct query){ .pattern = "" };
	opt_set_defaults(query_options, query_n_options, q);
}

int query_set(struct query *q, const struct opt *o, const char *value, struct err *err)
{
	q->has_nodefraction |= o->at == offsetof(struct query, nodefraction);
	q->has_granularity |= o->at == offsetof(struct query, granularity);
	return opt_set(o, q, value, err);
}

void query_release(struct query *q)
{
	for (size_t i = 0; i < query_n_options; i++)
		if (query_options[i].kind == OPT_LIST)
			opt_list_release((struct opt_list *)((char *)q + query_options[i].at));
}

/* The number of rows without -nodecount. */
static int64_t default_rows(const struct query *q, const struct query_defaults *d)
{
	bool is_for_people = q->shape == FORMAT_TEXT || q->shape == FORMAT_MARKDOWN;

	return q->nodecount == -1 && (is_for_people || !d->all_rows_for_tools) ? d->nodecount : 0;
}

void query_apply_defaults(struct query *q, const struct query_defaults *d)
{
	assert(!(d->by_line && d->by_address));
	if (d->by_line || d->by_address)
		q->granularity = d->by_line ? GRAIN_LINES : GRAIN_ADDRESSES;
	q->by_object |= d->by_object;
	q->noinlines |= d->noinlines;
	q->whole_paths |= d->whole_paths;
	q->trim &= !d->untrimmed;
	q->call_tree &= d->can_call_tree;
	if (d->trims_by_width) {
		q->nodefraction = q->has_nodefraction ? q->nodefraction : 0;
		q->edgefraction = 0;
		q->keep_labels = true;
	} else if (q->nodecount < 0) {
		q->nodecount = default_rows(q, d);
	}
	if (!q->trim) {
		q->nodecount = 0;
		q->nodefraction = q->edgefraction = 0;
	}
}

double query_ratio(const struct query *q)
{
	double ratio = 1 / q->divide_by;

	return ratio > 0 ? ratio : 1;
}

/* Apply the flags that name a sample type, in the order in which pprof checks them. */
static void apply_type_flags(struct query *q, const char **ignored)
{
	const struct {
		bool set;
		const char *flag, *type;
	} flags[] = {
		{ q->total_delay, "total_delay", "delay" },
		{ q->mean_delay, "mean_delay", "delay" },
		{ q->contentions, "contentions", "contentions" },
		{ q->inuse_space, "inuse_space", "inuse_space" },
		{ q->inuse_objects, "inuse_objects", "inuse_objects" },
		{ q->alloc_space, "alloc_space", "alloc_space" },
		{ q->alloc_objects, "alloc_objects", "alloc_objects" },
	};

	*ignored = NULL;
	q->mean |= q->mean_delay;
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		if (flags[i].set && *q->sample_index && !*ignored)
			*ignored = flags[i].flag;
		else if (flags[i].set && !*q->sample_index)
			q->sample_index = flags[i].type;
	}
}

/* Remove empty names, for example of unset shell variables. */
static void drop_empty(struct opt_list *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++)
		if (*l->item[i])
			l->item[n++] = l->item[i];
	l->n = n;
}

/* --by=label:KEY is -tagroot=KEY. */
static int apply_by(struct query *q, struct err *err)
{
	static const char label[] = "label:";

	if (!*q->by)
		return 0;
	if (!starts_with(q->by, label) || !q->by[sizeof(label) - 1])
		return err_set(err, ERR_USAGE, "--by=%s: write label:KEY", q->by);
	if (*q->tagroot)
		return err_set(err, ERR_USAGE,
			       "--by and -tagroot exclude each other; for several keys use -tagroot=KEY,KEY");
	q->tagroot = q->by + sizeof(label) - 1;
	return 0;
}

/* Check --from and --to: durations, the first one before the second. */
static int query_check_times(const struct query *q, struct err *err)
{
	int64_t from = 0, to = INT64_MAX;

	if (*q->from && amount_parse_duration("--from", q->from, &from, err) < 0)
		return ERR_USAGE;
	if (*q->to && amount_parse_duration("--to", q->to, &to, err) < 0)
		return ERR_USAGE;
	return from < to ? 0 : err_set(err, ERR_USAGE, "--from=%s --to=%s: no time is between them", q->from, q->to);
}

int query_check(const struct query *q, struct err *err)
{
	if (q->divide_by == 0)
		return err_set(err, ERR_USAGE, "-divide_by=0: zero divisor specified");
	if (!(q->divide_by > 0))
		return err_set(err, ERR_USAGE, "-divide_by=%g: choose a number above 0", q->divide_by);
	if (!isfinite(1 / q->divide_by))
		return err_set(err, ERR_USAGE, "-divide_by=%g: choose a larger number", q->divide_by);
	if (!(q->nodefraction >= 0 && q->nodefraction <= 1) || !(q->edgefraction >= 0 && q->edgefraction <= 1))
		return err_set(err, ERR_USAGE, "-nodefraction and -edgefraction must lie between 0 and 1");
	if (strcmp(q->color, "auto") != 0 && strcmp(q->color, "always") != 0 && strcmp(q->color, "never") != 0)
		return err_set(err, ERR_USAGE, "--color=%s: choose auto, always or never", q->color);
	return 0;
}

int query_finish(struct query *q, const char **ignored, struct err *err)
{
	const struct {
		int64_t value;
		const char *name;
	} limits[] = { { q->max_input < -1 ? -1 : 0, "max-input" },
		       { q->max_inflated < -1 ? -1 : 0, "max-inflated" },
		       { q->max_ratio, "max-ratio" },
		       { q->max_count, "max-count" },
		       { q->max_depth, "max-depth" },
		       { q->max_nesting, "max-nesting" },
		       { q->threads, "threads" },
		       { q->debuginfod_timeout, "debuginfod-timeout" } };
	struct normalize_options normalize;

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		if (limits[i].value < 0)
			return err_set(err, ERR_USAGE, "--%s must not be negative", limits[i].name);
	if (query_check(q, err) < 0 || query_check_times(q, err) < 0)
		return ERR_USAGE;
	if (!q->for_gate && normalize_parse(q->normalize, &normalize, err) < 0)
		return ERR_USAGE;
	drop_empty(&q->base);
	drop_empty(&q->diff_base);
	if (q->base.n && q->diff_base.n)
		return err_set(err, ERR_USAGE, "-base and -diff_base flags cannot both be specified");
	if (apply_by(q, err) < 0)
		return ERR_USAGE;
	apply_type_flags(q, ignored);
	return 0;
}
