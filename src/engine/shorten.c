/*
 * shorten.c - function names without their packages
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The form of a name determines its language. Each rule is the regular expression of pprof, matched by hand; it needs
 * no backtracking, since only one path can match.
 */
#include "config.h"

#include "engine/shorten.h"

#include "base/str.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* The part of a name that is kept. */
struct shorten_span {
	const char *start;
	size_t n;
};

static bool shorten_is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static size_t count_words(const char *s, const char *more)
{
	size_t n = 0;

	while (s[n] && (shorten_is_word(s[n]) || strchr(more, s[n])))
		n++;
	return n;
}

/* The length of /vN before / or ., where N is a version of 2 or more; 0 for other text. */
static size_t version_length(const char *s)
{
	size_t n = 2, digits;

	if (s[0] != '/' || s[1] != 'v')
		return 0;
	digits = strspn(s + n, "0123456789");
	if (digits == 0 || s[n] == '0' || (digits == 1 && s[n] == '1'))
		return 0;
	n += digits;
	return s[n] == '/' || s[n] == '.' ? n : 0;
}

/* Append a name without the first version in its path. */
static void add_unversioned(struct buf *out, const char *name)
{
	for (const char *s = strchr(name, '\n') ? NULL : strchr(name, '/'); s; s = strchr(s + 1, '/')) {
		size_t n = version_length(s);

		if (n) {
			buf_add(out, name, (size_t)(s - name));
			buf_addz(out, s + n);
			return;
		}
	}
	buf_addz(out, name);
}

/* github.com/a/b.(*T).M: the part after the last slash of the path. */
static bool shorten_go(const char *name, struct shorten_span *out)
{
	const char *dot = name; /* the next dot from s on, so that each is found only once */
	const char *start = NULL, *tail = NULL, *s = name;

	for (size_t n; (n = count_words(s, "-.")) && s[n] == '/';) {
		s += n + 1;
		if (dot < s)
			dot = s + strcspn(s, ".");
		if (*dot == 0)
			break;
		if (dot == s || dot[1] == 0 || dot[1] == '\n')
			continue;
		start = s;
		tail = dot + 1;
	}
	if (start)
		*out = (struct shorten_span){ start, (size_t)(tail - start) + strcspn(tail, "\n") };
	return start;
}

/* com.foo.Bar.method(int): class and method. */
static bool shorten_java(const char *name, struct shorten_span *out)
{
	const char *s = name, *end;

	while (is_lower(*s)) {
		size_t n = count_words(s, "");

		if (s[n] != '.')
			return false;
		s += n + 1;
	}
	if (!is_upper(*s))
		return false;
	end = s + count_words(s, "$");
	if (*end++ != '.')
		return false;
	if (starts_with(end, "<init>"))
		end += 6;
	else if (is_lower(*end))
		end += count_words(end, "$");
	else
		return false;
	*out = (struct shorten_span){ s, (size_t)(end - s) };
	return *end == '(' || *end == 0;
}

/* The length of Class::method, with its template arguments; 0 for other text. */
static size_t class_method(const char *s)
{
	size_t n = strspn(s, "_"), close = 0;

	if (!is_upper(s[n]))
		return 0;
	n += count_words(s + n, "");
	if (!starts_with(s + n, "::"))
		return 0;
	n += 2;
	n += s[n] == '~';
	if (!shorten_is_word(s[n]) || isdigit((unsigned char)s[n]))
		return 0;
	n += count_words(s + n, "");
	if (s[n] != '<')
		return n;
	for (size_t i = n; s[i] && s[i] != '\n'; i++)
		if (s[i] == '>')
			close = i + 1;
	return close ? close : n;
}

/* ns::Class::method(int): class and method, after at least one namespace. */
static bool shorten_cpp(const char *name, struct shorten_span *out)
{
	bool found = false;

	for (const char *s = name;;) {
		size_t n = count_words(s, "");

		if (n == 0 || isdigit((unsigned char)*s) || !starts_with(s + n, "::"))
			return found;
		s += n + 2;
		n = class_method(s);
		if (n) {
			*out = (struct shorten_span){ s, n };
			found = true;
		}
	}
}

void shorten_add(struct buf *out, const char *name)
{
	static const char anonymous[] = "(anonymous namespace)::";
	struct buf whole = { 0 };
	struct shorten_span part = { 0 };

	if (starts_with(name, anonymous))
		name += sizeof(anonymous) - 1;
	add_unversioned(&whole, name);
	name = buf_text(&whole);
	if (shorten_go(name, &part) || shorten_java(name, &part) || shorten_cpp(name, &part))
		buf_add(out, part.start, part.n);
	else
		buf_addz(out, name);
	buf_release(&whole);
}
