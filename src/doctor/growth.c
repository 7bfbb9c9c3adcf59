/*
 * growth.c - functions whose values grow over captures
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Functions of different profiles are the same if they have the same name: addresses and ids differ.
 */
#include "config.h"

#include "doctor/growth.h"

#include "base/mem.h"
#include "base/num.h"
#include "doctor/frames.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { PERIOD_MAX = 1 << 30 }; /* of a plausible distance of samples */

static struct growth_row *growth_add_row(struct growth_table *g)
{
	g->row = mem_grow(g->row, &g->cap, g->n + 1, sizeof(*g->row));
	g->row[g->n] = (struct growth_row){ 0 };
	return &g->row[g->n++];
}

/* Add the values of one profile: a row per function. */
static void growth_add_profile(struct growth_table *g, const struct profile *p, const char *type, size_t capture)
{
	const int64_t *value = p->value[doctor_frame_type(p, type)];
	uint8_t *kind = doctor_frame_kinds(p);
	int64_t *sum = mem_zalloc(p->n_funcs + 1, sizeof(*sum)),
		*largest = mem_zalloc(p->n_funcs + 1, sizeof(*largest));
	uint32_t *callers = mem_zalloc(p->n_funcs + 1, sizeof(*callers));

	for (uint32_t r = 0; r < p->n_rows; r++) {
		uint32_t own, caller;

		doctor_frame_of_stack(p, kind, p->stack[r], &own, &caller);
		own = own == PROFILE_NONE ? p->n_funcs : own;
		sum[own] = num_add_capped(sum[own], value[r]);
		g->total[capture] = num_add_capped(g->total[capture], value[r]);
		if (value[r] > largest[own]) {
			largest[own] = value[r];
			callers[own] = caller;
		}
	}
	for (uint32_t f = 0; f <= p->n_funcs; f++) {
		struct growth_row *row;

		if (sum[f] == 0)
			continue;
		row = growth_add_row(g);
		row->name = f < p->n_funcs ? profile_text(p, p->func_name[f]) : "";
		row->caller = largest[f] > 0 && callers[f] != PROFILE_NONE && f < p->n_funcs
				      ? profile_text(p, p->func_name[callers[f]])
				      : "";
		row->value[capture] = sum[f];
	}
	free(sum);
	free(largest);
	free(callers);
	free(kind);
}

static int compare_names(const void *a, const void *b)
{
	const struct growth_row *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int compare_growth(const void *a, const void *b, void *arg)
{
	const struct growth_row *x = a, *y = b;
	const struct growth_table *g = arg;
	int64_t dx = growth_of(g, x->value), dy = growth_of(g, y->value);

	return dx != dy ? (dx > dy ? -1 : 1) : strcmp(x->name, y->name);
}

/* Join the rows of a name. */
static void growth_join(struct growth_table *g)
{
	size_t n = 0;

	if (g->n)
		qsort(g->row, g->n, sizeof(*g->row), compare_names);
	for (size_t i = 0; i < g->n; i++) {
		if (n > 0 && strcmp(g->row[n - 1].name, g->row[i].name) == 0) {
			for (size_t c = 0; c < g->n_captures; c++)
				g->row[n - 1].value[c] = num_add_capped(g->row[n - 1].value[c], g->row[i].value[c]);
			if (*g->row[i].caller)
				g->row[n - 1].caller = g->row[i].caller;
		} else {
			g->row[n++] = g->row[i];
		}
	}
	g->n = n;
}

void growth_make(const struct profile *const *p, size_t n, const char *type, struct growth_table *out)
{
	assert(n > 0 && n <= GROWTH_CAPTURES_MAX);
	*out = (struct growth_table){ .n_captures = n,
				      .period = p[n - 1]->meta.period > 0 && p[n - 1]->meta.period < PERIOD_MAX
							? p[n - 1]->meta.period
							: 1 };
	for (size_t c = 0; c < n; c++)
		growth_add_profile(out, p[c], type, c);
	growth_join(out);
	if (out->n)
		qsort_r(out->row, out->n, sizeof(*out->row), compare_growth, out);
}

void growth_release(struct growth_table *g)
{
	free(g->row);
	*g = (struct growth_table){ 0 };
}

int64_t growth_of(const struct growth_table *g, const int64_t *value)
{
	return num_sub_capped(value[g->n_captures - 1], value[0]);
}

bool growth_is_steady(const struct growth_table *g, const int64_t *value)
{
	int64_t step = g->n_captures > 1 ? growth_of(g, value) / (int64_t)(g->n_captures - 1) : 0;

	for (size_t c = 1; c < g->n_captures; c++)
		if (step <= 0 || num_sub_capped(value[c], value[c - 1]) < step / 4)
			return false;
	return g->n_captures > 1;
}
