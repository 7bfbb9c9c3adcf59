/*
 * text.c - any report as pprof prints it, line by line
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Shows reports that have no view of their own.
 */
#include "config.h"

#include "front/shell/widgets/find.h"
#include "front/shell/state.h"

#include "answer/answer.h"
#include "answer/draw.h"
#include "base/mem.h"
#include "engine/query.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct text_state {
	struct list list;
	struct find *find;  /* NULL: no search */
	uint32_t find_from; /* the line where the search began */
};

/* The offsets of lines; in the model's arena. */
struct text_lines {
	uint32_t n;
	size_t *at;
};

static const char *next_line(const char *line, const char *end)
{
	const char *stop = memchr(line, '\n', (size_t)(end - line));

	return stop ? stop + 1 : end;
}

/* Find the offsets of lines. There can be millions, so this can be stopped. */
static int view_text_find_lines(const struct buf *text, struct stop *stop, struct arena *mem, struct text_lines *lines,
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

static int view_text_make(const struct model_request *a, struct model *m, struct err *err)
{
	struct text_lines *lines = arena_zalloc(m->mem, 1, sizeof(*lines));
	struct answer answer = { 0 };
	int rc = answer_check(a->type, a->q, err);

	m->view_data = lines;
	if (rc == 0)
		rc = answer_make(a->joined, a->type, a->q, a->options->sources, false, &answer, err);
	if (rc == 0)
		answer_add_text(&answer, &m->text);
	buf_add(&m->notes, buf_text(&answer.notes), answer.notes.len);
	answer_release(&answer);
	return rc < 0 ? rc : view_text_find_lines(&m->text, a->q->stop, m->mem, lines, err);
}

/* Line i, without its newline; the caller frees. */
static char *line_at(const struct pane *p, uint32_t i)
{
	const struct text_lines *lines = p->model->view_data;
	const char *start = buf_text(&p->model->text) + lines->at[i];

	assert(i < lines->n);
	return mem_strndup(start, strcspn(start, "\n"));
}

static bool has_match(const struct pane *p, uint32_t i)
{
	const struct text_state *state = p->state;
	char *line = line_at(p, i);
	bool yes = find_matches(state->find, line);

	free(line);
	return yes;
}

static void view_text_draw(struct shell *s, struct pane *p, struct grid *g, struct area a)
{
	struct text_state *state = p->state;
	const struct text_lines *lines = p->model->view_data;

	(void)s;
	shell_list_fit(&state->list, lines->n, a.height);
	for (int y = 0; y < a.height && state->list.top + (uint32_t)y < lines->n; y++) {
		uint32_t i = state->list.top + (uint32_t)y;
		char *line = line_at(p, i);
		struct style style =
			theme_style(state->find && find_matches(state->find, line) ? ROLE_MATCH : ROLE_PLAIN);

		if (i == state->list.selected)
			style = theme_selected(style);

		grid_text(g, a, -state->list.scroll_x, y, line, style);
		free(line);
	}
	shell_list_draw_bar(&state->list, g, a, theme_style(ROLE_PLAIN));
}

static bool view_text_mouse(struct shell *s, struct pane *p, const struct event *e)
{
	struct text_state *state = p->state;
	uint32_t row;

	(void)s;
	if (e->kind == EVENT_CLICK && shell_list_row_at(&state->list, e->y, &row)) {
		shell_list_select(&state->list, row);
		return true;
	}
	return shell_list_key(&state->list, e);
}

static bool view_text_move(struct shell *s, struct pane *p, const struct event *e)
{
	struct text_state *state = p->state;

	(void)s;
	return shell_list_key(&state->list, e);
}

/* Select the first match from a line on, in steps of 1 or -1, wrapping around. */
static void find_from(struct shell *s, struct pane *p, uint32_t from, int by)
{
	struct text_state *state = p->state;
	uint32_t n = state->list.n;

	for (uint32_t i = 0, at = from; i < n; i++) {
		if (has_match(p, at)) {
			shell_list_select(&state->list, at);
			return;
		}
		at = by > 0 ? (at + 1) % n : (at + n - 1) % n;
	}
	shell_notify(s, false, "no match");
}

static void view_text_search(struct shell *s, struct pane *p, const char *text)
{
	struct text_state *state = p->state;

	if (!state->find)
		state->find_from = state->list.selected;
	find_set(&state->find, text);
	if (state->find)
		find_from(s, p, state->find_from < state->list.n ? state->find_from : 0, 1);
}

static bool view_text_next_match(struct shell *s, struct pane *p, const struct event *e)
{
	const struct text_state *state = p->state;
	uint32_t n = state->list.n, at = state->list.selected;

	if (!state->find)
		shell_notify(s, false, "press / to search");
	else if (n)
		find_from(s, p, e->key == 'N' ? (at + n - 1) % n : (at + 1) % n, e->key == 'N' ? -1 : 1);
	return true;
}

static void view_text_model_changed(struct shell *s, struct pane *p)
{
	struct text_state *state = p->state;
	const struct text_lines *lines = p->model->view_data;

	(void)s;
	state->list.n = lines->n;
	shell_list_select(&state->list, state->list.selected);
}

static void view_text_release_state(struct pane *p)
{
	find_free(((struct text_state *)p->state)->find);
}

static const struct binding keys[] = {
	{ "n N", "next and previous match", NULL, NULL, .act = view_text_next_match },
	{ "j k Up Down PageUp PageDown Ctrl-D Ctrl-U g G Home End h l Left Right", "move", NULL, NULL,
	  .act = view_text_move },
};

const struct pane_class shell_view_text = {
	.title = "Text",
	.help = "The report as printed. At the prompt, | pipes it to a program and > writes it to a file.",
	.key = keys,
	.n_keys = sizeof(keys) / sizeof(keys[0]),
	.state_size = sizeof(struct text_state),
	.make = view_text_make,
	.model_changed = view_text_model_changed,
	.draw = view_text_draw,
	.mouse = view_text_mouse,
	.search = view_text_search,
	.release = view_text_release_state,
};
