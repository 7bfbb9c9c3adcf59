/*
 * text.h - the lines and numbers of folded stacks
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FORMATS_FOLDED_TEXT_H
#define FORMATS_FOLDED_TEXT_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FOLDED_DECIMALS_MAX = 6 };

/* A line without its end and the blanks before it. */
struct folded_line {
	const char *s;
	size_t n;
	size_t number; /* from 1 */
};

/* The rest of a text. */
struct folded_lines {
	const char *at, *end;
	size_t number; /* of the last line */
};

/* A number as written: sign, digits, maybe a fraction. */
struct folded_number {
	const char *s;
	size_t n;
	unsigned n_decimals; /* up to the last one that is not 0 */
	bool is_plain;       /* digits only */
};

/* Set line to the next line. Return false at the end. */
bool folded_lines_next(struct folded_lines *l, struct folded_line *line);

/* Return true if a line without a number is a comment, or empty. */
bool folded_line_is_comment(const struct folded_line *line);

/* Remove the number at the end of a line and the blanks before it. Return false, without change, if there is none. */
bool folded_line_split(struct folded_line *line, struct folded_number *out);

/*
 * Multiply a number by a power of ten, rounded to the nearest integer.
 *
 * n_decimals   the exponent
 * Returns false if the result does not fit.
 */
bool folded_number_value(const struct folded_number *number, unsigned n_decimals, int64_t *out);

/* Append UTF-16 text with a byte order mark as UTF-8. Return false if there is no mark. */
bool folded_text_from_utf16(const uint8_t *data, size_t n, struct buf *out);

#endif
