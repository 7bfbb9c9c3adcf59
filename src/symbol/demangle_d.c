/*
 * demangle_d.c - names of D
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * libiberty follows references back into the symbol, each of which may lead through all of it again:
 * its text can double, and its stack grow by the symbol, with each. Symbols with many are left alone,
 * and what the text takes is counted, because libiberty asks for it with xmalloc and xrealloc, which
 * are ours. What it holds when it asks for too much is lost, so after a few such symbols no more are
 * tried.
 */
#include "config.h"

#include "symbol/demangle_int.h"

#include "base/mem.h"

#include <libiberty/demangle.h>
#include <libiberty/libiberty.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

enum {
	SYMBOL_MAX = 4096,
	DEPTH_MAX = 1 << 13, /* of calls, up to 190 bytes each */
	MEMORY_MAX = 1 << 18,
	LOST_MAX = 64, /* symbols */
};

/* The symbol that this thread is at; memory is 0 between symbols. */
static _Thread_local struct {
	size_t memory; /* that it may ask for yet */
	unsigned lost; /* symbols so far that asked for more */
	jmp_buf too_much;
} current;

static void take(size_t n)
{
	if (current.memory == 0)
		return;
	if (n >= current.memory)
		longjmp(current.too_much, 1);
	current.memory -= n;
}

/* There in builds that look for lost memory: this is the part of it that is known. */
extern void __lsan_ignore_object(const void *p) __attribute__((weak));

static void *give(void *p)
{
	if (__lsan_ignore_object && current.memory)
		__lsan_ignore_object(p);
	return p;
}

void *xmalloc(size_t n)
{
	take(n);
	return give(mem_alloc(n, 1));
}

void *xrealloc(void *p, size_t n)
{
	void *q;

	take(n);
	q = give(mem_alloc(n, 1));
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

	if (current.lost >= LOST_MAX || !is_small(symbol))
		return NULL;
	if (setjmp(current.too_much)) {
		current.memory = 0;
		current.lost++;
		return NULL;
	}
	current.memory = MEMORY_MAX;
	name = dlang_demangle(symbol, DMGL_NO_OPTS);
	current.memory = 0;
	return name;
}

/* Where the bracket at s[at] closes; the end without one that does. */
static size_t bracket_end(const char *s, size_t at)
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
			end = bracket_end(name, end);
		else if (name[at] == '(' && !is_args && mode != DEMANGLE_FULL)
			end = bracket_end(name, at);
		else if (name[at] == '(' && is_args)
			buf_add(out, name + at, (end = bracket_end(name, at)) - at);
		else
			buf_add(out, name + at, 1);
	}
	free(name);
	return true;
}
