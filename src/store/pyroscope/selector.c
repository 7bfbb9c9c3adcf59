/*
 * selector.c - label selectors, {service_name="shop",route=~"/a.*"}
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/pyroscope/names.h"

#include "base/mem.h"
#include "base/utf8.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SELECTOR_MATCHES_MAX = 100 };

struct selector_parser {
	const char *text, *at;
	struct arena *mem;
	struct err *err;
};

static int selector_fail(const struct selector_parser *p, const char *message)
{
	return err_set(p->err, ERR_USAGE, "label selector, character %zu: %s", (size_t)(p->at - p->text) + 1, message);
}

static void selector_skip_blanks(struct selector_parser *p)
{
	p->at += strspn(p->at, " \t\r\n");
}

/* Read n digits of a base as a number. Returns false if there are fewer. */
static bool selector_read_digits(struct selector_parser *p, size_t n, int base, uint32_t *out)
{
	char digits[9] = { 0 }, *end;

	for (size_t i = 0; i < n; i++) {
		if (!isxdigit((unsigned char)p->at[i]))
			return false;
		digits[i] = p->at[i];
	}
	*out = (uint32_t)strtoul(digits, &end, base);
	p->at += n;
	return *end == 0;
}

/* Append the character of an escape; p->at is after the backslash. */
static int selector_read_escape(struct selector_parser *p, char quote, struct buf *out)
{
	static const char letters[] = "abfnrtv\\", values[] = "\a\b\f\n\r\t\v\\";
	const char *letter = *p->at ? strchr(letters, *p->at) : NULL;
	char c = *p->at;
	uint32_t v = 0;
	bool is_fine;

	if (letter || c == quote) {
		buf_add(out, letter ? &values[letter - letters] : p->at, 1);
		p->at++;
		return 0;
	}
	p->at += c == 'x' || c == 'u' || c == 'U';
	is_fine = c == 'x'               ? selector_read_digits(p, 2, 16, &v)
		  : c == 'u'             ? selector_read_digits(p, 4, 16, &v)
		  : c == 'U'             ? selector_read_digits(p, 8, 16, &v)
		  : c >= '0' && c <= '3' ? selector_read_digits(p, 3, 8, &v)
					 : false;
	if (!is_fine || v == 0)
		return selector_fail(p, "an unknown escape sequence");
	if (c == 'u' || c == 'U')
		utf8_add_char(out, v);
	else
		buf_add(out, &(char){ (char)v }, 1);
	return 0;
}

/* Read a text in quotes; in backquotes there are no escapes. */
static int selector_read_quoted(struct selector_parser *p, const char **out)
{
	char quote = *p->at++;
	struct buf text = { 0 };
	int rc = 0;

	while (rc == 0 && *p->at && *p->at != quote) {
		if (*p->at == '\\' && quote != '`') {
			p->at++;
			rc = selector_read_escape(p, quote, &text);
		} else if (*p->at == '\n' && quote != '`') {
			rc = selector_fail(p, "a line ends within a text in quotes");
		} else {
			buf_add(&text, p->at++, 1);
		}
	}
	if (rc == 0 && !*p->at)
		rc = selector_fail(p, "a quote is not closed");
	if (rc == 0)
		p->at++;
	*out = arena_move(p->mem, &text);
	return rc;
}

static bool selector_is_quote(char c)
{
	return c == '"' || c == '\'' || c == '`';
}

static int selector_read_name(struct selector_parser *p, const char **out)
{
	static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.:";
	size_t n = strspn(p->at, allowed);

	if (selector_is_quote(*p->at))
		return selector_read_quoted(p, out);
	if (n == 0 || isdigit((unsigned char)*p->at))
		return selector_fail(p, "a label name is expected");
	*out = arena_strndup(p->mem, p->at, n);
	p->at += n;
	return 0;
}

static int selector_read_operator(struct selector_parser *p, enum match_op *out)
{
	bool is_negative = *p->at == '!', is_regex;

	if (!is_negative && *p->at != '=')
		return selector_fail(p, "=, !=, =~ or !~ is expected");
	p->at++;
	is_regex = *p->at == '~';
	if (is_negative && !is_regex && *p->at != '=')
		return selector_fail(p, "=, !=, =~ or !~ is expected");
	p->at += is_regex || is_negative;
	*out = is_regex ? (is_negative ? MATCH_NOT_REGEX : MATCH_REGEX) : is_negative ? MATCH_NOT_EQUAL : MATCH_EQUAL;
	return 0;
}

static int selector_read_match(struct selector_parser *p, struct label_match *out)
{
	int rc = selector_read_name(p, &out->name);

	selector_skip_blanks(p);
	rc = rc < 0 ? rc : selector_read_operator(p, &out->op);
	selector_skip_blanks(p);
	if (rc == 0 && !selector_is_quote(*p->at))
		return selector_fail(p, "a value in quotes is expected");
	return rc < 0 ? rc : selector_read_quoted(p, &out->value);
}

/* Read the conditions; p->at is after the brace. */
static int selector_read_all(struct selector_parser *p, struct label_match *match, size_t *n)
{
	int rc = 0;

	for (selector_skip_blanks(p); rc == 0 && *p->at != '}'; selector_skip_blanks(p)) {
		if (*n == SELECTOR_MATCHES_MAX)
			return selector_fail(p, "more than 100 conditions");
		rc = selector_read_match(p, &match[*n]);
		selector_skip_blanks(p);
		if (rc == 0 && *p->at != ',' && *p->at != '}')
			rc = selector_fail(p, ", or } is expected");
		*n += rc == 0;
		p->at += rc == 0 && *p->at == ',';
	}
	p->at += rc == 0;
	return rc;
}

int pyro_parse_selector(const char *text, struct arena *mem, struct label_match **match, size_t *n, struct err *err)
{
	struct selector_parser p = { .text = text, .at = text, .mem = mem, .err = err };
	int rc = 0;

	*n = 0;
	*match = NULL;
	selector_skip_blanks(&p);
	if (!*p.at)
		return 0;
	if (*p.at != '{')
		return selector_fail(&p, "{ is expected");
	p.at++;
	*match = arena_zalloc(mem, SELECTOR_MATCHES_MAX, sizeof(**match));
	rc = selector_read_all(&p, *match, n);
	selector_skip_blanks(&p);
	return rc == 0 && *p.at ? selector_fail(&p, "the end is expected after }") : rc;
}

static void selector_add_quoted(const char *text, struct buf *out)
{
	buf_addz(out, "\"");
	for (; *text; text++) {
		if (*text == '\n')
			buf_addz(out, "\\n");
		else if (*text == '"' || *text == '\\')
			buf_addf(out, "\\%c", *text);
		else
			buf_add(out, text, 1);
	}
	buf_addz(out, "\"");
}

void pyro_add_match(const char *name, enum match_op op, const char *value, struct buf *out)
{
	static const char *const operators[] = {
		[MATCH_EQUAL] = "=", [MATCH_NOT_EQUAL] = "!=", [MATCH_REGEX] = "=~", [MATCH_NOT_REGEX] = "!~"
	};
	bool is_plain = isalpha((unsigned char)*name) || *name == '_';

	for (const char *at = name; *at; at++)
		is_plain &= isalnum((unsigned char)*at) || *at == '_';
	if (is_plain)
		buf_addz(out, name);
	else
		selector_add_quoted(name, out);
	buf_addz(out, operators[op]);
	selector_add_quoted(value, out);
}

void pyro_add_pattern(const char *pattern, struct buf *out)
{
	for (; *pattern; pattern++)
		if (*pattern == '*' || *pattern == '?')
			buf_addz(out, *pattern == '*' ? ".*" : ".");
		else
			buf_addf(out, strchr("\\.+()|[]{}^$", *pattern) ? "\\%c" : "%c", *pattern);
}
