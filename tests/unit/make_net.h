/*
 * make_net.h - make the nodes and calls of a report from a profile in one step, for tests
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef TESTS_UNIT_MAKE_NET_H
#define TESTS_UNIT_MAKE_NET_H

#include "engine/net.h"
#include "engine/query.h"
#include "tests/unit/make_labels.h"
#include "tests/unit/make_profile.h"

/* A profile, a query, and the nodes and calls of its report. Include cmocka.h first. */
struct net_fixture {
	struct profile *p;
	struct query q;
	struct arena *mem;
	struct view v;
	struct label_units units;
	struct net net;
};

/* Finish the profile; the query has no limits. */
static inline void net_fixture_start(struct net_fixture *n, struct make *m)
{
	*n = (struct net_fixture){ .p = make_end(m), .mem = arena_new() };
	query_init(&n->q);
	n->q.nodecount = 0;
	n->q.nodefraction = n->q.edgefraction = 0;
}

static inline void net_fixture_run(struct net_fixture *n, bool picture)
{
	struct err err;

	if (view_make(n->p, &n->q.filter, n->mem, &n->v, NULL, &err) < 0)
		fail_msg("%s", err.msg);
	label_units_make(n->p, n->mem, &n->units, NULL);
	if (net_make(&n->v, &n->q.filter, picture, &n->units, n->mem, &n->net, &err) < 0)
		fail_msg("%s", err.msg);
	net_calls(&n->net, &n->q.filter, NULL, n->mem);
}

/* Run the query again on the same profile. */
static inline void net_fixture_rerun(struct net_fixture *n, bool picture)
{
	net_release(&n->net);
	net_fixture_run(n, picture);
}

static inline void net_fixture_release(struct net_fixture *n)
{
	net_release(&n->net);
	arena_free(n->mem);
	query_release(&n->q);
	profile_free(n->p);
}

/* Check the shown nodes in order, and the calls, heaviest first: "a b c", "a>b=7 b..c=3". */
static inline void expect_net(struct net_fixture *n, const char *nodes, const char *calls)
{
	struct net *net = &n->net;
	struct buf b = { 0 };

	for (uint32_t i = 0; i < net->shown.n; i++)
		buf_addf(&b, "%s%s", i ? " " : "", net->shown.name[i]);
	assert_string_equal(buf_text(&b), nodes);
	buf_release(&b);
	for (size_t i = 0; i < net->edges.n; i++) {
		const struct edge *e = &net->edges.edge[i];

		buf_addf(&b, "%s%s%s%s=%lld%s", i ? " " : "",
			 node_names_of(&net->names, nodes_place(&net->nodes, e->src)), e->residual ? ".." : ">",
			 node_names_of(&net->names, nodes_place(&net->nodes, e->dst)), (long long)e->weight,
			 e->inlined ? "i" : "");
	}
	assert_string_equal(buf_text(&b), calls);
	buf_release(&b);
}

#endif
