/*
 * proto_stream.c - read the samples of a profile.proto while it is decompressed
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * While a file is decompressed in pieces (pieces.h), the calling thread decodes the samples alone, one slot after the other.
 * That takes less time than decompression, so more threads would gain nothing.
 *
 * Label sets take longer; they are found by the thread that decompresses when it is ahead (proto_label_sets.c).
 *
 * If all tables precede the samples, a walk (profile/sample_walk.h) can use them in place of rows. The thread that decompresses
 * then passes slots to the walk when it is ahead, and so does the calling thread if no slot is free. More threads would take
 * more time on two processors: they would often wait for each other.
 */
#include "config.h"

#include "formats/pprof/proto_pipeline.h"

#include "base/mem.h"
#include "base/pool.h"
#include "formats/common/pieces.h"

#include <stdlib.h>
#include <string.h>

enum {
	STREAM_TYPES_MAX = 64,
	IDS_FREE = 1 << 20,   /* ids of locations that are replaced however few locations there are */
	IDS_PER_LOCATION = 4, /* most ids for which more are replaced */
};

/* Reserve memory for all samples if they are like those of the first block. */
static void stream_reserve(struct pipeline *s)
{
	const struct proto_sample_slot *slot = &s->slot[0];
	double n = 1.05 * (double)s->p->sample_bytes / (double)s->n_bytes;
	size_t n_rows = (size_t)(n * slot->n);

	s->n_rows = n_rows;
	if (slot->n < STREAM_ROWS)
		return;
	builder_reserve(s->p->builder, n_rows, (size_t)(n * (double)slot->n_locs),
			s->p->options->repeats_stacks ? TRIAL_ROWS : n_rows);
	builder_reserve_rows(s->p->builder, n_rows);
}

unsigned proto_stream_parts(void)
{
	return pool_size() > 1 ? 2 : 1;
}

/* Pass a slot that is ready to the walk, if there is one. Call with the lock held, which is released meanwhile. */
static bool stream_walk_next(struct pipeline *s, unsigned part)
{
	struct proto_sample_slot *slot = s->slot;
	bool is_added;

	while (slot < s->slot + s->n_slots && slot->state != SLOT_READY)
		slot++;
	if (slot == s->slot + s->n_slots)
		return false;
	slot->state = SLOT_BUSY;
	pthread_mutex_unlock(&s->lock);
	is_added = s->walk->add(s->walk->arg, part,
				&(struct walk_samples){ slot->n, slot->loc, slot->loc_end, s->value,
							(uint32_t)(slot - s->slot) * STREAM_ROWS });
	slot->n = 0;
	slot->n_locs = slot->n_labels = 0;
	pthread_mutex_lock(&s->lock);
	s->walk_failed |= !is_added;
	slot->state = SLOT_FREE;
	pthread_cond_broadcast(&s->changed);
	return true;
}

/* Pass a slot to the walk, or find label sets, for pieces_set_work. */
static bool stream_work(void *arg, bool waits)
{
	struct pipeline *s = arg;
	bool is_done;

	pthread_mutex_lock(&s->lock);
	while (!(is_done = s->walk ? stream_walk_next(s, 1) : proto_label_sets_next(s)) && waits && !s->is_stopped)
		pthread_cond_wait(&s->changed, &s->lock);
	if (is_done) /* the calling thread may wait for that */
		pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
	return is_done;
}

/* Find a free slot for the next samples. Call with the lock held. */
static bool stream_find_free(struct pipeline *s)
{
	for (s->filled = 0; s->filled < s->n_slots; s->filled++)
		if (s->slot[s->filled].state == SLOT_FREE)
			return true;
	return false;
}

static bool stream_is_walked(const struct pipeline *s)
{
	bool all = true;

	for (size_t i = 0; i < s->n_slots; i++)
		all &= s->slot[i].state == SLOT_FREE;
	return all;
}

/* Pass the current slot to the walk. all: wait for all slots, else for one to be free */
static int stream_walk(struct pipeline *s, bool all, struct err *err)
{
	bool failed;

	pthread_mutex_lock(&s->lock);
	s->slot[s->filled].state = SLOT_READY;
	pthread_cond_broadcast(&s->changed);
	while (all ? !stream_is_walked(s) : !stream_find_free(s))
		if (!stream_walk_next(s, 0))
			pthread_cond_wait(&s->changed, &s->lock);
	failed = s->walk_failed;
	pthread_mutex_unlock(&s->lock);
	return failed ? err_set(err, ERR_FORMAT, "all samples have to be kept") : 0;
}

/* Empty the slot. Write the next stacks to their place if equal ones are not found. */
static void stream_empty_slot(struct pipeline *s, struct proto_sample_slot *slot)
{
	bool is_packed = !atomic_load_explicit(&s->finds_equal, memory_order_relaxed) && !s->is_wide;

	slot->n = 0;
	slot->n_locs = slot->n_labels = 0;
	slot->packed = is_packed ? builder_stack_room(s->p->builder, STREAM_ROWS, &slot->room) : NULL;
}

/* Move the samples of the slot to rows of the builder. */
static int stream_commit(struct pipeline *s, struct err *err)
{
	struct proto_sample_slot *slot = &s->slot[0];
	struct builder_rows rows;

	if (builder_profile(s->p->builder)->n_rows == 0)
		stream_reserve(s);
	if (builder_rows(s->p->builder, slot->n, &rows, err) < 0 || proto_slot_commit(s, slot, &rows, err) < 0)
		return ERR_LIMIT;
	for (uint32_t t = 0; t < s->n_types; t++)
		memcpy(builder_values(s->p->builder, t) + rows.first, s->value[t], slot->n * sizeof(int64_t));
	if (slot->n_locs && slot->max_loc >= s->n_locs)
		s->n_locs = slot->max_loc + 1;
	stream_empty_slot(s, slot);
	return 0;
}

int proto_stream_new(const struct proto *p, struct pieces *in, const struct sample_walk *walk, struct pipeline **out,
		     struct err *err)
{
	uint32_t n_types = builder_n_types(p->builder);

	if (n_types == 0 || n_types > STREAM_TYPES_MAX)
		return err_set(err, ERR_FORMAT, "no sample types before the samples, or very many");
	*out = proto_pipeline_new(p, n_types);
	(*out)->is_stream = true;
	(*out)->walk = walk;
	(*out)->finds_equal &= !walk;
	(*out)->has_tables = !p->locs.sequential || p->locs.n != IDMAP_NONE - 1;
	proto_slots_init(*out, walk ? N_SLOTS : 1, STREAM_ROWS, 1);
	for (uint32_t t = 0; t < n_types; t++)
		(*out)->value[t] = mem_alloc((*out)->n_slots * STREAM_ROWS, sizeof(int64_t));
	(*out)->pieces = in;
	if (walk || (in && !(*out)->skips_labels))
		pieces_set_work(in, stream_work, *out);
	return 0;
}

/* End the work of the thread that decompresses. */
static void stream_end_work(struct pipeline *s)
{
	pthread_mutex_lock(&s->lock);
	s->is_stopped = true;
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
	if (s->pieces)
		pieces_set_work(s->pieces, NULL, NULL);
}

void proto_stream_free(struct pipeline *s)
{
	if (!s)
		return;
	stream_end_work(s);
	for (uint32_t t = 0; t < s->n_types; t++)
		free(s->value[t]);
	proto_pipeline_free(s);
}

/* Decode a sample whose locations do not fit into three bytes. The samples before it are committed first. */
static int stream_decode_wide(struct pipeline *s, struct sample *sample, const struct field *f, struct err *err)
{
	s->is_wide = true;
	if (stream_commit(s, err) < 0)
		return ERR_LIMIT;
	*sample = proto_sample_begin(s, sample->slot, 0);
	return proto_sample_decode(sample, f, err);
}

int proto_stream_add(struct pipeline *s, const struct field *f, struct err *err)
{
	struct proto_sample_slot *slot = &s->slot[s->filled];
	struct sample sample = proto_sample_begin(s, slot, (uint32_t)s->filled * STREAM_ROWS + slot->n);
	int rc = proto_sample_decode(&sample, f, err);

	if (rc < 0 && sample.is_wide)
		rc = stream_decode_wide(s, &sample, f, err);
	if (rc < 0)
		return rc;
	proto_sample_end(&sample);
	s->n_bytes += f->n;
	if (slot->n < STREAM_ROWS)
		return 0;
	return s->walk ? stream_walk(s, false, err) : stream_commit(s, err);
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

int proto_stream_end(struct pipeline *s, struct err *err)
{
	int rc = s->walk ? stream_walk(s, true, err) : stream_commit(s, err);

	rc = rc == 0 ? proto_label_sets_finish(s, err) : rc;
	stream_end_work(s);
	return rc;
}

int proto_stream_finish(struct pipeline *s, struct proto *p, struct err *err)
{
	if (s->walk && !s->walk->finish(s->walk->arg, p->builder))
		return err_set(err, ERR_FORMAT, "all samples have to be kept");
	if (!s->has_tables && !stream_replace_ids(s))
		return err_set(err, ERR_FORMAT, "a location does not exist, or has a large id");
	if (s->skips_labels && (s->n_label_strings > p->n_str || proto_has_base_label(p)))
		return err_set(err, ERR_FORMAT, "a string of a label does not exist, or labels are needed");
	if (!builder_replace_label_strings(p->builder, p->str, p->n_str))
		return err_set(err, ERR_FORMAT, "a string of a label does not exist, or is stored twice");
	p->walk = s->walk;
	return 0;
}
