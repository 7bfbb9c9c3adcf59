/*
 * shell.c - the state of the shell, and how lines and events change it
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/shell/state.h"

#include "base/mem.h"
#include "base/str.h"
#include "base/string_list.h"
#include "engine/query.h"
#include "session/prefs.h"
#include "front/shell/option.h"
#include "front/shell/terminal/screen.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNDO_MAX = 200 };

struct shell_data *data_ref(struct shell_data *d)
{
	d->n_refs++;
	return d;
}

void data_unref(struct shell_data *d)
{
	assert(!d || d->n_refs > 0);
	if (!d || --d->n_refs)
		return;
	if (d->change != d->p) /* .change points into .sides, so it is freed first */
		profile_free(d->change);
	if (d->sides != d->p)
		profile_free(d->sides);
	profile_free(d->p);
	free(d);
}

int shell_new(const struct shell_options *options, int width, int height, struct shell **out, struct err *err)
{
	struct shell *s = mem_zalloc(1, sizeof(*s));

	if (work_new(&s->work, err) < 0) {
		free(s);
		data_unref(data_ref(options->data));
		return ERR_IO;
	}
	s->options = *options;
	s->data = data_ref(options->data);
	s->settings = settings_new(options->q);
	s->prefs = prefs_open(options->prefs_path);
	s->has_mouse = options->mouse;
	s->show_sides = options->data->has_base;
	s->palette = PALETTE_NONE;
	s->selected_chip = -1;
	grid_resize(&s->grid, width, height);
	shell_run_line(s, options->line, false);
	if (s->n_panes == 0) /* options->line failed, which has been reported */
		shell_run_line(s, "top", false);
	*out = s;
	return 0;
}

void shell_free(struct shell *s)
{
	while (s->overlay)
		overlay_close(s, s->overlay);
	work_free(s->work);
	for (size_t i = 0; i < s->n_panes; i++)
		pane_free(s->pane[i]);
	free(s->pane);
	for (size_t i = 0; i < s->n_undo; i++)
		settings_free(s->undo[i]);
	free(s->undo);
	settings_free(s->settings);
	prefs_free(s->prefs);
	frame_clear_hits(s);
	free(s->hit);
	buf_release(&s->message);
	buf_release(&s->key_line);
	string_list_release(&s->prompt_lines);
	string_list_release(&s->search_lines);
	grid_release(&s->grid);
	data_unref(s->data);
	free(s);
}

void shell_notify(struct shell *s, bool is_error, const char *fmt, ...)
{
	va_list ap;
	char text[2048];

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	s->message.len = 0;
	buf_addz(&s->message, text);
	s->message_is_error = is_error;
}

void shell_notify_more(struct shell *s, const char *fmt, ...)
{
	va_list ap;
	char text[2048];

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (s->message.len)
		buf_addz(&s->message, "; ");
	buf_addz(&s->message, text);
}

/* The settings have changed: mark all panes as outdated and update the shown one. */
static void shell_apply_settings(struct shell *s)
{
	for (size_t i = 0; i < s->n_panes; i++)
		s->pane[i]->is_stale = true;
	if (s->n_panes)
		shell_refresh(s, shell_pane(s));
}

/* Push the settings before a change, and drop the changes that could be redone. */
static void push_undo(struct shell *s, struct settings *before)
{
	assert(s->undo_at <= s->n_undo && s->n_undo <= UNDO_MAX);
	while (s->n_undo > s->undo_at)
		settings_free(s->undo[--s->n_undo]);
	if (s->n_undo == UNDO_MAX) {
		settings_free(s->undo[0]);
		memmove(s->undo, s->undo + 1, --s->n_undo * sizeof(struct settings *));
	}
	s->undo = mem_grow(s->undo, &s->cap_undo, s->n_undo + 1, sizeof(struct settings *));
	s->undo[s->n_undo++] = before;
	s->undo_at = s->n_undo;
}

/* Exchange the current settings with those at i. */
static void swap_settings(struct shell *s, size_t i)
{
	struct settings *now = s->settings;

	assert(i < s->n_undo);
	s->settings = s->undo[i];
	s->undo[i] = now;
	shell_apply_settings(s);
}

/* Report what undo or redo changed. */
static void notify_change(struct shell *s, const char *what, const struct settings *before,
			  const struct settings *after)
{
	struct buf line = { 0 };

	option_add_change(before, after, &line);
	shell_notify(s, false, "%s: %s", what, buf_text(&line));
	buf_release(&line);
}

void shell_undo(struct shell *s)
{
	if (s->undo_at == 0) {
		shell_notify(s, false, "nothing to undo");
		return;
	}
	swap_settings(s, --s->undo_at);
	notify_change(s, "undone", s->settings, s->undo[s->undo_at]);
}

void shell_redo(struct shell *s)
{
	if (s->undo_at == s->n_undo) {
		shell_notify(s, false, "nothing to redo");
		return;
	}
	swap_settings(s, s->undo_at++);
	notify_change(s, "redone", s->undo[s->undo_at - 1], s->settings);
}

void shell_line_done(struct shell *s, int rc, const struct buf *messages, const struct err *err)
{
	static const char begun[] = "Generating report in "; /* pprof's message while a report is written */
	const char *text = buf_text(messages);

	if (rc < 0)
		shell_notify(s, rc != ERR_STOPPED, "%s", err->msg);
	else if (starts_with(text, begun))
		shell_notify(s, false, "wrote %.*s", (int)strcspn(text + sizeof(begun) - 1, "\n"),
			     text + sizeof(begun) - 1);
	else
		shell_notify(s, false, "%.*s", (int)strcspn(text, "\n"), text);
}

/* Show other data in all panes. They keep their old models until new ones are made. */
static void show_data(struct shell *s, struct shell_data *data)
{
	data_unref(s->data);
	s->data = data_ref(data);
	for (size_t i = 0; i < s->n_panes; i++)
		s->pane[i]->is_stale = true;
	shell_refresh(s, shell_pane(s));
}

void shell_reload_done(struct shell *s, int rc, struct shell_data *data, const struct buf *notes, const struct err *err)
{
	const char *note = buf_text(notes);

	if (rc < 0) {
		shell_notify(s, rc != ERR_STOPPED, "%s", err->msg);
		return;
	}
	assert(data);
	s->n_fetched++;
	show_data(s, data);
	if (*note)
		shell_notify(s, false, "%.*s", (int)strcspn(note, "\n"), note);
	else
		shell_notify(s, false, "fetched again; d shows the %s",
			     !s->show_sides           ? "change"
			     : shell_compares_last(s) ? "new profile alone"
						      : "change alone");
}

bool shell_compares_last(const struct shell *s)
{
	const struct query *q = settings_query(s->settings);

	return s->n_fetched && s->data->has_base && !q->diff_base.n && !q->base.n;
}

/* Is the program a pager or an editor, which the user leaves with a key? Other programs print and exit. */
static bool is_pager(const char *pipe)
{
	static const char *const pagers[] = { "less", "most", "vi", "vim", "nvim", "view", "nano", "emacs" };
	const char *last = pipe ? strrchr(pipe, '|') : NULL, *end;

	if (!pipe)
		return false;
	last = last ? last + 1 : pipe;
	last += strspn(last, " \t");
	end = last + strcspn(last, " \t");
	for (const char *slash; (slash = memchr(last, '/', (size_t)(end - last)));)
		last = slash + 1;
	for (size_t i = 0; i < sizeof(pagers) / sizeof(pagers[0]); i++)
		if (strlen(pagers[i]) == (size_t)(end - last) && strncmp(last, pagers[i], (size_t)(end - last)) == 0)
			return true;
	return false;
}

/* Run a line that is not a view. A line that needs the terminal runs immediately. While keys are played, there is no
   screen to pause. */
static void run_external(struct shell *s, struct line *l)
{
	const struct shell_host *host = &s->options.host;
	struct buf messages = { 0 };
	struct err err;
	int rc;

	if (!line_needs_terminal(l)) {
		if (!work_start_run(s->work, s, l))
			shell_notify(s, true, "another fetch or write is running; Esc stops it");
		return;
	}
	if (s->screen)
		screen_pause(s->screen);
	rc = host->run(host->arg, s->data, l, NULL, &messages, &err);
	if (s->screen && (rc < 0 || !is_pager(l->pipe)))
		screen_wait_key(s->screen);
	if (s->screen)
		screen_resume(s->screen);
	shell_line_done(s, rc, &messages, &err);
	buf_release(&messages);
}

static void run_report(struct shell *s, const char *text, struct line *l)
{
	if (line_is_external(l))
		run_external(s, l);
	else
		pane_open(s, l, text);
}

/* Run one line that is not a shortcut. Return false if the line was refused. */
static bool shell_shell_run_line_(struct shell *s, const char *text)
{
	struct line l;
	struct err err;

	if (line_read(text, s->settings, s->data->p, &l, &err) < 0) {
		shell_notify(s, true, "%s", err.msg);
		return false;
	}
	switch (l.kind) {
	case LINE_REPORT:
		run_report(s, text, &l);
		break;
	case LINE_OPTIONS:
		shell_options_open(s);
		break;
	case LINE_HELP:
		if (*l.topic)
			shell_help_about(s, l.topic);
		else
			shell_help_open(s);
		break;
	case LINE_EXIT:
		s->is_done = true;
		break;
	case LINE_SET: /* shell_end_step applies it */
	case LINE_NOTHING:
		break;
	}
	if (l.hint)
		shell_notify(s, false, "%s", l.hint);
	line_release(&l);
	return true;
}

void shell_begin_step(struct shell *s)
{
	if (s->step_depth++ == 0)
		s->step_start = settings_copy(s->settings);
}

void shell_end_step(struct shell *s)
{
	struct settings *before = s->step_start;

	if (--s->step_depth > 0)
		return;
	s->step_start = NULL;
	if (settings_equal(before, s->settings)) {
		settings_free(before);
		return;
	}
	push_undo(s, before);
	shell_apply_settings(s);
}

void shell_run_line(struct shell *s, const char *line, bool is_key)
{
	struct string_list lines = { 0 };
	bool fine = true;

	if (is_key) {
		s->key_line.len = 0;
		buf_addz(&s->key_line, line);
	}
	shell_begin_step(s);
	line_expand(line, s->data->p, &lines);
	for (size_t i = 0; fine && i < lines.n; i++) {
		size_t n;
		const char *text = string_list_get(&lines, i, &n);
		char *one = mem_strndup(text, n);

		fine = shell_shell_run_line_(s, one);
		free(one);
	}
	string_list_release(&lines);
	shell_end_step(s);
}

void shell_run_linef(struct shell *s, const char *fmt, ...)
{
	struct buf line = { 0 };
	va_list args;

	va_start(args, fmt);
	buf_vaddf(&line, fmt, args);
	va_end(args);
	shell_run_line(s, buf_text(&line), true);
	buf_release(&line);
}

void pane_add_selection(struct shell *s, struct pane *p, struct buf *out)
{
	if (p->model && !p->err.code && p->class->add_selection)
		p->class->add_selection(s, p, out);
}

void shell_add_selection(struct shell *s, struct buf *out)
{
	pane_add_selection(s, shell_pane(s), out);
}

bool shell_stop_work(struct shell *s)
{
	struct pane *p = shell_pane(s);
	struct work_status status;

	if (!work_get_status(s->work, &status))
		return false;
	if (status.is_task) {
		work_stop_task(s->work);
		shell_notify(s, false, "stopping");
		return true;
	}
	work_stop_model(s->work);
	if (p->is_waiting) {
		p->is_waiting = false;
		p->is_stale = true;
		if (!p->model)
			err_set(&p->err, ERR_STOPPED, "stopped; Ctrl-L restarts");
	}
	shell_notify(s, false, "stopped; Ctrl-L restarts, u undoes the change");
	return true;
}

/* Is the event an Esc that stops the work? Esc stops it only when the progress is on the screen, or when the pane
   has no model yet. */
static bool stops_work(struct shell *s, const struct event *e)
{
	struct work_status status;

	return e->kind == EVENT_KEY && e->key == KEY_ESC && work_get_status(s->work, &status) &&
	       (status.elapsed_ms >= PROGRESS_DELAY_MS || !shell_pane(s)->model);
}

/* Pass a key to the view, then to the shell. */
static void handle_key(struct shell *s, const struct event *e)
{
	struct pane *p = shell_pane(s);
	const struct binding *key = key_find(p->class->key, p->class->n_keys, e);

	if (stops_work(s, e) && shell_stop_work(s))
		return;
	if (key && p->model && !p->err.code && key_act(s, key, p, e))
		return;
	if (key && !p->model && p->is_waiting && s->n_typeahead < TYPEAHEAD_MAX) {
		s->typeahead[s->n_typeahead++] = *e;
		return;
	}
	key = key_find(shell_keys, shell_n_keys, e);
	if (key)
		key_act(s, key, p, e);
	else
		shell_notify(s, false, "this key has no function here; ? lists the keys");
}

/* Handle keys that were typed before the view had a model, once it has one or its work has ended. */
static void replay_typeahead(struct shell *s)
{
	struct pane *p = shell_pane(s);
	size_t n = s->n_typeahead;

	if (n == 0 || (p->is_waiting && !p->model))
		return;
	s->n_typeahead = 0;
	for (size_t i = 0; p->model && i < n && p == shell_pane(s); i++)
		handle_key(s, &s->typeahead[i]);
}

static void handle_mouse(struct shell *s, const struct event *e)
{
	struct pane *p = shell_pane(s);
	struct event inside = *e;

	if (frame_click(s, e))
		return;
	if (e->kind == EVENT_RIGHT) { /* a right click anywhere is Backspace */
		handle_key(s, &(struct event){ .kind = EVENT_KEY, .key = KEY_ERASE });
		return;
	}
	inside.x -= p->area.x;
	inside.y -= p->area.y;
	if (p->class->mouse && p->model && !p->err.code && inside.x >= 0 && inside.x < p->area.width && inside.y >= 0 &&
	    inside.y < p->area.height)
		p->class->mouse(s, p, &inside);
}

/* Pasted input is text: none of its keys runs a line or closes the prompt. */
static struct event pasted_text(const struct event *e)
{
	struct event text = *e;

	if (e->key < ' ' || e->key == KEY_ERASE || e->key >= KEY_FIRST)
		text.key = ' ';
	return text;
}

void shell_handle(struct shell *s, const struct event *e)
{
	struct event text;

	switch (e->kind) {
	case EVENT_RESIZE:
		grid_resize(&s->grid, e->x, e->y);
		return;
	case EVENT_WAKE:
		s->n_wakes++;
		while (work_take(s->work, s))
			;
		replay_typeahead(s);
		return;
	case EVENT_STOP:
		s->is_done = true;
		return;
	case EVENT_NONE:
		return;
	default:
		break;
	}
	s->message.len = 0;
	s->message_is_error = false;
	if (e->is_pasted) {
		if (!s->overlay)
			prompt_open(s, "");
		text = pasted_text(e);
		e = &text;
	}
	if (s->overlay && s->overlay->class->key(s, s->overlay, e))
		return;
	if (e->kind == EVENT_KEY)
		handle_key(s, e);
	else
		handle_mouse(s, e);
}
