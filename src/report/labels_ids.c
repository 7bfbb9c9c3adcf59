/*
 * labels_ids.c - ids in the values of labels, and the lines of collect.cpa that replace them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "report/labels.h"

#include <ctype.h>
#include <string.h>

enum { UUID_LENGTH = 36, HEX_MIN = 12, DIGITS_MIN = 6, GROUPS_MAX = 9 };

static bool labels_is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool labels_is_uuid(const char *text)
{
	for (size_t i = 0; i < UUID_LENGTH; i++) {
		bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (is_dash ? text[i] != '-' : !isxdigit((unsigned char)text[i]))
			return false;
	}
	return !labels_is_word(text[UUID_LENGTH]);
}

/* The length of the id at the begin of a word, 0 if it is none. */
static size_t labels_id_length(const char *start, const char *at, const char **regex, bool *is_certain)
{
	size_t n = 0, digits = 0, hex = 0;

	if (labels_is_uuid(at)) {
		*regex = "[0-9A-Fa-f-]{36}";
		*is_certain = true;
		return UUID_LENGTH;
	}
	for (; labels_is_word(at[n]); n++) {
		digits += isdigit((unsigned char)at[n]) != 0;
		hex += isxdigit((unsigned char)at[n]) != 0;
	}
	if (n == 0 || hex < n)
		return 0;
	*regex = digits == n ? "[0-9]+" : "[0-9A-Fa-f]+";
	if (digits == n ? n >= DIGITS_MIN : n >= HEX_MIN && digits > 0)
		*is_certain = true;
	else if (digits < n || at == start || at[-1] != '/' || (at[n] && !strchr("/?#", at[n])))
		return 0;
	return n;
}

/* Append a byte as an expression that matches only it. */
static void labels_add_literal(char c, struct buf *pattern)
{
	if (c == '^' || c == '\\')
		buf_addf(pattern, "\\%c", c);
	else if (strchr(".+*?()|[{$", c))
		buf_addf(pattern, "[%c]", c);
	else
		buf_add(pattern, &c, 1);
}

uint32_t labels_find_ids(const char *text, struct buf *name, struct buf *pattern, struct buf *to, bool *is_certain)
{
	uint32_t n_ids = 0, n_groups = 0;
	bool is_literal = false;

	*is_certain = false;
	buf_addz(pattern, "^");
	for (const char *at = text; *at;) {
		bool is_start = at == text || !labels_is_word(at[-1]);
		const char *regex;
		size_t n = is_start ? labels_id_length(text, at, &regex, is_certain) : 0;

		if (n > 0) {
			buf_addz(pattern, is_literal ? ")" : "");
			buf_addz(pattern, regex);
			buf_addz(name, ":id");
			buf_addz(to, ":id");
			n_ids++;
		} else if (!is_literal) {
			buf_addz(pattern, "(");
			buf_addf(to, "$%u", ++n_groups);
		}
		is_literal = n == 0;
		if (is_literal) {
			labels_add_literal(*at, pattern);
			buf_add(name, at, 1);
		}
		at += n ? n : 1;
	}
	buf_addz(pattern, is_literal ? ")$" : "$");
	if (n_groups > GROUPS_MAX)
		pattern->len = to->len = 0;
	return n_ids;
}
