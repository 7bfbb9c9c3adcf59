/*
 * keys.c - the keys that all views have in common
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/shell/shell_int.h"

#include "engine/query.h"
#include "viewers/shell/screen.h"

#include <string.h>

static bool quit(struct shell *s, struct pane *p, const struct event *e)
{
	(void)p;
	(void)e;
	s->is_done = true;
	return true;
}

static bool stop_or_hint(struct shell *s, struct pane *p, const struct event *e)
{
	(void)p;
	(void)e;
	if (!shell_stop_work(s))
		shell_notify(s, false, "press q to quit");
	return true;
}

static bool shell_keys_escape(struct shell *s, struct pane *p, const struct event *e)
{
	(void)e;
	if (shell_stop_work(s))
		return true;
	if (*p->search && p->class->search) {
		pane_search(s, p, "");
		return true;
	}
	shell_back(s);
	return true;
}

static bool back(struct shell *s, struct pane *p, const struct event *e)
{
	(void)p;
	(void)e;
	shell_back(s);
	return true;
}

static bool forward(struct shell *s, struct pane *p, const struct event *e)
{
	(void)p;
	(void)e;
	shell_forward(s);
	return true;
}

static bool undo(struct shell *s, struct pane *p, const struct event *e)
{
	(void)p;
	(void)e;
	shell_undo(s);
	return true;
}

static bool redo(struct shell *s, struct pane *p, const struct event *e)
{
	(void)p;
	(void)e;
	shell_redo(s);
	return true;
}

#define OPENER(name, call)                                                                                             \
	static bool name(struct shell *s, struct pane *p, const struct event *e)                                       \
	{                                                                                                              \
		(void)p;                                                                                               \
		(void)e;                                                                                               \
		call;                                                                                                  \
		return true;                                                                                           \
	}

OPENER(open_prompt, prompt_open(s, ""))
OPENER(open_help, shell_help_open(s))
OPENER(open_save, shell_save_open(s))
OPENER(open_options, shell_options_open(s))
OPENER(open_chips, chips_open(s))
OPENER(show_command, command_open(s))
OPENER(open_types, picker_types(s))
OPENER(open_grains, picker_grains(s))
OPENER(open_units, picker_units(s))
OPENER(open_labels, picker_labels(s))
OPENER(show_top, shell_run_line(s, "top", true))
OPENER(show_tree, shell_run_line(s, "tree", true))
OPENER(show_flame, shell_run_line(s, "flame", true))
OPENER(show_traces, shell_run_line(s, "traces", true))
OPENER(show_tags, shell_run_line(s, "tags", true))

static bool open_search(struct shell *s, struct pane *p, const struct event *e)
{
	(void)e;
	if (p->class->search)
		search_open(s);
	else
		shell_notify(s, false, "this view has no search");
	return true;
}

/* Run a line about the selection. With use_earlier, a view without a selection uses that of an earlier view. */
static bool with_selection(struct shell *s, const char *format, bool use_earlier)
{
	struct buf selection = { 0 };

	shell_add_selection(s, &selection);
	for (size_t i = s->current; use_earlier && !selection.len && i-- > 0;)
		pane_add_selection(s, s->pane[i], &selection);
	if (selection.len)
		shell_run_linef(s, format, buf_text(&selection));
	else
		shell_notify(s, false, "no function is selected; select one, or name it at the prompt (:)");
	buf_release(&selection);
	return true;
}

#define ON_SELECTION(name, format, use_earlier)                                                                        \
	static bool name(struct shell *s, struct pane *p, const struct event *e)                                       \
	{                                                                                                              \
		(void)p;                                                                                               \
		(void)e;                                                                                               \
		return with_selection(s, format, use_earlier);                                                         \
	}

ON_SELECTION(show_peek, "peek %s", true)
ON_SELECTION(show_list, "list %s", true)
ON_SELECTION(show_disasm, "disasm %s", true)
ON_SELECTION(focus, "focus=%s", false)
ON_SELECTION(ignore, "ignore=%s", false)
ON_SELECTION(hide, "hide=%s", false)
ON_SELECTION(show_from, "show_from=%s", false)

static bool toggle_cum(struct shell *s, struct pane *p, const struct event *e)
{
	(void)p;
	(void)e;
	shell_run_linef(s, "sort=%s", settings_query(s->settings)->sort == SORT_CUM ? "flat" : "cum");
	return true;
}

static bool toggle_trim(struct shell *s, struct pane *p, const struct event *e)
{
	(void)p;
	(void)e;
	shell_run_linef(s, "trim=%s", settings_query(s->settings)->trim ? "false" : "true");
	return true;
}

static bool toggle_sides(struct shell *s, struct pane *p, const struct event *e)
{
	(void)e;
	if (!s->data->has_base) {
		shell_notify(s, false, "no base to compare with; start cpa -base=OLD NEW, or press R on a server");
		return true;
	}
	s->show_sides = !s->show_sides;
	shell_notify(s, false, "%s",
		     s->show_sides            ? "showing before, after and change"
		     : shell_compares_last(s) ? "showing only the new profile; d shows the change"
					      : "showing only the change; d shows before and after");
	for (size_t i = 0; i < s->n_panes; i++)
		s->pane[i]->is_stale = true;
	shell_refresh(s, p);
	return true;
}

static bool toggle_mouse(struct shell *s, struct pane *p, const struct event *e)
{
	(void)p;
	(void)e;
	s->has_mouse = !s->has_mouse;
	if (s->screen)
		screen_set_mouse(s->screen, s->has_mouse);
	shell_notify(s, false,
		     s->has_mouse ? "mouse on: click, double click, wheel; hold Shift to select text"
				  : "mouse off: the terminal selects text");
	return true;
}

static bool reload(struct shell *s, struct pane *p, const struct event *e)
{
	(void)p;
	(void)e;
	if (!s->options.reload)
		shell_notify(s, true,
			     "cannot fetch again: this profile is from a file, not from a server or a running process");
	else if (!work_start_reload(s->work, s))
		shell_notify(s, false, "another fetch or write is running; Esc stops it");
	return true;
}

static bool suspend(struct shell *s, struct pane *p, const struct event *e)
{
	(void)p;
	(void)e;
	if (s->screen)
		screen_suspend(s->screen);
	return true;
}

static bool repaint(struct shell *s, struct pane *p, const struct event *e)
{
	(void)e;
	if (s->screen)
		screen_repaint(s->screen);
	if ((!p->model || p->is_stale) && !p->is_waiting)
		shell_refresh(s, p);
	return true;
}

const struct binding shell_keys[] = {
	{ "1", "Top: functions by flat or cum", NULL, "top", show_top },
	{ "2 p", "Callers and callees of the selected function", NULL, "peek NAME", show_peek },
	{ "3", "Tree: call paths", NULL, "tree", show_tree },
	{ "4", "Flame graph", NULL, "flame", show_flame },
	{ "5 e", "Source of the selected function", NULL, "list NAME", show_list },
	{ "6 a", "Assembly of the selected function", NULL, "disasm NAME", show_disasm },
	{ "7", "Traces: every sample with its stack", NULL, "traces", show_traces },
	{ "8", "Labels: keys and values of samples", NULL, "tags", show_tags },
	{ ":", "type a command; Tab completes", "command", NULL, open_prompt },
	{ "/", "search or filter while typing; n N next and previous", "search", NULL, open_search },
	{ "f", "keep samples with the selected function on their stack", "focus", "focus=NAME", focus },
	{ "x", "drop samples with the selected function on their stack", "ignore", "ignore=NAME", ignore },
	{ "H", "hide the selected function; charge its cost to the caller", NULL, "hide=NAME", hide },
	{ "F", "start stacks at the selected function", NULL, "show_from=NAME", show_from },
	{ "c", "select a chip, to change or remove a filter", NULL, "focus=", open_chips },
	{ "u", "undo the last change of an option or filter", "undo", NULL, undo },
	{ "U Ctrl-R", "redo the last undone change", NULL, NULL, redo },
	{ "t", "choose the sample type", "type", "sample_index=TYPE", open_types },
	{ "r", "choose the granularity: functions, files, lines, addresses", "rows", "granularity=lines", open_grains },
	{ "m", "choose the unit of values", NULL, "unit=ms", open_units },
	{ "b", "group stacks by a label; show or hide labels", NULL, "tagroot=KEY", open_labels },
	{ "o", "all options and their values", NULL, "o", open_options },
	{ "S", "sort by flat or by cum", NULL, "sort=cum", toggle_cum },
	{ "A", "show all rows, or drop the small ones", NULL, "trim=false", toggle_trim },
	{ "d", "in a comparison, or after R: show or hide before, after and change", NULL, NULL, toggle_sides },
	{ "s", "save this view as text, JSON, SVG, PDF ...", "save", "top >FILE", open_save },
	{ "y", "show the equivalent command line, to copy", NULL, NULL, show_command },
	{ "R", "fetch again from the server; d shows the change", NULL, NULL, reload },
	{ "M", "switch the mouse on or off", NULL, NULL, toggle_mouse },
	{ "Backspace Alt-Left", "back to the previous view", "back", NULL, back },
	{ "Alt-Right", "forward", NULL, NULL, forward },
	{ "Esc", "stop running work, end the search, or go back", NULL, NULL, shell_keys_escape },
	{ "? F1", "explain this view and its keys", "help", NULL, open_help },
	{ "Ctrl-L .", "repaint the screen; restart stopped work", NULL, NULL, repaint },
	{ "Ctrl-Z", "suspend; fg in your shell continues", NULL, NULL, suspend },
	{ "Ctrl-C", "stop running work", NULL, NULL, stop_or_hint },
	{ "q F10", "quit", "quit", "quit", quit },
};
const size_t shell_n_keys = sizeof(shell_keys) / sizeof(shell_keys[0]);

static bool shell_keys_is_same(const struct event *a, const struct event *b)
{
	return a->kind == b->kind && (a->kind != EVENT_KEY || a->key == b->key);
}

const struct binding *key_find(const struct binding *table, size_t n, const struct event *e)
{
	for (size_t i = 0; i < n; i++) {
		const char *names = table[i].events;
		struct event one;

		while (event_parse(&names, &one, NULL) == 0 && one.kind != EVENT_NONE)
			if (shell_keys_is_same(&one, e))
				return &table[i];
	}
	return NULL;
}

bool key_is_overridden(const struct pane_class *class, const struct binding *key)
{
	const char *names = key->events;
	struct event e;

	return event_parse(&names, &e, NULL) == 0 && key_find(class->key, class->n_keys, &e);
}
