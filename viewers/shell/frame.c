/*
 * frame.c - what is around a pane, and where: title, tabs, chips, hints, the prompt line
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/shell/shell_int.h"

#include "base/mem.h"
#include "viewers/flame/flame.h"
#include "viewers/shell/wrap.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void frame_forget_hits(struct shell *s)
{
	for (size_t i = 0; i < s->n_hits; i++) {
		free(s->hit[i].line);
		free(s->hit[i].typed);
	}
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

void frame_hit_typed(struct shell *s, struct area a, const char *line)
{
	add_hit(s, a)->typed = mem_strndup(line, strlen(line));
}

void frame_hit_event(struct shell *s, struct area a, const char *event)
{
	struct event e;

	if (event_parse(&event, &e, NULL) == 0)
		add_hit(s, a)->event = e;
}

/* Do what a hit says. It is forgotten by what it does, so it is copied. */
static void do_hit(struct shell *s, const struct hit *h)
{
	struct event event = h->event;
	const char *text = h->line ? h->line : h->typed;
	char *own = text ? mem_strndup(text, strlen(text)) : NULL;

	assert(!h->line || !h->typed);
	if (h->line)
		shell_line(s, own, true);
	else if (h->typed)
		prompt_open(s, own);
	else
		shell_handle(s, &event);
	free(own);
}

bool frame_click(struct shell *s, const struct event *e)
{
	if (e->kind != EVENT_CLICK)
		return false;
	for (size_t i = s->n_hits; i-- > 0;)
		if (overlay_has(s->hit[i].area, e)) {
			do_hit(s, &s->hit[i]);
			return true;
		}
	return false;
}

/* Which rows are there: the smaller the screen, the fewer. -1 for one that is not. */
struct layout {
	int title, tabs, chips, hints, prompt;
	int top, height; /* of the pane */
};

static struct layout lay_out(struct shell *s)
{
	int height = s->grid.height, y = 0;
	struct layout l = { -1, -1, -1, -1, -1, 0, 0 };

	if (height >= 3)
		l.title = y++;
	if (height >= 6)
		l.tabs = y++;
	if ((height >= 8 || (height >= 4 && s->chip >= 0)) && s->n_panes && chips_any(s))
		l.chips = y++;
	l.top = y;
	if (height >= 2)
		l.prompt = --height;
	if (height >= 4)
		l.hints = --height;
	l.height = height > y ? height - y : 0;
	return l;
}

struct area frame_body(struct shell *s)
{
	struct layout l = lay_out(s);

	return (struct area){ 0, l.top, s->grid.width, l.height };
}

static struct area row_of(const struct shell *s, int y)
{
	return (struct area){ 0, y, s->grid.width, 1 };
}

/* How long the server was asked to collect; 0 when nobody said. */
static int64_t seconds_asked(const struct shell *s)
{
	const char *in_url =
		s->open.from[SIDE_TARGET].n ? strstr(s->open.from[SIDE_TARGET].source[0], "seconds=") : NULL;
	int64_t seconds = settings_query(s->now)->seconds;

	if (seconds <= 0 && in_url)
		seconds = strtoll(in_url + strlen("seconds="), NULL, 10);
	return seconds > 0 ? seconds : 0;
}

static void draw_doing(struct shell *s, struct area a, const struct doing *doing)
{
	bool is_fetch = doing->is_errand && strcmp(doing->command, "fetch") == 0;
	struct buf text = { 0 };
	int64_t asked = is_fetch ? seconds_asked(s) : 0;

	buf_addf(&text, "%s: %s", doing->command,
		 doing->is_stopping ? "stopping"
		 : doing->what      ? doing->what
				    : "working");
	if (doing->percent >= 0)
		buf_addf(&text, " %d %%", doing->percent);
	if (is_fetch)
		buf_addf(&text, " %" PRId64 " s", doing->ms / 1000);
	if (asked)
		buf_addf(&text, " of %" PRId64, asked);
	buf_addf(&text, "%.*s  Esc stops", (int)(s->n_wakes % 4), "...");
	grid_text(&s->grid, a, 1, 0, buf_text(&text), theme_look(LOOK_WARM));
	buf_release(&text);
}

/* One key with what it does, where it is told in brief. Gives the column behind it, x when it has no room. */
static int draw_hint(struct shell *s, struct area a, int x, int end, const struct binding *k)
{
	size_t n = strcspn(k->events, " ");
	int from = x;
	char name[32];

	if (!k->brief || n >= sizeof(name) || x + (int)(n + flame_columns(k->brief)) + 2 > end)
		return x;
	memcpy(name, k->events, n);
	name[n] = 0;
	x = grid_text(&s->grid, a, x + 1, 0, name, theme_look(LOOK_KEY));
	x = grid_text(&s->grid, a, x + 1, 0, k->brief, theme_look(LOOK_QUIET));
	frame_hit_event(s, (struct area){ a.x + from, a.y, x - from, 1 }, name);
	return x + 1;
}

/* Is it of use in this view? */
static bool is_hinted(const struct pane_class *class, const struct binding *k)
{
	return k->brief && !key_is_taken(class, k) && (class->search || strcmp(k->brief, "search") != 0);
}

static bool is_always(const struct binding *k)
{
	return k->brief && (strcmp(k->brief, "help") == 0 || strcmp(k->brief, "quit") == 0);
}

/* Help and quit have their place at the right, the others as far as there is room. */
static void draw_keys(struct shell *s, struct area a)
{
	const struct pane *p = shell_pane(s);
	int end = a.width, x = 0;

	for (size_t i = 0; i < shell_n_keys; i++)
		if (is_always(&shell_keys[i]))
			end -= (int)(strcspn(shell_keys[i].events, " ") + strlen(shell_keys[i].brief)) + 3;
	for (size_t i = 0; i < p->class->n_keys; i++)
		x = draw_hint(s, a, x, end, &p->class->key[i]);
	for (size_t i = 0; i < shell_n_keys; i++)
		if (!is_always(&shell_keys[i]) && is_hinted(p->class, &shell_keys[i]))
			x = draw_hint(s, a, x, end, &shell_keys[i]);
	for (size_t i = 0; i < shell_n_keys; i++)
		if (is_always(&shell_keys[i]))
			x = draw_hint(s, a, x, a.width, &shell_keys[i]);
}

/* A message, what is being done, or keys. Without a row of their own, errors take the prompt's. */
static void draw_hints(struct shell *s, const struct layout *l)
{
	struct area a = row_of(s, l->hints >= 0 ? l->hints : l->prompt >= 0 ? l->prompt : 0);
	struct doing doing;
	bool is_busy = work_doing(s->work, &doing) && doing.ms >= SOON_MS;

	if (s->said.len && (s->said_is_error || !is_busy)) {
		grid_fill(&s->grid, a, ' ', theme_look(LOOK_PLAIN));
		grid_text_short(&s->grid, a, 1, 0, buf_text(&s->said), a.width - 1, /* errors have the reason last */
				theme_look(s->said_is_error ? LOOK_ERROR : LOOK_PLAIN));
	} else if (is_busy) {
		draw_doing(s, a, &doing);
	} else if (l->hints >= 0) {
		draw_keys(s, a);
	}
}

/* The command that the last key stood for, else the one of this view. */
static void draw_prompt(struct shell *s, int y)
{
	struct area a = row_of(s, y);
	const char *line = s->shown_line.len ? buf_text(&s->shown_line) : shell_pane(s)->line;
	int x = grid_text(&s->grid, a, 0, 0, "(cpa) ", theme_look(LOOK_QUIET));

	grid_text(&s->grid, a, x, 0, line, theme_look(LOOK_COMMAND));
	frame_hit_event(s, a, ":");
}

static void draw_pane(struct shell *s)
{
	struct pane *p = shell_pane(s);
	struct area a;

	p->area = frame_body(s);
	a = p->area;
	if (p->class->by_width && p->model && p->made_width != p->area.width && !p->is_waiting)
		shell_refresh(s, p);
	if (p->err.code)
		wrap_draw(&s->grid, (struct area){ a.x, a.y, a.width > 3 ? a.width - 1 : a.width, a.height },
			  a.width > 8 ? 2 : 0, a.height / 3, p->err.msg, theme_look(LOOK_ERROR));
	else if (p->model)
		p->class->draw(s, p, &s->grid, p->area);
	else if (a.height > 2)
		grid_text(&s->grid, a, 2, a.height / 3, "...", theme_look(LOOK_QUIET));
}

void frame_draw(struct shell *s)
{
	struct grid *g = &s->grid;
	struct layout l = lay_out(s);

	s->has_news = false;
	grid_clear(g, theme_look(LOOK_PLAIN));
	g->cursor_x = g->cursor_y = -1;
	frame_forget_hits(s);
	if (l.title >= 0)
		title_draw(s, row_of(s, l.title));
	if (l.tabs >= 0)
		tabs_draw(s, row_of(s, l.tabs));
	if (l.chips >= 0)
		chips_draw(s, g, row_of(s, l.chips));
	draw_pane(s);
	if (l.prompt >= 0)
		draw_prompt(s, l.prompt);
	draw_hints(s, &l);
	for (struct overlay *o = s->overlay, *below = NULL; o != below;) {
		struct overlay *lowest = o;

		while (lowest->below != below)
			lowest = lowest->below;
		lowest->class->draw(s, lowest, g);
		below = lowest;
	}
}
