/*
 * chips.c - the row of chips below the tabs: active filters and other options, to change or remove
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/shell/option.h"
#include "front/shell/state.h"

#include "base/columns.h"
#include "base/mem.h"
#include "engine/query.h"
#include "engine/view.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHIPS_MAX = 64, CHIP_COLUMNS = 32, CTRL_C = 3 };

struct chip {
	char *text;   /* for example "focus=main" */
	char *edit;   /* line put into the prompt to change the option */
	char *remove; /* line that removes the option */
};

struct chips {
	struct chip chip[CHIPS_MAX];
	int n;
};

static void shell_chips_release(struct chips *c)
{
	for (int i = 0; i < c->n; i++) {
		free(c->chip[i].text);
		free(c->chip[i].edit);
		free(c->chip[i].remove);
	}
	c->n = 0;
}

/* Does an option get a chip? Chips show the options that decide which samples, frames and rows are shown. */
static bool shell_chips_has_chip(const struct option *o)
{
	if (strcmp(o->name, "sort") == 0)
		return false;
	return o->opt->group == GROUP_FILTER || o->opt->group == GROUP_VALUE || o->opt->group == GROUP_GRAIN ||
	       o->opt->group == GROUP_REPORT;
}

/* The default sample type gets no chip, even when it is named. */
static bool is_default_type(const struct shell *s, const struct option *o, bool own)
{
	const struct query *q = settings_query(s->settings);
	uint32_t one, two;

	if (strcmp(o->name, "sample_index") == 0 && !own)
		return view_find_type(s->data->p, "", &one, NULL) == 0 &&
		       view_find_type(s->data->p, q->sample_index, &two, NULL) == 0 && one == two;
	return false;
}

/* The line of the pane, without the options in it: "peek main" for "peek main foo". */
static char *bare_line(const struct pane *p)
{
	struct buf line = { 0 };

	buf_addz(&line, p->type->name);
	if (reports_takes_pattern(p->type)) {
		buf_addz(&line, " ");
		option_add_word(settings_query(p->settings)->pattern, &line);
	}
	return line.data;
}

static void shell_chips_add(struct chips *c, const struct option *o, const struct settings *from,
			    const struct settings *defaults, const struct pane *own)
{
	struct buf value = { 0 }, line = { 0 }, gone = { 0 }, preset = { 0 };
	struct chip *chip = &c->chip[c->n++];

	assert(c->n <= CHIPS_MAX);
	option_add_value(o, from, &value);
	option_add_line(o->name, buf_text(&value), &line);
	option_add_value(o, defaults, &preset);
	option_add_line(o->name, buf_text(&preset), &gone);
	chip->text = mem_strndup(buf_text(&line), line.len);
	chip->edit = own ? mem_strndup(own->line, strlen(own->line)) : mem_strndup(buf_text(&line), line.len);
	chip->remove = own ? bare_line(own) : mem_strndup(buf_text(&gone), gone.len);
	buf_release(&value);
	buf_release(&line);
	buf_release(&gone);
	buf_release(&preset);
}

/* Collect the options that differ from their defaults, in the settings or in the line of the current pane. */
static void shell_chips_collect(struct shell *s, struct chips *out)
{
	static const int order[] = { GROUP_FILTER, GROUP_VALUE, GROUP_GRAIN, GROUP_REPORT };
	const struct pane *p = s->n_panes ? shell_pane(s) : NULL;
	struct settings *defaults = option_defaults();

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		struct option o;
		size_t at = 0;

		while (out->n < CHIPS_MAX && option_next(&at, &o)) {
			bool own = p && p->settings && !p->is_stale && !option_is_same(&o, p->settings, s->settings);
			const struct settings *from = own ? p->settings : s->settings;

			if ((int)o.opt->group == order[i] && shell_chips_has_chip(&o) &&
			    !option_is_same(&o, from, defaults) && !is_default_type(s, &o, own))
				shell_chips_add(out, &o, from, defaults, own ? p : NULL);
		}
	}
	settings_free(defaults);
}

bool chips_any(struct shell *s)
{
	struct chips c = { 0 };
	bool any;

	shell_chips_collect(s, &c);
	any = c.n > 0;
	shell_chips_release(&c);
	return any;
}

static int shell_chips_columns_of(const struct chip *c)
{
	size_t n = column_count(c->text);

	return (n < CHIP_COLUMNS ? (int)n : CHIP_COLUMNS) + 4; /* " text x " */
}

/* The number of chips that fit, starting with the first one, with room for "+N more". */
static int fitting(const struct chips *c, int first, int width)
{
	enum { MORE = 9 };
	int used = 0, n = first;

	assert(first >= 0);
	for (; n < c->n; n++) {
		int need = shell_chips_columns_of(&c->chip[n]) + 1;

		if (used + need + (n + 1 < c->n ? MORE : 0) > width)
			break;
		used += need;
	}
	return n > first ? n - first : 1;
}

static int draw_chip(struct shell *s, struct grid *g, struct area a, int x, const struct chip *c, bool here)
{
	struct style style = theme_style(here ? ROLE_SELECTED : ROLE_CHIP);
	int from = x, columns = a.width - x - 4;

	x = grid_text(g, a, x, 0, here ? ">" : " ", style);
	x = grid_text_short(g, a, x, 0, c->text, columns < CHIP_COLUMNS ? columns : CHIP_COLUMNS, style);
	x = grid_text(g, a, x, 0, " x ", style);
	frame_hit_edit(s, (struct area){ a.x + from, a.y, x - from - 3, 1 }, c->edit);
	frame_hit_line(s, (struct area){ a.x + x - 3, a.y, 3, 1 }, c->remove);
	return x + 1;
}

void chips_draw(struct shell *s, struct grid *g, struct area a)
{
	struct chips c = { 0 };
	int first = 0, n, x = 0;

	shell_chips_collect(s, &c);
	if (s->selected_chip >= c.n)
		s->selected_chip = c.n - 1;
	for (n = fitting(&c, 0, a.width); s->selected_chip >= first + n; n = fitting(&c, first, a.width))
		first++;
	for (int i = first; i < first + n && i < c.n; i++)
		x = draw_chip(s, g, a, x, &c.chip[i], i == s->selected_chip);
	if (first + n < c.n || first > 0) {
		char more[24];

		snprintf(more, sizeof(more), "+%d more", c.n - n);
		grid_text(g, a, x, 0, more, theme_style(ROLE_MUTED));
		frame_hit_event(s, (struct area){ a.x + x, a.y, (int)strlen(more), 1 }, "c");
	}
	shell_chips_release(&c);
}

/* ---- keys ---- */

static void shell_chips_draw(struct shell *s, struct overlay *o, struct grid *g)
{
	struct area a = { 0, g->height - 2, g->width, 1 };

	(void)s;
	(void)o;
	if (g->height < 3 || s->message.len)
		return;
	grid_fill(g, a, ' ', theme_style(ROLE_PLAIN));
	grid_text(g, a, 1, 0, "Left Right select  Enter edit  x remove  X remove all  Esc close",
		  theme_style(ROLE_KEY));
}

/* Remove all chips of the settings as one undo step. */
static void remove_all(struct shell *s, const struct chips *c)
{
	shell_begin_step(s);
	shell_run_line(s, ":", true);
	for (int i = 0; i < c->n; i++)
		shell_run_line(s, c->chip[i].remove, false);
	shell_end_step(s);
}

static bool act(struct shell *s, const struct chips *c, uint32_t key)
{
	char *line;

	assert(s->selected_chip >= 0 && s->selected_chip < c->n);
	switch (key) {
	case KEY_ENTER_:
	case 'e':
		prompt_open(s, c->chip[s->selected_chip].edit);
		return true;
	case KEY_DELETE:
	case KEY_ERASE:
	case 'x':
		line = c->chip[s->selected_chip].remove;
		shell_run_line(s, line, true);
		return true;
	case 'X':
		remove_all(s, c);
		return true;
	case 'u':
		shell_undo(s);
		return true;
	default:
		return false;
	}
}

static void shell_chips_move(struct shell *s, const struct chips *c, uint32_t key)
{
	switch (key) {
	case KEY_LEFT_:
	case KEY_BACKTAB:
	case 'h':
		s->selected_chip = s->selected_chip > 0 ? s->selected_chip - 1 : c->n - 1;
		break;
	case KEY_RIGHT_:
	case KEY_TAB:
	case 'l':
	case 'c':
		s->selected_chip = s->selected_chip + 1 < c->n ? s->selected_chip + 1 : 0;
		break;
	case KEY_HOME_:
		s->selected_chip = 0;
		break;
	case KEY_END_:
		s->selected_chip = c->n - 1;
		break;
	default:
		break;
	}
}

static bool shell_chips_key(struct shell *s, struct overlay *o, const struct event *e)
{
	struct chips c = { 0 };
	bool is_key = e->kind == EVENT_KEY;

	shell_chips_collect(s, &c);
	if (c.n && s->selected_chip >= 0 && s->selected_chip < c.n && is_key && !act(s, &c, e->key))
		shell_chips_move(s, &c, e->key);
	shell_chips_release(&c);
	shell_chips_collect(s, &c);
	if (c.n == 0 || !is_key || e->key == KEY_ESC || e->key == CTRL_C || e->key == 'q') {
		s->selected_chip = -1;
		overlay_close(s, o);
	} else if (s->selected_chip >= c.n) {
		s->selected_chip = c.n - 1;
	}
	shell_chips_release(&c);
	return is_key; /* a click is then handled by what was clicked */
}

static const struct overlay_class chips = { .draw = shell_chips_draw, .key = shell_chips_key, .is_line = true };

void chips_open(struct shell *s)
{
	if (!chips_any(s)) {
		shell_notify(s, false, "no active filter; add one with f or x on a row, or type focus=NAME");
		return;
	}
	s->selected_chip = 0;
	overlay_open(s, &chips);
}
