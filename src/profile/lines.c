/*
 * lines.c - replace the functions and lines of locations
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "profile/lines.h"

#include "base/arena.h"
#include "base/mem.h"
#include "profile/keys.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { FUNC_WORDS = 4 };

/* The id of the function of a new line among all new functions. */
static int new_function(struct keys *k, const struct new_line *l, uint32_t *id, struct err *err)
{
	uint64_t word[FUNC_WORDS] = { l->name, l->sysname, l->file, (uint64_t)l->start };

	return keys_add(k, word, FUNC_WORDS, keys_hash(word, FUNC_WORDS), id, err);
}

static void *lines_copy_with_room(struct arena *mem, const void *column, size_t n, size_t n_more, size_t size)
{
	char *copy = arena_alloc(mem, n + n_more, size);

	if (n)
		memcpy(copy, column, n * size);
	return copy;
}

static int lines_add_functions(struct profile *p, const struct keys *k, struct err *err)
{
	uint64_t highest = 0;
	uint32_t n = p->n_funcs;

	for (uint32_t i = 0; i < n; i++)
		highest = p->func_id[i] > highest ? p->func_id[i] : highest;
	if (k->n > PROFILE_NONE - n || k->n > UINT64_MAX - highest)
		return err_set(err, ERR_LIMIT, "too many functions to add %u", k->n);
	p->func_id = lines_copy_with_room(p->mem, p->func_id, n, k->n, sizeof(*p->func_id));
	p->func_name = lines_copy_with_room(p->mem, p->func_name, n, k->n, sizeof(*p->func_name));
	p->func_sysname = lines_copy_with_room(p->mem, p->func_sysname, n, k->n, sizeof(*p->func_sysname));
	p->func_file = lines_copy_with_room(p->mem, p->func_file, n, k->n, sizeof(*p->func_file));
	p->func_start = lines_copy_with_room(p->mem, p->func_start, n, k->n, sizeof(*p->func_start));
	for (uint32_t i = 0; i < k->n; i++) {
		const uint64_t *word = &k->word[(size_t)i * FUNC_WORDS];

		p->func_id[n + i] = highest + 1 + i;
		p->func_name[n + i] = (str_id)word[0];
		p->func_sysname[n + i] = (str_id)word[1];
		p->func_file[n + i] = (str_id)word[2];
		p->func_start[n + i] = (int64_t)word[3];
	}
	p->n_funcs += k->n;
	return 0;
}

/* The line columns being rebuilt. */
struct profile_lines {
	uint32_t *loc_line, *func;
	int64_t *no, *col;
	uint32_t n;
};

static void copy_lines(const struct profile *p, uint32_t loc, struct profile_lines *out)
{
	for (uint32_t i = p->loc_line[loc]; i < p->loc_line[loc + 1]; i++, out->n++) {
		out->func[out->n] = p->line_func[i];
		out->no[out->n] = p->line_no[i];
		out->col[out->n] = p->line_col[i];
	}
}

static void add_new_lines(const struct new_lines *l, uint32_t i, const uint32_t *func, struct profile_lines *out)
{
	for (uint32_t j = l->off[i]; j < l->off[i + 1]; j++, out->n++) {
		out->func[out->n] = func[j];
		out->no[out->n] = l->line[j].line;
		out->col[out->n] = l->line[j].col;
	}
}

/* func  [off[n]] function ids of the new lines */
static int replace_lines(struct profile *p, const struct new_lines *l, const uint32_t *func, struct err *err)
{
	uint64_t n = (uint64_t)p->n_lines + l->off[l->n];
	struct profile_lines out = { 0 };
	uint32_t at = 0;

	for (uint32_t i = 0; i < l->n; i++)
		n -= p->loc_line[l->loc[i] + 1] - p->loc_line[l->loc[i]];
	if (n >= UINT32_MAX)
		return err_set(err, ERR_LIMIT, "too many lines of locations: %" PRIu64, n);
	out.loc_line = arena_alloc(p->mem, (size_t)p->n_locs + 1, sizeof(*out.loc_line));
	out.func = arena_alloc(p->mem, n + 1, sizeof(*out.func));
	out.no = arena_alloc(p->mem, n + 1, sizeof(*out.no));
	out.col = arena_alloc(p->mem, n + 1, sizeof(*out.col));
	for (uint32_t loc = 0; loc < p->n_locs; loc++) {
		out.loc_line[loc] = out.n;
		if (at == l->n || l->loc[at] != loc) {
			copy_lines(p, loc, &out);
			continue;
		}
		add_new_lines(l, at++, func, &out);
		p->loc_folded[loc] = false;
	}
	out.loc_line[p->n_locs] = out.n;
	assert(at == l->n && out.n == n);
	p->loc_line = out.loc_line;
	p->line_func = out.func;
	p->line_no = out.no;
	p->line_col = out.col;
	p->n_lines = out.n;
	return 0;
}

int profile_set_lines(struct profile *p, const struct new_lines *l, struct err *err)
{
	uint32_t *func = mem_alloc((size_t)l->off[l->n] + 1, sizeof(*func));
	uint32_t old = p->n_funcs;
	struct keys k;
	int rc = 0;

	assert(l->off[0] == 0);
	keys_init(&k, FUNC_WORDS, l->off[l->n]);
	for (uint32_t i = 0; rc == 0 && i < l->off[l->n]; i++) {
		rc = new_function(&k, &l->line[i], &func[i], err);
		if (rc == 0)
			func[i] += old;
	}
	if (rc == 0)
		rc = lines_add_functions(p, &k, err);
	if (rc == 0)
		rc = replace_lines(p, l, func, err);
	keys_release(&k);
	free(func);
	return rc;
}
