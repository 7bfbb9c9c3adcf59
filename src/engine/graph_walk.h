/*
 * graph_walk.h - add the value of a stack to each of its places
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ENGINE_GRAPH_WALK_H
#define ENGINE_GRAPH_WALK_H

#include "engine/places.h"

#include <stdint.h>

/* Frames per batch. Locations with several places are handled at its end. */
enum { WALK_LOT = 256 };

/* Fields that the walk accesses for every frame, kept together for the CPU cache. */
struct graph_sum {
	int64_t cum;
	uint32_t seen; /* last stack counted, + 1 */
};

/* Branchless, because the branch predictor cannot predict which places recur on a stack. */
static inline void sum_add(struct graph_sum *at, uint32_t stack, int64_t v)
{
	at->cum += v & -(int64_t)(at->seen != stack);
	at->seen = stack;
}

/* Add the places of locations that have several. Nearly all have two or three; padding lets both be handled alike. */
static inline void walk_several(const struct places *pl, const uint32_t *code, uint32_t n, struct graph_sum *sum,
				uint32_t stack, int64_t v)
{
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t *place = pl->many + (code[i] - PLACES_MANY);

		sum_add(&sum[1 + pl->n + places_several(code[i])], stack, v);
		for (uint32_t k = 1; k <= PLACES_PADDED; k++)
			sum_add(&sum[1 + place[k]], stack, v);
		for (uint32_t k = 1 + PLACES_PADDED; k <= place[0]; k++)
			sum_add(&sum[1 + place[k]], stack, v);
	}
}

#endif
