/*
 * demangle.c - C++, Rust and D symbols to readable names
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The order of attempts is pprof's: a mangled name, one with the extra underscore of macOS, a name that is demangled
 * already. D comes last.
 */
#include "config.h"

#include "symbol/demangle/demangle.h"

#include "base/mem.h"
#include "base/str.h"
#include "symbol/demangle/demangle_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void demangle_add_piece(const char *s, size_t n, void *print)
{
	struct demangle_print *p = print;

	if (n > p->max - p->out->len)
		longjmp(p->too_long, 1);
	buf_add(p->out, s, n);
}

static struct cplus_style demangle_style_of(enum demangle_mode mode)
{
	return (struct cplus_style){ .params = mode == DEMANGLE_FULL,
				     .enclosing = mode == DEMANGLE_FULL,
				     .templates = mode != DEMANGLE_DEFAULT };
}

/* The function of a clang block: ___Z4mainv_block_invoke_2 */
static bool demangle_block(const char *symbol, struct cplus_style style, struct buf *out)
{
	static const char middle[] = "_block_invoke";
	size_t start = out->len;
	const char *at = NULL, *rest;
	char *inner;
	bool ok;

	for (const char *s = symbol; (s = strstr(s, middle)); s++)
		at = s;
	if (!at)
		return false;
	rest = at + strlen(middle);
	rest += *rest == '_';
	rest += strspn(rest, "0123456789");
	if (*rest && *rest != '.')
		return false;
	buf_addz(out, "invocation function for block in ");
	inner = mem_strndup(symbol + 2, (size_t)(at - symbol) - 2);
	ok = demangle_cplus(inner, style, out);
	free(inner);
	if (!ok) {
		out->len = start;
		out->data[start] = '\0';
	}
	return ok;
}

/* The global constructors or destructors of a file: _GLOBAL__I__Z4name or _GLOBAL__I_name.c */
static bool demangle_global(const char *symbol, struct cplus_style style, struct buf *out)
{
	const char *s = symbol + strlen("_GLOBAL_");
	size_t start = out->len;

	if (strlen(s) < 4 || !strchr("._$", s[0]) || !strchr("ID", s[1]) || s[2] != '_')
		return false;
	buf_addf(out, "global %s keyed to ", s[1] == 'I' ? "constructors" : "destructors");
	style.params = true;
	if (!starts_with(s + 3, "_Z")) {
		buf_addz(out, s);
		return true;
	}
	if (demangle_cplus(s + 3, style, out))
		return true;
	out->len = start;
	out->data[start] = '\0';
	return false;
}

static bool demangle_mangled(const char *symbol, enum demangle_mode mode, struct buf *out)
{
	if (starts_with(symbol, "_R"))
		return demangle_rust(symbol, mode != DEMANGLE_DEFAULT, out);
	if (starts_with(symbol, "_ZN") && demangle_rust(symbol, true, out))
		return true;
	if (starts_with(symbol, "_Z"))
		return demangle_cplus(symbol, demangle_style_of(mode), out);
	if (starts_with(symbol, "___Z"))
		return demangle_block(symbol, demangle_style_of(mode), out);
	if (starts_with(symbol, "_GLOBAL_"))
		return demangle_global(symbol, demangle_style_of(mode), out);
	return false;
}

/* Is it a C++ name such as ns::Foo<int>::bar(int), and neither class.<init> of Java nor main.(*T[...]).Method of Go? */
static bool is_demangled_cplus(const char *s)
{
	if (!strpbrk(s, "<>[]") && !strstr(s, "::"))
		return false;
	return !strstr(s, ".<") && !strstr(s, "]).");
}

/* Remove matched brackets and the text between them. From the first unmatched bracket on, the text is unchanged. */
static void remove_brackets(char *s, char open, char close)
{
	size_t nesting = 0, first = 0, to = 0, i = 0;

	for (; s[i] && (s[i] != close || nesting > 0); i++) {
		if (s[i] == open && nesting++ == 0)
			first = to;
		s[to++] = s[i];
		if (s[i] == close && --nesting == 0)
			to = first;
	}
	memmove(s + to, s + i, strlen(s + i) + 1);
}

/* Shorten a fully demangled name. */
static bool shorten(const char *name, enum demangle_mode mode, struct buf *out)
{
	char *s = mem_strndup(name, strlen(name));
	bool changed;

	if (mode != DEMANGLE_FULL)
		remove_brackets(s, '(', ')');
	if (mode == DEMANGLE_DEFAULT)
		remove_brackets(s, '<', '>');
	changed = strcmp(s, name) != 0;
	if (changed)
		buf_addz(out, s);
	free(s);
	return changed;
}

bool demangle(const char *symbol, enum demangle_mode mode, struct buf *out)
{
	bool mangled_only = mode == DEMANGLE_MANGLED;

	assert(symbol && out);
	if (mode == DEMANGLE_NONE)
		return false;
	mode = mangled_only ? DEMANGLE_DEFAULT : mode;
	if (symbol[0] == '_') {
		if (demangle_mangled(symbol, mode, out))
			return true;
		if (symbol[1] == '_' && demangle_mangled(symbol + 1, mode, out))
			return true;
		if (symbol[1] == 'D' && demangle_d(symbol, mode, out))
			return true;
	}
	return !mangled_only && is_demangled_cplus(symbol) && shorten(symbol, mode, out);
}
