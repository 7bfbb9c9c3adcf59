/*
 * proto_pipeline.h - the parts of proto_sample.c and proto_stream.c
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FORMATS_PPROF_PROTO_PIPELINE_H
#define FORMATS_PPROF_PROTO_PIPELINE_H

#include "formats/pprof/proto_int.h"
#include "profile/builder.h"
#include "profile/sample_walk.h"

#include <pthread.h>
#include <stdatomic.h>

enum {
	N_SLOTS = 4,
	TRIAL_ROWS = 16384, /* of which half must have equal stacks to continue finding these */
	STREAM_ROWS = 512,  /* samples of a stream that are decoded, then added to the profile or passed to a walk */
};

enum slot_state { SLOT_FREE, SLOT_BUSY, SLOT_READY };

/* A decoded block. */
struct proto_sample_slot {
	enum slot_state state; /* guarded by pipeline.lock */
	uint32_t n;            /* samples decoded; on error fewer than the block contains */
	uint32_t *loc;         /* location indices of all stacks, concatenated */
	size_t n_locs, cap_locs;
	uint8_t *packed;             /* in place of loc: memory of the builder (builder_stack_room), or NULL */
	size_t room;                 /* location indices that fit into packed */
	uint32_t max_loc;            /* at least the largest of them */
	struct builder_label *label; /* labels of all samples, concatenated, unless they are in label_ids */
	size_t n_labels, cap_labels;
	/* [samples of a block] end of the frames in loc, end of the labels in label, hash of the stack */
	size_t *loc_end, *label_end;
	uint64_t *hash;
	int rc; /* 0, or the error of the sample after the last decoded one */
	struct err err;
};

struct pipeline {
	const struct proto *p;
	uint32_t n_types;
	int64_t **value; /* [n_types] columns */
	struct builder_rows rows;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	size_t next;                            /* next block to decode; guarded by lock */
	bool is_stopped;                        /* guarded by lock */
	struct proto_sample_slot slot[N_SLOTS]; /* block i uses slot i % n_slots */
	size_t n_slots;                         /* 1 if only the calling thread decodes */
	uint32_t *label_ids;                    /* labels of the current slot; used only by the calling thread */
	size_t cap_label_ids;
	struct label_memo *memo;   /* NULL, or if is_stream, labels that were decoded */
	struct label_ring *labels; /* NULL, or if is_stream, those whose sets are to be found; guarded by lock */
	bool is_stream;  /* one slot for samples of which the tables are not known yet; value has its rows only */
	size_t n_rows;   /* samples of the file; an estimate if is_stream */
	size_t n_bytes;  /* if is_stream: bytes of the samples */
	uint32_t n_locs; /* if is_stream: locations that committed samples refer to, at least */
	const struct sample_walk *walk; /* NULL, or the walk that uses the samples */
	bool has_tables;                /* if is_stream: ids of locations are known */
	size_t filled;                  /* if is_stream: the slot for the next sample; not 0 only if there is a walk */
	struct pieces *pieces; /* NULL, or its thread passes slots to the walk as part 1, or finds label sets */
	bool walk_failed;      /* guarded by lock */
	bool is_wide;          /* if is_stream: location indices do not fit into three bytes */
	bool skips_labels;
	uint32_t n_label_strings; /* if is_stream and skips_labels: strings that labels refer to, at least */
	atomic_bool finds_equal;  /* are equal stacks found? Changed only from true to false, by the calling thread */
};

/* The sample being decoded. */
struct sample {
	struct pipeline *pipeline;
	struct proto_sample_slot *slot;
	uint32_t row;
	uint32_t n_values, n_labels; /* counts in the file, including dropped labels */
	uint32_t n_kept;             /* labels that are not dropped */
	size_t first_loc;
	bool is_wide; /* decoding failed because a location index does not fit into slot->packed */
};

struct pipeline *proto_pipeline_new(const struct proto *p, uint32_t n_types);
void proto_pipeline_free(struct pipeline *pipeline);

/* Allocate slots for at most n samples each, with room for n_locs locations at first. */
void proto_slots_init(struct pipeline *pipeline, size_t n_slots, size_t n, size_t n_locs);

/* Decode a sample: begin, decode, end. */
struct sample proto_sample_begin(struct pipeline *pipeline, struct proto_sample_slot *slot, uint32_t row);
int proto_sample_decode(struct sample *s, const struct field *span, struct err *err);

/* Add a decoded sample to its slot. */
void proto_sample_end(const struct sample *s);

/* Decode a label of the sample. As in pprof, a label with neither text nor number nor unit is dropped. */
int proto_label_decode(struct sample *s, const struct field *span, struct err *err);

/* Find the label sets of the samples of a block. first: row of the first one; set: [slot->n] ids */
int proto_slot_label_sets(struct pipeline *pipeline, const struct proto_sample_slot *slot, uint32_t first,
			  uint32_t *set, struct err *err);

/* Find the label sets of n consecutive samples with known labels. Samples have to be passed in their order. */
int proto_find_label_sets(struct pipeline *pipeline, const uint32_t *label, const size_t *end, uint32_t first,
			  uint32_t n, uint32_t *set, struct err *err);

/* In a stream, find the label sets of the samples of a slot later. The labels are those in label_ids. */
int proto_label_sets_put(struct pipeline *pipeline, const struct proto_sample_slot *slot, uint32_t first,
			 struct err *err);

/* Find the label sets of the next samples that were put. Call with the lock held, which is released meanwhile. Returns
   false if there is nothing to do. */
bool proto_label_sets_next(struct pipeline *pipeline);

/* Store all label sets. */
int proto_label_sets_finish(struct pipeline *pipeline, struct err *err);

void proto_label_ring_free(struct label_ring *r); /* takes NULL */

/* Set the error of a cursor, with its position. */
int proto_wire_error(const struct pipeline *pipeline, const struct cursor *c, struct err *err);

/* Assign stack and label set ids to decoded samples. rows: those of the slot */
int proto_slot_commit(struct pipeline *pipeline, const struct proto_sample_slot *slot, const struct builder_rows *rows,
		      struct err *err);

/* May samples have BASE_LABEL? */
bool proto_has_base_label(const struct proto *p);

#endif
