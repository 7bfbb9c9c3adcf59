/*
 * views.c - the table of views
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/web/pages/views.h"

#include "front/web/parts/export.h"

#include <string.h>

/* pprof's page shows at most 500 rows, whatever nodecount is; a page here shows a part of all rows. */
static void show_all_rows(struct query *q)
{
	q->nodecount = -1;
}

/* Like pprof's pages of source and instructions. */
static void show_50_groups(struct query *q)
{
	q->max_groups = 50;
}

/* In the order of the View menu. */
const struct web_view web_views[] = {
	{ .path = "top",
	  .title = "Top",
	  .key = "1",
	  .help = "Outputs top entries in text form",
	  .report = "top",
	  .flags = WEB_VIEW_IN_MENU | WEB_VIEW_CACHED | WEB_VIEW_HAS_NODES,
	  .adapt = show_all_rows,
	  .draw = web_draw_table },
	{ .path = "graph",
	  .title = "Graph",
	  .help = "Display profile as a directed graph",
	  .report = "svg",
	  .files = { "dot" },
	  .flags = WEB_VIEW_IN_MENU | WEB_VIEW_CACHED | WEB_VIEW_HAS_NODES,
	  .draw = web_draw_graph,
	  .sends = "svg pdf png",
	  .send = web_send_graph_file },
	{ .path = "peek",
	  .title = "Peek",
	  .key = "2",
	  .help = "Output callers/callees of functions matching regexp",
	  .report = "peek",
	  .flags = WEB_VIEW_IN_MENU | WEB_VIEW_CACHED | WEB_VIEW_TAKES_PATTERN | WEB_VIEW_BY_LINE,
	  .draw = web_draw_table },
	{ .path = "tree",
	  .title = "Tree",
	  .key = "3",
	  .help = "Output a text rendering of call graph",
	  .report = "tree",
	  .flags = WEB_VIEW_IN_MENU | WEB_VIEW_CACHED | WEB_VIEW_HAS_NODES,
	  .draw = web_draw_table },
	{ .path = "flamegraph",
	  .title = "Flame graph",
	  .key = "4",
	  .help = "Display profile as a flame graph",
	  .report = "flame",
	  .flags = WEB_VIEW_IN_MENU | WEB_VIEW_CACHED | WEB_VIEW_HAS_SEARCH | WEB_VIEW_HAS_NODES,
	  .draw = web_draw_flame,
	  .sends = "svg pdf png html folded json",
	  .send = web_send_flame_file },
	{ .path = "data/flame", .flags = WEB_VIEW_CACHED, .send = web_send_flame_data },
	{ .path = "data/pivot", .flags = WEB_VIEW_CACHED, .send = web_send_flame_pivot },
	{ .path = "data/search", .flags = WEB_VIEW_CACHED, .send = web_send_flame_search },
	{ .path = "diff",
	  .title = "Difference",
	  .key = "d",
	  .help = "Compare two profiles, function by function",
	  .report = "diff",
	  .flags = WEB_VIEW_IN_COMPARE_MENU | WEB_VIEW_CACHED | WEB_VIEW_HAS_SIDES,
	  .draw = web_draw_diff },
	{ .path = "gate",
	  .title = "Gate",
	  .help = "Decide whether a function became slower, or whether the change may be chance",
	  .flags = WEB_VIEW_IN_COMPARE_MENU | WEB_VIEW_CACHED | WEB_VIEW_HAS_SIDES,
	  .draw = web_draw_gate,
	  .send = web_send_verdicts },
	{ .path = "data/verdicts", .flags = WEB_VIEW_CACHED | WEB_VIEW_HAS_SIDES, .send = web_send_verdicts },
	{ .path = "trend",
	  .title = "Trend",
	  .help = "List the functions that grow over the open profiles",
	  .flags = WEB_VIEW_ALONE | WEB_VIEW_IN_COMPARE_MENU | WEB_VIEW_CACHED | WEB_VIEW_HAS_SIDES,
	  .draw = web_draw_trend },
	{ .path = "compare",
	  .title = "Open profiles",
	  .help = "Open, compare, merge and close profiles",
	  .flags = WEB_VIEW_ALONE | WEB_VIEW_IN_COMPARE_MENU | WEB_VIEW_HAS_SIDES,
	  .draw = web_draw_compare },
	{ .path = "capture",
	  .title = "Live capture",
	  .help = "Capture profiles of running programs",
	  .flags = WEB_VIEW_ALONE | WEB_VIEW_IN_COMPARE_MENU | WEB_VIEW_HAS_SIDES,
	  .draw = web_draw_capture },
	{ .path = "store",
	  .title = "Store",
	  .help = "Choose windows of a store on a chart of totals, and open or compare them",
	  .flags = WEB_VIEW_ALONE | WEB_VIEW_IN_COMPARE_MENU | WEB_VIEW_HAS_SIDES | WEB_VIEW_NEEDS_STORE |
		   WEB_VIEW_HAS_SEARCH,
	  .draw = web_draw_store },
	{ .path = "open",
	  .title = "Open a file",
	  .help = "Open profiles of this computer",
	  .flags = WEB_VIEW_ALONE | WEB_VIEW_IN_COMPARE_MENU | WEB_VIEW_HAS_SIDES,
	  .draw = web_draw_open },
	{ .path = "source",
	  .title = "Source",
	  .key = "5",
	  .help = "Output annotated source for functions matching regexp",
	  .report = "list",
	  .files = { "weblist" },
	  .flags = WEB_VIEW_IN_MENU | WEB_VIEW_SHARED | WEB_VIEW_TAKES_PATTERN,
	  .adapt = show_50_groups,
	  .draw = web_draw_source },
	{ .path = "disasm",
	  .title = "Disassemble",
	  .key = "6",
	  .help = "Output assembly listings annotated with samples",
	  .report = "disasm",
	  .flags = WEB_VIEW_IN_MENU | WEB_VIEW_CACHED | WEB_VIEW_TAKES_PATTERN,
	  .adapt = show_50_groups,
	  .draw = web_draw_disasm },
	{ .path = "labels",
	  .title = "Labels",
	  .key = "8",
	  .help = "Outputs all tags in the profile",
	  .report = "tags",
	  .empty = "the samples have no labels",
	  .flags = WEB_VIEW_IN_MENU | WEB_VIEW_CACHED,
	  .draw = web_draw_labels },
	{ .path = "traces",
	  .title = "Traces",
	  .key = "7",
	  .help = "Outputs all profile samples in text form",
	  .report = "traces",
	  .empty = "the profile has no samples",
	  .flags = WEB_VIEW_IN_MENU | WEB_VIEW_CACHED,
	  .draw = web_draw_traces },
	{ .path = "binaries",
	  .title = "Binaries",
	  .help = "Outputs the cost of each program and library",
	  .report = "binaries",
	  .noun = "binary",
	  .nouns = "binaries",
	  .flags = WEB_VIEW_IN_MENU | WEB_VIEW_CACHED | WEB_VIEW_HAS_NODES,
	  .draw = web_draw_table },
	{ .path = "comments",
	  .title = "Comments",
	  .help = "Outputs the comments of the profile",
	  .report = "comments",
	  .noun = "comment",
	  .nouns = "comments",
	  .empty = "the profile has no comments",
	  .flags = WEB_VIEW_IN_MENU | WEB_VIEW_CACHED,
	  .draw = web_draw_table },
	{ .path = "help",
	  .title = "Help",
	  .key = "?",
	  .help = "Explain views, columns, colours and keys",
	  .flags = WEB_VIEW_ALONE | WEB_VIEW_IN_MENU | WEB_VIEW_CACHED,
	  .draw = web_draw_help },
	{ .path = "download", .title = "Download", .flags = WEB_VIEW_CACHED, .send = web_download },
	{ .path = "profile",
	  .title = "Profile",
	  .files = { "proto", "speedscope", "callgrind", "folded", "raw" },
	  .flags = WEB_VIEW_CACHED },
};
const size_t web_n_views = sizeof(web_views) / sizeof(web_views[0]);

const struct web_view *web_view_find(const char *path, size_t n)
{
	for (size_t i = 0; i < web_n_views; i++)
		if (strlen(web_views[i].path) == n && memcmp(web_views[i].path, path, n) == 0)
			return &web_views[i];
	return NULL;
}
