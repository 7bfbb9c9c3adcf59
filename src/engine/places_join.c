/*
 * places_join.c - places of a profile with two sides, joined like those of two profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The places that the samples of one side use are matched like a profile of their own.
 */
#include "config.h"

#include "engine/places.h"

#include "base/mem.h"
#include "engine/match.h"
#include "engine/query_filter.h"

#include <stdlib.h>
#include <string.h>

struct places_joiner {
	struct places *pl;
	struct match *match;
	bool *is_used[N_SIDES]; /* [places] by a sample of the side */
	uint32_t *number;       /* [places] row of the match, or an own number after all rows */
	uint32_t n;             /* numbers */
};

/* Mark the places that each side uses. */
static void joiner_find_used(struct places_joiner *j, const struct view *v, const bool *of_base, struct arena *mem)
{
	const struct stack_lists *stacks = &v->p->stacks;

	for (int side = 0; side < N_SIDES; side++) {
		bool *has_loc = mem_zalloc(v->p->n_locs, sizeof(*has_loc));

		for (uint32_t row = 0; row < v->n; row++) {
			uint32_t stack = v->p->stack[row];

			if (of_base[v->p->labels[row]] != (side == SIDE_BASE))
				continue;
			for (uint32_t i = stacks->off[stack]; i < stacks->off[stack + 1]; i++)
				has_loc[stack_id_at(stacks, i)] = true;
		}
		j->is_used[side] = arena_zalloc(mem, j->pl->n, sizeof(bool));
		for (uint32_t loc = 0, n; loc < v->p->n_locs; loc++) {
			const uint32_t *place = places_of(j->pl, loc, &n);

			for (uint32_t k = 0; has_loc[loc] && k < n; k++)
				j->is_used[side][place[k]] = places_detail(j->pl, place[k])->label == 0;
		}
		free(has_loc);
	}
}

/* Match the places of a side: each is that of one location of a profile. */
static int joiner_match_side(struct places_joiner *j, enum side side, struct err *err)
{
	struct profile p = *j->pl->p;
	struct places own = { .p = &p, .files = j->pl->files, .detail = j->pl->detail };
	uint32_t *from = mem_alloc(j->pl->n, sizeof(*from));
	int rc;

	own.place = mem_alloc(j->pl->n, sizeof(*own.place));
	own.list = mem_alloc(j->pl->n, sizeof(*own.list));
	for (uint32_t i = 0; i < j->pl->n; i++) {
		if (!j->is_used[side][i])
			continue;
		from[own.n] = i;
		own.list[own.n] = own.n;
		own.place[own.n++] = j->pl->place[i];
	}
	struct place *place = own.place;

	p.n_locs = own.n;
	rc = match_places(j->match, &own, err);
	for (uint32_t i = 0; rc == 0 && i < p.n_locs; i++)
		j->number[from[i]] = own.list[i];
	free(place);
	free(own.list);
	free(from);
	return rc;
}

/* Is the place a better example of its row than another one? Its name should have no suffix, and be of the new side. */
static bool joiner_is_better(const struct places_joiner *j, uint32_t a, uint32_t b)
{
	const char *name = match_name(j->match, j->number[a]);
	bool a_is_whole = strcmp(profile_text(j->pl->p, j->pl->place[a].name), name) == 0;
	bool b_is_whole = strcmp(profile_text(j->pl->p, j->pl->place[b].name), name) == 0;

	return a_is_whole != b_is_whole ? a_is_whole : j->is_used[SIDE_NEW][a] && !j->is_used[SIDE_NEW][b];
}

static int joiner_compare_names(const void *a, const void *b, void *match)
{
	return strcmp(match_name(match, *(const uint32_t *)a), match_name(match, *(const uint32_t *)b));
}

/* Name the rows: with the file if another row has the same name. */
static void joiner_name(const struct places_joiner *j, bool by_function, struct arena *mem, struct places *out)
{
	uint32_t n = match_count(j->match), *row = mem_alloc(n, sizeof(*row));
	struct buf label = { 0 };

	for (uint32_t i = 0; i < n; i++)
		row[i] = i;
	if (n)
		qsort_r(row, n, sizeof(*row), joiner_compare_names, j->match);
	for (uint32_t i = 0; i < n; i++) {
		const char *name = match_name(j->match, row[i]);
		bool is_twin = (i > 0 && strcmp(match_name(j->match, row[i - 1]), name) == 0) ||
			       (i + 1 < n && strcmp(match_name(j->match, row[i + 1]), name) == 0);

		label.len = 0;
		match_add_label(j->match, row[i], !by_function || is_twin, &label);
		out->name[row[i]] = arena_strndup(mem, buf_text(&label), label.len);
		if (by_function && !is_twin && *name)
			out->place[row[i]].file = 0;
	}
	buf_release(&label);
	free(row);
}

/* Replace the places by the rows of the match, and by those that are not in it. */
static void joiner_finish(struct places_joiner *j, bool by_function, struct arena *mem)
{
	struct places *pl = j->pl, out = *pl;
	uint32_t *example;

	j->n = match_count(j->match);
	for (uint32_t i = 0; i < pl->n; i++)
		if (j->number[i] == PROFILE_NONE)
			j->number[i] = j->n++;
	example = mem_alloc(j->n, sizeof(*example));
	memset(example, 0xff, j->n * sizeof(*example));
	for (uint32_t i = 0; i < pl->n; i++) {
		uint32_t *other = &example[j->number[i]];

		if (*other == PROFILE_NONE || joiner_is_better(j, i, *other))
			*other = i;
	}
	out.place = arena_zalloc(mem, j->n, sizeof(*out.place));
	out.name = arena_zalloc(mem, j->n, sizeof(*out.name));
	for (uint32_t i = 0; i < j->n; i++)
		if (example[i] != PROFILE_NONE)
			out.place[i] = pl->place[example[i]];
	joiner_name(j, by_function, mem, &out);
	places_renumber(&out, j->number);
	out.n = j->n;
	*pl = out;
	free(example);
}

int places_join(const struct view *v, const struct query_filter *q, struct arena *mem, struct places *out,
		struct err *err)
{
	struct places_joiner j = { .pl = out };
	const bool *of_base = view_base_sets(v->p, mem);
	struct query_filter by_file;
	int rc;

	if (!of_base || q->granularity == GRAIN_ADDRESSES)
		return places_make(v->p, q, mem, out, err);
	rc = match_query(q, &by_file, err);
	if (rc == 0)
		rc = places_make(v->p, &by_file, mem, out, err);
	if (rc < 0)
		return rc;
	joiner_find_used(&j, v, of_base, mem);
	j.number = mem_alloc(out->n, sizeof(*j.number));
	memset(j.number, 0xff, out->n * sizeof(*j.number));
	j.match = match_new();
	rc = joiner_match_side(&j, SIDE_BASE, err);
	if (rc == 0)
		rc = joiner_match_side(&j, SIDE_NEW, err);
	if (rc == 0)
		joiner_finish(&j, q->granularity == GRAIN_FUNCTIONS, mem);
	else
		places_release(out);
	match_free(j.match);
	free(j.number);
	return rc;
}
