/*
 * keys.c - the keys that every view has
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/shell/shell_int.h"

#include "viewers/shell/screen.h"

#include <string.h>

static bool quit(struct shell *s, struct pane *p, const struct event *e)
{
	(void)p;
	(void)e;
	s->is_done = true;
	return true;
}

static bool stop_or_say(struct shell *s, struct pane *p, const struct event *e)
{
	(void)p;
	(void)e;
	if (!shell_stop_work(s))
		shell_say(s, false, "q quits");
	return true;
}

static bool escape(struct shell *s, struct pane *p, const struct event *e)
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
OPENER(open_help, help_open(s))
OPENER(open_save, shell_save_open(s))
OPENER(open_options, shell_options_open(s))
OPENER(open_chips, chips_open(s))
OPENER(show_command, command_open(s))
OPENER(open_types, picker_types(s))
OPENER(open_grains, picker_grains(s))
OPENER(open_units, picker_units(s))
OPENER(open_labels, picker_labels(s))
OPENER(show_top, shell_line(s, "top", true))
OPENER(show_tree, shell_line(s, "tree", true))
OPENER(show_flame, shell_line(s, "flame", true))
OPENER(show_traces, shell_line(s, "traces", true))
OPENER(show_tags, shell_line(s, "tags", true))

static bool open_search(struct shell *s, struct pane *p, const struct event *e)
{
	(void)e;
	if (p->class->search)
		search_open(s);
	else
		shell_say(s, false, "this view has no search");
	return true;
}

/* A line about what is selected; to look at it, what was selected in a view before counts where nothing is here. */
static bool with_subject(struct shell *s, const char *format, bool is_look)
{
	struct buf subject = { 0 };

	shell_subject(s, &subject);
	for (size_t i = s->at; is_look && !subject.len && i-- > 0;)
		pane_subject(s, s->pane[i], &subject);
	if (subject.len)
		shell_linef(s, format, buf_text(&subject));
	else
		shell_say(s, false, "nothing is selected here; choose a function, or name one at the prompt (:)");
	buf_release(&subject);
	return true;
}

#define ABOUT(name, format, is_look)                                                                                   \
	static bool name(struct shell *s, struct pane *p, const struct event *e)                                       \
	{                                                                                                              \
		(void)p;                                                                                               \
		(void)e;                                                                                               \
		return with_subject(s, format, is_look);                                                               \
	}

ABOUT(show_peek, "peek %s", true)
ABOUT(show_list, "list %s", true)
ABOUT(show_disasm, "disasm %s", true)
ABOUT(focus, "focus=%s", false)
ABOUT(ignore, "ignore=%s", false)
ABOUT(hide, "hide=%s", false)
ABOUT(show_from, "show_from=%s", false)

static bool toggle_cum(struct shell *s, struct pane *p, const struct event *e)
{
	(void)p;
	(void)e;
	shell_linef(s, "sort=%s", settings_query(s->now)->sort == SORT_CUM ? "flat" : "cum");
	return true;
}

static bool toggle_trim(struct shell *s, struct pane *p, const struct event *e)
{
	(void)p;
	(void)e;
	shell_linef(s, "trim=%s", settings_query(s->now)->trim ? "false" : "true");
	return true;
}

static bool toggle_sides(struct shell *s, struct pane *p, const struct event *e)
{
	(void)e;
	if (!s->data->has_base) {
		shell_say(s, false,
			  "there is no base to compare with; start with cpa -base=OLD NEW, or press R on a server");
		return true;
	}
	s->two_sides = !s->two_sides;
	shell_say(s, false, "%s",
		  s->two_sides        ? "before, after and the change"
		  : shell_has_last(s) ? "the last one fetched alone; d shows the change"
				      : "the difference alone; d shows before and after");
	for (size_t i = 0; i < s->n_panes; i++)
		s->pane[i]->is_stale = true;
	shell_refresh(s, p);
	return true;
}

static bool toggle_mouse(struct shell *s, struct pane *p, const struct event *e)
{
	(void)p;
	(void)e;
	s->mouse = !s->mouse;
	if (s->screen)
		screen_mouse(s->screen, s->mouse);
	shell_say(s, false,
		  s->mouse ? "mouse on: click, double click, wheel; Shift selects text"
			   : "mouse off: the terminal selects text again");
	return true;
}

static bool fetch_again(struct shell *s, struct pane *p, const struct event *e)
{
	(void)p;
	(void)e;
	if (!s->open.reload)
		shell_say(s, true, "R fetches a profile again from its server; this one was read from a file");
	else if (!work_start_again(s->work, s))
		shell_say(s, false, "something is being fetched or written; Esc stops it");
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
		screen_forget(s->screen);
	if ((!p->model || p->is_stale) && !p->is_waiting)
		shell_refresh(s, p);
	return true;
}

const struct binding shell_keys[] = {
	{ "1", "Top: functions by their weight", NULL, "top", show_top },
	{ "2 p", "Callers and callees of what is selected", NULL, "peek NAME", show_peek },
	{ "3", "Tree: who calls whom", NULL, "tree", show_tree },
	{ "4", "Flame graph", NULL, "flame", show_flame },
	{ "5 e", "Source of what is selected", NULL, "list NAME", show_list },
	{ "6 a", "Assembly of what is selected", NULL, "disasm NAME", show_disasm },
	{ "7", "Traces: every sample with its stack", NULL, "traces", show_traces },
	{ "8", "Labels: what samples are labelled with", NULL, "tags", show_tags },
	{ ":", "type a command; Tab completes", "command", NULL, open_prompt },
	{ "/", "search, or filter while you type; n N next and previous", "search", NULL, open_search },
	{ "f", "only samples with what is selected on their stack", "focus", "focus=NAME", focus },
	{ "x", "no samples with what is selected on their stack", "ignore", "ignore=NAME", ignore },
	{ "H", "leave out what is selected; its callers take its weight", NULL, "hide=NAME", hide },
	{ "F", "start each stack at what is selected", NULL, "show_from=NAME", show_from },
	{ "c", "walk on the chips, to change filters or take them away", NULL, "focus=", open_chips },
	{ "u", "undo the last change of an option or filter", "undo", NULL, undo },
	{ "U Ctrl-R", "do again what was undone", NULL, NULL, redo },
	{ "t", "choose what is measured: the sample type", "type", "sample_index=TYPE", open_types },
	{ "r", "choose what a row is: functions, files, lines, addresses", "rows", "granularity=lines", open_grains },
	{ "m", "choose the unit of values", NULL, "unit=ms", open_units },
	{ "b", "stacks or samples by a label", NULL, "tagroot=KEY", open_labels },
	{ "o", "all options and their values", NULL, "o", open_options },
	{ "S", "sort by flat or by cum", NULL, "sort=cum", toggle_cum },
	{ "A", "show all rows, or leave out the small ones", NULL, "trim=false", toggle_trim },
	{ "d", "in a comparison: before and after, or the difference alone; after R what was fetched last alone", NULL,
	  NULL, toggle_sides },
	{ "s", "save this view as text, JSON, SVG, PDF ...", "save", "top >FILE", open_save },
	{ "y", "the same as a command line, to copy", NULL, NULL, show_command },
	{ "R", "fetch again from the server, and show the change", NULL, NULL, fetch_again },
	{ "M", "mouse on or off", NULL, NULL, toggle_mouse },
	{ "Backspace Alt-Left", "back to the view before", "back", NULL, back },
	{ "Alt-Right", "forward again", NULL, NULL, forward },
	{ "Esc", "stop what runs; end the search; else back", NULL, NULL, escape },
	{ "? F1", "explain this view and its keys", "help", NULL, open_help },
	{ "Ctrl-L .", "paint the screen anew; make what was stopped", NULL, NULL, repaint },
	{ "Ctrl-Z", "stop as a job of your shell; fg goes on", NULL, NULL, suspend },
	{ "Ctrl-C", "stop what runs", NULL, NULL, stop_or_say },
	{ "q F10", "quit", "quit", "quit", quit },
};
const size_t shell_n_keys = sizeof(shell_keys) / sizeof(shell_keys[0]);

static bool is_same(const struct event *a, const struct event *b)
{
	return a->kind == b->kind && (a->kind != EVENT_KEY || a->key == b->key);
}

const struct binding *key_find(const struct binding *table, size_t n, const struct event *e)
{
	for (size_t i = 0; i < n; i++) {
		const char *names = table[i].events;
		struct event one;

		while (event_parse(&names, &one, NULL) == 0 && one.kind != EVENT_NONE)
			if (is_same(&one, e))
				return &table[i];
	}
	return NULL;
}

bool key_is_taken(const struct pane_class *class, const struct binding *key)
{
	const char *names = key->events;
	struct event e;

	return event_parse(&names, &e, NULL) == 0 && key_find(class->key, class->n_keys, &e);
}
