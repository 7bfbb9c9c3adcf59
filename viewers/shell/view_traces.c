/*
 * view_traces.c - every sample, and its stack and labels
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/shell/view_traces_int.h"

#include "viewers/shell/quote.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct samples *samples_of(const struct pane *p)
{
	return p->model->own;
}

static void shown(struct shell *s, struct pane *p)
{
	(void)s;
	shell_traces_follow(samples_of(p), p->state, p->search);
}

static bool move(struct shell *s, struct pane *p, const struct event *e)
{
	struct traces_state *state = p->state;

	(void)s;
	if (state->in_stack)
		return shell_list_key(&state->lines, e);
	if (!shell_list_key(&state->list, e))
		return false;
	shell_traces_lines(samples_of(p), state);
	return true;
}

static bool other_part(struct shell *s, struct pane *p, const struct event *e)
{
	struct traces_state *state = p->state;

	(void)s;
	(void)e;
	state->in_stack = !state->in_stack;
	return true;
}

static bool to_stack(struct shell *s, struct pane *p, const struct event *e)
{
	(void)s;
	(void)e;
	((struct traces_state *)p->state)->in_stack = true;
	return true;
}

static bool to_list(struct shell *s, struct pane *p, const struct event *e)
{
	(void)s;
	(void)e;
	((struct traces_state *)p->state)->in_stack = false;
	return true;
}

/* The selected line when keys go to these; NULL when they do not. */
static const struct trace_line *selected_line(const struct pane *p)
{
	const struct traces_state *state = p->state;

	return state->in_stack && state->lines.n ? &state->line[state->lines.at] : NULL;
}

/* Run tagfocus or tagignore with the selected label; false when none is selected. */
static bool with_label(struct shell *s, struct pane *p, const char *option)
{
	const struct traces *t = samples_of(p)->t;
	const struct trace_line *line = selected_line(p);
	const struct trace_label *l;
	struct buf text = { 0 };
	bool fine;

	if (!line || !line->is_label)
		return false;
	l = &t->label[line->at];
	fine = l->lo < l->hi;
	if (fine && l->unit)
		fine = shell_label_add_numbers(l->key, t->value_of_label[l->lo].number, t->value_of_label[l->lo].number,
					       l->unit, &text);
	else if (fine)
		fine = shell_label_add_text(l->key, t->value_of_label[l->lo].text,
					    strlen(t->value_of_label[l->lo].text), &text);
	if (fine)
		shell_linef(s, "%s=%s", option, buf_text(&text));
	else
		shell_say(s, true, "%s has no words for this label", option);
	buf_release(&text);
	return true;
}

static bool open_line(struct shell *s, struct pane *p, const struct event *e)
{
	const struct trace_line *line = selected_line(p);
	struct buf subject = { 0 };

	(void)e;
	if (!line)
		return to_stack(s, p, e);
	if (with_label(s, p, "tagfocus"))
		return true;
	shell_subject(s, &subject);
	if (subject.len)
		shell_linef(s, "peek %s", buf_text(&subject));
	else
		shell_say(s, false, "nothing is known of this frame");
	buf_release(&subject);
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

/* The model is to be in another order, or merged; one begins at its first row. */
static void want(struct shell *s, struct pane *p, unsigned what)
{
	((struct traces_state *)p->state)->hash = 0;
	p->want ^= what;
	shell_refresh(s, p);
}

static bool sort(struct shell *s, struct pane *p, const struct event *e)
{
	(void)e;
	want(s, p, TRACES_BY_VALUE);
	shell_say(s, false, p->want & TRACES_BY_VALUE ? "the heaviest first" : "in the order of the profile");
	return true;
}

static bool merge(struct shell *s, struct pane *p, const struct event *e)
{
	(void)e;
	want(s, p, TRACES_MERGED);
	shell_say(s, false, p->want & TRACES_MERGED ? "samples with equal stacks are one" : "every sample by itself");
	return true;
}

/* In a stack the next line that matches; among samples the next sample, all of which match. */
static bool next_match(struct shell *s, struct pane *p, const struct event *e)
{
	struct traces_state *state = p->state;
	const struct samples *m = samples_of(p);
	int by = e->key == 'N' ? -1 : 1;

	if (!state->find) {
		shell_say(s, false, "/ shows the samples with a frame or label that matches");
		return true;
	}
	for (int64_t i = (int64_t)state->lines.at + by; state->in_stack && i >= 0 && i < state->lines.n; i += by)
		if (shell_traces_is_hit(m, state, &state->line[i])) {
			shell_list_go(&state->lines, (uint32_t)i);
			return true;
		}
	if (by > 0 || state->list.at > 0)
		shell_list_go(&state->list, state->list.at + (uint32_t)by);
	shell_traces_lines(m, state);
	return true;
}

static void search(struct shell *s, struct pane *p, const char *text)
{
	struct traces_state *state = p->state;

	shell_traces_filter(samples_of(p), state, text);
	if (*text)
		shell_say(s, false, "%" PRIu32 " of %" PRIu32 " %s", state->list.n, samples_of(p)->n,
			  samples_of(p)->first ? "stacks" : "samples");
}

/* A click on a row selects it, on the heading of the list sorts. */
static bool mouse(struct shell *s, struct pane *p, const struct event *e)
{
	struct traces_state *state = p->state;
	const struct event at = { .x = e->x + p->area.x, .y = e->y + p->area.y };
	int y = at.y;
	bool in_stack = overlay_has(state->stack_area, &at);
	struct area a = in_stack ? state->stack_area : state->list_area;
	struct list *list = in_stack ? &state->lines : &state->list;
	uint32_t row;

	if (!overlay_has(a, &at))
		return false;
	if (e->kind == EVENT_WHEEL) {
		shell_list_key(list, e);
	} else if (y == a.y) {
		if (!in_stack && e->kind == EVENT_CLICK)
			return sort(s, p, e);
		state->in_stack = in_stack;
	} else if (shell_list_row_at(list, y - a.y - 1, &row)) {
		shell_list_go(list, row);
		state->in_stack = in_stack;
	}
	shell_traces_lines(samples_of(p), state);
	if (e->kind == EVENT_DOUBLE && y > a.y)
		return open_line(s, p, e);
	return true;
}

static void subject(struct shell *s, struct pane *p, struct buf *out)
{
	const struct samples *m = samples_of(p);
	const struct traces_state *state = p->state;
	const struct trace_line *line = selected_line(p);
	uint32_t name = TRACES_NONE;

	if (line && !line->is_label)
		name = line->at;
	else if (!line && state->entry != TRACES_NONE && m->n)
		name = shell_traces_leaf(m, state->entry);
	if (name != TRACES_NONE)
		shell_quote_place(s, &m->t->place[name], out);
}

static void end(struct pane *p)
{
	shell_traces_forget(p->state);
}

static const struct binding keys[] = {
	{ "j k Up Down PageUp PageDown Ctrl-D Ctrl-U g G Home End", "move", NULL, NULL, move },
	{ "Enter", "into the stack; there: callers and callees of a frame, only samples with a label", "open",
	  "peek NAME", open_line },
	{ "Tab BackTab", "from the samples to the stack and back", "stack", NULL, other_part },
	{ "Right l", "to the stack", NULL, NULL, to_stack },
	{ "Left h", "to the samples", NULL, NULL, to_list },
	{ "S < >", "the heaviest first, or as they are in the profile", "sort", NULL, sort },
	{ "=", "make one of samples with equal stacks, or tell them apart", "merge", NULL, merge },
	{ "n N", "next match of the search, the one before", NULL, NULL, next_match },
	{ "f", "only samples with the selected label, or the function", NULL, "tagfocus=KEY=^VALUE$", focus_label },
	{ "x", "no samples with the selected label, or the function", NULL, "tagignore=KEY=^VALUE$", ignore_label },
};

const struct pane_class shell_view_traces = {
	.title = "Traces",
	.explain =
		"Every sample of the profile: what it weighs, its share of the total, the function it was in, its "
		"labels. "
		"Below, or beside where it is wide, the labels and the stack of the selected one, the innermost frame "
		"first; (inline) was inlined into the frame below it. / shows the samples that have a frame or a label "
		"that matches. Equal stacks can be made one (=), with the sum of their values and how many there are. "
		"Values below 0 are of the base of a comparison.",
	.key = keys,
	.n_keys = sizeof(keys) / sizeof(keys[0]),
	.state_size = sizeof(struct traces_state),
	.make = shell_traces_model,
	.shown = shown,
	.draw = shell_traces_draw,
	.mouse = mouse,
	.subject = subject,
	.search = search,
	.end = end,
};
