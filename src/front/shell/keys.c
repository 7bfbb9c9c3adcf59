/*
 * keys.c - the keys that all views have in common
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/shell/state.h"

#include "front/shell/terminal/screen.h"

#include <string.h>

static void quit(struct shell *s)
{
	s->is_done = true;
}

static void stop_or_hint(struct shell *s)
{
	if (!shell_stop_work(s))
		shell_notify(s, false, "press q to quit");
}

static void shell_keys_escape(struct shell *s)
{
	struct pane *p = shell_pane(s);

	if (shell_stop_work(s))
		return;
	if (*p->search && p->class->search)
		pane_search(s, p, "");
	else
		shell_back(s);
}

static void open_prompt(struct shell *s)
{
	prompt_open(s, "");
}

static void open_search(struct shell *s)
{
	if (shell_pane(s)->class->search)
		search_open(s);
	else
		shell_notify(s, false, "this view has no search");
}

static void toggle_cum(struct shell *s)
{
	shell_run_linef(s, "sort=%s", settings_query(s->settings)->sort == SORT_CUM ? "flat" : "cum");
}

static void toggle_trim(struct shell *s)
{
	shell_run_linef(s, "trim=%s", settings_query(s->settings)->trim ? "false" : "true");
}

static void toggle_sides(struct shell *s)
{
	struct pane *p = shell_pane(s);

	if (!s->data->has_base) {
		shell_notify(s, false, "no base to compare with; start cpa -base=OLD NEW, or press R on a server");
		return;
	}
	s->show_sides = !s->show_sides;
	shell_notify(s, false, "%s",
		     s->show_sides            ? "showing before, after and change"
		     : shell_compares_last(s) ? "showing only the new profile; d shows the change"
					      : "showing only the change; d shows before and after");
	for (size_t i = 0; i < s->n_panes; i++)
		s->pane[i]->is_stale = true;
	shell_refresh(s, p);
}

static void toggle_mouse(struct shell *s)
{
	s->has_mouse = !s->has_mouse;
	if (s->screen)
		screen_set_mouse(s->screen, s->has_mouse);
	shell_notify(s, false,
		     s->has_mouse ? "mouse on: click, double click, wheel; hold Shift to select text"
				  : "mouse off: the terminal selects text");
}

static void reload(struct shell *s)
{
	if (!s->options.reload)
		shell_notify(s, true,
			     "cannot fetch again: this profile is from a file, not from a server or a running process");
	else if (!work_start_reload(s->work, s))
		shell_notify(s, false, "another fetch or write is running; Esc stops it");
}

static void suspend(struct shell *s)
{
	if (s->screen)
		screen_suspend(s->screen);
}

static void repaint(struct shell *s)
{
	struct pane *p = shell_pane(s);

	if (s->screen)
		screen_repaint(s->screen);
	if ((!p->model || p->is_stale) && !p->is_waiting)
		shell_refresh(s, p);
}

/* A key without a function runs its command. */
const struct binding shell_keys[] = {
	{ "1", "Top: functions by flat or cum", NULL, .command = "top" },
	{ "2 p", "Callers and callees of the selected function", NULL, .command = "peek NAME" },
	{ "3", "Tree: call paths", NULL, .command = "tree" },
	{ "4", "Flame graph", NULL, .command = "flame" },
	{ "5 e", "Source of the selected function", NULL, .command = "list NAME" },
	{ "6 a", "Assembly of the selected function", NULL, .command = "disasm NAME" },
	{ "7", "Traces: every sample with its stack", NULL, .command = "traces" },
	{ "8", "Labels: keys and values of samples", NULL, .command = "tags" },
	{ ":", "type a command; Tab completes", "command", NULL, .run = open_prompt },
	{ "/", "search or filter while typing; n N next and previous", "search", NULL, .run = open_search },
	{ "f", "keep samples with the selected function on their stack", "focus", .command = "focus=NAME" },
	{ "x", "drop samples with the selected function on their stack", "ignore", .command = "ignore=NAME" },
	{ "H", "hide the selected function; charge its cost to the caller", NULL, .command = "hide=NAME" },
	{ "F", "start stacks at the selected function", NULL, .command = "show_from=NAME" },
	{ "c", "select a chip, to change or remove a filter", NULL, "focus=", .run = chips_open },
	{ "u", "undo the last change of an option or filter", "undo", NULL, .run = shell_undo },
	{ "U Ctrl-R", "redo the last undone change", NULL, NULL, .run = shell_redo },
	{ "t", "choose the sample type", "type", "sample_index=TYPE", .run = picker_types },
	{ "r", "choose the granularity: functions, files, lines, addresses", "rows", "granularity=lines",
	  .run = picker_grains },
	{ "m", "choose the unit of values", NULL, "unit=ms", .run = picker_units },
	{ "b", "group stacks by a label; show or hide labels", NULL, "tagroot=KEY", .run = picker_labels },
	{ "o", "all options and their values", NULL, "o", .run = shell_options_open },
	{ "S", "sort by flat or by cum", NULL, "sort=cum", .run = toggle_cum },
	{ "A", "show all rows, or drop the small ones", NULL, "trim=false", .run = toggle_trim },
	{ "d", "in a comparison, or after R: show or hide before, after and change", NULL, NULL, .run = toggle_sides },
	{ "s", "save this view as text, JSON, SVG, PDF ...", "save", "top >FILE", .run = shell_save_open },
	{ "y", "show the equivalent command line, to copy", NULL, NULL, .run = command_open },
	{ "R", "fetch again from the server; d shows the change", NULL, NULL, .run = reload },
	{ "M", "switch the mouse on or off", NULL, NULL, .run = toggle_mouse },
	{ "Backspace Alt-Left", "back to the previous view", "back", NULL, .run = shell_back },
	{ "Alt-Right", "forward", NULL, NULL, .run = shell_forward },
	{ "Esc", "stop running work, end the search, or go back", NULL, NULL, .run = shell_keys_escape },
	{ "? F1", "explain this view and its keys", "help", NULL, .run = shell_help_open },
	{ "Ctrl-L .", "repaint the screen; restart stopped work", NULL, NULL, .run = repaint },
	{ "Ctrl-Z", "suspend; fg in your shell continues", NULL, NULL, .run = suspend },
	{ "Ctrl-C", "stop running work", NULL, NULL, .run = stop_or_hint },
	{ "q F10", "quit", "quit", "quit", .run = quit },
};
const size_t shell_n_keys = sizeof(shell_keys) / sizeof(shell_keys[0]);

/* Run the command of a key, with the selection for NAME. A report of a view without a selection takes that of an earlier
   view. */
static void keys_run_command(struct shell *s, const char *command)
{
	const char *name = strstr(command, "NAME");
	bool is_report = !strchr(command, '=');
	struct buf selection = { 0 };

	if (!name) {
		shell_run_line(s, command, true);
		return;
	}
	shell_add_selection(s, &selection);
	for (size_t i = s->current; is_report && !selection.len && i-- > 0;)
		pane_add_selection(s, s->pane[i], &selection);
	if (selection.len)
		shell_run_linef(s, "%.*s%s", (int)(name - command), command, buf_text(&selection));
	else
		shell_notify(s, false, "no function is selected; select one, or name it at the prompt (:)");
	buf_release(&selection);
}

bool key_act(struct shell *s, const struct binding *key, struct pane *p, const struct event *e)
{
	if (key->act)
		return key->act(s, p, e);
	if (key->run)
		key->run(s);
	else
		keys_run_command(s, key->command);
	return true;
}

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
