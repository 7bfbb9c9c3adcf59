/*
 * test_edges.c - the calls between kept nodes
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/graph.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/num.h"
#include "base/pool.h"
#include "tests/unit/make_graph.h"

/* The calls of a profile without the nodes in a list such as "b;c". */
struct calls {
	struct graph_fixture a;
	struct edges e;
};

static void mark(const struct places *pl, const char *names, bool *mark, bool value)
{
	while (*names) {
		char name[40] = "";
		size_t n = strcspn(names, ";");

		memcpy(name, names, n);
		mark[place_named(pl, name)] = value;
		names += n;
		names += *names == ';';
	}
}

static void calls_without(struct calls *c, struct make *m, const char *dropped)
{
	struct graph_fixture *a = &c->a;
	bool *keep;

	*a = graph_fixture_start(m);
	graph_fixture_run(a);
	keep = arena_alloc(a->mem, a->g.nodes.n + 1, sizeof(*keep));
	memset(keep, true, a->g.nodes.n);
	mark(&a->pl, dropped, keep, false);
	graph_edges(&a->g, keep, NULL, false, a->mem, &c->e);
}

static const struct edge *find_edge(const struct calls *c, const char *src, const char *dst)
{
	for (size_t i = 0; i < c->e.n; i++)
		if (c->e.edge[i].src == place_named(&c->a.pl, src) && c->e.edge[i].dst == place_named(&c->a.pl, dst))
			return &c->e.edge[i];
	return NULL;
}

enum { RESIDUAL = 1, INLINED = 2 };

static void expect_edge(const struct calls *c, const char *src, const char *dst, int64_t weight, int flags)
{
	const struct edge *e = find_edge(c, src, dst);

	if (!e)
		fail_msg("no call from %s to %s", src, dst);
	assert_int_equal(e->weight, weight);
	assert_int_equal(e->residual, (flags & RESIDUAL) != 0);
	assert_int_equal(e->inlined, (flags & INLINED) != 0);
}

static void the_calls_of_the_example_add_up(void **state)
{
	struct make m = make_example();
	struct calls c;

	(void)state;
	calls_without(&c, &m, "");
	assert_int_equal(c.e.n, 7);
	expect_edge(&c, "main", "a", 100, 0);
	expect_edge(&c, "a", "b", 100, 0);
	expect_edge(&c, "b", "c", 50, 0);
	expect_edge(&c, "b", "a", 20, 0);
	expect_edge(&c, "main", "host", 10, 0);
	expect_edge(&c, "host", "inl", 10, INLINED);
	expect_edge(&c, "main", "inl", 10, 0);
	graph_fixture_release(&c.a);
}

static void a_call_counts_once_per_sample(void **state)
{
	struct make m = make_start("samples/count");
	struct calls c;

	(void)state;
	ROW(&m, "g;f;g;f;g;f", 5);
	calls_without(&c, &m, "");
	assert_int_equal(c.e.n, 2);
	expect_edge(&c, "f", "g", 5, 0);
	expect_edge(&c, "g", "f", 5, 0);
	graph_fixture_release(&c.a);
}

static void direct_recursion_makes_no_edge(void **state)
{
	struct make m = make_start("samples/count");
	struct calls c;

	(void)state;
	ROW(&m, "f;f;f;main", 5);
	calls_without(&c, &m, "");
	assert_int_equal(c.e.n, 1);
	expect_edge(&c, "main", "f", 5, 0);
	graph_fixture_release(&c.a);
}

static void a_call_is_inlined_when_it_is_in_every_sample(void **state)
{
	struct make m = make_start("samples/count");
	struct calls c;

	(void)state;
	ROW(&m, "g+f", 1);
	ROW(&m, "g;f", 2);
	ROW(&m, "h+f", 3);
	calls_without(&c, &m, "");
	expect_edge(&c, "f", "g", 3, 0);
	expect_edge(&c, "f", "h", 3, INLINED);
	graph_fixture_release(&c.a);
}

/* Within one sample the call nearest to the root decides. */
static void the_call_nearest_to_the_root_decides_whether_it_is_inlined(void **state)
{
	struct make m = make_start("samples/count");
	struct calls c;

	(void)state;
	ROW(&m, "g;f;h;g+f", 1);
	calls_without(&c, &m, "");
	expect_edge(&c, "f", "g", 1, INLINED);
	graph_fixture_release(&c.a);
}

static void a_call_through_a_removed_node_is_residual(void **state)
{
	struct make m = make_start("samples/count");
	struct calls c;

	(void)state;
	ROW(&m, "d;c;b;a", 5);
	calls_without(&c, &m, "b");
	assert_int_equal(c.e.n, 2);
	expect_edge(&c, "a", "c", 5, RESIDUAL);
	expect_edge(&c, "c", "d", 5, 0);
	graph_fixture_release(&c.a);
}

static void a_call_is_residual_if_residual_in_one_sample(void **state)
{
	struct make m = make_start("samples/count");
	struct calls c;

	(void)state;
	ROW(&m, "c;a", 1);
	ROW(&m, "c;b;a", 2);
	calls_without(&c, &m, "b");
	expect_edge(&c, "a", "c", 3, RESIDUAL);
	graph_fixture_release(&c.a);
}

static void removed_roots_and_leaves_make_no_call_residual(void **state)
{
	struct make m = make_start("samples/count");
	struct calls c;

	(void)state;
	ROW(&m, "leaf;b;a;root", 5);
	calls_without(&c, &m, "leaf;root");
	assert_int_equal(c.e.n, 1);
	expect_edge(&c, "a", "b", 5, 0);
	graph_fixture_release(&c.a);
}

static void calls_pass_through_removed_inlined_places(void **state)
{
	struct make m = make_start("samples/count");
	struct calls c;

	(void)state;
	ROW(&m, "in+mid+out;main", 5);
	calls_without(&c, &m, "mid");
	assert_int_equal(c.e.n, 2);
	expect_edge(&c, "out", "in", 5, RESIDUAL | INLINED);
	expect_edge(&c, "main", "out", 5, 0);
	graph_fixture_release(&c.a);
}

static void recursion_through_a_removed_node_is_no_call(void **state)
{
	struct make m = make_start("samples/count");
	struct calls c;

	(void)state;
	ROW(&m, "a;b;a", 5);
	calls_without(&c, &m, "b");
	assert_int_equal(c.e.n, 0);
	graph_fixture_release(&c.a);
}

static void empty_stacks_and_single_frames_make_no_calls(void **state)
{
	struct make m = make_start("samples/count");
	struct calls c;

	(void)state;
	ROW(&m, "", 5);
	ROW(&m, "main", 5);
	calls_without(&c, &m, "");
	assert_int_equal(c.e.n, 0);
	graph_fixture_release(&c.a);
}

static void negative_weights_add_up(void **state)
{
	struct make m = make_start("samples/count");
	struct calls c;

	(void)state;
	ROW(&m, "x;b;a", 3);
	ROW(&m, "y;b;a", -10);
	calls_without(&c, &m, "");
	expect_edge(&c, "a", "b", -7, 0);
	expect_edge(&c, "b", "y", -10, 0);
	graph_fixture_release(&c.a);
}

static void samples_of_0_make_no_call_but_values_that_cancel_do(void **state)
{
	struct make m = make_start("samples/count");
	struct calls c;

	(void)state;
	ROW(&m, "b;a", 0);
	ROW(&m, "d;c", 5);
	ROW(&m, "d;c", -5);
	calls_without(&c, &m, "");
	assert_int_equal(c.e.n, 1);
	expect_edge(&c, "c", "d", 0, 0);
	graph_fixture_release(&c.a);
}

static void returns_only_calls_into_wanted_nodes(void **state)
{
	struct make m = make_example();
	struct calls c;
	bool keep[6], wanted[6] = { false };

	(void)state;
	calls_without(&c, &m, "");
	memset(keep, true, sizeof(keep));
	mark(&c.a.pl, "inl;c", wanted, true);
	graph_edges(&c.a.g, keep, wanted, false, c.a.mem, &c.e);
	assert_int_equal(c.e.n, 3);
	expect_edge(&c, "b", "c", 50, 0);
	expect_edge(&c, "host", "inl", 10, INLINED);
	expect_edge(&c, "main", "inl", 10, 0);
	graph_fixture_release(&c.a);
}

static void calls_are_sorted_by_callee_then_caller(void **state)
{
	struct make m = make_example();
	struct calls c;

	(void)state;
	calls_without(&c, &m, "");
	for (size_t i = 1; i < c.e.n; i++) {
		const struct edge *l = &c.e.edge[i - 1], *r = &c.e.edge[i];

		assert_true(l->dst < r->dst || (l->dst == r->dst && l->src < r->src));
	}
	graph_fixture_release(&c.a);
}

/* 60000 different stacks over 40 functions and all calls between them; every tenth call inlined. */
static struct make many_stacks(void)
{
	enum { N = 60000, FUNCS = 40 };
	struct make m = make_start("samples/count");
	uint32_t loc[FUNCS];

	for (uint32_t i = 0; i < FUNCS; i++) {
		char name[20];

		snprintf(name, sizeof(name), i % 10 ? "f%u" : "f%u+f%u", i, i + 1);
		loc[i] = make_location(&m, name, strlen(name));
	}
	for (uint32_t i = 0; i < N; i++) {
		const uint32_t stack[4] = { loc[i % FUNCS], loc[i / FUNCS % FUNCS], loc[i / FUNCS / FUNCS],
					    loc[(i * 7) % FUNCS] };

		builder_sample(m.b, &(int64_t){ (int64_t)(i % 5) - 1 }, stack, 4, NULL, 0, NULL);
	}
	return m;
}

static void calls_do_not_depend_on_the_number_of_threads(void **state)
{
	static const unsigned threads[] = { 2, 3, 4, 8 };
	struct make m = many_stacks();
	struct calls c;

	(void)state;
	pool_set_size(1);
	calls_without(&c, &m, "f3;f10;f17");
	assert_true(c.e.n > 1000);
	for (size_t t = 0; t < sizeof(threads) / sizeof(threads[0]); t++) {
		struct edges e;
		bool keep[40];

		memset(keep, true, sizeof(keep));
		mark(&c.a.pl, "f3;f10;f17", keep, false);
		pool_set_size(threads[t]);
		graph_edges(&c.a.g, keep, NULL, false, c.a.mem, &e);
		assert_int_equal(e.n, c.e.n);
		for (size_t i = 0; i < e.n; i++) {
			const struct edge *l = &e.edge[i], *r = &c.e.edge[i];

			assert_true(l->src == r->src && l->dst == r->dst);
			assert_true(l->weight == r->weight);
			assert_true(l->residual == r->residual && l->inlined == r->inlined);
		}
	}
	pool_set_size(0);
	graph_fixture_release(&c.a);
}

static void can_include_calls_out_of_wanted_nodes(void **state)
{
	struct make m = make_example();
	struct calls c;
	bool keep[6], wanted[6] = { false };

	(void)state;
	calls_without(&c, &m, "");
	memset(keep, true, sizeof(keep));
	mark(&c.a.pl, "b;host", wanted, true);
	graph_edges(&c.a.g, keep, wanted, true, c.a.mem, &c.e);
	assert_int_equal(c.e.n, 5);
	expect_edge(&c, "a", "b", 100, 0);
	expect_edge(&c, "b", "c", 50, 0);
	expect_edge(&c, "b", "a", 20, 0);
	expect_edge(&c, "main", "host", 10, 0);
	expect_edge(&c, "host", "inl", 10, INLINED);
	graph_fixture_release(&c.a);
}

/* Only the innermost place of a location has calls to other locations; places between may be removed. */
static void calls_out_of_inlined_nodes_pass_through_removed_places(void **state)
{
	struct make m = make_start("samples/count");
	struct calls c;
	bool keep[7], wanted[7] = { false };

	(void)state;
	ROW(&m, "leaf+in;x;gone+hot+outer;main", 5);
	calls_without(&c, &m, "");
	memset(keep, true, sizeof(keep));
	mark(&c.a.pl, "gone;x", keep, false);
	mark(&c.a.pl, "hot", wanted, true);
	assert_int_equal(c.a.g.nodes.n, 7);
	graph_edges(&c.a.g, keep, wanted, true, c.a.mem, &c.e);
	assert_int_equal(c.e.n, 2);
	expect_edge(&c, "outer", "hot", 5, INLINED);
	expect_edge(&c, "hot", "in", 5, RESIDUAL);
	graph_fixture_release(&c.a);
}

/* Compare the calls of wanted nodes with those of the whole graph. */
static void wanted_calls_equal_those_of_the_whole_graph(void **state)
{
	struct make m = make_example();
	struct calls c;
	bool keep[6];

	(void)state;
	calls_without(&c, &m, "host");
	memset(keep, true, sizeof(keep));
	mark(&c.a.pl, "host", keep, false);
	for (unsigned set = 0; set < 1U << 6; set++) {
		bool wanted[6];
		struct edges e;
		size_t found = 0;

		for (unsigned k = 0; k < 6; k++)
			wanted[k] = keep[k] && set >> k & 1;
		graph_edges(&c.a.g, keep, wanted, true, c.a.mem, &e);
		for (size_t i = 0; i < c.e.n; i++) {
			const struct edge *all = &c.e.edge[i], *one = &e.edge[found];

			if (!wanted[all->src] && !wanted[all->dst])
				continue;
			assert_true(found++ < e.n);
			assert_true(one->src == all->src && one->dst == all->dst && one->weight == all->weight);
			assert_true(one->residual == all->residual && one->inlined == all->inlined);
		}
		assert_int_equal(found, e.n);
	}
	graph_fixture_release(&c.a);
}

/*
 * The second thread finds only calls that the first does not, so merging grows the table it merges into. Guards the
 * commit "engine: only the calls and labels that a report will show".
 */
static void merging_calls_of_threads_keeps_all_weights(void **state)
{
	enum { N = 30000 };
	struct make m = make_start("samples/count");
	struct calls c;

	(void)state;
	for (uint32_t i = 0; i < N; i++) {
		char name[20];
		uint32_t stack[2];

		snprintf(name, sizeof(name), "leaf%u", i);
		stack[0] = make_location(&m, name, strlen(name));
		snprintf(name, sizeof(name), "root%u", i);
		stack[1] = make_location(&m, name, strlen(name));
		builder_sample(m.b, &(int64_t){ (int64_t)i + 1 }, stack, 2, NULL, 0, NULL);
	}
	pool_set_size(2);
	calls_without(&c, &m, "");
	assert_int_equal(c.e.n, N);
	for (uint32_t i = 0; i < N; i++) {
		const struct edge *e = &c.e.edge[i];

		assert_true(e->weight == c.a.g.nodes.cum[e->dst]);
		assert_true(e->weight == c.a.g.nodes.cum[e->src]);
		assert_true(e->inlined == false && e->residual == false);
	}
	pool_set_size(0);
	graph_fixture_release(&c.a);
}

enum { ABOVE_FUNCS = 300, ABOVE_LOCS = 450, ABOVE_DEPTH = 20 };

static uint32_t random_below(uint32_t *seed, uint32_t n)
{
	*seed = *seed * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)(*seed >> 8) * n >> 24);
}

/* Random stacks of locations with up to three places, some of them frequent, with values from low to low + 8. */
static struct make random_stacks(uint32_t *seed, int64_t low, int64_t scale)
{
	struct make m = make_start("samples/count");
	uint32_t loc[ABOVE_LOCS], stack[ABOVE_DEPTH];

	for (uint32_t i = 0; i < ABOVE_LOCS; i++) {
		char name[40];
		int n = snprintf(name, sizeof(name), "f%u", i % ABOVE_FUNCS);

		for (uint32_t more = random_below(seed, 3); more > 0; more--)
			n += snprintf(name + n, sizeof(name) - (size_t)n, "+f%u", random_below(seed, ABOVE_FUNCS));
		loc[i] = make_location(&m, name, (size_t)n);
	}
	for (uint32_t i = 0; i < 25000; i++) {
		int64_t v = (int64_t)random_below(seed, 9) + low;

		for (uint32_t k = 0; k < ABOVE_DEPTH; k++) {
			uint32_t r = random_below(seed, ABOVE_LOCS);

			stack[k] = loc[r * r / ABOVE_LOCS];
		}
		builder_sample(m.b, &(int64_t){ v * scale }, stack, ABOVE_DEPTH, NULL, 0, NULL);
	}
	return m;
}

/* One call, added up in the simplest way. */
struct exact_call {
	uint32_t seen;
	int64_t weight;
	bool is_outer; /* not inlined in a sample */
};

/* Returns [places * places] by caller, then callee. */
static struct exact_call *exact_calls(const struct graph_fixture *a, const bool *keep)
{
	const struct stack_lists *stacks = &a->p->stacks;
	uint32_t n = a->pl.n, n_places;
	struct exact_call *all = arena_zalloc(a->mem, (size_t)n * n, sizeof(*all));

	for (uint32_t s = 0; s < stacks->n; s++) {
		uint32_t caller = UINT32_MAX;

		for (uint32_t i = stacks->off[s + 1]; graph_is_live(&a->g, s) && i-- > stacks->off[s];) {
			const uint32_t *place = places_of(&a->pl, stack_id_at(stacks, i), &n_places);

			for (uint32_t k = n_places; k-- > 0;) {
				struct exact_call *call = &all[(size_t)(caller < n ? caller : 0) * n + place[k]];

				if (!keep[place[k]])
					continue;
				if (caller < n && caller != place[k] && call->seen != s + 1) {
					call->seen = s + 1;
					call->weight += a->g.weight[s];
					call->is_outer |= k == n_places - 1;
				}
				caller = place[k];
			}
		}
	}
	return all;
}

/* Compare the calls above a limit with exact ones; the sum of all magnitudes is divisor times the limit. */
static void check_calls_above(const struct graph_fixture *a, const bool *keep, const bool *wanted, int64_t divisor,
			      bool is_skipping)
{
	uint64_t limit = (uint64_t)(a->v.total / divisor);
	struct exact_call *all = exact_calls(a, keep);
	uint32_t n = a->pl.n, n_above = 0, n_all = 0, n_found = 0;
	const bool *enough = arena_zalloc(a->mem, n, sizeof(*enough));
	struct edges e;

	for (size_t i = 0; i < (size_t)n * n; i++) {
		n_all += wanted[i % n] && all[i].seen > 0;
		n_above += wanted[i % n] && all[i].seen > 0 && num_abs(all[i].weight) >= limit;
	}
	graph_edges_above(&a->g, keep, wanted, enough, limit, a->mem, &e);
	for (size_t i = 0; i < e.n; i++) {
		const struct exact_call *call = &all[(size_t)e.edge[i].src * n + e.edge[i].dst];

		assert_true(wanted[e.edge[i].dst]);
		if (num_abs(e.edge[i].weight) < limit)
			continue;
		n_found++;
		assert_true(call->seen > 0 && e.edge[i].weight == call->weight);
		assert_int_equal(e.edge[i].inlined, !call->is_outer);
	}
	assert_int_equal(n_found, n_above);
	assert_int_equal(e.n < n_all / 2, is_skipping);
	assert_true(n_above > 0);
}

/* Compare the nodes that have a call above a limit, if one is enough for some of them. */
static void check_enough_calls(const struct graph_fixture *a, const bool *keep, const bool *wanted, const bool *enough,
			       int64_t divisor, uint32_t *n_settled, uint32_t *n_left)
{
	uint64_t limit = (uint64_t)(a->v.total / divisor);
	const struct exact_call *all = exact_calls(a, keep);
	bool *found = arena_zalloc(a->mem, a->pl.n, sizeof(*found));
	uint32_t n = a->pl.n, n_yes = 0, n_no = 0;
	struct edges e;

	graph_edges_above(&a->g, keep, wanted, enough, limit, a->mem, &e);
	for (size_t i = 0; i < e.n; i++) {
		const struct exact_call *call = &all[(size_t)e.edge[i].src * n + e.edge[i].dst];
		bool is_above = num_abs(e.edge[i].weight) >= limit;

		assert_true(wanted[e.edge[i].dst] && call->seen > 0);
		assert_true(!is_above || num_abs(call->weight) >= limit);
		assert_true(!is_above || enough[e.edge[i].dst] || e.edge[i].weight == call->weight);
		found[e.edge[i].dst] |= is_above;
	}
	for (uint32_t dst = 0; dst < n; dst++) {
		bool has = false;

		for (uint32_t src = 0; src < n; src++)
			has |= all[(size_t)src * n + dst].seen > 0 &&
			       num_abs(all[(size_t)src * n + dst].weight) >= limit;
		assert_int_equal(found[dst], wanted[dst] && has);
		n_yes += wanted[dst] && enough[dst] && has;
		n_no += wanted[dst] && enough[dst] && !has;
	}
	*n_settled += n_yes;
	*n_left += n_no;
}

static void one_call_is_enough_for_some_nodes(void **state)
{
	static const int64_t low[] = { 0, 1, -3 };
	uint32_t seed = 7, n_settled = 0, n_left = 0;

	(void)state;
	for (unsigned round = 0; round < 6; round++) {
		struct make m = random_stacks(&seed, low[round % 3], 1);
		struct graph_fixture a = graph_fixture_start(&m);
		bool keep[ABOVE_FUNCS], wanted[ABOVE_FUNCS], enough[ABOVE_FUNCS];

		pool_set_size(1 + round % 2);
		graph_fixture_run(&a);
		for (uint32_t k = 0; k < ABOVE_FUNCS; k++) {
			keep[k] = random_below(&seed, 10) >= (round < 3 ? 1 : 4); /* then, they are few */
			wanted[k] = keep[k] && random_below(&seed, 10) > 0;
			enough[k] = round > 3 || random_below(&seed, 2);
		}
		check_enough_calls(&a, keep, wanted, enough, 40, &n_settled, &n_left);
		check_enough_calls(&a, keep, wanted, enough, 100, &n_settled, &n_left);
		check_enough_calls(&a, keep, wanted, enough, 200000, &n_settled, &n_left);
		for (uint32_t k = 0; k < ABOVE_FUNCS; k++) /* few stacks have a wanted place */
			wanted[k] = keep[k] && k % 150 == 149;
		check_enough_calls(&a, keep, wanted, enough, 2000, &n_settled, &n_left);
		graph_fixture_release(&a);
	}
	assert_true(n_settled > 0 && n_left > 0);
	pool_set_size(0);
}

enum { INLINED_FUNCS = 20, INLINED_LOCS = 150 };

/* Stacks in which half of the functions are inlined only, by few different calls in one or more locations each. */
static struct make inlined_stacks(uint32_t *seed, int64_t low)
{
	struct make m = make_start("samples/count");
	uint32_t loc[INLINED_LOCS], stack[8];

	for (uint32_t i = 0; i < INLINED_LOCS; i++) {
		char name[60];
		uint32_t inner = random_below(seed, INLINED_FUNCS), mid = random_below(seed, INLINED_FUNCS);
		uint32_t outer = random_below(seed, 5);

		if (random_below(seed, 3) == 0)
			snprintf(name, sizeof(name), "%#x=in%u+in%u+out%u", i + 1, inner, mid, outer);
		else
			snprintf(name, sizeof(name), "%#x=%s%u+out%u", i + 1, random_below(seed, 9) ? "in" : "out",
				 inner, outer);
		loc[i] = make_location(&m, name, strlen(name));
	}
	for (uint32_t i = 0; i < 300; i++) {
		uint32_t n = 1 + random_below(seed, 8);

		for (uint32_t k = 0; k < n; k++)
			stack[k] = loc[random_below(seed, INLINED_LOCS)];
		builder_sample(m.b, &(int64_t){ (int64_t)random_below(seed, 9) + low }, stack, n, NULL, 0, NULL);
	}
	return m;
}

static void sums_of_locations_settle_only_what_they_tell(void **state)
{
	uint32_t seed = 3, n_settled = 0, n_left = 0;

	(void)state;
	for (unsigned round = 0; round < 60; round++) {
		struct make m = inlined_stacks(&seed, round % 2 ? -4 : 0);
		struct graph_fixture a = graph_fixture_start(&m);
		bool keep[2 * INLINED_FUNCS + 5], enough[2 * INLINED_FUNCS + 5];

		graph_fixture_run(&a);
		assert_true(a.pl.n <= sizeof(keep));
		for (uint32_t k = 0; k < a.pl.n; k++) {
			keep[k] = round % 3 == 0 || random_below(&seed, 8) > 0;
			enough[k] = random_below(&seed, 4) > 0;
		}
		for (int64_t divisor = 5; divisor <= 500; divisor += divisor / 2)
			check_enough_calls(&a, keep, keep, enough, divisor, &n_settled, &n_left);
		graph_fixture_release(&a);
	}
	assert_true(n_settled > 0 && n_left > 0);
}

static void calls_above_a_limit_equal_exact_ones(void **state)
{
	static const int64_t low[] = { 1, -3, -5 };
	uint32_t seed = 1;

	(void)state;
	for (unsigned round = 0; round < 6; round++) {
		struct make m = random_stacks(&seed, low[round % 3], round < 3 ? 1 : INT64_MAX / 250000);
		struct graph_fixture a = graph_fixture_start(&m);
		bool keep[ABOVE_FUNCS], wanted[ABOVE_FUNCS];

		pool_set_size(1 + round % 2);
		graph_fixture_run(&a);
		assert_int_equal(a.pl.n, ABOVE_FUNCS);
		for (uint32_t k = 0; k < ABOVE_FUNCS; k++) {
			keep[k] = random_below(&seed, 10) > 0;
			wanted[k] = keep[k] && random_below(&seed, 10) > 0;
		}
		check_calls_above(&a, keep, wanted, round % 3 ? 300 : 50, true);
		check_calls_above(&a, keep, wanted, 200000, false);
		graph_fixture_release(&a);
	}
	pool_set_size(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_calls_of_the_example_add_up),
		cmocka_unit_test(a_call_counts_once_per_sample),
		cmocka_unit_test(direct_recursion_makes_no_edge),
		cmocka_unit_test(a_call_is_inlined_when_it_is_in_every_sample),
		cmocka_unit_test(the_call_nearest_to_the_root_decides_whether_it_is_inlined),
		cmocka_unit_test(a_call_through_a_removed_node_is_residual),
		cmocka_unit_test(a_call_is_residual_if_residual_in_one_sample),
		cmocka_unit_test(removed_roots_and_leaves_make_no_call_residual),
		cmocka_unit_test(calls_pass_through_removed_inlined_places),
		cmocka_unit_test(recursion_through_a_removed_node_is_no_call),
		cmocka_unit_test(empty_stacks_and_single_frames_make_no_calls),
		cmocka_unit_test(negative_weights_add_up),
		cmocka_unit_test(samples_of_0_make_no_call_but_values_that_cancel_do),
		cmocka_unit_test(returns_only_calls_into_wanted_nodes),
		cmocka_unit_test(can_include_calls_out_of_wanted_nodes),
		cmocka_unit_test(calls_out_of_inlined_nodes_pass_through_removed_places),
		cmocka_unit_test(wanted_calls_equal_those_of_the_whole_graph),
		cmocka_unit_test(calls_are_sorted_by_callee_then_caller),
		cmocka_unit_test(calls_do_not_depend_on_the_number_of_threads),
		cmocka_unit_test(merging_calls_of_threads_keeps_all_weights),
		cmocka_unit_test(calls_above_a_limit_equal_exact_ones),
		cmocka_unit_test(one_call_is_enough_for_some_nodes),
		cmocka_unit_test(sums_of_locations_settle_only_what_they_tell),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
