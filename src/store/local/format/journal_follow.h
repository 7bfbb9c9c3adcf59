/*
 * journal_follow.h - read a journal batch by batch while it is written
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef STORE_LOCAL_FORMAT_JOURNAL_FOLLOW_H
#define STORE_LOCAL_FORMAT_JOURNAL_FOLLOW_H

#include "base/err.h"
#include "store/local/format/dict.h"

#include <stdbool.h>
#include <stdint.h>

struct journal_follower;

/*
 * Begin to read.
 *
 * fd        closed by journal_follow_close; also on failure
 * rewrites  out: how often the journal was written again
 * Fails     ERR_FORMAT when the header is damaged; ERR_IO
 */
int journal_follow_open(int fd, const char *name, struct journal_follower **out, uint32_t *rewrites, struct err *err);
void journal_follow_close(struct journal_follower *f); /* takes NULL */

/*
 * Read the next batch.
 *
 * max     read no batch of a higher number: the writer has synced this one
 * Returns 1; 0 if there is none up to max, or none at all
 * Fails   ERR_IO
 */
int journal_follow_next(struct journal_follower *f, uint64_t max, struct err *err);

/* Call fn for each profile of the batch that was read last, and mark, which may be NULL, for each mark. The order is the same each time
   the journal is read. */
typedef int journal_follow_fn(void *arg, const char *service, const struct dict *d, const struct stored *p,
			      struct err *err);
typedef int journal_follow_mark_fn(void *arg, const char *service, const struct store_mark *m, struct err *err);
int journal_follow_each(struct journal_follower *f, journal_follow_fn *fn, journal_follow_mark_fn *mark, void *arg,
			struct err *err);

/* The first damage that was found, "" if there is none. Profiles of damaged batches are missing. */
const char *journal_follow_damage(const struct journal_follower *f);

#endif
