/*
 * view_traces.c - the view Traces: every sample, the stack and labels of the selected one
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/shell/view_traces.h"

#include "base/unit.h"
#include "viewers/flame/flame.h"
#include "viewers/shell/headline.h"
#include "viewers/shell/quote.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- drawing ---- */

enum { BESIDE_FROM = 140, SPLIT_FROM = 8, VALUE_WIDTH = 10, SHARE_WIDTH = 9, COUNT_WIDTH = 9, KEY_WIDTH = 12 };

/* 1,000,000 */
static void add_count(uint64_t n, struct buf *out)
{
	char digits[24];
	int len = snprintf(digits, sizeof(digits), "%" PRIu64, n);

	for (int i = 0; i < len; i++)
		buf_addf(out, "%s%c", i && (len - i) % 3 == 0 ? "," : "", digits[i]);
}

static struct look head_look(bool here)
{
	return theme_look(here ? LOOK_HEAD_HERE : LOOK_HEAD);
}

/* The selected row, quieter where keys do not go. */
static struct look in_row(struct look look, bool selected, bool has_keys)
{
	if (selected && has_keys)
		return theme_selected(look);
	if (selected)
		look.attr |= ATTR_BOLD | ATTR_UNDERLINE;
	return look;
}

static void add_labels(const struct samples *m, uint32_t entry, struct buf *out)
{
	const struct traces *t = m->t;
	uint32_t set = shell_traces_labels(m, entry);

	buf_addz(out, ""); /* which may be all */
	if (set == TRACES_NONE) {
		buf_addz(out, "(several)");
		return;
	}
	for (uint32_t i = t->set_off[set]; i < t->set_off[set + 1]; i++) {
		buf_addz(out, i > t->set_off[set] ? "  " : "");
		shell_traces_add_label(t, &t->label[i], "", out);
	}
}

/* Columns that depend on the width. */
struct columns {
	int share, count, name, labels; /* where they begin, or 0; value ends at share */
	int name_end;
};

static struct columns columns_for(const struct samples *m, int width)
{
	struct columns c = { 0 };
	int x = VALUE_WIDTH + 1;

	if (width >= 40) {
		c.share = x;
		x += SHARE_WIDTH;
	}
	if (m->first && width >= 32) {
		c.count = x;
		x += COUNT_WIDTH;
	}
	c.name = x + 2;
	c.name_end = width;
	if (m->has_labels && width - c.name >= 40) {
		c.labels = width - (width - c.name) * 2 / 5;
		c.name_end = c.labels - 2;
	}
	return c;
}

static void draw_list_head(const struct samples *m, const struct traces_state *s, struct grid *g, struct area line)
{
	struct columns c = columns_for(m, line.width);
	bool by_value = m->want & TRACES_BY_VALUE;
	struct buf what = { 0 };

	grid_fill(g, line, ' ', head_look(false));
	grid_text_right(g, line, VALUE_WIDTH + 1, 0, by_value ? "Value\xe2\x96\xbc" : "Value", head_look(by_value));
	if (c.share)
		grid_text_right(g, line, c.share + SHARE_WIDTH, 0, "Value%", head_look(false));
	if (c.count)
		grid_text_right(g, line, c.count + COUNT_WIDTH, 0, "Samples", head_look(false));
	buf_addz(&what, m->first ? "Stack " : "Trace ");
	add_count(s->list.n ? (uint64_t)s->list.at + 1 : 0, &what);
	buf_addz(&what, " of ");
	add_count(s->list.n, &what);
	if (s->row) {
		buf_addz(&what, " found in ");
		add_count(m->n, &what);
	}
	grid_text(g, (struct area){ line.x, line.y, c.labels ? c.labels - 1 : line.width, 1 }, c.name, 0,
		  buf_text(&what), head_look(!s->in_stack));
	if (c.labels)
		grid_text(g, line, c.labels, 0, "Labels", head_look(false));
	buf_release(&what);
}

static struct look value_look(const struct samples *m, int64_t value)
{
	return value < 0 ? theme_look(LOOK_SHRANK) : theme_heat(unit_percent(value, m->head->total));
}

static void draw_sample(const struct samples *m, const struct traces_state *s, uint32_t row, struct grid *g,
			struct area line)
{
	struct columns c = columns_for(m, line.width);
	bool here = row == s->list.at;
	uint32_t entry = shell_traces_entry(m, s, row), leaf = shell_traces_leaf(m, entry);
	int64_t value = shell_traces_value(m, entry);
	struct look look = in_row(value_look(m, value), here, !s->in_stack),
		    plain = in_row(theme_look(LOOK_PLAIN), here, !s->in_stack),
		    quiet = in_row(theme_look(LOOK_QUIET), here, !s->in_stack);
	struct buf text = { 0 };

	assert(row < s->list.n && entry < m->n);
	if (here)
		grid_fill(g, line, ' ', plain);
	grid_text(g, line, 0, 0, here ? ">" : "", plain);
	report_add_value(m->head, value, &text);
	grid_text_right(g, line, VALUE_WIDTH + 1, 0, buf_text(&text), look);
	text.len = 0;
	buf_addz(&text, value < 0 ? "-" : "");
	unit_add_percent_tight(&text, value, m->head->total);
	if (c.share)
		grid_text_right(g, line, c.share + SHARE_WIDTH, 0, buf_text(&text), look);
	text.len = 0;
	add_count(shell_traces_count(m, entry), &text);
	if (c.count)
		grid_text_right(g, line, c.count + COUNT_WIDTH, 0, buf_text(&text), plain);
	if (leaf != TRACES_NONE)
		grid_text_short(g, line, c.name, 0, m->t->name[leaf], c.name_end - c.name,
				s->name_hit && s->name_hit[leaf] ? in_row(theme_look(LOOK_MATCH), here, !s->in_stack)
								 : plain);
	text.len = 0;
	add_labels(m, entry, &text);
	if (c.labels)
		grid_text_short(g, line, c.labels, 0, buf_text(&text), line.width - c.labels, quiet);
	buf_release(&text);
}

static void draw_list(const struct samples *m, struct traces_state *s, struct grid *g, struct area a)
{
	struct area rows = { a.x, a.y + 1, a.width, a.height - 1 };

	draw_list_head(m, s, g, (struct area){ a.x, a.y, a.width, 1 });
	shell_list_fit(&s->list, s->list.n, rows.height);
	for (int y = 0; y < rows.height && s->list.top + (uint32_t)y < s->list.n; y++)
		draw_sample(m, s, s->list.top + (uint32_t)y, g, (struct area){ rows.x, rows.y + y, rows.width - 1, 1 });
	shell_list_draw_bar(&s->list, g, rows, theme_look(LOOK_QUIET));
}

static void draw_stack_head(const struct samples *m, const struct traces_state *s, struct grid *g, struct area line)
{
	struct buf text = { 0 };
	uint32_t n_labels = 0;

	while (n_labels < s->lines.n && s->line[n_labels].is_label)
		n_labels++;
	grid_fill(g, line, ' ', head_look(false));
	if (s->entry != TRACES_NONE) {
		report_add_value(m->head, shell_traces_value(m, s->entry), &text);
		buf_addz(&text, " in a stack of ");
		add_count(s->lines.n - n_labels, &text);
		buf_addz(&text, s->lines.n - n_labels == 1 ? " frame" : " frames");
		if (s->lines.n > (uint32_t)(s->lines.height > 0 ? s->lines.height : 0)) {
			buf_addz(&text, ", line ");
			add_count((uint64_t)s->lines.at + 1, &text);
		}
		if (shell_traces_labels(m, s->entry) == TRACES_NONE)
			buf_addz(&text, "; labels differ");
	}
	grid_text(g, line, 1, 0, buf_text(&text), head_look(s->in_stack));
	grid_text_right(g, line, line.width - 1, 0, s->in_stack ? "" : " Tab", theme_look(LOOK_KEY));
	buf_release(&text);
}

static void draw_line(const struct samples *m, const struct traces_state *s, uint32_t i, struct grid *g,
		      struct area line)
{
	const struct trace_line *l = &s->line[i];
	bool here = i == s->lines.at && s->in_stack, hit = shell_traces_is_hit(m, s, l);
	struct look plain = in_row(theme_look(LOOK_PLAIN), here, true),
		    look = in_row(theme_look(hit           ? LOOK_MATCH
					     : l->is_label ? LOOK_COMMAND
							   : LOOK_PLAIN),
				  here, true);
	struct buf text = { 0 };

	if (here)
		grid_fill(g, line, ' ', plain);
	grid_text(g, line, 0, 0, here ? ">" : "", plain);
	if (l->is_label)
		shell_traces_add_label(m->t, &m->t->label[l->at], " ", &text);
	else
		buf_addf(&text, "%s%s", m->t->name[l->at], l->inlined ? " (inline)" : "");
	grid_text_short(g, line, l->is_label ? 2 : 4, 0, buf_text(&text), line.width - 4, look);
	buf_release(&text);
}

static void draw_stack(const struct samples *m, struct traces_state *s, struct grid *g, struct area a)
{
	struct area rows = { a.x, a.y + 1, a.width, a.height - 1 };

	shell_list_fit(&s->lines, s->lines.n, rows.height);
	draw_stack_head(m, s, g, (struct area){ a.x, a.y, a.width, 1 });
	for (int y = 0; y < rows.height && s->lines.top + (uint32_t)y < s->lines.n; y++)
		draw_line(m, s, s->lines.top + (uint32_t)y, g, (struct area){ rows.x, rows.y + y, rows.width - 1, 1 });
	shell_list_draw_bar(&s->lines, g, rows, theme_look(LOOK_QUIET));
}

/* Both parts where there is room, else the one that keys go to. */
static void split(struct traces_state *s, struct area a)
{
	s->list_area = s->stack_area = a;
	if (a.width >= BESIDE_FROM && a.height >= 4) {
		s->list_area.width = a.width * 11 / 20;
		s->stack_area.x += s->list_area.width + 1;
		s->stack_area.width -= s->list_area.width + 1;
	} else if (a.height >= SPLIT_FROM) {
		s->list_area.height = a.height * 9 / 20;
		s->stack_area.y += s->list_area.height;
		s->stack_area.height -= s->list_area.height;
	} else if (s->in_stack) {
		s->list_area.height = 0;
	} else {
		s->stack_area.height = 0;
	}
}

static void draw(struct shell *sh, struct pane *p, struct grid *g, struct area a)
{
	const struct samples *m = p->model->own;
	struct traces_state *s = p->state;

	split(s, a);
	if (m->n == 0) {
		grid_text(g, a, 2, a.height / 2, headline_none(sh, m->head), theme_look(LOOK_PLAIN));
		return;
	}
	if (s->list_area.height > 0)
		draw_list(m, s, g, s->list_area);
	shell_traces_lines(m, s);
	if (s->stack_area.height > 0)
		draw_stack(m, s, g, s->stack_area);
}

/* ---- keys ---- */

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

	assert(!state->lines.n || state->lines.at < state->lines.n);
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

static bool filter_label(struct shell *s, struct pane *p, const struct event *e)
{
	return with_label(s, p, e->key == 'f' ? "tagfocus" : "tagignore");
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
	{ "f", "only samples with the selected label, or the function", NULL, "tagfocus=KEY=^VALUE$", filter_label },
	{ "x", "no samples with the selected label, or the function", NULL, "tagignore=KEY=^VALUE$", filter_label },
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
	.draw = draw,
	.mouse = mouse,
	.subject = subject,
	.search = search,
	.end = end,
};
