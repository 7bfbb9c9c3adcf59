/*
 * weights.c - detect profiles whose counts of samples are weights
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A kernel timer fires once per tick and reports the number of missed periods. Older versions of cpa counted these as
 * samples, so 433 stacks became 1,558 samples. The comment in the profile has the number of stacks per second.
 */
#include "config.h"

#include "report/gate/sampling.h"

#include "base/mem.h"
#include "base/str.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Parse a comment written by cpa: "asked for 1000 Hz, got 250.0 stacks per second of CPU time; ...". Older versions
 * wrote "1000 Hz asked, 250.0 stacks per second of CPU time; ...".
 */
static enum weights_source parse_comment(const char *text, double *periods)
{
	bool is_old = !starts_with(text, "asked for ");
	const char *between = is_old ? " Hz asked, " : " Hz, got ";
	double requested, stacks;
	char *end;

	text += is_old ? 0 : strlen("asked for ");
	requested = strtod(text, &end);
	if (end == text || !starts_with(end, between))
		return WEIGHTS_FOREIGN;
	text = end + strlen(between);
	stacks = strtod(text, &end);
	if (end == text || !starts_with(end, " stacks per second of CPU time; samples "))
		return WEIGHTS_FOREIGN;
	if (!starts_with(end, " stacks per second of CPU time; samples weigh "))
		return WEIGHTS_STACKS;
	*periods = stacks > 0 && requested > 0 && isfinite(requested / stacks) ? fmax(1, requested / stacks) : 0;
	return WEIGHTS_PERIODS;
}

double weights_busy_share(const struct profile *p)
{
	static const char start[] = "the machine was busy: programs waited for a processor for ";
	double share = 0;

	for (uint32_t i = 0; i < p->meta.n_comments; i++) {
		const char *text = profile_text(p, p->meta.comment[i]);

		if (starts_with(text, start))
			share = fmax(share, fmin(1, strtod(text + strlen(start), NULL) / 100));
	}
	return share;
}

enum weights_source weights_of_comments(const struct profile *p, double *periods)
{
	enum weights_source found = WEIGHTS_FOREIGN;

	*periods = 0;
	for (uint32_t i = 0; i < p->meta.n_comments; i++) {
		double one = 0;
		enum weights_source source = parse_comment(profile_text(p, p->meta.comment[i]), &one);

		if (source > found)
			found = source;
		*periods = fmax(*periods, one);
	}
	return found;
}

static bool is_one_in_each_row(const struct profile *p, uint32_t type)
{
	uint32_t i;

	for (i = 0; i < p->n_rows && p->value[type][i] == 1; i++)
		;
	return p->n_rows > 0 && i == p->n_rows;
}

static int weights_by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Sort the numbers. Returns true if one occurs twice. */
static bool has_equal(uint64_t *number, uint32_t n)
{
	uint32_t i;

	qsort(number, n, sizeof(*number), weights_by_number);
	for (i = 1; i < n && number[i] != number[i - 1]; i++)
		;
	return i < n;
}

bool weights_row_is_sample(const struct profile *p, uint32_t count)
{
	uint64_t *number;
	bool yes;

	if (p->n_rows < 2)
		return false;
	if (count != PROFILE_NONE && is_one_in_each_row(p, count))
		return true;
	number = mem_alloc(p->n_rows, sizeof(*number));
	for (uint32_t i = 0; i < p->n_rows; i++)
		number[i] = (uint64_t)p->stack[i] << 32 | p->labels[i];
	yes = has_equal(number, p->n_rows);
	if (!yes) {
		for (uint32_t i = 0; i < p->n_rows; i++)
			number[i] = p->labels[i];
		yes = !has_equal(number, p->n_rows);
		for (uint32_t i = 0; yes && i < p->n_rows; i++)
			number[i] = p->stack[i];
		yes = yes && has_equal(number, p->n_rows);
	}
	free(number);
	return yes;
}
