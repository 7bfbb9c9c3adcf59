/*
 * loop.c - the shell on a terminal, and on a screen that is not there
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/shell/shell_int.h"

#include "base/str.h"
#include "viewers/shell/screen.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* How often waiting is shown. */
enum { BUSY_MS = 200 };

static void wake(void *arg)
{
	screen_wake(arg);
}

/* How long to wait for the next event; 0 and below: for ever. */
static int patience(struct shell *s, bool *soon)
{
	struct doing doing;

	*soon = false;
	if (!work_doing(s->work, &doing))
		return -1;
	*soon = doing.ms < SOON_MS;
	return *soon ? SOON_MS - (int)doing.ms : BUSY_MS;
}

static void go_on(struct shell *s)
{
	bool soon;
	int timeout = patience(s, &soon);
	struct event e;

	if (!soon || s->has_news) {
		frame_draw(s);
		screen_show(s->screen, &s->grid);
		timeout = patience(s, &soon); /* drawing may have asked for something */
	}
	e = screen_wait(s->screen, timeout);
	shell_handle(s, &e);
	while (!s->is_done && e.kind != EVENT_WAKE && e.kind != EVENT_NONE) { /* what is typed ahead */
		e = screen_wait(s->screen, 0);
		shell_handle(s, &e);
	}
}

/* As rxvt, konsole and others tell: "INK;PAPER" in the numbers of 16 colours. */
static bool is_dark(void)
{
	const char *colors = getenv("COLORFGBG"), *paper = colors ? strrchr(colors, ';') : NULL;
	char *end = NULL;
	long number = paper ? strtol(paper + 1, &end, 10) : -1;

	return end && end != paper + 1 && !*end && ((number >= 0 && number <= 6) || number == 8);
}

int shell_run(const struct shell_open *open, struct err *err)
{
	struct screen *screen;
	struct shell *s;
	enum depth most = open->depth >= 0 ? (enum depth)open->depth : open->color ? DEPTH_TRUE : DEPTH_NONE;
	int width, height, ended_by, rc = screen_open(most, open->mouse, &screen, err);

	if (rc < 0)
		return rc;
	screen_size(screen, &width, &height);
	rc = shell_new(open, width, height, &s, err);
	if (rc < 0) {
		screen_close(screen);
		return rc;
	}
	s->screen = screen;
	s->depth = screen_depth(screen);
	s->dark = is_dark();
	s->grid.ascii = screen_is_ascii(screen);
	work_on_done(s->work, wake, screen);
	while (!s->is_done)
		go_on(s);
	work_on_done(s->work, NULL, NULL);
	shell_free(s);
	ended_by = screen_ended_by(screen);
	screen_close(screen);
	if (ended_by)
		raise(ended_by); /* so that who sent it sees that it ended us */
	return 0;
}

/* A colour as the terminal would show it. */
static uint32_t color_of(enum depth depth, int32_t number)
{
	if (number == DEPTH_OWN)
		return COLOR_OWN;
	return depth == DEPTH_TRUE ? (uint32_t)number : depth_color(depth, number);
}

/* What a terminal of this depth would show of the looks. */
static void flatten(struct grid *g, enum depth depth)
{
	size_t n = (size_t)g->width * (size_t)g->height;

	for (size_t i = 0; i < n; i++) {
		struct shade shade = depth_shade(depth, g->cell[i].look);

		g->cell[i].look = (struct look){ color_of(depth, shade.ink), color_of(depth, shade.paper), shade.attr };
	}
}

static void show(struct shell *s, bool looks, struct buf *out)
{
	frame_draw(s);
	work_wait(s->work, s);
	frame_draw(s);
	if (looks)
		flatten(&s->grid, s->depth);
	grid_add_text(&s->grid, looks, out);
}

/* Do keys begin within quotes? Then what comes is typed, blanks and Show too. */
static bool is_quoted(const char *keys)
{
	bool odd = false;

	for (; *keys; keys++)
		odd ^= *keys == '"';
	return odd;
}

int shell_play(const struct shell_open *open, const char *keys, int width, int height, bool looks, struct buf *out,
	       struct err *err)
{
	struct shell *s;
	int rc = shell_new(open, width, height, &s, err);

	if (rc < 0)
		return rc;
	s->depth = open->depth >= 0 ? (enum depth)open->depth : DEPTH_256;
	work_wait(s->work, s);
	frame_draw(s);
	while (rc == 0 && !s->is_done) {
		struct event e;

		if (!is_quoted(keys))
			keys += strspn(keys, " \n");
		if (!is_quoted(keys) && starts_with(keys, "Show") && strchr(" \n", keys[4])) {
			show(s, looks, out);
			keys += 4;
			continue;
		}
		rc = event_parse(&keys, &e, err);
		if (rc < 0 || e.kind == EVENT_NONE)
			break;
		shell_handle(s, &e);
		work_wait(s->work, s);
		frame_draw(s);
	}
	if (rc == 0 && !s->is_done)
		show(s, looks, out);
	shell_free(s);
	return rc;
}
