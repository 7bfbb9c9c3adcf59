/*
 * regex_syntax.c - translate RE2 regular expressions to PCRE2
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * One pass from left to right over validated UTF-8. A change of flags is written before the next item, so that it
 * never separates an item from its repeat: in RE2, a(?i)* repeats the a.
 */
#include "config.h"

#include "base/regex_syntax.h"

#include "base/mem.h"
#include "base/str.h"
#include "base/utf8.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { UTF8_MAX = 4 }; /* maximum bytes of a character; scanning no further keeps long expressions fast */
enum { FLAG_FOLD = 1, FLAG_LINES = 2, FLAG_DOT_ALL = 4, MAX_CHAR = 0x10ffff }; /* flags i, m, s */

/* Set an error as Go words it, quoting n bytes of the expression. */
static int regex_syntax_refuse(struct err *err, const char *what, const char *from, size_t n)
{
	return err_set(err, ERR_USAGE, "error parsing regexp: %s: `%.*s`", what, (int)n, from);
}

static bool regex_syntax_is_alnum(uint32_t c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static uint32_t char_next(const char **s)
{
	uint32_t c = 0xfffd;

	*s += utf8_decode(*s, strnlen(*s, UTF8_MAX), &c);
	return c;
}

/* The length of a character. */
static size_t char_length(const char *s)
{
	const char *end = s;

	char_next(&end);
	return (size_t)(end - s);
}

/* Append a literal character. */
static void add_char(struct buf *out, uint32_t c)
{
	if (regex_syntax_is_alnum(c))
		buf_addf(out, "%c", (char)c);
	else
		buf_addf(out, "\\x{%x}", c);
}

static int regex_syntax_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if ((c | 32) >= 'a' && (c | 32) <= 'f')
		return (c | 32) - 'a' + 10;
	return -1;
}

/* Read the digits after \x: two, or any number in braces. On failure *s is after the invalid character. */
static bool regex_syntax_hex(const char **s, uint32_t *out)
{
	uint32_t v = 0;
	int digit, n = 0;

	if (**s == '{') {
		for (++*s; **s && **s != '}'; n++) {
			digit = regex_syntax_hex_digit(**s);
			*s += char_length(*s);
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
		digit = regex_syntax_hex_digit(**s);
		*s += char_length(*s);
		if (n == 0 && digit < 0) { /* the message always quotes two characters */
			*s += **s ? char_length(*s) : 0;
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

	if (first != '0' && (**s < '0' || **s > '7')) /* a backreference */
		return false;
	for (int i = 1; i < 3 && **s >= '0' && **s <= '7'; i++)
		v = v * 8 + (uint32_t)(*(*s)++ - '0');
	*out = v;
	return true;
}

/* Read an escape for one character. */
static int read_char_escape(const char **s, uint32_t *out, struct err *err)
{
	static const char letter[] = "afnrtv", meaning[] = "\a\f\n\r\t\v";
	const char *start = *s, *known;
	uint32_t c;

	assert(**s == '\\');
	if (!start[1])
		return regex_syntax_refuse(err, "trailing backslash at end of expression", "", 0);
	++*s;
	c = char_next(s);
	known = c < 128 ? strchr(letter, (int)c) : NULL;
	if (c < 128 && !regex_syntax_is_alnum(c)) {
		*out = c;
		return 0;
	}
	if (known) {
		*out = (unsigned char)meaning[known - letter];
		return 0;
	}
	if ((c == 'x' && regex_syntax_hex(s, out)) || (c >= '0' && c <= '7' && octal(s, (char)c, out)))
		return 0;
	return regex_syntax_refuse(err, "invalid escape sequence", start, (size_t)(*s - start));
}

/* Normalize a property name to the form "Lu" or "Greek", ignoring case, blanks, hyphens and underscores. */
static bool property_name(const char *s, const char *end, char *out, size_t size)
{
	size_t n = 0;

	for (; s < end; s++) {
		if (*s == ' ' || *s == '_' || *s == '-')
			continue;
		if (!regex_syntax_is_alnum((unsigned char)*s) || n + 1 == size)
			return false;
		out[n] = (char)(*s >= '0' && *s <= '9' ? *s : n == 0 ? *s & ~32 : *s | 32);
		n++;
	}
	out[n] = 0;
	return n > 0;
}

static void regex_syntax_add_property(const char *name, bool negated, unsigned flags, bool inside, struct buf *out)
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

/* Translate \pL \PL \p{Greek} \p{^Greek}. */
static int property(const char **s, unsigned flags, bool inside, struct buf *out, struct err *err)
{
	const char *start = *s, *from = start + 2, *end;
	bool negated = start[1] == 'P';
	char name[64];

	if (!*from)
		return regex_syntax_refuse(err, "invalid character class range", start, 2);
	end = from + char_length(from);
	*s = end;
	if (*from == '{') {
		end = strchr(from, '}');
		if (!end)
			return regex_syntax_refuse(err, "invalid character class range", start, strlen(start));
		*s = end + 1;
		from++;
	}
	if (*from == '^') {
		negated = !negated;
		from++;
	}
	if (!property_name(from, end, name, sizeof(name)))
		return regex_syntax_refuse(err, "invalid character class range", start, (size_t)(*s - start));
	regex_syntax_add_property(name, negated, flags, inside, out);
	return 0;
}

/* Append a character class escape (\d \pL \P{Greek}), inside brackets or not. Returns 1 for other escapes. */
static int add_class_escape(const char **s, unsigned flags, bool inside, struct buf *out, struct err *err)
{
	/* spelled out, since \s of PCRE2 includes \v and case folding affects only ranges */
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

/* Translate [:alpha:] and [:^alpha:]. Returns 1 when s does not start with [: ... :]. */
static int named_class(const char **s, struct buf *out, struct err *err)
{
	static const struct {
		const char *name, *set; /* the set is spelled out where case folding extends it */
	} classes[] = {
		{ "alnum", "0-9A-Za-z" }, { "alpha", "A-Za-z" }, { "ascii", NULL }, { "blank", NULL },
		{ "cntrl", NULL },        { "digit", NULL },     { "graph", NULL }, { "lower", "a-z" },
		{ "print", NULL },        { "punct", NULL },     { "space", NULL }, { "upper", "A-Z" },
		{ "word", "0-9A-Za-z_" }, { "xdigit", NULL },
	};
	const char *start = *s, *end = strstr(start + 2, ":]"), *name = start + 2;
	size_t n;

	assert(start[0] == '[' && start[1] == ':');
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
	return regex_syntax_refuse(err, "invalid character class range", start, (size_t)(end + 2 - start));
}

/* Read a character inside brackets. */
static int class_char(const char **s, const char *whole, uint32_t *out, struct err *err)
{
	if (!**s)
		return regex_syntax_refuse(err, "missing closing ]", whole, strlen(whole));
	if (**s == '\\')
		return read_char_escape(s, out, err);
	*out = char_next(s);
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
			return regex_syntax_refuse(err, "invalid character class range", start, (size_t)(*s - start));
	}
	add_char(out, lo);
	if (hi > lo) {
		buf_addz(out, "-");
		add_char(out, hi);
	}
	return 0;
}

/* Append [...]. */
static int regex_syntax_add_class(const char **s, unsigned flags, struct buf *out, struct err *err)
{
	const char *whole = *s;
	bool first = true;
	int rc = 0;

	assert(**s == '[');
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
			rc = add_class_escape(s, flags, true, out, err);
		if (rc == 1)
			rc = class_range(s, whole, out, err);
	}
	++*s;
	buf_addz(out, "]");
	return rc;
}

enum {
	MAX_REPEAT = 1000, /* maximum of a count, and of the product of nested counts */
	MAX_DEPTH = 1000,
	TOO_LARGE = MAX_REPEAT + 1
};

/* State to restore at the end of a group. */
struct regex_syntax_group {
	unsigned flags, shown;
	size_t at;       /* start of the group in out */
	unsigned repeat; /* parser.repeat of the enclosing group */
};

struct regex_syntax_parser {
	const char *whole, *s; /* the expression, and the part not parsed yet */
	struct buf *out;
	struct err *err;
	unsigned flags, shown;            /* FLAG_* in effect, and FLAG_* as written to out */
	struct regex_syntax_group *group; /* [depth] */
	size_t depth, cap;
	const char *last_repeat;      /* start of the repeat just parsed, else NULL */
	size_t item;                  /* start of the last item in out */
	bool has_item, needs_group;   /* PCRE2 cannot repeat assertions or repeats without a group */
	unsigned item_repeat, repeat; /* products of nested counts: of the last item, and the largest in this group */
};

/* Prepare out for the next item. */
static void item_begin(struct regex_syntax_parser *p, bool is_assertion)
{
	static const char letter[] = "ims";
	unsigned flags_on = p->flags & ~p->shown, flags_off = p->shown & ~p->flags;

	if (flags_on | flags_off) {
		buf_addz(p->out, "(?");
		for (int i = 0; letter[i]; i++)
			if (flags_on & 1u << i)
				buf_add(p->out, &letter[i], 1);
		if (flags_off)
			buf_addz(p->out, "-");
		for (int i = 0; letter[i]; i++)
			if (flags_off & 1u << i)
				buf_add(p->out, &letter[i], 1);
		buf_addz(p->out, ")");
		p->shown = p->flags;
	}
	p->item = p->out->len;
	p->has_item = true;
	p->needs_group = is_assertion;
	p->item_repeat = 1;
}

static void item(struct regex_syntax_parser *p, const char *text, bool is_assertion)
{
	item_begin(p, is_assertion);
	buf_addz(p->out, text);
}

static void literal(struct regex_syntax_parser *p, uint32_t c)
{
	item_begin(p, false);
	add_char(p->out, c);
}

static int group_open(struct regex_syntax_parser *p, const char *open, unsigned flags_inside)
{
	unsigned outer = p->repeat;

	if (p->depth == MAX_DEPTH)
		return regex_syntax_refuse(p->err, "expression nests too deeply", p->whole, strlen(p->whole));
	item_begin(p, false);
	p->group = mem_grow(p->group, &p->cap, p->depth + 1, sizeof(*p->group));
	p->group[p->depth++] = (struct regex_syntax_group){ p->flags, p->shown, p->item, outer };
	buf_addz(p->out, open);
	p->flags = flags_inside;
	p->has_item = false;
	p->repeat = 1;
	return 0;
}

static int group_close(struct regex_syntax_parser *p)
{
	struct regex_syntax_group *g;

	if (p->depth == 0)
		return regex_syntax_refuse(p->err, "unexpected )", p->whole, strlen(p->whole));
	g = &p->group[--p->depth];
	buf_addz(p->out, ")");
	p->flags = g->flags;
	p->shown = g->shown;
	p->item = g->at;
	p->has_item = true;
	p->needs_group = false;
	p->item_repeat = p->repeat;
	p->repeat = g->repeat > p->item_repeat ? g->repeat : p->item_repeat;
	p->s++;
	return 0;
}

static bool regex_syntax_name_is_word(const char *s, const char *end)
{
	if (s == end)
		return false;
	for (; s < end; s++)
		if (*s != '_' && !regex_syntax_is_alnum((unsigned char)*s))
			return false;
	return true;
}

/* Parse (?P<name> or (?<name>. Returns 1 when s starts with neither. */
static int named_group(struct regex_syntax_parser *p)
{
	size_t skip = starts_with(p->s, "(?P<") ? 4 : starts_with(p->s, "(?<") ? 3 : 0;
	const char *end;

	if (!skip || !p->s[skip])
		return 1;
	end = strchr(p->s, '>');
	if (!end)
		return regex_syntax_refuse(p->err, "invalid named capture", p->s, strlen(p->s));
	if (!regex_syntax_name_is_word(p->s + skip, end))
		return regex_syntax_refuse(p->err, "invalid named capture", p->s, (size_t)(end + 1 - p->s));
	p->s = end + 1;
	return group_open(p, "(", p->flags);
}

/* Parse (?flags) or (?flags: */
static int perl_group(struct regex_syntax_parser *p)
{
	static const char letter[] = "imsU";
	unsigned flags = p->flags;
	bool has_flags = false;
	bool minus = false;
	const char *s = p->s + 2;
	int rc = named_group(p);

	if (rc != 1)
		return rc;
	for (; *s; s += char_length(s)) {
		const char *known = strchr(letter, *s);

		if (known) {
			has_flags = true;
			flags = minus ? flags & ~(1u << (known - letter)) : flags | 1u << (known - letter);
		} else if (*s == '-' && !minus) {
			minus = true;
			has_flags = false;
		} else if ((*s == ':' || *s == ')') && !(minus && !has_flags)) {
			p->s = s + 1;
			flags &= FLAG_FOLD | FLAG_LINES | FLAG_DOT_ALL; /* U does not affect whether a text matches */
			if (*s == ':')
				return group_open(p, "(?:", flags);
			p->flags = flags;
			return 0;
		} else {
			s += char_length(s);
			break;
		}
	}
	return regex_syntax_refuse(p->err, "invalid or unsupported Perl syntax", p->s, (size_t)(s - p->s));
}

static void wrap_in_group(struct regex_syntax_parser *p)
{
	struct buf bare = { 0 };

	buf_add(&bare, p->out->data + p->item, p->out->len - p->item);
	p->out->len = p->item;
	buf_addf(p->out, "(?:%s)", buf_text(&bare));
	buf_release(&bare);
}

/* Repeat the last item with the operator from op to s. min and max are the counts of {}, else 0. */
static int repeat(struct regex_syntax_parser *p, const char *op, unsigned min, unsigned max)
{
	const char *start = p->last_repeat ? p->last_repeat : op;
	size_t n = (size_t)(p->s - op);

	if (*p->s == '?')
		p->s++;
	if (p->last_repeat)
		return regex_syntax_refuse(p->err, "invalid nested repetition operator", start, (size_t)(p->s - start));
	if (!p->has_item)
		return regex_syntax_refuse(p->err, "missing argument to repetition operator", op, (size_t)(p->s - op));
	if (min >= 2 || max >= 2)
		p->item_repeat *= max > min ? max : min;
	if (p->item_repeat > MAX_REPEAT)
		return regex_syntax_refuse(p->err, "invalid repeat count", op, (size_t)(p->s - op));
	if (*op == '{' && max == 0 && min == 0 && op[n - 2] != ',')
		p->item_repeat = 1; /* {0}: the item never occurs */
	if (p->item_repeat > p->repeat)
		p->repeat = p->item_repeat;
	if (p->needs_group)
		wrap_in_group(p);
	p->needs_group = true;
	buf_add(p->out, op, n);
	if (op + n < p->s)
		buf_addz(p->out, "?");
	p->last_repeat = op;
	return 0;
}

/* Read a number of {}, without leading zeros; numbers over the limit become TOO_LARGE. */
static bool regex_syntax_count(const char **s, unsigned *out)
{
	const char *digit = *s;
	unsigned v = 0;

	if (*digit < '0' || *digit > '9' || (*digit == '0' && digit[1] >= '0' && digit[1] <= '9'))
		return false;
	for (; *digit >= '0' && *digit <= '9'; digit++)
		v = v * 10 + (unsigned)(*digit - '0') < TOO_LARGE ? v * 10 + (unsigned)(*digit - '0') : TOO_LARGE;
	*s = digit;
	*out = v;
	return true;
}

/* Parse {n} {n,} {n,m}; any other { is a literal. */
static int braces(struct regex_syntax_parser *p)
{
	const char *op = p->s, *s = op + 1;
	unsigned min, max;
	bool open = false;

	if (!regex_syntax_count(&s, &min))
		goto brace;
	max = min;
	if (*s == ',') {
		s++;
		max = 0;
		open = *s == '}';
		if (!open && !regex_syntax_count(&s, &max))
			goto brace;
	}
	if (*s != '}')
		goto brace;
	p->s = s + 1;
	if (min > MAX_REPEAT || max > MAX_REPEAT || (!open && min > max))
		return regex_syntax_refuse(p->err, "invalid repeat count", op, (size_t)(p->s - op));
	return repeat(p, op, min, max);
brace:
	p->last_repeat = NULL;
	p->s++;
	literal(p, '{');
	return 0;
}

static void quoted(struct regex_syntax_parser *p)
{
	const char *end;

	p->s += 2;
	end = strstr(p->s, "\\E");
	while (*p->s && p->s != end)
		literal(p, char_next(&p->s));
	if (end)
		p->s = end + 2;
}

static int regex_syntax_escape(struct regex_syntax_parser *p)
{
	uint32_t c;
	int rc;

	switch (p->s[1]) {
	case 'A':
	case 'b':
	case 'B':
	case 'z':
		item(p, (const char[]){ '\\', p->s[1], 0 }, true);
		p->s += 2;
		return 0;
	case 'C':
		return regex_syntax_refuse(p->err, "invalid escape sequence", p->s, 2);
	case 'Q':
		quoted(p);
		return 0;
	}
	item_begin(p, false);
	rc = add_class_escape(&p->s, p->flags, false, p->out, p->err);
	if (rc <= 0)
		return rc;
	if (read_char_escape(&p->s, &c, p->err) < 0)
		return ERR_USAGE;
	add_char(p->out, c);
	return 0;
}

static int parse_one(struct regex_syntax_parser *p)
{
	switch (*p->s) {
	case '(':
		if (p->s[1] == '?')
			return perl_group(p);
		p->s++;
		return group_open(p, "(", p->flags);
	case ')':
		return group_close(p);
	case '|':
		buf_add(p->out, p->s++, 1);
		p->has_item = false;
		return 0;
	case '$': /* the DFA matcher of PCRE2 10.42 handles $ incorrectly at line ends within the text */
		item(p, p->flags & FLAG_LINES ? "(?=\\n|\\z)" : "\\z", true);
		p->s++;
		return 0;
	case '^':
	case '.':
		item(p, (const char[]){ *p->s, 0 }, *p->s != '.');
		p->s++;
		return 0;
	case '[':
		item_begin(p, false);
		return regex_syntax_add_class(&p->s, p->flags, p->out, p->err);
	case '\\':
		return regex_syntax_escape(p);
	default:
		literal(p, char_next(&p->s));
		return 0;
	}
}

static int regex_syntax_parse(struct regex_syntax_parser *p)
{
	const char *op;
	int rc = 0;

	while (rc == 0 && *p->s) {
		switch (*p->s) {
		case '*':
		case '+':
		case '?':
			op = p->s++;
			rc = repeat(p, op, 0, 0);
			break;
		case '{':
			rc = braces(p);
			break;
		default:
			p->last_repeat = NULL;
			rc = parse_one(p);
		}
	}
	if (rc == 0 && p->depth)
		rc = regex_syntax_refuse(p->err, "missing closing )", p->whole, strlen(p->whole));
	return rc;
}

int regex_syntax(const char *pattern, struct buf *out, struct err *err)
{
	struct regex_syntax_parser p = { .whole = pattern, .s = pattern, .out = out, .err = err, .repeat = 1 };
	uint32_t c;
	int rc;

	for (const char *s = pattern; *s;) {
		size_t n = utf8_decode(s, strnlen(s, UTF8_MAX), &c);

		if (!n)
			return regex_syntax_refuse(p.err, "invalid UTF-8", pattern, strlen(pattern));
		s += n;
	}
	rc = regex_syntax_parse(&p);
	free(p.group);
	return rc;
}
