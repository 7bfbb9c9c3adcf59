/*
 * short.c - names shortened to their last parts
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The end of a name distinguishes functions: github.com/a/b.(*T).Serve becomes a/b.(*T).Serve, b.(*T).Serve,
 * (*T).Serve, Serve, and then the first letters of that. text.js has the same rules.
 */
#include "config.h"

#include "viewers/flame/flame_int.h"

#include "base/columns.h"
#include "viewers/flame/name_syntax.h"

#include <assert.h>
#include <string.h>

#define DOTS "\xe2\x80\xa6"

enum { PARTS_MAX = 8, CUT_MIN = 2 /* min characters before the dots */ };

/* The starts of the last parts of a name, from left to right. */
struct short_parts {
	const char *at[PARTS_MAX];
	size_t n;
};

/* The length of the separator at s; 0 if there is none. In a path the only separator is /. */
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

/* Can a short name start with the part at s? */
static bool can_start(const char *name, const char *s)
{
	return *s && !name_is_weak(s) && !name_operator(name, s);
}

static void short_add_part(struct short_parts *p, const char *at)
{
	assert(p->n <= PARTS_MAX);
	if (p->n == PARTS_MAX)
		memmove(p->at, p->at + 1, (PARTS_MAX - 1) * sizeof(*p->at));
	else
		p->n++;
	p->at[p->n - 1] = at;
}

/* The last :: of a name; its start if there is none. */
static const char *last_scope(const char *name)
{
	const char *last = name;

	for (const char *s = name; (s = strchr(s, ':')); s += s[1] == ':' ? 2 : 1)
		if (s[1] == ':')
			last = s;
	return last;
}

/* The last slash of the path at the start of a name, as in github.com/a/b.(*T).Serve; its start if there is none. */
static const char *short_path_end(const char *name)
{
	const char *slash = memrchr(name, '/', strcspn(name, " <([{"));

	return slash ? slash : name;
}

/* Split a qualified name into parts. Brackets belong to their part. */
static struct short_parts short_split(const char *name)
{
	struct short_parts p = { 0 };
	const char *scope = last_scope(name), *path = short_path_end(name);
	bool is_path = *name == '/' || package_is_file(name);
	size_t depth = 0, n;

	for (const char *s = name; *s; s += n) {
		int bracket = name_bracket(name, s);

		n = name_operator(name, s);
		if (n)
			continue;
		n = 1;
		if (bracket > 0)
			depth++;
		else if (bracket < 0)
			depth -= depth > 0;
		else if (depth == 0 && *s == ' ' && s >= scope)
			is_path = true; /* a location follows, as in "main.run main.go:12" */
		else if (depth == 0 && (n = separator(s, is_path || s < path)) && can_start(name, s + n))
			short_add_part(&p, s + n);
		n += n == 0;
	}
	return p;
}

void flame_add_truncated(const char *text, size_t columns, struct buf *out)
{
	size_t end = 0, n_characters = 0, width, n;

	if (column_count(text) <= columns) {
		buf_addz(out, text);
		return;
	}
	for (size_t room = columns ? columns - 1 : 0; text[end]; end += n, room -= width, n_characters++) {
		n = column_next(text + end, &width);
		if (width > room)
			break;
	}
	if (n_characters < CUT_MIN)
		return;
	buf_add(out, text, end);
	buf_addz(out, DOTS);
}

void flame_add_shortened(const char *name, size_t columns, struct buf *out)
{
	struct short_parts parts;

	if (column_count(name) > columns) {
		parts = short_split(name);
		for (size_t i = 0; i < parts.n; i++) {
			name = parts.at[i];
			if (column_count(name) <= columns)
				break;
		}
	}
	flame_add_truncated(name, columns, out);
}
