/*
 * sum_paths.c - the distinct paths of all files
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A profile can have a million of them and hundreds of megabytes of frames. What is reserved costs nothing until it
 * is written, and is not copied when it grows: these are mappings of their own.
 */
#include "config.h"

#include "base/mem.h"
#include "report/gate/sum_int.h"

#include <stdlib.h>
#include <string.h>

void sum_paths_init(struct sum_paths *paths)
{
	*paths = (struct sum_paths){ .n = 0 };
	idtab_init(&paths->ids, 0);
	paths->off = mem_grow(NULL, &paths->cap_off, 1, sizeof(*paths->off));
	paths->off[0] = 0;
}

void sum_paths_release(struct sum_paths *paths)
{
	idtab_release(&paths->ids);
	free(paths->off);
	free(paths->func);
	for (int i = 0; i < SUM_COLUMNS; i++)
		free(paths->column[i]);
}

/* What is not used costs nothing. */
static void reserve_columns(struct sum_paths *paths, size_t need)
{
	size_t cap = need + need / 2;

	if (need <= paths->cap_columns)
		return;
	for (int i = 0; i < SUM_COLUMNS; i++) {
		double *column = mem_alloc_large(cap, sizeof(*column));

		if (paths->n)
			memcpy(column, paths->column[i], paths->n * sizeof(*column));
		free(paths->column[i]);
		paths->column[i] = column;
	}
	paths->cap_columns = cap;
}

void sum_paths_begin(struct sum_paths *paths, uint32_t n, uint32_t frames)
{
	if (paths->n > 0 || paths->func)
		return;
	idtab_release(&paths->ids);
	idtab_init(&paths->ids, n);
	paths->cap_func = (size_t)frames + frames / 2; /* with some inlined ones: it would move else */
	paths->func = mem_alloc_large(paths->cap_func, sizeof(*paths->func));
	reserve_columns(paths, n);
}

void sum_paths_reserve(struct sum_paths *paths, uint32_t n)
{
	paths->off = mem_grow(paths->off, &paths->cap_off, (size_t)paths->n + n + 1, sizeof(*paths->off));
	reserve_columns(paths, (size_t)paths->n + n);
}

static bool equal(const struct sum_paths *paths, uint32_t id, const uint32_t *word, size_t n)
{
	size_t start = paths->off[id];

	return paths->off[id + 1] - start == n && memcmp(paths->func + start, word, n * sizeof(*word)) == 0;
}

int sum_paths_find(struct sum_paths *paths, const uint32_t *word, size_t n, uint64_t hash, uint32_t *id)
{
	size_t end = paths->off[paths->n];

	for (size_t pos = idtab_start(&paths->ids, hash); idtab_next(&paths->ids, hash, &pos, id);)
		if (equal(paths, *id, word, n))
			return 0;
	if (n > UINT32_MAX - end || paths->n >= UINT32_MAX - 1)
		return ERR_LIMIT;
	paths->func = mem_grow(paths->func, &paths->cap_func, end + n, sizeof(*paths->func));
	memcpy(paths->func + end, word, n * sizeof(*word));
	paths->off[paths->n + 1] = (uint32_t)(end + n);
	for (int i = 0; i < SUM_COLUMNS; i++)
		paths->column[i][paths->n] = 0;
	idtab_put(&paths->ids, hash, paths->n);
	*id = paths->n++;
	return 0;
}
