/*
 * make_graph.h - from a profile to its graph in one step, for tests
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef TESTS_UNIT_MAKE_GRAPH_H
#define TESTS_UNIT_MAKE_GRAPH_H

#include "engine/graph.h"
#include "engine/places.h"
#include "engine/view.h"
#include "tests/unit/make_profile.h"

/* A profile, a question about it and what follows from both. Needs cmocka.h before it. */
struct asked {
	struct profile *p;
	struct query q;
	struct arena *mem;
	struct view v;
	struct places pl;
	struct graph g;
};

/* Seal the profile; the question is at its defaults. */
static inline struct asked ask_about(struct make *m)
{
	struct asked a = { .p = make_end(m), .mem = arena_new() };

	query_init(&a.q);
	return a;
}

/* Answer a->q as far as the graph; a must stay where it is. */
static inline void ask(struct asked *a)
{
	struct buf notes = { 0 };
	struct err err;

	if (view_make(a->p, &a->q, a->mem, &a->v, &notes, &err) < 0 ||
	    places_make(a->p, &a->q, a->mem, &a->pl, &err) < 0)
		fail_msg("%s", err.msg);
	buf_release(&notes);
	graph_make(&a->v, &a->pl, a->mem, &a->g);
}

static inline void ask_release(struct asked *a)
{
	places_release(&a->pl);
	arena_free(a->mem);
	profile_free(a->p);
}

/* The place that is printed as name. */
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
	fail_msg("no place is called %s", name);
	return PROFILE_NONE;
}

/* The example of pprof-behaviour.md, section 8.1: a recursion, an inlined call. */
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
