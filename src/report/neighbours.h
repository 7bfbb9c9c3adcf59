/*
 * neighbours.h - callers and callees of functions that may have been renamed
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef REPORT_AROUND_H
#define REPORT_AROUND_H

#include "profile/keys.h"

#include <stdbool.h>
#include <stdint.h>

enum call_direction { CALL_CALLERS, CALL_CALLEES, N_CALL_DIRECTIONS };

/* Callers and callees of the candidates of one side, weighted by their samples. */
struct neighbours {
	uint32_t n;        /* candidates */
	struct keys calls; /* direction, candidate, neighbour */
	double *weight;    /* [calls.n] */
	size_t cap_weight;
	double (*sum)[N_CALL_DIRECTIONS]; /* [n] */
	uint32_t *seen;                   /* [calls.n] last stack that was counted for the call, + 1 */
	size_t cap_seen;
};

void neighbours_init(struct neighbours *a, uint32_t n);
void neighbours_release(struct neighbours *a);

/* Add v, once per stack; calls for one stack are consecutive. */
void neighbours_add(struct neighbours *a, enum call_direction direction, uint32_t candidate, uint32_t neighbour,
		    uint32_t stack, double v);

/* Remove the neighbours that is_useful rejects. */
void neighbours_drop(struct neighbours *a, bool (*is_useful)(const void *arg, uint32_t neighbour), const void *arg);

/* The share of this neighbour among the callers or callees of a candidate, 0 to 1. */
double neighbours_share(const struct neighbours *a, enum call_direction direction, uint32_t candidate,
			uint32_t neighbour);

/* Similarity of the neighbours of two candidates. */
struct neighbours_likeness {
	double same[N_CALL_DIRECTIONS];   /* sum over neighbours of the smaller share, 0 to 1 */
	double spread[N_CALL_DIRECTIONS]; /* the noise of same: sum of sqrt(p (1 - p)), where p is the mean share */
};

/* Compare all pairs, [removed * added->n + added]; the caller frees the result. */
struct neighbours_likeness *neighbours_compare(const struct neighbours *removed, const struct neighbours *added);

#endif
