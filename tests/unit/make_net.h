/*
 * make_net.h - from a profile to the nodes and calls of a report in one step, for tests
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef TESTS_UNIT_MAKE_NET_H
#define TESTS_UNIT_MAKE_NET_H

#include "engine/net.h"
#include "tests/unit/make_labels.h"
#include "tests/unit/make_profile.h"

/* A profile, a question about it and what a report makes of both. Needs cmocka.h before it. */
struct netted {
	struct profile *p;
	struct query q;
	struct arena *mem;
	struct view v;
	struct label_units units;
	struct net net;
};

/* Seal the profile; the question has no limits. */
static inline void net_about(struct netted *n, struct make *m)
{
	*n = (struct netted){ .p = make_end(m), .mem = arena_new() };
	query_init(&n->q);
	n->q.nodecount = 0;
	n->q.nodefraction = n->q.edgefraction = 0;
}

static inline void net_ask(struct netted *n, bool picture)
{
	struct err err;

	if (view_make(n->p, &n->q, n->mem, &n->v, NULL, &err) < 0)
		fail_msg("%s", err.msg);
	label_units_make(n->p, n->mem, &n->units, NULL);
	if (net_make(&n->v, &n->q, picture, &n->units, n->mem, &n->net, &err) < 0)
		fail_msg("%s", err.msg);
	net_calls(&n->net, &n->q, NULL, n->mem);
}

/* Ask once more, about the same profile. */
static inline void net_ask_again(struct netted *n, bool picture)
{
	net_release(&n->net);
	net_ask(n, picture);
}

static inline void net_done(struct netted *n)
{
	net_release(&n->net);
	arena_free(n->mem);
	query_release(&n->q);
	profile_free(n->p);
}

/* The shown nodes in their order, and the calls, heaviest first: "a b c", "a>b=7 b..c=3". */
static inline void expect_net(struct netted *n, const char *nodes, const char *calls)
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
