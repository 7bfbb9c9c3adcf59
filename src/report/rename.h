/*
 * rename.h - functions that may only have another name
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef REPORT_RENAME_H
#define REPORT_RENAME_H

#include "base/arena.h"
#include "engine/diff.h"
#include "report/compare.h"

/* A row that only one side has. */
struct rename_row {
	uint32_t row; /* of the match */
	double share; /* percent of cum in the total of the side that has it; half a percent at least */
	double own;   /* the same of flat */
	const char *label;
};

/* So many rows of each side are looked at, those with the largest share. */
enum { RENAME_ROWS = 50 };

/*
 * Suggest pairs of a row that went and one that came: both weigh at least half a percent, within a
 * fifth of each other, and the functions that call them or that they call are the same to four
 * fifths by weight, or their names differ in at most a third. Where those that call them and those
 * that they call are the same, one may weigh up to twice the other: a new name and a new cost.
 *
 * gone, come  [n_gone], [n_come] of base and target, both RENAME_ROWS at most
 * out         the n best ones that share no row, the heaviest first; labels are borrowed
 * Gives       n
 */
uint32_t rename_find(const struct diff *d, const struct rename_row *gone, uint32_t n_gone,
		     const struct rename_row *come, uint32_t n_come, struct compare_rename out[COMPARE_RENAMES]);

#endif
