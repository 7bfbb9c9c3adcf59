/*
 * name_syntax.c - syntax of function names in all languages: words, brackets, operators
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * text.js has the same rules.
 */
#include "config.h"

#include "viewers/flame/name_syntax.h"

#include "base/str.h"

#include <ctype.h>
#include <string.h>

bool name_is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

int name_bracket(const char *name, const char *s)
{
	switch (*s) {
	case '<':
	case '(':
	case '[':
	case '{':
		return 1;
	case '>':
		return s > name && s[-1] == '-' ? 0 : -1;
	case ')':
	case ']':
	case '}':
		return -1;
	default:
		return 0;
	}
}

const char *name_skip_brackets(const char *s)
{
	const char *start = s;
	int depth = 0;

	do {
		depth += name_bracket(start, s);
		s++;
	} while (*s && depth > 0);
	return s;
}

size_t name_operator(const char *name, const char *s)
{
	static const char word[] = "operator";
	size_t n = sizeof(word) - 1;

	if (!starts_with(s, word) || name_is_word(s[n]) || (s > name && name_is_word(s[-1])))
		return 0;
	return n + (starts_with(s + n, "()") ? 2 : strspn(s + n, "<>[]-=*&!+|^%~/"));
}

bool name_is_weak(const char *part)
{
	static const char *const words[] = { "cold", "constprop", "isra", "part", "lto_priv", "llvm" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (starts_with(part, words[i]) && !name_is_word(part[strlen(words[i])]))
			return true;
	if (starts_with(part, "func"))
		part += 4;
	else if (starts_with(part, "gowrap"))
		part += 6;
	else if (*part == '{' || *part == '<')
		return true;
	return isdigit((unsigned char)*part);
}
