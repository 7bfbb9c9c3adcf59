/*
 * gate_scene.c - what a gate says of profiles whose changes are known
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Functions become classes and cells; rows are made as the gate makes them: cum rows at or above 1 % of a side and
 * 40 samples, of a chain whose samples differ by at most 5 % only the lowest, and flat rows where they say
 * something new.
 */
#include "config.h"

#include "tests/bench/gate_world.h"

#include "base/mem.h"
#include "engine/stats/judge.h"
#include "tests/bench/gate_rand.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_RUNS = 16, MOST_ROWS = 2 * WORLD_FUNCS };

static const double min_share = 0.01, min_samples = 40, threshold = 0.2;
static const double fail_p = 0.01, suspect_p = 0.1;

struct trial {
	const struct scene *scene;
	double file[2 * MOST_RUNS][WORLD_FUNCS]; /* base, then new */
	double flat[2][WORLD_FUNCS], cum[2][WORLD_FUNCS];
	double total[2];
	uint32_t cell[WORLD_FUNCS];
	uint32_t n_rows;
	int row_func[MOST_ROWS];
	bool row_is_flat[MOST_ROWS], row_is_reference[MOST_ROWS];
	double row_limit[MOST_ROWS], row_noise[MOST_ROWS];
	uint32_t row_off[MOST_ROWS + 1], *row_class;
	double row_file[MOST_ROWS * 2 * MOST_RUNS], file_total[2 * MOST_RUNS];
	struct stats_row row[MOST_ROWS];
};

static double factor_of(const struct scene *s, int func)
{
	return s->factor[func] > 0 ? s->factor[func] : 1;
}

/* Both sides have their expected number of samples, whatever became slower: they were captured equally long. */
static void draw(struct trial *t, struct gate_rand *r)
{
	const struct scene *s = t->scene;
	double all[2] = { 0 };

	for (int i = 0; i < WORLD_FUNCS; i++) {
		all[0] += s->world->share[i];
		all[1] += s->world->share[i] * factor_of(s, i);
	}
	for (unsigned f = 0; f < 2 * s->runs; f++) {
		int side = f >= s->runs;

		for (int i = 0; i < WORLD_FUNCS; i++) {
			double sd = s->fifth > 0 && i % 5 == 0 && i != WORLD_TARGET ? s->fifth : s->noise;
			double mean = s->samples[side] / s->runs * s->world->share[i] / all[side];

			if (side)
				mean *= factor_of(s, i);
			if (sd > 0)
				mean *= exp(sd * gate_rand_normal(r) - sd * sd / 2);
			t->file[f][i] = gate_rand_poisson(r, mean);
		}
	}
}

static void add_up(struct trial *t)
{
	const struct world *w = t->scene->world;

	for (int side = 0; side < 2; side++) {
		t->total[side] = 0;
		for (int i = 0; i < WORLD_FUNCS; i++) {
			t->flat[side][i] = 0;
			for (unsigned f = 0; f < t->scene->runs; f++)
				t->flat[side][i] += t->file[f + (side ? t->scene->runs : 0)][i];
			t->cum[side][i] = t->flat[side][i];
			t->total[side] += t->flat[side][i];
		}
		for (int i = WORLD_FUNCS; i-- > 0;)
			if (w->parent[i] != WORLD_NONE)
				t->cum[side][w->parent[i]] += t->cum[side][i];
	}
}

static bool is_above_floors(const struct trial *t, double base, double new)
{
	return fmax(base / t->total[0], new / t->total[1]) >= min_share && base + new >= min_samples;
}

static void add_row(struct trial *t, int func, bool is_flat)
{
	const struct world *w = t->scene->world;
	uint32_t row = t->n_rows++, at = t->row_off[row];
	uint32_t n = is_flat ? 1 : w->n_below[func + 1] - w->n_below[func];
	unsigned n_files = 2 * t->scene->runs;

	t->row_func[row] = func;
	t->row_is_flat[row] = is_flat;
	t->row_is_reference[row] = !is_flat;
	t->row_limit[row] = threshold;
	t->row_noise[row] = 0.02;
	for (unsigned f = 0; f < n_files; f++)
		t->row_file[row * n_files + f] = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t class = w->below[w->n_below[func] + i];

		t->row_class[at++] = class;
		for (unsigned f = 0; f < n_files; f++)
			t->row_file[row * n_files + f] += t->file[f][class];
	}
	t->row_off[row + 1] = at;
}

static void make_rows(struct trial *t)
{
	const struct world *w = t->scene->world;
	bool is_merged[WORLD_FUNCS] = { false };

	t->n_rows = 0;
	for (int i = 1; i < WORLD_FUNCS; i++)
		if (w->parent[i] != WORLD_NONE &&
		    t->cum[0][i] + t->cum[1][i] >= 0.95 * (t->cum[0][w->parent[i]] + t->cum[1][w->parent[i]]))
			is_merged[w->parent[i]] = true;
	for (int i = 0; i < WORLD_FUNCS; i++) {
		double flat = t->flat[0][i] + t->flat[1][i], cum = t->cum[0][i] + t->cum[1][i];

		if (!is_merged[i] && is_above_floors(t, t->cum[0][i], t->cum[1][i]))
			add_row(t, i, false);
		if (flat < 0.9 * cum && is_above_floors(t, t->flat[0][i], t->flat[1][i]))
			add_row(t, i, true);
	}
}

static void judge(struct trial *t)
{
	static const struct stats_options how = { .mode = STATS_BULK, .noise = 0.02, .adjust = STATS_HOLM };
	unsigned runs = t->scene->runs;
	struct stats_judged judged;
	struct stats_counts c = { .n_classes = WORLD_FUNCS,
				  .n_cells = WORLD_FUNCS,
				  .n_rows = t->n_rows,
				  .cell = t->cell,
				  .value = { t->flat[0], t->flat[1] },
				  .var = { t->flat[0], t->flat[1] },
				  .row_off = t->row_off,
				  .row_class = t->row_class,
				  .row_is_reference = t->row_is_reference,
				  .row_limit = t->row_limit,
				  .row_noise = t->row_noise,
				  .n_files = { runs, runs } };

	if (runs > 1) {
		for (unsigned f = 0; f < 2 * runs; f++) {
			t->file_total[f] = 0;
			for (int i = 0; i < WORLD_FUNCS; i++)
				t->file_total[f] += t->file[f][i];
		}
		c.row_file = t->row_file;
		c.file_total = t->file_total;
	}
	stats_judge(&c, &how, t->row, &judged);
}

static bool is_slower(const struct trial *t, uint32_t row)
{
	double before = 0, after = 0;

	for (uint32_t at = t->row_off[row]; at < t->row_off[row + 1]; at++) {
		before += t->scene->world->share[t->row_class[at]];
		after += t->scene->world->share[t->row_class[at]] * factor_of(t->scene, (int)t->row_class[at]);
	}
	return after > before * (1 + 1e-9);
}

/* Is a function slower by the rule that people write first: above 1 % and its share grew by more than 20 %? */
static bool is_naive(const struct trial *t, int func)
{
	double share[2];

	for (int side = 0; side < 2; side++)
		share[side] = t->flat[side][func] / t->total[side];
	return share[0] >= min_share && share[1] > (1 + threshold) * share[0];
}

static void count(const struct trial *t, struct tally *out)
{
	const struct scene *s = t->scene;
	bool naive = false, fail = false, suspect = false;

	for (int i = 0; i < WORLD_FUNCS; i++)
		if (is_naive(t, i)) {
			out->hit_naive += i == s->target;
			naive |= factor_of(s, i) <= 1;
		}
	for (uint32_t i = 0; i < t->n_rows; i++) {
		const struct stats_row *row = &t->row[i];

		out->tests += !isnan(row->p);
		if (!(row->ratio > 1 + threshold && row->p_adjusted < suspect_p))
			continue;
		if (t->row_func[i] == s->target && !t->row_is_flat[i]) {
			out->hit_fail += row->p_adjusted < fail_p;
			out->hit_suspect++;
		}
		if (!is_slower(t, i)) {
			fail |= row->p_adjusted < fail_p;
			suspect = true;
		}
	}
	out->trials++;
	out->naive += naive;
	out->fail += fail;
	out->suspect += suspect;
}

void scene_try(const struct scene *s, unsigned first, unsigned end, unsigned step, struct tally *out)
{
	struct trial *t = mem_zalloc(1, sizeof(*t));

	t->scene = s;
	t->row_class = mem_alloc((size_t)s->world->n_below[WORLD_FUNCS] + WORLD_FUNCS, sizeof(*t->row_class));
	for (uint32_t i = 0; i < WORLD_FUNCS; i++)
		t->cell[i] = i;
	for (unsigned trial = first; trial < end; trial += step) {
		struct gate_rand r = gate_rand_start(s->seed, trial);

		draw(t, &r);
		add_up(t);
		make_rows(t);
		judge(t);
		count(t, out);
	}
	free(t->row_class);
	free(t);
}
