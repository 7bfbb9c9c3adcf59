/*
 * demangle_d.c - D names
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * libiberty follows back references in the symbol, and each may expand the whole symbol again: each can double the
 * text, and deepen the stack by the length of the symbol. So symbols with many back references are not demangled, and
 * the memory for the text is limited: libiberty allocates it with xmalloc and xrealloc, which are defined here. When
 * the limit is reached, the memory that libiberty holds is leaked, so demangling stops after a few of these symbols.
 */
#include "config.h"

#include "symbol/demangle/demangle_int.h"

#include "base/mem.h"

#include <libiberty/demangle.h>
#include <libiberty/libiberty.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

enum {
	SYMBOL_MAX = 4096,
	DEPTH_MAX = 1 << 13, /* recursive calls, up to 190 bytes of stack each */
	MEMORY_MAX = 1 << 18,
	LEAKED_MAX = 64, /* max symbols whose memory is leaked */
};

/* The symbol that this thread demangles; memory is 0 between symbols. */
static _Thread_local struct {
	size_t memory;     /* bytes that may still be allocated */
	unsigned n_leaked; /* number of symbols so far that exceeded the limit */
	jmp_buf over_limit;
} current;

static void count_memory(size_t n)
{
	if (current.memory == 0)
		return;
	if (n >= current.memory)
		longjmp(current.over_limit, 1);
	current.memory -= n;
}

/* Defined in builds with the leak sanitizer; used to exclude the known leak. */
extern void __lsan_ignore_object(const void *p) __attribute__((weak));

static void *ignore_leak(void *p)
{
	if (__lsan_ignore_object && current.memory)
		__lsan_ignore_object(p);
	return p;
}

void *xmalloc(size_t n)
{
	count_memory(n);
	return ignore_leak(mem_alloc(n, 1));
}

void *xrealloc(void *p, size_t n)
{
	void *q;

	count_memory(n);
	q = ignore_leak(mem_alloc(n, 1));
	if (p)
		memcpy(q, p, n < malloc_usable_size(p) ? n : malloc_usable_size(p));
	free(p);
	return q;
}

static bool is_small(const char *symbol)
{
	size_t n = strlen(symbol), refs = 1;

	for (size_t i = 0; i < n; i++)
		refs += symbol[i] == 'Q';
	return n <= SYMBOL_MAX && n * refs <= DEPTH_MAX;
}

static char *whole_name(const char *symbol)
{
	char *name;

	if (current.n_leaked >= LEAKED_MAX || !is_small(symbol))
		return NULL;
	if (setjmp(current.over_limit)) {
		current.memory = 0;
		current.n_leaked++;
		return NULL;
	}
	current.memory = MEMORY_MAX;
	name = dlang_demangle(symbol, DMGL_NO_OPTS);
	current.memory = 0;
	return name;
}

/* The index after the bracket that closes s[at], or the end of the text. */
static size_t demangle_d_bracket_end(const char *s, size_t at)
{
	size_t nesting = 0;

	for (; s[at]; at++) {
		nesting += s[at] == '(';
		if (s[at] == ')' && --nesting == 0)
			return at + 1;
	}
	return at;
}

bool demangle_d(const char *symbol, enum demangle_mode mode, struct buf *out)
{
	char *name = whole_name(symbol);

	if (!name)
		return false;
	for (size_t at = 0, end; name[at]; at = end) {
		bool is_args = at > 0 && name[at - 1] == '!';

		end = at + 1;
		if (name[at] == '!' && name[end] == '(' && mode == DEMANGLE_DEFAULT)
			end = demangle_d_bracket_end(name, end);
		else if (name[at] == '(' && !is_args && mode != DEMANGLE_FULL)
			end = demangle_d_bracket_end(name, at);
		else if (name[at] == '(' && is_args)
			buf_add(out, name + at, (end = demangle_d_bracket_end(name, at)) - at);
		else
			buf_add(out, name + at, 1);
	}
	free(name);
	return true;
}
