/*
 * quote.c - names and labels in the language of the prompt
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * How filters read labels is in engine/filter_tags.c: a key ends at the first =, expressions are separated by
 * commas, and text that looks like a number is a range.
 */
#include "config.h"

#include "viewers/shell/quote.h"

#include "base/str.h"
#include "base/unit.h"
#include "base/utf8.h"
#include "session/line.h"
#include "viewers/shell/shell_int.h"

#include <inttypes.h>
#include <string.h>

/*
 * Append text as an expression that matches just that.
 *
 * special  characters with a meaning at the prompt or in the option, which are written as \x{} too
 */
static void add_literal(const char *text, size_t len, const char *special, struct buf *out)
{
	const char *end = text + len;

	while (text < end) {
		uint32_t c = 0xfffd; /* for a byte that is not UTF-8 */
		size_t n = utf8_decode(text, (size_t)(end - text), &c);

		if (n == 0 || !utf8_is_plain(c) || strchr(special, *text))
			buf_addf(out, "\\x{%x}", (unsigned)c);
		else if (n == 1 && strchr("\\.+*?()|[]{}^$", *text))
			buf_addf(out, "\\%c", *text);
		else
			buf_add(out, text, n);
		text += n ? n : 1;
	}
}

/* ---- names ---- */

/* Would the prompt split it? */
static bool has_blank(const char *text)
{
	for (; *text; text++)
		if (line_space(text) || starts_with(text, "//:"))
			return true;
	return false;
}

void shell_quote(const char *text, struct buf *out)
{
	const char *quote = has_blank(text) ? "'" : "";

	buf_addf(out, "%s^", quote);
	add_literal(text, strlen(text), quote, out);
	buf_addf(out, "$%s", quote);
}

/* Files are printed without the folders of the machine that built the program. */
static void add_file(const struct profile *p, const char *file, struct buf *out)
{
	struct buf whole = { 0 };
	bool is_whole = false;

	for (uint32_t f = 0; f < p->n_funcs && !is_whole; f++)
		is_whole = strcmp(profile_text(p, p->func_file[f]), file) == 0;
	shell_quote(file, &whole);
	for (size_t i = 0; i < whole.len; i++)
		if (is_whole || i > 1 || whole.data[i] != '^')
			buf_add(out, whole.data + i, 1);
	buf_release(&whole);
}

void shell_quote_place(struct shell *s, const struct row_place *place, struct buf *out)
{
	if (*place->function)
		shell_quote(place->function, out);
	else if (*place->file)
		add_file(s->data->p, place->file, out);
	else if (*place->binary)
		shell_quote(place->binary, out);
}

/* ---- labels ---- */

#define LABEL_SPECIAL ",='\""

/* Can it follow an option and = without quotes? */
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
		add_literal(key, strlen(key), LABEL_SPECIAL, &text);
		buf_addz(&text, ":");
	}
	add_literal(value, n, LABEL_SPECIAL, &text);
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
