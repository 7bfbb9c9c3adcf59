/*
 * judge.c - judge the profiles that were added
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
#include <strings.h>

/* Min share of samples in common functions. If both sides are below it, they are different programs or lack symbols. */
#define COMMON_MIN 0.1

static const char *const side_word[] = { "the base", "the new side" };

/* Find the ratio new / base of the quantity that normalizes the sides: work, total, duration, or number of profiles. */
static int gate_judge_find_rho(const struct gate_sums *s, double *rho, struct err *err)
{
	double size[N_SIDES] = { 0 };

	if (s->options->normalize == GATE_WORK)
		memcpy(size, s->options->work, sizeof(size));
	else if (s->options->normalize == GATE_SHARE)
		memcpy(size, s->total, sizeof(size));
	for (uint32_t i = 0; i < s->n_files; i++) {
		const struct gate_file *f = &s->file[i];

		if (s->options->normalize == GATE_DURATION && !(f->seconds > 0))
			return err_set(err, ERR_FORMAT, "--normalize=duration: %s has no duration", f->source);
		if (s->options->normalize == GATE_DURATION)
			size[f->side] += f->seconds;
		else if (s->options->normalize == GATE_NONE)
			size[f->side] += 1;
	}
	assert(size[SIDE_NEW] > 0 && size[SIDE_BASE] > 0);
	*rho = size[SIDE_NEW] / size[SIDE_BASE];
	return 0;
}

/* Quantity that normalizes each file, base first; NULL if unknown. All runs of a side are assumed to do equal work. */
static const double *find_exposures(const struct gate_sums *s, struct arena *mem)
{
	double *size = arena_alloc(mem, s->n_files, sizeof(*size));
	uint32_t n = 0;

	if (s->options->normalize != GATE_NONE && s->options->normalize != GATE_DURATION &&
	    s->options->normalize != GATE_WORK)
		return NULL;
	for (int side = 0; side < N_SIDES; side++)
		for (uint32_t i = 0; i < s->n_files; i++)
			if ((int)s->file[i].side == side)
				size[n++] = s->options->normalize == GATE_DURATION ? s->file[i].seconds : 1;
	assert(n == s->n_files);
	return size;
}

/* The share of a side in functions that the other side has, too, including renamed functions; 0 to 1. */
static void find_common(const struct gate_sums *s, double share[N_SIDES])
{
	bool *has = mem_zalloc((size_t)s->n_funcs * N_SIDES + 1, sizeof(*has));

	for (uint32_t i = 0; i < s->n_funcs; i++)
		for (int side = 0; side < N_SIDES; side++)
			if (s->func[i].cum[side] > 0)
				has[(size_t)s->func[i].canonical * N_SIDES + (size_t)side] = true;
	for (int side = 0; side < N_SIDES; side++) {
		share[side] = 0;
		for (uint32_t i = 0; i < s->n_funcs; i++)
			if (has[(size_t)s->func[i].canonical * N_SIDES + (size_t)!side])
				share[side] += s->func[i].flat[side] / s->total[side];
		assert(share[side] >= 0);
	}
	free(has);
}

static int gate_judge_check_totals(const struct gate_sums *s, struct err *err)
{
	for (int side = 0; side < N_SIDES; side++)
		if (!(s->total[side] > 0))
			return err_set(err, ERR_FORMAT, "%s has no samples of %s; nothing to compare", side_word[side],
				       s->type && *s->type ? s->type : "any type");
	return 0;
}

/* Check that the sides have functions in common. If code was only added or only removed, the common share is still
 * large on one side. */
static int check_common(const struct gate_sums *s, struct err *err)
{
	double common[N_SIDES];

	find_common(s, common);
	if (common[SIDE_BASE] >= COMMON_MIN || common[SIDE_NEW] >= COMMON_MIN)
		return 0;
	return err_set(err, ERR_FORMAT,
		       "the two sides have hardly any function in common (%.0f%% of the base, %.0f%% of the new side); "
		       "check that they are from the same program, with symbols",
		       common[SIDE_BASE] * 100, common[SIDE_NEW] * 100);
}

/* Check that the gate lines match at least one function. Otherwise a typo would disable all tests. */
static int check_gate_lines(const struct gate_sums *s, const struct gate_rows *rows, struct err *err)
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
			if (gate_rule_matches_func(r, s, rows->old_func, f))
				return 0;
	}
	if (!first)
		return 0;
	return err_set(err, ERR_FORMAT, "%s:%" PRIu32 ": gate %s: no gate line matches a function of either side",
		       first->file, first->line, first->pattern);
}

/* Returns true if the value does not depend on the duration of a run, so there is no unchanged part to compare with. */
static bool gate_judge_is_snapshot(const struct gate_sums *s)
{
	return s->error == GATE_CENSUS || strncasecmp(s->type, "inuse", 5) == 0;
}

/* Copy the options, with the normalization that suits the values if none was requested. */
static const struct gate_options *choose_options(const struct gate_sums *s, struct arena *mem)
{
	struct gate_options *own = arena_alloc(mem, 1, sizeof(*own));

	*own = *s->options;
	if (!own->has_normalize && gate_judge_is_snapshot(s))
		own->normalize = GATE_NONE;
	return own;
}

int gate_judge(struct gate_sum *sum, struct gate *out, struct err *err)
{
	struct gate_sums s = *gate_sum_finish(sum); /* only func is modified */
	struct stats_options options = { .mode = STATS_FIXED, .rho = 1 };
	struct stats_summary judged;
	struct gate_rows rows = { 0 };
	struct stats_row *row;
	int rc = gate_judge_check_totals(&s, err);

	*out = (struct gate){ .mem = arena_new() };
	s.options = out->options = choose_options(&s, out->mem);
	options.strict = s.options->strict;
	options.noise = s.options->noise;
	options.new_max = gate_new_max(&s);
	options.adjust = s.options->adjust;
	if (s.options->normalize == GATE_BULK || s.options->normalize == GATE_REST)
		options.mode = s.options->normalize == GATE_BULK ? STATS_BULK : STATS_REST;
	else if (rc == 0)
		rc = gate_judge_find_rho(&s, &options.rho, err);
	if (rc == 0) {
		gate_find_renames(&s, out->mem, out);
		rc = check_common(&s, err);
	}
	if (rc == 0)
		rc = gate_rows_make(&s, out->mem, &rows, err);
	if (rc == 0)
		rc = check_gate_lines(&s, &rows, err);
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
