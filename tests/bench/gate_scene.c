/*
 * gate_scene.c - results of a gate for simulated profiles with known changes
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Profiles are random, made in memory, and judged by the gate with default options, like files of a user.
 */
#include "config.h"

#include "tests/bench/gate_world.h"

#include "base/mem.h"
#include "engine/query.h"
#include "profile/builder.h"
#include "report/gate/gate.h"
#include "tests/bench/gate_rand.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_SIDES_HERE = 2, PERIOD_NS = 10000000, STACK_MAX = WORLD_FUNCS + 1, NAME_MAX_HERE = 32 };

static const double min_share = 0.01, threshold = 0.2;

struct trial {
	const struct scene *scene;
	struct gate_options options;
	struct query query;
	double count[N_SIDES_HERE][WORLD_FUNCS], total[N_SIDES_HERE]; /* stacks by leaf, over all files of a side */
	struct gate gate;
};

void scene_set_side(struct scene *s, int side, unsigned runs, double samples)
{
	s->runs[side] = runs;
	for (unsigned i = 0; i < runs; i++)
		s->samples[side][i] = samples / runs;
}

void scene_set_sides(struct scene *s, unsigned runs, double samples)
{
	for (int side = 0; side < N_SIDES_HERE; side++)
		scene_set_side(s, side, runs, samples);
}

static bool is_memory_bound(int func)
{
	return func % 10 == 5;
}

/* The true cost of a function on a side; the total of base is 1 unless functions are added. */
static double cost_of(const struct scene *s, int side, int func)
{
	double cost = s->world->share[func];

	if (side == 0)
		return s->is_added[func] ? 0 : cost;
	return s->factor[func] > 0 ? cost * s->factor[func] : cost;
}

/* The frames of a function's stacks, leaf first, without functions that are inlined on that side. */
static uint32_t frames_of(const struct scene *s, int side, int func, uint32_t *frame)
{
	uint32_t n = 0;

	for (int at = func; at != WORLD_NONE; at = s->world->parent[at])
		if (!s->is_without_frame[side][at])
			frame[n++] = (uint32_t)at;
	return n;
}

static str_id text_of(struct builder *b, const char *s)
{
	return strtab_add(builder_strings(b), s, strlen(s));
}

static void check(int rc, const struct err *err)
{
	if (rc >= 0)
		return;
	fprintf(stderr, "gate_sim: %s\n", err->msg);
	_Exit(2);
}

/* Start a profile: types, period, and a location for each function and for the preemption frame. */
static struct builder *start_file(const struct scene *s, int side)
{
	struct builder *b = builder_new();
	struct profile_meta *meta = builder_meta(b);
	str_id cpu = text_of(b, "cpu"), nanoseconds = text_of(b, "nanoseconds");
	struct err err;

	if (s->counts != SCENE_TICKS)
		builder_type(b, text_of(b, "samples"), text_of(b, "count"));
	builder_type(b, cpu, nanoseconds);
	meta->has_period_type = true;
	meta->period_type.name = cpu;
	meta->period_type.unit = nanoseconds;
	meta->period = PERIOD_NS;
	for (int i = 0; i <= WORLD_FUNCS; i++) {
		char name[NAME_MAX_HERE] = "runtime.asyncPreempt";
		struct builder_function f = { .id = (uint64_t)i + 1 };
		struct builder_location l = { .id = (uint64_t)i + 1, .map = PROFILE_NONE };
		struct builder_line line = { .no = 1 };
		uint32_t id;

		if (i < WORLD_FUNCS)
			snprintf(name, sizeof(name), "%s.f%d", side && s->is_renamed[i] ? "renamed" : "main", i);
		f.name = text_of(b, name);
		check(builder_function(b, &f, &line.func, &err), &err);
		check(builder_location(b, &l, &line, 1, &id, &err), &err);
	}
	return b;
}

/* A random number of ticks of these stacks: each has 1 plus a geometric number of missed ticks. */
static double draw_ticks(const struct scene *s, double stacks, struct gate_rand *r)
{
	double ticks = stacks, p_more = s->missed / (1 + s->missed);

	for (double i = 0; s->missed > 0 && i < stacks; i++)
		while (gate_rand_unit(r) < p_more)
			ticks++;
	return ticks;
}

static void add_rows(struct trial *t, struct builder *b, int side, int func, double stacks, struct gate_rand *r)
{
	uint32_t frame[STACK_MAX + 1], n = frames_of(t->scene, side, func, frame + 1);
	double preempted = 0;

	for (double i = 0; t->scene->preempted[side] > 0 && i < stacks; i++)
		preempted += gate_rand_unit(r) < t->scene->preempted[side];
	frame[0] = WORLD_FUNCS;
	for (int is_preempted = 0; is_preempted < 2; is_preempted++) {
		double of = is_preempted ? preempted : stacks - preempted;
		int64_t ns = (int64_t)draw_ticks(t->scene, of, r) * PERIOD_NS;
		int64_t both[] = { (int64_t)of, ns };
		struct err err;

		if (of > 0)
			check(builder_sample(b, t->scene->counts == SCENE_TICKS ? &ns : both, frame + !is_preempted,
					     n + (uint32_t)is_preempted, NULL, 0, &err),
			      &err);
	}
}

/*
 * Make a random file. The expected number of stacks is fixed, even if functions are slower: all files cover equal
 * times.
 */
static struct profile *draw_file(struct trial *t, int side, double samples, struct gate_rand *r)
{
	const struct scene *s = t->scene;
	struct builder *b = start_file(s, side);
	struct profile *p;
	double total_cost = 0;

	for (int i = 0; i < WORLD_FUNCS; i++)
		total_cost += cost_of(s, side, i);
	for (int i = 0; i < WORLD_FUNCS; i++) {
		double sd = s->fifth > 0 && i % 5 == 0 && i != WORLD_TARGET ? s->fifth : s->noise, stacks;
		double mean = samples * cost_of(s, side, i) / total_cost;

		if (sd > 0)
			mean *= exp(sd * gate_rand_normal(r) - sd * sd / 2);
		if (side && s->contended > 0 && is_memory_bound(i))
			mean *= s->contended;
		stacks = gate_rand_poisson(r, mean);
		t->count[side][i] += stacks;
		t->total[side] += stacks;
		add_rows(t, b, side, i, stacks, r);
	}
	p = builder_seal(b);
	builder_free(b);
	return p;
}

static void run_gate(struct trial *t, struct gate_rand *r)
{
	struct profile *file[N_SIDES_HERE * SCENE_RUNS_MAX];
	struct gate_sum *sum = gate_sum_new(&t->options);
	struct buf notes = { 0 };
	unsigned n_files = 0;
	struct err err;

	memset(t->count, 0, sizeof(t->count));
	memset(t->total, 0, sizeof(t->total));
	for (int side = 0; side < N_SIDES_HERE; side++)
		for (unsigned f = 0; f < t->scene->runs[side]; f++) {
			struct profile *p = draw_file(t, side, t->scene->samples[side][f], r);
			char name[NAME_MAX_HERE];

			snprintf(name, sizeof(name), "%s%u", side ? "new" : "base", f);
			check(gate_sum_add(sum, (enum side)side, p, name, &t->query, &notes, &err), &err);
			file[n_files++] = p;
		}
	check(gate_judge(sum, &t->gate, &err), &err);
	gate_sum_free(sum);
	for (unsigned i = 0; i < n_files; i++)
		profile_free(file[i]);
	buf_release(&notes);
}

/* The function of a row; WORLD_NONE for other rows. */
static int func_of(const struct gate_row *row)
{
	const char *number = strstr(row->name, ".f");

	return row->kind != GATE_TOTAL && number ? atoi(number + 2) : WORLD_NONE;
}

static bool is_slower(const struct scene *s, const struct gate_row *row)
{
	const struct world *w = s->world;
	double cost[N_SIDES_HERE] = { 0 };
	int func = func_of(row);
	uint32_t end;

	if (func == WORLD_NONE)
		return true;
	end = row->kind == GATE_CUM ? w->n_below[func + 1] : w->n_below[func] + 1;
	for (uint32_t at = w->n_below[func]; at < end; at++)
		for (int side = 0; side < N_SIDES_HERE; side++)
			cost[side] += cost_of(s, side, (int)w->below[at]);
	return cost[1] > cost[0] * (1 + 1e-9);
}

/* Is a function slower by a naive rule: share above 1 % and grown by more than 20 %? */
static bool is_naive(const struct trial *t, int func)
{
	double share[N_SIDES_HERE];

	for (int side = 0; side < N_SIDES_HERE; side++)
		share[side] = t->count[side][func] / t->total[side];
	return share[0] >= min_share && share[1] > (1 + threshold) * share[0];
}

static void count(const struct trial *t, struct tally *out)
{
	const struct scene *s = t->scene;
	bool naive = false, fail = false, suspect = false, hit_fail = false, hit_suspect = false;

	for (int i = 0; i < WORLD_FUNCS; i++)
		if (is_naive(t, i)) {
			out->hit_naive += i == s->target;
			naive |= cost_of(s, 1, i) <= cost_of(s, 0, i) * (1 + 1e-9);
		}
	for (uint32_t i = 0; i < t->gate.n_rows; i++) {
		const struct gate_row *row = &t->gate.row[i];

		if (row->verdict != GATE_FAIL && row->verdict != GATE_SUSPECT)
			continue;
		if (func_of(row) == s->target && row->kind == GATE_CUM) {
			hit_fail |= row->verdict == GATE_FAIL;
			hit_suspect = true;
		}
		if (!is_slower(s, row)) {
			fail |= row->verdict == GATE_FAIL;
			suspect = true;
		}
	}
	out->trials++;
	out->tests += t->gate.n_tests;
	out->naive += naive;
	out->fail += fail;
	out->suspect += suspect;
	out->unsure += t->gate.outcome == GATE_INCONCLUSIVE;
	out->hit_fail += hit_fail;
	out->hit_suspect += hit_suspect;
}

void scene_run_trials(const struct scene *s, unsigned first, unsigned end, unsigned step, struct tally *out)
{
	struct trial *t = mem_zalloc(1, sizeof(*t));
	struct err err;

	t->scene = s;
	query_init(&t->query);
	check(gate_options_make(&t->query, NULL, &t->options, &err), &err);
	for (unsigned trial = first; trial < end; trial += step) {
		struct gate_rand r = gate_rand_start(s->seed, trial);

		run_gate(t, &r);
		count(t, out);
		gate_release(&t->gate);
	}
	gate_options_release(&t->options);
	query_release(&t->query);
	free(t);
}
