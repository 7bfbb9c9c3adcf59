/*
 * names.c - demangle the functions of a profile
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Large profiles are split over threads, each of which writes to its own buffer. D names are demangled by the calling
 * thread only: see demangle_d.c.
 */
#include "config.h"

#include "symbol/names.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/pool.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FUNCTIONS_PER_THREAD = 2000 };

/* The functions [lo, hi) of one thread, and their new names. */
struct names_part {
	const struct profile *p;
	enum demangle_mode mode;
	uint32_t lo, hi;
	struct renamed {
		uint32_t func;
		size_t at, n; /* position and length in text */
	} * renamed;
	size_t n, cap;
	struct buf text;
};

static void rename_function(struct names_part *s, uint32_t func, const char *symbol)
{
	size_t at = s->text.len;

	if (!demangle(symbol, s->mode, &s->text))
		return;
	if (strlen(symbol) != strtab_len(s->p->str, s->p->func_sysname[func])) { /* the name contains a NUL */
		s->text.len = at;
		return;
	}
	s->renamed = mem_grow(s->renamed, &s->cap, s->n + 1, sizeof(*s->renamed));
	s->renamed[s->n++] = (struct renamed){ func, at, s->text.len - at };
}

static bool symbol_names_is_wanted(const struct profile *p, uint32_t func)
{
	return p->func_name[func] == 0 || p->func_name[func] == p->func_sysname[func];
}

/* Is the name what DEMANGLE_DEFAULT makes of the system name, as in a profile that cpa has symbolized? */
static bool is_default_form(struct names_part *s, uint32_t func)
{
	const struct profile *p = s->p;
	size_t at = s->text.len;
	bool is_form = p->func_sysname[func] &&
		       demangle(profile_text(p, p->func_sysname[func]), DEMANGLE_DEFAULT, &s->text) &&
		       strcmp(s->text.data + at, profile_text(p, p->func_name[func])) == 0;

	s->text.len = at;
	return is_form;
}

/* Demangle a function again whose name has DEMANGLE_DEFAULT. */
static void rename_again(struct names_part *s, uint32_t func)
{
	const char *symbol = profile_text(s->p, s->p->func_sysname[func]);
	size_t n = s->n;

	rename_function(s, func, symbol);
	if (s->n > n)
		return;
	s->renamed = mem_grow(s->renamed, &s->cap, s->n + 1, sizeof(*s->renamed));
	s->renamed[s->n++] = (struct renamed){ func, s->text.len, strlen(symbol) };
	buf_addz(&s->text, symbol);
}

static bool is_d(const char *symbol)
{
	return symbol[0] == '_' && symbol[1] == 'D';
}

static void rename_part(void *arg, unsigned part)
{
	struct names_part *s = (struct names_part *)arg + part;

	assert(s->lo <= s->hi && s->hi <= s->p->n_funcs);
	for (uint32_t i = s->lo; i < s->hi; i++) {
		const char *symbol = profile_text(s->p, s->p->func_sysname[i]);

		if (symbol_names_is_wanted(s->p, i) && !is_d(symbol))
			rename_function(s, i, symbol);
		else if (s->mode == DEMANGLE_MANGLED && !is_d(symbol) && is_default_form(s, i))
			rename_again(s, i);
	}
}

static void rename_d(struct names_part *s)
{
	for (uint32_t i = 0; i < s->p->n_funcs; i++) {
		const char *symbol = profile_text(s->p, s->p->func_sysname[i]);

		if (is_d(symbol) && symbol_names_is_wanted(s->p, i))
			rename_function(s, i, symbol);
	}
}

static void put_names(struct profile *p, const struct names_part *s)
{
	for (size_t i = 0; i < s->n; i++)
		p->func_name[s->renamed[i].func] = strtab_add(p->str, s->text.data + s->renamed[i].at, s->renamed[i].n);
}

static void symbol_names_part_release(struct names_part *s)
{
	free(s->renamed);
	buf_release(&s->text);
}

static void rename_all(struct profile *p, enum demangle_mode mode)
{
	unsigned n = 1 + p->n_funcs / FUNCTIONS_PER_THREAD;
	struct names_part d = { .p = p, .mode = mode }, *part;

	n = n < pool_size() ? n : pool_size();
	part = mem_zalloc(n, sizeof(*part));
	for (unsigned i = 0; i < n; i++)
		part[i] = (struct names_part){ .p = p,
					       .mode = mode,
					       .lo = (uint32_t)((uint64_t)p->n_funcs * i / n),
					       .hi = (uint32_t)((uint64_t)p->n_funcs * (i + 1) / n) };
	pool_run(rename_part, part, n);
	rename_d(&d);
	for (unsigned i = 0; i < n; i++) {
		put_names(p, &part[i]);
		symbol_names_part_release(&part[i]);
	}
	put_names(p, &d);
	symbol_names_part_release(&d);
	free(part);
}

void names_demangle(struct profile *p, enum demangle_mode mode, bool force)
{
	for (uint32_t i = 0; force && i < p->n_funcs; i++)
		if (p->func_name[i] && p->func_sysname[i])
			p->func_name[i] = p->func_sysname[i];
	if (mode == DEMANGLE_NONE)
		return;
	for (uint32_t i = 0; i < p->n_funcs; i++)
		if (p->func_name[i] == 0)
			p->func_name[i] = p->func_sysname[i];
	rename_all(p, mode);
}
