/*
 * traces.c - the Traces view: all samples, and the stack and labels of the selected sample
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/shell/views/traces.h"

#include "base/unit.h"
#include "front/shell/views/headline.h"
#include "front/shell/widgets/name.h"
#include "front/shell/widgets/number.h"
#include "front/shell/quote.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- drawing ---- */

enum { BESIDE_FROM = 140, SPLIT_FROM = 8, VALUE_WIDTH = 10, SHARE_WIDTH = 9, COUNT_WIDTH = 9, KEY_WIDTH = 12 };

static struct style heading_style(bool here)
{
	return theme_style(here ? ROLE_HEADING_SORTED : ROLE_HEADING);
}

/* The style in the selected row, which is less prominent in the part without the keyboard focus. */
static struct style row_style(struct style style, bool selected, bool has_keys)
{
	if (selected && has_keys)
		return theme_selected(style);
	if (selected)
		style.attr |= ATTR_BOLD | ATTR_UNDERLINE;
	return style;
}

static void view_traces_add_labels(const struct samples *m, uint32_t entry, struct buf *out)
{
	const struct traces *t = m->t;
	uint32_t set = shell_traces_labels(m, entry);

	buf_addz(out, ""); /* the text may be empty */
	if (set == TRACES_NONE) {
		buf_addz(out, "(several)");
		return;
	}
	for (uint32_t i = t->set_off[set]; i < t->set_off[set + 1]; i++) {
		buf_addz(out, i > t->set_off[set] ? "  " : "");
		shell_traces_add_label(t, &t->label[i], "", out);
	}
}

/* The columns, which depend on the width. */
struct columns {
	int share, count, name, labels; /* where the columns begin, 0 for none; flat ends at share */
	int name_end;
};

static struct columns view_traces_columns_for(const struct samples *m, int width)
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
	struct columns c = view_traces_columns_for(m, line.width);
	bool by_value = m->flags & TRACES_BY_VALUE;
	struct buf what = { 0 };

	grid_fill(g, line, ' ', heading_style(false));
	grid_text_right(g, line, VALUE_WIDTH + 1, 0, by_value ? "flat\xe2\x96\xbc" : "flat", heading_style(by_value));
	if (c.share)
		grid_text_right(g, line, c.share + SHARE_WIDTH, 0, "flat%", heading_style(false));
	if (c.count)
		grid_text_right(g, line, c.count + COUNT_WIDTH, 0, "samples", heading_style(false));
	buf_addz(&what, m->first ? "stack " : "sample ");
	unit_add_count(&what, s->list.n ? (uint64_t)s->list.selected + 1 : 0);
	buf_addz(&what, " of ");
	unit_add_count(&what, s->list.n);
	if (s->row) {
		buf_addz(&what, " matching, of ");
		unit_add_count(&what, m->n);
	}
	grid_text(g, (struct area){ line.x, line.y, c.labels ? c.labels - 1 : line.width, 1 }, c.name, 0,
		  buf_text(&what), heading_style(!s->stack_has_focus));
	if (c.labels)
		grid_text(g, line, c.labels, 0, "labels", heading_style(false));
	buf_release(&what);
}

static struct style view_traces_value_style(const struct samples *m, int64_t value)
{
	return value < 0 ? theme_style(ROLE_SHRANK) : theme_heat(unit_percent(value, m->head->total));
}

static void draw_sample(const struct samples *m, const struct traces_state *s, uint32_t row, struct grid *g,
			struct area line)
{
	struct columns c = view_traces_columns_for(m, line.width);
	bool here = row == s->list.selected;
	uint32_t entry = shell_traces_entry(m, s, row), leaf = shell_traces_leaf(m, entry);
	int64_t value = shell_traces_value(m, entry);
	struct style style = row_style(view_traces_value_style(m, value), here, !s->stack_has_focus),
		     plain = row_style(theme_style(ROLE_PLAIN), here, !s->stack_has_focus),
		     quiet = row_style(theme_style(ROLE_MUTED), here, !s->stack_has_focus);
	struct buf text = { 0 };

	assert(row < s->list.n && entry < m->n);
	if (here)
		grid_fill(g, line, ' ', plain);
	grid_text(g, line, 0, 0, here ? ">" : "", plain);
	shell_number_add_fitting(m->head, value, VALUE_WIDTH, &text);
	grid_text_right(g, line, VALUE_WIDTH + 1, 0, buf_text(&text), style);
	text.len = 0;
	buf_addz(&text, value < 0 ? "-" : "");
	unit_add_percent_trimmed(&text, value, m->head->total);
	if (c.share)
		grid_text_right(g, line, c.share + SHARE_WIDTH, 0, buf_text(&text), style);
	text.len = 0;
	unit_add_count(&text, shell_traces_count(m, entry));
	if (c.count)
		grid_text_right(g, line, c.count + COUNT_WIDTH, 0, buf_text(&text), plain);
	if (leaf != TRACES_NONE)
		shell_name_draw(g, line, c.name, 0, m->t->name[leaf], "", c.name_end - c.name,
				s->name_hit && s->name_hit[leaf]
					? row_style(theme_style(ROLE_MATCH), here, !s->stack_has_focus)
					: plain,
				quiet);
	text.len = 0;
	view_traces_add_labels(m, entry, &text);
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
	shell_list_draw_bar(&s->list, g, rows, theme_style(ROLE_MUTED));
}

static void draw_stack_head(const struct samples *m, const struct traces_state *s, struct grid *g, struct area line)
{
	struct buf text = { 0 };
	uint32_t n_labels = 0;

	while (n_labels < s->lines.n && s->line[n_labels].is_label)
		n_labels++;
	grid_fill(g, line, ' ', heading_style(false));
	if (s->entry != TRACES_NONE) {
		shell_number_add(m->head, shell_traces_value(m, s->entry), &text);
		buf_addz(&text, " in a stack of ");
		unit_add_count(&text, s->lines.n - n_labels);
		buf_addz(&text, s->lines.n - n_labels == 1 ? " frame" : " frames");
		if (s->lines.n > (uint32_t)(s->lines.height > 0 ? s->lines.height : 0)) {
			buf_addz(&text, ", line ");
			unit_add_count(&text, (uint64_t)s->lines.selected + 1);
		}
		if (shell_traces_labels(m, s->entry) == TRACES_NONE)
			buf_addz(&text, "; labels differ");
	}
	grid_text(g, line, 1, 0, buf_text(&text), heading_style(s->stack_has_focus));
	grid_text_right(g, line, line.width - 1, 0, s->stack_has_focus ? "" : " Tab", theme_style(ROLE_KEY));
	buf_release(&text);
}

static void view_traces_draw_line(const struct samples *m, const struct traces_state *s, uint32_t i, struct grid *g,
				  struct area line)
{
	const struct trace_line *l = &s->line[i];
	bool here = i == s->lines.selected && s->stack_has_focus, hit = shell_traces_is_hit(m, s, l);
	struct style plain = row_style(theme_style(ROLE_PLAIN), here, true),
		     style = row_style(theme_style(hit           ? ROLE_MATCH
						   : l->is_label ? ROLE_COMMAND
								 : ROLE_PLAIN),
				       here, true);
	struct buf text = { 0 };

	if (here)
		grid_fill(g, line, ' ', plain);
	grid_text(g, line, 0, 0, here ? ">" : "", plain);
	if (l->is_label) {
		shell_traces_add_label(m->t, &m->t->label[l->at], " ", &text);
		grid_text_short(g, line, 2, 0, buf_text(&text), line.width - 4, style);
	} else {
		shell_name_draw(g, line, 4, 0, m->t->name[l->at], l->inlined ? "(inline)" : "", line.width - 4, style,
				style);
	}
	buf_release(&text);
}

static void draw_stack(const struct samples *m, struct traces_state *s, struct grid *g, struct area a)
{
	struct area rows = { a.x, a.y + 1, a.width, a.height - 1 };

	shell_list_fit(&s->lines, s->lines.n, rows.height);
	draw_stack_head(m, s, g, (struct area){ a.x, a.y, a.width, 1 });
	for (int y = 0; y < rows.height && s->lines.top + (uint32_t)y < s->lines.n; y++)
		view_traces_draw_line(m, s, s->lines.top + (uint32_t)y, g,
				      (struct area){ rows.x, rows.y + y, rows.width - 1, 1 });
	shell_list_draw_bar(&s->lines, g, rows, theme_style(ROLE_MUTED));
}

/* Show both parts if there is room, else the part with the keyboard focus. */
static void view_traces_split(struct traces_state *s, struct area a)
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
	} else if (s->stack_has_focus) {
		s->list_area.height = 0;
	} else {
		s->stack_area.height = 0;
	}
}

static void view_traces_draw(struct shell *sh, struct pane *p, struct grid *g, struct area a)
{
	const struct samples *m = p->model->view_data;
	struct traces_state *s = p->state;

	view_traces_split(s, a);
	if (m->n == 0) {
		grid_text(g, a, 2, a.height / 2, headline_no_rows(sh, m->head), theme_style(ROLE_PLAIN));
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
	return p->model->view_data;
}

static void view_traces_model_changed(struct shell *s, struct pane *p)
{
	(void)s;
	shell_traces_set_model(samples_of(p), p->state, p->search);
}

static bool view_traces_move(struct shell *s, struct pane *p, const struct event *e)
{
	struct traces_state *state = p->state;

	(void)s;
	if (state->stack_has_focus)
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
	state->stack_has_focus = !state->stack_has_focus;
	return true;
}

static bool to_stack(struct shell *s, struct pane *p, const struct event *e)
{
	(void)s;
	(void)e;
	((struct traces_state *)p->state)->stack_has_focus = true;
	return true;
}

static bool to_list(struct shell *s, struct pane *p, const struct event *e)
{
	(void)s;
	(void)e;
	((struct traces_state *)p->state)->stack_has_focus = false;
	return true;
}

/* The selected line of the stack; NULL when the list of samples has the focus. */
static const struct trace_line *view_traces_selected_line(const struct pane *p)
{
	const struct traces_state *state = p->state;

	assert(!state->lines.n || state->lines.selected < state->lines.n);
	return state->stack_has_focus && state->lines.n ? &state->line[state->lines.selected] : NULL;
}

/* Set tagfocus or tagignore to the selected label; false when none is selected. */
static bool view_traces_with_label(struct shell *s, struct pane *p, const char *option)
{
	const struct traces *t = samples_of(p)->t;
	const struct trace_line *line = view_traces_selected_line(p);
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
		shell_run_linef(s, "%s=%s", option, buf_text(&text));
	else
		shell_notify(s, true, "%s cannot select this label", option);
	buf_release(&text);
	return true;
}

static bool view_traces_open_line(struct shell *s, struct pane *p, const struct event *e)
{
	const struct trace_line *line = view_traces_selected_line(p);
	struct buf selection = { 0 };

	(void)e;
	if (!line)
		return to_stack(s, p, e);
	if (view_traces_with_label(s, p, "tagfocus"))
		return true;
	shell_add_selection(s, &selection);
	if (selection.len)
		shell_run_linef(s, "peek %s", buf_text(&selection));
	else
		shell_notify(s, false, "no details for this frame");
	buf_release(&selection);
	return true;
}

static bool view_traces_filter_label(struct shell *s, struct pane *p, const struct event *e)
{
	return view_traces_with_label(s, p, e->key == 'f' ? "tagfocus" : "tagignore");
}

/* Change the order or merging of the model, and select its first row. */
static void view_traces_set_flag(struct shell *s, struct pane *p, unsigned what)
{
	((struct traces_state *)p->state)->hash = 0;
	p->flags ^= what;
	shell_refresh(s, p);
}

static bool view_traces_sort(struct shell *s, struct pane *p, const struct event *e)
{
	(void)e;
	view_traces_set_flag(s, p, TRACES_BY_VALUE);
	shell_notify(s, false, p->flags & TRACES_BY_VALUE ? "sorted by flat" : "in the order of the profile");
	return true;
}

static bool view_traces_merge(struct shell *s, struct pane *p, const struct event *e)
{
	(void)e;
	view_traces_set_flag(s, p, TRACES_MERGED);
	shell_notify(s, false, p->flags & TRACES_MERGED ? "equal stacks merged" : "samples shown separately");
	return true;
}

/* Select the next matching line of a stack, or the next sample, all of which match. */
static bool view_traces_next_match(struct shell *s, struct pane *p, const struct event *e)
{
	struct traces_state *state = p->state;
	const struct samples *m = samples_of(p);
	int by = e->key == 'N' ? -1 : 1;

	if (!state->find) {
		shell_notify(s, false, "press / to search frames and labels");
		return true;
	}
	for (int64_t i = (int64_t)state->lines.selected + by; state->stack_has_focus && i >= 0 && i < state->lines.n;
	     i += by)
		if (shell_traces_is_hit(m, state, &state->line[i])) {
			shell_list_select(&state->lines, (uint32_t)i);
			return true;
		}
	if (by > 0 || state->list.selected > 0)
		shell_list_select(&state->list, state->list.selected + (uint32_t)by);
	shell_traces_lines(m, state);
	return true;
}

static void view_traces_search(struct shell *s, struct pane *p, const char *text)
{
	struct traces_state *state = p->state;

	shell_traces_filter(samples_of(p), state, text);
	if (*text)
		shell_notify(s, false, "%s of %s %s", shell_number_count(state->list.n).text,
			     shell_number_count(samples_of(p)->n).text, samples_of(p)->first ? "stacks" : "samples");
}

/* A click on a row selects it; on the heading of the list it sorts. */
static bool view_traces_mouse(struct shell *s, struct pane *p, const struct event *e)
{
	struct traces_state *state = p->state;
	const struct event at = { .x = e->x + p->area.x, .y = e->y + p->area.y };
	int y = at.y;
	bool in_stack = grid_has(state->stack_area, at.x, at.y);
	struct area a = in_stack ? state->stack_area : state->list_area;
	struct list *list = in_stack ? &state->lines : &state->list;
	uint32_t row;

	if (!grid_has(a, at.x, at.y))
		return false;
	if (e->kind == EVENT_WHEEL) {
		shell_list_key(list, e);
	} else if (y == a.y) {
		if (!in_stack && e->kind == EVENT_CLICK)
			return view_traces_sort(s, p, e);
		state->stack_has_focus = in_stack;
	} else if (shell_list_row_at(list, y - a.y - 1, &row)) {
		shell_list_select(list, row);
		state->stack_has_focus = in_stack;
	}
	shell_traces_lines(samples_of(p), state);
	if (e->kind == EVENT_DOUBLE && y > a.y)
		return view_traces_open_line(s, p, e);
	return true;
}

static void view_traces_add_selection(struct shell *s, struct pane *p, struct buf *out)
{
	const struct samples *m = samples_of(p);
	const struct traces_state *state = p->state;
	const struct trace_line *line = view_traces_selected_line(p);
	uint32_t name = TRACES_NONE;

	if (line && !line->is_label)
		name = line->at;
	else if (!line && state->entry != TRACES_NONE && m->n)
		name = shell_traces_leaf(m, state->entry);
	if (name != TRACES_NONE)
		shell_quote_place(s, &m->t->place[name], out);
}

static void view_traces_release_state(struct pane *p)
{
	shell_traces_release(p->state);
}

static const struct binding keys[] = {
	{ "j k Up Down PageUp PageDown Ctrl-D Ctrl-U g G Home End", "move", NULL, NULL, .act = view_traces_move },
	{ "Enter", "go to the stack; there: show callers and callees of a frame, or keep samples with a label", "open",
	  "peek NAME", .act = view_traces_open_line },
	{ "Tab BackTab", "switch between samples and stack", "stack", NULL, .act = other_part },
	{ "Right l", "go to the stack", NULL, NULL, .act = to_stack },
	{ "Left h", "go to the samples", NULL, NULL, .act = to_list },
	{ "S < >", "sort by flat, or in the order of the profile", "sort", NULL, .act = view_traces_sort },
	{ "=", "merge samples with equal stacks, or show them separately", "merge", NULL, .act = view_traces_merge },
	{ "n N", "next and previous match", NULL, NULL, .act = view_traces_next_match },
	{ "f", "keep samples with the selected label or function", NULL, "tagfocus=KEY=^VALUE$",
	  .act = view_traces_filter_label },
	{ "x", "drop samples with the selected label or function", NULL, "tagignore=KEY=^VALUE$",
	  .act = view_traces_filter_label },
};

const struct pane_class shell_view_traces = {
	.title = "Traces",
	.help = "All samples of the profile: flat, its percentage of the total, the innermost function, and "
		"labels. Below, or beside in a wide window, are the labels and the stack of the selected sample, "
		"innermost frame first; (inline) marks a frame that was inlined into the frame below it. / shows "
		"only samples with a matching frame or label. = merges samples with equal stacks and adds up their "
		"values. Negative values belong to the base of a comparison.",
	.key = keys,
	.n_keys = sizeof(keys) / sizeof(keys[0]),
	.state_size = sizeof(struct traces_state),
	.make = shell_traces_model,
	.model_changed = view_traces_model_changed,
	.draw = view_traces_draw,
	.mouse = view_traces_mouse,
	.add_selection = view_traces_add_selection,
	.search = view_traces_search,
	.release = view_traces_release_state,
};
