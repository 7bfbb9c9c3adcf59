/*
 * utf8.h - UTF-8, and escaping of untrusted text
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
 * out     the code point; unchanged when s does not start with valid UTF-8
 * Returns its length in bytes; 0 when s does not start with valid UTF-8
 */
size_t utf8_decode(const char *s, size_t n, uint32_t *out);

/* Length of the longest prefix of at most max bytes that splits no character. */
size_t utf8_prefix(const char *s, size_t n, size_t max);

/* Count characters as Go does: each byte of invalid UTF-8 counts as one character. */
size_t utf8_count(const char *s, size_t n);

/* Is it safe to print this character on a terminal? False for control characters (C0, DEL, C1), direction marks
   and line separators. */
bool utf8_is_safe(uint32_t c);

/* Append a character in UTF-8; U+FFFD if it is not valid in Unicode. */
void utf8_add_char(struct buf *b, uint32_t c);

/*
 * Append text that is safe for a terminal, a log or a table: control characters and invalid UTF-8 become
 * \n, \r, \xNN or \u{N}. All other characters are copied, including tabs and backslashes.
 */
void utf8_add_safe(struct buf *b, const char *s, size_t n);

/*
 * Append text as a Markdown code span, also valid inside a table, so that nothing in it is a link, a tag, markup or
 * a mention. Control characters are escaped as above. "" appends nothing.
 */
void utf8_add_code(struct buf *b, const char *s);

/*
 * Append text, shortened to max bytes by replacing its middle with "…". No character is split.
 *
 * max   at least 3, the length of "…"
 */
void utf8_add_short(struct buf *b, const char *s, size_t n, size_t max);

/*
 * The edit distance of two words for "did you mean": insertions, deletions, substitutions and swaps of
 * neighbours. If a word is longer than 64 bytes, it is the length of the longer one.
 */
size_t utf8_distance(const char *a, const char *b);

/*
 * Set *found to name if it differs from word by at most 2 typing errors (1 if word has 2 to 4 bytes), and by fewer
 * than *found, which is NULL at first. Returns true if it did.
 */
bool utf8_keep_similar(const char *word, const char *name, const char **found);

#endif
