/*
 * screen_input.c - keys and mouse
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * curses recognises the keys that terminfo lists. Everything else begins with Esc: Alt and a key, a mouse
 * report (xterm's 1006, or the older 1000), the bounds of a paste, or a key that this terminal has but its entry
 * does not list. These are read to their end here, so that no part of them is taken for keys.
 */
#include "config.h"

#include "base/time.h"
#include "base/utf8.h"
#include "front/shell/terminal/screen_curses.h"
#include "front/shell/terminal/screen_int.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { NONE = -1, REST_MS = 50, DOUBLE_MS = 400, WHEEL_LINES = 3, N_NUMBERS = 4 };

static int poll_input(int timeout_ms)
{
	struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };

	return poll(&p, 1, timeout_ms);
}

/* The next byte or curses key, or NONE after wait_ms. */
static int next_code(struct screen *s, int wait_ms)
{
	int code;

	assert(s->n_unread >= 0 && s->n_unread <= UNREAD_MAX);
	if (s->n_unread)
		return s->unread[--s->n_unread];
	code = curses.wgetch(s->keys);
	if (code == ERR && wait_ms && poll_input(wait_ms) > 0)
		code = curses.wgetch(s->keys);
	return code == ERR ? NONE : code;
}

static void put_back(struct screen *s, int code)
{
	if (code != NONE && s->n_unread < UNREAD_MAX)
		s->unread[s->n_unread++] = code;
}

/* Keys of curses, and their usual sequences: Esc [ or Esc O and a last letter, or Esc [ number ~. */
static const struct {
	int curses;
	char last;
	uint8_t number[2];
	uint32_t key;
} keys[] = {
	{ KEY_UP, 'A', { 0 }, KEY_UP_ },
	{ KEY_DOWN, 'B', { 0 }, KEY_DOWN_ },
	{ KEY_RIGHT, 'C', { 0 }, KEY_RIGHT_ },
	{ KEY_LEFT, 'D', { 0 }, KEY_LEFT_ },
	{ KEY_HOME, 'H', { 1, 7 }, KEY_HOME_ },
	{ KEY_END, 'F', { 4, 8 }, KEY_END_ },
	{ KEY_IC, 0, { 2 }, KEY_INSERT },
	{ KEY_DC, 0, { 3 }, KEY_DELETE },
	{ KEY_PPAGE, 0, { 5 }, KEY_PAGE_UP },
	{ KEY_NPAGE, 0, { 6 }, KEY_PAGE_DOWN },
	{ KEY_BTAB, 'Z', { 0 }, KEY_BACKTAB },
	{ KEY_ENTER, 'M', { 0 }, KEY_ENTER_ },
	{ KEY_BACKSPACE, 0, { 0 }, KEY_ERASE },
	{ KEY_F(1), 'P', { 11 }, KEY_FUNCTION + 1 },
	{ KEY_F(2), 'Q', { 12 }, KEY_FUNCTION + 2 },
	{ KEY_F(3), 'R', { 13 }, KEY_FUNCTION + 3 },
	{ KEY_F(4), 'S', { 14 }, KEY_FUNCTION + 4 },
	{ KEY_F(5), 0, { 15 }, KEY_FUNCTION + 5 },
	{ KEY_F(6), 0, { 17 }, KEY_FUNCTION + 6 },
	{ KEY_F(7), 0, { 18 }, KEY_FUNCTION + 7 },
	{ KEY_F(8), 0, { 19 }, KEY_FUNCTION + 8 },
	{ KEY_F(9), 0, { 20 }, KEY_FUNCTION + 9 },
	{ KEY_F(10), 0, { 21 }, KEY_FUNCTION + 10 },
	{ KEY_F(11), 0, { 23 }, KEY_FUNCTION + 11 },
	{ KEY_F(12), 0, { 24 }, KEY_FUNCTION + 12 },
	{ KEY_SR, 0, { 0 }, KEY_UP_ },
	{ KEY_SF, 0, { 0 }, KEY_DOWN_ },
	{ KEY_SLEFT, 0, { 0 }, KEY_LEFT_ },
	{ KEY_SRIGHT, 0, { 0 }, KEY_RIGHT_ },
	{ KEY_SHOME, 0, { 0 }, KEY_HOME_ },
	{ KEY_SEND, 0, { 0 }, KEY_END_ },
};

enum { N_KEYS = sizeof(keys) / sizeof(keys[0]) };

static bool is_key(struct event *out, uint32_t key)
{
	*out = (struct event){ .kind = EVENT_KEY, .key = key };
	return true;
}

/* Convert a mouse report: a button with its modifiers, and a position from 0. */
static bool clicked(struct screen *s, int button, int x, int y, struct event *out)
{
	enum { MODIFIERS = 4 + 8 + 16, MOVED = 32, LEFT = 0, RIGHT = 2, UP = 64, DOWN = 65 };
	struct event e = { .x = x, .y = y };
	int64_t now = clock_mono_ms();

	if (!s->has_mouse || button & MOVED || x < 0 || y < 0 || x >= s->shown.width || y >= s->shown.height)
		return false;
	switch (button & ~MODIFIERS) {
	case LEFT:
		e.kind = EVENT_CLICK;
		if (s->last_click.kind == EVENT_CLICK && s->last_click.x == x && s->last_click.y == y &&
		    now - s->last_click_ms <= DOUBLE_MS)
			e.kind = EVENT_DOUBLE;
		s->last_click = e;
		s->last_click_ms = now;
		break;
	case RIGHT:
		e.kind = EVENT_RIGHT;
		break;
	case UP:
	case DOWN:
		e.kind = EVENT_WHEEL;
		e.lines = (button & ~MODIFIERS) == UP ? -WHEEL_LINES : WHEEL_LINES;
		break;
	default:
		return false;
	}
	*out = e;
	return true;
}

/* Read a mouse report of the older kind: three bytes, each with 32 added. */
static bool old_mouse(struct screen *s, struct event *out)
{
	int byte[3];

	for (int i = 0; i < 3; i++) {
		byte[i] = next_code(s, REST_MS) - ' ';
		if (byte[i] < 0)
			return false;
	}
	return clicked(s, byte[0], byte[1] - 1, byte[2] - 1, out);
}

/* KEY_ALT if the modifiers include Alt. xterm counts them from 1. */
static uint32_t alt_of(int modifiers)
{
	return modifiers > 0 && (modifiers - 1) & 2 ? KEY_ALT : 0;
}

/* A key that curses does not know, by its last letter or its first number. */
static bool other_key(int last, int number, int modifiers, struct event *out)
{
	for (int i = 0; i < N_KEYS; i++)
		if (last == '~' ? number && (keys[i].number[0] == number || keys[i].number[1] == number)
				: last && keys[i].last == last)
			return is_key(out, keys[i].key | alt_of(modifiers));
	return false;
}

/* Read the rest of a sequence after Esc [, up to its final letter. */
static bool sequence(struct screen *s, struct event *out)
{
	enum { PASTE = 200, PASTE_END = 201, MANY = 1 << 20 };
	int number[N_NUMBERS] = { 0 }, n = 0, code = next_code(s, REST_MS), mark = 0;

	if (code == NONE)
		return is_key(out, '[' | KEY_ALT);
	if (code == 'M' && s->has_mouse)
		return old_mouse(s, out);
	for (; code < '@' || code > '~'; code = next_code(s, REST_MS)) {
		if (code < ' ' || code > '~') { /* this byte is not part of a sequence */
			put_back(s, code);
			return false;
		}
		if (code >= '<' && code <= '?')
			mark = code;
		else if (code == ';' && n + 1 < N_NUMBERS)
			n++;
		else if (code >= '0' && code <= '9' && number[n] < MANY)
			number[n] = number[n] * 10 + code - '0';
	}
	if (mark == '<' && code == 'M')
		return clicked(s, number[0], number[1] - 1, number[2] - 1, out);
	if (mark)
		return false;
	if (code == '~' && (number[0] == PASTE || number[0] == PASTE_END)) {
		s->is_pasting = number[0] == PASTE;
		return false;
	}
	return other_key(code, number[0], number[1], out);
}

/* Read a UTF-8 character that begins with this byte. */
static bool character(struct screen *s, int byte, struct event *out)
{
	char text[4] = { (char)byte };
	size_t n = 1, length = byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
	uint32_t key;

	if (byte >= 0x80 && byte < 0xc2)
		return false;
	for (; n < length; n++) {
		int code = next_code(s, REST_MS);

		if (code < 0x80 || code >= 0xc0) { /* not a continuation byte */
			put_back(s, code);
			return false;
		}
		text[n] = (char)code;
	}
	return utf8_decode(text, n, &key) == n && is_key(out, key);
}

/* A curses key or a single byte. Old terminals send byte 8 for Backspace and 10 for Enter. */
static bool plain_key(struct screen *s, int code, struct event *out)
{
	if (code == '\n')
		return is_key(out, KEY_ENTER_);
	if (code == '\b')
		return is_key(out, KEY_ERASE);
	if (code <= UINT8_MAX)
		return character(s, code, out);
	for (int i = 0; i < N_KEYS; i++)
		if (keys[i].curses == code)
			return is_key(out, keys[i].key);
	return false;
}

/* Bytes that follow Esc immediately belong to it. */
static bool screen_input_escape(struct screen *s, struct event *out)
{
	int code = next_code(s, 0);

	if (code == '[')
		return sequence(s, out);
	if (code == 'O') {
		code = next_code(s, 0);
		if (code == NONE)
			return is_key(out, 'O' | KEY_ALT);
		if (code > ' ' && code <= '~')
			return other_key(code, 0, 0, out);
		put_back(s, code);
		return false;
	}
	if (code == NONE || code == KEY_ESC) {
		put_back(s, code);
		return is_key(out, KEY_ESC);
	}
	if (!plain_key(s, code, out))
		return false;
	out->key |= KEY_ALT;
	return true;
}

/* In a paste, everything but characters becomes a blank, so that no part of it is a command. */
static void paste(struct event *e)
{
	if (e->kind != EVENT_KEY)
		return;
	e->is_pasted = true;
	if (e->key < ' ' || e->key >= KEY_ERASE)
		e->key = e->key > KEY_ERASE && e->key < KEY_FIRST ? e->key : ' ';
}

static bool screen_input_read_one(struct screen *s, struct event *out)
{
	int code;

	*out = s->next_event;
	s->next_event.kind = EVENT_NONE;
	if (out->kind != EVENT_NONE)
		return true;
	while ((code = next_code(s, 0)) != NONE) {
		bool was = s->is_pasting;

		s->n_empty = 0;
		if (code == KEY_ESC ? !screen_input_escape(s, out) : !plain_key(s, code, out))
			continue;
		if (was && s->is_pasting)
			paste(out);
		return true;
	}
	return false;
}

void input_begin(struct screen *s)
{
	enum { EXTENDED = 256 };

	curses.nodelay(s->keys, TRUE);
	curses.keypad(s->keys, TRUE);
	curses.meta(s->keys, TRUE);
	/* Undefine the keys without a name here, so that they arrive as raw bytes: on the linux console, for
	   example, Ctrl-Z is a key of its own. This includes the mouse and keys with modifiers, which curses numbers
	   above KEY_MAX. */
	for (int code = KEY_MIN; code <= KEY_MAX + EXTENDED; code++) {
		int i = 0;

		while (i < N_KEYS && keys[i].curses != code)
			i++;
		if (i == N_KEYS)
			curses.define_key(NULL, code);
	}
}

bool input_next(struct screen *s, struct event *out)
{
	if (!screen_input_read_one(s, out))
		return false;
	while (out->kind == EVENT_WHEEL && screen_input_read_one(s, &s->next_event)) {
		if (s->next_event.kind != EVENT_WHEEL)
			break;
		out->lines += s->next_event.lines;
		out->x = s->next_event.x;
		out->y = s->next_event.y;
		s->next_event.kind = EVENT_NONE;
	}
	return true;
}
