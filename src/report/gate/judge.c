/*
 * judge.c - from the profiles that were taken in to the answer
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "report/gate/rows_int.h"

#include "base/arena.h"
#include "base/mem.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Less of both sides in functions of both is no comparison: another program, or names that say nothing. */
#define LEAST_COMMON 0.1

static const char *const side_word[] = { "the base", "the new side" };

/* What new had opportunity for, over base. */
static int find_rho(const struct gate_sums *s, double *rho, struct err *err)
{
	double size[N_STATS_SIDES] = { 0 };

	if (s->options->normalize == GATE_WORK)
		memcpy(size, s->options->work, sizeof(size));
	else if (s->options->normalize == GATE_SHARE)
		memcpy(size, s->total, sizeof(size));
	for (uint32_t i = 0; i < s->n_files; i++) {
		const struct gate_file *f = &s->file[i];

		if (s->options->normalize == GATE_DURATION && !(f->seconds > 0))
			return err_set(err, ERR_FORMAT, "--normalize=duration: %s does not say how long it took",
				       f->source);
		if (s->options->normalize == GATE_DURATION)
			size[f->side] += f->seconds;
		else if (s->options->normalize == GATE_NONE)
			size[f->side] += 1;
	}
	assert(size[STATS_NEW] > 0 && size[STATS_BASE] > 0);
	*rho = size[STATS_NEW] / size[STATS_BASE];
	return 0;
}

/* How much each file had opportunity for, of base first; NULL when it is not known. A side's runs did equal work. */
static const double *find_exposures(const struct gate_sums *s, struct arena *mem)
{
	double *size = arena_alloc(mem, s->n_files, sizeof(*size));
	uint32_t n = 0;

	if (s->options->normalize != GATE_NONE && s->options->normalize != GATE_DURATION &&
	    s->options->normalize != GATE_WORK)
		return NULL;
	for (int side = 0; side < N_STATS_SIDES; side++)
		for (uint32_t i = 0; i < s->n_files; i++)
			if ((int)s->file[i].side == side)
				size[n++] = s->options->normalize == GATE_DURATION ? s->file[i].seconds : 1;
	assert(n == s->n_files);
	return size;
}

/* How much of a side is in functions that the other side has too, renamed ones included; 0 to 1. */
static void find_common(const struct gate_sums *s, double share[N_STATS_SIDES])
{
	bool *has = mem_zalloc((size_t)s->n_funcs * N_STATS_SIDES + 1, sizeof(*has));

	for (uint32_t i = 0; i < s->n_funcs; i++)
		for (int side = 0; side < N_STATS_SIDES; side++)
			if (s->func[i].cum[side] > 0)
				has[(size_t)s->func[i].is * N_STATS_SIDES + (size_t)side] = true;
	for (int side = 0; side < N_STATS_SIDES; side++) {
		share[side] = 0;
		for (uint32_t i = 0; i < s->n_funcs; i++)
			if (has[(size_t)s->func[i].is * N_STATS_SIDES + (size_t)!side])
				share[side] += s->func[i].flat[side] / s->total[side];
		assert(share[side] >= 0);
	}
	free(has);
}

static int check_totals(const struct gate_sums *s, struct err *err)
{
	for (int side = 0; side < N_STATS_SIDES; side++)
		if (!(s->total[side] > 0))
			return err_set(err, ERR_FORMAT, "%s has no samples of %s: there is nothing to compare",
				       side_word[side], s->type && *s->type ? s->type : "any type");
	return 0;
}

/* Is there enough in common? Code that only went, or only came, leaves one of the sides as it was. */
static int check_common(const struct gate_sums *s, struct err *err)
{
	double common[N_STATS_SIDES];

	find_common(s, common);
	if (common[STATS_BASE] >= LEAST_COMMON || common[STATS_NEW] >= LEAST_COMMON)
		return 0;
	return err_set(
		err, ERR_FORMAT,
		"the two sides have next to no function in common (%.0f%% of the base, %.0f%% of the new side): are "
		"they of the same program, with names?",
		common[STATS_BASE] * 100, common[STATS_NEW] * 100);
}

/* A gate whose gate lines mean nothing that there is would judge nothing, whatever happens: a slip of the pen. */
static int check_asked(const struct gate_sums *s, const struct gate_rows *rows, struct err *err)
{
	const struct gate_rule *first = NULL;

	for (size_t i = 0; i < s->options->n_rules; i++) {
		const struct gate_rule *r = &s->options->rule[i];

		if (r->kind != GATE_ONLY)
			continue;
		first = first ? first : r;
		if (r->n_used > 0)
			return 0;
		for (uint32_t f = 0; f < s->n_funcs; f++)
			if (gate_rule_fits_func(r, s, rows->was, f))
				return 0;
	}
	if (!first)
		return 0;
	return err_set(err, ERR_FORMAT, "%s:%" PRIu32 ": gate %s: no gate line means a function of either side",
		       first->file, first->line, first->pattern);
}

int gate_judge(struct gate_sum *sum, struct gate *out, struct err *err)
{
	struct gate_sums s = *gate_sum_all(sum); /* func may be changed, the rest is not */
	struct stats_options options = { .mode = STATS_FIXED, .rho = 1 };
	struct stats_judged judged;
	struct gate_rows rows = { 0 };
	struct stats_row *row;
	int rc = check_totals(&s, err);

	*out = (struct gate){ .options = s.options };
	if (rc < 0)
		return rc;
	options.strict = s.options->strict;
	options.noise = s.options->noise;
	options.adjust = s.options->adjust;
	if (s.options->normalize == GATE_BULK || s.options->normalize == GATE_REST)
		options.mode = s.options->normalize == GATE_BULK ? STATS_BULK : STATS_REST;
	else
		rc = find_rho(&s, &options.rho, err);
	if (rc < 0)
		return rc;
	out->mem = arena_new();
	gate_find_renames(&s, out->mem, out);
	rc = check_common(&s, err);
	if (rc == 0)
		rc = gate_rows_make(&s, out->mem, &rows, err);
	if (rc == 0)
		rc = check_asked(&s, &rows, err);
	if (rc < 0) {
		gate_release(out);
		return rc;
	}
	rows.counts.file_exposure = find_exposures(&s, out->mem);
	row = mem_alloc((size_t)rows.n + 1, sizeof(*row));
	stats_judge(&rows.counts, &options, row, &judged);
	gate_decide(&s, &rows, &judged, out);
	free(row);
	return 0;
}
