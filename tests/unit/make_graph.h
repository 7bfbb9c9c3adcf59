/*
 * make_graph.h - make the graph of a profile in one step, for tests
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef TESTS_UNIT_MAKE_GRAPH_H
#define TESTS_UNIT_MAKE_GRAPH_H

#include "engine/graph.h"
#include "engine/places.h"
#include "engine/query.h"
#include "engine/view.h"
#include "tests/unit/make_profile.h"

/* A profile, a query, and their results. Include cmocka.h first. */
struct graph_fixture {
	struct profile *p;
	struct query q;
	struct arena *mem;
	struct view v;
	struct places pl;
	struct graph g;
};

/* Finish the profile; the query has default options. */
static inline struct graph_fixture graph_fixture_start(struct make *m)
{
	struct graph_fixture a = { .p = make_end(m), .mem = arena_new() };

	query_init(&a.q);
	return a;
}

/* Run the query a->q up to the graph; a must not be moved. */
static inline void graph_fixture_run(struct graph_fixture *a)
{
	struct buf notes = { 0 };
	struct err err;

	if (view_make(a->p, &a->q.filter, a->mem, &a->v, &notes, &err) < 0 ||
	    places_make(a->p, &a->q.filter, a->mem, &a->pl, &err) < 0)
		fail_msg("%s", err.msg);
	buf_release(&notes);
	graph_make(&a->v, &a->pl, a->mem, &a->g);
}

static inline void graph_fixture_release(struct graph_fixture *a)
{
	places_release(&a->pl);
	arena_free(a->mem);
	profile_free(a->p);
}

/* The place with this printed name. */
static inline uint32_t place_named(const struct places *pl, const char *name)
{
	for (uint32_t i = 0; i < pl->n; i++) {
		struct buf b = { 0 };
		bool same;

		places_add_name(pl, i, &b);
		same = strcmp(buf_text(&b), name) == 0;
		buf_release(&b);
		if (same)
			return i;
	}
	fail_msg("no place is named %s", name);
	return PROFILE_NONE;
}

/* A profile with a recursion and an inlined call. */
static inline struct make make_example(void)
{
	struct make m = make_start("cpu/milliseconds");

	ROW(&m, "c;b;a;main", 50);
	ROW(&m, "b;a;main", 30);
	ROW(&m, "a;b;a;main", 20);
	ROW(&m, "inl+host;main", 10);
	ROW(&m, "inl;main", 10);
	return m;
}

#endif
