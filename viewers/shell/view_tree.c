/*
 * view_tree.c - who calls whom, as a tree that folds
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/shell/view_tree_int.h"

#include "base/mem.h"
#include "viewers/shell/quote.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { UNFOLD_MOST = 5000 };

static const struct tree *tree_of(const struct pane *p)
{
	return p->model->own;
}

static void shown(struct shell *s, struct pane *p)
{
	(void)s;
	tree_follow(tree_of(p), p->state);
	tree_search_again(tree_of(p), p->state, p->search);
}

static bool move(struct shell *s, struct pane *p, const struct event *e)
{
	(void)s;
	return shell_list_key(&((struct tree_state *)p->state)->list, e);
}

static bool toggle(struct shell *s, struct pane *p, const struct event *e)
{
	const struct tree *t = tree_of(p);
	struct tree_state *state = p->state;
	uint32_t box = tree_selected(state);

	(void)e;
	if (box != TREE_ROOT && t->f->n_rest[box])
		shell_say(s, false, "these are below %.2g %% of all each; A shows them, trim=false at the prompt",
			  0.05);
	else if (box != TREE_ROOT)
		tree_fold(t, state, box, !state->is_open[box]);
	return true;
}

static bool unfold(struct shell *s, struct pane *p, const struct event *e)
{
	const struct tree *t = tree_of(p);
	struct tree_state *state = p->state;
	uint32_t box = tree_selected(state);

	(void)s;
	if (box == TREE_ROOT || !tree_n_children(t, box))
		return true;
	if (!state->is_open[box])
		tree_fold(t, state, box, true);
	else if (e->key != '+')
		tree_show(t, state, state->child[t->first[box]]);
	return true;
}

static bool fold(struct shell *s, struct pane *p, const struct event *e)
{
	const struct tree *t = tree_of(p);
	struct tree_state *state = p->state;
	uint32_t box = tree_selected(state);

	(void)s;
	if (box == TREE_ROOT)
		return true;
	if (state->is_open[box])
		tree_fold(t, state, box, false);
	else if (e->key != '-' && t->f->parent[box] != TREE_ROOT)
		tree_show(t, state, t->f->parent[box]);
	return true;
}

static bool unfold_below(struct shell *s, struct pane *p, const struct event *e)
{
	struct tree_state *state = p->state;
	uint32_t box = tree_selected(state);

	(void)e;
	if (box != TREE_ROOT && !tree_unfold_below(tree_of(p), state, box, UNFOLD_MOST))
		shell_say(s, false, "unfolded down to %d rows; E further down unfolds more", UNFOLD_MOST);
	return true;
}

static bool fold_all(struct shell *s, struct pane *p, const struct event *e)
{
	(void)s;
	(void)e;
	tree_fold_all(tree_of(p), p->state);
	return true;
}

static bool invert(struct shell *s, struct pane *p, const struct event *e)
{
	(void)e;
	shell_linef(s, "inverted=%s", tree_of(p)->inverted ? "false" : "true");
	return true;
}

static void sort_by(struct pane *p, enum tree_by by)
{
	struct tree_state *state = p->state;

	state->by[tree_of(p)->two_sides] = by;
	tree_sort(tree_of(p), state);
}

/* The columns to sort by, from left to right. */
static bool sort_next(struct shell *s, struct pane *p, const struct event *e)
{
	const struct tree *t = tree_of(p);
	enum tree_by by[N_TREE_BYS];
	size_t n = tree_columns(t, by), i = 0;

	(void)s;
	while (i + 1 < n && by[i] != tree_sorted_by(t, p->state))
		i++;
	sort_by(p, by[(i + (e->key == '<' ? n - 1 : 1)) % n]);
	return true;
}

static bool say_hits(struct shell *s, const struct tree_state *state)
{
	if (!state->hit)
		shell_say(s, false, "/ searches");
	else if (!state->n_hits)
		shell_say(s, false, "no match");
	else
		shell_say(s, false, "%" PRIu32 " match%s; n N next and previous", state->n_hits,
			  state->n_hits == 1 ? "" : "es");
	return true;
}

static bool search_next(struct shell *s, struct pane *p, const struct event *e)
{
	tree_search_next(tree_of(p), p->state, e->key == 'N');
	return say_hits(s, p->state);
}

static void search(struct shell *s, struct pane *p, const char *text)
{
	if (s->overlay)
		tree_search(tree_of(p), p->state, text);
	else
		tree_search_again(tree_of(p), p->state, text);
	if (*text)
		say_hits(s, p->state);
}

static bool show_text(struct shell *s, struct pane *p, const struct event *e)
{
	(void)p;
	(void)e;
	shell_line(s, "tree | less", true);
	return true;
}

/* A click on a mark folds, on a heading sorts. */
static bool click(struct shell *s, struct pane *p, const struct event *e)
{
	struct tree_state *state = p->state;
	int above = tree_lines_above(p->area.height);
	enum tree_by by;
	uint32_t row;

	if (e->y < above && e->kind == EVENT_CLICK && tree_heading_at(tree_of(p), p->area.width, e->x, &by)) {
		sort_by(p, by);
		return true;
	}
	if (e->y < above || !shell_list_row_at(&state->list, e->y - above, &row))
		return false;
	shell_list_go(&state->list, row);
	if (e->kind == EVENT_DOUBLE || e->x == tree_mark_column(state, &state->row[row]))
		toggle(s, p, e);
	return true;
}

static bool mouse(struct shell *s, struct pane *p, const struct event *e)
{
	if (e->kind == EVENT_CLICK || e->kind == EVENT_DOUBLE)
		return click(s, p, e);
	return shell_list_key(&((struct tree_state *)p->state)->list, e);
}

/* A frame that tagroot or tagleaf has put there is a label: filters of functions do not know it. */
static bool with_label(struct shell *s, struct pane *p, const char *option)
{
	const struct tree *t = tree_of(p);
	uint32_t box = tree_selected(p->state);
	const char *name = tree_name(t, box), *value = strstr(name, ": ");
	struct buf text = { 0 };
	char *key;

	if (!*name || !value || !t->f->frames[t->f->frame[box]].is_label)
		return false;
	key = mem_strndup(name, (size_t)(value - name));
	value += 2;
	if (strcmp(value, "(none)") != 0 && shell_label_add_text(key, value, strlen(value), &text))
		shell_linef(s, "%s=%s", option, buf_text(&text));
	else
		shell_say(s, false, "%s has no words for samples without a label", option);
	free(key);
	buf_release(&text);
	return true;
}

static bool focus_label(struct shell *s, struct pane *p, const struct event *e)
{
	(void)e;
	return with_label(s, p, "tagfocus");
}

static bool ignore_label(struct shell *s, struct pane *p, const struct event *e)
{
	(void)e;
	return with_label(s, p, "tagignore");
}

static void subject(struct shell *s, struct pane *p, struct buf *out)
{
	const struct tree *t = tree_of(p);
	uint32_t box = tree_selected(p->state);
	const char *function = *tree_name(t, box) ? t->f->frames[t->f->frame[box]].function : "";

	(void)s;
	if (*function)
		shell_quote(function, out);
}

static void end(struct pane *p)
{
	tree_forget(p->state);
}

static const struct binding keys[] = {
	{ "j k Up Down PageUp PageDown Ctrl-D Ctrl-U g G Home End", "move", NULL, NULL, move },
	{ "Enter Space", "unfold or fold", "unfold", NULL, toggle },
	{ "Right l +", "unfold; once more: go to the first row below", NULL, NULL, unfold },
	{ "Left h -", "fold; once more: go to the row above it", NULL, NULL, fold },
	{ "E", "unfold all below", "all below", NULL, unfold_below },
	{ "C", "fold all", NULL, NULL, fold_all },
	{ "i", "upside down: functions by themselves, below them their callers", "invert", "inverted=true", invert },
	{ "S < >", "sort by another column", "sort", NULL, sort_next },
	{ "n N", "next match of the search, the one before; unfolds the way to it", NULL, NULL, search_next },
	{ "f", "only samples with the function, or the label, on their stack", NULL, "focus=NAME", focus_label },
	{ "x", "no samples with it", NULL, "ignore=NAME", ignore_label },
	{ "T", "pprof's tree: each function with its callers and callees", NULL, "tree | less", show_text },
};

const struct pane_class shell_view_tree = {
	.title = "Tree",
	.explain =
		"Who calls whom: a row is a function on one way of calls, from the outermost caller down, and unfolds "
		"to "
		"what it calls there. Total is what it and all it calls took on this way, Self what it took itself; a "
		"function has a row for each way to it. pprof's tree (T) is another report: one entry per function, "
		"with "
		"all its callers and callees but no ways. + can be unfolded, - folded; \xe2\x94\x94 is the only thing "
		"the row "
		"above it calls. The way with most weight is open at first; the lowest line is the way to the selected "
		"row. "
		"Upside down (i) the first rows are functions by what they took themselves, and below each are its "
		"callers, "
		"with the part of that weight that came their way. "
		"Rows below 0.05 % of all are one row (\"3 smaller\"); A shows them. In a comparison Change is after "
		"less "
		"before: what grew has +. Colour says 5 % of all or more, bold 20 %.",
	.key = keys,
	.n_keys = sizeof(keys) / sizeof(keys[0]),
	.state_size = sizeof(struct tree_state),
	.like = "flame",
	.make = tree_make,
	.shown = shown,
	.draw = tree_draw,
	.mouse = mouse,
	.subject = subject,
	.search = search,
	.end = end,
};
