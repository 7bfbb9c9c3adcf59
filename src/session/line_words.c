/*
 * line_words.c - split a line of the shells into words
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "session/line_words.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/utf8.h"
#include "session/line.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

size_t line_space(const char *s)
{
	size_t n = strnlen(s, 4);
	uint32_t c = 0;

	if (n == 0)
		return 0;
	n = utf8_decode(s, n, &c);
	if ((c >= '\t' && c <= '\r') || c == ' ' || c == 0x85 || c == 0xa0 || c == 0x1680 ||
	    (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000)
		return n;
	return 0;
}

bool line_splits(const char *text)
{
	for (; *text; text++)
		if (line_space(text) || starts_with(text, "//:"))
			return true;
	return false;
}

static const char *skip_space(const char *s)
{
	size_t n;

	while ((n = line_space(s)))
		s += n;
	return s;
}

static bool is_quote(char c)
{
	return c == '\'' || c == '"';
}

/* The opening quote of a word, at its start or after -, >, -NAME= and --NAME=. NULL if there is none. */
static const char *quote_of(const char *word)
{
	static const char name[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-";
	const char *at = word, *equals = *word == '-' ? word + strspn(word, name) : word;

	if (*equals == '=' && equals > word)
		at = equals + 1;
	else if (starts_with(word, "--"))
		return NULL;
	else if (*word == '-' || *word == '>')
		at++;
	return is_quote(*at) ? at : NULL;
}

/* The closing quote for the opening quote at s; NULL when there is none. */
static const char *closing(const char *s)
{
	const char *at = s + 1;

	for (; *at && *at != *s; at++)
		if (*s == '"' && *at == '\\' && at[1])
			at++;
	return *at ? at : NULL;
}

/*
 * Append the text between two quotes. Backslashes are copied, except that \" in double quotes becomes a quote:
 * expressions contain many backslashes.
 */
static void line_words_add_quoted(const char *open, const char *close, struct buf *out)
{
	for (const char *at = open + 1; at < close; at++) {
		if (*open == '"' && at[0] == '\\' && at[1] == '\\')
			buf_add(out, at++, 1); /* an escaped backslash, so that a following quote closes */
		else if (*open == '"' && at[0] == '\\' && at[1] == '"')
			at++;
		buf_add(out, at, 1);
	}
}

static void line_words_add_word(struct line_words *w, const struct buf *text, bool quoted)
{
	w->word = mem_grow(w->word, &w->cap, w->n + 1, sizeof(*w->word));
	w->word[w->n++] = (struct line_word){ mem_strndup(buf_text(text), text->len), quoted };
}

/* Read the word at s. Return the position after it. */
static const char *line_words_take_word(const char *s, struct line_words *w)
{
	const char *open = quote_of(s), *close = open ? closing(open) : NULL;
	struct buf text = { 0 };

	if (close && (!close[1] || line_space(close + 1))) {
		buf_add(&text, s, (size_t)(open - s));
		line_words_add_quoted(open, close, &text);
		line_words_add_word(w, &text, open == s);
		buf_release(&text);
		return close + 1;
	}
	w->is_unclosed |= open && !close;
	close = s;
	while (*close && !line_space(close))
		close++;
	buf_add(&text, s, (size_t)(close - s));
	line_words_add_word(w, &text, false);
	buf_release(&text);
	return close;
}

/* Does s start with the word |, after other words? */
static bool is_pipe(const char *at, const struct line_words *before)
{
	return *at == '|' && before->n && (!at[1] || line_space(at + 1));
}

void line_words_split(const char *text, struct line_words *out)
{
	*out = (struct line_words){ 0 };
	for (const char *at = skip_space(text); *at; at = skip_space(at)) {
		if (is_pipe(at, out)) {
			at = skip_space(at + 1);
			out->pipe = mem_strndup(at, strlen(at));
			return;
		}
		at = line_words_take_word(at, out);
	}
}

size_t line_words_last(const char *text, size_t *n_words)
{
	struct line_words w = { 0 };
	const char *at = skip_space(text);

	*n_words = 0;
	while (*at) {
		const char *open = quote_of(at), *end;

		if (is_pipe(at, &w)) {
			*n_words = SIZE_MAX;
			at += strlen(at);
			break;
		}
		if (open && !closing(open)) /* everything that follows may still be inside the quotes */
			break;
		end = line_words_take_word(at, &w);
		if (!*end)
			break;
		++*n_words;
		at = skip_space(end);
	}
	line_words_release(&w);
	return (size_t)(at - text);
}

void line_words_release(struct line_words *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->word[i].text);
	free(w->word);
	free(w->pipe);
	*w = (struct line_words){ 0 };
}

char *line_unquote(const char *value)
{
	const char *open = skip_space(value), *close, *rest;
	struct buf text = { 0 };

	if (!is_quote(*open) || !(close = closing(open)))
		return NULL;
	rest = skip_space(close + 1);
	if (*rest && !starts_with(rest, "//:"))
		return NULL;
	buf_addz(&text, ""); /* sets text.data even for an empty value */
	line_words_add_quoted(open, close, &text);
	return text.data;
}
