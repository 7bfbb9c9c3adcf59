/*
 * frames_dwarf.c - the frames of many addresses, from DWARF
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Two passes over the units, each on several threads. The first reads the first entry of every unit
 * and learns which addresses are its own: ranges are looked up among the addresses, so nothing has
 * to be sorted. The second reads the units that have any: the line table, then the entries.
 */
#include "config.h"

#include "symbol/frames_dwarf.h"

#include "base/arena.h"
#include "base/mem.h"
#include "base/pool.h"
#include "base/search.h"
#include "symbol/dwarf_handle.h"
#include "symbol/frames_search.h"
#include "symbol/inlines.h"
#include "symbol/linetab.h"

#include <dwarf.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* More inlined calls in a row than any compiler makes; and how many frames in all, for each address. */
enum { MAX_CHAIN = 512, MAX_MEAN = 64, MAX_FRAMES = 1 << 20 };

/* Rows of line tables that libdw may keep, for one thread. */
enum { MAX_KEPT = 1 << 17 };

static const uint32_t nobody = UINT32_MAX;

struct worker {
	struct dwarf_handle handle;
	uint64_t work; /* steps that may still be taken */
	struct inlines inlines;
	struct linetab lines;
	size_t n_kept;     /* rows that libdw has in memory */
	struct arena *mem; /* of paths */
	uint64_t *unit;    /* [n_units] where the first entries of units are */
	uint32_t n_units;
	size_t cap_units;
	uint32_t *owner; /* [addresses] in the first pass: the first unit that has it */
	struct frame *frame;
	size_t n_frames, cap_frames;
	uint64_t *addr; /* [n] of the unit at hand */
	size_t cap_addr;
	bool is_partial;
};

struct span {
	uint32_t worker, n;
	size_t first;
};

struct frames_dwarf {
	struct stop *stop;
	const uint64_t *addr;
	uint32_t n;
	uint64_t size;      /* of the file */
	uint32_t *index;    /* [n] addresses by unit */
	uint32_t *first_of; /* [units + 1] where in index those of a unit begin */
	uint32_t *todo;     /* [n_todo] units that have any */
	uint32_t n_todo;
	atomic_uint next;
	struct span *span; /* [n] */
	struct worker *worker;
	unsigned n_workers;
};

/* The addresses of a unit, as its first entry says. */
static void claim(struct frames_dwarf *d, struct worker *w, uint32_t unit, Dwarf_Die *die)
{
	Dwarf_Addr base, lo, hi;

	for (ptrdiff_t at = 0; (at = dwarf_ranges(die, at, &base, &lo, &hi)) > 0;) {
		if (!frames_spend(&w->work, 1))
			return;
		for (uint32_t k = (uint32_t)lower_bound_u64(d->addr, d->n, lo); k < d->n && d->addr[k] < hi; k++) {
			if (!frames_spend(&w->work, 1))
				return;
			if (unit < w->owner[k])
				w->owner[k] = unit;
		}
	}
}

/* First pass: every n_workers-th unit. */
static void claim_part(void *arg, unsigned part)
{
	struct frames_dwarf *d = arg;
	struct worker *w = &d->worker[part];
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;

	w->owner = mem_alloc((size_t)d->n + 1, sizeof(*w->owner));
	for (uint32_t i = 0; i < d->n; i++)
		w->owner[i] = nobody;
	while (w->handle.dwarf && w->n_units < UINT32_MAX - 2 && !stop_is_set(d->stop) &&
	       dwarf_get_units(w->handle.dwarf, cu, &cu, NULL, NULL, &die, NULL) == 0) {
		uint32_t unit = w->n_units++;

		w->unit = mem_grow(w->unit, &w->cap_units, w->n_units, sizeof(*w->unit));
		w->unit[unit] = dwarf_dieoffset(&die);
		if (unit % d->n_workers == part && dwarf_tag(&die) == DW_TAG_compile_unit)
			claim(d, w, unit, &die);
		else if (unit % d->n_workers == part && dwarf_tag(&die) == DW_TAG_skeleton_unit)
			claim(d, w, unit, &die);
	}
}

/* Sort the addresses by the unit that has them, by counting. */
static void group(struct frames_dwarf *d)
{
	uint32_t n_units = d->worker[0].n_units, *owner = d->worker[0].owner;
	uint32_t *first = d->first_of = mem_zalloc((size_t)n_units + 2, sizeof(*first));

	for (unsigned i = 1; i < d->n_workers; i++)
		for (uint32_t k = 0; k < d->n; k++)
			if (d->worker[i].owner[k] < owner[k])
				owner[k] = d->worker[i].owner[k];
	for (uint32_t k = 0; k < d->n; k++)
		if (owner[k] != nobody)
			first[owner[k] + 2]++;
	d->todo = mem_alloc(d->n + 1, sizeof(*d->todo));
	for (uint32_t i = 0; i < n_units; i++) {
		if (first[i + 2])
			d->todo[d->n_todo++] = i;
		first[i + 2] += first[i + 1];
	}
	d->index = mem_alloc(d->n + 1, sizeof(*d->index));
	for (uint32_t k = 0; k < d->n; k++)
		if (owner[k] != nobody)
			d->index[first[owner[k] + 1]++] = k;
}

static void put(struct worker *w, const char *name, const char *file, uint32_t line, uint32_t column, uint32_t start)
{
	w->frame = mem_grow(w->frame, &w->cap_frames, w->n_frames + 1, sizeof(*w->frame));
	w->frame[w->n_frames++] =
		(struct frame){ .name = name, .file = file, .line = line, .column = column, .start_line = start };
}

/* The frames of address k of the unit at hand. */
static void put_chain(struct frames_dwarf *d, struct worker *w, uint32_t k, bool is_split)
{
	bool is_full = w->n_frames / MAX_MEAN > d->n && w->n_frames > MAX_FRAMES;
	uint32_t i = w->inlines.at[k], line = 0, column = 0;
	const char *file = NULL;
	struct linetab_row row;

	if (linetab_find(&w->lines, w->addr[k], &row)) {
		file = linetab_path(&w->lines, row.file, w->mem);
		line = file ? row.line : 0;
		column = file ? row.column : 0;
	}
	if (i == INLINES_NONE) {
		if (file)
			put(w, NULL, file, line, column, 0);
		return;
	}
	for (int depth = is_full ? MAX_CHAIN - 1 : 0; depth < MAX_CHAIN; depth++) {
		struct inline_node *node = i == INLINES_NONE ? NULL : &w->inlines.node[i];

		if (node && node->name && is_split) /* that file is closed before long */
			node->name = arena_strndup(w->mem, node->name, strlen(node->name));
		put(w, node ? node->name : NULL, file, line, column, node ? node->start_line : 0);
		if (!node || !node->is_call)
			return;
		file = linetab_path(&w->lines, node->call_file, w->mem);
		line = node->call_line;
		column = node->call_column;
		i = node->parent;
	}
}

/* The first entry of the split unit of a skeleton; it stays as it is when that is missing. */
static void find_split(struct worker *w, Dwarf_Die *die, bool *is_split)
{
	uint8_t type = 0;
	Dwarf_Die split = { 0 };

	*is_split = dwarf_cu_info(die->cu, NULL, &type, NULL, &split, NULL, NULL, NULL) == 0 &&
		    type == DW_UT_skeleton && dwarf_tag(&split) == DW_TAG_compile_unit;
	if (*is_split)
		*die = split;
	else
		w->is_partial |= type == DW_UT_skeleton;
}

/* libdw keeps the line tables of all units it has read: give them back once in a while. */
static bool renew(struct worker *w)
{
	w->n_kept += w->lines.n;
	if (w->n_kept < MAX_KEPT)
		return true;
	w->n_kept = 0;
	return dwarf_handle_renew(&w->handle);
}

static bool do_unit(struct frames_dwarf *d, struct worker *w, unsigned part, uint32_t unit)
{
	uint32_t first = d->first_of[unit], n = d->first_of[unit + 1] - first;
	Dwarf_Die die;
	bool is_split;

	if (!dwarf_offdie(w->handle.dwarf, d->worker[0].unit[unit], &die))
		return true;
	w->addr = mem_grow(w->addr, &w->cap_addr, n, sizeof(*w->addr));
	for (uint32_t k = 0; k < n; k++)
		w->addr[k] = d->addr[d->index[first + k]];
	linetab_open(&w->lines, &die);
	frames_spend(&w->work, w->lines.n + w->lines.n_files);
	find_split(w, &die, &is_split);
	inlines_find(&w->inlines, &die, w->addr, n, &w->work);
	for (uint32_t k = 0; k < n; k++) {
		size_t start = w->n_frames;

		put_chain(d, w, k, is_split);
		d->span[d->index[first + k]] = (struct span){ part, (uint32_t)(w->n_frames - start), start };
	}
	return renew(w);
}

/* Second pass: one unit after the other, whoever is free. */
static void do_part(void *arg, unsigned part)
{
	struct frames_dwarf *d = arg;
	struct worker *w = &d->worker[part];

	for (;;) {
		bool goes_on = w->work && w->handle.dwarf && !stop_is_set(d->stop);
		unsigned i = goes_on ? atomic_fetch_add(&d->next, 1) : d->n_todo;

		if (i >= d->n_todo || !do_unit(d, w, part, d->todo[i]))
			return;
	}
}

int frames_dwarf_find(const struct frames_files *files, const uint64_t *addr, uint32_t n, struct frames_dwarf **out,
		      struct err *err)
{
	struct frames_dwarf *d = mem_zalloc(1, sizeof(*d));
	struct stat st;
	int rc = 0;

	d->stop = files->stop;
	d->addr = addr;
	d->n = n;
	d->size = fstat(files->debug_fd, &st) == 0 ? (uint64_t)st.st_size : 0;
	d->n_workers = pool_size();
	d->worker = mem_zalloc(d->n_workers, sizeof(*d->worker));
	for (unsigned i = 0; i < d->n_workers && rc == 0; i++) {
		d->worker[i].work = (1 << 20) + 64 * d->size;
		d->worker[i].mem = arena_new();
		rc = dwarf_handle_open(&d->worker[i].handle, files->debug_fd, files->alt_fd, err);
	}
	if (rc < 0) {
		frames_dwarf_free(d);
		return rc;
	}
	d->span = mem_zalloc((size_t)n + 1, sizeof(*d->span));
	pool_run(claim_part, d, d->n_workers);
	if (!stop_is_set(d->stop)) { /* else the workers may have seen different units */
		group(d);
		pool_run(do_part, d, d->n_workers);
	}
	*out = d;
	return 0;
}

const struct frame *frames_dwarf_get(const struct frames_dwarf *d, uint32_t i, uint32_t *n)
{
	*n = d->span[i].n;
	return *n ? &d->worker[d->span[i].worker].frame[d->span[i].first] : NULL;
}

bool frames_dwarf_is_partial(const struct frames_dwarf *d)
{
	bool is_partial = stop_is_set(d->stop);

	for (unsigned i = 0; i < d->n_workers; i++)
		is_partial |= d->worker[i].is_partial || !d->worker[i].work;
	return is_partial;
}

uint64_t frames_dwarf_max_text(const struct frames_dwarf *d)
{
	return (1 << 20) + 16 * d->size;
}

void frames_dwarf_free(struct frames_dwarf *d)
{
	if (!d)
		return;
	for (unsigned i = 0; i < d->n_workers; i++) {
		struct worker *w = &d->worker[i];

		dwarf_handle_close(&w->handle);
		inlines_release(&w->inlines);
		linetab_release(&w->lines);
		arena_free(w->mem);
		free(w->owner);
		free(w->frame);
		free(w->addr);
		free(w->unit);
	}
	free(d->worker);
	free(d->index);
	free(d->first_of);
	free(d->todo);
	free(d->span);
	free(d);
}
