/*
 * view_text.c - any report as it prints, line by line
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * For reports that have no view of their own.
 */
#include "config.h"

#include "viewers/shell/find.h"
#include "viewers/shell/shell_int.h"

#include "answer/draw.h"
#include "answer/make.h"
#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct text_state {
	struct list list;
	struct find *find; /* NULL: nothing is searched for */
	uint32_t from;     /* the line where the search began */
};

/* Where lines begin; in the model's arena. */
struct text_lines {
	uint32_t n;
	size_t *at;
};

static const char *next_line(const char *line, const char *end)
{
	const char *stop = memchr(line, '\n', (size_t)(end - line));

	return stop ? stop + 1 : end;
}

/* Texts can have millions of lines. */
static int find_lines(const struct buf *text, struct stop *stop, struct arena *mem, struct text_lines *lines,
		      struct err *err)
{
	const char *start = buf_text(text), *end = start + text->len;
	const char *c = start;
	uint32_t n = 0;

	for (; c < end && !stop_step(stop, n); n++)
		c = next_line(c, end);
	lines->at = arena_alloc(mem, n, sizeof(*lines->at));
	for (c = start; lines->n < n; c = next_line(c, end))
		lines->at[lines->n++] = (size_t)(c - start);
	return stop_check(stop, err);
}

static int make(const struct ask *a, struct model *m, struct err *err)
{
	struct text_lines *lines = arena_zalloc(m->mem, 1, sizeof(*lines));
	struct answer answer = { 0 };
	int rc = answer_check(a->type, a->q, err);

	m->own = lines;
	if (rc == 0)
		rc = answer_make(a->data->p, a->type, a->q, a->open->from, false, &answer, err);
	if (rc == 0)
		answer_add_text(&answer, &m->text);
	buf_add(&m->notes, buf_text(&answer.notes), answer.notes.len);
	answer_release(&answer);
	return rc < 0 ? rc : find_lines(&m->text, a->q->stop, m->mem, lines, err);
}

/* Line i, without its end; the caller frees. */
static char *line_at(const struct pane *p, uint32_t i)
{
	const struct text_lines *lines = p->model->own;
	const char *start = buf_text(&p->model->text) + lines->at[i];

	assert(i < lines->n);
	return mem_strndup(start, strcspn(start, "\n"));
}

static bool has_match(const struct pane *p, uint32_t i)
{
	const struct text_state *state = p->state;
	char *line = line_at(p, i);
	bool yes = find_in(state->find, line);

	free(line);
	return yes;
}

static void draw(struct shell *s, struct pane *p, struct grid *g, struct area a)
{
	struct text_state *state = p->state;
	const struct text_lines *lines = p->model->own;

	(void)s;
	shell_list_fit(&state->list, lines->n, a.height);
	for (int y = 0; y < a.height && state->list.top + (uint32_t)y < lines->n; y++) {
		uint32_t i = state->list.top + (uint32_t)y;
		char *line = line_at(p, i);
		struct look look = theme_look(state->find && find_in(state->find, line) ? LOOK_MATCH : LOOK_PLAIN);

		if (i == state->list.at)
			look = theme_selected(look);

		grid_text(g, a, -state->list.left, y, line, look);
		free(line);
	}
	shell_list_draw_bar(&state->list, g, a, theme_look(LOOK_PLAIN));
}

static bool mouse(struct shell *s, struct pane *p, const struct event *e)
{
	struct text_state *state = p->state;
	uint32_t row;

	(void)s;
	if (e->kind == EVENT_CLICK && shell_list_row_at(&state->list, e->y, &row)) {
		shell_list_go(&state->list, row);
		return true;
	}
	return shell_list_key(&state->list, e);
}

static bool move(struct shell *s, struct pane *p, const struct event *e)
{
	struct text_state *state = p->state;

	(void)s;
	return shell_list_key(&state->list, e);
}

/* Go to the first match from a line on, by steps of 1 or -1, around the end. */
static void find_from(struct shell *s, struct pane *p, uint32_t from, int by)
{
	struct text_state *state = p->state;
	uint32_t n = state->list.n;

	for (uint32_t i = 0, at = from; i < n; i++) {
		if (has_match(p, at)) {
			shell_list_go(&state->list, at);
			return;
		}
		at = by > 0 ? (at + 1) % n : (at + n - 1) % n;
	}
	shell_say(s, false, "no line has it");
}

static void search(struct shell *s, struct pane *p, const char *text)
{
	struct text_state *state = p->state;

	if (!state->find)
		state->from = state->list.at;
	find_set(&state->find, text);
	if (state->find)
		find_from(s, p, state->from < state->list.n ? state->from : 0, 1);
}

static bool next_match(struct shell *s, struct pane *p, const struct event *e)
{
	const struct text_state *state = p->state;
	uint32_t n = state->list.n, at = state->list.at;

	if (!state->find)
		shell_say(s, false, "/ searches");
	else if (n)
		find_from(s, p, e->key == 'N' ? (at + n - 1) % n : (at + 1) % n, e->key == 'N' ? -1 : 1);
	return true;
}

static void shown(struct shell *s, struct pane *p)
{
	struct text_state *state = p->state;
	const struct text_lines *lines = p->model->own;

	(void)s;
	state->list.n = lines->n;
	shell_list_go(&state->list, state->list.at);
}

static void end(struct pane *p)
{
	find_free(((struct text_state *)p->state)->find);
}

static const struct binding keys[] = {
	{ "n N", "next line that has what / searches for, the one before", NULL, NULL, next_match },
	{ "j k Up Down PageUp PageDown Ctrl-D Ctrl-U g G Home End h l Left Right", "move", NULL, NULL, move },
};

const struct pane_class shell_view_text = {
	.title = "Text",
	.explain = "The report as it prints. A command with | or > at the prompt gives it to a program or a file.",
	.key = keys,
	.n_keys = sizeof(keys) / sizeof(keys[0]),
	.state_size = sizeof(struct text_state),
	.make = make,
	.shown = shown,
	.draw = draw,
	.mouse = mouse,
	.search = search,
	.end = end,
};
