/*
 * spool_state.h - kept journals, for the code of the writer
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef STORE_LOCAL_WRITE_SPOOL_STATE_H
#define STORE_LOCAL_WRITE_SPOOL_STATE_H

#include "store/local/write/spool.h"
#include "store/local/write/writer_journal.h"

struct store_spool;

struct store_spool *spool_new(void);
void spool_free(struct store_spool *s); /* takes NULL */

/* Read spool/ while the store is opened, before its journals. Fails with ERR_IO. */
int spool_load(struct store_writer *w, struct err *err);

/* Is there a follower? */
bool spool_has_followers(struct store_writer *w);

/*
 * A journal is in a segment: rename it for the followers that have not passed it, or remove it.
 *
 * profiles  their number
 * end       of its batches
 * charged   its bytes under the cap
 */
void spool_retire(struct store_writer *w, int64_t seq, uint64_t profiles, uint64_t end, uint64_t charged);

/* A journal is lost for the followers: it is damaged. */
void spool_lose(struct store_writer *w, int64_t seq, uint64_t profiles);

/* Remove the oldest kept journal, also if followers need it, to make room. The maintenance lock is held. Returns false if there is none. */
bool spool_make_room(void *w);

#endif
