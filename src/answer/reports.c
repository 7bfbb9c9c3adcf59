/*
 * reports.c - table of all reports
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "answer/reports.h"

#include "answer/anonymize.h"
#include "answer/answer.h"
#include "answer/draw.h"
#include "answer/flame.h"
#include "engine/filter.h"
#include "engine/query.h"
#include "report/calls.h"
#include "report/diff.h"
#include "report/disasm.h"
#include "report/labels.h"
#include "report/list.h"
#include "report/tags.h"
#include "report/top.h"
#include "report/weblist.h"
#include "viewers/export/export.h"
#include "viewers/html/html.h"
#include "viewers/json/report_json.h"
#include "viewers/text/text.h"

#include <assert.h>
#include <string.h>

/* Reports without a header. */
report_make_fn report_binaries_make, report_comments_make;

/* ---- formats of other tools ---- */

/* Write the call graph for Graphviz or for callgrind. */
static int write_net(const struct report_context *from, bool is_dot, struct buf *out, struct err *err)
{
	const struct query *q = from->q;
	struct report r = { .mem = arena_new() };
	struct label_units units;
	struct net net;
	int rc;

	label_units_make(from->view->p, r.mem, &units, NULL);
	rc = net_make(from->view, &q->filter, is_dot, &units, r.mem, &net, err);
	if (rc == 0) {
		net_calls(&net, &q->filter, NULL, r.mem);
		rc = stop_check(q->stop, err);
		if (rc == 0)
			report_calls_head(&net, q, from->view, !is_dot, &r);
		if (rc == 0 && is_dot)
			dot_draw(&net, &r, out);
		else if (rc == 0)
			callgrind_draw(&net, &r, out);
		net_release(&net);
	}
	report_release(&r);
	return rc;
}

static int write_dot(const struct report_context *from, struct answer *out, struct err *err)
{
	return write_net(from, true, &out->text, err);
}

static int write_callgrind(const struct report_context *from, struct answer *out, struct err *err)
{
	return write_net(from, false, &out->text, err);
}

/* The profile for raw and proto: with -noinlines each address has one line. */
static const struct profile *whole_profile(const struct report_context *from, struct arena *mem)
{
	const struct profile *p = from->view->p;

	return from->q->noinlines ? filter_no_inlines(p, from->q->showcolumns, mem) : p;
}

static int write_raw(const struct report_context *from, struct answer *out, struct err *err)
{
	return raw_draw(whole_profile(from, out->mem), from->q->stop, &out->text, err);
}

static int write_proto(const struct report_context *from, struct answer *out, struct err *err)
{
	struct profile shown = *whole_profile(from, out->mem);

	if (!from->q->keep_default_type)
		shown.meta.default_type = shown.type[from->view->type].name; /* readers select it, as in pprof */
	return export_proto(&shown, from->q, &out->text, err);
}

static int write_otlp(const struct report_context *from, struct answer *out, struct err *err)
{
	return export_otlp(whole_profile(from, out->mem), from->q, &out->text, err);
}

static int write_anonymous(const struct report_context *from, struct answer *out, struct err *err)
{
	return answer_anonymize(whole_profile(from, out->mem), from->q, &out->text, &out->notes, err);
}

static int write_topproto(const struct report_context *from, struct answer *out, struct err *err)
{
	return topproto_draw(from->view, from->q, &out->text, err);
}

static int write_folded(const struct report_context *from, struct answer *out, struct err *err)
{
	return export_folded(from->view, from->q, &out->text, err);
}

static int write_speedscope(const struct report_context *from, struct answer *out, struct err *err)
{
	return export_speedscope(from->view, from->q, &out->text, err);
}

static int write_cpuprofile(const struct report_context *from, struct answer *out, struct err *err)
{
	return export_cpuprofile(from->view, from->q, &out->text, err);
}

static int write_firefox(const struct report_context *from, struct answer *out, struct err *err)
{
	return export_firefox(from->view, from->q, &out->text, err);
}

/* Write source and assembly as a web page. */
static int write_weblist(const struct report_context *from, struct answer *out, struct err *err)
{
	struct weblist list;
	int rc = report_weblist_make(from->view, from->q, &out->report, &list, &out->notes, err);

	if (rc == 0)
		html_weblist_draw(&out->report, &list, &out->text);
	return rc;
}

static int write_flame(const struct report_context *from, struct answer *out, struct err *err)
{
	return answer_flame(from->view, from->from, from->q, &out->text, &out->is_empty, err);
}

/* ---- checks of options ---- */

static int refuse_mean(const struct query *q, const char *name, struct err *err)
{
	return q->mean ? err_set(err, ERR_USAGE, "-mean does not apply to %s: averages cannot be added", name) : 0;
}

static int check_folded(const struct query *q, struct err *err)
{
	return refuse_mean(q, "folded", err);
}

static int check_speedscope(const struct query *q, struct err *err)
{
	return refuse_mean(q, "speedscope", err);
}

static int check_cpuprofile(const struct query *q, struct err *err)
{
	return refuse_mean(q, "cpuprofile", err);
}

static int check_firefox(const struct query *q, struct err *err)
{
	return refuse_mean(q, "firefox", err);
}

/* ---- table ---- */

#define SOURCES "[OPTION]... SOURCE..."
#define ABOUT_SOURCES "REGEX " SOURCES
#define TO_FILE "[OPTION]... [-o FILE] SOURCE..."
#define PICTURE(...) (&(const struct picture){ __VA_ARGS__ })

/* Functions that draw a table in each format; only that for text differs between reports. */
#define DRAW_TABLE(text)                                                                                               \
	.draw_text = (text),                                                                                           \
	.draw = { [FORMAT_JSON] = json_draw, [FORMAT_CSV] = csv_draw, [FORMAT_MARKDOWN] = markdown_draw }

/* Options of reports that print values, of those that write samples, and of tables. */
#define TAKES_VALUES (TAKES_TYPE | TAKES_MEAN | TAKES_DIVISOR | TAKES_UNIT)
#define TAKES_SAMPLES (TAKES_FILTERS | TAKES_BASE | TAKES_NORMALIZE | TAKES_INLINES)
#define TAKES_TABLE                                                                                                    \
	(TAKES_SAMPLES | TAKES_VALUES | TAKES_PERCENT | TAKES_GRAIN | TAKES_SORT | TAKES_ROWS | TAKES_NEGATIVE |       \
	 TAKES_HEAD | TAKES_COMMENT | TAKES_PATHS)
#define TAKES_PATTERN (TAKES_SAMPLES | TAKES_VALUES | TAKES_PERCENT)

#define GRAPH                                                                                                          \
	.defaults = { .nodecount = 80, .can_call_tree = true }, .write = write_dot,                                    \
	.takes = (TAKES_TABLE & ~TAKES_SORT) | TAKES_EDGES
#define CALLGRIND                                                                                                      \
	.defaults = { .by_address = true, .by_object = true, .untrimmed = true, .can_call_tree = true },               \
	.write = write_callgrind, .suffix = "callgraph.out", .takes = TAKES_SAMPLES | TAKES_VALUES | TAKES_PATHS
#define PROTO                                                                                                          \
	.suffix = "pb.gz", .write = write_proto, .takes = TAKES_SAMPLES | TAKES_TYPE | TAKES_DIVISOR | TAKES_COMMENT,  \
	.flags = REPORT_IS_BINARY
#define PROTO_FILE PROTO | REPORT_IS_OURS | REPORT_NOT_IN_SHELL
#define TOP                                                                                                            \
	.flags = REPORT_SORTS | REPORT_ADDS_UP | REPORT_NEEDS_NO_LABELS | REPORT_NEEDS_SUMS, .make = report_top_make,  \
	DRAW_TABLE(text_draw), .shell_rows = 10, .view = VIEW_TOP, .arguments = SOURCES, .takes = TAKES_TABLE

const struct report_format report_formats[N_FORMATS] = {
	[FORMAT_TEXT] = { "text", ".txt", "" },
	[FORMAT_JSON] = { "JSON", ".json", "--json" },
	[FORMAT_CSV] = { "CSV, for spreadsheets", ".csv", "--csv" },
	[FORMAT_MARKDOWN] = { "Markdown, for tickets", ".md", "--markdown" },
};

/* clang-format off */
const struct report_type reports[] = {
	{ .name = "top", TOP, .help = "print the top functions, by flat or cum", .tab_key = "1", .tab = "Top" },
	{ .name = "text", TOP, .help = "same as top" },
	{ .name = "tree", .arguments = SOURCES, .help = "print functions with their callers and callees",
	  .takes = TAKES_TABLE | TAKES_EDGES,
	  .flags = REPORT_SORTS | REPORT_ADDS_UP | REPORT_NEEDS_NO_LABELS, .defaults = { .nodecount = 80 },
	  .make = report_calls_make, DRAW_TABLE(text_draw_calls), .view = VIEW_TREE, .tab_key = "3", .tab = "Tree" },
	{ .name = "peek", .arguments = ABOUT_SOURCES, .help = "print callers and callees of matching functions",
	  .takes = TAKES_TABLE & ~(TAKES_ROWS | TAKES_NEGATIVE),
	  .flags = REPORT_TAKES_PATTERN | REPORT_ADDS_UP | REPORT_NEEDS_NO_LABELS, .defaults = { .untrimmed = true },
	  .make = report_calls_make, DRAW_TABLE(text_draw_calls), .view = VIEW_CALLERS, .tab_key = "2", .tab = "Callers" },
	{ .name = "traces", .arguments = SOURCES, .help = "print every sample with its stack and labels",
	  .takes = TAKES_SAMPLES | TAKES_VALUES | TAKES_GRAIN | TAKES_COMMENT,
	  .defaults = { .whole_paths = true }, .make = report_traces_make,
	  .draw_pieces = { [FORMAT_TEXT] = &text_traces, [FORMAT_JSON] = &json_traces, [FORMAT_CSV] = &csv_traces },
	  .format_error = { [FORMAT_MARKDOWN] = "--markdown does not apply to traces; choose --json, --csv or text" },
	  .view = VIEW_TRACES, .tab_key = "7", .tab = "Traces" },
	{ .name = "list", .arguments = ABOUT_SOURCES, .help = "print the source of matching functions, line by line",
	  .takes = TAKES_PATTERN | TAKES_PATHS,
	  .needs = NEEDS_SOURCE, .flags = REPORT_TAKES_PATTERN,
	  .defaults = { .by_line = true, .by_object = true, .untrimmed = true },
	  .make = report_list_make, DRAW_TABLE(text_draw_list), .view = VIEW_SOURCE, .tab_key = "5", .tab = "Source" },
	{ .name = "disasm", .arguments = ABOUT_SOURCES, .help = "print the assembly of matching functions",
	  .takes = (TAKES_PATTERN | TAKES_PATHS | TAKES_ALL) & ~TAKES_INLINES,
	  .needs = NEEDS_BINARY, .flags = REPORT_TAKES_PATTERN,
	  .defaults = { .by_address = true, .noinlines = true, .untrimmed = true },
	  .make = report_disasm_make, DRAW_TABLE(text_draw_disasm),
	  .view = VIEW_ASSEMBLY, .tab_key = "6", .tab = "Assembly" },
	{ .name = "weblist", .arguments = ABOUT_SOURCES, .help = "show source and assembly in a browser",
	  .takes = (TAKES_PATTERN | TAKES_PATHS | TAKES_COMMENT) & ~TAKES_INLINES,
	  .needs = NEEDS_SOURCE | NEEDS_BINARY, .flags = REPORT_TAKES_PATTERN | REPORT_IS_BINARY,
	  .defaults = { .by_address = true, .untrimmed = true }, .write = write_weblist,
	  .picture = PICTURE(.ext = "html", .is_shown = true),
	  .save_rank = 1, .file = { { ".html", "web page of source and assembly" } } },
	{ .name = "tags", .arguments = SOURCES, .help = "print the values of labels, sorted by cost",
	  .none = "there are no labels",
	  .takes = TAKES_PATTERN & ~TAKES_INLINES,
	  .flags = REPORT_PICKS_LABELS, .make = report_tags_make, DRAW_TABLE(text_draw_tags),
	  .view = VIEW_LABELS, .tab_key = "8", .tab = "Labels" },
	{ .name = "labels", .arguments = SOURCES, .help = "check the labels in use: names, ids in values, limits",
	  .row = "label", .rows = "labels and findings", .none = "there are no labels",
	  .takes = TAKES_FILTERS | TAKES_TYPE | TAKES_UNIT | TAKES_DIVISOR,
	  .flags = REPORT_IS_OURS | REPORT_NOT_IN_SHELL | REPORT_ASKS_STORES, .options = GROUP_LABELS,
	  .make = report_labels_make, DRAW_TABLE(text_draw_labels) },
	{ .name = "binaries", .arguments = SOURCES, .help = "print the cost of each program and library",
	  .row = "binary", .rows = "binaries",
	  .takes = TAKES_TABLE & ~(TAKES_GRAIN | TAKES_INLINES | TAKES_PATHS),
	  .flags = REPORT_SORTS | REPORT_IS_OURS | REPORT_ADDS_UP | REPORT_NEEDS_NO_LABELS, .make = report_binaries_make, DRAW_TABLE(text_draw) },
	{ .name = "comments", .arguments = SOURCES, .help = "print the comments in the profile",
	  .none = "there are no comments", .row = "comment", .rows = "comments",
	  .takes = TAKES_COMMENT,
	  .flags = REPORT_HAS_NO_VALUES, .make = report_comments_make, DRAW_TABLE(text_draw_comments) },
	{ .name = "raw", .arguments = SOURCES, .help = "print the whole profile as text",
	  .takes = TAKES_SAMPLES | TAKES_COMMENT, .write = write_raw,
	  .file = { { ".txt", "the whole profile as text" } } },
	{ .name = "diff", .arguments = "[OPTION]... BASE NEW | BASE... -- NEW...",
	  .help = "compare two profiles, function by function",
	  .takes = TAKES_TABLE & ~(TAKES_HEAD | TAKES_COMMENT),
	  .flags = REPORT_ADDS_UP, .input = INPUT_SIDES, .defaults = { .nodecount = 30, .all_rows_for_tools = true },
	  .compare = report_diff, DRAW_TABLE(text_draw_diff) },
	{ .name = "trend", .arguments = SOURCES, .help = "print what grows over a series of profiles",
	  .takes = TAKES_FILTERS | TAKES_NORMALIZE | TAKES_ALL | TAKES_VALUES | TAKES_SORT | TAKES_ROWS | TAKES_GRAIN |
		   TAKES_INLINES | TAKES_PATHS,
	  .flags = REPORT_ADDS_UP, .input = INPUT_SERIES,
	  .defaults = { .nodecount = 30, .all_rows_for_tools = true }, DRAW_TABLE(text_draw_trend) },
	{ .name = "series", .arguments = "[OPTION]... store:SERVICE@WINDOW",
	  .help = "print totals of stored profiles over time", .example = "cpa series store:shop@-1d",
	  .takes = TAKES_FILTERS | TAKES_TYPE | TAKES_UNIT | TAKES_DIVISOR,
	  .input = INPUT_STORED, .options = GROUP_SERIES, DRAW_TABLE(text_draw_series) },
	{ .name = "gate", .arguments = "[OPTION]... OLD NEW | OLD... -- NEW... | -base=OLD... NEW...",
	  .help = "fail if a function became slower, for CI",
	  .takes = TAKES_FILTERS | TAKES_BASE | TAKES_NORMALIZE | TAKES_ALL | TAKES_TYPE,
	  .input = INPUT_RUNS, .options = GROUP_GATE },
	{ .name = "merge", .arguments = TO_FILE, .help = "merge profiles into one file",
	  .example = "cpa merge -o all.pb.gz a.pb.gz b.pb.gz",
	  PROTO_FILE },
	{ .name = "convert", .arguments = "[OPTION]... -o FILE SOURCE...",
	  .help = "write profiles in another format, that of FILE's ending", .example = "cpa convert -o cpu.folded cpu.pb.gz",
	  PROTO_FILE | REPORT_BY_ENDING },
	{ .name = "symbolize", .arguments = TO_FILE, .help = "write the profile with function names",
	  PROTO_FILE | REPORT_WANTS_NAMES },
	{ .name = "bundle", .arguments = TO_FILE, .help = "write the profile with names and source code",
	  PROTO_FILE | REPORT_WANTS_NAMES | REPORT_ADDS_SOURCES },
	{ .name = "anonymize", .arguments = TO_FILE, .help = "write the profile with pseudonyms instead of names",
	  .example = "cpa anonymize -o shared.pb.gz cpu.pb.gz",
	  .suffix = "pb.gz", .takes = TAKES_SAMPLES | TAKES_TYPE | TAKES_DIVISOR,
	  .flags = REPORT_IS_BINARY | REPORT_IS_OURS | REPORT_NOT_IN_SHELL,
	  .options = GROUP_ANONYMIZE, .check = answer_anonymize_check, .write = write_anonymous },
	{ .name = "proto", .arguments = SOURCES, .help = "write the profile as compressed profile.proto",
	  PROTO, .save_rank = 4, .file = { { ".pb.gz", "profile, for pprof" } } },
	{ .name = "otlp", .arguments = SOURCES, .help = "write the profile for OpenTelemetry, OTLP 1.11",
	  .takes = TAKES_SAMPLES | TAKES_DIVISOR, .flags = REPORT_IS_BINARY | REPORT_IS_OURS, .suffix = "otlp.pb",
	  .write = write_otlp, .file = { { ".otlp.pb", "profile, for OpenTelemetry" } } },
	{ .name = "topproto", .arguments = SOURCES, .help = "write the rows of top as a profile",
	  .takes = TAKES_TABLE & ~(TAKES_HEAD | TAKES_COMMENT | TAKES_PERCENT),
	  .flags = REPORT_IS_BINARY, .suffix = "pb.gz", .write = write_topproto },
	{ .name = "folded", .arguments = SOURCES, .help = "print folded stacks, for flame graph tools",
	  .takes = TAKES_SAMPLES | TAKES_TYPE | TAKES_DIVISOR | TAKES_GRAIN | TAKES_PATHS | TAKES_INVERTED,
	  .flags = REPORT_IS_OURS, .defaults = { .untrimmed = true }, .check = check_folded, .write = write_folded,
	  .save_rank = 3, .file = { { ".folded", "folded stacks" } } },
	{ .name = "speedscope", .arguments = SOURCES, .help = "write the profile for speedscope.app",
	  .takes = TAKES_SAMPLES | TAKES_TYPE | TAKES_DIVISOR | TAKES_GRAIN | TAKES_PATHS | TAKES_INVERTED,
	  .flags = REPORT_IS_OURS, .defaults = { .untrimmed = true }, .check = check_speedscope, .write = write_speedscope,
	  .file = { { ".json", "stacks, for speedscope" } } },
	{ .name = "cpuprofile", .arguments = SOURCES, .help = "write a sample type of time for DevTools and VS Code",
	  .takes = TAKES_SAMPLES | TAKES_TYPE | TAKES_DIVISOR | TAKES_GRAIN | TAKES_PATHS | TAKES_INVERTED,
	  .flags = REPORT_IS_OURS, .defaults = { .untrimmed = true }, .check = check_cpuprofile, .write = write_cpuprofile,
	  .file = { { ".cpuprofile", "stacks, for DevTools" } } },
	{ .name = "firefox", .arguments = SOURCES, .help = "write a sample type for profiler.firefox.com",
	  .takes = TAKES_SAMPLES | TAKES_TYPE | TAKES_DIVISOR | TAKES_GRAIN | TAKES_PATHS | TAKES_INVERTED,
	  .flags = REPORT_IS_OURS, .defaults = { .untrimmed = true }, .check = check_firefox, .write = write_firefox,
	  .file = { { ".firefox.json", "stacks, for the Firefox Profiler" } } },
	{ .name = "flame", .arguments = "[OPTION]... [-o FILE] [-base=OLD] SOURCE...",
	  .help = "draw a flame graph: SVG, PDF, PNG or HTML",
	  .takes = (TAKES_TABLE | TAKES_INVERTED) & ~(TAKES_SORT | TAKES_MEAN | TAKES_HEAD | TAKES_COMMENT),
	  .flags = REPORT_KEEPS_BASE | REPORT_IS_OURS | REPORT_NEEDS_NO_LABELS, .defaults = { .trims_by_width = true }, .options = GROUP_FLAME,
	  .check = answer_flame_check, .write = write_flame, .suffix_of = answer_flame_suffix,
	  .format_error = { [FORMAT_JSON] = "--json does not apply to flame; --format=json writes stacks for speedscope" },
	  .view = VIEW_FLAME, .tab_key = "4", .tab = "Flame", .save_rank = 2,
	  .file = { { ".svg", "flame graph, SVG" }, { ".pdf", "flame graph, PDF" }, { ".png", "flame graph, PNG" },
		    { ".html", "flame graph, web page" } } },
	{ .name = "callgrind", .arguments = SOURCES, .help = "write the profile for KCachegrind", CALLGRIND,
	  .file = { { ".callgrind", "call graph, for KCachegrind" } } },
	{ .name = "dot", .arguments = SOURCES, .help = "print the call graph for Graphviz", GRAPH,
	  .file = { { ".dot", "call graph, for Graphviz" } } },
	{ .name = "svg", .arguments = SOURCES, .help = "draw the call graph as SVG",
	  GRAPH, .flags = REPORT_IS_BINARY, .picture = PICTURE(.format = "svg", .ext = "svg", .is_movable = true) },
	{ .name = "pdf", .arguments = SOURCES, .help = "draw the call graph as PDF",
	  GRAPH, .flags = REPORT_IS_BINARY, .picture = PICTURE(.format = "pdf", .ext = "pdf") },
	{ .name = "png", .arguments = SOURCES, .help = "draw the call graph as PNG",
	  GRAPH, .flags = REPORT_IS_BINARY, .picture = PICTURE(.format = "png", .ext = "png") },
	{ .name = "ps", .arguments = SOURCES, .help = "draw the call graph as PostScript",
	  GRAPH, .flags = REPORT_IS_BINARY, .picture = PICTURE(.format = "ps", .ext = "ps") },
	{ .name = "gif", .arguments = SOURCES, .help = "draw the call graph as GIF",
	  GRAPH, .flags = REPORT_IS_BINARY, .picture = PICTURE(.format = "gif", .ext = "gif") },
	{ .name = "web", .arguments = SOURCES, .help = "show the call graph in a browser",
	  GRAPH, .flags = REPORT_IS_BINARY,
	  .picture = PICTURE(.format = "svg", .ext = "svg", .is_movable = true, .is_shown = true) },
	{ .name = "eog", .arguments = SOURCES, .help = "show the call graph with eog",
	  GRAPH, .flags = REPORT_IS_BINARY,
	  .picture = PICTURE(.format = "svg", .ext = "svg", .is_shown = true, .program = "eog") },
	{ .name = "evince", .arguments = SOURCES, .help = "show the call graph with evince",
	  GRAPH, .flags = REPORT_IS_BINARY,
	  .picture = PICTURE(.format = "pdf", .ext = "pdf", .is_shown = true, .program = "evince") },
	{ .name = "gv", .arguments = SOURCES, .help = "show the call graph with gv",
	  GRAPH, .flags = REPORT_IS_BINARY,
	  .picture = PICTURE(.format = "ps", .ext = "ps", .is_shown = true, .program = "gv --noantialias") },
	{ .name = "kcachegrind", .arguments = SOURCES, .help = "show the profile with KCachegrind", CALLGRIND,
	  .flags = REPORT_IS_BINARY,
	  .picture = PICTURE(.ext = "grind", .is_shown = true, .program = "kcachegrind"), },
};
/* clang-format on */
const size_t n_reports = sizeof(reports) / sizeof(reports[0]);

const struct report_type *reports_find(const char *name, size_t n)
{
	for (size_t i = 0; i < n_reports; i++)
		if (strlen(reports[i].name) == n && memcmp(reports[i].name, name, n) == 0)
			return &reports[i];
	return NULL;
}

const struct report_type *reports_get(const char *name)
{
	const struct report_type *t = reports_find(name, strlen(name));

	assert(t);
	return t;
}

bool reports_is_in_shell(const struct report_type *t)
{
	return t->input == INPUT_PROFILE && !(t->flags & REPORT_NOT_IN_SHELL);
}

bool reports_has_format(const struct report_type *t, enum format format)
{
	if (t->draw_pieces[format])
		return true;
	return format == FORMAT_TEXT ? t->draw_text != NULL : t->draw[format] != NULL;
}

const struct report_type *reports_saved(int rank)
{
	assert(rank > 0);
	for (size_t i = 0; i < n_reports; i++)
		if (reports[i].save_rank == rank)
			return &reports[i];
	return NULL;
}

const char *reports_suffix(const struct report_type *t, const struct query *q)
{
	if (t->suffix_of)
		return t->suffix_of(q);
	return !t->suffix && t->picture ? t->picture->ext : t->suffix;
}
