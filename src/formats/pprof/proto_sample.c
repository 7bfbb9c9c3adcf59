/*
 * proto_sample.c - read the samples of a profile.proto
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The samples are divided into blocks. Any thread may decode a block into a slot: location ids become
 * indices, values go directly to their columns, and each stack gets a hash. The calling thread commits
 * the blocks in order: it finds equal stacks and label sets, so that ids do not depend on the number of
 * threads. When no block is ready, it decodes the next one itself.
 *
 * In a profile of CPU time of many samples nearly all stacks are distinct. If most of the first ones are, and the options
 * allow it, each of the remaining samples gets a stack of its own, which saves the hash table.
 *
 * While a file is decompressed in pieces (pieces.h), the calling thread decodes the samples alone, one block after the other.
 * That takes less time than decompression, so more threads would gain nothing.
 */
#include "config.h"

#include "formats/pprof/proto_int.h"

#include "base/mem.h"
#include "base/pool.h"
#include "profile/edit.h"

#include <assert.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
	N_SLOTS = 4,
	TAG_VALUE = SAMPLE_VALUE << 3 | WIRE_VARINT,
	PREFETCH = 8,
	STREAM_TYPES_MAX = 64,
	IDS_FREE = 1 << 20,   /* ids of locations that are replaced however few locations there are */
	IDS_PER_LOCATION = 4, /* most ids for which more are replaced */
	STREAM_ROWS = 512,    /* samples that are decoded before they are added to the profile */
	TRIAL_ROWS = 16384,   /* of which half must have equal stacks to continue finding these */
	SAMPLES_PER_THREAD = 4096,
};

enum slot_state { SLOT_FREE, SLOT_BUSY, SLOT_READY };

/* A decoded block. */
struct proto_sample_slot {
	enum slot_state state; /* guarded by pipeline.lock */
	uint32_t n;            /* samples decoded; on error fewer than the block contains */
	uint32_t *loc;         /* location indices of all stacks, concatenated */
	size_t n_locs, cap_locs;
	uint32_t max_loc;            /* at least the largest of them */
	struct builder_label *label; /* labels of all samples, concatenated */
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
	uint32_t *label_ids;                    /* labels of the current sample; used only by the calling thread */
	size_t cap_label_ids;
	bool is_stream;  /* one slot for samples of which the tables are not known yet; value has its rows only */
	size_t n_bytes;  /* if is_stream: bytes of the samples */
	uint32_t n_locs; /* if is_stream: locations that committed samples refer to, at least */
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
};

static int depth_error(const struct pipeline *pipeline, const char *what, struct err *err)
{
	return err_set(err, ERR_LIMIT, "more than %" PRIu64 " %s; raise the limit with --max-depth",
		       pipeline->p->options->max_depth, what);
}

static int wire_error(const struct pipeline *pipeline, const struct cursor *c, struct err *err)
{
	return err_set(err, ERR_FORMAT, "byte %zu: %s", (size_t)(c->at - pipeline->p->data), c->error);
}

static int missing_location(uint64_t id, struct err *err)
{
	return err_set(err, ERR_FORMAT, "location %" PRIu64 " does not exist", id);
}

/* The string of a label. In a stream the strings are not known yet, and it is the index. */
static int label_string(struct pipeline *pipeline, uint64_t index, const char *what, str_id *out, struct err *err)
{
	if (!pipeline->is_stream)
		return proto_string(pipeline->p, index, what, out, err);
	if (index >= UINT32_MAX)
		return err_set(err, ERR_FORMAT, "%s: string %" PRIu64, what, index);
	*out = (str_id)index;
	if (pipeline->n_label_strings <= index)
		pipeline->n_label_strings = (uint32_t)index + 1;
	return 0;
}

static int sample_location(struct sample *s, uint64_t id, struct err *err)
{
	struct proto_sample_slot *slot = s->slot;
	uint32_t index = idmap_get(&s->pipeline->p->locs, id);

	if (index == IDMAP_NONE)
		return missing_location(id, err);
	slot->loc = mem_grow(slot->loc, &slot->cap_locs, slot->n_locs + 1, sizeof(*slot->loc));
	slot->loc[slot->n_locs++] = index;
	slot->max_loc = index > slot->max_loc ? index : slot->max_loc;
	return 0;
}

/* Decode a stack that is a packed list. Nearly all stacks are, and they take most of the space in a file. */
static int sample_packed_locations(struct sample *s, const uint8_t *at, const uint8_t *end, struct err *err)
{
	const struct idmap *locs = &s->pipeline->p->locs;
	struct proto_sample_slot *slot = s->slot;
	struct cursor c = { at, end, NULL };
	uint32_t *out;
	uint64_t id;

	slot->loc = mem_grow(slot->loc, &slot->cap_locs, slot->n_locs + (size_t)(end - at), sizeof(*slot->loc));
	out = slot->loc + slot->n_locs;
	c.at = packed_indices(locs, at, end, s->pipeline->p->end, &out, &slot->max_loc);
	while (c.at < end) {
		if (!cursor_varint(&c, &id))
			return wire_error(s->pipeline, &c, err);
		*out = idmap_get(locs, id);
		if (*out == IDMAP_NONE)
			return missing_location(id, err);
		slot->max_loc = *out > slot->max_loc ? *out : slot->max_loc;
		out++;
	}
	slot->n_locs = (size_t)(out - slot->loc);
	return 0;
}

static void samples_sample_value(struct sample *s, uint64_t v)
{
	if (s->n_values < s->pipeline->n_types)
		s->pipeline->value[s->n_values][s->row] = (int64_t)v;
	if (s->n_values < UINT32_MAX)
		s->n_values++;
}

static int sample_packed_values(struct sample *s, const struct field *f, struct err *err)
{
	struct cursor c = { f->data, f->data + f->n, NULL };
	uint64_t v;

	while (c.at < c.end) {
		if (!cursor_varint(&c, &v))
			return wire_error(s->pipeline, &c, err);
		samples_sample_value(s, v);
	}
	return 0;
}

/* Decode a label. As in pprof, a label with neither text nor number nor unit is dropped. */
static int sample_label(struct sample *s, const struct field *span, struct err *err)
{
	struct pipeline *pipeline = s->pipeline;
	struct cursor c = { span->data, span->data + span->n, NULL };
	struct proto_sample_slot *slot = s->slot;
	struct builder_label l;
	uint64_t v[5] = { 0 };

	s->n_labels++;
	if (!cursor_numbers(&c, 4, v))
		return wire_error(s->pipeline, &c, err);
	if (v[2] == 0 && v[3] == 0 && v[4] == 0)
		return 0;
	l = (struct builder_label){ .is_text = v[2] != 0, .num = v[2] ? 0 : (int64_t)v[3] };
	if (label_string(pipeline, v[1], "key", &l.key, err) < 0 ||
	    label_string(pipeline, v[2], "text", &l.text, err) < 0 ||
	    label_string(pipeline, v[2] ? 0 : v[4], "unit", &l.unit, err) < 0)
		return err_wrap(err, "label %" PRIu32, s->n_labels);
	s->n_kept++;
	if (pipeline->skips_labels)
		return 0;
	slot->label = mem_grow(slot->label, &slot->cap_labels, slot->n_labels + 1, sizeof(*slot->label));
	slot->label[slot->n_labels++] = l;
	return 0;
}

static int sample_field(struct sample *s, struct cursor *c, const struct field *f, struct err *err)
{
	if (f->number == SAMPLE_LOCATION && f->type == WIRE_BYTES)
		return sample_packed_locations(s, f->data, f->data + f->n, err);
	if (f->number == SAMPLE_VALUE && f->type == WIRE_BYTES)
		return sample_packed_values(s, f, err);
	if (f->number == SAMPLE_LABEL && cursor_expect(c, f, WIRE_BYTES))
		return sample_label(s, f, err);
	if (f->number == SAMPLE_LOCATION && cursor_expect(c, f, WIRE_VARINT))
		return sample_location(s, f->value, err);
	if (f->number == SAMPLE_VALUE && cursor_expect(c, f, WIRE_VARINT))
		samples_sample_value(s, f->value);
	return c->error ? wire_error(s->pipeline, c, err) : 0;
}

static int sample_decode(struct sample *s, const struct field *span, struct err *err)
{
	const struct pipeline *pipeline = s->pipeline;
	struct proto_sample_slot *slot = s->slot;
	struct cursor c = { span->data, span->data + span->n, NULL };
	struct field f = { 0 };

	for (;;) {
		int rc;

		while (c.end - c.at >= 2 && c.at[0] == TAG_VALUE &&
		       c.at[1] < 0x80) { /* fast path for values of one byte that are not packed */
			samples_sample_value(s, c.at[1]);
			c.at += 2;
		}
		if (!cursor_field(&c, &f))
			break;
		rc = sample_field(s, &c, &f, err);
		if (rc < 0)
			return rc;
	}
	if (c.error)
		return wire_error(pipeline, &c, err);
	if (s->n_values != pipeline->n_types)
		return err_set(err, ERR_FORMAT, "%" PRIu32 " values for %" PRIu32 " sample types", s->n_values,
			       pipeline->n_types);
	if (format_exceeds(slot->n_locs - s->first_loc, pipeline->p->options->max_depth))
		return depth_error(pipeline, "frames", err);
	if (format_exceeds(s->n_kept, pipeline->p->options->max_depth))
		return depth_error(pipeline, "labels", err);
	return 0;
}

static struct sample sample_begin(struct pipeline *pipeline, struct proto_sample_slot *slot, uint32_t row)
{
	return (struct sample){ .pipeline = pipeline, .slot = slot, .row = row, .first_loc = slot->n_locs };
}

/* Add a decoded sample to its slot. */
static void sample_end(const struct sample *s)
{
	struct proto_sample_slot *slot = s->slot;

	slot->loc_end[slot->n] = slot->n_locs;
	slot->label_end[slot->n] = slot->n_labels;
	if (atomic_load_explicit(&s->pipeline->finds_equal, memory_order_relaxed))
		slot->hash[slot->n] = builder_stack_hash(slot->loc + s->first_loc, slot->n_locs - s->first_loc);
	slot->n++;
}

static void block_decode(struct pipeline *pipeline, size_t i)
{
	const struct sample_block *block = &pipeline->p->block[i];
	struct proto_sample_slot *slot = &pipeline->slot[i % pipeline->n_slots];
	struct cursor c = { block->start, pipeline->p->end, NULL };
	struct field f = { 0 };

	assert(slot->state == SLOT_BUSY && block->n <= SAMPLES_PER_BLOCK);
	slot->n = 0;
	slot->n_locs = slot->n_labels = 0;
	slot->rc = 0;
	while (slot->n < block->n && cursor_field(&c, &f)) {
		struct sample s = sample_begin(pipeline, slot, block->first + slot->n);

		if (f.number != PROFILE_SAMPLE)
			continue;
		slot->rc = sample_decode(&s, &f, &slot->err);
		if (slot->rc < 0)
			return;
		sample_end(&s);
	}
}

static int row_labels(struct pipeline *pipeline, const struct builder_label *label, size_t n, uint32_t *set,
		      struct err *err)
{
	if (n == 0) {
		*set = 0;
		return 0;
	}
	pipeline->label_ids = mem_grow(pipeline->label_ids, &pipeline->cap_label_ids, n, sizeof(*pipeline->label_ids));
	for (size_t i = 0; i < n; i++)
		if (builder_label(pipeline->p->builder, &label[i], &pipeline->label_ids[i], err) < 0)
			return ERR_LIMIT;
	return builder_label_set(pipeline->p->builder, pipeline->label_ids, n, set, err);
}

/* Assign stack ids to the samples of a decoded block. */
static int slot_stacks(struct pipeline *pipeline, const struct proto_sample_slot *slot, uint32_t *stack,
		       struct err *err)
{
	struct builder *b = pipeline->p->builder;
	size_t loc = 0;
	int rc = 0;

	if (!atomic_load_explicit(&pipeline->finds_equal, memory_order_relaxed)) {
		for (uint32_t s = 0; rc == 0 && s < slot->n; loc = slot->loc_end[s++])
			rc = builder_stack_append(b, slot->loc + loc, slot->loc_end[s] - loc, &stack[s], err);
		return rc;
	}
	for (uint32_t s = 0; s < slot->n && s < PREFETCH; s++)
		builder_stack_prefetch(b, slot->hash[s]);
	for (uint32_t s = 0; rc == 0 && s < slot->n; loc = slot->loc_end[s++]) {
		if (s + PREFETCH < slot->n)
			builder_stack_prefetch(b, slot->hash[s + PREFETCH]);
		rc = builder_stack(b, slot->loc + loc, slot->loc_end[s] - loc, slot->hash[s], &stack[s], err);
	}
	return rc;
}

/* Assign stack and label set ids to decoded samples. rows: those of the slot */
static int slot_commit(struct pipeline *pipeline, const struct proto_sample_slot *slot, const struct builder_rows *rows,
		       struct err *err)
{
	size_t label = 0;

	if (slot_stacks(pipeline, slot, rows->stack, err) < 0)
		return ERR_LIMIT;
	for (uint32_t s = 0; s < slot->n; label = slot->label_end[s++])
		if (row_labels(pipeline, slot->label + label, slot->label_end[s] - label, &rows->labels[s], err) < 0)
			return ERR_LIMIT;
	if (rows->first + slot->n == TRIAL_ROWS && pipeline->p->options->repeats_stacks &&
	    builder_n_stacks(pipeline->p->builder) > TRIAL_ROWS / 2)
		atomic_store_explicit(&pipeline->finds_equal, false, memory_order_relaxed);
	return 0;
}

static int block_commit(struct pipeline *pipeline, size_t i, struct err *err)
{
	const struct proto_sample_slot *slot = &pipeline->slot[i % pipeline->n_slots];
	uint32_t first = pipeline->p->block[i].first;
	const struct builder_rows rows = { first, pipeline->rows.stack + first, pipeline->rows.labels + first };

	assert(slot->state == SLOT_READY && slot->n <= pipeline->p->block[i].n);
	if (slot_commit(pipeline, slot, &rows, err) < 0)
		return ERR_LIMIT;
	if (slot->rc < 0) {
		*err = slot->err;
		return err_wrap(err, "sample %" PRIu32, first + slot->n + 1);
	}
	return 0;
}

/* Decode the next block, if there is one and its slot is free. Call with the lock held; decoding releases it. */
static bool pipeline_decode_next(struct pipeline *pipeline)
{
	size_t i = pipeline->next;
	struct proto_sample_slot *slot = &pipeline->slot[i % pipeline->n_slots];

	if (pipeline->is_stopped || i >= pipeline->p->n_blocks || slot->state != SLOT_FREE)
		return false;
	pipeline->next++;
	slot->state = SLOT_BUSY;
	pthread_mutex_unlock(&pipeline->lock);
	block_decode(pipeline, i);
	pthread_mutex_lock(&pipeline->lock);
	assert(slot->state == SLOT_BUSY);
	slot->state = SLOT_READY;
	pthread_cond_broadcast(&pipeline->changed);
	return true;
}

static void pipeline_work(struct pipeline *pipeline)
{
	pthread_mutex_lock(&pipeline->lock);
	while (!pipeline->is_stopped && pipeline->next < pipeline->p->n_blocks)
		if (!pipeline_decode_next(pipeline))
			pthread_cond_wait(&pipeline->changed, &pipeline->lock);
	pthread_mutex_unlock(&pipeline->lock);
}

static int pipeline_commit(struct pipeline *pipeline, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < pipeline->p->n_blocks; i++) {
		struct proto_sample_slot *slot = &pipeline->slot[i % pipeline->n_slots];

		pthread_mutex_lock(&pipeline->lock);
		while (slot->state != SLOT_READY)
			if (!pipeline_decode_next(pipeline))
				pthread_cond_wait(&pipeline->changed, &pipeline->lock);
		pthread_mutex_unlock(&pipeline->lock);
		rc = block_commit(pipeline, i, err);
		pthread_mutex_lock(&pipeline->lock);
		slot->state = SLOT_FREE;
		pipeline->is_stopped = rc < 0;
		pthread_cond_broadcast(&pipeline->changed);
		pthread_mutex_unlock(&pipeline->lock);
	}
	return rc;
}

struct pipeline_run {
	struct pipeline *pipeline;
	int rc;
	struct err *err;
};

static void pipeline_part(void *arg, unsigned part)
{
	struct pipeline_run *run = arg;

	if (part == 0)
		run->rc = pipeline_commit(run->pipeline, run->err);
	else
		pipeline_work(run->pipeline);
}

/* Allocate slots for at most n samples each, with room for n_locs locations at first. */
static void slots_init(struct pipeline *pipeline, size_t n_slots, size_t n, size_t n_locs)
{
	pipeline->n_slots = n_slots;
	for (size_t i = 0; i < n_slots; i++) {
		struct proto_sample_slot *slot = &pipeline->slot[i];

		slot->loc = mem_grow(slot->loc, &slot->cap_locs, n_locs, sizeof(*slot->loc));
		slot->label = mem_grow(slot->label, &slot->cap_labels, 1, sizeof(*slot->label));
		slot->loc_end = mem_alloc(n, sizeof(*slot->loc_end));
		slot->label_end = mem_alloc(n, sizeof(*slot->label_end));
		slot->hash = mem_alloc(n, sizeof(*slot->hash));
	}
}

static void slots_release(struct pipeline *pipeline)
{
	for (size_t i = 0; i < N_SLOTS; i++) {
		free(pipeline->slot[i].loc);
		free(pipeline->slot[i].label);
		free(pipeline->slot[i].loc_end);
		free(pipeline->slot[i].label_end);
		free(pipeline->slot[i].hash);
	}
}

static int pipeline_read(struct pipeline *pipeline, struct err *err)
{
	const struct proto *p = pipeline->p;
	struct pipeline_run run = { pipeline, 0, err };
	unsigned wish = p->n_samples / SAMPLES_PER_THREAD + 1, threads = wish < pool_size() ? wish : pool_size();
	int rc = builder_rows(p->builder, p->n_samples, &pipeline->rows, err);

	if (rc < 0)
		return rc;
	for (uint32_t t = 0; t < pipeline->n_types; t++)
		pipeline->value[t] = builder_values(p->builder, t);
	/* Most files have less than a full block of samples, so do not allocate for more. Their ids take about two bytes. */
	slots_init(pipeline, threads > 1 ? N_SLOTS : 1,
		   p->n_samples < SAMPLES_PER_BLOCK ? p->n_samples : SAMPLES_PER_BLOCK,
		   p->n_samples < SAMPLES_PER_BLOCK ? p->sample_bytes / 2 + 1 : 1);
	/* In a large file a location id takes about three bytes, else less; the table grows if that is too little. */
	builder_reserve(p->builder, p->n_samples, p->sample_bytes / (p->n_samples < SAMPLES_PER_THREAD ? 2 : 3),
			p->options->repeats_stacks && p->n_samples > TRIAL_ROWS ? TRIAL_ROWS : p->n_samples);
	pool_run(pipeline_part, &run, threads);
	return run.rc;
}

static struct pipeline *pipeline_new(const struct proto *p, uint32_t n_types)
{
	struct pipeline *pipeline = mem_zalloc(1, sizeof(*pipeline));

	pipeline->p = p;
	pipeline->n_types = n_types;
	pipeline->finds_equal = !p->options->appends_stacks;
	pipeline->skips_labels = p->options->skips_labels;
	pipeline->value = mem_zalloc(n_types, sizeof(*pipeline->value));
	pthread_mutex_init(&pipeline->lock, NULL);
	pthread_cond_init(&pipeline->changed, NULL);
	return pipeline;
}

static void pipeline_free(struct pipeline *pipeline)
{
	pthread_cond_destroy(&pipeline->changed);
	pthread_mutex_destroy(&pipeline->lock);
	slots_release(pipeline);
	free(pipeline->label_ids);
	free(pipeline->value);
	free(pipeline);
}

/* May samples have BASE_LABEL? */
static bool has_base_label(const struct proto *p)
{
	str_id id;

	return strtab_find(builder_strings(p->builder), BASE_LABEL, strlen(BASE_LABEL), &id);
}

int proto_samples(struct proto *p, struct err *err)
{
	uint32_t n_types = builder_n_types(p->builder);
	struct pipeline *pipeline;
	int rc;

	assert(p->n_blocks == ((size_t)p->n_samples + SAMPLES_PER_BLOCK - 1) / SAMPLES_PER_BLOCK);
	/* Each value takes at least a byte; check that before columns are allocated. */
	if ((uint64_t)n_types * p->n_samples > p->sample_bytes)
		return err_set(err, ERR_FORMAT, "%" PRIu32 " samples of %zu bytes cannot hold %" PRIu32 " values each",
			       p->n_samples, p->sample_bytes, n_types);
	pipeline = pipeline_new(p, n_types);
	if (has_base_label(p))
		pipeline->skips_labels = false;
	rc = pipeline_read(pipeline, err);
	pipeline_free(pipeline);
	return rc;
}

/* ---- samples before tables ---- */

int proto_stream_new(const struct proto *p, struct pipeline **out, struct err *err)
{
	uint32_t n_types = builder_n_types(p->builder);

	if (n_types == 0 || n_types > STREAM_TYPES_MAX)
		return err_set(err, ERR_FORMAT, "no sample types before the samples, or very many");
	*out = pipeline_new(p, n_types);
	(*out)->is_stream = true;
	slots_init(*out, 1, STREAM_ROWS, 1);
	for (uint32_t t = 0; t < n_types; t++)
		(*out)->value[t] = mem_alloc(STREAM_ROWS, sizeof(int64_t));
	return 0;
}

void proto_stream_free(struct pipeline *s)
{
	if (!s)
		return;
	for (uint32_t t = 0; t < s->n_types; t++)
		free(s->value[t]);
	pipeline_free(s);
}

/* Reserve memory for all samples if they are like those of the first block. */
static void stream_reserve(const struct pipeline *s)
{
	const struct proto_sample_slot *slot = &s->slot[0];
	double n = 1.05 * (double)s->p->sample_bytes / (double)s->n_bytes;
	size_t n_rows = (size_t)(n * slot->n);

	if (slot->n < STREAM_ROWS)
		return;
	builder_reserve(s->p->builder, n_rows, (size_t)(n * (double)slot->n_locs),
			s->p->options->repeats_stacks ? TRIAL_ROWS : n_rows);
	builder_reserve_rows(s->p->builder, n_rows);
}

/* Move the samples of the slot to rows of the builder. */
static int stream_commit(struct pipeline *s, struct err *err)
{
	struct proto_sample_slot *slot = &s->slot[0];
	struct builder_rows rows;

	if (builder_profile(s->p->builder)->n_rows == 0)
		stream_reserve(s);
	if (builder_rows(s->p->builder, slot->n, &rows, err) < 0 || slot_commit(s, slot, &rows, err) < 0)
		return ERR_LIMIT;
	for (uint32_t t = 0; t < s->n_types; t++)
		memcpy(builder_values(s->p->builder, t) + rows.first, s->value[t], slot->n * sizeof(int64_t));
	if (slot->n_locs && slot->max_loc >= s->n_locs)
		s->n_locs = slot->max_loc + 1;
	slot->n = 0;
	slot->n_locs = slot->n_labels = 0;
	return 0;
}

int proto_stream_add(struct pipeline *s, const struct field *f, struct err *err)
{
	struct proto_sample_slot *slot = &s->slot[0];
	struct sample sample = sample_begin(s, slot, slot->n);
	int rc = sample_decode(&sample, f, err);

	if (rc < 0)
		return rc;
	sample_end(&sample);
	s->n_bytes += f->n;
	return slot->n < STREAM_ROWS ? 0 : stream_commit(s, err);
}

/* Replace ids of locations, less 1, by indices. False if one does not exist, or if the table of ids would be large. */
static bool stream_replace_ids(const struct pipeline *s)
{
	const struct idmap *locs = &s->p->locs;
	uint32_t *to;
	bool is_right;

	if (locs->sequential)
		return s->n_locs <= locs->n;
	if (s->n_locs > IDS_FREE && s->n_locs / IDS_PER_LOCATION > locs->n)
		return false;
	to = mem_alloc(s->n_locs, sizeof(*to));
	for (uint32_t i = 0; i < s->n_locs; i++)
		to[i] = idmap_get(locs, (uint64_t)i + 1);
	is_right = builder_replace_locations(s->p->builder, to, s->n_locs);
	free(to);
	return is_right;
}

int proto_stream_finish(struct pipeline *s, struct err *err)
{
	const struct proto *p = s->p;
	int rc = stream_commit(s, err);

	if (rc < 0)
		return rc;
	if (!stream_replace_ids(s))
		return err_set(err, ERR_FORMAT, "a location does not exist, or has a large id");
	if (s->skips_labels && (s->n_label_strings > p->n_str || has_base_label(p)))
		return err_set(err, ERR_FORMAT, "a string of a label does not exist, or labels are needed");
	if (!builder_replace_label_strings(p->builder, p->str, p->n_str))
		return err_set(err, ERR_FORMAT, "a string of a label does not exist, or is stored twice");
	return 0;
}
