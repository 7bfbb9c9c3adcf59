/*
 * frame.c - the rows around a pane: title, tabs, chips, hints, prompt
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/shell/state.h"

#include "base/columns.h"
#include "base/mem.h"
#include "engine/query.h"
#include "front/shell/widgets/wrap.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void frame_clear_hits(struct shell *s)
{
	for (size_t i = 0; i < s->n_hits; i++) {
		free(s->hit[i].line);
		free(s->hit[i].edit_line);
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

void frame_hit_edit(struct shell *s, struct area a, const char *line)
{
	add_hit(s, a)->edit_line = mem_strndup(line, strlen(line));
}

void frame_hit_event(struct shell *s, struct area a, const char *event)
{
	struct event e;

	if (event_parse(&event, &e, NULL) == 0)
		add_hit(s, a)->event = e;
}

/* Run the action of a hit area. The action may free the hit areas, so its text is copied. */
static void run_hit(struct shell *s, const struct hit *h)
{
	struct event event = h->event;
	const char *text = h->line ? h->line : h->edit_line;
	char *own = text ? mem_strndup(text, strlen(text)) : NULL;

	assert(!h->line || !h->edit_line);
	if (h->line)
		shell_run_line(s, own, true);
	else if (h->edit_line)
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
		if (grid_has(s->hit[i].area, e->x, e->y)) {
			run_hit(s, &s->hit[i]);
			return true;
		}
	return false;
}

/* The layout of the screen. Small screens have fewer rows; a missing row is -1. */
struct frame_layout {
	int title, tabs, chips, hints, prompt;
	int top, height; /* first row and height of the pane */
};

static struct frame_layout lay_out(struct shell *s)
{
	int height = s->grid.height, y = 0;
	struct frame_layout l = { -1, -1, -1, -1, -1, 0, 0 };

	if (height >= 3)
		l.title = y++;
	if (height >= 6)
		l.tabs = y++;
	if ((height >= 8 || (height >= 4 && s->selected_chip >= 0)) && s->n_panes && chips_any(s))
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
	struct frame_layout l = lay_out(s);

	return (struct area){ 0, l.top, s->grid.width, l.height };
}

static struct area shell_frame_row_of(const struct shell *s, int y)
{
	return (struct area){ 0, y, s->grid.width, 1 };
}

/* The number of seconds that the server was asked to collect; 0 if unknown. */
static int64_t seconds_requested(const struct shell *s)
{
	const char *in_url =
		s->options.sources[SIDE_NEW].n ? strstr(s->options.sources[SIDE_NEW].source[0], "seconds=") : NULL;
	int64_t seconds = settings_query(s->settings)->seconds;

	if (seconds <= 0 && in_url)
		seconds = strtoll(in_url + strlen("seconds="), NULL, 10);
	return seconds > 0 ? seconds : 0;
}

static void draw_status(struct shell *s, struct area a, const struct work_status *status)
{
	bool is_fetch = status->is_task && strcmp(status->command, "fetch") == 0;
	struct buf text = { 0 };
	int64_t requested = is_fetch ? seconds_requested(s) : 0;

	buf_addf(&text, "%s: %s", status->command,
		 status->is_stopping ? "stopping"
		 : status->step      ? status->step
				     : "working");
	if (status->percent >= 0)
		buf_addf(&text, " %d %%", status->percent);
	if (is_fetch)
		buf_addf(&text, " %" PRId64 " s", status->elapsed_ms / 1000);
	if (requested)
		buf_addf(&text, " of %" PRId64, requested);
	buf_addf(&text, "%.*s  Esc stops", (int)(s->n_wakes % 4), "...");
	grid_text(&s->grid, a, 1, 0, buf_text(&text), theme_style(ROLE_WARM));
	buf_release(&text);
}

/* Draw one key with its hint, if it has one. Return the column after it, or x when there is no room. */
static int draw_hint(struct shell *s, struct area a, int x, int end, const struct binding *k)
{
	size_t n = strcspn(k->events, " ");
	int from = x;
	char name[32];

	if (!k->hint || n >= sizeof(name) || x + (int)(n + column_count(k->hint)) + 2 > end)
		return x;
	memcpy(name, k->events, n);
	name[n] = 0;
	x = grid_text(&s->grid, a, x + 1, 0, name, theme_style(ROLE_KEY));
	x = grid_text(&s->grid, a, x + 1, 0, k->hint, theme_style(ROLE_MUTED));
	frame_hit_event(s, (struct area){ a.x + from, a.y, x - from, 1 }, name);
	return x + 1;
}

/* Is the hint of a key of the shell shown in this view? */
static bool is_hinted(const struct pane_class *class, const struct binding *k)
{
	return k->hint && !key_is_overridden(class, k) && (class->search || strcmp(k->hint, "search") != 0);
}

static bool is_always(const struct binding *k)
{
	return k->hint && (strcmp(k->hint, "help") == 0 || strcmp(k->hint, "quit") == 0);
}

/* Draw the keys for help and quit at the right, and as many other keys as fit. */
static void draw_keys(struct shell *s, struct area a)
{
	const struct pane *p = shell_pane(s);
	int end = a.width, x = 0;

	for (size_t i = 0; i < shell_n_keys; i++)
		if (is_always(&shell_keys[i]))
			end -= (int)(strcspn(shell_keys[i].events, " ") + strlen(shell_keys[i].hint)) + 3;
	for (size_t i = 0; i < p->class->n_keys; i++)
		x = draw_hint(s, a, x, end, &p->class->key[i]);
	for (size_t i = 0; i < shell_n_keys; i++)
		if (!is_always(&shell_keys[i]) && is_hinted(p->class, &shell_keys[i]))
			x = draw_hint(s, a, x, end, &shell_keys[i]);
	for (size_t i = 0; i < shell_n_keys; i++)
		if (is_always(&shell_keys[i]))
			x = draw_hint(s, a, x, a.width, &shell_keys[i]);
}

/* Draw a message, the progress, or the keys. On a screen without a row of hints, draw errors in the row of the
   prompt. */
static void draw_hints(struct shell *s, const struct frame_layout *l)
{
	struct area a = shell_frame_row_of(s, l->hints >= 0 ? l->hints : l->prompt >= 0 ? l->prompt : 0);
	struct work_status status;
	bool is_busy = work_get_status(s->work, &status) && status.elapsed_ms >= PROGRESS_DELAY_MS;

	if (s->message.len && (s->message_is_error || !is_busy)) {
		grid_fill(&s->grid, a, ' ', theme_style(ROLE_PLAIN));
		grid_text_short(&s->grid, a, 1, 0, buf_text(&s->message),
				a.width - 1, /* cut in the middle, since errors end with the reason */
				theme_style(s->message_is_error ? ROLE_ERROR : ROLE_PLAIN));
	} else if (is_busy) {
		draw_status(s, a, &status);
	} else if (l->hints >= 0) {
		draw_keys(s, a);
	}
}

/* Draw the command that the last key ran, or else the command of this view. */
static void draw_prompt(struct shell *s, int y)
{
	struct area a = shell_frame_row_of(s, y);
	const char *line = s->key_line.len ? buf_text(&s->key_line) : shell_pane(s)->line;
	int x = grid_text(&s->grid, a, 0, 0, "(cpa) ", theme_style(ROLE_MUTED));

	grid_text(&s->grid, a, x, 0, line, theme_style(ROLE_COMMAND));
	frame_hit_event(s, a, ":");
}

static void draw_pane(struct shell *s)
{
	struct pane *p = shell_pane(s);
	struct area a;

	p->area = frame_body(s);
	a = p->area;
	if (p->class->depends_on_width && p->model && p->model_width != p->area.width && !p->is_waiting)
		shell_refresh(s, p);
	if (p->err.code)
		wrap_draw(&s->grid, (struct area){ a.x, a.y, a.width > 3 ? a.width - 1 : a.width, a.height },
			  a.width > 8 ? 2 : 0, a.height / 3, p->err.msg, theme_style(ROLE_ERROR));
	else if (p->model)
		p->class->draw(s, p, &s->grid, p->area);
	else if (a.height > 2)
		grid_text(&s->grid, a, 2, a.height / 3, "...", theme_style(ROLE_MUTED));
}

void frame_draw(struct shell *s)
{
	struct grid *g = &s->grid;
	struct frame_layout l = lay_out(s);

	s->has_new_model = false;
	grid_clear(g, theme_style(ROLE_PLAIN));
	g->cursor_x = g->cursor_y = -1;
	frame_clear_hits(s);
	if (l.title >= 0)
		title_draw(s, shell_frame_row_of(s, l.title));
	if (l.tabs >= 0)
		tabs_draw(s, shell_frame_row_of(s, l.tabs));
	if (l.chips >= 0)
		chips_draw(s, g, shell_frame_row_of(s, l.chips));
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
