/*
 * traces.h - the report traces: every sample with its stack and labels
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef REPORT_TRACES_H
#define REPORT_TRACES_H

#include "base/err.h"
#include "engine/query.h"
#include "engine/view.h"
#include "report/report.h"

union trace_value {
	const char *text; /* hostile */
	int64_t number;
};

/* What a set of labels says about one key. */
struct trace_label {
	const char *key;  /* hostile */
	const char *unit; /* of the numbers, hostile; NULL for texts */
	uint32_t lo, hi;  /* value[lo .. hi) in file order */
};

/* The unit that the numbers of a label key are in. Hostile. */
struct trace_unit {
	const char *key, *unit;
};

/* Samples are far more than there is to say about their parts: a viewer spells the parts once. */
struct traces {
	uint32_t n;               /* samples that have a frame, in the order of the profile */
	int64_t *value;           /* [n] in head.unit, divided for a mean */
	uint32_t *stack, *labels; /* [n] ids into stacks and sets */
	const struct csr *stacks; /* location ids, leaf first; borrowed from the view's profile */
	struct csr frames;        /* of location i: ids of names, innermost inlined call first, the last is none */
	uint32_t n_names;
	const char **name;             /* [n_names] hostile */
	const struct row_place *place; /* [n_names] */
	uint32_t n_sets;
	uint32_t *set_off;         /* [n_sets + 1]; set i is label[set_off[i] .. set_off[i + 1]) */
	struct trace_label *label; /* of a set: keys of texts, then keys of numbers, each by name */
	union trace_value *value_of_label;
	uint32_t n_units; /* label keys of numbers */
	struct trace_unit *unit;
};

/*
 * How a format writes traces, which are too many to be held as text: some samples at a time, on any
 * thread.
 */
struct traces_viewer {
	void *(*start)(const struct report *r);
	/* Append samples lo to hi; what stands in front goes with sample 0, what stands behind with
	   the last one, both when there is none. */
	void (*draw)(const void *drawing, uint32_t lo, uint32_t hi, struct buf *out);
	void (*end)(void *drawing);
};

/*
 * Answer traces. The profile of the view must live longer than the report.
 *
 * notes   a line is appended for every label key with several units; may be NULL
 * out     released with report_release; untouched on failure
 * Fails   ERR_LIMIT
 * Like    pprof internal/report printTraces
 */
int report_traces_make(const struct view *v, const struct query *q, struct report *out, struct buf *notes,
		       struct err *err);

#endif
