/*
 * view_text.c - any report as it prints, line by line
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * For reports that have no view of their own.
 */
#include "config.h"

#include "viewers/shell/shell_int.h"

#include "base/regex.h"

#include <string.h>

struct text_state {
	struct list list;
};

/* Where lines begin; in the model's arena. */
struct text_lines {
	uint32_t n;
	size_t *at;
};

static int make(const struct ask *a, struct model *m, struct err *err)
{
	int rc = a->host->answer(a->host->arg, a->data->p, a->command, a->q, &m->text, &m->notes, err);
	struct text_lines *lines = arena_zalloc(m->mem, 1, sizeof(*lines));
	size_t n = 1;

	m->own = lines;
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < m->text.len; i++)
		n += m->text.data[i] == '\n';
	lines->at = arena_alloc(m->mem, n, sizeof(*lines->at));
	for (size_t i = 0; i < m->text.len; i++)
		if (i == 0 || m->text.data[i - 1] == '\n')
			lines->at[lines->n++] = i;
	return 0;
}

static void draw(struct shell *s, struct pane *p, struct grid *g, struct area a)
{
	struct text_state *state = p->state;
	const struct text_lines *lines = p->model->own;
	const char *text = buf_text(&p->model->text);

	(void)s;
	list_fit(&state->list, lines->n, a.height);
	for (int y = 0; y < a.height && state->list.top + (uint32_t)y < lines->n; y++) {
		uint32_t i = state->list.top + (uint32_t)y;
		const char *start = text + lines->at[i];
		char *line = mem_strndup(start, strcspn(start, "\n"));
		struct look look = theme_look(i == state->list.at ? LOOK_SELECTED : LOOK_PLAIN);

		grid_text(g, a, -state->list.left, y, line, look);
		free(line);
	}
	list_draw_bar(&state->list, g, a, theme_look(LOOK_PLAIN));
}

static bool mouse(struct shell *s, struct pane *p, const struct event *e)
{
	struct text_state *state = p->state;
	uint32_t row;

	(void)s;
	if (e->kind == EVENT_CLICK && list_row_at(&state->list, e->y, &row)) {
		list_go(&state->list, row);
		return true;
	}
	return list_key(&state->list, e);
}

static bool move(struct shell *s, struct pane *p, const struct event *e)
{
	struct text_state *state = p->state;

	(void)s;
	return list_key(&state->list, e);
}

static const struct binding keys[] = {
	{ "j k Up Down PageUp PageDown Ctrl-D Ctrl-U g G Home End h l Left Right", "move", NULL, NULL, move },
};

const struct pane_class view_text = {
	.title = "Text",
	.explain = "The report as it prints. A command with | or > at the prompt gives it to a program or a file.",
	.key = keys,
	.n_keys = sizeof(keys) / sizeof(keys[0]),
	.state_size = sizeof(struct text_state),
	.make = make,
	.draw = draw,
	.mouse = mouse,
};
