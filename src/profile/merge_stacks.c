/*
 * merge_stacks.c - find the equal stacks of profiles that are merged at once, with several threads
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The stacks of all profiles are numbered together: stack i of a profile is first + i. Each thread computes the hashes of a
 * share of them. Then each compares the stacks whose hashes are in its range, in their order, so that the first of equal stacks
 * does not depend on the number of threads.
 */
#include "config.h"

#include "profile/merge_stacks.h"

#include "base/arena.h"
#include "base/idtab.h"
#include "base/mem.h"
#include "base/pool.h"
#include "profile/compact.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { STACKS_PER_PART = 1 << 13, LOOKUPS = 32, CACHE_LINE = 64, FORGET_BYTES = 4 << 20 };

/* A profile, and its ids in the result. */
struct merge_stacks_source {
	const struct profile *p;
	struct merge_ids ids;
	uint32_t *loc;  /* [n_locs] PROFILE_NONE: no sample with a value has it */
	uint32_t first; /* number of its first stack */
};

struct merge_stacks {
	struct stop *stop;
	const struct common_types *types;
	struct merge_stacks_source *src; /* [n] */
	size_t n;
	unsigned parts;
	uint32_t n_stacks; /* of all sources */
	uint32_t *hash;    /* [n_stacks] freed when equal stacks are known */
	uint32_t *same;    /* [n_stacks] the first stack that is equal */
	uint32_t *number;  /* [n_stacks] in the result, of the first of equal stacks; PROFILE_NONE: not numbered */
	uint32_t *stack;   /* [n_numbered] the stack of each number */
	uint32_t n_numbered;
};

/* ---- locations in the order of first use ---- */

/* The locations that the samples of a share of the rows have, in the order of first use. */
struct merge_stacks_use {
	uint32_t *loc; /* [n] */
	uint32_t n;
	bool *has_loc, *has_stack;
};

static void merge_stacks_use_init(struct merge_stacks_use *use, uint32_t n_locs, uint32_t n_stacks)
{
	*use = (struct merge_stacks_use){ .loc = mem_alloc(n_locs, sizeof(*use->loc)),
					  .has_loc = mem_zalloc(n_locs, sizeof(*use->has_loc)),
					  .has_stack = mem_zalloc(n_stacks, sizeof(*use->has_stack)) };
}

static void merge_stacks_use_release(struct merge_stacks_use *use)
{
	free(use->loc);
	free(use->has_loc);
	free(use->has_stack);
}

static inline void merge_stacks_use_ids(struct merge_stacks_use *use, const uint8_t *at, const uint8_t *end,
					uint32_t width, const uint32_t *to)
{
	for (; at < end; at += width) {
		uint32_t loc = stack_load(at, width);

		loc = to ? to[loc] : loc;
		if (!use->has_loc[loc]) {
			use->has_loc[loc] = true;
			use->loc[use->n++] = loc;
		}
	}
}

/* Add the locations of a stack. to: [locations] their ids in the list; NULL: the same */
static void merge_stacks_use_stack(struct merge_stacks_use *use, const struct stack_lists *stacks, uint32_t stack,
				   const uint32_t *to)
{
	const uint8_t *at = stack_address(stacks, stacks->off[stack]);
	const uint8_t *end = stack_address(stacks, stacks->off[stack + 1]);

	if (stacks->width == STACK_WIDE)
		merge_stacks_use_ids(use, at, end, STACK_WIDE, to);
	else if (to)
		merge_stacks_use_ids(use, at, end, STACK_NARROW, to);
	else
		merge_stacks_use_ids(use, at, end, STACK_NARROW, NULL);
}

/* The place of one of all stacks. */
struct merge_stacks_at {
	const struct merge_stacks_source *src;
	uint32_t stack;  /* of the source */
	uint32_t off, n; /* its ids */
};

static struct merge_stacks_at merge_stacks_find_stack(const struct merge_stacks *s, uint32_t stack)
{
	const struct merge_stacks_source *src = &s->src[s->n - 1];
	const uint32_t *off;

	while (stack < src->first)
		src--;
	off = src->p->stacks.off + (stack - src->first);
	return (struct merge_stacks_at){ src, stack - src->first, off[0], off[1] - off[0] };
}

static bool merge_stacks_has_value(const struct merge_stacks *s, size_t source, uint32_t row)
{
	const struct common_types *types = s->types;
	int64_t *const *value = s->src[source].p->value;
	const uint32_t *column = types->column + source * types->n_types;
	int64_t any = 0;

	for (uint32_t t = 0; t < types->n_types; t++)
		any |= value[column[t]][row];
	return any != 0;
}

struct merge_stacks_scan {
	const struct merge_stacks *s;
	struct merge_stacks_use *use; /* [sources][parts]; or [parts] */
	const struct profile *p;      /* the result, if its rows are scanned */
};

static void merge_stacks_scan_source(const struct merge_stacks *s, size_t source, unsigned part,
				     struct merge_stacks_use *use)
{
	const struct profile *p = s->src[source].p;
	uint64_t n = p->n_rows, end = n * (part + 1) / s->parts;

	merge_stacks_use_init(use, p->n_locs, p->stacks.n);
	for (uint64_t row = n * part / s->parts; row < end && !stop_step(s->stop, row); row++) {
		uint32_t stack = p->stack[row];

		if (use->has_stack[stack] || !merge_stacks_has_value(s, source, (uint32_t)row))
			continue;
		use->has_stack[stack] = true;
		merge_stacks_use_stack(use, &p->stacks, stack, NULL);
	}
}

static void merge_stacks_scan_sources(void *arg, unsigned part)
{
	const struct merge_stacks_scan *scan = arg;
	const struct merge_stacks *s = scan->s;

	for (size_t source = 0; source < s->n; source++)
		merge_stacks_scan_source(s, source, part, &scan->use[source * s->parts + part]);
}

/* Translate the locations of a source, the first mapping before all others: it is the program. */
static int merge_stacks_translate(struct merge_stacks *s, struct merge_known *known, size_t source,
				  const struct merge_stacks_use *use, struct err *err)
{
	struct merge_stacks_source *src = &s->src[source];
	int rc = 0;

	merge_ids_init(&src->ids, known);
	merge_ids_set_source(&src->ids, src->p, false);
	if (known->maps.n == 0 && src->p->n_maps)
		rc = merge_ids_mapping(&src->ids, 0, &(uint32_t){ 0 }, err);
	for (unsigned part = 0; part < s->parts; part++)
		for (uint32_t i = 0; rc == 0 && i < use[part].n; i++)
			rc = merge_ids_location(&src->ids, use[part].loc[i], &(uint32_t){ 0 }, err);
	src->loc = src->ids.loc;
	return rc;
}

static int merge_stacks_find_locations(struct merge_stacks *s, struct merge_known *known, struct err *err)
{
	size_t n = s->n * s->parts;
	struct merge_stacks_scan scan = { .s = s, .use = mem_zalloc(n, sizeof(*scan.use)) };
	int rc = 0;

	pool_run(merge_stacks_scan_sources, &scan, s->parts);
	for (size_t i = 0; rc == 0 && i < s->n; i++)
		rc = merge_stacks_translate(s, known, i, scan.use + i * s->parts, err);
	for (size_t i = 0; i < n; i++)
		merge_stacks_use_release(&scan.use[i]);
	free(scan.use);
	return rc;
}

/* ---- equal stacks ---- */

static void merge_stacks_hash_part(void *arg, unsigned part)
{
	struct merge_stacks *s = arg;
	uint32_t *loc = NULL;
	size_t cap = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct merge_stacks_source *src = &s->src[i];
		const struct stack_lists *stacks = &src->p->stacks;
		uint32_t end = profile_stack_part(stacks, part + 1, s->parts);

		for (uint32_t k = profile_stack_part(stacks, part, s->parts); k < end && !stop_step(s->stop, k); k++) {
			uint32_t n = stacks->off[k + 1] - stacks->off[k];

			loc = mem_grow(loc, &cap, n, sizeof(*loc));
			stack_read(stacks, stacks->off[k], n, loc);
			for (uint32_t f = 0; f < n; f++)
				loc[f] = src->loc[loc[f]];
			s->hash[src->first + k] = (uint32_t)builder_stack_hash(loc, n);
		}
	}
	free(loc);
}

static bool merge_stacks_is_equal(const struct merge_stacks *s, uint32_t a, uint32_t b)
{
	const struct merge_stacks_at x = merge_stacks_find_stack(s, a), y = merge_stacks_find_stack(s, b);
	const struct stack_lists *l = &x.src->p->stacks, *r = &y.src->p->stacks;

	if (x.n != y.n)
		return false;
	for (uint32_t i = 0; i < x.n; i++)
		if (x.src->loc[stack_id_at(l, x.off + i)] != y.src->loc[stack_id_at(r, y.off + i)])
			return false;
	return true;
}

static void merge_stacks_prefetch(const struct merge_stacks *s, uint32_t stack)
{
	const struct merge_stacks_at at = merge_stacks_find_stack(s, stack);
	const uint8_t *packed = stack_address(&at.src->p->stacks, at.off);

	__builtin_prefetch(packed);
	__builtin_prefetch(packed + CACHE_LINE);
}

/* Find the first stacks that are equal to those of a list in ascending order. */
static void merge_stacks_look_up(struct merge_stacks *s, struct idtab *ids, const uint32_t *list, uint32_t n)
{
	uint32_t id;

	for (uint32_t i = 0; i < n; i++) {
		size_t pos = idtab_start(ids, s->hash[list[i]]);

		if (idtab_next(ids, s->hash[list[i]], &pos, &id)) {
			merge_stacks_prefetch(s, id);
			merge_stacks_prefetch(s, list[i]);
		}
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t hash = s->hash[list[i]], found = list[i];

		for (size_t pos = idtab_start(ids, hash); idtab_next(ids, hash, &pos, &id);)
			if (merge_stacks_is_equal(s, id, list[i])) {
				found = id;
				break;
			}
		if (found == list[i])
			idtab_put(ids, hash, found);
		s->same[list[i]] = found;
	}
}

/* Compare the stacks of a range of hashes. */
static void merge_stacks_compare_part(void *arg, unsigned part)
{
	struct merge_stacks *s = arg;
	uint32_t list[LOOKUPS], n = 0;
	struct idtab ids;

	idtab_init(&ids, s->n_stacks / s->parts / 2);
	for (uint32_t i = 0; i < s->n_stacks && !stop_step(s->stop, i); i++) {
		if ((uint64_t)s->hash[i] * s->parts >> 32 != part)
			continue;
		idtab_prefetch(&ids, s->hash[i]);
		list[n++] = i;
		if (n == LOOKUPS) {
			merge_stacks_look_up(s, &ids, list, n);
			n = 0;
		}
	}
	merge_stacks_look_up(s, &ids, list, n);
	idtab_release(&ids);
}

static int merge_stacks_compare(struct merge_stacks *s, struct err *err)
{
	s->hash = mem_alloc_large(s->n_stacks, sizeof(*s->hash));
	s->same = mem_alloc_large(s->n_stacks, sizeof(*s->same));
	stop_begin(s->stop, "finding equal stacks", s->n_stacks);
	pool_run(merge_stacks_hash_part, s, s->parts);
	if (stop_check(s->stop, err) < 0)
		return ERR_STOPPED;
	pool_run(merge_stacks_compare_part, s, s->parts);
	free(s->hash);
	s->hash = NULL;
	return stop_check(s->stop, err);
}

static int merge_stacks_count_all(struct merge_stacks *s, struct err *err)
{
	uint64_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		s->src[i].first = (uint32_t)n;
		n += s->src[i].p->stacks.n;
		if (n >= PROFILE_NONE)
			return err_set(err, ERR_LIMIT, "more than %u stacks", (unsigned)PROFILE_NONE - 1);
	}
	s->n_stacks = (uint32_t)n;
	s->parts = s->n_stacks / STACKS_PER_PART + 1;
	s->parts = s->parts < pool_size() ? s->parts : pool_size();
	return 0;
}

int merge_stacks_find(const struct profile *const *src, size_t n, const struct common_types *types,
		      struct merge_known *known, struct stop *stop, struct merge_stacks **out, struct err *err)
{
	struct merge_stacks *s = mem_zalloc(1, sizeof(*s));
	int rc;

	*s = (struct merge_stacks){ .stop = stop, .types = types, .src = mem_zalloc(n, sizeof(*s->src)), .n = n };
	for (size_t i = 0; i < n; i++)
		s->src[i].p = src[i];
	rc = merge_stacks_count_all(s, err);
	if (rc == 0)
		rc = merge_stacks_find_locations(s, known, err);
	if (rc == 0)
		rc = merge_stacks_compare(s, err);
	if (rc < 0) {
		merge_stacks_free(s);
		return rc;
	}
	s->number = mem_alloc_large(s->n_stacks, sizeof(*s->number));
	memset(s->number, 0xff, s->n_stacks * sizeof(*s->number));
	s->stack = mem_alloc_large(s->n_stacks, sizeof(*s->stack));
	*out = s;
	return 0;
}

void merge_stacks_free(struct merge_stacks *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++)
		merge_ids_release(&s->src[i].ids);
	free(s->src);
	free(s->hash);
	free(s->same);
	free(s->number);
	free(s->stack);
	free(s);
}

void merge_stacks_take_ids(struct merge_stacks *s, size_t profile, struct merge_ids *ids)
{
	struct merge_ids *own = &s->src[profile].ids;
	uint32_t n_locs = s->src[profile].p->n_locs;

	merge_ids_release(ids);
	*ids = *own;
	*own = (struct merge_ids){ .loc = mem_alloc(n_locs, sizeof(*own->loc)) };
	memcpy(own->loc, ids->loc, n_locs * sizeof(*own->loc));
	s->src[profile].loc = own->loc;
}

uint32_t merge_stacks_number(struct merge_stacks *s, size_t profile, uint32_t stack)
{
	uint32_t first = s->same[s->src[profile].first + stack], *number = &s->number[first];

	if (*number == PROFILE_NONE) {
		*number = s->n_numbered;
		s->stack[s->n_numbered++] = first;
	}
	return *number;
}

uint32_t merge_stacks_count(const struct merge_stacks *s)
{
	return s->n_numbered;
}

/* ---- the result ---- */

static void merge_stacks_scan_result(void *arg, unsigned part)
{
	const struct merge_stacks_scan *scan = arg;
	const struct merge_stacks *s = scan->s;
	const struct profile *p = scan->p;
	struct merge_stacks_use *use = &scan->use[part];
	uint64_t n = p->n_rows, end = n * (part + 1) / s->parts;

	merge_stacks_use_init(use, p->n_locs, s->n_numbered);
	for (uint64_t row = n * part / s->parts; row < end; row++) {
		uint32_t number = p->stack[row];
		struct merge_stacks_at at;

		if (use->has_stack[number] || profile_row_is_zero(p, (uint32_t)row))
			continue;
		use->has_stack[number] = true;
		at = merge_stacks_find_stack(s, s->stack[number]);
		merge_stacks_use_stack(use, &at.src->p->stacks, at.stack, at.src->loc);
	}
}

/* Keep the numbers of stacks that a part of the rows uses. */
static void merge_stacks_keep_used(struct merge_stacks *s, const struct merge_stacks_use *use)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->n_numbered; i++) {
		bool is_used = false;

		for (unsigned part = 0; part < s->parts; part++)
			is_used |= use[part].has_stack[i];
		if (is_used)
			s->stack[n++] = s->stack[i];
	}
	s->n_numbered = n;
}

/* Remove rows whose values are all 0, and what only they use. */
static void merge_stacks_compact(struct merge_stacks *s, struct profile *p)
{
	struct merge_stacks_scan scan = { s, mem_zalloc(s->parts, sizeof(*scan.use)), p };
	struct merge_stacks_use all;
	uint32_t *to = mem_alloc(p->n_locs, sizeof(*to)), n_before = p->n_locs;

	pool_run(merge_stacks_scan_result, &scan, s->parts);
	merge_stacks_use_init(&all, p->n_locs, 0);
	for (unsigned part = 0; part < s->parts; part++)
		for (uint32_t i = 0; i < scan.use[part].n; i++) {
			uint32_t loc = scan.use[part].loc[i];

			if (!all.has_loc[loc])
				all.loc[all.n++] = loc;
			all.has_loc[loc] = true;
		}
	p->stacks.n = s->n_numbered;
	profile_drop_unused_but_stacks(p, all.loc, all.n, to);
	merge_stacks_keep_used(s, scan.use);
	for (size_t i = 0; i < s->n; i++)
		for (uint32_t loc = 0; loc < s->src[i].p->n_locs; loc++)
			if (s->src[i].loc[loc] < n_before)
				s->src[i].loc[loc] = to[s->src[i].loc[loc]];
	for (unsigned part = 0; part < s->parts; part++)
		merge_stacks_use_release(&scan.use[part]);
	merge_stacks_use_release(&all);
	free(scan.use);
	free(to);
}

struct merge_stacks_copy {
	const struct merge_stacks *s;
	struct stack_lists *to;
	bool frees; /* give back the memory of stacks that were copied */
};

static inline void merge_stacks_copy_ids(const struct merge_stacks_at *at, uint32_t width, uint8_t *to,
					 uint32_t to_width)
{
	const uint8_t *from = at->src->p->stacks.packed + (size_t)at->off * width;

	for (uint32_t i = 0; i < at->n; i++, from += width, to += to_width)
		stack_store(to, to_width, at->src->loc[stack_load(from, width)]);
}

static void merge_stacks_copy_stack(const struct merge_stacks_at *at, const struct stack_lists *to, uint32_t off)
{
	uint32_t width = at->src->p->stacks.width;

	if (width == STACK_NARROW && to->width == STACK_NARROW)
		merge_stacks_copy_ids(at, STACK_NARROW, stack_address(to, off), STACK_NARROW);
	else
		merge_stacks_copy_ids(at, width, stack_address(to, off), to->width);
}

static void merge_stacks_copy_part(void *arg, unsigned part)
{
	const struct merge_stacks_copy *c = arg;
	const struct merge_stacks *s = c->s;
	uint32_t end = profile_stack_part(c->to, part + 1, s->parts);
	const struct merge_stacks_source *src = NULL;
	uint8_t *copied = NULL; /* of src, the first that is still there */

	for (uint32_t k = profile_stack_part(c->to, part, s->parts); k < end; k++) {
		const struct merge_stacks_at at = merge_stacks_find_stack(s, s->stack[k]);
		uint8_t *from = stack_address(&at.src->p->stacks, at.off);

		if (c->frees && (src != at.src || from - copied > FORGET_BYTES)) {
			copied = src == at.src ? mem_forget(copied, (size_t)(from - copied)) : from;
			src = at.src;
		}
		merge_stacks_copy_stack(&at, c->to, c->to->off[k]);
	}
}

/* Is each stack after those with smaller numbers? */
static bool merge_stacks_ascend(const struct merge_stacks *s)
{
	for (uint32_t k = 1; k < s->n_numbered; k++)
		if (s->stack[k] <= s->stack[k - 1])
			return false;
	return true;
}

int merge_stacks_store(struct merge_stacks *s, struct profile *p, bool frees, struct err *err)
{
	struct merge_stacks_copy copy = { s, &p->stacks, frees && merge_stacks_ascend(s) };
	struct stack_lists *to = &p->stacks;
	uint64_t n = 0;

	if (profile_has_zero_row(p))
		merge_stacks_compact(s, p);
	to->n = s->n_numbered;
	to->off = arena_alloc(p->mem, (size_t)to->n + 1, sizeof(*to->off));
	to->off[0] = 0;
	for (uint32_t k = 0; k < to->n; k++) {
		n += merge_stacks_find_stack(s, s->stack[k]).n;
		if (n > PROFILE_NONE)
			return err_set(err, ERR_LIMIT, "stacks: more than %u entries in a table",
				       (unsigned)PROFILE_NONE);
		to->off[k + 1] = (uint32_t)n;
	}
	to->width = stack_width(p->n_locs);
	to->packed = arena_alloc(p->mem, stack_bytes(n, to->width), 1);
	pool_run(merge_stacks_copy_part, &copy, s->parts);
	return 0;
}
