/*
 * proto_label_sets.c - find the label sets of the samples of a stream
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The thread that decompresses has time left, so it also finds label sets. The calling thread puts the labels of each
 * block of samples into a ring, and stores the sets when it needs the room. Blocks are done one after the other, so that
 * ids do not depend on the threads. If the ring is full, the calling thread does the next block itself.
 */
#include "config.h"

#include "formats/pprof/proto_pipeline.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum {
	LABEL_BLOCKS = 16,  /* so many that one thread finds nearly all sets, with their table in its cache */
	BLOCKS_TO_WAKE = 4, /* waking a thread takes as long as finding the sets of a block */
};

/* The labels of consecutive samples, and their sets once it is done. */
struct label_block {
	uint32_t first, n; /* rows */
	uint32_t *label;   /* ids, one list after the other */
	size_t cap;
	size_t *end;   /* [n] end of each list */
	uint32_t *set; /* [n] */
};

struct label_ring {
	struct label_block block[LABEL_BLOCKS]; /* block i is in element i % LABEL_BLOCKS */
	size_t n_put, n_done, n_stored;
	bool is_busy; /* is a thread finding the sets of block n_done? */
	bool has_failed;
	atomic_uint_fast64_t *counter; /* of the memory of the calling thread */
};

bool proto_label_sets_next(struct pipeline *pipeline)
{
	struct label_ring *r = pipeline->labels;
	atomic_uint_fast64_t *own_counter = mem_counter();
	struct label_block *b;
	bool is_found;

	if (!r || r->is_busy || r->n_done == r->n_put)
		return false;
	b = &r->block[r->n_done % LABEL_BLOCKS];
	r->is_busy = true;
	pthread_mutex_unlock(&pipeline->lock);
	mem_count_into(r->counter);
	is_found = proto_find_label_sets(pipeline, b->label, b->end, b->first, b->n, b->set, NULL) == 0;
	mem_count_into(own_counter);
	pthread_mutex_lock(&pipeline->lock);
	r->is_busy = false;
	r->has_failed |= !is_found;
	r->n_done++;
	return true;
}

/* Wait until all blocks but the last n are done, and store their sets. Call with the lock held. */
static int label_ring_store(struct pipeline *pipeline, size_t n, struct err *err)
{
	struct label_ring *r = pipeline->labels;

	while (r->n_put - r->n_done > n)
		if (!proto_label_sets_next(pipeline))
			pthread_cond_wait(&pipeline->changed, &pipeline->lock);
	for (; r->n_stored < r->n_done; r->n_stored++) {
		const struct label_block *b = &r->block[r->n_stored % LABEL_BLOCKS];

		memcpy(builder_labels(pipeline->p->builder) + b->first, b->set, b->n * sizeof(*b->set));
	}
	return r->has_failed ? err_set(err, ERR_LIMIT, "too many label sets") : 0;
}

static struct label_ring *label_ring_new(void)
{
	struct label_ring *r = mem_zalloc(1, sizeof(*r));

	r->counter = mem_counter();
	for (size_t i = 0; i < LABEL_BLOCKS; i++) {
		r->block[i].end = mem_alloc(STREAM_ROWS, sizeof(*r->block[i].end));
		r->block[i].set = mem_alloc(STREAM_ROWS, sizeof(*r->block[i].set));
	}
	return r;
}

void proto_label_ring_free(struct label_ring *r)
{
	for (size_t i = 0; r && i < LABEL_BLOCKS; i++) {
		free(r->block[i].label);
		free(r->block[i].end);
		free(r->block[i].set);
	}
	free(r);
}

int proto_label_sets_put(struct pipeline *pipeline, const struct proto_sample_slot *slot, uint32_t first,
			 struct err *err)
{
	struct label_ring *r;
	struct label_block *b, empty;
	int rc;

	pthread_mutex_lock(&pipeline->lock);
	if (!pipeline->labels)
		pipeline->labels = label_ring_new();
	r = pipeline->labels;
	rc = label_ring_store(pipeline, LABEL_BLOCKS - 1, err);
	b = &r->block[r->n_put++ % LABEL_BLOCKS];
	empty = *b;
	*b = (struct label_block){ first, slot->n, pipeline->label_ids, pipeline->cap_label_ids, empty.end, empty.set };
	memcpy(b->end, slot->label_end, slot->n * sizeof(*b->end));
	pipeline->label_ids = empty.label;
	pipeline->cap_label_ids = empty.cap;
	if (r->n_put - r->n_done >= BLOCKS_TO_WAKE)
		pthread_cond_broadcast(&pipeline->changed);
	pthread_mutex_unlock(&pipeline->lock);
	return rc;
}

int proto_label_sets_finish(struct pipeline *pipeline, struct err *err)
{
	int rc = 0;

	pthread_mutex_lock(&pipeline->lock);
	if (pipeline->labels)
		rc = label_ring_store(pipeline, 0, err);
	pthread_mutex_unlock(&pipeline->lock);
	return rc;
}
