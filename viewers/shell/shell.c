/*
 * shell.c - the state of the shell, and what lines and events do to it
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/shell/shell_int.h"

#include "base/mem.h"
#include "base/str.h"
#include "base/texts.h"
#include "session/kept.h"
#include "viewers/shell/option.h"
#include "viewers/shell/screen.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNDO_MAX = 200 };

struct shell_data *data_hold(struct shell_data *d)
{
	d->n_refs++;
	return d;
}

void data_drop(struct shell_data *d)
{
	assert(!d || d->n_refs > 0);
	if (!d || --d->n_refs)
		return;
	if (d->sides != d->p)
		profile_free(d->sides);
	profile_free(d->p);
	free(d);
}

int shell_new(const struct shell_open *open, int width, int height, struct shell **out, struct err *err)
{
	struct shell *s = mem_zalloc(1, sizeof(*s));

	if (work_new(&s->work, err) < 0) {
		free(s);
		data_drop(data_hold(open->data));
		return ERR_IO;
	}
	s->open = *open;
	s->data = data_hold(open->data);
	s->now = settings_new(open->q);
	s->kept = kept_open(open->kept);
	s->mouse = open->mouse;
	s->two_sides = open->data->has_base;
	s->depth = DEPTH_NONE;
	s->chip = -1;
	grid_resize(&s->grid, width, height);
	shell_line(s, open->line, false);
	if (s->n_panes == 0) /* an option of the command line is wrong, which has been said */
		shell_line(s, "top", false);
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
	settings_free(s->now);
	kept_free(s->kept);
	frame_forget_hits(s);
	free(s->hit);
	buf_release(&s->said);
	buf_release(&s->shown_line);
	texts_release(&s->typed);
	texts_release(&s->searched);
	grid_release(&s->grid);
	data_drop(s->data);
	free(s);
}

void shell_say(struct shell *s, bool is_error, const char *fmt, ...)
{
	va_list ap;
	char text[2048];

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	s->said.len = 0;
	buf_addz(&s->said, text);
	s->said_is_error = is_error;
}

void shell_add(struct shell *s, const char *fmt, ...)
{
	va_list ap;
	char text[2048];

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (s->said.len)
		buf_addz(&s->said, "; ");
	buf_addz(&s->said, text);
}

/* Settings have changed: the panes are to be made anew, the shown one now. */
static void follow_settings(struct shell *s)
{
	for (size_t i = 0; i < s->n_panes; i++)
		s->pane[i]->is_stale = true;
	if (s->n_panes)
		shell_refresh(s, shell_pane(s));
}

/* What was is pushed; what had been undone is gone. */
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

/* Change places with what is kept at i. */
static void swap_settings(struct shell *s, size_t i)
{
	struct settings *now = s->now;

	assert(i < s->n_undo);
	s->now = s->undo[i];
	s->undo[i] = now;
	follow_settings(s);
}

/* What a step changed, as the line that does. */
static void say_change(struct shell *s, const char *what, const struct settings *before, const struct settings *after)
{
	struct buf line = { 0 };

	option_add_change(before, after, &line);
	shell_say(s, false, "%s: %s", what, buf_text(&line));
	buf_release(&line);
}

void shell_undo(struct shell *s)
{
	if (s->undo_at == 0) {
		shell_say(s, false, "nothing to undo");
		return;
	}
	swap_settings(s, --s->undo_at);
	say_change(s, "undone", s->now, s->undo[s->undo_at]);
}

void shell_redo(struct shell *s)
{
	if (s->undo_at == s->n_undo) {
		shell_say(s, false, "nothing to do again");
		return;
	}
	swap_settings(s, s->undo_at++);
	say_change(s, "done again", s->undo[s->undo_at - 1], s->now);
}

void shell_ran(struct shell *s, int rc, const struct buf *said, const struct err *err)
{
	static const char begun[] = "Generating report in "; /* pprof's words; here it is done */
	const char *text = buf_text(said);

	if (rc < 0)
		shell_say(s, rc != ERR_STOPPED, "%s", err->msg);
	else if (starts_with(text, begun))
		shell_say(s, false, "wrote %.*s", (int)strcspn(text + sizeof(begun) - 1, "\n"),
			  text + sizeof(begun) - 1);
	else
		shell_say(s, false, "%.*s", (int)strcspn(text, "\n"), text);
}

/* Show other data in all panes. Their models of the old data stay until new ones are made. */
static void show_data(struct shell *s, struct shell_data *data)
{
	data_drop(s->data);
	s->data = data_hold(data);
	for (size_t i = 0; i < s->n_panes; i++)
		s->pane[i]->is_stale = true;
	shell_refresh(s, shell_pane(s));
}

void shell_fetched(struct shell *s, int rc, struct shell_data *data, const struct buf *notes, const struct err *err)
{
	const char *note = buf_text(notes);

	if (rc < 0) {
		shell_say(s, rc != ERR_STOPPED, "%s", err->msg);
		return;
	}
	assert(data);
	s->n_fetched++;
	s->two_sides = data->has_base;
	show_data(s, data);
	if (*note)
		shell_say(s, false, "%.*s", (int)strcspn(note, "\n"), note);
	else
		shell_say(s, false, "fetched again; d shows the %s alone",
			  shell_has_last(s) ? "new profile" : "difference");
}

bool shell_has_last(const struct shell *s)
{
	const struct query *q = settings_query(s->now);

	return s->n_fetched && s->data->has_base && !q->diff_base.n && !q->base.n;
}

/* Does a program keep the screen until its user has read it? Others print and are gone. */
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

/* A line that is no view. One that has the terminal runs now; a script that plays keys has none to give. */
static void run_outside(struct shell *s, struct line *l)
{
	const struct shell_host *host = &s->open.host;
	struct buf said = { 0 };
	struct err err;
	int rc;

	if (!line_needs_terminal(l)) {
		if (!work_start_run(s->work, s, l))
			shell_say(s, true, "something is being written or fetched; Esc stops it");
		return;
	}
	if (s->screen)
		screen_pause(s->screen);
	rc = host->run(host->arg, s->data, l, NULL, &said, &err);
	if (s->screen && (rc < 0 || !is_pager(l->pipe)))
		screen_linger(s->screen);
	if (s->screen)
		screen_resume(s->screen);
	shell_ran(s, rc, &said, &err);
	buf_release(&said);
}

static void run_report(struct shell *s, const char *text, struct line *l)
{
	if (line_is_outside(l))
		run_outside(s, l);
	else
		pane_open(s, l, text);
}

/* One line that is no shortcut. Gives false when it was wrong. */
static bool run_line(struct shell *s, const char *text)
{
	struct line l;
	struct err err;

	if (line_read(text, s->now, s->data->p, &l, &err) < 0) {
		shell_say(s, true, "%s", err.msg);
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
		if (*l.words)
			help_about(s, l.words);
		else
			help_open(s);
		break;
	case LINE_EXIT:
		s->is_done = true;
		break;
	case LINE_SET: /* shell_end sees to it */
	case LINE_NOTHING:
		break;
	}
	if (l.hint)
		shell_say(s, false, "%s", l.hint);
	line_release(&l);
	return true;
}

void shell_begin(struct shell *s)
{
	if (s->n_begun++ == 0)
		s->begun = settings_copy(s->now);
}

void shell_end(struct shell *s)
{
	struct settings *before = s->begun;

	if (--s->n_begun > 0)
		return;
	s->begun = NULL;
	if (settings_equal(before, s->now)) {
		settings_free(before);
		return;
	}
	push_undo(s, before);
	follow_settings(s);
}

void shell_line(struct shell *s, const char *line, bool is_key)
{
	struct texts lines = { 0 };
	bool fine = true;

	if (is_key) {
		s->shown_line.len = 0;
		buf_addz(&s->shown_line, line);
	}
	shell_begin(s);
	line_expand(line, s->data->p, &lines);
	for (size_t i = 0; fine && i < lines.n; i++) {
		size_t n;
		const char *text = texts_at(&lines, i, &n);
		char *one = mem_strndup(text, n);

		fine = run_line(s, one);
		free(one);
	}
	texts_release(&lines);
	shell_end(s);
}

void shell_linef(struct shell *s, const char *fmt, ...)
{
	struct buf line = { 0 };
	va_list args;

	va_start(args, fmt);
	buf_vaddf(&line, fmt, args);
	va_end(args);
	shell_line(s, buf_text(&line), true);
	buf_release(&line);
}

void pane_subject(struct shell *s, struct pane *p, struct buf *out)
{
	if (p->model && !p->err.code && p->class->subject)
		p->class->subject(s, p, out);
}

void shell_subject(struct shell *s, struct buf *out)
{
	pane_subject(s, shell_pane(s), out);
}

bool shell_stop_work(struct shell *s)
{
	struct pane *p = shell_pane(s);
	struct doing doing;

	if (!work_doing(s->work, &doing))
		return false;
	if (doing.is_errand) {
		work_stop_errand(s->work);
		shell_say(s, false, "stopping");
		return true;
	}
	work_stop_model(s->work);
	if (p->is_waiting) {
		p->is_waiting = false;
		p->is_stale = true;
		if (!p->model)
			err_set(&p->err, ERR_STOPPED, "stopped; Ctrl-L goes on");
	}
	shell_say(s, false, "stopped; Ctrl-L goes on, u takes the change back");
	return true;
}

/* Is it Esc, where the screen says that it stops what is under way, or will soon? */
static bool stops_work(struct shell *s, const struct event *e)
{
	struct doing doing;

	return e->kind == EVENT_KEY && e->key == KEY_ESC && work_doing(s->work, &doing) &&
	       (doing.ms >= SOON_MS || !shell_pane(s)->model);
}

/* Keys go to the topmost overlay, the view, the shell. */
static void handle_key(struct shell *s, const struct event *e)
{
	struct pane *p = shell_pane(s);
	const struct binding *key = key_find(p->class->key, p->class->n_keys, e);

	if (stops_work(s, e) && shell_stop_work(s))
		return;
	if (key && p->model && !p->err.code && key->act(s, p, e))
		return;
	if (key && !p->model && p->is_waiting && s->n_ahead < AHEAD_MAX) {
		s->ahead[s->n_ahead++] = *e;
		return;
	}
	key = key_find(shell_keys, shell_n_keys, e);
	if (key)
		key->act(s, p, e);
}

/* What was typed ahead of a view that is there now, or that will never be. */
static void catch_up(struct shell *s)
{
	struct pane *p = shell_pane(s);
	size_t n = s->n_ahead;

	if (n == 0 || (p->is_waiting && !p->model))
		return;
	s->n_ahead = 0;
	for (size_t i = 0; p->model && i < n && p == shell_pane(s); i++)
		handle_key(s, &s->ahead[i]);
}

static void handle_mouse(struct shell *s, const struct event *e)
{
	struct pane *p = shell_pane(s);
	struct event inside = *e;

	if (frame_click(s, e))
		return;
	if (e->kind == EVENT_RIGHT) { /* whatever lies there */
		handle_key(s, &(struct event){ .kind = EVENT_KEY, .key = KEY_ERASE });
		return;
	}
	inside.x -= p->area.x;
	inside.y -= p->area.y;
	if (p->class->mouse && p->model && !p->err.code && inside.x >= 0 && inside.x < p->area.width && inside.y >= 0 &&
	    inside.y < p->area.height)
		p->class->mouse(s, p, &inside);
}

/* What was pasted is text: no key in it runs a line or leaves the prompt. */
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
		catch_up(s);
		return;
	case EVENT_STOP:
		s->is_done = true;
		return;
	case EVENT_NONE:
		return;
	default:
		break;
	}
	s->said.len = 0;
	s->said_is_error = false;
	if (e->pasted) {
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
