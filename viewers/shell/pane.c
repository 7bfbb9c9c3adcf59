/*
 * pane.c - views of the profile, and the way from one to the next
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/shell/shell_int.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { PANES_MAX = 100 };

void pane_free(struct pane *p)
{
	if (p->class->end)
		p->class->end(p);
	model_free(p->model);
	settings_free(p->ask);
	free(p->state);
	buf_release(&p->part);
	free(p->search);
	free(p->line);
	free(p);
}

struct pane *shell_pane(const struct shell *s)
{
	return s->pane[s->at];
}

/* The views of reports. */
static const struct pane_class *const views[N_REPORT_VIEWS] = {
	[VIEW_TEXT] = &shell_view_text,    [VIEW_TOP] = &shell_view_top,       [VIEW_CALLERS] = &shell_view_calls,
	[VIEW_TREE] = &shell_view_tree,    [VIEW_FLAME] = &shell_view_flame,   [VIEW_SOURCE] = &shell_view_source,
	[VIEW_ASSEMBLY] = &shell_view_asm, [VIEW_TRACES] = &shell_view_traces, [VIEW_LABELS] = &shell_view_labels,
};

void shell_refresh(struct shell *s, struct pane *p)
{
	struct settings *now = settings_copy(s->now);
	struct line l = { 0 };

	p->err.code = 0;
	if (line_read(p->line, now, s->data->p, &l, &p->err) == 0) {
		settings_free(p->ask);
		p->ask = settings_copy(l.ask);
		if (l.is_ten) /* one can scroll here */
			settings_assign(p->ask, s->data->p, "nodecount", "-1", NULL);
		line_release(&l);
		p->made_width = p->area.width;
		work_start(s->work, s, p);
	} else if (p->is_waiting) { /* what is made answers a question that is no more */
		work_stop_model(s->work);
		p->is_waiting = false;
	}
	settings_free(now);
}

void pane_take(struct shell *s, struct pane *p, int rc, struct model *m, bool is_part, const struct err *err)
{
	size_t n = strcspn(buf_text(&m->notes), "\n");
	bool is_first;

	p->is_waiting = false;
	if (rc == ERR_STOPPED) {
		model_free(m);
		return;
	}
	if (n && !s->said_is_error)
		shell_add(s, "%.*s", (int)n, buf_text(&m->notes));
	if (rc < 0) {
		if (is_part) /* the whole is there */
			shell_say(s, true, "%s", err->msg);
		else
			p->err = *err;
		model_free(m);
		return;
	}
	p->err.code = 0;
	s->has_news = true;
	if (is_part) {
		p->class->take_part(s, p, m);
		return;
	}
	is_first = !p->model;
	model_free(p->model);
	p->model = m;
	if (p->class->shown)
		p->class->shown(s, p);
	if (is_first && *p->search && p->class->search)
		p->class->search(s, p, p->search);
}

/* Show pane i; made anew when it is old. */
static void go_to(struct shell *s, size_t i)
{
	struct pane *p;

	if (s->n_panes > s->at && s->pane[s->at]->is_waiting) {
		work_stop_model(s->work);
		s->pane[s->at]->is_waiting = false;
		s->pane[s->at]->is_stale = true;
	}
	s->at = i;
	s->n_ahead = 0;
	p = s->pane[i];
	if (!p->model || p->is_stale)
		shell_refresh(s, p);
}

void shell_back(struct shell *s)
{
	if (s->at > 0)
		go_to(s, s->at - 1);
	else
		shell_say(s, false, "this is where you began; q quits");
}

void shell_forward(struct shell *s)
{
	if (s->at + 1 < s->n_panes)
		go_to(s, s->at + 1);
}

/* What lay ahead is given up, and so is the oldest when there are too many. */
static void cut_way(struct shell *s)
{
	while (s->n_panes > s->at + 1)
		pane_free(s->pane[--s->n_panes]);
	if (s->n_panes == PANES_MAX) {
		pane_free(s->pane[0]);
		memmove(s->pane, s->pane + 1, --s->n_panes * sizeof(struct pane *));
		s->at--;
	}
}

static struct pane *pane_new(const struct line *l, const char *line)
{
	struct pane *p = mem_zalloc(1, sizeof(*p));

	assert(l->kind == LINE_REPORT && l->report->view < N_REPORT_VIEWS);
	p->class = settings_query(l->ask)->shape == FORMAT_TEXT ? views[l->report->view] : &shell_view_text;
	p->type = l->report;
	p->line = mem_strndup(line, strlen(line));
	p->search = mem_strndup("", 0);
	p->state = mem_zalloc(1, p->class->state_size ? p->class->state_size : 1);
	return p;
}

/* A pane that the same line made keeps its state: it comes to the end of the way. */
static bool find_again(struct shell *s, const char *line)
{
	for (size_t i = s->n_panes; i-- > 0;) {
		struct pane *p = s->pane[i];

		if (strcmp(p->line, line) != 0)
			continue;
		memmove(s->pane + i, s->pane + i + 1, (s->n_panes - i - 1) * sizeof(struct pane *));
		s->pane[s->n_panes - 1] = p;
		if (i < s->at)
			s->at--;
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
		cut_way(s);
	if (!reports_takes_pattern(l->report) &&
	    find_again(s, line)) /* walking from function to function is a way of its own */
		return;
	s->pane = mem_grow(s->pane, &s->cap_panes, s->n_panes + 1, sizeof(struct pane *));
	s->pane[s->n_panes++] = pane_new(l, line);
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

static void add_source(const char *word, struct buf *out)
{
	buf_addz(out, *word == '-' ? " ./" : " "); /* no option, whatever it is called */
	settings_add_word(word, out);
}

void shell_add_command(struct shell *s, struct pane *p, struct buf *out)
{
	const char *pattern = settings_query(p->ask)->pattern;

	buf_addf(out, "cpa %s", p->type->name);
	settings_add_arguments(p->ask, out);
	if (reports_takes_pattern(p->type)) {
		buf_addz(out, *pattern == '-' ? " -- " : " ");
		settings_add_word(pattern, out);
	}
	if (s->open.binary)
		add_source(s->open.binary, out);
	for (size_t i = 0; i < s->open.from[SIDE_TARGET].n; i++)
		add_source(s->open.from[SIDE_TARGET].source[i], out);
}
