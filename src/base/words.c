/*
 * words.c - read the lines of a configuration file as words
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/words.h"

#include "base/buf.h"
#include "base/mem.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int words_error(const struct words *w, struct err *err, const char *fmt, ...)
{
	struct buf message = { 0 };
	va_list args;
	char text[512];
	int rc;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (w->line)
		buf_addf(&message, "%s:%" PRIu32 ": %s", w->file, w->line, text);
	else
		buf_addf(&message, "%s%s%s", w->file, *w->file ? ": " : "", text);
	rc = err_set(err, ERR_USAGE, "%s", buf_text(&message));
	buf_release(&message);
	return rc;
}

/* Read a quoted word; at is the position after the opening quote. Returns the position after the closing quote; NULL if
 * it is missing. */
static const char *read_quoted(const char *at, const char *end, struct buf *out)
{
	for (; at < end && *at != '"'; at++) {
		if (*at == '\\' && at + 1 < end && at[1] == '"')
			at++;
		buf_add(out, at, 1);
	}
	return at < end ? at + 1 : NULL;
}

static bool words_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Split a line into words and comment. */
static int split_line(struct words_reader *r, const char *at, const char *end, struct err *err)
{
	struct words *w = &r->line;
	struct buf word = { 0 };

	for (;;) {
		const char *start;

		while (at < end && words_is_blank(*at))
			at++;
		if (at == end || *at == '#')
			break;
		word.len = 0;
		for (start = at; at < end && !words_is_blank(*at) && *start != '"'; at++)
			buf_add(&word, at, 1);
		if (at == start)
			at = read_quoted(at + 1, end, &word);
		if (!at || (at < end && !words_is_blank(*at))) {
			buf_release(&word);
			return at ? words_error(w, err, "closing quote within a word; write \\\" for a quote")
				  : words_error(w, err, "missing closing quote");
		}
		w->word = mem_grow(w->word, &w->cap, w->n + 1, sizeof(*w->word));
		w->word[w->n++] = arena_strndup(r->mem, buf_text(&word), word.len);
	}
	buf_release(&word);
	while (at < end && (*at == '#' || words_is_blank(*at)))
		at++;
	while (end > at && words_is_blank(end[-1]))
		end--;
	w->comment = arena_strndup(r->mem, at, (size_t)(end - at));
	return 0;
}

void words_start(struct words_reader *r, const char *text, size_t n, const char *file, struct arena *mem)
{
	static const char mark[] = "\xef\xbb\xbf";

	*r = (struct words_reader){ .at = text, .end = text + n, .mem = mem, .line.file = file };
	if (n >= 3 && memcmp(text, mark, 3) == 0)
		r->at += 3;
}

int words_next(struct words_reader *r, struct err *err)
{
	const char *at = r->at, *feed, *stop;

	if (at >= r->end)
		return 0;
	feed = memchr(at, '\n', (size_t)(r->end - at));
	stop = feed ? feed : r->end;
	r->at = feed ? feed + 1 : r->end;
	r->line.line++;
	r->line.n = 0;
	if (memchr(at, 0, (size_t)(stop - at)))
		return words_error(&r->line, err, "not a text file");
	return split_line(r, at, stop > at && stop[-1] == '\r' ? stop - 1 : stop, err) < 0 ? ERR_USAGE : 1;
}

void words_release(struct words_reader *r)
{
	free(r->line.word);
	*r = (struct words_reader){ 0 };
}
