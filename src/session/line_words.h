/*
 * line_words.h - split a line of the shells into words
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SESSION_LINE_WORDS_H
#define SESSION_LINE_WORDS_H

#include <stdbool.h>
#include <stddef.h>

struct line_word {
	char *text;
	bool is_quoted; /* quoted from its first character: never a number, an option or a redirection */
};

struct line_words {
	struct line_word *word; /* [n] */
	size_t n, cap;
	char *pipe;       /* the text after the word |; NULL if there is none */
	bool is_unclosed; /* a quote is not closed; it was read as an ordinary character */
};

/*
 * Split at white space, like Go strings.Fields. A word, or the part after its -, >, -NAME= or --NAME=, may be quoted
 * and then contain blanks. 'a b' is taken literally; in "a b", \" is a quote. Quotes that begin or end elsewhere are
 * ordinary characters.
 *
 * out     released with line_words_release
 */
void line_words_split(const char *text, struct line_words *out);
void line_words_release(struct line_words *w);

/*
 * The offset of the last, possibly incomplete word of a line; the length of the line when it ends in a blank.
 *
 * n_words set to the number of words before it; SIZE_MAX after a pipe
 */
size_t line_words_last(const char *text, size_t *n_words);

/*
 * The text of a value that is completely quoted; only blanks or a comment (//:) may follow. The caller frees the
 * result.
 *
 * Returns NULL when it is not quoted
 */
char *line_unquote(const char *value);

#endif
