/*
 * editor.c - editing a line of text
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/shell/widgets/editor.h"

#include "base/utf8.h"
#include "front/shell/terminal/grid.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define CTRL(letter) ((letter) - 'a' + 1)

/* The character at a byte, and its length in *n, which is 0 at the end. */
static uint32_t char_at(const struct editor *e, size_t at, size_t *n)
{
	uint32_t c = 0;

	*n = at < e->text.len ? utf8_decode(e->text.data + at, e->text.len - at, &c) : 0;
	return c;
}

/* The end of the character at a byte, including its combining marks. */
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

/* Letters, digits and non-ASCII characters make words, as in other line editors. */
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

/* The start of the word before a byte for Ctrl-W, whose words end at blanks. */
static size_t blank_before(const struct editor *e, size_t at)
{
	while (at > 0 && e->text.data[at - 1] == ' ')
		at--;
	while (at > 0 && e->text.data[at - 1] != ' ')
		at--;
	return at;
}

/* Remove [lo, hi), and save the removed text for Ctrl-Y if requested. */
static enum editor_result cut_range(struct editor *e, size_t lo, size_t hi, bool keep)
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
	e->cursor = lo;
	return EDITOR_CHANGED;
}

static void add_clean(struct buf *out, const char *text, size_t n)
{
	while (n) {
		uint32_t c = 0;
		size_t len = utf8_decode(text, n, &c);

		if (len && c == '\t')
			buf_addz(out, " ");
		else if (len && utf8_is_safe(c))
			buf_add(out, text, len);
		len += !len;
		text += len;
		n -= len;
	}
}

void editor_insert(struct editor *e, const char *text, size_t n)
{
	struct buf clean = { 0 }, all = { 0 };

	assert(e->cursor <= e->text.len);
	add_clean(&clean, text, n);
	if (e->text.len + clean.len <= EDITOR_MAX) {
		buf_add(&all, buf_text(&e->text), e->cursor);
		buf_add(&all, buf_text(&clean), clean.len);
		buf_add(&all, buf_text(&e->text) + e->cursor, e->text.len - e->cursor);
		e->cursor += clean.len;
		buf_release(&e->text);
		e->text = all;
	}
	buf_release(&clean);
}

void editor_replace(struct editor *e, size_t start, const char *text, size_t n)
{
	if (start <= e->cursor)
		cut_range(e, start, e->cursor, false);
	editor_insert(e, text, n);
}

void editor_set(struct editor *e, const char *text)
{
	size_t n = strlen(text);

	e->text.len = 0;
	e->cursor = e->scroll_bytes = 0;
	buf_addz(&e->text, "");
	editor_insert(e, text, n < EDITOR_MAX ? n : EDITOR_MAX);
}

void editor_release(struct editor *e)
{
	buf_release(&e->text);
	buf_release(&e->cut);
	*e = (struct editor){ 0 };
}

static enum editor_result go(struct editor *e, size_t at)
{
	assert(at <= e->text.len);
	e->cursor = at;
	return EDITOR_MOVED;
}

/* Swap the characters around the cursor. */
static enum editor_result shell_editor_transpose(struct editor *e)
{
	size_t mid = e->cursor == e->text.len ? prev_char(e, e->cursor) : e->cursor;
	size_t lo = prev_char(e, mid), hi = next_char(e, mid);
	struct buf both = { 0 };

	if (lo == mid || mid == hi)
		return EDITOR_MOVED;
	buf_add(&both, e->text.data + mid, hi - mid);
	buf_add(&both, e->text.data + lo, mid - lo);
	memcpy(e->text.data + lo, both.data, both.len);
	buf_release(&both);
	e->cursor = hi;
	return EDITOR_CHANGED;
}

static enum editor_result yank(struct editor *e)
{
	editor_insert(e, buf_text(&e->cut), e->cut.len);
	return EDITOR_CHANGED;
}

static enum editor_result erase(struct editor *e, uint32_t key)
{
	switch (key) {
	case KEY_ERASE:
	case CTRL('h'):
		return cut_range(e, prev_char(e, e->cursor), e->cursor, false);
	case KEY_DELETE:
	case CTRL('d'):
		return cut_range(e, e->cursor, next_char(e, e->cursor), false);
	case CTRL('k'):
		return cut_range(e, e->cursor, e->text.len, true);
	case CTRL('u'):
		return cut_range(e, 0, e->cursor, true);
	case CTRL('w'):
		return cut_range(e, blank_before(e, e->cursor), e->cursor, true);
	case KEY_ALT + KEY_ERASE:
		return cut_range(e, word_start(e, e->cursor), e->cursor, true);
	case KEY_ALT + 'd':
		return cut_range(e, e->cursor, word_end(e, e->cursor), true);
	case CTRL('y'):
		return yank(e);
	case CTRL('t'):
		return shell_editor_transpose(e);
	default:
		return EDITOR_IGNORED;
	}
}

static enum editor_result shell_editor_move(struct editor *e, uint32_t key)
{
	switch (key) {
	case KEY_LEFT_:
	case CTRL('b'):
		return go(e, prev_char(e, e->cursor));
	case KEY_RIGHT_:
	case CTRL('f'):
		return go(e, next_char(e, e->cursor));
	case KEY_HOME_:
	case CTRL('a'):
		return go(e, 0);
	case KEY_END_:
	case CTRL('e'):
		return go(e, e->text.len);
	case KEY_ALT + 'b':
	case KEY_ALT + KEY_LEFT_:
		return go(e, word_start(e, e->cursor));
	case KEY_ALT + 'f':
	case KEY_ALT + KEY_RIGHT_:
		return go(e, word_end(e, e->cursor));
	default:
		return erase(e, key);
	}
}

enum editor_result editor_key(struct editor *e, const struct event *event)
{
	struct buf typed = { 0 };

	if (event->kind != EVENT_KEY)
		return EDITOR_IGNORED;
	if (e->text.len == 0)
		buf_addz(&e->text, "");
	if (event->key < ' ' || event->key == KEY_ERASE || event->key >= KEY_FIRST)
		return shell_editor_move(e, event->key);
	utf8_add_char(&typed, event->key);
	editor_insert(e, typed.data, typed.len);
	buf_release(&typed);
	return EDITOR_CHANGED;
}

/* The number of columns of the text from lo to hi. */
static int shell_editor_columns_of(const struct editor *e, size_t lo, size_t hi)
{
	int columns = 0;
	size_t n;

	while (lo < hi) {
		columns += grid_columns(char_at(e, lo, &n));
		lo += n;
	}
	return columns;
}

/* Do the bytes [lo, hi) fit in this many columns? A character takes at most four bytes, plus its marks. */
static bool fits(const struct editor *e, size_t lo, size_t hi, int columns)
{
	enum { BYTES_PER_COLUMN = 16 };

	return hi - lo < (size_t)columns * BYTES_PER_COLUMN && shell_editor_columns_of(e, lo, hi) < columns;
}

void editor_draw(struct editor *e, struct grid *g, struct area a, int x, int y, struct style style)
{
	int room = a.width - x;

	if (room < 1 || y >= a.height)
		return;
	if (e->scroll_bytes > e->cursor)
		e->scroll_bytes = e->cursor;
	while (e->scroll_bytes < e->cursor && !fits(e, e->scroll_bytes, e->cursor, room))
		e->scroll_bytes = next_char(e, e->scroll_bytes);
	if (e->scroll_bytes > 0) /* scroll back as far as there is room */
		for (size_t to = prev_char(e, e->scroll_bytes); fits(e, to, e->text.len, room); to = prev_char(e, to)) {
			e->scroll_bytes = to;
			if (to == 0)
				break;
		}
	assert(e->scroll_bytes <= e->cursor && e->cursor <= e->text.len);
	grid_text(g, a, x, y, buf_text(&e->text) + e->scroll_bytes, style);
	if (e->scroll_bytes > 0)
		grid_text(g, a, x - 1, y, "<", style);
	g->cursor_x = a.x + x + shell_editor_columns_of(e, e->scroll_bytes, e->cursor);
	g->cursor_y = a.y + y;
}

void editor_click(struct editor *e, int column)
{
	/* the text may have become shorter since it was drawn */
	size_t at = e->scroll_bytes < e->text.len ? e->scroll_bytes : e->text.len;

	while (at < e->text.len && shell_editor_columns_of(e, e->scroll_bytes, next_char(e, at)) <= column)
		at = next_char(e, at);
	e->cursor = at;
}
