/*
 * label.c - labels in the language of the prompt
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * How filters read it is in engine/filter_tags.c: a key ends at the first =, expressions are parted
 * by commas, and what looks like a number is a range.
 */
#include "config.h"

#include "viewers/shell/label.h"

#include "base/unit.h"
#include "base/utf8.h"
#include "session/line.h"

#include <inttypes.h>
#include <string.h>

/* Text in an expression that matches just that. */
static void add_plain(const char *text, size_t len, struct buf *out)
{
	const char *end = text + len;

	while (text < end) {
		uint32_t c = 0xfffd; /* what a byte that is not UTF-8 counts as */
		size_t n = utf8_decode(text, (size_t)(end - text), &c);

		if (n == 0 || !utf8_is_plain(c) || strchr(",='\"", *text))
			buf_addf(out, "\\x{%x}", (unsigned)c);
		else if (n == 1 && strchr("\\.+*?()|[]{}^$", *text))
			buf_addf(out, "\\%c", *text);
		else
			buf_add(out, text, n);
		text += n ? n : 1;
	}
}

/* Is it taken as it stands behind an option and =? */
static bool is_word(const char *text)
{
	size_t n = strlen(text);
	bool ends = false; /* with a blank */

	for (size_t i = 0; i < n; i++)
		ends = line_space(text + i) && i + line_space(text + i) == n;
	return n && *text != '\'' && *text != '"' && !line_space(text) && !ends && !strstr(text, "//:");
}

/* Append text so that an assignment takes it whole. */
static bool add_word(const char *text, struct buf *out)
{
	const char *quote = is_word(text) ? "" : !strchr(text, '\'') ? "'" : "\"";

	if (*quote == '"' && strpbrk(text, "\"\\"))
		return false;
	buf_addf(out, "%s%s%s", quote, text, quote);
	return true;
}

static bool is_whole(const char *key)
{
	return *key && !strchr(key, '=');
}

bool shell_label_add_text(const char *key, const char *value, size_t n, struct buf *out)
{
	struct buf text = { 0 };
	bool fine;

	if (is_whole(key)) {
		buf_addf(&text, "%s=^", key);
	} else { /* without a key expressions are for key:value */
		buf_addz(&text, "^");
		add_plain(key, strlen(key), &text);
		buf_addz(&text, ":");
	}
	add_plain(value, n, &text);
	buf_addz(&text, "$");
	fine = add_word(buf_text(&text), out);
	buf_release(&text);
	return fine;
}

/* Units that are unknown are not read, and cannot be written when they are more than letters. */
static const char *unit_of(const char *unit)
{
	return unit_find(unit, NULL) ? unit : "";
}

bool shell_label_add_numbers(const char *key, int64_t lo, int64_t hi, const char *unit, struct buf *out)
{
	struct buf text = { 0 };
	const char *known = unit_of(unit);
	bool fine = is_whole(key);

	for (const char *c = known; *c; c++)
		fine &= (*c | 32) >= 'a' && (*c | 32) <= 'z';
	if (fine) {
		buf_addf(&text, "%s=%" PRId64 "%s", key, lo, known);
		if (lo != hi)
			buf_addf(&text, ":%" PRId64 "%s", hi, known);
		fine = add_word(buf_text(&text), out);
	}
	buf_release(&text);
	return fine;
}

bool shell_label_add_key(const char *key, struct buf *out)
{
	return *key && !strchr(key, ',') && add_word(key, out);
}
