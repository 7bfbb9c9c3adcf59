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
 * allow it, each sample gets a stack of its own, which saves the hash table.
 */
#include "config.h"

#include "formats/pprof/proto_pipeline.h"

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
	TAG_STACK = SAMPLE_LOCATION << 3 | WIRE_BYTES,
	TAG_VALUE = SAMPLE_VALUE << 3 | WIRE_VARINT,
	PREFETCH = 8,
	SAMPLES_PER_THREAD = 4096,
};

static int depth_error(const struct pipeline *pipeline, const char *what, struct err *err)
{
	return err_set(err, ERR_LIMIT, "more than %" PRIu64 " %s; raise the limit with --max-depth",
		       pipeline->p->options->max_depth, what);
}

int proto_wire_error(const struct pipeline *pipeline, const struct cursor *c, struct err *err)
{
	return err_set(err, ERR_FORMAT, "byte %zu: %s", (size_t)(c->at - pipeline->p->data), c->error);
}

static int missing_location(uint64_t id, struct err *err)
{
	return err_set(err, ERR_FORMAT, "location %" PRIu64 " does not exist", id);
}

/* Make room for n more location indices. Fails with is_wide set if they have to be written to slot->loc. */
static int sample_reserve(struct sample *s, size_t n, struct err *err)
{
	struct proto_sample_slot *slot = s->slot;

	if (!slot->packed) {
		slot->loc =
			mem_grow(slot->loc, &slot->cap_locs, slot->n_locs + n + STACK_SPARE_IDS, sizeof(*slot->loc));
		return 0;
	}
	if (slot->n_locs + n > slot->room)
		slot->packed = builder_stack_room(s->pipeline->p->builder, slot->n_locs + n, &slot->room);
	s->is_wide = !slot->packed;
	return s->is_wide ? err_set(err, ERR_LIMIT, "too many locations") : 0;
}

/* The array that the next location indices are written to. */
static struct packed_out sample_out(const struct proto_sample_slot *slot)
{
	struct packed_out out = { .max = slot->max_loc, .n = slot->n_locs };

	out.width = slot->packed ? STACK_NARROW : STACK_WIDE;
	out.to = (slot->packed ? slot->packed : (uint8_t *)slot->loc) + slot->n_locs * out.width;
	return out;
}

/* Write the index of a location. */
static int sample_put(struct sample *s, uint64_t id, struct packed_out *out, struct err *err)
{
	uint32_t index = idmap_get(&s->pipeline->p->locs, id);

	if (index == IDMAP_NONE)
		return missing_location(id, err);
	s->is_wide = !packed_fits(out, index);
	if (s->is_wide)
		return err_set(err, ERR_LIMIT, "location %" PRIu64 " is too large", id);
	packed_put(out, index);
	return 0;
}

/* Count the location indices that were written. */
static void sample_written(struct proto_sample_slot *slot, const struct packed_out *out)
{
	slot->n_locs = out->n;
	slot->max_loc = out->max;
}

static int sample_location(struct sample *s, uint64_t id, struct err *err)
{
	struct packed_out out;
	int rc = sample_reserve(s, 1, err);

	if (rc < 0)
		return rc;
	out = sample_out(s->slot);
	rc = sample_put(s, id, &out, err);
	sample_written(s->slot, &out);
	return rc;
}

/* Decode a stack that is a packed list. Nearly all stacks are, and they take most of the space in a file. */
static int sample_packed_locations(struct sample *s, const uint8_t *at, const uint8_t *end, struct err *err)
{
	struct cursor c = { at, end, NULL };
	struct packed_out out;
	int rc = sample_reserve(s, (size_t)(end - at), err);
	uint64_t id;

	if (rc < 0)
		return rc;
	out = sample_out(s->slot);
	c.at = packed_indices(&s->pipeline->p->locs, at, end, s->pipeline->p->end, &out);
	while (c.at < end) {
		if (!cursor_varint(&c, &id))
			return proto_wire_error(s->pipeline, &c, err);
		rc = sample_put(s, id, &out, err);
		if (rc < 0)
			return rc;
	}
	sample_written(s->slot, &out);
	return 0;
}

static void samples_sample_value(struct sample *s, uint64_t v)
{
	if (s->n_values < s->pipeline->n_types)
		s->pipeline->value[s->n_values][s->row] = (int64_t)v;
	if (s->n_values < UINT32_MAX)
		s->n_values++;
}

/* Read the next values that are not packed. Returns false on error, with c->error set. */
static inline bool sample_plain_values(struct sample *s, struct cursor *c)
{
	uint64_t v;

	while (c->at < c->end && *c->at == TAG_VALUE) {
		c->at++;
		if (!cursor_varint(c, &v))
			return false;
		samples_sample_value(s, v);
	}
	return true;
}

static int sample_packed_values(struct sample *s, const struct field *f, struct err *err)
{
	struct cursor c = { f->data, f->data + f->n, NULL };
	uint64_t v;

	while (c.at < c.end) {
		if (!cursor_varint(&c, &v))
			return proto_wire_error(s->pipeline, &c, err);
		samples_sample_value(s, v);
	}
	return 0;
}

static int sample_field(struct sample *s, struct cursor *c, const struct field *f, struct err *err)
{
	if (f->number == SAMPLE_LOCATION && f->type == WIRE_BYTES)
		return sample_packed_locations(s, f->data, f->data + f->n, err);
	if (f->number == SAMPLE_VALUE && f->type == WIRE_BYTES)
		return sample_packed_values(s, f, err);
	if (f->number == SAMPLE_LABEL && cursor_expect(c, f, WIRE_BYTES))
		return proto_label_decode(s, f, err);
	if (f->number == SAMPLE_LOCATION && cursor_expect(c, f, WIRE_VARINT))
		return sample_location(s, f->value, err);
	if (f->number == SAMPLE_VALUE && cursor_expect(c, f, WIRE_VARINT))
		samples_sample_value(s, f->value);
	return c->error ? proto_wire_error(s->pipeline, c, err) : 0;
}

int proto_sample_decode(struct sample *s, const struct field *span, struct err *err)
{
	const struct pipeline *pipeline = s->pipeline;
	struct proto_sample_slot *slot = s->slot;
	struct cursor c = { span->data, span->data + span->n, NULL };
	struct field f = { 0 };
	int rc;

	/* Most samples are a short packed stack, then values that are not packed. */
	if (span->n >= 2 && c.at[0] == TAG_STACK && c.at[1] < 0x80 && c.at[1] <= span->n - 2) {
		c.at += 2 + c.at[1];
		if ((rc = sample_packed_locations(s, span->data + 2, c.at, err)) < 0)
			return rc;
	}
	while (sample_plain_values(s, &c) && cursor_field(&c, &f))
		if ((rc = sample_field(s, &c, &f, err)) < 0)
			return rc;
	if (c.error)
		return proto_wire_error(pipeline, &c, err);
	if (s->n_values != pipeline->n_types)
		return err_set(err, ERR_FORMAT, "%" PRIu32 " values for %" PRIu32 " sample types", s->n_values,
			       pipeline->n_types);
	if (format_exceeds(slot->n_locs - s->first_loc, pipeline->p->options->max_depth))
		return depth_error(pipeline, "frames", err);
	if (format_exceeds(s->n_kept, pipeline->p->options->max_depth))
		return depth_error(pipeline, "labels", err);
	return 0;
}

struct sample proto_sample_begin(struct pipeline *pipeline, struct proto_sample_slot *slot, uint32_t row)
{
	return (struct sample){ .pipeline = pipeline, .slot = slot, .row = row, .first_loc = slot->n_locs };
}

void proto_sample_end(const struct sample *s)
{
	struct proto_sample_slot *slot = s->slot;

	slot->loc_end[slot->n] = slot->n_locs;
	slot->label_end[slot->n] = slot->n_labels;
	if (atomic_load_explicit(&s->pipeline->finds_equal, memory_order_relaxed))
		slot->hash[slot->n] = builder_stack_hash(slot->loc + s->first_loc, slot->n_locs - s->first_loc);
	slot->n++;
}

/*
 * Decode a usual sample to the slot: a short packed stack, then the values, not packed, and no labels. Returns false for others, of
 * which nothing is counted.
 */
static bool sample_decode_usual(const struct pipeline *pipeline, struct proto_sample_slot *slot, uint32_t row,
				const struct field *span)
{
	const uint8_t *end = span->data + span->n, *stack = span->data + 2;
	struct cursor c = { stack, end, NULL };
	struct packed_out out;

	if (span->n < 2 || stack[-2] != TAG_STACK || stack[-1] >= 0x80 || stack[-1] > span->n - 2 ||
	    slot->n_locs + stack[-1] + STACK_SPARE_IDS > slot->cap_locs)
		return false;
	c.at += stack[-1];
	for (uint32_t t = 0; t < pipeline->n_types; t++) {
		uint64_t v;

		if (c.at == end || *c.at++ != TAG_VALUE || !cursor_varint(&c, &v))
			return false;
		pipeline->value[t][row] = (int64_t)v;
	}
	out = sample_out(slot);
	if (c.at != end || format_exceeds(stack[-1], pipeline->p->options->max_depth) ||
	    packed_indices(&pipeline->p->locs, stack, stack + stack[-1], pipeline->p->end, &out) != stack + stack[-1])
		return false;
	sample_written(slot, &out);
	return true;
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
		struct sample s = proto_sample_begin(pipeline, slot, (pipeline->walk ? 0 : block->first) + slot->n);

		if (f.number != PROFILE_SAMPLE)
			continue;
		if (!sample_decode_usual(pipeline, slot, s.row, &f))
			slot->rc = proto_sample_decode(&s, &f, &slot->err);
		if (slot->rc < 0)
			return;
		proto_sample_end(&s);
	}
}

/* Assign stack ids to the samples of a decoded block. */
static int slot_stacks(struct pipeline *pipeline, const struct proto_sample_slot *slot, uint32_t *stack,
		       struct err *err)
{
	struct builder *b = pipeline->p->builder;
	size_t loc = 0;
	int rc = 0;

	if (slot->packed)
		return builder_stack_append_room(b, slot->loc_end, slot->n, stack, err);
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

/* After the first rows: stop to find equal stacks if few were equal, and then repeat those. */
static int pipeline_end_trial(struct pipeline *pipeline, uint32_t *stack, struct err *err)
{
	struct builder *b = pipeline->p->builder;

	if (!pipeline->p->options->repeats_stacks || builder_n_stacks(b) <= TRIAL_ROWS / 2)
		return 0;
	atomic_store_explicit(&pipeline->finds_equal, false, memory_order_relaxed);
	return builder_repeat_stacks(b, stack, TRIAL_ROWS, err);
}

int proto_slot_commit(struct pipeline *pipeline, const struct proto_sample_slot *slot, const struct builder_rows *rows,
		      struct err *err)
{
	if (slot_stacks(pipeline, slot, rows->stack, err) < 0)
		return ERR_LIMIT;
	/* without labels they are 0 already */
	if (slot->n_labels && pipeline->is_stream && proto_label_sets_put(pipeline, slot, rows->first, err) < 0)
		return ERR_LIMIT;
	if (slot->n_labels && !pipeline->is_stream &&
	    proto_slot_label_sets(pipeline, slot, rows->first, rows->labels, err) < 0)
		return ERR_LIMIT;
	return rows->first + slot->n == TRIAL_ROWS ? pipeline_end_trial(pipeline, rows->stack - rows->first, err) : 0;
}

static int block_commit(struct pipeline *pipeline, size_t i, struct err *err)
{
	const struct proto_sample_slot *slot = &pipeline->slot[i % pipeline->n_slots];
	uint32_t first = pipeline->p->block[i].first;
	const struct builder_rows rows = { first, pipeline->rows.stack + first, pipeline->rows.labels + first };

	assert(slot->state == SLOT_READY && slot->n <= pipeline->p->block[i].n);
	if (proto_slot_commit(pipeline, slot, &rows, err) < 0)
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

void proto_slots_init(struct pipeline *pipeline, size_t n_slots, size_t n, size_t n_locs)
{
	pipeline->n_slots = n_slots;
	for (size_t i = 0; i < n_slots; i++) {
		struct proto_sample_slot *slot = &pipeline->slot[i];

		slot->loc = mem_grow(slot->loc, &slot->cap_locs, n_locs, sizeof(*slot->loc));
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
	pipeline->n_rows = p->n_samples;
	for (uint32_t t = 0; t < pipeline->n_types; t++)
		pipeline->value[t] = builder_values(p->builder, t);
	/* Most files have less than a full block of samples, so do not allocate for more. Their ids take about two bytes. */
	proto_slots_init(pipeline, threads > 1 ? N_SLOTS : 1,
			 p->n_samples < SAMPLES_PER_BLOCK ? p->n_samples : SAMPLES_PER_BLOCK,
			 p->n_samples < SAMPLES_PER_BLOCK ? p->sample_bytes / 2 + 1 : 1);
	/* In a large file a location id takes about three bytes, else less; the table grows if that is too little. */
	builder_reserve(p->builder, p->n_samples, p->sample_bytes / (p->n_samples < SAMPLES_PER_THREAD ? 2 : 3),
			p->options->repeats_stacks && p->n_samples > TRIAL_ROWS ? TRIAL_ROWS : p->n_samples);
	pool_run(pipeline_part, &run, threads);
	return run.rc;
}

struct pipeline *proto_pipeline_new(const struct proto *p, uint32_t n_types)
{
	struct pipeline *pipeline = mem_zalloc(1, sizeof(*pipeline));

	pipeline->p = p;
	pipeline->n_types = n_types;
	pipeline->finds_equal = true;
	pipeline->skips_labels = p->options->skips_labels;
	pipeline->value = mem_zalloc(n_types, sizeof(*pipeline->value));
	pthread_mutex_init(&pipeline->lock, NULL);
	pthread_cond_init(&pipeline->changed, NULL);
	return pipeline;
}

void proto_pipeline_free(struct pipeline *pipeline)
{
	pthread_cond_destroy(&pipeline->changed);
	pthread_mutex_destroy(&pipeline->lock);
	slots_release(pipeline);
	free(pipeline->label_ids);
	free(pipeline->memo);
	proto_label_ring_free(pipeline->labels);
	free(pipeline->value);
	free(pipeline);
}

bool proto_has_base_label(const struct proto *p)
{
	str_id id;

	return strtab_find(builder_strings(p->builder), BASE_LABEL, strlen(BASE_LABEL), &id);
}

/* Pass the samples to a walk that was started, block by block. is_walked: set to false if all samples have to be kept */
static int samples_walk(const struct proto *p, const struct sample_walk *walk, bool *is_walked, struct err *err)
{
	struct pipeline *pipeline = proto_pipeline_new(p, builder_n_types(p->builder));
	struct proto_sample_slot *slot = &pipeline->slot[0];
	int rc = 0;

	pipeline->walk = walk;
	pipeline->finds_equal = false;
	/* the ids of a block take about two bytes */
	proto_slots_init(pipeline, 1, SAMPLES_PER_BLOCK, p->n_blocks ? p->sample_bytes / p->n_blocks / 2 + 1 : 1);
	for (uint32_t t = 0; t < pipeline->n_types; t++)
		pipeline->value[t] = mem_alloc(SAMPLES_PER_BLOCK, sizeof(int64_t));
	*is_walked = true;
	for (size_t i = 0; rc == 0 && *is_walked && i < p->n_blocks; i++) {
		slot->state = SLOT_BUSY;
		block_decode(pipeline, i);
		if ((rc = slot->rc) < 0) {
			*err = slot->err;
			err_wrap(err, "sample %" PRIu32, p->block[i].first + slot->n + 1);
		} else {
			*is_walked = walk->add(
				walk->arg, 0,
				&(struct walk_samples){ slot->n, slot->loc, slot->loc_end, pipeline->value, 0 });
		}
	}
	if (rc == 0 && *is_walked)
		*is_walked = walk->finish(walk->arg, p->builder);
	if (rc == 0 && !*is_walked && builder_profile(p->builder)->n_rows)
		rc = err_set(err, ERR_LIMIT, "too many samples");
	for (uint32_t t = 0; t < pipeline->n_types; t++)
		free(pipeline->value[t]);
	proto_pipeline_free(pipeline);
	return rc;
}

int proto_samples(struct proto *p, struct err *err)
{
	const struct sample_walk *walk = p->options->skips_labels && !proto_has_base_label(p) ? p->options->walk : NULL;
	uint32_t n_types = builder_n_types(p->builder);
	struct pipeline *pipeline;
	bool is_walked = false;
	int rc;

	assert(p->n_blocks == ((size_t)p->n_samples + SAMPLES_PER_BLOCK - 1) / SAMPLES_PER_BLOCK);
	/* Each value takes at least a byte; check that before columns are allocated. */
	if ((uint64_t)n_types * p->n_samples > p->sample_bytes)
		return err_set(err, ERR_FORMAT, "%" PRIu32 " samples of %zu bytes cannot hold %" PRIu32 " values each",
			       p->n_samples, p->sample_bytes, n_types);
	if (walk && walk->start(walk->arg, builder_profile(p->builder), p->sample_bytes, 1))
		rc = samples_walk(p, walk, &is_walked, err);
	else
		rc = 0;
	p->walk = is_walked ? walk : NULL;
	if (rc < 0 || is_walked)
		return rc;
	pipeline = proto_pipeline_new(p, n_types);
	if (proto_has_base_label(p))
		pipeline->skips_labels = false;
	rc = pipeline_read(pipeline, err);
	proto_pipeline_free(pipeline);
	return rc;
}
