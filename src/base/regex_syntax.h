/*
 * regex_syntax.h - translate RE2 regular expressions to PCRE2
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_REGEX_SYNTAX_H
#define BASE_REGEX_SYNTAX_H

#include "base/buf.h"
#include "base/err.h"

/*
 * Translate an expression. Syntax that RE2 rejects (lookaround, backreferences, possessive repeats) is
 * an error; syntax that means something else in PCRE2 is rewritten. Groups keep their numbers and lose
 * their names.
 *
 * out     the translation is appended; compile it with PCRE2_UTF, PCRE2_ALT_CIRCUMFLEX, newline LF,
 *         and surrogates allowed in escapes. Incomplete on failure.
 * Fails   ERR_USAGE with the message of Go's regexp package
 * From    go.dev/s/re2syntax
 */
int regex_syntax(const char *pattern, struct buf *out, struct err *err);

#endif
