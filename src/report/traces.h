/*
 * traces.h - the traces report: every sample with its stack and labels
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef REPORT_TRACES_H
#define REPORT_TRACES_H

#include "base/err.h"
#include "engine/view.h"
#include "report/report.h"

union trace_value {
	const char *text; /* untrusted */
	int64_t number;
};

/* Values of one key in a set of labels. */
struct trace_label {
	const char *key;  /* untrusted */
	const char *unit; /* unit of the numbers, untrusted; NULL for strings */
	uint32_t lo, hi;  /* value[lo .. hi) in file order */
};

/* Unit of the numbers of a label key. Untrusted. */
struct trace_unit {
	const char *key, *unit;
};

/* Stacks and sets of labels occur in many samples, so viewers format each of them once. */
struct traces {
	uint32_t n;                       /* number of samples with frames, in the order of the profile */
	int64_t *value;                   /* [n] values in head.unit, divided for a mean */
	uint32_t *stack, *labels;         /* [n] ids into stacks and sets */
	const struct stack_lists *stacks; /* location ids, leaf first; borrowed from the view's profile */
	struct csr frames; /* names of each location, innermost inlined call first; the last name is not inlined */
	uint32_t n_names;
	const char **name;             /* [n_names] untrusted */
	const struct row_place *place; /* [n_names] */
	uint32_t n_sets;
	uint32_t *set_off;         /* [n_sets + 1]; set i is label[set_off[i] .. set_off[i + 1]) */
	struct trace_label *label; /* labels of the sets: first strings, then numbers, each sorted by key */
	union trace_value *value_of_label;
	uint32_t n_units; /* label keys with numbers */
	struct trace_unit *unit;
};

/*
 * Functions that write traces in a format: a range of samples at a time, on any thread, since the whole text may not
 * fit in memory.
 */
struct traces_viewer {
	void *(*start)(const struct report *r);
	/* Append samples [lo, hi). The header comes with sample 0, the trailer with the last one, and both if there
	   is no sample. */
	void (*draw)(const void *writer, uint32_t lo, uint32_t hi, struct buf *out);
	void (*end)(void *writer);
};

/*
 * Make the traces report. The profile of the view must outlive the report.
 *
 * notes   a line is appended for every label key with several units; may be NULL
 * out     released with report_release; untouched on failure
 * Fails   ERR_LIMIT
 * Like    pprof internal/report printTraces
 */
int report_traces_make(const struct view *v, const struct query *q, struct report *out, struct buf *notes,
		       struct err *err);

#endif
