/*
 * traces.h - the samples of the Traces view
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_SHELL_VIEWS_TRACES_H
#define FRONT_SHELL_VIEWS_TRACES_H

#include "report/traces.h"
#include "front/shell/widgets/find.h"
#include "front/shell/state.h"

/* The flags of a pane. */
enum { TRACES_BY_VALUE = 1, TRACES_MERGED = 2 };

#define TRACES_NONE UINT32_MAX

/* The model. An entry is a sample, or all samples with equal stacks. */
struct samples {
	const struct traces *t;
	const struct head *head;
	uint64_t *stack_hash; /* [stacks] hash of the names in a stack; 0 for stacks without a sample */
	uint32_t n;           /* number of entries */
	uint32_t *order;      /* [n] entries in the order shown; NULL: by number */
	uint32_t *first;      /* [n] the first sample of a merged entry; NULL when entries are samples */
	uint32_t *count;      /* [n] number of samples */
	int64_t *value;       /* [n] */
	uint32_t *labels;     /* [n] the label set, TRACES_NONE when the samples of an entry differ */
	unsigned flags;       /* flags with which the model was made */
	bool has_labels;
};

/* A line of the stack part. */
struct trace_line {
	bool is_label;
	bool inlined;
	uint32_t at; /* index of the label or name */
};

struct traces_state {
	struct list list;        /* the list of samples */
	struct list lines;       /* labels and frames of the selected sample */
	bool stack_has_focus;    /* the stack part has the keyboard focus */
	uint32_t *row;           /* [list.n] matching indexes of samples.order; NULL: all */
	struct find *find;       /* NULL: none */
	uint8_t *name_hit;       /* [names] */
	uint8_t *set_hit;        /* [label sets] */
	struct trace_line *line; /* [lines.n] */
	size_t cap_lines;
	uint32_t entry; /* the entry whose lines are shown; TRACES_NONE if none */
	uint64_t hash;  /* stack hash of the selected sample, to find it in the next model */
	int64_t value;
	uint64_t label_hash;
	struct area list_area, stack_area; /* drawn positions on the screen */
};

int shell_traces_model(const struct model_request *a, struct model *m, struct err *err);

/* The entry of a row of the list. */
uint32_t shell_traces_entry(const struct samples *m, const struct traces_state *s, uint32_t row);

/* The value of an entry, its number of samples, its label set (TRACES_NONE: its samples have different sets). */
int64_t shell_traces_value(const struct samples *m, uint32_t entry);
uint32_t shell_traces_count(const struct samples *m, uint32_t entry);
uint32_t shell_traces_labels(const struct samples *m, uint32_t entry);

/* Append a label as shown: "key: 1 2". The text is untrusted. */
void shell_traces_add_label(const struct traces *t, const struct trace_label *l, const char *between, struct buf *out);

/* The innermost frame of an entry, as an index of names. */
uint32_t shell_traces_leaf(const struct samples *m, uint32_t entry);

/* Show only entries that match a text; "" shows all. The selection stays if it is still shown. */
void shell_traces_filter(const struct samples *m, struct traces_state *s, const char *text);

/* Update the state for a new model. */
void shell_traces_set_model(const struct samples *m, struct traces_state *s, const char *text);
void shell_traces_release(struct traces_state *s);

/* Make the lines of the selected entry, if it changed. */
void shell_traces_lines(const struct samples *m, struct traces_state *s);

/* Does a line match the search? */
bool shell_traces_is_hit(const struct samples *m, const struct traces_state *s, const struct trace_line *l);

#endif
