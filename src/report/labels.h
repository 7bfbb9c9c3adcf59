/*
 * labels.h - the labels report: labels in use, and what is wrong with them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef REPORT_LABELS_H
#define REPORT_LABELS_H

#include "base/buf.h"
#include "base/err.h"
#include "engine/view.h"
#include "report/report.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	LABELS_CHECK,
	LABELS_LABEL,
	LABELS_VALUES,
	LABELS_PER_DAY,
	LABELS_SAMPLES,
	LABELS_CUM,
	LABELS_CUM_PCT,
	LABELS_FINDING,
	LABELS_REMEDY,
	LABELS_COLS
};

enum { LABELS_PER_DAY_MAX = 100 }; /* the default limit of a collector */

/* Properties of a label in a store. */
struct label_fact {
	const char *name;
	bool is_series;    /* series have it */
	uint64_t n_values; /* of series */
	uint64_t per_day;  /* most distinct values of samples in a UTC day; 0: unknown */
};

/* Properties of the labels in the stores of the sources. */
struct label_facts {
	struct label_fact *fact; /* [n] */
	size_t n, cap;
	uint64_t n_cut_series; /* series of clients whose labels were beyond the limits */
};

/*
 * Make the labels report: a row for each label of samples, by cum, then one for each label of series, then one for each
 * finding. out->n_findings is the number of the last.
 *
 * q->label_facts may be NULL
 * Fails  ERR_STOPPED
 */
int report_labels_make(const struct view *v, const struct query *q, struct report *out, struct buf *notes,
		       struct err *err);

/* ---- parts ---- */

/* Values that differ in ids only. */
struct labels_shape {
	const char *example;
	char *pattern, *to; /* arguments of a shape line; NULL if there are too many ids */
	uint32_t n_values;
	int64_t samples, cum;
	bool is_certain; /* ids are recognized in one value: UUIDs, long numbers */
};

/*
 * Append a value with its ids replaced by ":id", and the pattern and the replacement of a shape line.
 *
 * Ids are UUIDs, hexadecimal numbers of at least 12 digits, decimal ones of at least 6, and numbers that are a part of a path.
 *
 * Returns the number of ids; is_certain: one of them is no number of a path
 */
uint32_t labels_find_ids(const char *text, struct buf *name, struct buf *pattern, struct buf *to, bool *is_certain);

/* Samples without a label below a function that has it in other samples. */
struct labels_lost {
	uint32_t root,
		func; /* ids of functions: the first of the thread, and the function that has the label elsewhere */
	int64_t samples, cum;
};

/*
 * Find threads whose samples lack a label, in which a function runs that has it elsewhere.
 *
 * has     [v->p->label_sets.n] does a set have the label?
 * count   [v->n] samples of each row
 * out     [max] largest first
 * Returns their number
 */
size_t labels_find_lost(const struct view *v, const bool *has, const int64_t *count, struct labels_lost *out,
			size_t max);

#endif
