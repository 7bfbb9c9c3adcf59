/*
 * views.c - the table of views
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/web/pages/views.h"

#include "front/web/parts/export.h"

#include <ctype.h>
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

/* In the order of the View menu. Of the row of its report, a view has the title, the help and the key unless it has its own. */
static const struct web_view views[] = {
	{ .path = "top",
	  .report = "top",
	  .flags = WEB_VIEW_IN_MENU | WEB_VIEW_CACHED,
	  .adapt = show_all_rows,
	  .draw = web_draw_table },
	{ .path = "graph",
	  .title = "Graph",
	  .report = "svg",
	  .files = { "dot" },
	  .flags = WEB_VIEW_IN_MENU | WEB_VIEW_CACHED,
	  .draw = web_draw_graph,
	  .sends = "svg pdf png",
	  .send = web_send_graph_file },
	{ .path = "peek",
	  .title = "Peek",
	  .report = "peek",
	  .flags = WEB_VIEW_IN_MENU | WEB_VIEW_CACHED | WEB_VIEW_BY_LINE,
	  .draw = web_draw_table },
	{ .path = "tree", .report = "tree", .flags = WEB_VIEW_IN_MENU | WEB_VIEW_CACHED, .draw = web_draw_table },
	{ .path = "flamegraph",
	  .title = "Flame graph",
	  .report = "flame",
	  .flags = WEB_VIEW_IN_MENU | WEB_VIEW_CACHED | WEB_VIEW_HAS_SEARCH,
	  .draw = web_draw_flame,
	  .sends = "svg pdf png html folded json",
	  .send = web_send_flame_file },
	{ .path = "data/flame", .flags = WEB_VIEW_CACHED, .send = web_send_flame_data },
	{ .path = "data/pivot", .flags = WEB_VIEW_CACHED, .send = web_send_flame_pivot },
	{ .path = "data/search", .flags = WEB_VIEW_CACHED, .send = web_send_flame_search },
	{ .path = "diff",
	  .title = "Difference",
	  .key = "d",
	  .report = "diff",
	  .flags = WEB_VIEW_IN_COMPARE_MENU | WEB_VIEW_CACHED | WEB_VIEW_HAS_SIDES,
	  .draw = web_draw_diff },
	{ .path = "gate",
	  .title = "Gate",
	  .help = "Decide whether a function became slower, or whether the change may be chance",
	  .flags = WEB_VIEW_IN_COMPARE_MENU | WEB_VIEW_CACHED | WEB_VIEW_HAS_SIDES,
	  .draw = web_draw_gate,
	  .send = web_send_verdicts },
	{ .path = "data/verdicts", .flags = WEB_VIEW_CACHED | WEB_VIEW_HAS_SIDES, .send = web_send_flame_verdicts },
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
	  .report = "list",
	  .files = { "weblist" },
	  .flags = WEB_VIEW_IN_MENU | WEB_VIEW_SHARED,
	  .adapt = show_50_groups,
	  .draw = web_draw_source },
	{ .path = "disasm",
	  .title = "Disassemble",
	  .report = "disasm",
	  .flags = WEB_VIEW_IN_MENU | WEB_VIEW_CACHED,
	  .adapt = show_50_groups,
	  .draw = web_draw_disasm },
	{ .path = "labels",
	  .report = "tags",
	  .empty = "the samples have no labels",
	  .flags = WEB_VIEW_IN_MENU | WEB_VIEW_CACHED,
	  .draw = web_draw_labels },
	{ .path = "labelcheck",
	  .title = "Label check",
	  .report = "labels",
	  .empty = "the samples have no labels",
	  .flags = WEB_VIEW_IN_MENU | WEB_VIEW_SHARED,
	  .draw = web_draw_label_check },
	{ .path = "traces",
	  .report = "traces",
	  .empty = "the profile has no samples",
	  .flags = WEB_VIEW_IN_MENU | WEB_VIEW_CACHED,
	  .draw = web_draw_traces },
	{ .path = "help",
	  .title = "Help",
	  .key = "?",
	  .help = "Explain views, columns, colours and keys",
	  .flags = WEB_VIEW_ALONE | WEB_VIEW_IN_MENU | WEB_VIEW_CACHED,
	  .draw = web_draw_help },
	{ .path = "download", .title = "Download", .flags = WEB_VIEW_CACHED, .send = web_download },
	{ .path = "profile",
	  .title = "Profile",
	  .files = { "proto", "speedscope", "cpuprofile", "firefox", "otlp", "callgrind", "folded", "raw" },
	  .flags = WEB_VIEW_CACHED },
};

/* Is the report a table that web_draw_table draws, without a view of its own? One that asks stores has its own. */
static bool views_is_plain(const struct report_type *t)
{
	return t->make && t->view == VIEW_TEXT && t->draw[FORMAT_JSON] && !(t->flags & REPORT_ASKS_STORES);
}

/* A text with its first letter in upper case. */
static const char *views_capital(const char *text, struct arena *mem)
{
	char *copy = arena_strndup(mem, text, strlen(text));

	*copy = (char)toupper((unsigned char)*copy);
	return copy;
}

/* Fill in what the report of a view says. A page does not print or draw as a command does, so that verb is left out. */
static void views_complete(struct web_view *v, struct arena *mem)
{
	const struct report_type *t = reports_get(v->report);
	bool has_verb = strncmp(t->help, "print ", 6) == 0 || strncmp(t->help, "draw ", 5) == 0;

	if (!v->title)
		v->title = t->tab ? t->tab : views_capital(t->name, mem);
	if (!v->key)
		v->key = t->tab_key;
	v->help = views_capital(has_verb ? strchr(t->help, ' ') + 1 : t->help, mem);
	if (t->row && t->flags & REPORT_HAS_NO_VALUES) {
		struct buf reason = { 0 };

		buf_addf(&reason, "the profile has no %s", t->rows);
		v->empty = arena_strndup(mem, buf_text(&reason), reason.len);
		buf_release(&reason);
	}
	if (reports_takes_pattern(t))
		v->flags |= WEB_VIEW_TAKES_PATTERN;
	if (t->takes & TAKES_ROWS && !(v->flags & WEB_VIEW_HAS_SIDES))
		v->flags |= WEB_VIEW_HAS_NODES;
}

struct web_view *web_views_make(struct arena *mem, size_t *n)
{
	size_t n_own = sizeof(views) / sizeof(views[0]);
	struct web_view *out = arena_alloc(mem, n_own + n_reports, sizeof(*out));

	*n = 0;
	for (size_t i = 0; i < n_own; i++) {
		bool is_last = views[i].draw == web_draw_help;

		for (size_t k = 0; is_last && k < n_reports; k++)
			if (views_is_plain(&reports[k]))
				out[(*n)++] = (struct web_view){ .path = reports[k].name,
								 .report = reports[k].name,
								 .flags = WEB_VIEW_IN_MENU | WEB_VIEW_CACHED,
								 .draw = web_draw_table };
		out[(*n)++] = views[i];
	}
	for (size_t i = 0; i < *n; i++)
		if (out[i].report)
			views_complete(&out[i], mem);
	return out;
}
