/*
 * screen.c - opening and closing the terminal, and waiting for its input
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/mem.h"
#include "base/time.h"
#include "front/shell/terminal/screen_curses.h"
#include "front/shell/terminal/screen_int.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Limits of the screen size. Only a part of a larger screen is used, since a terminal that claims a million columns is
   broken. With one column, curses would read before the start of a line when it writes the last corner. */
enum { WIDTH_MIN = 2, HEIGHT_MIN = 1, WIDTH_MAX = 1000, HEIGHT_MAX = 500, ESC_MS = 25, TRUE_COLORS = 1 << 24 };

static int limit(int n, int min, int max)
{
	return n < min ? min : n > max ? max : n;
}

/* The size of the terminal: from its driver, its terminfo entry, or 80x24. */
static void shell_screen_size_of(const struct screen *s, int *width, int *height)
{
	struct winsize size = { 0 };

	*width = s->terminal.width > 0 ? s->terminal.width : 80;
	*height = s->terminal.height > 0 ? s->terminal.height : 24;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col && size.ws_row) {
		*width = size.ws_col;
		*height = size.ws_row;
	}
	*width = limit(*width, WIDTH_MIN, WIDTH_MAX);
	*height = limit(*height, HEIGHT_MIN, HEIGHT_MAX);
}

/* Set curses and the copy of the shown screen to the current size of the terminal. */
static void shell_screen_measure(struct screen *s)
{
	int width, height;

	shell_screen_size_of(s, &width, &height);
	curses.resizeterm(height, width);
	grid_resize(&s->shown, width, height);
	screen_repaint(s);
}

static void send(const char *text, bool wanted)
{
	if (wanted)
		screen_guard_write(text, strlen(text));
}

/*
 * Take over the terminal, for the first time or again. endwin is not used, because returning from it makes
 * curses query the terminal's size, and it crashes with 65535 lines.
 */
static void take_over(struct screen *s, bool is_return)
{
	s->is_paused = false;
	screen_guard_set_active(true);
	if (is_return) {
		screen_guard_write(s->terminal.start.data, s->terminal.start.len);
		curses.reset_prog_mode();
	}
	shell_screen_measure(s);
	curses.wrefresh(*curses.stdscr);
	send(terminal_paste_on, s->terminal.has_paste);
	send(terminal_mouse_on, s->has_mouse);
}

static void shell_screen_restore(struct screen *s)
{
	curses.curs_set(1); /* lets curses know that the cursor becomes visible */
	curses.wrefresh(*curses.stdscr);
	screen_guard_write(s->terminal.restore.data, s->terminal.restore.len);
	tcflush(STDIN_FILENO, TCIFLUSH); /* drop pending mouse reports */
	tcsetattr(STDIN_FILENO, TCSANOW, &s->modes);
	screen_guard_set_active(false);
	s->is_paused = true;
}

static enum palette palette_of_terminal(enum palette max)
{
	if (max == PALETTE_NONE || !curses.has_colors() || curses.start_color() != OK)
		return PALETTE_NONE;
	return *curses.COLORS >= TRUE_COLORS ? PALETTE_TRUE
	       : *curses.COLORS >= 256       ? PALETTE_256
	       : *curses.COLORS >= 8         ? PALETTE_16
					     : PALETTE_NONE;
}

static void shell_screen_set_up(struct screen *s, enum palette max)
{
	s->palette = palette_of_terminal(max);
	if (s->palette > max)
		s->palette = max;
	s->has_default_colors = s->palette != PALETTE_NONE && curses.use_default_colors() == OK;
	curses.raw();
	curses.noecho();
	curses.nonl();
	curses.typeahead(-1);
	if (!getenv("ESCDELAY"))
		curses.set_escdelay(ESC_MS);
	s->keys = curses.newpad(1, 1);
	input_begin(s);
}

static void set_variable(const char *name, const char *value)
{
	if (value)
		setenv(name, value, 1);
	else
		unsetenv(name);
}

/*
 * Start curses with our size. Otherwise it would use LINES and COLUMNS, or trust a terminal that claims 65535 lines and
 * columns, and it cannot start at all when the entry has no size.
 */
static void *shell_screen_start(const struct screen *s)
{
	static const char *const name[] = { "COLUMNS", "LINES" };
	char *before[2];
	int size[2];
	void *screen;

	shell_screen_size_of(s, &size[0], &size[1]);
	for (int i = 0; i < 2; i++) {
		char number[16];
		const char *value = getenv(name[i]);

		before[i] = value ? mem_strndup(value, strlen(value)) : NULL;
		snprintf(number, sizeof(number), "%d", size[i]);
		setenv(name[i], number, 1);
	}
	curses.use_env(TRUE);
	curses.use_tioctl(FALSE);
	screen = curses.newterm(s->terminal.name, stdout, stdin);
	for (int i = 0; i < 2; i++) {
		set_variable(name[i], before[i]);
		free(before[i]);
	}
	return screen;
}

int screen_open(enum palette max, bool mouse, struct screen **out, struct err *err)
{
	struct screen *s = mem_zalloc(1, sizeof(*s));
	int rc;

	setlocale(LC_CTYPE, "");
	rc = curses_load(err);
	if (rc == 0)
		rc = terminal_find(max == PALETTE_TRUE, &s->terminal, err);
	if (rc < 0) {
		free(s);
		return rc;
	}
	s->is_ascii = strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
	s->has_mouse = mouse && s->terminal.has_mouse;
	s->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (s->wake < 0 || tcgetattr(STDIN_FILENO, &s->modes) != 0) {
		rc = err_set(err, ERR_IO, "terminal: %s", strerror(errno));
		goto out;
	}
	/* call this before newterm, which sets its own handlers for signals that have none */
	screen_guard_begin(s->terminal.restore.data, s->terminal.restore.len, &s->modes, s->wake);
	s->curses = shell_screen_start(s);
	if (!s->curses) {
		screen_guard_end();
		rc = err_set(err, ERR_USAGE, "cannot use terminal %s; set TERM to another type, or use --plain",
			     s->terminal.name);
		goto out;
	}
	shell_screen_set_up(s, max);
	take_over(s, false);
	*out = s;
	return 0;
out:
	if (s->wake >= 0)
		close(s->wake);
	buf_release(&s->terminal.start);
	buf_release(&s->terminal.restore);
	free(s);
	return rc;
}

int screen_check(struct err *err)
{
	int rc = curses_load(err);

	if (rc == 0)
		rc = terminal_open(err);
	if (rc == 0)
		terminal_close();
	return rc;
}

void screen_close(struct screen *s)
{
	if (!s)
		return;
	if (!s->is_paused)
		shell_screen_restore(s);
	screen_guard_end();
	curses.delwin(s->keys);
	curses.delscreen(s->curses);
	close(s->wake);
	grid_release(&s->shown);
	buf_release(&s->terminal.start);
	buf_release(&s->terminal.restore);
	free(s->pair);
	free(s);
}

int screen_stop_signal(const struct screen *s)
{
	return s->stop_signal;
}

enum palette screen_palette(const struct screen *s)
{
	return s->palette;
}

bool screen_is_ascii(const struct screen *s)
{
	return s->is_ascii;
}

void screen_size(const struct screen *s, int *width, int *height)
{
	*width = s->shown.width;
	*height = s->shown.height;
}

void screen_set_mouse(struct screen *s, bool on)
{
	on = on && s->terminal.has_mouse;
	if (on != s->has_mouse && !s->is_paused)
		send(on ? terminal_mouse_on : terminal_mouse_off, true);
	s->has_mouse = on;
}

void screen_pause(struct screen *s)
{
	if (!s->is_paused)
		shell_screen_restore(s);
}

void screen_resume(struct screen *s)
{
	if (s->is_paused)
		take_over(s, true);
}

void screen_wait_key(const struct screen *s)
{
	static const char words[] = "-- press any key to return to cpa --";
	struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };
	struct termios modes, raw;
	int n;

	if (!s->is_paused || tcgetattr(STDIN_FILENO, &modes) < 0)
		return;
	raw = modes;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ISIG); /* Ctrl-C is an ordinary key here */
	tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
	screen_guard_write(words, sizeof(words) - 1);
	do
		n = poll(&p, 1, -1);
	while (n < 0 && errno == EINTR && !screen_guard_read_signals().stop);
	screen_guard_write("\r\n", 2);
	tcflush(STDIN_FILENO, TCIFLUSH); /* discard the remaining bytes of the key */
	tcsetattr(STDIN_FILENO, TCSADRAIN, &modes);
}

void screen_suspend(struct screen *s)
{
	screen_pause(s);
	screen_guard_stop();
	screen_resume(s);
}

void screen_wake(struct screen *s)
{
	static const uint64_t one = 1;

	atomic_store(&s->is_woken, true);
	if (write(s->wake, &one, sizeof(one)) < 0)
		return; /* the counter is full, so the reader wakes anyway */
}

/* Convert pending signals to an event; false when there is none. */
static bool shell_screen_read_signals(struct screen *s, struct event *out)
{
	struct signals got = screen_guard_read_signals();

	*out = (struct event){ .kind = EVENT_STOP };
	s->stop_signal = got.stop;
	if (got.stop)
		return true;
	if (got.suspend)
		screen_suspend(s);
	else if (got.resume)
		curses.reset_prog_mode(); /* after SIGSTOP: the user's shell has changed the modes of the terminal */
	else if (!got.resize)
		return false;
	screen_guard_read_signals();
	if (got.resume)
		send(terminal_mouse_on, s->has_mouse);
	shell_screen_measure(s);
	*out = (struct event){ .kind = EVENT_RESIZE, .x = s->shown.width, .y = s->shown.height };
	return true;
}

/* Wait for input, a signal or screen_wake. Return EVENT_WAKE for a wake or a timeout, EVENT_NONE for input and
   signals. */
static enum event_kind shell_screen_sleep_until(struct screen *s, int64_t end_ms)
{
	enum { EMPTY_MAX = 3 };
	struct pollfd p[] = { { .fd = s->wake, .events = POLLIN }, { .fd = STDIN_FILENO, .events = POLLIN } };
	int64_t left = end_ms < 0 ? -1 : end_ms - clock_mono_ms();
	uint64_t times;
	int n = poll(p, 2, end_ms < 0 ? -1 : left > 0 ? (int)left : 0);

	if (n == 0)
		return EVENT_WAKE;
	if (n < 0)
		return EVENT_NONE;
	if (p[0].revents & POLLIN) /* signal handlers write to the same descriptor */
		return read(s->wake, &times, sizeof(times)) > 0 && atomic_exchange(&s->is_woken, false) ? EVENT_WAKE
													: EVENT_NONE;
	/* a closed terminal always polls readable, but nothing can be read */
	if (p[1].revents & (POLLHUP | POLLERR | POLLNVAL) || ++s->n_empty > EMPTY_MAX)
		return EVENT_STOP;
	return EVENT_NONE;
}

struct event screen_wait(struct screen *s, int timeout_ms)
{
	int64_t end_ms = timeout_ms < 0 ? -1 : clock_mono_ms() + timeout_ms;
	struct event out;

	while (!shell_screen_read_signals(s, &out) && !input_next(s, &out)) {
		out = (struct event){ .kind = shell_screen_sleep_until(s, end_ms) };
		if (out.kind == EVENT_STOP)
			return out;
		if (out.kind == EVENT_WAKE)
			return shell_screen_read_signals(s, &out) ? out : (struct event){ .kind = EVENT_WAKE };
	}
	return out;
}
