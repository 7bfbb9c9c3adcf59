/*
 * view_traces.h - the samples of the view Traces
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_SHELL_VIEW_TRACES_H
#define VIEWERS_SHELL_VIEW_TRACES_H

#include "report/traces.h"
#include "viewers/shell/find.h"
#include "viewers/shell/shell_int.h"

/* Bits of a pane's want. */
enum { TRACES_BY_VALUE = 1, TRACES_MERGED = 2 };

#define TRACES_NONE UINT32_MAX

/* The model: an entry is a sample, or all samples with equal stacks. */
struct samples {
	const struct traces *t;
	const struct head *head;
	uint64_t *stack_hash; /* [stacks] of the names on it; 0 of stacks that no sample has */
	uint32_t n;           /* entries */
	uint32_t *order;      /* [n] entries as they are shown; NULL: as they are numbered */
	uint32_t *first;      /* [n] of a merged entry the first sample; NULL when entries are samples */
	uint32_t *count;      /* [n] and how many */
	int64_t *value;       /* [n] */
	uint32_t *labels;     /* [n] the set they all have, TRACES_NONE when they differ */
	unsigned want;        /* how it was made */
	bool has_labels;
};

/* A line of the lower part. */
struct trace_line {
	bool is_label;
	bool inlined;
	uint32_t at; /* into labels, or names */
};

struct traces_state {
	struct list list;        /* of samples */
	struct list lines;       /* of the one that is selected */
	bool in_stack;           /* keys are for lines */
	uint32_t *row;           /* [list.n] places in samples.order that match; NULL: all */
	struct find *find;       /* NULL: none */
	uint8_t *name_hit;       /* [names] */
	uint8_t *set_hit;        /* [label sets] */
	struct trace_line *line; /* [lines.n] */
	size_t cap_lines;
	uint32_t entry; /* whose lines these are; TRACES_NONE before any */
	uint64_t hash;  /* of the selected one, to find it in the next model */
	int64_t value;
	uint64_t label_hash;
	struct area list_area, stack_area; /* where they were drawn on the screen */
};

int shell_traces_model(const struct ask *a, struct model *m, struct err *err);

/* The entry of a row of the list. */
uint32_t shell_traces_entry(const struct samples *m, const struct traces_state *s, uint32_t row);

/* The weight of an entry, how many samples it is, their set of labels (TRACES_NONE: several). */
int64_t shell_traces_value(const struct samples *m, uint32_t entry);
uint32_t shell_traces_count(const struct samples *m, uint32_t entry);
uint32_t shell_traces_labels(const struct samples *m, uint32_t entry);

/* Append a label as it is shown: "key: 1 2". Hostile. */
void shell_traces_add_label(const struct traces *t, const struct trace_label *l, const char *between, struct buf *out);

/* The innermost frame of an entry; a name. */
uint32_t shell_traces_leaf(const struct samples *m, uint32_t entry);

/* Show what matches a text; "" shows all. The selected one stays selected if it is still shown. */
void shell_traces_filter(const struct samples *m, struct traces_state *s, const char *text);

/* A new model. */
void shell_traces_follow(const struct samples *m, struct traces_state *s, const char *text);
void shell_traces_forget(struct traces_state *s);

/* The selection may have changed: make its lines. */
void shell_traces_lines(const struct samples *m, struct traces_state *s);

/* Does a line match the search? */
bool shell_traces_is_hit(const struct samples *m, const struct traces_state *s, const struct trace_line *l);

#endif
