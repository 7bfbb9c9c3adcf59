/*
 * words.h - read the lines of a configuration file as words
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Words are separated by blanks; a word that begins with # starts a comment. A word that contains blanks or begins with
 * # or " is quoted; in quotes \" is a quote, and all other backslashes are literal.
 */
#ifndef BASE_WORDS_H
#define BASE_WORDS_H

#include "base/arena.h"
#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

/* A line. Words and comment are in the arena of the reader; the array is valid until the next line is read. */
struct words {
	const char *file;  /* for messages; "" for none */
	uint32_t line;     /* 0: not a line of a file */
	const char **word; /* [n] */
	size_t n, cap;
	const char *comment; /* without # and blanks around it; "" for none */
};

/* Reads a text line by line. */
struct words_reader {
	const char *at, *end;
	struct arena *mem;
	struct words line;
};

/* Start to read n bytes of text. A byte order mark, as some editors write, is skipped. */
void words_start(struct words_reader *r, const char *text, size_t n, const char *file, struct arena *mem);

/*
 * Read the next line into r->line. n is 0 if it is blank or only a comment.
 *
 * Returns 1, or 0 at the end
 * Fails   ERR_USAGE, with file and line
 */
int words_next(struct words_reader *r, struct err *err);
void words_release(struct words_reader *r);

/* Set an error of code ERR_USAGE: "FILE:LINE: text"; without a line "FILE: text". */
int words_error(const struct words *w, struct err *err, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#endif
