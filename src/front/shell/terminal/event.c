/*
 * event.c - names of keys and mouse events
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/utf8.h"
#include "front/shell/terminal/event.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct event_named {
	uint32_t key;
	const char *name;
};

/* Keys whose name is not their character. */
static const struct event_named keys[] = {
	{ 0, "Ctrl-Space" },
	{ KEY_TAB, "Tab" },
	{ KEY_ENTER_, "Enter" },
	{ KEY_ESC, "Esc" },
	{ 28, "Ctrl-\\" },
	{ 29, "Ctrl-]" },
	{ 30, "Ctrl-^" },
	{ 31, "Ctrl-_" },
	{ ' ', "Space" },
	{ '"', "Quote" },
	{ KEY_ERASE, "Backspace" },
	{ KEY_UP_, "Up" },
	{ KEY_DOWN_, "Down" },
	{ KEY_LEFT_, "Left" },
	{ KEY_RIGHT_, "Right" },
	{ KEY_HOME_, "Home" },
	{ KEY_END_, "End" },
	{ KEY_PAGE_UP, "PageUp" },
	{ KEY_PAGE_DOWN, "PageDown" },
	{ KEY_INSERT, "Insert" },
	{ KEY_DELETE, "Delete" },
	{ KEY_BACKTAB, "BackTab" },
};

enum { N_KEYS = sizeof(keys) / sizeof(keys[0]) };

/* Events other than keys, with the number of their arguments: x, y, lines. */
static const struct {
	const char *name;
	enum event_kind kind;
	int n;
} others[] = {
	{ "None", EVENT_NONE, 0 },        { "Click", EVENT_CLICK, 2 }, { "Double", EVENT_DOUBLE, 2 },
	{ "RightClick", EVENT_RIGHT, 2 }, { "Wheel", EVENT_WHEEL, 3 }, { "Resize", EVENT_RESIZE, 2 },
	{ "Wake", EVENT_WAKE, 0 },        { "Stop", EVENT_STOP, 0 },
};

enum { N_OTHERS = sizeof(others) / sizeof(others[0]) };

static void event_add_key(uint32_t key, struct buf *out)
{
	if (key & KEY_ALT) {
		buf_addz(out, "Alt-");
		key &= ~(uint32_t)KEY_ALT;
	}
	for (int i = 0; i < N_KEYS; i++)
		if (keys[i].key == key) {
			buf_addz(out, keys[i].name);
			return;
		}
	if (key < ' ')
		buf_addf(out, "Ctrl-%c", (char)(key + '@'));
	else if (key > KEY_FUNCTION && key <= KEY_LAST)
		buf_addf(out, "F%u", (unsigned)(key - KEY_FUNCTION));
	else if (key < KEY_FIRST && utf8_is_safe(key) && (key < 0xd800 || key >= 0xe000))
		utf8_add_char(out, key);
	else
		buf_addf(out, "U+%04X", (unsigned)key);
}

void event_add_name(const struct event *e, struct buf *out)
{
	if (e->kind == EVENT_KEY) {
		event_add_key(e->key, out);
		return;
	}
	for (int i = 0; i < N_OTHERS; i++)
		if (others[i].kind == e->kind) {
			buf_addz(out, others[i].name);
			if (others[i].n == 2)
				buf_addf(out, "(%d,%d)", e->x, e->y);
			else if (others[i].n == 3)
				buf_addf(out, "(%d,%d,%d)", e->x, e->y, e->lines);
		}
}

/* Do the n bytes at word match this name? */
static bool event_is_word(const char *word, size_t n, const char *name)
{
	return strlen(name) == n && memcmp(word, name, n) == 0;
}

static bool event_takes(const char **word, size_t *n, const char *start)
{
	size_t len = strlen(start);

	if (*n <= len || memcmp(*word, start, len) != 0)
		return false;
	*word += len;
	*n -= len;
	return true;
}

/* Parse n bytes that must all be digits. */
static bool event_number(const char *s, size_t n, int base, uint32_t max, uint32_t *out)
{
	char copy[8];
	char *end;

	if (n == 0 || n >= sizeof(copy) || !isxdigit((unsigned char)*s))
		return false;
	memcpy(copy, s, n);
	copy[n] = '\0';
	*out = (uint32_t)strtoul(copy, &end, base);
	return *end == '\0' && *out <= max;
}

static bool parse_key(const char *word, size_t n, uint32_t *out)
{
	uint32_t alt = event_takes(&word, &n, "Alt-") ? KEY_ALT : 0, key = 0;
	bool found = false;

	for (int i = 0; i < N_KEYS && !found; i++)
		if (event_is_word(word, n, keys[i].name)) {
			key = keys[i].key;
			found = true;
		}
	if (!found && utf8_decode(word, n, &key) == n)
		found = utf8_is_safe(key);
	if (!found && event_takes(&word, &n, "Ctrl-")) {
		found = n == 1 && toupper((unsigned char)*word) >= '@' && toupper((unsigned char)*word) <= '_';
		key = (uint32_t)(toupper((unsigned char)*word) - '@');
	} else if (!found && event_takes(&word, &n, "F")) {
		found = event_number(word, n, 10, KEY_LAST - KEY_FUNCTION, &key) && key > 0;
		key += KEY_FUNCTION;
	} else if (!found && event_takes(&word, &n, "U+")) {
		found = event_number(word, n, 16, KEY_FIRST - 1, &key);
	}
	*out = key | alt;
	return found;
}

/* Parse "(1,2)" or "(1,2,-3)", which must be all of n bytes. */
static bool parse_numbers(const char *s, size_t n, int *to[], int count)
{
	enum { NUMBER_MAX = 9999 };

	for (int i = 0; i < count; i++) {
		long value;
		char *end;

		if (n < 2 || *s != (i ? ',' : '(') || !(isdigit((unsigned char)s[1]) || s[1] == '-'))
			return false;
		value = strtol(s + 1, &end, 10);
		if (end <= s + 1 || (size_t)(end - s) >= n || value < -NUMBER_MAX || value > NUMBER_MAX)
			return false;
		*to[i] = (int)value;
		n -= (size_t)(end - s);
		s = end;
	}
	return count ? n == 1 && *s == ')' : n == 0;
}

static bool parse_other(const char *word, size_t n, struct event *out)
{
	int *to[] = { &out->x, &out->y, &out->lines };

	for (int i = 0; i < N_OTHERS; i++) {
		size_t len = strlen(others[i].name);

		if (n >= len && memcmp(word, others[i].name, len) == 0 &&
		    parse_numbers(word + len, n - len, to, others[i].n)) {
			out->kind = others[i].kind;
			return true;
		}
	}
	return false;
}

/* Does the text begin inside a quoted word, that is, does it contain an odd number of quotes? */
static bool event_is_quoted(const char *text)
{
	bool odd = false;

	for (; *text; text++)
		odd ^= *text == '"';
	return odd;
}

int event_parse(const char **text, struct event *out, struct err *err)
{
	static const char blanks[] = " \t\n";
	const char *at = *text;
	bool quoted = event_is_quoted(at);
	struct event e = { .kind = EVENT_KEY };
	size_t n;

	while (*at == '"' || (!quoted && *at && strchr(blanks, *at)))
		quoted ^= *at++ == '"';
	if (quoted) {
		n = utf8_decode(at, strnlen(at, 4), &e.key);
		if (n == 0)
			return err_set(err, ERR_USAGE, "unclosed quote or invalid UTF-8 in keys");
	} else {
		n = strcspn(at, " \t\n\"");
		if (n == 0)
			e.kind = EVENT_NONE;
		else if (!parse_key(at, n, &e.key) && !parse_other(at, n, &e))
			return err_set(err, ERR_USAGE, "%.*s: unknown key or event", (int)(n < 100 ? n : 100), at);
	}
	at += n;
	*text = at + (quoted && *at == '"'); /* move the caller's pointer to the next text */
	*out = e;
	return 0;
}
