/*
 * line_words.h - a line of the shells, split into words
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SESSION_LINE_WORDS_H
#define SESSION_LINE_WORDS_H

#include <stdbool.h>
#include <stddef.h>

struct line_word {
	char *text;
	bool is_quoted; /* from its first character on: neither number, option nor redirection */
};

struct line_words {
	struct line_word *word; /* [n] */
	size_t n, cap;
	char *pipe;       /* what stands behind the word |; NULL without one */
	bool is_unclosed; /* a quote has no end, and was taken as any other character */
};

/*
 * Split at white space, as Go strings.Fields. A word, or what stands behind its -, > or --NAME=, may
 * be in quotes and then hold blanks: all of 'a b' is as it is, in "a b" \" is a quote. Quotes that
 * begin or end elsewhere are characters like others.
 *
 * out     released with line_words_release
 */
void line_words_split(const char *text, struct line_words *out);
void line_words_release(struct line_words *w);

/*
 * Where the last word of a line begins that may not be complete, its length when blanks stand there.
 *
 * n_words set to how many words stand before it; behind a pipe to SIZE_MAX
 */
size_t line_words_last(const char *text, size_t *n_words);

/*
 * The text of a value that is quoted as a whole, blanks or a comment (//:) behind it; the caller frees.
 *
 * Gives   NULL when it is not
 */
char *line_unquote(const char *value);

#endif
