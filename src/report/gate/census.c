/*
 * census.c - verdicts of exact counts: threads and goroutines at one moment
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Nothing was sampled, so there is no sampling error, and one pair of profiles can decide. The count at one moment
 * varies a little between runs; an increase of less than MORE_MIN is never a failure.
 */
#include "config.h"

#include "report/gate/decision.h"

#include <assert.h>
#include <math.h>

#define MORE_MIN 3.0

bool gate_is_exact(const struct gate_sums *s)
{
	return s->error == GATE_CENSUS && s->options->normalize == GATE_NONE;
}

/* Find the smallest and largest value of a row in the files of a side. */
static void census_find_range(const struct decision *d, uint32_t row, enum side side, double *min, double *max)
{
	const struct stats_counts *c = &d->rows->counts;
	uint32_t n_files = c->n_files[SIDE_BASE] + c->n_files[SIDE_NEW];
	uint32_t first = side == SIDE_BASE ? 0 : c->n_files[SIDE_BASE];

	if (!c->row_file) {
		*min = *max = d->judged->row[row].value[side];
		return;
	}
	assert(c->n_files[side] > 0);
	*min = INFINITY;
	*max = 0;
	for (uint32_t i = first; i < first + c->n_files[side]; i++) {
		double v = c->row_file[(size_t)row * n_files + i];

		*min = fmin(*min, v);
		*max = fmax(*max, v);
	}
}

static bool is_more(double min, double max_before, double limit)
{
	return min > (1 + limit) * max_before && min - max_before >= MORE_MIN;
}

static void set_proved(struct gate_row *row, enum gate_verdict verdict)
{
	row->verdict = verdict;
	row->p = row->p_adjusted = verdict == GATE_FAIL ? 0 : 1;
	row->lo = row->hi = row->ratio;
}

void decision_judge_exact(struct decision *d, struct decision_row *r)
{
	struct gate_row *row = &r->shown;
	double min[N_SIDES], max[N_SIDES];

	if (!(row->value[SIDE_BASE] > 0 && row->value[SIDE_NEW] > 0))
		return;
	for (enum side side = 0; side < N_SIDES; side++)
		census_find_range(d, r->index, side, &min[side], &max[side]);
	if (is_more(min[SIDE_NEW], max[SIDE_BASE], row->limit)) {
		set_proved(row, GATE_FAIL);
		row->reason = decision_text(d, "exact counts: %.0f in %s, %.0f in %s", max[SIDE_BASE],
					    d->rows->counts.row_file ? "base at most" : "base", min[SIDE_NEW],
					    d->rows->counts.row_file ? "new at least" : "new");
	} else if (is_more(min[SIDE_BASE], max[SIDE_NEW], row->limit)) {
		set_proved(row, GATE_IMPROVED);
	} else if (max[SIDE_NEW] <= (1 + row->limit) * min[SIDE_BASE]) {
		set_proved(row, GATE_OK);
	} else if (!d->judged->has_replicates) {
		set_proved(row, GATE_UNRESOLVED);
		row->reason =
			decision_text(d, "an increase below %.0f, which may be due to chance at one moment", MORE_MIN);
	}
}
