/*
 * proto_sample.c - read the samples of a profile.proto
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The samples are cut into blocks. Any thread decodes a block into a buffer of its own: location
 * ids to places, values straight into their columns, a hash per stack. The calling thread takes
 * the blocks in order, finds equal stacks and label sets, and so gives the same ids whatever the
 * number of threads; when no block is ready it decodes the next one itself.
 */
#include "config.h"

#include "reader/proto_int.h"

#include "base/mem.h"
#include "base/pool.h"
#include "reader/cursor.h"
#include "reader/packed.h"

#include <assert.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
	N_SLOTS = 4,
	SAMPLE_LOCATION = 1,
	SAMPLE_VALUE = 2,
	SAMPLE_LABEL = 3,
	TAG_VALUE = SAMPLE_VALUE << 3 | WIRE_VARINT,
	PREFETCH = 8,
};

enum slot_state { SLOT_FREE, SLOT_TAKEN, SLOT_READY };

/* One decoded block. */
struct slot {
	enum slot_state state; /* guarded by pipe.lock */
	uint32_t n;            /* samples decoded; all of the block unless there was an error */
	uint32_t *loc;         /* places of all stacks, one behind the other */
	size_t n_locs, cap_locs;
	struct builder_label *label; /* likewise for labels */
	size_t n_labels, cap_labels;
	/* [samples of a block] where the frames and the labels of each end, and the hash of its stack */
	size_t *loc_end, *label_end;
	uint64_t *hash;
	int rc; /* 0 or the error of the sample behind the last decoded one */
	struct err err;
};

struct pipe {
	const struct proto *p;
	uint32_t n_types;
	int64_t **value; /* [n_types] columns */
	struct builder_rows rows;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	size_t next;               /* first block nobody has taken; guarded by lock */
	bool stop;                 /* guarded by lock */
	struct slot slot[N_SLOTS]; /* block i lives in slot i % N_SLOTS */
	uint32_t *label_ids;       /* of the sample at hand; the calling thread's */
	size_t cap_label_ids;
};

/* The sample being decoded. */
struct sample {
	struct pipe *pipe;
	struct slot *slot;
	uint32_t row;
	uint32_t n_values, n_labels; /* as they stand in the file */
	size_t first_loc, first_label;
};

static int depth_error(const struct pipe *pipe, const char *what, struct err *err)
{
	return err_set(err, ERR_LIMIT, "more than %" PRIu64 " %s; --max-depth lifts this limit",
		       pipe->p->limits->max_depth, what);
}

static int wire_error(const struct pipe *pipe, const struct cursor *c, struct err *err)
{
	return err_set(err, ERR_FORMAT, "byte %zu: %s", (size_t)(c->at - pipe->p->data), c->wrong);
}

static int missing_location(uint64_t id, struct err *err)
{
	return err_set(err, ERR_FORMAT, "location %" PRIu64 " does not exist", id);
}

static int sample_location(struct sample *s, uint64_t id, struct err *err)
{
	struct slot *slot = s->slot;
	uint32_t place = idmap_get(&s->pipe->p->locs, id);

	if (place == IDMAP_NONE)
		return missing_location(id, err);
	slot->loc = mem_grow(slot->loc, &slot->cap_locs, slot->n_locs + 1, sizeof(*slot->loc));
	slot->loc[slot->n_locs++] = place;
	return 0;
}

/* The stack of nearly every sample: a packed list, most of the bytes of most files. */
static int sample_packed_locations(struct sample *s, const uint8_t *at, const uint8_t *end, struct err *err)
{
	const struct idmap *locs = &s->pipe->p->locs;
	struct slot *slot = s->slot;
	struct cursor c = { at, end, NULL };
	uint32_t *out;
	uint64_t id;

	slot->loc = mem_grow(slot->loc, &slot->cap_locs, slot->n_locs + (size_t)(end - at), sizeof(*slot->loc));
	out = slot->loc + slot->n_locs;
	c.at = packed_places(locs, at, end, s->pipe->p->end, &out);
	while (c.at < end) {
		if (!cursor_varint(&c, &id))
			return wire_error(s->pipe, &c, err);
		*out = idmap_get(locs, id);
		if (*out++ == IDMAP_NONE)
			return missing_location(id, err);
	}
	slot->n_locs = (size_t)(out - slot->loc);
	return 0;
}

static void sample_value(struct sample *s, uint64_t v)
{
	if (s->n_values < s->pipe->n_types)
		s->pipe->value[s->n_values][s->row] = (int64_t)v;
	if (s->n_values < UINT32_MAX)
		s->n_values++;
}

static int sample_packed_values(struct sample *s, const struct field *f, struct err *err)
{
	struct cursor c = { f->data, f->data + f->n, NULL };
	uint64_t v;

	while (c.at < c.end) {
		if (!cursor_varint(&c, &v))
			return wire_error(s->pipe, &c, err);
		sample_value(s, v);
	}
	return 0;
}

/* Like pprof, a label with neither text nor number nor unit is dropped. */
static int sample_label(struct sample *s, const struct field *span, struct err *err)
{
	const struct proto *p = s->pipe->p;
	struct cursor c = { span->data, span->data + span->n, NULL };
	struct slot *slot = s->slot;
	struct builder_label l;
	uint64_t v[5] = { 0 };
	struct field f = { 0 };

	s->n_labels++;
	while (cursor_field(&c, &f) && (f.number < 1 || f.number > 4 || cursor_expect(&c, &f, WIRE_VARINT)))
		v[f.number <= 4 ? f.number : 0] = f.value;
	if (c.wrong)
		return wire_error(s->pipe, &c, err);
	if (v[2] == 0 && v[3] == 0 && v[4] == 0)
		return 0;
	l = (struct builder_label){ .is_text = v[2] != 0, .num = v[2] ? 0 : (int64_t)v[3] };
	if (proto_string(p, v[1], "key", &l.key, err) < 0 || proto_string(p, v[2], "text", &l.text, err) < 0 ||
	    proto_string(p, v[2] ? 0 : v[4], "unit", &l.unit, err) < 0)
		return err_wrap(err, "label %" PRIu32, s->n_labels);
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
		sample_value(s, f->value);
	return c->wrong ? wire_error(s->pipe, c, err) : 0;
}

static int sample_decode(struct sample *s, const struct field *span, struct err *err)
{
	const struct pipe *pipe = s->pipe;
	struct slot *slot = s->slot;
	struct cursor c = { span->data, span->data + span->n, NULL };
	struct field f = { 0 };

	for (;;) {
		int rc;

		while (c.end - c.at >= 2 && c.at[0] == TAG_VALUE && c.at[1] < 0x80) { /* short values, unpacked */
			sample_value(s, c.at[1]);
			c.at += 2;
		}
		if (!cursor_field(&c, &f))
			break;
		rc = sample_field(s, &c, &f, err);
		if (rc < 0)
			return rc;
	}
	if (c.wrong)
		return wire_error(pipe, &c, err);
	if (s->n_values != pipe->n_types)
		return err_set(err, ERR_FORMAT, "%" PRIu32 " values for %" PRIu32 " sample types", s->n_values,
			       pipe->n_types);
	if (reader_over(slot->n_locs - s->first_loc, pipe->p->limits->max_depth))
		return depth_error(pipe, "frames", err);
	if (reader_over(slot->n_labels - s->first_label, pipe->p->limits->max_depth))
		return depth_error(pipe, "labels", err);
	return 0;
}

static void block_decode(struct pipe *pipe, size_t i)
{
	const struct sample_block *block = &pipe->p->block[i];
	struct slot *slot = &pipe->slot[i % N_SLOTS];
	struct cursor c = { block->start, pipe->p->end, NULL };
	struct field f = { 0 };

	assert(slot->state == SLOT_TAKEN && block->n <= SAMPLES_PER_BLOCK);
	slot->n = 0;
	slot->n_locs = slot->n_labels = 0;
	slot->rc = 0;
	while (slot->n < block->n && cursor_field(&c, &f)) {
		struct sample s = { .pipe = pipe,
				    .slot = slot,
				    .row = block->first + slot->n,
				    .first_loc = slot->n_locs,
				    .first_label = slot->n_labels };

		if (f.number != PROFILE_SAMPLE)
			continue;
		slot->rc = sample_decode(&s, &f, &slot->err);
		if (slot->rc < 0)
			return;
		slot->loc_end[slot->n] = slot->n_locs;
		slot->label_end[slot->n] = slot->n_labels;
		slot->hash[slot->n++] = builder_stack_hash(slot->loc + s.first_loc, slot->n_locs - s.first_loc);
	}
}

static int row_labels(struct pipe *pipe, const struct builder_label *label, size_t n, uint32_t *set, struct err *err)
{
	if (n == 0) {
		*set = 0;
		return 0;
	}
	pipe->label_ids = mem_grow(pipe->label_ids, &pipe->cap_label_ids, n, sizeof(*pipe->label_ids));
	for (size_t i = 0; i < n; i++)
		if (builder_label(pipe->p->builder, &label[i], &pipe->label_ids[i], err) < 0)
			return ERR_LIMIT;
	return builder_label_set(pipe->p->builder, pipe->label_ids, n, set, err);
}

/* Give the samples of a decoded block their stacks and label sets. */
static int block_take(struct pipe *pipe, size_t i, struct err *err)
{
	struct builder *b = pipe->p->builder;
	const struct slot *slot = &pipe->slot[i % N_SLOTS];
	uint32_t row = pipe->p->block[i].first;
	size_t loc = 0, label = 0;

	assert(slot->state == SLOT_READY && slot->n <= pipe->p->block[i].n);
	for (uint32_t s = 0; s < slot->n && s < PREFETCH; s++)
		builder_stack_prefetch(b, slot->hash[s]);
	for (uint32_t s = 0; s < slot->n; s++, row++) {
		if (s + PREFETCH < slot->n)
			builder_stack_prefetch(b, slot->hash[s + PREFETCH]);
		if (builder_stack(b, slot->loc + loc, slot->loc_end[s] - loc, slot->hash[s], &pipe->rows.stack[row],
				  err) < 0 ||
		    row_labels(pipe, slot->label + label, slot->label_end[s] - label, &pipe->rows.labels[row], err) < 0)
			return ERR_LIMIT;
		loc = slot->loc_end[s];
		label = slot->label_end[s];
	}
	if (slot->rc < 0) {
		*err = slot->err;
		return err_wrap(err, "sample %" PRIu32, row + 1);
	}
	return 0;
}

/* Decode the next block that nobody has taken, if there is one with a free slot. Holds the lock. */
static bool pipe_decode_next(struct pipe *pipe)
{
	size_t i = pipe->next;
	struct slot *slot = &pipe->slot[i % N_SLOTS];

	if (pipe->stop || i >= pipe->p->n_blocks || slot->state != SLOT_FREE)
		return false;
	pipe->next++;
	slot->state = SLOT_TAKEN;
	pthread_mutex_unlock(&pipe->lock);
	block_decode(pipe, i);
	pthread_mutex_lock(&pipe->lock);
	assert(slot->state == SLOT_TAKEN);
	slot->state = SLOT_READY;
	pthread_cond_broadcast(&pipe->changed);
	return true;
}

static void pipe_help(struct pipe *pipe)
{
	pthread_mutex_lock(&pipe->lock);
	while (!pipe->stop && pipe->next < pipe->p->n_blocks)
		if (!pipe_decode_next(pipe))
			pthread_cond_wait(&pipe->changed, &pipe->lock);
	pthread_mutex_unlock(&pipe->lock);
}

static int pipe_lead(struct pipe *pipe, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < pipe->p->n_blocks; i++) {
		struct slot *slot = &pipe->slot[i % N_SLOTS];

		pthread_mutex_lock(&pipe->lock);
		while (slot->state != SLOT_READY)
			if (!pipe_decode_next(pipe))
				pthread_cond_wait(&pipe->changed, &pipe->lock);
		pthread_mutex_unlock(&pipe->lock);
		rc = block_take(pipe, i, err);
		pthread_mutex_lock(&pipe->lock);
		slot->state = SLOT_FREE;
		pipe->stop = rc < 0;
		pthread_cond_broadcast(&pipe->changed);
		pthread_mutex_unlock(&pipe->lock);
	}
	return rc;
}

struct pipe_run {
	struct pipe *pipe;
	int rc;
	struct err *err;
};

static void pipe_part(void *arg, unsigned part)
{
	struct pipe_run *run = arg;

	if (part == 0)
		run->rc = pipe_lead(run->pipe, run->err);
	else
		pipe_help(run->pipe);
}

/* Most files have fewer samples than a block can hold, so that room for a few blocks would cost more. */
static void slots_init(struct pipe *pipe)
{
	const struct proto *p = pipe->p;
	size_t n = p->n_samples < SAMPLES_PER_BLOCK ? p->n_samples : SAMPLES_PER_BLOCK;

	for (size_t i = 0; i < N_SLOTS && i < p->n_blocks; i++) {
		struct slot *slot = &pipe->slot[i];

		slot->loc = mem_grow(slot->loc, &slot->cap_locs, 1, sizeof(*slot->loc));
		slot->label = mem_grow(slot->label, &slot->cap_labels, 1, sizeof(*slot->label));
		slot->loc_end = mem_alloc(n, sizeof(*slot->loc_end));
		slot->label_end = mem_alloc(n, sizeof(*slot->label_end));
		slot->hash = mem_alloc(n, sizeof(*slot->hash));
	}
}

static void slots_release(struct pipe *pipe)
{
	for (size_t i = 0; i < N_SLOTS; i++) {
		free(pipe->slot[i].loc);
		free(pipe->slot[i].label);
		free(pipe->slot[i].loc_end);
		free(pipe->slot[i].label_end);
		free(pipe->slot[i].hash);
	}
}

static int pipe_samples(struct pipe *pipe, struct err *err)
{
	const struct proto *p = pipe->p;
	struct pipe_run run = { pipe, 0, err };
	unsigned threads = pool_size() < p->n_blocks ? pool_size() : (unsigned)p->n_blocks;
	int rc = builder_rows(p->builder, p->n_samples, &pipe->rows, err);

	if (rc < 0)
		return rc;
	for (uint32_t t = 0; t < pipe->n_types; t++)
		pipe->value[t] = builder_values(p->builder, t);
	slots_init(pipe);
	/* A location id is three bytes or so in a large file; what is too little grows. */
	builder_expect(p->builder, p->n_samples, p->sample_bytes / 3);
	pool_run(pipe_part, &run, threads);
	return run.rc;
}

int proto_samples(struct proto *p, struct err *err)
{
	uint32_t n_types = builder_n_types(p->builder);
	struct pipe *pipe;
	int rc;

	assert(p->n_blocks == ((size_t)p->n_samples + SAMPLES_PER_BLOCK - 1) / SAMPLES_PER_BLOCK);
	/* Before columns are allocated for them: a value takes a byte at least. */
	if ((uint64_t)n_types * p->n_samples > p->sample_bytes)
		return err_set(err, ERR_FORMAT, "%" PRIu32 " samples of %zu bytes cannot hold %" PRIu32 " values each",
			       p->n_samples, p->sample_bytes, n_types);
	pipe = mem_zalloc(1, sizeof(*pipe));
	pipe->p = p;
	pipe->n_types = n_types;
	pipe->value = mem_alloc(pipe->n_types, sizeof(*pipe->value));
	pthread_mutex_init(&pipe->lock, NULL);
	pthread_cond_init(&pipe->changed, NULL);
	rc = pipe_samples(pipe, err);
	pthread_cond_destroy(&pipe->changed);
	pthread_mutex_destroy(&pipe->lock);
	slots_release(pipe);
	free(pipe->label_ids);
	free(pipe->value);
	free(pipe);
	return rc;
}
