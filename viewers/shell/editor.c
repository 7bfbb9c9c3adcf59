/*
 * editor.c - a line of text being typed
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/shell/editor.h"

#include "base/utf8.h"
#include "viewers/shell/grid.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define CTRL(letter) ((letter) - 'a' + 1)

/* The character that begins at a byte; its length in *n, which is 0 at the end. */
static uint32_t char_at(const struct editor *e, size_t at, size_t *n)
{
	uint32_t c = 0;

	*n = at < e->text.len ? utf8_decode(e->text.data + at, e->text.len - at, &c) : 0;
	return c;
}

/* The end of the character at a byte with the marks that are set on it. */
static size_t next_char(const struct editor *e, size_t at)
{
	size_t n;

	char_at(e, at, &n);
	for (at += n; n && grid_columns(char_at(e, at, &n)) == 0 && n;)
		at += n;
	return at;
}

static size_t byte_before(const struct editor *e, size_t at)
{
	assert(at > 0 && at <= e->text.len);
	do
		at--;
	while (at > 0 && ((unsigned char)e->text.data[at] & 0xc0) == 0x80);
	return at;
}

static size_t prev_char(const struct editor *e, size_t at)
{
	size_t n;

	while (at > 0) {
		at = byte_before(e, at);
		if (grid_columns(char_at(e, at, &n)) > 0)
			break;
	}
	return at;
}

/* Letters, digits and what is beyond ASCII make words, as in other line editors. */
static bool in_word(const struct editor *e, size_t at)
{
	unsigned char c = (unsigned char)e->text.data[at];

	assert(at < e->text.len);
	return c >= 0x80 || c == '_' || (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

static size_t word_end(const struct editor *e, size_t at)
{
	while (at < e->text.len && !in_word(e, at))
		at++;
	while (at < e->text.len && in_word(e, at))
		at++;
	return at;
}

static size_t word_start(const struct editor *e, size_t at)
{
	while (at > 0 && !in_word(e, at - 1))
		at--;
	while (at > 0 && in_word(e, at - 1))
		at--;
	return at;
}

/* As Ctrl-W has it: up to a blank. */
static size_t blank_before(const struct editor *e, size_t at)
{
	while (at > 0 && e->text.data[at - 1] == ' ')
		at--;
	while (at > 0 && e->text.data[at - 1] != ' ')
		at--;
	return at;
}

/* Take [lo, hi) out; kept for Ctrl-Y when wanted. */
static enum editor_did take_out(struct editor *e, size_t lo, size_t hi, bool keep)
{
	if (lo >= hi)
		return EDITOR_MOVED;
	assert(hi <= e->text.len);
	if (keep) {
		e->cut.len = 0;
		buf_add(&e->cut, e->text.data + lo, hi - lo);
	}
	memmove(e->text.data + lo, e->text.data + hi, e->text.len - hi + 1);
	e->text.len -= hi - lo;
	e->at = lo;
	return EDITOR_CHANGED;
}

static void add_clean(struct buf *out, const char *text, size_t n)
{
	while (n) {
		uint32_t c = 0;
		size_t len = utf8_decode(text, n, &c);

		if (len && c == '\t')
			buf_addz(out, " ");
		else if (len && utf8_is_plain(c))
			buf_add(out, text, len);
		len += !len;
		text += len;
		n -= len;
	}
}

void editor_insert(struct editor *e, const char *text, size_t n)
{
	struct buf clean = { 0 }, all = { 0 };

	assert(e->at <= e->text.len);
	add_clean(&clean, text, n);
	if (e->text.len + clean.len <= EDITOR_MAX) {
		buf_add(&all, buf_text(&e->text), e->at);
		buf_add(&all, buf_text(&clean), clean.len);
		buf_add(&all, buf_text(&e->text) + e->at, e->text.len - e->at);
		e->at += clean.len;
		buf_release(&e->text);
		e->text = all;
	}
	buf_release(&clean);
}

void editor_replace(struct editor *e, size_t start, const char *text, size_t n)
{
	if (start <= e->at)
		take_out(e, start, e->at, false);
	editor_insert(e, text, n);
}

void editor_set(struct editor *e, const char *text)
{
	size_t n = strlen(text);

	e->text.len = 0;
	e->at = e->left = 0;
	buf_addz(&e->text, "");
	editor_insert(e, text, n < EDITOR_MAX ? n : EDITOR_MAX);
}

void editor_release(struct editor *e)
{
	buf_release(&e->text);
	buf_release(&e->cut);
	*e = (struct editor){ 0 };
}

static enum editor_did go(struct editor *e, size_t at)
{
	assert(at <= e->text.len);
	e->at = at;
	return EDITOR_MOVED;
}

/* Change the places of the characters around the cursor. */
static enum editor_did transpose(struct editor *e)
{
	size_t mid = e->at == e->text.len ? prev_char(e, e->at) : e->at;
	size_t lo = prev_char(e, mid), hi = next_char(e, mid);
	struct buf both = { 0 };

	if (lo == mid || mid == hi)
		return EDITOR_MOVED;
	buf_add(&both, e->text.data + mid, hi - mid);
	buf_add(&both, e->text.data + lo, mid - lo);
	memcpy(e->text.data + lo, both.data, both.len);
	buf_release(&both);
	e->at = hi;
	return EDITOR_CHANGED;
}

static enum editor_did yank(struct editor *e)
{
	editor_insert(e, buf_text(&e->cut), e->cut.len);
	return EDITOR_CHANGED;
}

static enum editor_did erase(struct editor *e, uint32_t key)
{
	switch (key) {
	case KEY_ERASE:
	case CTRL('h'):
		return take_out(e, prev_char(e, e->at), e->at, false);
	case KEY_DELETE:
	case CTRL('d'):
		return take_out(e, e->at, next_char(e, e->at), false);
	case CTRL('k'):
		return take_out(e, e->at, e->text.len, true);
	case CTRL('u'):
		return take_out(e, 0, e->at, true);
	case CTRL('w'):
		return take_out(e, blank_before(e, e->at), e->at, true);
	case KEY_ALT + KEY_ERASE:
		return take_out(e, word_start(e, e->at), e->at, true);
	case KEY_ALT + 'd':
		return take_out(e, e->at, word_end(e, e->at), true);
	case CTRL('y'):
		return yank(e);
	case CTRL('t'):
		return transpose(e);
	default:
		return EDITOR_NOTHING;
	}
}

static enum editor_did move(struct editor *e, uint32_t key)
{
	switch (key) {
	case KEY_LEFT_:
	case CTRL('b'):
		return go(e, prev_char(e, e->at));
	case KEY_RIGHT_:
	case CTRL('f'):
		return go(e, next_char(e, e->at));
	case KEY_HOME_:
	case CTRL('a'):
		return go(e, 0);
	case KEY_END_:
	case CTRL('e'):
		return go(e, e->text.len);
	case KEY_ALT + 'b':
	case KEY_ALT + KEY_LEFT_:
		return go(e, word_start(e, e->at));
	case KEY_ALT + 'f':
	case KEY_ALT + KEY_RIGHT_:
		return go(e, word_end(e, e->at));
	default:
		return erase(e, key);
	}
}

enum editor_did editor_key(struct editor *e, const struct event *event)
{
	struct buf typed = { 0 };

	if (event->kind != EVENT_KEY)
		return EDITOR_NOTHING;
	if (e->text.len == 0)
		buf_addz(&e->text, "");
	if (event->key < ' ' || event->key == KEY_ERASE || event->key >= KEY_FIRST)
		return move(e, event->key);
	utf8_add_char(&typed, event->key);
	editor_insert(e, typed.data, typed.len);
	buf_release(&typed);
	return EDITOR_CHANGED;
}

/* How many columns the text from lo to hi takes. */
static int columns_of(const struct editor *e, size_t lo, size_t hi)
{
	int columns = 0;
	size_t n;

	while (lo < hi) {
		columns += grid_columns(char_at(e, lo, &n));
		lo += n;
	}
	return columns;
}

/* Is there room for this many bytes in so many columns? No character takes more bytes than four and its marks. */
static bool fits(const struct editor *e, size_t lo, size_t hi, int columns)
{
	enum { BYTES_PER_COLUMN = 16 };

	return hi - lo < (size_t)columns * BYTES_PER_COLUMN && columns_of(e, lo, hi) < columns;
}

void editor_draw(struct editor *e, struct grid *g, struct area a, int x, int y, struct look look)
{
	int room = a.width - x;

	if (room < 1 || y >= a.height)
		return;
	if (e->left > e->at)
		e->left = e->at;
	while (e->left < e->at && !fits(e, e->left, e->at, room))
		e->left = next_char(e, e->left);
	if (e->left > 0) /* nothing stays out of sight for which there is room */
		for (size_t to = prev_char(e, e->left); fits(e, to, e->text.len, room); to = prev_char(e, to)) {
			e->left = to;
			if (to == 0)
				break;
		}
	assert(e->left <= e->at && e->at <= e->text.len);
	grid_text(g, a, x, y, buf_text(&e->text) + e->left, look);
	if (e->left > 0)
		grid_text(g, a, x - 1, y, "<", look);
	g->cursor_x = a.x + x + columns_of(e, e->left, e->at);
	g->cursor_y = a.y + y;
}

void editor_click(struct editor *e, int column)
{
	size_t at = e->left < e->text.len ? e->left : e->text.len; /* the text may be shorter than when it was drawn */

	while (at < e->text.len && columns_of(e, e->left, next_char(e, at)) <= column)
		at = next_char(e, at);
	e->at = at;
}
