/*
 * jfr_int.h - the state of the reader of a recording
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FORMATS_JFR_JFR_INT_H
#define FORMATS_JFR_JFR_INT_H

#include "formats/common/format.h"
#include "formats/common/named_frames.h"
#include "formats/common/skipped.h"
#include "formats/jfr/chunk.h"
#include "formats/jfr/jfr.h"
#include "profile/builder.h"

/* Kinds of samples. Each has two sample types. */
enum jfr_kind {
	KIND_CPU,
	KIND_CPU_TIME,
	KIND_WALL,
	KIND_IN_NEW_TLAB,
	KIND_OUTSIDE_TLAB,
	KIND_ALLOC,
	KIND_LIVE,
	KIND_MALLOC,
	KIND_LEAK,
	KIND_LOCK,
	KIND_SLEEP,
	KIND_IO,
	N_JFR_KINDS
};

/* Events that are read. */
enum jfr_event_role {
	ROLE_SAMPLE,    /* the value is the field in the slot */
	ROLE_EXECUTION, /* of CPU time or wall time, by the state of the thread; the value is the period */
	ROLE_SAMPLES,   /* several samples of CPU time or wall time; the value is their number */
	ROLE_WEIGHTED,  /* an object that is one of several, as many as the weight; the value is its size */
	ROLE_MALLOC,    /* a memory block */
	ROLE_FREE,      /* the end of a memory block */
	ROLE_SETTING,
	ROLE_PERIODS, /* the periods of all samples */
	ROLE_LOST_SAMPLES,
	ROLE_LOST_BYTES,
};

struct jfr_event {
	const char *name;
	enum jfr_event_role role;
	enum jfr_kind kind;
	enum jfr_slot value;
	bool has_event_label; /* other events have the same kind */
};

extern const struct jfr_event jfr_events[];
extern const size_t n_jfr_events;

/* Rows with the same stack, labels and kind are added up. */
struct jfr_row {
	uint32_t stack, labels, kind;
	int64_t count, value;
};

/* A memory block: allocated with a row, or freed with JFR_UNRESOLVED. */
struct jfr_block {
	uint64_t address;
	int64_t time_ns, size;
	uint32_t stack, labels;
	bool is_free;
};

enum {
	JFR_UNREAD_MAX = 64,
	JFR_UNREAD_SHOWN = 5,
	JFR_CONTEXT_LABELS_MAX = 16,
	JFR_LABELS_MAX = 10 + JFR_CONTEXT_LABELS_MAX
};

struct jfr_unread {
	str_id name;
	size_t n;
};

/* Settings of async-profiler, whose meaning depends on each other. */
struct jfr_settings {
	int64_t interval_ns, wall_ns;
	int64_t cpu_ns; /* of ROLE_SAMPLES */
	bool is_async;  /* there is an engine */
	bool is_wall;   /* the interval is one of wall time */
	bool is_time;   /* the interval is a time, not a number of events */
};

struct jfr_reader {
	const struct format_options *options;
	const struct jfr_contexts *contexts; /* NULL: fields of contexts are not read */
	struct builder *b;
	struct strtab *str;
	struct named_frames *frames;
	struct jfr_chunk c;

	struct jfr_row *row; /* [n_rows] */
	size_t n_rows, cap_rows;
	struct idtab by_row;
	bool has_kind[N_JFR_KINDS], has_time[N_JFR_KINDS]; /* rows of the kind, and one with a known period */
	struct jfr_block *block;
	size_t n_blocks, cap_blocks;
	bool has_frees;

	uint32_t *loc; /* scratch: a stack */
	size_t cap_locs;
	struct buf text;                /* scratch */
	uint32_t label[JFR_LABELS_MAX]; /* of the current event */
	size_t n_labels;
	str_id key_thread, key_tid, key_class, key_state, key_event, key_truncated, key_true;
	str_id unit_ns, name_unknown;
	uint64_t name_bytes_left; /* names of methods may add to those of classes only so much */

	/* of the current chunk */
	struct jfr_settings settings;
	bool is_continued; /* it starts when the chunk before it ended */
	bool is_async;   /* async-profiler wrote it with an engine, or it has states that only async-profiler writes */
	int64_t wall_ns; /* period of samples of wall time; 0: unknown */

	int64_t first_ns;  /* start of the recording */
	int64_t period_ns; /* of CPU samples; 0: unknown */
	int64_t end_ns, duration_ns, chunk_end_ns;
	size_t n_chunks; /* chunks read */
	int64_t n_lost_samples, n_lost_bytes;
	size_t n_events, n_truncated; /* events that are samples; those with a stack that was cut */
	struct skipped cut, unreadable, checkpoints, stacks, methods, periods, negative, no_context, long_contexts;
	struct jfr_unread unread[JFR_UNREAD_MAX];
	size_t n_unread, n_unread_events;
};

/* Read the settings of the events of a chunk: their periods, and whether async-profiler wrote it. */
void jfr_read_settings(struct jfr_reader *r);

/* Read the events of a chunk. Fails with ERR_FORMAT, ERR_LIMIT. */
int jfr_read_events(struct jfr_reader *r, struct err *err);

/* A number in a unit as nanoseconds; ticks are those of the current chunk. Saturates. */
int64_t jfr_to_ns(const struct jfr_reader *r, int64_t v, enum jfr_unit unit);

/* Add blocks that were not freed as samples of KIND_LEAK. Fails with ERR_LIMIT. */
int jfr_add_leaks(struct jfr_reader *r, struct err *err);

/* The text of a value: a string, or a constant with a field that is one. "" if there is none. */
str_id jfr_text(struct jfr_reader *r, const struct jfr_value *v);

/* The name of the class that a value refers to, as in Java source. */
str_id jfr_class_name(struct jfr_reader *r, const struct jfr_value *v);

/*
 * The stack that a value refers to. A missing one is empty, and is counted if the value is not 0.
 *
 * is_truncated   set if the profiler cut it
 * Fails          ERR_FORMAT, ERR_LIMIT
 */
int jfr_stack(struct jfr_reader *r, const struct jfr_value *v, uint32_t *stack, bool *is_truncated, struct err *err);

/* Append the labels of the thread that a value refers to. Fails with ERR_LIMIT. */
int jfr_add_thread(struct jfr_reader *r, const struct jfr_value *v, struct err *err);

/* Append the labels of the context and span of an event at a position of the file. */
int jfr_add_context(struct jfr_reader *r, const struct jfr_fields *fields, size_t at, struct err *err);

/* Append a label to those of the current event, unless the text is empty. */
int jfr_add_text_label(struct jfr_reader *r, str_id key, str_id text, struct err *err);

#endif
