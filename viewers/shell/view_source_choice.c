/*
 * view_source_choice.c - rows found by their text, and by their weight
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/shell/view_source_int.h"

#include "base/num.h"

#include <stdlib.h>

bool code_find_row(struct find *f, const struct pane *p, code_text_fn text, uint32_t n, uint32_t from, int by,
		   uint32_t *out)
{
	struct buf scratch = { 0 };
	uint32_t i = from, steps = 0;

	while (steps < n && !find_in(f, text(p, i, &scratch))) {
		i = by > 0 ? (i + 1) % n : (i + n - 1) % n;
		steps++;
	}
	buf_release(&scratch);
	if (steps < n)
		*out = i;
	return steps < n;
}

struct find *code_find_new(struct find *old, const char *text)
{
	find_free(old);
	return *text ? find_new(text) : NULL;
}

struct code_weight code_weight(int64_t flat, int64_t cum, bool by_cum, uint32_t i)
{
	uint64_t f = num_abs(flat), c = num_abs(cum);

	return (struct code_weight){ by_cum ? c : f, by_cum ? f : c, i };
}

static int by_weight(const void *a, const void *b)
{
	const struct code_weight *x = a, *y = b;

	if (x->first != y->first)
		return x->first > y->first ? -1 : 1;
	if (x->second != y->second)
		return x->second > y->second ? -1 : 1;
	return (x->i > y->i) - (x->i < y->i);
}

void code_sort_weights(struct code_weight *weight, size_t n)
{
	if (n)
		qsort(weight, n, sizeof(*weight), by_weight);
}

void code_draw_choice(const struct pane *p, struct list *l, uint32_t n, code_choice_fn choice, bool by_cum,
		      bool is_change, struct grid *g, struct area a)
{
	enum { HEIGHT_FOR_HEAD = 3, GAP = 2 };
	struct code_values v = { .head = &p->model->report.head, .is_change = is_change, .width = 4 };
	struct look quiet = theme_look(LOOK_QUIET);
	struct code_columns c;

	for (uint32_t i = 0; i < n; i++) {
		code_values_add(&v, choice(p, i).flat);
		code_values_add(&v, choice(p, i).cum);
	}
	c = code_columns(&v, a.width, 0, by_cum);
	if (a.height >= HEIGHT_FOR_HEAD) {
		code_draw_heads(&c, g, (struct area){ a.x, a.y, a.width, 1 }, by_cum);
		grid_text(g, a, c.text, 0, "function, Enter shows it", theme_look(LOOK_HEAD));
		a.y++;
		a.height--;
	}
	shell_list_fit(l, n, a.height);
	for (int y = 0; y < a.height && l->top + (uint32_t)y < n; y++) {
		uint32_t i = l->top + (uint32_t)y;
		struct code_choice one = choice(p, i);
		struct area row = { a.x, a.y + y, a.width - 1, 1 };
		bool here = i == l->at;
		struct look look = theme_look(here ? LOOK_SELECTED : LOOK_PLAIN);
		int room = row.width - c.text, x;

		if (here)
			grid_fill(g, row, ' ', look);
		code_draw_values(&v, &c, g, row, &one.flat, one.cum, here);
		x = grid_text_short(g, row, c.text, 0, one.name, *one.file ? room * 2 / 3 : room, look);
		grid_text_short(g, row, x + GAP, 0, one.file, row.width - x - GAP,
				here ? theme_selected(quiet) : quiet);
	}
	shell_list_draw_bar(l, g, a, theme_look(LOOK_PLAIN));
}
