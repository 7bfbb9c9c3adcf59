/*
 * quote.c - names and labels in the syntax of the prompt
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/shell/quote.h"

#include "base/str.h"
#include "session/expression.h"
#include "session/line.h"
#include "front/shell/state.h"

#include <string.h>

/* ---- names ---- */

void shell_quote(const char *text, struct buf *out)
{
	const char *quote = line_splits(text) ? "'" : "";

	buf_addz(out, quote);
	expression_add_name(text, quote, out);
	buf_addz(out, quote);
}

static void quote_add_file(const struct profile *p, const char *file, struct buf *out)
{
	const char *quote = line_splits(file) ? "'" : "";

	buf_addz(out, quote);
	expression_add_file(p, file, quote, out);
	buf_addz(out, quote);
}

void shell_quote_place(struct shell *s, const struct row_place *place, struct buf *out)
{
	if (*place->function)
		shell_quote(place->function, out);
	else if (*place->file)
		quote_add_file(s->data->p, place->file, out);
	else if (*place->binary)
		shell_quote(place->binary, out);
}

/* ---- labels ---- */

/* Can a text follow an option and = without quotes? */
static bool quote_is_word(const char *text)
{
	size_t n = strlen(text);
	bool ends = false; /* is the last character a blank? */

	for (size_t i = 0; i < n; i++)
		ends = line_space(text + i) && i + line_space(text + i) == n;
	return n && *text != '\'' && *text != '"' && !line_space(text) && !ends && !strstr(text, "//:");
}

/* Append text so that an assignment reads all of it. Return false when quoting cannot do that. */
static bool quote_add_word(const char *text, struct buf *out)
{
	const char *quote = quote_is_word(text) ? "" : !strchr(text, '\'') ? "'" : "\"";

	if (*quote == '"' && strpbrk(text, "\"\\"))
		return false;
	buf_addf(out, "%s%s%s", quote, text, quote);
	return true;
}

bool shell_label_add_text(const char *key, const char *value, size_t n, struct buf *out)
{
	struct buf text = { 0 };
	bool fine;

	expression_add_label(key, value, n, &text);
	fine = quote_add_word(buf_text(&text), out);
	buf_release(&text);
	return fine;
}

bool shell_label_add_numbers(const char *key, int64_t lo, int64_t hi, const char *unit, struct buf *out)
{
	struct buf text = { 0 };
	bool fine = expression_add_numbers(key, lo, hi, unit, &text) && quote_add_word(buf_text(&text), out);

	buf_release(&text);
	return fine;
}

bool shell_label_add_key(const char *key, struct buf *out)
{
	return *key && !strchr(key, ',') && quote_add_word(key, out);
}
