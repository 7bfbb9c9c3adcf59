/*
 * legacy_text.h - lines, words and numbers of the legacy text formats
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The text formats are lines of loose prose with numbers in it. Their grammar is that of the
 * expressions pprof searches them with, so what counts as a blank differs from place to place:
 * slice_trim takes every space of Unicode, the rest only those of ASCII.
 */
#ifndef READER_LEGACY_TEXT_H
#define READER_LEGACY_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that belong to the input. */
struct slice {
	const char *p;
	size_t n;
};

/* One line after another of a text. Start with { .at = text, .end = text + n }. */
struct lines {
	const char *at, *end; /* not read yet */
	struct slice line;    /* the current one; empty before the first and behind the last */
	uint64_t no;          /* its number, from 1 */
};

/* Go to the next line; false when there is none. */
bool lines_next(struct lines *l);

/* Go to the next line until it is neither blank nor a comment; false when there is none. */
bool lines_next_text(struct lines *l);

/* Is this byte one of the blanks of an expression: space, tab, newline, form feed, return? */
bool slice_is_blank(char c);

/* The slice from p up to end. */
static inline struct slice slice_make(const char *p, const char *end)
{
	return (struct slice){ p, (size_t)(end - p) };
}

/* The slice without spaces around it. */
struct slice slice_trim(struct slice s);

/* Is there nothing in it, or a comment (#)? */
bool slice_is_comment(struct slice s);

/* Is it this text? */
bool slice_is(struct slice s, const char *text);
bool slice_starts(struct slice s, const char *text);

/* Where the text first stands in it; NULL when it does not. */
const char *slice_find(struct slice s, const char *text);

/* Does a "Memory map" heading stand in it? */
bool slice_is_map_heading(struct slice s);

/* Take something off the front of s: the text, else nothing and false. */
bool slice_take(struct slice *s, const char *text);

/* Take the digits (hexadecimal: of either case) off the front; gives them, perhaps none. */
struct slice slice_take_digits(struct slice *s);
struct slice slice_take_hex(struct slice *s);

/* Take the spaces (0x20 only) off the front; gives how many. */
size_t slice_take_spaces(struct slice *s);

/* Go to the first digit; false when there is none. */
bool slice_seek_digit(struct slice *s);

/* The part in front that is written with the bytes of addresses: " x0123456789abcdef". */
struct slice slice_addresses(struct slice s);

/*
 * Go behind the next "0x" with digits of lower case; false when there is none.
 *
 * digits  set to these digits
 */
bool slice_next_address(struct slice *s, struct slice *digits);

/*
 * A whole slice as a number: decimal digits behind perhaps one sign; hexadecimal digits; or
 * as in Go source (0x10, 0b1, 017, 1_000). False when it is no such number or leaves its type.
 */
bool slice_decimal(struct slice s, int64_t *v);
bool slice_hex(struct slice s, uint64_t *v);
bool slice_number(struct slice s, int64_t *v);

#endif
