/*
 * nodes.h - nodes of a report: places of a graph, or nodes of a call tree
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ENGINE_NODES_H
#define ENGINE_NODES_H

#include "base/arena.h"
#include "engine/places.h"

#include <stdbool.h>
#include <stdint.h>

/* Borrowed columns, of the new side. */
struct nodes {
	const struct places *places;
	uint32_t n;
	const uint32_t *place;             /* [n] place of each node; NULL if node i is place i */
	const int64_t *flat, *cum;         /* [n] */
	const int64_t *flat_div, *cum_div; /* [n] divisors for a mean; else NULL */
};

static inline uint32_t nodes_place(const struct nodes *nodes, uint32_t node)
{
	return nodes->place ? nodes->place[node] : node;
}

/* Flat and cum as shown: divided if the view has a mean. Like pprof FlatValue, CumValue. */
int64_t nodes_flat(const struct nodes *nodes, uint32_t node);
int64_t nodes_cum(const struct nodes *nodes, uint32_t node);

/* value / div; value if div is 0. Like pprof WeightValue. */
int64_t nodes_mean(int64_t value, int64_t div);

/* Printed names of places, each made once. */
struct node_names {
	const struct places *places;
	struct arena *mem;
	const char **name; /* [places] names; NULL until needed */
};

void node_names_init(struct node_names *names, const struct places *pl, struct arena *mem);

/* The name of a place as printed; may contain any bytes but NUL, which is escaped. */
const char *node_names_of(struct node_names *names, uint32_t place);

/*
 * Rank some places by name.
 *
 * some    [places] which places to rank
 * mem     owns the result
 * Returns [places] ranks from 1; equal names have equal ranks; other places have 0
 */
uint32_t *node_names_rank(struct node_names *names, const bool *some, struct arena *mem);

#endif
