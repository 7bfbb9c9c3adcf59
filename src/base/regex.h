/*
 * regex.h - regular expressions over names
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_REGEX_H
#define BASE_REGEX_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct regex;

/*
 * Compile an expression of RE2's language, which is Go's; matching is unanchored, case-sensitive,
 * over characters. What RE2 does not have (looking around, references back) is an error here too.
 *
 * out     owned by the caller, freed with regex_free
 * Fails   ERR_USAGE in the words of Go's regexp package
 */
int regex_new(const char *pattern, struct regex **out, struct err *err);
void regex_free(struct regex *r);

/*
 * Does it match somewhere in n bytes of text? An expression serves one thread at a time.
 *
 * out     yes or no; untouched on failure
 * Fails   ERR_LIMIT when the expression needs too many steps for this text, or for all so far
 */
int regex_match(struct regex *r, const char *text, size_t n, bool *out, struct err *err);

/*
 * Does it match all n bytes of text? Then append what they become: to, in which $1 or ${1} is what the first
 * group matched, $0 everything, $$ a dollar; a group that took no part is empty. (?U) is not heeded.
 *
 * yes     yes or no; untouched on failure, as is out
 * Fails   ERR_USAGE when to names a group that is not there; ERR_LIMIT as regex_match
 * Like    Go's regexp.Expand, where a group that is not there is empty
 */
int regex_replace(struct regex *r, const char *text, size_t n, const char *to, struct buf *out, bool *yes,
		  struct err *err);

#endif
