/*
 * make_gate.h - sums of a gate, for tests
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef TESTS_UNIT_MAKE_GATE_H
#define TESTS_UNIT_MAKE_GATE_H

#include "base/mem.h"
#include "report/gate/gate_int.h"

#include <stdlib.h>
#include <string.h>

/* A builder of sums: add stacks, then seal it. Include cmocka.h first. */
struct made_gate {
	struct gate_options options;
	struct gate_sums s;
	uint32_t *off, *func, n; /* stacks */
	double *value[N_SIDES];
	size_t cap_off, cap_func, cap_value, cap_funcs;
};

static inline void made_start(struct made_gate *g)
{
	*g = (struct made_gate){ .cap_off = 0 };
	g->options = (struct gate_options){ .threshold = 0.2,
					    .need_share = 0.1,
					    .need_ratio = 1.5,
					    .max_new = 0.05,
					    .confidence = 0.99,
					    .alpha = 0.01,
					    .alpha_suspect = 0.1,
					    .min_share = 0.01,
					    .min_samples = 40,
					    .noise = 0.02,
					    .look = 1,
					    .looks = 1,
					    .mem = arena_new() };
	g->s = (struct gate_sums){ .options = &g->options,
				   .is_time = true,
				   .type = "samples",
				   .unit = "count",
				   .period_unit = "nanoseconds",
				   .mem = arena_new() };
	g->off = mem_grow(g->off, &g->cap_off, 1, sizeof(*g->off));
	g->off[0] = 0;
}

/* Find or add the function "name" or "name|file|line". */
static inline uint32_t made_func(struct made_gate *g, const char *text, size_t n)
{
	char *name = arena_strndup(g->s.mem, text, n), *file = strchr(name, '|'), *line;
	uint32_t i = 0;

	if (file)
		*file++ = 0;
	line = file ? strchr(file, '|') : NULL;
	if (line)
		*line++ = 0;
	while (i < g->s.n_funcs && strcmp(g->s.func[i].name, name))
		i++;
	if (i < g->s.n_funcs)
		return i;
	g->s.func = mem_grow(g->s.func, &g->cap_funcs, (size_t)i + 1, sizeof(*g->s.func));
	g->s.func[i] = (struct gate_func){
		.name = name, .file = file ? file : "", .line = line ? atoi(line) : 0, .canonical = i
	};
	return g->s.n_funcs++;
}

/* Add a stack, leaf first: "leaf caller|file.c|12 root"; "" means no frames. */
static inline void made_stack(struct made_gate *g, const char *stack, double base, double fresh)
{
	const double value[N_SIDES] = { base, fresh };
	uint32_t i = g->n++, at = g->off[i];

	for (const char *c = stack; *c; c += c[strcspn(c, " ")] != 0) {
		size_t n = strcspn(c, " ");

		g->func = mem_grow(g->func, &g->cap_func, (size_t)at + 1, sizeof(*g->func));
		g->func[at++] = made_func(g, c, n);
		c += n;
	}
	g->off = mem_grow(g->off, &g->cap_off, (size_t)i + 2, sizeof(*g->off));
	g->off[i + 1] = at;
	for (int side = 0; side < N_SIDES; side++) {
		size_t cap = g->cap_value;

		g->value[side] = mem_grow(g->value[side], &cap, (size_t)i + 1, sizeof(**g->value));
		g->value[side][i] = value[side];
		if (side == SIDE_NEW)
			g->cap_value = cap;
	}
}

/* Add a line of gate.cpa. */
static inline struct gate_rule *made_rule(struct made_gate *g, enum gate_rule_kind kind, const char *pattern,
					  double amount)
{
	struct gate_rule *r;
	struct err err;

	g->options.rule = mem_grow(g->options.rule, &g->options.cap_rules, g->options.n_rules + 1, sizeof(*r));
	r = &g->options.rule[g->options.n_rules++];
	*r = (struct gate_rule){ .kind = kind,
				 .pattern = pattern,
				 .amount = amount,
				 .reason = "",
				 .until = "",
				 .to = "",
				 .file = "gate.cpa" };
	if (regex_new(pattern, &r->regex, &err) < 0)
		fail_msg("%s", err.msg);
	return r;
}

static inline void made_sum_stack(struct made_gate *g, uint32_t i)
{
	for (uint32_t k = g->off[i]; k < g->off[i + 1]; k++) {
		struct gate_func *f = &g->s.func[g->func[k]];
		bool again = false;

		for (uint32_t j = g->off[i]; j < k; j++)
			again |= g->func[j] == g->func[k];
		for (int side = 0; side < N_SIDES; side++) {
			double v = g->value[side][i];

			f->cum[side] += again ? 0 : v;
			f->flat[side] += k == g->off[i] ? v : 0;
			f->cum_var[side] = f->cum[side];
			f->flat_var[side] = f->flat[side];
		}
	}
}

/* Add n files to a side, each with an equal part of its sums. */
static inline void made_files(struct made_gate *g, enum side side, uint32_t n)
{
	struct gate_file *file = arena_alloc(g->s.mem, g->s.n_files + n, sizeof(*file));

	for (uint32_t i = 0; i < g->s.n_files; i++)
		file[i] = g->s.file[i];
	for (uint32_t i = 0; i < n; i++) {
		struct gate_part *part = arena_alloc(g->s.mem, (size_t)g->s.n_funcs + 1, sizeof(*part));
		uint32_t n_parts = 0;

		for (uint32_t f = 0; f < g->s.n_funcs; f++)
			if (g->s.func[f].cum[side] > 0)
				part[n_parts++] = (struct gate_part){ f, g->s.func[f].cum[side] / n,
								      g->s.func[f].flat[side] / n };
		file[g->s.n_files++] = (struct gate_file){ .side = side,
							   .source = side == SIDE_BASE ? "base.pb" : "new.pb",
							   .value = g->s.total[side] / n,
							   .var = g->s.var[side] / n,
							   .build_id = "",
							   .host = "",
							   .binary = "",
							   .n_parts = n_parts,
							   .part = part };
	}
	g->s.file = file;
}

/* Make the stacks of both sides. A location is a function. */
static inline void made_sides(struct made_gate *g)
{
	struct gate_stacks *side = arena_zalloc(g->s.mem, N_SIDES, sizeof(*side));
	struct csr funcs = { .n = g->s.n_funcs };
	struct stack_lists stacks = { .n = g->n, .off = g->off, .width = STACK_WIDE };

	stacks.packed = arena_alloc(g->s.mem, stack_bytes(g->off[g->n], STACK_WIDE), 1);
	for (uint32_t i = 0; i < g->off[g->n]; i++)
		stack_store(stack_address(&stacks, i), STACK_WIDE, g->func[i]);
	funcs.off = arena_alloc(g->s.mem, (size_t)funcs.n + 1, sizeof(*funcs.off));
	funcs.item = arena_zalloc(g->s.mem, (size_t)funcs.n + 3, sizeof(*funcs.item));
	for (uint32_t i = 0; i <= funcs.n; i++)
		funcs.off[i] = i;
	for (uint32_t i = 0; i < funcs.n; i++)
		funcs.item[i] = i;
	for (int i = 0; i < N_SIDES; i++) {
		side[i] = (struct gate_stacks){
			.side = (enum side)i, .stacks = stacks, .funcs = funcs, .value = g->value[i], .var = g->value[i]
		};
		g->s.var[i] = g->s.total[i];
	}
	g->s.n_stacks = N_SIDES;
	g->s.stacks = side;
	g->s.folds = arena_zalloc(g->s.mem, (size_t)g->s.n_funcs + 1, 1);
}

/* Make functions, totals and files from the stacks. */
static inline void made_seal(struct made_gate *g, uint32_t n_base, uint32_t n_new)
{
	for (uint32_t i = 0; i < g->n; i++) {
		made_sum_stack(g, i);
		for (int side = 0; side < N_SIDES; side++)
			g->s.total[side] += g->value[side][i];
	}
	made_sides(g);
	made_files(g, SIDE_BASE, n_base);
	made_files(g, SIDE_NEW, n_new);
}

static inline void made_release(struct made_gate *g)
{
	for (size_t i = 0; i < g->options.n_rules; i++)
		regex_free(g->options.rule[i].regex);
	free(g->options.rule);
	free(g->s.func);
	free(g->off);
	free(g->func);
	free(g->value[SIDE_BASE]);
	free(g->value[SIDE_NEW]);
	arena_free(g->options.mem);
	arena_free(g->s.mem);
}

#endif
