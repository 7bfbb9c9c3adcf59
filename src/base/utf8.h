/*
 * utf8.h - UTF-8, and text from strangers made harmless
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Decode the first character of n > 0 bytes.
 *
 * out     the code point, untouched when the bytes are not UTF-8
 * Gives   its length in bytes, 0 when s does not start with well-formed UTF-8
 */
size_t utf8_decode(const char *s, size_t n, uint32_t *out);

/* Count characters as Go does: each byte that is not part of well-formed UTF-8 counts as one. */
size_t utf8_count(const char *s, size_t n);

/* May this character reach a terminal? No for controls (C0, DEL, C1) and for the marks that turn
   the direction of text or separate lines. */
bool utf8_is_plain(uint32_t c);

/* Append a character in UTF-8; one that Unicode does not allow as U+FFFD. */
void utf8_add_char(struct buf *b, uint32_t c);

/*
 * Append text so that it cannot do anything to a terminal, a log or a table: controls and bytes
 * that are not UTF-8 become \n, \r, \xNN or \u{N}. All other characters stay, tabs and backslashes
 * too.
 */
void utf8_add_safe(struct buf *b, const char *s, size_t n);

/*
 * Append text as a code span of Markdown, which stays one inside a table: nothing in it is a link, a tag, a mark or
 * somebody's name, and it is safe as above. Nothing for "".
 */
void utf8_add_code(struct buf *b, const char *s);

/*
 * Append text of at most so many bytes: what is longer loses its middle to a "…". No character is cut.
 *
 * max   at least 3, the length of the sign
 */
void utf8_add_short(struct buf *b, const char *s, size_t n, size_t max);

/*
 * The distance between two words: inserts, deletes, changes and swaps of neighbours, as for "did
 * you mean". Words longer than 64 bytes are as far apart as they are long.
 */
size_t utf8_distance(const char *a, const char *b);

#endif
