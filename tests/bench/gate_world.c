/*
 * gate_world.c - simulated programs
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "tests/bench/gate_world.h"

#include "base/mem.h"
#include "tests/bench/gate_rand.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* List the subtree of each function, itself first; parents have lower numbers. */
static void world_list(struct world *w)
{
	uint32_t n = 0;

	w->below = mem_alloc((size_t)WORLD_FUNCS * WORLD_FUNCS, sizeof(*w->below));
	for (int i = 0; i < WORLD_FUNCS; i++) {
		w->n_below[i] = n;
		for (int j = i; j < WORLD_FUNCS; j++) {
			int up = j;

			while (up > i)
				up = w->parent[up];
			if (up == i)
				w->below[n++] = (uint32_t)j;
		}
	}
	w->n_below[WORLD_FUNCS] = n;
}

static void world_shares(struct world *w, double target)
{
	double sum = 0;

	for (int i = 0; i < WORLD_FUNCS; i++)
		sum += w->share[i] = pow(i + 3, -1.1);
	if (target > 0)
		sum = (sum - w->share[WORLD_TARGET]) / (1 - target);
	for (int i = 0; i < WORLD_FUNCS; i++)
		w->share[i] /= sum;
	if (target > 0)
		w->share[WORLD_TARGET] = target;
}

void world_flat(struct world *w, double target)
{
	*w = (struct world){ .depth = 1 };
	world_shares(w, target);
	for (int i = 0; i < WORLD_FUNCS; i++)
		w->parent[i] = WORLD_NONE;
	world_list(w);
}

void world_tree(struct world *w, uint64_t seed)
{
	struct gate_rand r = gate_rand_start(seed, 0);
	uint32_t depth[WORLD_FUNCS] = { 1 };

	*w = (struct world){ .is_tree = true, .depth = 1 };
	world_shares(w, 0);
	w->parent[0] = WORLD_NONE;
	for (int i = 1; i < WORLD_FUNCS; i++) {
		int other = (int)(gate_rand_unit(&r) * (i + 1));
		double share = w->share[i];

		w->share[i] = w->share[other];
		w->share[other] = share;
		w->parent[i] = (int)(gate_rand_unit(&r) * i);
		depth[i] = depth[w->parent[i]] + 1;
		w->depth = depth[i] > w->depth ? depth[i] : w->depth;
	}
	world_list(w);
}

void world_release(struct world *w)
{
	free(w->below);
	w->below = NULL;
}

double world_cum_share(const struct world *w, int func)
{
	double sum = 0;

	for (uint32_t at = w->n_below[func]; at < w->n_below[func + 1]; at++)
		sum += w->share[w->below[at]];
	return sum;
}
