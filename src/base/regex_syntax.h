/*
 * regex_syntax.h - RE2's regular expressions in the words of PCRE2
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_REGEX_SYNTAX_H
#define BASE_REGEX_SYNTAX_H

#include "base/buf.h"
#include "base/err.h"

/*
 * Translate an expression: what RE2 refuses (looking around, references back, possessive repeats)
 * is refused, what the two spell or read in different ways is spelt out. Groups have the numbers
 * that they have in RE2, and no names.
 *
 * out     appended; for PCRE2_UTF, PCRE2_ALT_CIRCUMFLEX, newline LF, surrogates allowed in escapes.
 *         Half done on failure.
 * Fails   ERR_USAGE in the words of Go's regexp package
 * From    go.dev/s/re2syntax
 */
int regex_syntax(const char *pattern, struct buf *out, struct err *err);

#endif
