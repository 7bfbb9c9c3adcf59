/*
 * name.c - shorten function names to a number of columns
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/shell/widgets/name.h"

#include "base/columns.h"
#include "base/utf8.h"
#include "viewers/flame/name_syntax.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#define DOTS "\xe2\x80\xa6"

enum { NAME_MAX_BYTES = 4096 }; /* longer names are cut without parsing them */

/* Append a name without its parameters and return type. */
static void add_without_types(const char *name, struct buf *out)
{
	const char *start = name, *end = name + strlen(name);

	for (const char *s = name; *s;) {
		size_t n = name_operator(name, s);

		if (n) {
			s += n + (s[n] == ' '); /* part of an operator's name, as in operator<< <int> */
		} else if (*s == '(' && s > start && (name_is_word(s[-1]) || s[-1] == '>' || s[-1] == ')')) {
			end = s;
			s = name_skip_brackets(s);
			/* parentheses within a name: (*T).Serve, (anonymous namespace)::f */
			if (*s && *s != ' ')
				end = name + strlen(name);
		} else if (name_bracket(name, s) > 0) {
			s = name_skip_brackets(s);
		} else if (*s == ' ' && s < end) {
			start = ++s;
		} else {
			s++;
		}
		if (end < s) /* drop qualifiers such as const */
			break;
	}
	buf_add(out, start, (size_t)(end - start));
}

/* Append a name without the namespaces inside angle brackets: <Vec<T> as Drop>::drop. */
static void add_without_spaces(const char *name, struct buf *out)
{
	int depth = 0;

	for (const char *s = name; *s; s++) {
		const char *end = s;

		while (depth > 0 && (s == name || !name_is_word(s[-1])) && name_is_word(*end))
			end++;
		if (end > s && strncmp(end, "::", 2) == 0 && (name_is_word(end[2]) || end[2] == '<')) {
			s = end + 1;
			continue;
		}
		depth += *s == '<' ? 1 : *s == '>' ? name_bracket(name, s) : 0;
		buf_add(out, s, 1);
	}
}

/* Append a name with … instead of the arguments in brackets: vector<…>::push_back, Grow[…]. */
static void add_without_arguments(const char *name, struct buf *out)
{
	bool has_end = true; /* the brackets are closed */

	for (const char *s = name; *s;) {
		const char *end = s;
		size_t n = name_operator(name, s);

		if (n) {
			buf_add(out, s, n);
			s += n;
			continue;
		}
		if (has_end && (*s == '<' || *s == '[') && s > name && name_is_word(s[-1])) {
			end = name_skip_brackets(s);
			has_end = name_bracket(name, end - 1) < 0;
		}
		if (has_end && end - s > 3) {
			buf_add(out, s, 1);
			buf_addf(out, DOTS "%c", end[-1]);
			s = end;
		} else {
			buf_add(out, s++, 1);
		}
	}
}

/* The longest suffix of whole parts that fits in this many columns; NULL when none does. */
static const char *find_tail(const char *name, size_t columns)
{
	size_t n, left = column_count(name), width; /* from at on */
	const char *at = name;

	for (const char *s = name; *s; s += n) {
		size_t separator = *s == '/' || *s == '.' ? 1 : strncmp(s, "::", 2) == 0 ? 2 : 0;
		const char *part = s + separator;

		n = name_operator(name, s);
		n = n ? n : name_bracket(name, s) > 0 ? (size_t)(name_skip_brackets(s) - s) : separator ? separator : 1;
		if (!separator || !*part || *part == '.' || (name_is_weak(part) && *part != '<'))
			continue;
		if (*s == '/')
			part = s; /* keep the slash, as in …/flate.deflate */
		for (; at < part; left -= width)
			at += column_next(at, &width);
		if (left <= columns)
			return part;
	}
	return NULL;
}

/* Append as many characters of a text as fit, from its start or its end. */
static void name_add_part(const char *s, size_t columns, bool is_end, struct buf *out)
{
	size_t all = column_count(s), width;

	for (; is_end && all > columns; all -= width)
		s += column_next(s, &width);
	for (size_t n; *s; s += n, columns -= width) {
		n = column_next(s, &width);
		if (width > columns)
			return;
		buf_add(out, s, n);
	}
}

/* Append the end of a name that is too long, in at least two columns. */
static void add_end(const char *name, size_t columns, struct buf *out)
{
	const char *tail = find_tail(name, columns - 1);
	size_t width = tail ? column_count(tail) : 0;

	assert(columns > 1);
	if (width * 3 >= columns * 2) {
		buf_addf(out, DOTS "%s", tail);
		return;
	}
	width = strpbrk(name, "/.:<(") ? 0 : columns / 2;
	name_add_part(name, width, false, out);
	buf_addz(out, DOTS);
	name_add_part(name, columns - 1 - width, true, out);
}

void shell_name_add(const char *name, size_t columns, struct buf *out)
{
	static void (*const shorten[])(const char *, struct buf *) = { add_without_types, add_without_spaces,
								       add_without_arguments };
	struct buf now = { 0 }, next = { 0 };

	buf_addz(&now, name);
	for (size_t i = 0; i < sizeof(shorten) / sizeof(shorten[0]) && column_count(buf_text(&now)) > columns; i++) {
		next.len = 0;
		buf_addz(&next, "");
		shorten[i](buf_text(&now), &next);
		now.len = 0;
		buf_addz(&now, buf_text(&next));
	}
	if (column_count(buf_text(&now)) <= columns)
		buf_addz(out, buf_text(&now));
	else if (columns > 1)
		add_end(buf_text(&now), columns, out);
	buf_release(&now);
	buf_release(&next);
}

int shell_name_draw(struct grid *g, struct area a, int x, int y, const char *name, const char *mark, int columns,
		    struct style style, struct style quiet)
{
	struct buf safe = { 0 }, brief = { 0 };
	int room = columns < a.width - x ? columns : a.width - x, need, end;

	if (room < 1)
		return x;
	if (strnlen(name, NAME_MAX_BYTES) == NAME_MAX_BYTES)
		return grid_text_short(g, a, x, y, name, room, style);
	utf8_add_safe(&safe, name, strlen(name));
	need = (int)column_count(buf_text(&safe));
	shell_name_add(buf_text(&safe), (size_t)room, &brief);
	end = grid_text(g, a, x, y, buf_text(&brief), style);
	if (*mark && need + 1 + (int)column_count(mark) <= room)
		end = grid_text(g, a, end + 1, y, mark, quiet);
	buf_release(&safe);
	buf_release(&brief);
	return end;
}
