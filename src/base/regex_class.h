/*
 * regex_class.h - classes and escapes of RE2's expressions in the words of PCRE2
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Only for regex_syntax.c. All texts are UTF-8, checked before.
 */
#ifndef BASE_REGEX_CLASS_H
#define BASE_REGEX_CLASS_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { UTF8_MAX = 4 }; /* bytes of a character: to look at no more keeps long expressions fast */
enum { FLAG_FOLD = 1, FLAG_LINES = 2, FLAG_DOT_ALL = 4 }; /* i, m, s */

/* An error in Go's words, about n bytes of the expression. */
int regex_refuse(struct err *err, const char *what, const char *from, size_t n);

bool regex_is_alnum(uint32_t c); /* ASCII */

/* The length of a character, and the character at *s, which is moved behind it. */
size_t regex_char_length(const char *s);
uint32_t regex_char_next(const char **s);

/* Append a character that means itself. */
void regex_add_char(struct buf *out, uint32_t c);

/*
 * Read an escape that means a set of characters (\d \pL \P{Greek}), inside brackets or not.
 *
 * s      moved behind it
 * Gives  0 when it was appended, 1 when it is some other escape
 * Fails  ERR_USAGE
 */
int regex_class_escape(const char **s, unsigned flags, bool inside, struct buf *out, struct err *err);

/* Read an escape that means one character. Fails: ERR_USAGE */
int regex_char_escape(const char **s, uint32_t *out, struct err *err);

/* Read [...] and append it. Fails: ERR_USAGE */
int regex_class(const char **s, unsigned flags, struct buf *out, struct err *err);

#endif
