/*
 * screen.c - the terminal: taking it, waiting for it, giving it back
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/mem.h"
#include "viewers/shell/screen_curses.h"
#include "viewers/shell/screen_int.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

/* Larger ones are drawn in part: what says it has a million columns is no terminal. In one column curses reads what is
   before a line, to put a character into the last corner. */
enum { NARROWEST = 2, LOWEST = 1, WIDEST = 1000, HIGHEST = 500, ESC_MS = 25, TRUE_COLORS = 1 << 24 };

static int limit(int n, int least, int most)
{
	return n < least ? least : n > most ? most : n;
}

/* The size of the terminal: of its driver, of its entry, or the usual one. */
static void size_of(const struct screen *s, int *width, int *height)
{
	struct winsize size = { 0 };

	*width = s->terminal.width > 0 ? s->terminal.width : 80;
	*height = s->terminal.height > 0 ? s->terminal.height : 24;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col && size.ws_row) {
		*width = size.ws_col;
		*height = size.ws_row;
	}
	*width = limit(*width, NARROWEST, WIDEST);
	*height = limit(*height, LOWEST, HIGHEST);
}

/* Give curses and the picture of what was sent the size that the terminal has now. */
static void measure(struct screen *s)
{
	int width, height;

	size_of(s, &width, &height);
	curses.resizeterm(height, width);
	grid_resize(&s->shown, width, height);
	screen_forget(s);
}

static void send(const char *text, bool wanted)
{
	if (wanted)
		screen_guard_write(text, strlen(text));
}

/*
 * The terminal is the screen's now, or again. Without endwin, and so without what curses does behind it:
 * it would ask for the terminal's size once more, and fall over 65535 lines.
 */
static void take(struct screen *s, bool again)
{
	s->away = false;
	screen_guard_taken(true);
	if (again) {
		screen_guard_write(s->terminal.begin.data, s->terminal.begin.len);
		curses.reset_prog_mode();
	}
	measure(s);
	curses.wrefresh(*curses.stdscr);
	send(terminal_paste_on, s->terminal.paste);
	send(terminal_mouse_on, s->mouse);
}

static void give_back(struct screen *s)
{
	curses.curs_set(1); /* as the bytes below make it */
	curses.wrefresh(*curses.stdscr);
	screen_guard_write(s->terminal.restore.data, s->terminal.restore.len);
	tcflush(STDIN_FILENO, TCIFLUSH); /* reports of the mouse that were on their way */
	tcsetattr(STDIN_FILENO, TCSANOW, &s->modes);
	screen_guard_taken(false);
	s->away = true;
}

static enum depth depth_of_terminal(enum depth most)
{
	if (most == DEPTH_NONE || !curses.has_colors() || curses.start_color() != OK)
		return DEPTH_NONE;
	return *curses.COLORS >= TRUE_COLORS ? DEPTH_TRUE
	       : *curses.COLORS >= 256       ? DEPTH_256
	       : *curses.COLORS >= 8         ? DEPTH_16
					     : DEPTH_NONE;
}

static void set_up(struct screen *s, enum depth most)
{
	s->depth = depth_of_terminal(most);
	if (s->depth > most)
		s->depth = most;
	s->own_colors = s->depth != DEPTH_NONE && curses.use_default_colors() == OK;
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
 * Start curses with this size: it would believe LINES and COLUMNS, or take a terminal at its word that
 * says to have 65535 of both, and from an entry without a size it cannot start at all.
 */
static void *start(const struct screen *s)
{
	static const char *const name[] = { "COLUMNS", "LINES" };
	char *before[2];
	int size[2];
	void *screen;

	size_of(s, &size[0], &size[1]);
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

int screen_open(enum depth most, bool mouse, struct screen **out, struct err *err)
{
	struct screen *s = mem_zalloc(1, sizeof(*s));
	int rc;

	setlocale(LC_CTYPE, "");
	rc = curses_load(err);
	if (rc == 0)
		rc = terminal_find(most == DEPTH_TRUE, &s->terminal, err);
	if (rc < 0) {
		free(s);
		return rc;
	}
	s->ascii = strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
	s->mouse = mouse && s->terminal.mouse;
	s->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (s->wake < 0 || tcgetattr(STDIN_FILENO, &s->modes) != 0) {
		rc = err_set(err, ERR_IO, "the terminal: %s", strerror(errno));
		goto out;
	}
	/* before newterm, which sets handlers of its own for signals that have none */
	screen_guard_begin(s->terminal.restore.data, s->terminal.restore.len, &s->modes, s->wake);
	s->curses = start(s);
	if (!s->curses) {
		screen_guard_end();
		rc = err_set(err, ERR_USAGE, "the terminal %s cannot be used: set TERM to another, or use --plain",
			     s->terminal.name);
		goto out;
	}
	set_up(s, most);
	take(s, false);
	*out = s;
	return 0;
out:
	if (s->wake >= 0)
		close(s->wake);
	buf_release(&s->terminal.begin);
	buf_release(&s->terminal.restore);
	free(s);
	return rc;
}

void screen_close(struct screen *s)
{
	if (!s)
		return;
	if (!s->away)
		give_back(s);
	screen_guard_end();
	curses.delwin(s->keys);
	curses.delscreen(s->curses);
	close(s->wake);
	grid_release(&s->shown);
	buf_release(&s->terminal.begin);
	buf_release(&s->terminal.restore);
	free(s->pair);
	free(s);
}

int screen_ended_by(const struct screen *s)
{
	return s->ended_by;
}

enum depth screen_depth(const struct screen *s)
{
	return s->depth;
}

bool screen_is_ascii(const struct screen *s)
{
	return s->ascii;
}

void screen_size(const struct screen *s, int *width, int *height)
{
	*width = s->shown.width;
	*height = s->shown.height;
}

void screen_mouse(struct screen *s, bool on)
{
	on = on && s->terminal.mouse;
	if (on != s->mouse && !s->away)
		send(on ? terminal_mouse_on : terminal_mouse_off, true);
	s->mouse = on;
}

void screen_pause(struct screen *s)
{
	if (!s->away)
		give_back(s);
}

void screen_resume(struct screen *s)
{
	if (s->away)
		take(s, true);
}

void screen_linger(const struct screen *s)
{
	static const char words[] = "-- any key goes back to cpa --";
	struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };
	struct termios modes, raw;
	int n;

	if (!s->away || tcgetattr(STDIN_FILENO, &modes) < 0)
		return;
	raw = modes;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ISIG); /* Ctrl-C is a key like others here */
	tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
	screen_guard_write(words, sizeof(words) - 1);
	do
		n = poll(&p, 1, -1);
	while (n < 0 && errno == EINTR && !screen_guard_signals().stop);
	screen_guard_write("\r\n", 2);
	tcflush(STDIN_FILENO, TCIFLUSH); /* a key can be several bytes */
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

	atomic_store(&s->woken, true);
	if (write(s->wake, &one, sizeof(one)) < 0)
		return; /* it is awake for 2^64 times already */
}

/* What signals ask for; false when they ask for nothing. */
static bool signalled(struct screen *s, struct event *out)
{
	struct signals got = screen_guard_signals();

	*out = (struct event){ .kind = EVENT_STOP };
	s->ended_by = got.stop;
	if (got.stop)
		return true;
	if (got.suspend)
		screen_suspend(s);
	else if (got.resume)
		curses.reset_prog_mode(); /* stopped without being asked: the shell has had the terminal */
	else if (!got.resize)
		return false;
	screen_guard_signals();
	if (got.resume)
		send(terminal_mouse_on, s->mouse);
	measure(s);
	*out = (struct event){ .kind = EVENT_RESIZE, .x = s->shown.width, .y = s->shown.height };
	return true;
}

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Wait for input, a signal or screen_wake; gives what woke it, EVENT_NONE for input and signals. */
static enum event_kind sleep_until(struct screen *s, int64_t end_ms)
{
	enum { EMPTY_MAX = 3 };
	struct pollfd p[] = { { .fd = s->wake, .events = POLLIN }, { .fd = STDIN_FILENO, .events = POLLIN } };
	int64_t left = end_ms < 0 ? -1 : end_ms - now_ms();
	uint64_t times;
	int n = poll(p, 2, end_ms < 0 ? -1 : left > 0 ? (int)left : 0);

	if (n == 0)
		return EVENT_WAKE;
	if (n < 0)
		return EVENT_NONE;
	if (p[0].revents & POLLIN) /* signals write there too */
		return read(s->wake, &times, sizeof(times)) > 0 && atomic_exchange(&s->woken, false) ? EVENT_WAKE
												     : EVENT_NONE;
	/* a terminal that is gone has input for ever, and none of it can be read */
	if (p[1].revents & (POLLHUP | POLLERR | POLLNVAL) || ++s->empty > EMPTY_MAX)
		return EVENT_STOP;
	return EVENT_NONE;
}

struct event screen_wait(struct screen *s, int timeout_ms)
{
	int64_t end_ms = timeout_ms < 0 ? -1 : now_ms() + timeout_ms;
	struct event out;

	while (!signalled(s, &out) && !input_next(s, &out)) {
		out = (struct event){ .kind = sleep_until(s, end_ms) };
		if (out.kind == EVENT_STOP)
			return out;
		if (out.kind == EVENT_WAKE)
			return signalled(s, &out) ? out : (struct event){ .kind = EVENT_WAKE };
	}
	return out;
}
