/*
 * frame.c - what is around a pane: title, tabs, filters in force, hints, the prompt line
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/shell/shell_int.h"

#include "base/mem.h"
#include "engine/view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void frame_forget_hits(struct shell *s)
{
	for (size_t i = 0; i < s->n_hits; i++)
		free(s->hit[i].line);
	s->n_hits = 0;
}

static struct hit *add_hit(struct shell *s, struct area a)
{
	s->hit = mem_grow(s->hit, &s->cap_hits, s->n_hits + 1, sizeof(*s->hit));
	s->hit[s->n_hits] = (struct hit){ .area = a };
	return &s->hit[s->n_hits++];
}

void frame_hit_line(struct shell *s, struct area a, const char *line)
{
	add_hit(s, a)->line = mem_strndup(line, strlen(line));
}

void frame_hit_event(struct shell *s, struct area a, const char *event)
{
	struct event e;

	if (event_parse(&event, &e, NULL) == 0)
		add_hit(s, a)->event = e;
}

bool frame_click(struct shell *s, const struct event *e)
{
	if (e->kind != EVENT_CLICK)
		return false;
	for (size_t i = s->n_hits; i-- > 0;) {
		const struct hit *h = &s->hit[i];
		struct event event = h->event;
		char *line;

		if (e->x < h->area.x || e->x >= h->area.x + h->area.width || e->y < h->area.y ||
		    e->y >= h->area.y + h->area.height)
			continue;
		line = h->line ? mem_strndup(h->line, strlen(h->line)) : NULL;
		if (line)
			shell_line(s, line, true);
		else
			shell_handle(s, &event);
		free(line);
		return true;
	}
	return false;
}

static struct area row_of(const struct shell *s, int y)
{
	return (struct area){ 0, y, s->grid.width, 1 };
}

static void draw_title(struct shell *s)
{
	const struct pane *p = shell_pane(s);
	const struct head *h = p->model ? &p->model->report.head : NULL;
	struct grid *g = &s->grid;
	struct area a = row_of(s, 0);
	struct buf right = { 0 };
	int x;

	grid_fill(g, a, ' ', theme_look(LOOK_BAR));
	x = grid_text(g, a, 0, 0, " cpa  ", theme_look(LOOK_BAR));
	if (h && h->type) {
		buf_addf(&right, "%s  ", h->type);
		report_add_value(h, h->total, &right);
		buf_addz(&right, " ");
	}
	for (size_t i = 0; i < s->open.n_sources; i++) {
		int room = g->width - x - (int)right.len - 1;

		if (room < 4)
			break;
		x = grid_text_short(g, a, x, 0, s->open.sources[i], room, theme_look(LOOK_BAR)) + 1;
	}
	grid_text_right(g, a, g->width, 0, buf_text(&right), theme_look(LOOK_BAR));
	buf_release(&right);
}

/* The views, with the keys that show them. */
static void draw_tabs(struct shell *s)
{
	static const struct {
		const char *key, *title;
		enum query_report report;
	} tabs[] = {
		{ "1", "Top", REPORT_TOP },       { "2", "Callers", REPORT_PEEK },   { "3", "Tree", REPORT_TREE },
		{ "4", "Flame", REPORT_FLAME },   { "5", "Source", REPORT_LIST },    { "6", "Assembly", REPORT_DISASM },
		{ "7", "Traces", REPORT_TRACES }, { "8", "Labels", REPORT_TAGS },
	};
	struct grid *g = &s->grid;
	struct area a = row_of(s, 1);
	int x = 0;

	grid_fill(g, a, ' ', theme_look(LOOK_TAB));
	for (size_t i = 0; i < sizeof(tabs) / sizeof(tabs[0]); i++) {
		bool here = shell_pane(s)->command->report == tabs[i].report;
		struct look look = theme_look(here ? LOOK_TAB_HERE : LOOK_TAB);
		int from = x;

		x = grid_text(g, a, x, 0, here ? "[" : " ", look);
		x = grid_text(g, a, x, 0, tabs[i].key, look);
		x = grid_text(g, a, x, 0, " ", look);
		x = grid_text(g, a, x, 0, tabs[i].title, look);
		x = grid_text(g, a, x, 0, here ? "]" : " ", look);
		frame_hit_event(s, (struct area){ from, 1, x - from, 1 }, tabs[i].key);
	}
}

/* Is a filter in force, so that there is a line of chips? */
static bool has_chips(const struct shell *s)
{
	struct area none = { 0, 0, 0, 0 };

	return s->n_panes && frame_chips((struct shell *)s, NULL, none) > 0;
}

struct area frame_body(struct shell *s)
{
	int above = SHELL_ROWS_ABOVE + has_chips(s);
	int height = s->grid.height - above - SHELL_ROWS_BELOW;

	return (struct area){ 0, above, s->grid.width, height > 0 ? height : 0 };
}

static void draw_doing(struct shell *s, struct area a, const struct doing *doing)
{
	struct buf text = { 0 };

	buf_addf(&text, " %s: %s", doing->command, doing->is_stopping ? "stopping" : doing->what ? doing->what : "working");
	if (doing->percent >= 0)
		buf_addf(&text, " %d %%", doing->percent);
	buf_addf(&text, "%.*s  Esc stops", (int)(s->n_wakes % 4), "...");
	grid_text(&s->grid, a, 0, 0, buf_text(&text), theme_look(LOOK_WARM));
	buf_release(&text);
}

static int draw_hint(struct shell *s, struct area a, int x, const struct binding *k)
{
	const char *names = k->events;
	char name[32];
	size_t n = strcspn(names, " ");

	if (n >= sizeof(name) || x + (int)(n + strlen(k->brief)) + 3 > a.width)
		return x;
	memcpy(name, names, n);
	name[n] = 0;
	frame_hit_event(s, (struct area){ a.x + x, a.y, (int)(n + strlen(k->brief)) + 1, 1 }, name);
	x = grid_text(&s->grid, a, x + 1, 0, name, theme_look(LOOK_KEY));
	return grid_text(&s->grid, a, x + 1, 0, k->brief, theme_look(LOOK_QUIET)) + 1;
}

static void draw_hints(struct shell *s)
{
	const struct pane *p = shell_pane(s);
	struct area a = row_of(s, s->grid.height - 2);
	struct doing doing;
	int x = 0;

	if (s->said.len) {
		grid_text(&s->grid, a, 1, 0, buf_text(&s->said), theme_look(s->said_is_error ? LOOK_ERROR : LOOK_PLAIN));
		return;
	}
	if (work_doing(s->work, &doing)) {
		draw_doing(s, a, &doing);
		return;
	}
	for (size_t i = 0; i < p->class->n_keys; i++)
		if (p->class->key[i].brief)
			x = draw_hint(s, a, x, &p->class->key[i]);
	for (size_t i = 0; i < shell_n_keys; i++)
		if (shell_keys[i].brief)
			x = draw_hint(s, a, x, &shell_keys[i]);
}

/* The command that the last key stood for, else the one of this view. */
static void draw_prompt(struct shell *s)
{
	struct area a = row_of(s, s->grid.height - 1);
	const char *line = s->shown_line.len ? buf_text(&s->shown_line) : shell_pane(s)->line;
	int x = grid_text(&s->grid, a, 0, 0, "(cpa) ", theme_look(LOOK_QUIET));

	grid_text(&s->grid, a, x, 0, line, theme_look(LOOK_COMMAND));
	frame_hit_event(s, a, ":");
}

static void draw_middle(struct shell *s, struct area a, const char *text, enum role role)
{
	int y = a.height / 2;

	for (const char *line = text; *line && y < a.height; y++) {
		char *one = mem_strndup(line, strcspn(line, "\n"));

		grid_text(&s->grid, a, 2, y, one, theme_look(role));
		line += strlen(one) + (line[strlen(one)] == '\n');
		free(one);
	}
}

static void draw_pane(struct shell *s)
{
	struct pane *p = shell_pane(s);

	p->area = frame_body(s);
	if (p->class->by_width && p->model && p->made_width != p->area.width && !p->is_waiting)
		shell_refresh(s, p);
	if (p->err.code)
		draw_middle(s, p->area, p->err.msg, LOOK_ERROR);
	else if (p->model)
		p->class->draw(s, p, &s->grid, p->area);
}

void frame_draw(struct shell *s)
{
	struct grid *g = &s->grid;

	grid_clear(g, theme_look(LOOK_PLAIN));
	g->cursor_x = g->cursor_y = -1;
	frame_forget_hits(s);
	draw_title(s);
	draw_tabs(s);
	if (has_chips(s))
		frame_chips(s, g, row_of(s, SHELL_ROWS_ABOVE));
	draw_pane(s);
	draw_hints(s);
	draw_prompt(s);
	for (struct overlay *o = s->overlay, *below = NULL; o != below;) {
		struct overlay *lowest = o;

		while (lowest->below != below)
			lowest = lowest->below;
		lowest->class->draw(s, lowest, g);
		below = lowest;
	}
}
