/*
 * package_scope.c - the outermost name space of a C++ name, the crate of a Rust name
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * std::vector<a::b>::push_back is of std, whatever stands in front of it as a result, between the
 * angles or in its arguments.
 */
#include "config.h"

#include "viewers/flame/flame_int.h"

#include "base/str.h"

#include <ctype.h>
#include <string.h>

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* Does the word operator stand here? */
static bool is_operator(const char *name, const char *s)
{
	return starts_with(s, "operator") && !is_word(s[8]) && (s == name || !is_word(s[-1]));
}

/* Behind the bracket that closes the one at s; the end when none does. -> closes nothing. */
static const char *skip_brackets(const char *s)
{
	size_t depth = 0;

	for (; *s; s++) {
		if (strchr("<([{", *s))
			depth++;
		else if (strchr(">)]}", *s) && !(*s == '>' && s[-1] == '-') && --depth == 0)
			return s + 1;
	}
	return s;
}

/* Where the name itself starts: behind its result ("void std::sort<...>(...)"). */
static const char *skip_result(const char *name)
{
	const char *start = name;

	for (const char *s = name; *s;) {
		if (is_operator(name, s))
			break;
		if (starts_with(s, "decltype") && (s[8] == '(' || starts_with(s + 8, " ("))) {
			s = skip_brackets(s + 8 + (s[8] == ' '));
		} else if (*s == '(') {
			break; /* its arguments, or a name space without a name */
		} else if (strchr("<([{", *s)) {
			s = skip_brackets(s);
		} else if (*s == ' ' && !starts_with(s, " [clone")) {
			start = ++s;
		} else {
			s++;
		}
	}
	return *start ? start : name;
}

/* The first part of a::b::c; nothing for a name without a scope or with a nameless one. */
static void add_first(const char *s, bool is_rust, struct buf *out)
{
	size_t n = 0;

	while (is_word(s[n]) || s[n] == '$' || s[n] == '\\' || s[n] == '.')
		n++;
	if (n == 0)
		return;
	if (s[n] == '<' || s[n] == '[')
		n = (size_t)(skip_brackets(s + n) - s);
	if (!starts_with(s + n, "::") || (!is_rust && s[n + 2] == '{'))
		return; /* a{lambda()} is of the function a, which has no scope */
	buf_add(out, s, strcspn(s, "<[:"));
}

/* Where the trait of "<T as trait>::f" stands, NULL when there is none. */
static const char *find_trait(const char *s)
{
	size_t depth = 0;

	for (; *s; s++) {
		if (strchr("<([{", *s))
			depth++;
		else if (strchr(">)]}", *s) && s[-1] != '-' && --depth == 0)
			return NULL;
		else if (depth == 1 && starts_with(s, " as "))
			return s + 4;
	}
	return NULL;
}

/* A Rust type or path: without what stands in front of its path. */
static const char *skip_marks(const char *s)
{
	static const char *const mark[] = { "dyn ", "mut ", "const ", "impl " };

	for (bool found = true; found;) {
		size_t n = strspn(s, "&*[(<' ");

		found = n > 0;
		s += n;
		for (size_t i = 0; i < sizeof(mark) / sizeof(mark[0]); i++) {
			if (starts_with(s, mark[i])) {
				s += strlen(mark[i]);
				found = true;
			}
		}
	}
	return s;
}

void package_add_scope(const char *name, bool is_rust, struct buf *out)
{
	const char *trait = *name == '<' || *name == '_' ? find_trait(name + (*name == '_')) : NULL;
	size_t before = out->len;

	if (!is_rust && *name != '<' && !starts_with(name, "_<")) {
		add_first(skip_result(name), false, out);
		return;
	}
	add_first(skip_marks(name + starts_with(name, "_<")), true, out);
	if (out->len == before && trait)
		add_first(skip_marks(trait), true, out);
	else if (out->len == before && *name == '<')
		buf_addz(out, "core"); /* <u64>::f: nobody else may give methods to what the language has */
}
