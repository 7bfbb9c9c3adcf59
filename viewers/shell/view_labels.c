/*
 * view_labels.c - what samples are labelled with, and how much each value weighs
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/shell/view_labels_int.h"

#include "viewers/shell/quote.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct labels *labels_of(const struct pane *p)
{
	return p->model->own;
}

static void shown(struct shell *s, struct pane *p)
{
	(void)s;
	labels_follow(labels_of(p), p->state, p->search);
}

static bool move(struct shell *s, struct pane *p, const struct event *e)
{
	struct labels_state *state = p->state;

	(void)s;
	if (!shell_list_key(&state->list, e))
		return false;
	labels_remember(labels_of(p), state);
	return true;
}

/* An option set to the selected value. Gives false when a key is selected, or nothing. */
static bool with_value(struct shell *s, struct pane *p, const char *option)
{
	const struct labels *m = labels_of(p);
	const struct label_row *row = labels_selected(p->state);
	const struct tag_row *tag;
	struct buf text = { 0 };
	bool fine;

	if (!row || row->row == LABELS_NONE)
		return false;
	tag = &m->r->tag[row->row];
	fine = tag->has_text ? shell_label_add_text(m->group[row->group].key, tag->text, tag->n_text, &text)
			     : shell_label_add_numbers(m->group[row->group].key, tag->lo, tag->hi, tag->unit, &text);
	if (fine)
		shell_linef(s, "%s=%s", option, buf_text(&text));
	else
		shell_say(s, true, "%s has no words for this label", option);
	buf_release(&text);
	return true;
}

static bool fold(struct shell *s, struct pane *p, const struct event *e)
{
	struct labels_state *state = p->state;
	const struct label_row *row = labels_selected(state);
	bool close = e->key == '-' || e->key == 'h' || e->key == KEY_LEFT_;

	(void)s;
	if (!row)
		return true;
	if (e->key == ' ')
		close = !state->is_folded[row->group];
	labels_fold(labels_of(p), state, row->group, close);
	return true;
}

static bool open_row(struct shell *s, struct pane *p, const struct event *e)
{
	struct labels_state *state = p->state;
	const struct label_row *row = labels_selected(state);

	(void)e;
	if (row && !with_value(s, p, "tagfocus"))
		labels_fold(labels_of(p), state, row->group, !state->is_folded[row->group]);
	return true;
}

static bool fold_all(struct shell *s, struct pane *p, const struct event *e)
{
	(void)s;
	labels_fold_all(labels_of(p), p->state, e->key == 'C');
	return true;
}

static bool focus(struct shell *s, struct pane *p, const struct event *e)
{
	(void)e;
	if (!with_value(s, p, "tagfocus"))
		shell_say(s, false, "choose a value");
	return true;
}

static bool ignore(struct shell *s, struct pane *p, const struct event *e)
{
	(void)e;
	if (!with_value(s, p, "tagignore"))
		shell_say(s, false, "choose a value");
	return true;
}

/* The key of the selected row; NULL when there is none. */
static const char *selected_key(const struct pane *p)
{
	const struct label_row *row = labels_selected(p->state);

	return row ? labels_of(p)->group[row->group].key : NULL;
}

static bool hide(struct shell *s, struct pane *p, const struct event *e)
{
	const char *key = selected_key(p), *hidden = settings_query(s->now)->taghide;
	struct buf text = { 0 };

	(void)e;
	if (!key)
		return true;
	shell_quote(key, &text);
	if (*hidden && *buf_text(&text) != '\'' && !strpbrk(hidden, "'\""))
		shell_linef(s, "taghide=%s|%s", hidden, buf_text(&text));
	else
		shell_linef(s, "taghide=%s", buf_text(&text));
	buf_release(&text);
	return true;
}

static bool to_root(struct shell *s, struct pane *p, const struct event *e)
{
	const char *key = selected_key(p);
	struct buf text = { 0 };

	(void)e;
	if (!key)
		return false;
	if (strcmp(settings_query(s->now)->tagroot, key) == 0) {
		shell_line(s, "tagroot=", true);
		shell_say(s, false, "stacks begin with functions again");
	} else if (shell_label_add_key(key, &text)) {
		shell_linef(s, "tagroot=%s", buf_text(&text));
		shell_say(s, false, "stacks begin with %s now: 3 tree, 4 flame graph; b takes it back", key);
	} else {
		shell_say(s, true, "tagroot has no words for this key");
	}
	buf_release(&text);
	return true;
}

static bool sort(struct shell *s, struct pane *p, const struct event *e)
{
	struct labels_state *state = p->state;

	(void)e;
	state->by_value = !state->by_value;
	labels_show(labels_of(p), state);
	shell_say(s, false, state->by_value ? "by value" : "by weight");
	return true;
}

/* The next value, the one before; while there is a search all that are shown match. */
static bool next_value(struct shell *s, struct pane *p, const struct event *e)
{
	struct labels_state *state = p->state;
	int by = e->key == 'N' ? -1 : 1;

	if (!state->find) {
		shell_say(s, false, "/ shows the labels that match");
		return true;
	}
	for (int64_t i = (int64_t)state->list.at + by; i >= 0 && i < state->list.n; i += by)
		if (state->shown[i].row != LABELS_NONE) {
			shell_list_go(&state->list, (uint32_t)i);
			break;
		}
	labels_remember(labels_of(p), state);
	return true;
}

static void search(struct shell *s, struct pane *p, const char *text)
{
	struct labels_state *state = p->state;

	labels_filter(labels_of(p), state, text);
	if (*text)
		shell_say(s, false, "%" PRIu32 " of %" PRIu32 " values", state->n_found, labels_of(p)->r->table.n_rows);
}

static bool mouse(struct shell *s, struct pane *p, const struct event *e)
{
	struct labels_state *state = p->state;
	int above = labels_above(p->area.height);
	uint32_t row;

	if (e->kind == EVENT_WHEEL)
		return move(s, p, e);
	if (e->y < above && state->list.n)
		return e->kind == EVENT_CLICK && sort(s, p, e);
	if (!shell_list_row_at(&state->list, e->y - above, &row))
		return false;
	shell_list_go(&state->list, row);
	labels_remember(labels_of(p), state);
	if (e->kind == EVENT_DOUBLE)
		return open_row(s, p, e);
	return true;
}

static void end(struct pane *p)
{
	labels_forget(p->state);
}

static const struct binding keys[] = {
	{ "j k Up Down PageUp PageDown Ctrl-D Ctrl-U g G Home End", "move", NULL, NULL, move },
	{ "Enter", "only samples with this label; a key: fold or unfold", "focus", "tagfocus=KEY=^VALUE$", open_row },
	{ "f", "only samples with this label", NULL, "tagfocus=KEY=^VALUE$", focus },
	{ "x", "no samples with this label", "ignore", "tagignore=KEY=^VALUE$", ignore },
	{ "b", "put the key at the root of stacks, for tree and flame graph; once more: take it back", "to root",
	  "tagroot=KEY", to_root },
	{ "H", "leave out this key", NULL, "taghide=^KEY$", hide },
	{ "Space Right l + Left h -", "fold or unfold the key", NULL, NULL, fold },
	{ "C E", "fold all; unfold all", NULL, NULL, fold_all },
	{ "S < >", "sort by weight, or by value", "sort", NULL, sort },
	{ "n N", "next label that matches the search, the one before", NULL, NULL, next_value },
};

const struct pane_class shell_view_labels = {
	.title = "Labels",
	.explain = "What samples are labelled with: each key with its values, their weight and their share of the "
		   "total. A sample "
		   "counts for every value that it has, so shares of a key may add up to less than 100 %, where "
		   "samples have "
		   "none, or to more. Numbers that read the same are one value; a key of numbers says from where to "
		   "where they "
		   "go. Enter on a value leaves only the samples with it, in all views: the filter is shown above, u "
		   "takes it "
		   "back. b makes the values of a key the outermost frames of stacks, so that tree and flame graph are "
		   "parted "
		   "by them. Below 0 is what a base of a comparison had more of.",
	.key = keys,
	.n_keys = sizeof(keys) / sizeof(keys[0]),
	.state_size = sizeof(struct labels_state),
	.make = labels_make,
	.shown = shown,
	.draw = labels_draw,
	.mouse = mouse,
	.search = search,
	.end = end,
};
