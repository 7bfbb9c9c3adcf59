/*
 * loop.c - running the shell on a terminal, or playing keys without one
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/shell/state.h"

#include "base/str.h"
#include "front/shell/terminal/screen.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* The interval between updates while waiting. */
enum { BUSY_MS = 200 };

static void shell_loop_wake(void *arg)
{
	screen_wake(arg);
}

/* The time to wait for the next event; -1: forever. */
static int next_timeout(struct shell *s, bool *soon)
{
	struct work_status status;

	*soon = false;
	if (!work_get_status(s->work, &status))
		return -1;
	*soon = status.elapsed_ms < PROGRESS_DELAY_MS;
	return *soon ? PROGRESS_DELAY_MS - (int)status.elapsed_ms : BUSY_MS;
}

static void shell_loop_run_once(struct shell *s)
{
	bool soon;
	int timeout = next_timeout(s, &soon);
	struct event e;

	if (!soon || s->has_new_model) {
		frame_draw(s);
		screen_show(s->screen, &s->grid);
		timeout = next_timeout(s, &soon); /* drawing may have requested a model */
	}
	e = screen_wait(s->screen, timeout);
	shell_handle(s, &e);
	/* handle all keys that were typed ahead before drawing again */
	while (!s->is_done && e.kind != EVENT_WAKE && e.kind != EVENT_NONE) {
		e = screen_wait(s->screen, 0);
		shell_handle(s, &e);
	}
}

/* Is the background dark according to "FG;BG" in the numbers of 16 colours, as set by rxvt, konsole and others? */
static bool is_dark(void)
{
	const char *colors = getenv("COLORFGBG"), *bg = colors ? strrchr(colors, ';') : NULL;
	char *end = NULL;
	long number = bg ? strtol(bg + 1, &end, 10) : -1;

	return end && end != bg + 1 && !*end && ((number >= 0 && number <= 6) || number == 8);
}

int shell_check_terminal(struct err *err)
{
	return screen_check(err);
}

int shell_run(const struct shell_options *options, struct err *err)
{
	struct screen *screen;
	struct shell *s;
	enum palette max = options->palette >= 0 ? (enum palette)options->palette
			   : options->color      ? PALETTE_TRUE
						 : PALETTE_NONE;
	int width, height, stop_signal, rc = screen_open(max, options->mouse, &screen, err);

	if (rc < 0)
		return rc;
	screen_size(screen, &width, &height);
	rc = shell_new(options, width, height, &s, err);
	if (rc < 0) {
		screen_close(screen);
		return rc;
	}
	s->screen = screen;
	s->palette = screen_palette(screen);
	s->is_dark = is_dark();
	s->grid.is_ascii = screen_is_ascii(screen);
	work_set_callback(s->work, shell_loop_wake, screen);
	while (!s->is_done)
		shell_loop_run_once(s);
	work_set_callback(s->work, NULL, NULL);
	shell_free(s);
	stop_signal = screen_stop_signal(screen);
	screen_close(screen);
	if (stop_signal)
		raise(stop_signal); /* the parent process must see which signal ended cpa */
	return 0;
}

/* A colour as the terminal would show it. */
static uint32_t shell_loop_color_of(enum palette palette, int32_t number)
{
	if (number == PALETTE_DEFAULT)
		return COLOR_DEFAULT;
	return palette == PALETTE_TRUE ? (uint32_t)number : palette_color(palette, number);
}

/* Reduce the styles to what a terminal of this palette shows. */
static void flatten(struct grid *g, enum palette palette)
{
	size_t n = (size_t)g->width * (size_t)g->height;

	for (size_t i = 0; i < n; i++) {
		struct terminal_style shown = palette_style(palette, g->cell[i].style);

		g->cell[i].style = (struct style){ shell_loop_color_of(palette, shown.fg),
						   shell_loop_color_of(palette, shown.bg), shown.attr };
	}
}

static void shell_loop_show(struct shell *s, bool with_styles, struct buf *out)
{
	frame_draw(s);
	work_wait(s->work, s);
	frame_draw(s);
	if (with_styles)
		flatten(&s->grid, s->palette);
	grid_add_text(&s->grid, with_styles, out);
}

/* Does the text begin within quotes? Then everything, including blanks and Show, is typed. */
static bool shell_loop_is_quoted(const char *keys)
{
	bool odd = false;

	for (; *keys; keys++)
		odd ^= *keys == '"';
	return odd;
}

int shell_play(const struct shell_options *options, const char *keys, int width, int height, bool with_styles,
	       struct buf *out, struct err *err)
{
	struct shell *s;
	int rc = shell_new(options, width, height, &s, err);

	if (rc < 0)
		return rc;
	s->palette = options->palette >= 0 ? (enum palette)options->palette : PALETTE_256;
	work_wait(s->work, s);
	frame_draw(s);
	while (rc == 0 && !s->is_done) {
		struct event e;

		if (!shell_loop_is_quoted(keys))
			keys += strspn(keys, " \n");
		if (!shell_loop_is_quoted(keys) && starts_with(keys, "Show") && strchr(" \n", keys[4])) {
			shell_loop_show(s, with_styles, out);
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
		shell_loop_show(s, with_styles, out);
	shell_free(s);
	return rc;
}
