/*
 * expression.c - names and labels as values of filters
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * engine/filter_tags.c defines how filters read labels: a key ends at the first =, expressions are separated by
 * commas, and text that looks like a number is a range.
 */
#include "config.h"

#include "session/expression.h"

#include "base/unit.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <string.h>

/* Append an expression for the first character. Returns its length in bytes. */
static size_t add_character(const char *text, size_t n, const char *special, struct buf *out)
{
	static const char nul[] = "\\x00"; /* reports also write a NUL like this (report_head_text) */
	uint32_t c = 0xfffd;               /* replaces a byte that is not UTF-8 */
	size_t size = utf8_decode(text, n, &c);

	if (n >= strlen(nul) && memcmp(text, nul, strlen(nul)) == 0) {
		buf_addz(out, "(\\\\x00|\\x{0})");
		return strlen(nul);
	}
	if (size == 0 || !utf8_is_safe(c) || strchr(special, *text))
		buf_addf(out, "\\x{%x}", (unsigned)c);
	else if (size == 1 && strchr("\\.+*?()|[]{}^$", *text))
		buf_addf(out, "\\%c", *text);
	else
		buf_add(out, text, size);
	return size ? size : 1;
}

void expression_add_literal(const char *text, size_t n, const char *special, struct buf *out)
{
	for (size_t i = 0; i < n;)
		i += add_character(text + i, n - i, special, out);
}

void expression_add_name(const char *name, const char *special, struct buf *out)
{
	buf_addz(out, "^");
	expression_add_literal(name, strlen(name), special, out);
	buf_addz(out, "$");
}

void expression_add_file(const struct profile *p, const char *file, const char *special, struct buf *out)
{
	bool is_whole = false;

	for (uint32_t f = 0; f < p->n_funcs && !is_whole; f++)
		is_whole = strcmp(profile_text(p, p->func_file[f]), file) == 0;
	if (is_whole)
		buf_addz(out, "^");
	expression_add_literal(file, strlen(file), special, out);
	buf_addz(out, "$");
}

/* ---- labels ---- */

#define LABEL_SPECIAL ",='\""

/* Can the key be written before the first = of a filter? */
static bool expression_is_plain(const char *key)
{
	return *key && !strchr(key, '=');
}

void expression_add_label(const char *key, const char *value, size_t n, struct buf *out)
{
	if (expression_is_plain(key)) {
		buf_addf(out, "%s=^", key);
	} else { /* without a key, expressions match key:value */
		buf_addz(out, "^");
		expression_add_literal(key, strlen(key), LABEL_SPECIAL, out);
		buf_addz(out, ":");
	}
	expression_add_literal(value, n, LABEL_SPECIAL, out);
	buf_addz(out, "$");
}

/* A known unit, else "": unknown units are ignored when read, and units with characters other than letters cannot be
   written. */
static const char *expression_unit_of(const char *unit)
{
	return unit_find(unit, NULL) ? unit : "";
}

bool expression_add_numbers(const char *key, int64_t lo, int64_t hi, const char *unit, struct buf *out)
{
	const char *known = expression_unit_of(unit);

	if (!expression_is_plain(key))
		return false;
	for (const char *c = known; *c; c++)
		if ((*c | 32) < 'a' || (*c | 32) > 'z')
			return false;
	buf_addf(out, "%s=%" PRId64 "%s", key, lo, known);
	if (lo != hi)
		buf_addf(out, ":%" PRId64 "%s", hi, known);
	return true;
}
