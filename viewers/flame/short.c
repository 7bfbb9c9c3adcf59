/*
 * short.c - names shortened from their middle
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * What tells functions apart stands at the end of their names: github.com/a/b.(*T).Serve is
 * "github.com/...Serve" or "...Serve" before it is anything else. So the last parts of a name are kept,
 * as many as leave a third of the room for its start.
 */
#include "config.h"

#include "viewers/flame/flame_int.h"

#include "base/str.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

#define DOTS "\xe2\x80\xa6"

enum { LEAST = 3, TAILS = 8, MIDDLE = 8 };

/* A start of a name behind which a part begins, from the left to the right. */
struct parts {
	const char *at[TAILS]; /* the last ones */
	size_t n;
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* How long the separator at s is; 0 when it is none. A path has no other than /. */
static size_t separator(const char *s, bool is_path)
{
	if (*s == '/')
		return 1;
	if (is_path)
		return 0;
	if (s[0] == ':' && s[1] == ':')
		return 2;
	return *s == '.' && s[1] && s[1] != '.';
}

/* Does a part say little without the one before it? func1, 2, {{closure}}, operator() */
static bool is_weak(const char *s)
{
	if (starts_with(s, "func"))
		s += 4;
	else if (starts_with(s, "gowrap"))
		s += 6;
	else if (*s == '{' || *s == '<' || (starts_with(s, "operator") && !is_word(s[8])))
		return true;
	return isdigit((unsigned char)*s);
}

static void add_part(struct parts *p, const char *at)
{
	assert(p->n <= TAILS);
	if (p->n == TAILS)
		memmove(p->at, p->at + 1, (TAILS - 1) * sizeof(*p->at));
	else
		p->n++;
	p->at[p->n - 1] = at;
}

/* Where the last :: stands; the start of the name when there is none. */
static const char *last_scope(const char *name)
{
	const char *last = name;

	for (const char *s = strstr(name, "::"); s; s = strstr(s + 2, "::"))
		last = s;
	return last;
}

/* The length of the operator at s, "operator->" and the like; 0 when there is none. */
static size_t operator_length(const char *name, const char *s)
{
	if (*s != 'o' || !starts_with(s, "operator") || is_word(s[8]) || (s > name && is_word(s[-1])))
		return 0;
	return 8 + strspn(s + 8, "<>()[]-=*&!+");
}

/* The parts of a qualified name; brackets and what is in them belong to their part. */
static struct parts split(const char *name)
{
	struct parts p = { 0 };
	const char *scope = last_scope(name);
	bool is_path = *name == '/' || package_is_file(name);
	size_t depth = 0, n;

	for (const char *s = name; *s; s += n) {
		n = operator_length(name, s);
		if (n)
			continue;
		n = 1;
		if (*s == '<' || *s == '(' || *s == '[' || *s == '{')
			depth++;
		else if ((*s == '>' && s > name && s[-1] != '-') || *s == ')' || *s == ']' || *s == '}')
			depth -= depth > 0;
		else if (depth == 0 && *s == ' ' && s >= scope)
			is_path = true; /* "main.run main.go:12" */
		else if (depth == 0 && (n = separator(s, is_path)) && s[n] && !is_weak(s + n))
			add_part(&p, s + n);
		n += n == 0;
	}
	return p;
}

/* Append as many characters as fit. */
static void add_start(const char *s, size_t columns, struct buf *out)
{
	size_t width;

	for (size_t n; *s; s += n, columns -= width) {
		n = flame_next(s, &width);
		if (width > columns)
			return;
		buf_add(out, s, n);
	}
}

/* Append the characters at the end that fit. */
static void add_end(const char *s, size_t columns, struct buf *out)
{
	size_t width, all = flame_columns(s);

	for (; all > columns; all -= width)
		s += flame_next(s, &width);
	buf_addz(out, s);
}

/* One word. A few characters of its start say more than half as many of both ends: "mall...", not "ma...c". */
static void add_cut(const char *name, size_t columns, struct buf *out)
{
	size_t left = columns < MIDDLE ? columns - 1 : columns / 2;

	assert(columns > 0);
	add_start(name, left, out);
	buf_addz(out, DOTS);
	add_end(name, columns - left - 1, out);
}

/* One part that is too wide: without its arguments when it has some, as they may be what is too much. */
static void add_narrow(const char *part, size_t columns, struct buf *out)
{
	struct buf id = { 0 };

	buf_add(&id, part, strcspn(part, "<([{"));
	while (id.len && (id.data[id.len - 1] == ':' || id.data[id.len - 1] == '.')) /* of run::{{closure}} */
		id.data[--id.len] = 0;
	if (id.len < LEAST || !part[id.len]) {
		add_cut(part, columns, out);
	} else if (flame_columns(id.data) < columns) {
		buf_addz(out, id.data);
		buf_addz(out, DOTS);
	} else {
		add_cut(id.data, columns, out);
	}
	buf_release(&id);
}

/* The longest end of parts that leaves a third for the start, else the shortest. NULL for one part. */
static const char *choose_tail(const struct parts *p, size_t columns)
{
	for (size_t i = 0; i < p->n; i++)
		if (flame_columns(p->at[i]) * 3 <= (columns - 1) * 2)
			return p->at[i];
	return p->n ? p->at[p->n - 1] : NULL;
}

void flame_add_short(const char *name, size_t columns, struct buf *out)
{
	struct parts parts;
	const char *tail;
	size_t width;

	if (flame_columns(name) <= columns) {
		buf_addz(out, name);
		return;
	}
	if (columns < LEAST)
		return;
	parts = split(name);
	tail = choose_tail(&parts, columns);
	width = tail ? flame_columns(tail) : 0;
	if (!tail || width > columns) {
		add_narrow(tail ? tail : name, columns, out);
		return;
	}
	if (width < columns) {
		if (columns - 1 - width >= LEAST)
			add_start(name, columns - 1 - width, out);
		buf_addz(out, DOTS);
	}
	buf_addz(out, tail);
}
