/*
 * change.c - the changes of boxes in a comparison, and their colours
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The change of a box is a share of its larger side, so that doubling and halving have the same size. A change below
 * half a percent counts as none.
 */
#include "config.h"

#include "viewers/flame/flame_int.h"

#include <assert.h>
#include <math.h>

static const double change_min = 0.005;
static const double step_min[COLOR_STEPS] = { 0, 0.05, 0.2, 0.5 };

/* The change as a share of the larger side, from -1 to 1. */
static double flame_change_share(int64_t before, int64_t after)
{
	int64_t larger = before > after ? before : after;

	return larger ? ((double)after - (double)before) / (double)larger : 0;
}

/*
 * The values that decide the colour of a box. All values of an inverted tree are flat values; the root is not a
 * function.
 */
static const int64_t *const *sides(const struct flame *f, uint32_t box, bool by_self)
{
	return by_self && !f->inverted && f->parent[box] != FLAME_NONE ? f->self : f->total;
}

char change_sign(const struct flame *f, uint32_t box, bool by_self)
{
	const int64_t *const *side = sides(f, box, by_self);
	int64_t before = side[SIDE_BASE][box], after = side[SIDE_NEW][box];

	assert(f->has_base && box < f->n);
	if (fabs(flame_change_share(before, after)) < change_min)
		return '=';
	if (f->total[SIDE_BASE][box] == 0)
		return 'n';
	if (f->total[SIDE_NEW][box] == 0)
		return 'g';
	return after > before ? '+' : '-';
}

bool change_may_be_chance(const struct flame *f, uint32_t box, bool by_self)
{
	const int64_t *const *side = by_self ? f->self : f->total;
	double before = (double)side[SIDE_BASE][box] / (double)f->sample,
	       after = (double)side[SIDE_NEW][box] / (double)f->sample;

	assert(f->sample > 0 && box < f->n);
	return fabs(after - before) <= 2 * sqrt(before + after);
}

uint8_t change_color(const struct flame *f, uint32_t box, bool by_self)
{
	const int64_t *const *side = sides(f, box, by_self);
	double change = fabs(flame_change_share(side[SIDE_BASE][box], side[SIDE_NEW][box]));
	int step = COLOR_STEPS - 1;

	assert(f->has_base && box < f->n);
	while (change < step_min[step])
		step--;
	switch (change_sign(f, box, by_self)) {
	case 'n':
		return COLOR_NEW;
	case 'g':
		return COLOR_GONE;
	case '+':
		return (uint8_t)(COLOR_GREW + step);
	case '-':
		return (uint8_t)(COLOR_SHRANK + step);
	default:
		return COLOR_SAME;
	}
}

const char *flame_sign(char sign)
{
	switch (sign) {
	case '+':
		return "+";
	case '-':
		return "\xe2\x88\x92";
	case 'n':
		return "new";
	case 'g':
		return "gone";
	case '=':
		return "=";
	default:
		return "";
	}
}
