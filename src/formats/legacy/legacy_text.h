/*
 * legacy_text.h - lines, words and numbers of the legacy text formats
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The text formats are loose lines of words and numbers. Their grammar is given by the regular
 * expressions of pprof, which differ in what counts as a space: slice_trim removes all Unicode spaces,
 * all others match ASCII only.
 */
#ifndef FORMATS_LEGACY_LEGACY_TEXT_H
#define FORMATS_LEGACY_LEGACY_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A part of the input; borrowed. */
struct slice {
	const char *p;
	size_t n;
};

/* Iterator over the lines of a text. Initialize with { .at = text, .end = text + n }. */
struct lines {
	const char *at, *end; /* not read yet */
	struct slice line;    /* the current line; empty before the first and after the last */
	uint64_t no;          /* number of the current line, from 1 */
};

/* Go to the next line; false at the end. */
bool lines_next(struct lines *l);

/* Go to the next line that is neither blank nor a comment; false at the end. */
bool lines_next_text(struct lines *l);

/* Does \s of a regular expression match this byte: space, tab, newline, form feed, carriage return? */
bool slice_is_blank(char c);

/* The slice from p up to end. */
static inline struct slice slice_make(const char *p, const char *end)
{
	return (struct slice){ p, (size_t)(end - p) };
}

/* The slice without leading and trailing spaces. */
struct slice slice_trim(struct slice s);

/* Is the slice blank or a comment (#)? */
bool slice_is_comment(struct slice s);

/* Is the slice equal to text? Does it start with text? */
bool slice_is(struct slice s, const char *text);
bool slice_starts(struct slice s, const char *text);

/* The first occurrence of text, or NULL. */
const char *slice_find(struct slice s, const char *text);

/* Does the slice contain the heading of a memory map? */
bool slice_is_map_heading(struct slice s);

/* Remove text from the start of s; false if s does not start with it. */
bool slice_take(struct slice *s, const char *text);

/* Remove all decimal or hexadecimal digits (of either case) from the start of s and return them; may be empty. */
struct slice slice_take_digits(struct slice *s);
struct slice slice_take_hex(struct slice *s);

/* Remove all spaces (0x20 only) from the start of s and return their number. */
size_t slice_take_spaces(struct slice *s);

/* Skip to the first digit; false if there is none. */
bool slice_skip_to_digit(struct slice *s);

/* The longest prefix that contains only characters of addresses: " x0123456789abcdef". */
struct slice slice_addresses(struct slice s);

/*
 * Skip past the next "0x" that is followed by lower-case digits; false if there is none.
 *
 * digits  set to these digits
 */
bool slice_next_address(struct slice *s, struct slice *digits);

/*
 * Parse a whole slice as a number: decimal with an optional sign; hexadecimal; or as in Go source
 * (0x10, 0b1, 017, 1_000). False when it is not a number or overflows.
 */
bool slice_decimal(struct slice s, int64_t *v);
bool slice_hex(struct slice s, uint64_t *v);
bool slice_number(struct slice s, int64_t *v);

#endif
