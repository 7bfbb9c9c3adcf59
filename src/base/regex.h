/*
 * regex.h - regular expressions in RE2 syntax
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
 * Compile an expression in the syntax of RE2 and Go; matching is unanchored, case-sensitive, by
 * character. Lookaround and backreferences are errors, as in RE2.
 *
 * out     owned by the caller, freed with regex_free
 * Fails   ERR_USAGE with the message of Go's regexp package
 */
int regex_new(const char *pattern, struct regex **out, struct err *err);
void regex_free(struct regex *r);

/*
 * Does the expression match anywhere in n bytes of text? Only one thread may use an expression at a time.
 *
 * out     the result; unchanged on failure
 * Fails   ERR_LIMIT when the expression needs too many steps for this text, or for all texts so far
 */
int regex_match(struct regex *r, const char *text, size_t n, bool *out, struct err *err);

/*
 * If the expression matches all n bytes of text, append the replacement: to, with $1 or ${1} replaced by the first
 * group, $0 by the whole text, $$ by a dollar sign. A group that did not match is empty. (?U) has no effect.
 *
 * yes     whether it matches; unchanged on failure, as is out
 * Fails   ERR_USAGE when to refers to a group that does not exist; ERR_LIMIT like regex_match
 * Like    Go's regexp.Expand, where a group that does not exist is empty
 */
int regex_replace(struct regex *r, const char *text, size_t n, const char *to, struct buf *out, bool *yes,
		  struct err *err);

/*
 * Append text with every match replaced by to, which is expanded as above.
 *
 * n_replaced  number of matches; unchanged on failure, as is out
 * Fails       like regex_replace
 * Like        Go's regexp.ReplaceAllString
 */
int regex_replace_all(struct regex *r, const char *text, size_t n, const char *to, struct buf *out, size_t *n_replaced,
		      struct err *err);

/* Check a replacement: fails with ERR_USAGE when it refers to a group that does not exist. */
int regex_check_replacement(struct regex *r, const char *to, struct err *err);

#endif
