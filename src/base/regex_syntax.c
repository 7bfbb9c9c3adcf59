/*
 * regex_syntax.c - RE2's regular expressions in the words of PCRE2
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * One pass from left to right. Flags are tracked here and written in front of the next item, so
 * that nothing ever stands between an item and its repeat: RE2 lets a(?i)* repeat the a.
 */
#include "config.h"

#include "base/regex_syntax.h"

#include "base/mem.h"
#include "base/regex_class.h"
#include "base/str.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

enum {
	MAX_REPEAT = 1000, /* of one count, and of counts inside counts multiplied */
	MAX_DEPTH = 1000,
	TOO_LARGE = MAX_REPEAT + 1
};

/* What a group must put back when it ends. */
struct group {
	unsigned flags, shown;
	size_t at;       /* where it starts in out */
	unsigned repeat; /* of the group around */
};

struct parser {
	const char *whole, *s; /* all of it, and what is left */
	struct buf *out;
	struct err *err;
	unsigned flags, shown; /* FLAG_: in force, and what out says so far */
	struct group *group;   /* [depth] */
	size_t depth, cap;
	const char *last_repeat;      /* where the repeat starts that was just read; NULL behind all else */
	size_t item;                  /* where the last item starts in out */
	bool has_item, needs_group;   /* PCRE2 repeats no assertions, nor what is repeated already */
	unsigned item_repeat, repeat; /* counts inside counts: of the last item, the most so far in this group */
};

static int refuse(struct parser *p, const char *what, const char *from, size_t n)
{
	return regex_refuse(p->err, what, from, n);
}

/* Behind this call the next item is appended to out. */
static void item_begin(struct parser *p, bool is_assertion)
{
	static const char letter[] = "ims";
	unsigned on = p->flags & ~p->shown, off = p->shown & ~p->flags;

	if (on | off) {
		buf_addz(p->out, "(?");
		for (int i = 0; letter[i]; i++)
			if (on & 1u << i)
				buf_add(p->out, &letter[i], 1);
		if (off)
			buf_addz(p->out, "-");
		for (int i = 0; letter[i]; i++)
			if (off & 1u << i)
				buf_add(p->out, &letter[i], 1);
		buf_addz(p->out, ")");
		p->shown = p->flags;
	}
	p->item = p->out->len;
	p->has_item = true;
	p->needs_group = is_assertion;
	p->item_repeat = 1;
}

static void item(struct parser *p, const char *text, bool is_assertion)
{
	item_begin(p, is_assertion);
	buf_addz(p->out, text);
}

static void literal(struct parser *p, uint32_t c)
{
	item_begin(p, false);
	regex_add_char(p->out, c);
}

static int group_open(struct parser *p, const char *open, unsigned flags_inside)
{
	unsigned outer = p->repeat;

	if (p->depth == MAX_DEPTH)
		return refuse(p, "expression nests too deeply", p->whole, strlen(p->whole));
	item_begin(p, false);
	p->group = mem_grow(p->group, &p->cap, p->depth + 1, sizeof(*p->group));
	p->group[p->depth++] = (struct group){ p->flags, p->shown, p->item, outer };
	buf_addz(p->out, open);
	p->flags = flags_inside;
	p->has_item = false;
	p->repeat = 1;
	return 0;
}

static int group_close(struct parser *p)
{
	struct group *g;

	if (p->depth == 0)
		return refuse(p, "unexpected )", p->whole, strlen(p->whole));
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

static bool name_is_word(const char *s, const char *end)
{
	if (s == end)
		return false;
	for (; s < end; s++)
		if (*s != '_' && !regex_is_alnum((unsigned char)*s))
			return false;
	return true;
}

/* (?P<name> and (?<name>; gives 1 when s starts with neither. */
static int named_group(struct parser *p)
{
	size_t skip = starts_with(p->s, "(?P<") ? 4 : starts_with(p->s, "(?<") ? 3 : 0;
	const char *end;

	if (!skip || !p->s[skip])
		return 1;
	end = strchr(p->s, '>');
	if (!end)
		return refuse(p, "invalid named capture", p->s, strlen(p->s));
	if (!name_is_word(p->s + skip, end))
		return refuse(p, "invalid named capture", p->s, (size_t)(end + 1 - p->s));
	p->s = end + 1;
	return group_open(p, "(", p->flags);
}

/* (?flags) and (?flags: */
static int perl_group(struct parser *p)
{
	static const char letter[] = "imsU";
	unsigned on = p->flags, seen = 0;
	bool minus = false;
	const char *s = p->s + 2;
	int rc = named_group(p);

	if (rc != 1)
		return rc;
	for (; *s; s += regex_char_length(s)) {
		const char *known = strchr(letter, *s);

		if (known) {
			seen |= 1;
			on = minus ? on & ~(1u << (known - letter)) : on | 1u << (known - letter);
		} else if (*s == '-' && !minus) {
			minus = true;
			seen = 0;
		} else if ((*s == ':' || *s == ')') && !(minus && !seen)) {
			p->s = s + 1;
			on &= FLAG_FOLD | FLAG_LINES | FLAG_DOT_ALL; /* U is of no consequence for yes or no */
			if (*s == ':')
				return group_open(p, "(?:", on);
			p->flags = on;
			return 0;
		} else {
			s += regex_char_length(s);
			break;
		}
	}
	return refuse(p, "invalid or unsupported Perl syntax", p->s, (size_t)(s - p->s));
}

static void put_in_group(struct parser *p)
{
	struct buf bare = { 0 };

	buf_add(&bare, p->out->data + p->item, p->out->len - p->item);
	p->out->len = p->item;
	buf_addf(p->out, "(?:%s)", buf_text(&bare));
	buf_release(&bare);
}

/* Repeat the last item by the n bytes at op; s is behind them. min and max for {}, else 0. */
static int repeat(struct parser *p, const char *op, unsigned min, unsigned max)
{
	const char *start = p->last_repeat ? p->last_repeat : op;
	size_t n = (size_t)(p->s - op);

	if (*p->s == '?')
		p->s++;
	if (p->last_repeat)
		return refuse(p, "invalid nested repetition operator", start, (size_t)(p->s - start));
	if (!p->has_item)
		return refuse(p, "missing argument to repetition operator", op, (size_t)(p->s - op));
	if (min >= 2 || max >= 2)
		p->item_repeat *= max > min ? max : min;
	if (p->item_repeat > MAX_REPEAT)
		return refuse(p, "invalid repeat count", op, (size_t)(p->s - op));
	if (*op == '{' && max == 0 && min == 0 && op[n - 2] != ',')
		p->item_repeat = 1; /* {0}: what it repeats is never there */
	if (p->item_repeat > p->repeat)
		p->repeat = p->item_repeat;
	if (p->needs_group)
		put_in_group(p);
	p->needs_group = true;
	buf_add(p->out, op, n);
	if (op + n < p->s)
		buf_addz(p->out, "?");
	p->last_repeat = op;
	return 0;
}

/* A number of a {}: no zero in front; TOO_LARGE for all beyond. */
static bool count(const char **s, unsigned *out)
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

/* {n} {n,} {n,m}; anything else is a brace. */
static int braces(struct parser *p)
{
	const char *op = p->s, *s = op + 1;
	unsigned min, max;
	bool open = false;

	if (!count(&s, &min))
		goto brace;
	max = min;
	if (*s == ',') {
		s++;
		max = 0;
		open = *s == '}';
		if (!open && !count(&s, &max))
			goto brace;
	}
	if (*s != '}')
		goto brace;
	p->s = s + 1;
	if (min > MAX_REPEAT || max > MAX_REPEAT || (!open && min > max))
		return refuse(p, "invalid repeat count", op, (size_t)(p->s - op));
	return repeat(p, op, min, max);
brace:
	p->last_repeat = NULL;
	p->s++;
	literal(p, '{');
	return 0;
}

static void quoted(struct parser *p)
{
	const char *end;

	p->s += 2;
	end = strstr(p->s, "\\E");
	while (*p->s && p->s != end)
		literal(p, regex_char_next(&p->s));
	if (end)
		p->s = end + 2;
}

static int escape(struct parser *p)
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
		return refuse(p, "invalid escape sequence", p->s, 2);
	case 'Q':
		quoted(p);
		return 0;
	}
	item_begin(p, false);
	rc = regex_class_escape(&p->s, p->flags, false, p->out, p->err);
	if (rc <= 0)
		return rc;
	if (regex_char_escape(&p->s, &c, p->err) < 0)
		return ERR_USAGE;
	regex_add_char(p->out, c);
	return 0;
}

static int parse_one(struct parser *p)
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
	case '$': /* the slow matcher of PCRE2 10.42 gets $ wrong where a line ends inside of the text */
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
		return regex_class(&p->s, p->flags, p->out, p->err);
	case '\\':
		return escape(p);
	default:
		literal(p, regex_char_next(&p->s));
		return 0;
	}
}

static int parse(struct parser *p)
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
		rc = refuse(p, "missing closing )", p->whole, strlen(p->whole));
	return rc;
}

int regex_syntax(const char *pattern, struct buf *out, struct err *err)
{
	struct parser p = { .whole = pattern, .s = pattern, .out = out, .err = err, .repeat = 1 };
	uint32_t c;
	int rc;

	for (const char *s = pattern; *s;) {
		size_t n = utf8_decode(s, strnlen(s, UTF8_MAX), &c);

		if (!n)
			return refuse(&p, "invalid UTF-8", pattern, strlen(pattern));
		s += n;
	}
	rc = parse(&p);
	free(p.group);
	return rc;
}
