/*
 * sums.c - replace the stacks of a profile by sums
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/sums.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/pool.h"
#include "engine/filter.h"
#include "engine/graph_walk.h"
#include "engine/query_filter.h"
#include "profile/builder.h"
#include "profile/sums.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
	LINES_MAX = 64, /* of a location; view_make checks the number of frames if there are more */
	/* Bytes of samples of a single file, without and with inlined calls. With fewer, keeping the stacks takes less time: the notes
	   may need a second reading to count calls, which takes 1.45 times as long. */
	SINGLE_MIN = 4 << 20,
	RECOUNT_MIN = 1 << 30,
	BLOCK_ROWS = 512,
	ROWS_PER_PART = 1 << 14,
};

/* Flags of a location. SUMS_NEW: it has not occurred yet. SUMS_WHOLE: samples with it keep their stacks. */
enum { SUMS_NEW = 1, SUMS_WHOLE = 2 };

/* The sums of a thread. */
struct sums_part {
	struct walk_sums sums;
	uint32_t n;     /* samples added */
	uint64_t total; /* of the sample type */
	int64_t *flat;  /* [n_locs of the profile + 1] by leaf; if whole of all types, as in profile_sums */
};

/* Rows in place of the samples. */
struct sums_rows {
	uint32_t n;
	size_t *end;    /* [n] of the frames of a row */
	uint32_t *loc;  /* [end[n - 1]] */
	int64_t *value; /* [n][types] */
	size_t cap_end, cap_loc, cap_value;
};

struct sums_builder {
	const struct query_filter *q;
	const struct strtab *whole; /* NULL: a single profile, all whose locations are used, in one or more parts */
	struct arena *mem;
	const struct profile *p; /* its tables; NULL before the start */
	struct places own;       /* pl of a walk */
	const struct places *pl;
	struct walk_targets to;
	uint32_t type;
	str_id default_type;
	unsigned n_parts;
	struct sums_part *part;
	uint8_t *flags;  /* [n_locs of the profile] of locations; NULL if not whole */
	uint32_t n_locs; /* locations found so far */
	uint32_t *loc;   /* [n_locs + 1] in the order of first use, and one that is not used; NULL if not whole: all */
	struct sums_rows rows; /* those that keep their stacks, and if not whole, at the end one for each leaf */
};

bool sums_can_answer(const struct query_filter *q)
{
	return filter_is_empty(q) && !q->call_tree && !q->mean && q->granularity != GRAIN_ADDRESSES && !q->by_object &&
	       q->granularity != GRAIN_FILES && !q->keep_labels;
}

struct sums_builder *sums_new(const struct query_filter *q, const struct strtab *whole)
{
	struct sums_builder *s = mem_zalloc(1, sizeof(*s));

	s->q = q;
	s->whole = whole;
	s->mem = arena_new();
	return s;
}

static void sums_release_part(struct sums_part *part)
{
	walk_sums_release(&part->sums);
	free(part->flat);
	part->flat = NULL;
}

void sums_free(struct sums_builder *s)
{
	if (!s)
		return;
	for (unsigned i = 0; i < s->n_parts; i++)
		sums_release_part(&s->part[i]);
	walk_targets_release(&s->to);
	free(s->rows.end);
	free(s->rows.loc);
	free(s->rows.value);
	places_release(&s->own);
	arena_free(s->mem);
	free(s);
}

/* Find the locations of the functions of which samples keep their stacks. */
static void sums_mark_whole(struct sums_builder *s)
{
	const struct profile *p = s->p;
	bool *is_whole = mem_zalloc(strtab_count(p->str), sizeof(*is_whole)); /* names */
	str_id id;

	s->loc = arena_alloc(s->mem, (size_t)p->n_locs + 1, sizeof(*s->loc));
	s->flags = arena_alloc(s->mem, p->n_locs, sizeof(*s->flags));
	for (str_id name = 0; name < strtab_count(s->whole); name++)
		if (strtab_find_from(p->str, s->whole, name, &id))
			is_whole[id] = true;
	for (uint32_t loc = 0; loc < p->n_locs; loc++) {
		s->flags[loc] = SUMS_NEW;
		for (uint32_t i = p->loc_line[loc]; i < p->loc_line[loc + 1]; i++)
			if (is_whole[p->func_name[p->line_func[i]]])
				s->flags[loc] |= SUMS_WHOLE;
	}
	free(is_whole);
}

static size_t sums_n_flat(const struct sums_builder *s)
{
	return ((size_t)s->p->n_locs + 1) * (s->whole ? s->p->n_types : 1);
}

/* Start with the tables of a profile and its places. */
static void sums_begin(struct sums_builder *s, const struct profile *p, const struct places *pl, uint32_t type,
		       unsigned parts)
{
	assert(!s->p && parts > 0 && (!s->whole || parts == 1));
	s->p = p;
	s->pl = pl;
	s->type = type;
	s->to = walk_targets_new(pl);
	s->default_type = p->meta.default_type;
	s->n_parts = parts;
	s->part = arena_zalloc(s->mem, parts, sizeof(*s->part));
	for (unsigned i = 0; i < parts; i++) {
		walk_sums_init(&s->part[i].sums, &s->to);
		s->part[i].flat = mem_zalloc(sums_n_flat(s), sizeof(*s->part->flat));
	}
	s->n_locs = s->whole ? 0 : p->n_locs;
	if (s->whole)
		sums_mark_whole(s);
}

/* ---- add ---- */

_Static_assert(BYTE_ORDER == LITTLE_ENDIAN, "an array of locations is read like packed ids");

/* Add the value of sample i to its places. Returns the flags of its locations, 0 if flags is NULL. */
static inline uint8_t sums_walk_stack(struct sums_part *part, const struct walk_values *values, uint32_t i,
				      const uint32_t *loc, const uint32_t *end, const uint8_t *flags)
{
	return walk_stack(&part->sums, values, values->first + i, (const uint8_t *)loc, (const uint8_t *)end,
			  STACK_WIDE, flags);
}

/* Append the locations of a stack that occur first. */
static void sums_add_locations(struct sums_builder *s, const uint32_t *loc, const uint32_t *end)
{
	uint8_t *flags = s->flags;
	uint32_t *to = s->loc, n = s->n_locs;

	for (; loc < end; loc++) {
		uint32_t id = *loc;
		uint8_t f = flags[id];

		to[n] = id; /* branchless, since new ones cannot be predicted */
		n += f & SUMS_NEW;
		flags[id] = f & (uint8_t)~SUMS_NEW;
	}
	s->n_locs = n;
}

/* Append a row. Returns its values, [types], which the caller sets. */
static int64_t *sums_add_row(struct sums_builder *s, const uint32_t *loc, size_t n)
{
	struct sums_rows *r = &s->rows;
	size_t at = r->n ? r->end[r->n - 1] : 0, n_types = s->p->n_types;

	r->end = mem_grow(r->end, &r->cap_end, (size_t)r->n + 1, sizeof(*r->end));
	r->loc = mem_grow(r->loc, &r->cap_loc, at + n, sizeof(*r->loc));
	r->value = mem_grow(r->value, &r->cap_value, (r->n + 1) * n_types, sizeof(*r->value));
	if (n)
		memcpy(r->loc + at, loc, n * sizeof(*loc));
	r->end[r->n] = at + n;
	return r->value + r->n++ * n_types;
}

/* Add sample i of one of many files, or keep it. Returns false if a value is below 0, or if a sum overflows. */
static inline bool sums_add_of_many(struct sums_builder *s, struct sums_part *part, const struct walk_samples *w,
				    const struct walk_values *values, uint32_t i, const uint32_t *loc,
				    const uint32_t *end)
{
	uint32_t n_types = s->p->n_types, leaf = loc < end ? *loc : s->p->n_locs;
	int64_t *to = part->flat + (size_t)leaf * n_types, any = 0;
	uint8_t flags;

	for (uint32_t t = 0; t < n_types; t++) {
		int64_t v = w->value[t][w->first + i];

		if (v < 0)
			return false;
		any |= v;
	}
	if (any == 0)
		return true;
	flags = sums_walk_stack(part, values, i, loc, end, s->flags);
	if (flags & SUMS_NEW)
		sums_add_locations(s, loc, end);
	if (flags & SUMS_WHOLE) {
		to = sums_add_row(s, loc, (size_t)(end - loc));
		memset(to, 0, n_types * sizeof(*to));
	}
	for (uint32_t t = 0; t < n_types; t++)
		if (num_add(&to[t], w->value[t][w->first + i]))
			return false;
	return true;
}

/* Add sample i, whose locations begin at from. Returns false if a value is below 0, or if a sum overflows. */
static inline bool sums_add_sample(struct sums_builder *s, struct sums_part *part, const struct walk_samples *w,
				   const struct walk_values *values, uint32_t i, size_t from)
{
	const uint32_t *loc = w->loc + from, *end = w->loc + w->loc_end[i];
	int64_t v = values->value[i];

	part->total += (uint64_t)v;
	if (v < 0 || part->total > INT64_MAX || ++part->n == UINT32_MAX)
		return false;
	if (s->whole)
		return sums_add_of_many(s, part, w, values, i, loc, end);
	if (v)
		sums_walk_stack(part, values, i, loc, end, NULL);
	part->flat[loc < end ? *loc : s->p->n_locs] += v;
	return true;
}

static bool sums_add_samples(void *arg, unsigned i_part, const struct walk_samples *w)
{
	struct sums_builder *s = arg;
	struct sums_part *part = &s->part[i_part];
	const struct walk_values values = { w->value[s->type] + w->first, part->n };
	size_t from = 0;
	bool is_added = true;

	assert(i_part < s->n_parts);
	for (uint32_t i = 0; is_added && i < w->n; from = w->loc_end[i++])
		is_added = sums_add_sample(s, part, w, &values, i, from);
	walk_finish(&part->sums, &values);
	return is_added;
}

/* ---- finish ---- */

/* Add the sums of all parts to the first one. Returns false if the total overflows. */
static bool sums_join(struct sums_builder *s)
{
	struct sums_part *to = &s->part[0];

	for (unsigned i = 1; i < s->n_parts; i++) {
		struct sums_part *from = &s->part[i];

		to->total += from->total;
		if (to->total > INT64_MAX)
			return false;
		for (uint32_t k = 0; k < s->to.n; k++)
			to->sums.cum[k] += from->sums.cum[k];
		for (size_t k = 0; k < sums_n_flat(s); k++)
			to->flat[k] += from->flat[k];
		sums_release_part(&s->part[i]);
	}
	walk_targets_release(&s->to);
	return true;
}

/* Does each line of a location have a function with a name? */
static bool sums_is_named(const struct profile *p, uint32_t loc)
{
	bool is_named = p->loc_line[loc] < p->loc_line[loc + 1];

	for (uint32_t i = p->loc_line[loc]; i < p->loc_line[loc + 1]; i++)
		is_named &= p->func_name[p->line_func[i]] != 0;
	return is_named;
}

static bool sums_are_named(const struct sums_builder *s)
{
	for (uint32_t i = 0; i < s->n_locs; i++)
		if (!sums_is_named(s->p, s->loc ? s->loc[i] : i))
			return false;
	return true;
}

/* Add a row for each leaf. */
static void sums_add_leaves(struct sums_builder *s)
{
	uint32_t n_types = s->p->n_types;

	for (uint32_t leaf = 0; leaf <= s->p->n_locs; leaf++) {
		int64_t *value;

		if (s->part[0].flat[leaf] == 0)
			continue;
		value = sums_add_row(s, &leaf, leaf < s->p->n_locs);
		memset(value, 0, n_types * sizeof(*value));
		value[s->type] = s->part[0].flat[leaf];
	}
}

/* A hash of the places of all locations, never 0. */
static uint64_t sums_hash_places(const struct places *pl)
{
	uint64_t hash = hash_bytes(pl->list, pl->p->n_locs * sizeof(*pl->list));

	return hash_mix(hash ^ pl->n, hash_bytes(pl->many, pl->n_many * sizeof(*pl->many)) | 1) | 1;
}

/* Store the sums by location; cum of a place is in the slot of the first location that has it. */
static void sums_store_slots(struct sums_builder *s, struct profile *p, struct profile_sums *out)
{
	const struct places *pl = s->pl;
	int64_t *sum = s->part[0].sums.cum;

	out->n_locs = s->n_locs;
	out->cum = arena_zalloc(p->mem, profile_sums_slots(p), sizeof(*out->cum));
	out->several = arena_zalloc(p->mem, p->n_locs, sizeof(*out->several));
	if (s->whole) {
		out->loc = arena_alloc(p->mem, s->n_locs, sizeof(*out->loc));
		memcpy(out->loc, s->loc, s->n_locs * sizeof(*out->loc));
		out->flat = arena_own(p->mem, s->part[0].flat);
		s->part[0].flat = NULL;
	}
	for (uint32_t i = 0; i < s->n_locs; i++) {
		uint32_t loc = s->loc ? s->loc[i] : i, n;
		const uint32_t *place = places_of(pl, loc, &n);
		int64_t *cum = out->cum + profile_sums_slot(p, loc);

		for (uint32_t k = 0; k < n; k++) {
			cum[k] = sum[place[k]];
			sum[place[k]] = 0;
		}
		if (pl->list[loc] >= PLACES_MANY)
			out->several[loc] = sum[pl->n + places_several(pl->list[loc])];
		out->is_whole[loc] = s->whole && s->flags[loc] & SUMS_WHOLE;
	}
}

/* Store the sums in the profile. */
static void sums_attach(void *arg, struct profile *p)
{
	struct sums_builder *s = arg;
	struct profile_sums *out = arena_zalloc(p->mem, 1, sizeof(*out));

	out->type = s->type;
	out->is_whole = arena_zalloc(p->mem, p->n_locs, sizeof(*out->is_whole));
	if (!s->whole && s->pl == &s->own) { /* other places may be renumbered */
		out->places = sums_hash_places(s->pl);
		out->of_place = arena_own(p->mem, s->part[0].sums.cum);
		s->part[0].sums.cum = NULL;
	} else {
		sums_store_slots(s, p, out);
	}
	p->sums = out;
}

/* ---- while reading ---- */

/* Can the file be added up before its samples are known? */
static bool sums_can_start(const struct sums_builder *s, const struct profile *p, size_t size, unsigned parts)
{
	if (s->p || p->n_types == 0 || p->meta.drop_frames || s->q->mean)
		return false;
	if (!s->whole && (size < SINGLE_MIN || p->n_locs == 0 ||
			  (parts == 1 && pool_size() > 1))) /* all threads add up rows in less time */
		return false;
	for (uint32_t loc = 0; loc < p->n_locs; loc++) {
		uint32_t n_lines = p->loc_line[loc + 1] - p->loc_line[loc];

		if (n_lines > LINES_MAX)
			return false;
		if (!s->whole && (!sums_is_named(p, loc) || (n_lines > 1 && !s->q->noinlines && size < RECOUNT_MIN)))
			return false;
	}
	return !s->whole || parts == 1;
}

static bool sums_start(void *arg, const struct profile *tables, size_t size, unsigned parts)
{
	struct sums_builder *s = arg;
	uint32_t type;

	if (!sums_can_start(s, tables, size, parts) || view_find_type(tables, s->q->sample_index, &type, NULL) < 0 ||
	    places_make(tables, s->q, s->mem, &s->own, NULL) < 0)
		return false;
	arena_release(s->mem, s->own.place); /* the numbers of places suffice */
	s->own.place = NULL;
	sums_begin(s, tables, &s->own, type, parts);
	return true;
}

/* Append the rows, each with a stack of its own. Returns false if they are too many. */
static bool sums_append_rows(const struct sums_rows *r, struct builder *b)
{
	uint32_t n_types = builder_n_types(b);
	struct builder_rows rows;
	struct err err;
	size_t from = 0;

	if (builder_rows(b, r->n, &rows, &err) < 0)
		return false;
	builder_reserve(b, r->n, r->n ? r->end[r->n - 1] : 0, 0);
	for (uint32_t i = 0; i < r->n; from = r->end[i++]) {
		if (builder_stack_append(b, r->loc + from, r->end[i] - from, &rows.stack[i], &err) < 0)
			return false;
		for (uint32_t t = 0; t < n_types; t++)
			builder_values(b, t)[rows.first + i] = r->value[(size_t)i * n_types + t];
	}
	return true;
}

/* Append a row for each leaf. Returns false if they are too many. */
static bool sums_append_leaves(const struct sums_builder *s, struct builder *b)
{
	const int64_t *flat = s->part[0].flat;
	uint32_t n_locs = s->p->n_locs, n = 0;
	struct builder_rows rows;
	struct err err;

	for (uint32_t leaf = 0; leaf <= n_locs; leaf++)
		n += flat[leaf] != 0;
	if (builder_rows(b, n, &rows, &err) < 0)
		return false;
	builder_reserve(b, n, n, 0);
	for (uint32_t leaf = 0, i = 0; leaf <= n_locs; leaf++) {
		if (flat[leaf] == 0)
			continue;
		if (builder_stack_append(b, &leaf, leaf < n_locs, &rows.stack[i], &err) < 0)
			return false;
		builder_values(b, s->type)[rows.first + i++] = flat[leaf];
	}
	return true;
}

static bool sums_finish(void *arg, struct builder *b)
{
	struct sums_builder *s = arg;
	const struct profile *p = s->p;

	return !p->meta.drop_frames && p->meta.default_type == s->default_type && sums_are_named(s) && sums_join(s) &&
	       (s->whole ? sums_append_rows(&s->rows, b) : s->part[0].total != 0 && sums_append_leaves(s, b));
}

struct sample_walk sums_walk(struct sums_builder *s)
{
	return (struct sample_walk){ s, sums_start, sums_add_samples, sums_finish, sums_attach };
}

/* ---- after reading ---- */

struct sums_run {
	struct sums_builder *s;
	atomic_bool failed;
};

/* Add a share of the rows of the profile. */
static void sums_run_part(void *arg, unsigned part)
{
	struct sums_run *run = arg;
	const struct profile *p = run->s->p;
	const struct stack_lists *stacks = &p->stacks;
	uint64_t n = p->n_rows, end = n * (part + 1) / run->s->n_parts;
	size_t loc_end[BLOCK_ROWS], cap = 0;
	struct walk_samples w = { .loc_end = loc_end, .value = p->value };
	uint32_t *loc = NULL;

	for (uint64_t lo = n * part / run->s->n_parts; lo < end && !run->failed; lo += w.n) {
		size_t at = 0;

		w.first = (uint32_t)lo;
		for (w.n = 0; w.n < BLOCK_ROWS && lo + w.n < end; loc_end[w.n++] = at) {
			uint32_t stack = p->stack[lo + w.n], n_locs = stacks->off[stack + 1] - stacks->off[stack];

			loc = mem_grow(loc, &cap, at + n_locs, sizeof(*loc));
			stack_read(stacks, stacks->off[stack], n_locs, loc + at);
			at += n_locs;
		}
		w.loc = loc;
		if (!sums_add_samples(run->s, part, &w))
			run->failed = true;
	}
	free(loc);
}

/* Free the columns of samples, which are most of a profile. */
static void sums_free_samples(const struct profile *p)
{
	for (uint32_t t = 0; t < p->n_types; t++)
		arena_release(p->mem, p->value[t]);
	arena_release(p->mem, p->value);
	arena_release(p->mem, p->stack);
	arena_release(p->mem, p->labels);
	arena_release(p->mem, p->stacks.off);
	arena_release(p->mem, p->stacks.packed);
}

/* Replace the rows and stacks. */
static void sums_store_rows(const struct sums_rows *r, struct profile *p)
{
	const struct profile old = *p;
	size_t n_locs = r->n ? r->end[r->n - 1] : 0;

	p->n_rows = p->stacks.n = r->n;
	p->stack = arena_alloc(p->mem, r->n, sizeof(*p->stack));
	p->labels = arena_zalloc(p->mem, r->n, sizeof(*p->labels));
	p->value = arena_alloc(p->mem, p->n_types, sizeof(*p->value));
	for (uint32_t t = 0; t < p->n_types; t++) {
		p->value[t] = arena_alloc(p->mem, r->n, sizeof(*p->value[t]));
		for (uint32_t row = 0; row < r->n; row++)
			p->value[t][row] = r->value[(size_t)row * p->n_types + t];
	}
	p->stacks.off = arena_zalloc(p->mem, (size_t)r->n + 1, sizeof(*p->stacks.off));
	p->stacks.packed = arena_alloc(p->mem, stack_bytes(n_locs, p->stacks.width), 1);
	for (uint32_t row = 0; row < r->n; row++) {
		p->stack[row] = row;
		p->stacks.off[row + 1] = (uint32_t)r->end[row];
	}
	for (size_t i = 0; i < n_locs; i++)
		stack_store(stack_address(&p->stacks, (uint32_t)i), p->stacks.width, r->loc[i]);
	sums_free_samples(&old);
}

/* Replace the rows of a profile by sums. Returns false if that is not possible; then it is unchanged. */
static bool sums_replace(struct sums_builder *s, struct profile *p, const struct places *pl, uint32_t type)
{
	unsigned wish = s->whole ? 1 : p->n_rows / ROWS_PER_PART + 1;
	struct sums_run run = { .s = s };

	sums_begin(s, p, pl, type, wish < pool_size() ? wish : pool_size());
	pool_run(sums_run_part, &run, s->n_parts);
	if (run.failed || (s->whole && !sums_are_named(s)) || !sums_join(s))
		return false;
	if (!s->whole)
		sums_add_leaves(s);
	sums_attach(s, p);
	sums_store_rows(&s->rows, p);
	return true;
}

bool sums_make(struct profile *p, const struct query_filter *q, const struct strtab *whole)
{
	struct sums_builder *s = sums_new(q, whole);
	struct buf notes = { 0 };
	struct view v;
	bool is_made = !p->forest && !p->sums && p->n_label_funcs == 0 && !view_base_sets(p, s->mem) &&
		       view_make(p, q, s->mem, &v, &notes, NULL) == 0 &&
		       places_make(p, q, s->mem, &s->own, NULL) == 0 && sums_replace(s, p, &s->own, v.type);

	buf_release(&notes);
	sums_free(s);
	return is_made;
}

bool sums_make_of(struct profile *p, const struct view *v, const struct places *pl)
{
	struct sums_builder *s = sums_new(NULL, NULL);
	bool is_made = !p->forest && !p->sums && p->n_label_funcs == 0 && !v->mean && sums_replace(s, p, pl, v->type);

	sums_free(s);
	return is_made;
}

/* ---- use ---- */

void sums_take(const struct view *v, const struct places *pl, struct arena *mem, struct graph *out)
{
	const struct profile *p = v->p;
	int64_t *cum, *several;

	p->sums->lacks_stacks |=
		v->type != p->sums->type || v->mean || (p->sums->places && p->sums->places != sums_hash_places(pl));
	if (p->sums->of_place && !p->sums->lacks_stacks) {
		out->nodes.cum = p->sums->of_place;
		out->several = p->sums->of_place + pl->n;
		return;
	}
	out->nodes.cum = cum = arena_zalloc(mem, pl->n, sizeof(*cum));
	out->several = several = arena_zalloc(mem, places_n_several(pl), sizeof(*several));
	if (p->sums->lacks_stacks)
		return;
	for (uint32_t loc = 0; loc < p->n_locs; loc++) {
		uint32_t n;
		const uint32_t *place = places_of(pl, loc, &n);

		for (uint32_t k = 0; k < n; k++)
			cum[place[k]] += p->sums->cum[profile_sums_slot(p, loc) + k];
		if (pl->list[loc] >= PLACES_MANY)
			several[places_several(pl->list[loc])] = p->sums->several[loc];
	}
}

str_id *sums_names(const struct profile *p)
{
	str_id *copy = mem_alloc(p->n_funcs, sizeof(*copy));

	if (p->n_funcs)
		memcpy(copy, p->func_name, p->n_funcs * sizeof(*copy));
	return copy;
}

/* Does each text of from have one text of to? */
static bool sums_maps_names(const struct profile *p, const str_id *from, const str_id *to)
{
	str_id *found = mem_zalloc(strtab_count(p->str), sizeof(*found));
	bool is_function = true;

	for (uint32_t f = 0; f < p->n_funcs; f++) {
		is_function &= found[from[f]] == 0 || found[from[f]] == to[f];
		found[from[f]] = to[f];
	}
	free(found);
	return is_function;
}

bool sums_names_are_same(const struct profile *p, const str_id *before)
{
	return sums_maps_names(p, before, p->func_name) && sums_maps_names(p, p->func_name, before);
}
