/*
 * regex_class.c - classes and escapes of RE2's expressions in the words of PCRE2
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/regex_class.h"

#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

enum { MAX_CHAR = 0x10ffff };

int regex_refuse(struct err *err, const char *what, const char *from, size_t n)
{
	return err_set(err, ERR_USAGE, "error parsing regexp: %s: `%.*s`", what, (int)n, from);
}

bool regex_is_alnum(uint32_t c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

uint32_t regex_char_next(const char **s)
{
	uint32_t c = 0xfffd;

	*s += utf8_decode(*s, strnlen(*s, UTF8_MAX), &c);
	return c;
}

size_t regex_char_length(const char *s)
{
	const char *end = s;

	regex_char_next(&end);
	return (size_t)(end - s);
}

void regex_add_char(struct buf *out, uint32_t c)
{
	if (regex_is_alnum(c))
		buf_addf(out, "%c", (char)c);
	else
		buf_addf(out, "\\x{%x}", c);
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if ((c | 32) >= 'a' && (c | 32) <= 'f')
		return (c | 32) - 'a' + 10;
	return -1;
}

/* Behind \x: two digits, or any number in braces. Moves *s up to what is wrong when it fails. */
static bool hex(const char **s, uint32_t *out)
{
	uint32_t v = 0;
	int digit, n = 0;

	if (**s == '{') {
		for (++*s; **s && **s != '}'; n++) {
			digit = hex_digit(**s);
			*s += regex_char_length(*s);
			if (digit < 0)
				return false;
			v = v * 16 + (uint32_t)digit;
			if (v > MAX_CHAR)
				return false;
		}
		if (!**s)
			return false;
		++*s;
		*out = v;
		return n > 0;
	}
	for (; n < 2; n++) {
		if (!**s)
			return false;
		digit = hex_digit(**s);
		*s += regex_char_length(*s);
		if (n == 0 && digit < 0) { /* the message quotes two characters in any case */
			*s += **s ? regex_char_length(*s) : 0;
			return false;
		}
		if (digit < 0)
			return false;
		v = v * 16 + (uint32_t)digit;
	}
	*out = v;
	return true;
}

static bool octal(const char **s, char first, uint32_t *out)
{
	uint32_t v = (uint32_t)(first - '0');

	if (first != '0' && (**s < '0' || **s > '7')) /* a reference back */
		return false;
	for (int i = 1; i < 3 && **s >= '0' && **s <= '7'; i++)
		v = v * 8 + (uint32_t)(*(*s)++ - '0');
	*out = v;
	return true;
}

int regex_char_escape(const char **s, uint32_t *out, struct err *err)
{
	static const char letter[] = "afnrtv", meaning[] = "\a\f\n\r\t\v";
	const char *start = *s, *known;
	uint32_t c;

	if (!start[1])
		return regex_refuse(err, "trailing backslash at end of expression", "", 0);
	++*s;
	c = regex_char_next(s);
	known = c < 128 ? strchr(letter, (int)c) : NULL;
	if (c < 128 && !regex_is_alnum(c)) {
		*out = c;
		return 0;
	}
	if (known) {
		*out = (unsigned char)meaning[known - letter];
		return 0;
	}
	if ((c == 'x' && hex(s, out)) || (c >= '0' && c <= '7' && octal(s, (char)c, out)))
		return 0;
	return regex_refuse(err, "invalid escape sequence", start, (size_t)(*s - start));
}

/* Names are compared without case, blanks, hyphens and underscores, then written as "Lu" or "Greek". */
static bool property_name(const char *s, const char *end, char *out, size_t size)
{
	size_t n = 0;

	for (; s < end; s++) {
		if (*s == ' ' || *s == '_' || *s == '-')
			continue;
		if (!regex_is_alnum((unsigned char)*s) || n + 1 == size)
			return false;
		out[n] = (char)(*s >= '0' && *s <= '9' ? *s : n == 0 ? *s & ~32 : *s | 32);
		n++;
	}
	out[n] = 0;
	return n > 0;
}

static void add_property(const char *name, bool negated, unsigned flags, bool inside, struct buf *out)
{
	const char *p = negated ? "P" : "p";
	bool cased = strcmp(name, "Lu") == 0 || strcmp(name, "Ll") == 0 || strcmp(name, "Lt") == 0;

	if (strcmp(name, "Any") == 0)
		buf_addf(out, "\\%s{Any}", p);
	else if (strcmp(name, "Assigned") == 0)
		buf_addf(out, "\\%s{Cn}", negated ? "p" : "P");
	else if (strcmp(name, "Ascii") == 0)
		buf_addf(out, inside ? "[:%sascii:]" : "[[:%sascii:]]", negated ? "^" : "");
	else if (strcmp(name, "Lc") == 0 || (cased && flags & FLAG_FOLD))
		buf_addf(out, "\\%s{L&}", p);
	else if (strlen(name) <= 2)
		buf_addf(out, "\\%s{%s}", p, name);
	else
		buf_addf(out, "\\%s{sc:%s}", p, name);
}

/* \pL \PL \p{Greek} \p{^Greek} */
static int property(const char **s, unsigned flags, bool inside, struct buf *out, struct err *err)
{
	const char *start = *s, *from = start + 2, *end;
	bool negated = start[1] == 'P';
	char name[64];

	if (!*from)
		return regex_refuse(err, "invalid character class range", start, 2);
	end = from + regex_char_length(from);
	*s = end;
	if (*from == '{') {
		end = strchr(from, '}');
		if (!end)
			return regex_refuse(err, "invalid character class range", start, strlen(start));
		*s = end + 1;
		from++;
	}
	if (*from == '^') {
		negated = !negated;
		from++;
	}
	if (!property_name(from, end, name, sizeof(name)))
		return regex_refuse(err, "invalid character class range", start, (size_t)(*s - start));
	add_property(name, negated, flags, inside, out);
	return 0;
}

int regex_class_escape(const char **s, unsigned flags, bool inside, struct buf *out, struct err *err)
{
	/* spelt out: \s of PCRE2 takes in \v, and case folding makes a difference to ranges only */
	static const struct {
		char letter;
		const char *alone, *inside;
	} sets[] = {
		{ 'd', "[0-9]", "0-9" },
		{ 'D', "[^0-9]", "\\D" },
		{ 's', "[\\t\\n\\f\\r\\x{20}]", "\\t\\n\\f\\r\\x{20}" },
		{ 'S', "[^\\t\\n\\f\\r\\x{20}]", "\\S\\x{b}" },
		{ 'w', "[0-9A-Za-z_]", "0-9A-Za-z_" },
		{ 'W', "[^0-9A-Za-z_]", "\\W" },
	};

	if ((*s)[1] == 'p' || (*s)[1] == 'P')
		return property(s, flags, inside, out, err);
	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
		if ((*s)[1] == sets[i].letter) {
			buf_addz(out, inside ? sets[i].inside : sets[i].alone);
			*s += 2;
			return 0;
		}
	}
	return 1;
}

/* [:alpha:] and [:^alpha:]; gives 1 when s does not start with [: ... :] */
static int named_class(const char **s, struct buf *out, struct err *err)
{
	static const struct {
		const char *name, *set; /* the set is spelt out where case folding adds to it */
	} classes[] = {
		{ "alnum", "0-9A-Za-z" }, { "alpha", "A-Za-z" }, { "ascii", NULL }, { "blank", NULL },
		{ "cntrl", NULL },        { "digit", NULL },     { "graph", NULL }, { "lower", "a-z" },
		{ "print", NULL },        { "punct", NULL },     { "space", NULL }, { "upper", "A-Z" },
		{ "word", "0-9A-Za-z_" }, { "xdigit", NULL },
	};
	const char *start = *s, *end = strstr(start + 2, ":]"), *name = start + 2;
	size_t n;

	if (!end)
		return 1;
	name += *name == '^';
	n = end > name ? (size_t)(end - name) : 0;
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		const char *set = classes[i].set;

		if (strlen(classes[i].name) != n || memcmp(classes[i].name, name, n) != 0)
			continue;
		*s = end + 2;
		if (set && start[2] != '^')
			buf_addz(out, set);
		else
			buf_add(out, start, (size_t)(*s - start));
		return 0;
	}
	return regex_refuse(err, "invalid character class range", start, (size_t)(end + 2 - start));
}

/* One character inside of brackets. */
static int class_char(const char **s, const char *whole, uint32_t *out, struct err *err)
{
	if (!**s)
		return regex_refuse(err, "missing closing ]", whole, strlen(whole));
	if (**s == '\\')
		return regex_char_escape(s, out, err);
	*out = regex_char_next(s);
	return 0;
}

static int class_range(const char **s, const char *whole, struct buf *out, struct err *err)
{
	const char *start = *s;
	uint32_t lo, hi;

	if (class_char(s, whole, &lo, err) < 0)
		return ERR_USAGE;
	hi = lo;
	if (**s == '-' && (*s)[1] && (*s)[1] != ']') {
		++*s;
		if (class_char(s, whole, &hi, err) < 0)
			return ERR_USAGE;
		if (hi < lo)
			return regex_refuse(err, "invalid character class range", start, (size_t)(*s - start));
	}
	regex_add_char(out, lo);
	if (hi > lo) {
		buf_addz(out, "-");
		regex_add_char(out, hi);
	}
	return 0;
}

int regex_class(const char **s, unsigned flags, struct buf *out, struct err *err)
{
	const char *whole = *s;
	bool first = true;
	int rc = 0;

	++*s;
	buf_addz(out, "[");
	if (**s == '^') {
		++*s;
		buf_addz(out, "^");
	}
	for (; rc >= 0 && (**s != ']' || first); first = false) {
		rc = 1;
		if ((*s)[0] == '[' && (*s)[1] == ':')
			rc = named_class(s, out, err);
		else if (**s == '\\')
			rc = regex_class_escape(s, flags, true, out, err);
		if (rc == 1)
			rc = class_range(s, whole, out, err);
	}
	++*s;
	buf_addz(out, "]");
	return rc;
}
