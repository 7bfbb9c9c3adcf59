/*
 * pane.c - views of the profile, and moving between them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/shell/state.h"

#include "base/mem.h"
#include "engine/query.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { PANES_MAX = 100 };

void pane_free(struct pane *p)
{
	if (p->class->release)
		p->class->release(p);
	model_free(p->model);
	settings_free(p->settings);
	free(p->state);
	buf_release(&p->part);
	free(p->search);
	free(p->line);
	free(p);
}

struct pane *shell_pane(const struct shell *s)
{
	return s->pane[s->current];
}

void shell_refresh(struct shell *s, struct pane *p)
{
	struct settings *settings = settings_copy(s->settings);
	struct line l = { 0 };

	p->err.code = 0;
	if (line_read(p->line, settings, s->data->p, &l, &p->err) == 0) {
		settings_free(p->settings);
		p->settings = settings_copy(l.settings);
		if (l.is_default_count) /* show all rows, since the view scrolls */
			settings_assign(p->settings, s->data->p, "nodecount", "-1", NULL);
		line_release(&l);
		p->model_width = p->area.width;
		work_start(s->work, s, p);
	} else if (p->is_waiting) { /* the model being made is no longer needed */
		work_stop_model(s->work);
		p->is_waiting = false;
	}
	settings_free(settings);
}

void pane_set_model(struct shell *s, struct pane *p, int rc, struct model *m, bool is_part, const struct err *err)
{
	size_t n = strcspn(buf_text(&m->notes), "\n");
	bool is_first;

	p->is_waiting = false;
	if (rc == ERR_STOPPED) {
		model_free(m);
		return;
	}
	if (n && !s->message_is_error)
		shell_notify_more(s, "%.*s", (int)n, buf_text(&m->notes));
	if (rc < 0) {
		if (is_part) /* the pane continues to show the whole report */
			shell_notify(s, true, "%s", err->msg);
		else
			p->err = *err;
		model_free(m);
		return;
	}
	p->err.code = 0;
	s->has_new_model = true;
	if (is_part) {
		p->class->set_part(s, p, m);
		return;
	}
	is_first = !p->model;
	model_free(p->model);
	p->model = m;
	if (p->class->model_changed)
		p->class->model_changed(s, p);
	if (is_first && *p->search && p->class->search)
		p->class->search(s, p, p->search);
}

/* Show pane i, and update it if it is outdated. */
static void go_to(struct shell *s, size_t i)
{
	struct pane *p;

	if (s->n_panes > s->current && s->pane[s->current]->is_waiting) {
		work_stop_model(s->work);
		s->pane[s->current]->is_waiting = false;
		s->pane[s->current]->is_stale = true;
	}
	s->current = i;
	s->n_typeahead = 0;
	p = s->pane[i];
	if (!p->model || p->is_stale)
		shell_refresh(s, p);
}

void shell_back(struct shell *s)
{
	s->key_line.len = 0; /* show the line of that view in the prompt */
	if (s->current > 0)
		go_to(s, s->current - 1);
	else
		shell_notify(s, false, "this is the first view; press q to quit");
}

void shell_forward(struct shell *s)
{
	s->key_line.len = 0;
	if (s->current + 1 < s->n_panes)
		go_to(s, s->current + 1);
}

/* Drop the panes after the current one, and the oldest pane if there are too many. */
static void drop_panes(struct shell *s)
{
	while (s->n_panes > s->current + 1)
		pane_free(s->pane[--s->n_panes]);
	if (s->n_panes == PANES_MAX) {
		pane_free(s->pane[0]);
		memmove(s->pane, s->pane + 1, --s->n_panes * sizeof(struct pane *));
		s->current--;
	}
}

static struct pane *pane_new(const struct shell *s, const struct line *l, const char *line)
{
	struct pane *p = mem_zalloc(1, sizeof(*p));

	assert(l->kind == LINE_REPORT && l->report->view < N_REPORT_VIEWS);
	p->class = s->options.views[settings_query(l->settings)->shape == FORMAT_TEXT ? l->report->view : VIEW_TEXT];
	p->type = l->report;
	p->line = mem_strndup(line, strlen(line));
	p->search = mem_strndup("", 0);
	p->state = mem_zalloc(1, p->class->state_size ? p->class->state_size : 1);
	return p;
}

/* Move a pane with the same line, and its state, to the end. Return false when there is none. */
static bool reopen(struct shell *s, const char *line)
{
	for (size_t i = s->n_panes; i-- > 0;) {
		struct pane *p = s->pane[i];

		if (strcmp(p->line, line) != 0)
			continue;
		memmove(s->pane + i, s->pane + i + 1, (s->n_panes - i - 1) * sizeof(struct pane *));
		s->pane[s->n_panes - 1] = p;
		if (i < s->current)
			s->current--;
		go_to(s, s->n_panes - 1);
		return true;
	}
	return false;
}

void pane_open(struct shell *s, const struct line *l, const char *line)
{
	while (*line == ' ' || *line == '\t')
		line++;
	if (s->n_panes && strcmp(shell_pane(s)->line, line) == 0 && !shell_pane(s)->is_stale)
		return;
	if (s->n_panes)
		drop_panes(s);
	if (!reports_takes_pattern(l->report) && reopen(s, line)) /* each function gets its own pane */
		return;
	s->pane = mem_grow(s->pane, &s->cap_panes, s->n_panes + 1, sizeof(struct pane *));
	s->pane[s->n_panes++] = pane_new(s, l, line);
	s->pane[s->n_panes - 1]->area = frame_body(s);
	go_to(s, s->n_panes - 1);
}

void pane_search(struct shell *s, struct pane *p, const char *text)
{
	char *own = mem_strndup(text, strlen(text));

	free(p->search);
	p->search = own;
	if (p->class->search && p->model)
		p->class->search(s, p, text);
}

static void pane_add_source(const char *word, struct buf *out)
{
	buf_addz(out, *word == '-' ? " ./" : " "); /* a file name with a leading - must not be read as an option */
	settings_add_word(word, out);
}

void shell_add_command(struct shell *s, struct pane *p, struct buf *out)
{
	const char *pattern = settings_query(p->settings)->pattern;

	buf_addf(out, "cpa %s", p->type->name);
	settings_add_arguments(p->settings, p->type, out);
	if (reports_takes_pattern(p->type)) {
		buf_addz(out, *pattern == '-' ? " -- " : " ");
		settings_add_word(pattern, out);
	}
	if (s->options.binary)
		pane_add_source(s->options.binary, out);
	for (size_t i = 0; i < s->options.sources[SIDE_NEW].n; i++)
		pane_add_source(s->options.sources[SIDE_NEW].source[i], out);
}
