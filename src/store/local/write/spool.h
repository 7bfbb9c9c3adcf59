/*
 * spool.h - journals that are kept for those who follow them
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A follower reads the journals of a store in order, and has a durable position: the number of a journal and the number of its profiles
 * that it passed. A journal that is in a segment, and that a follower has not passed, is renamed to spool/NUMBER-PROFILES.cpj and cut
 * off at its end; it is removed when all have passed it. Followers are known from the files spool/NAME.sink, so that journals are kept
 * also while the process that follows them does not run. docs/store.md describes the files.
 *
 * A follower keeps at most so many bytes of renamed journals; beyond that it loses the oldest. The bytes are part of the quota, of
 * which followers use at most a quarter, and they are removed before a profile would be refused for lack of room.
 */
#ifndef STORE_LOCAL_WRITE_SPOOL_H
#define STORE_LOCAL_WRITE_SPOOL_H

#include "base/err.h"
#include "store/local/write/writer.h"

#include <stdbool.h>
#include <stdint.h>

#define SPOOL_DEFAULT (UINT64_C(1) << 30)

enum { SPOOL_NAME_MAX = 64, SPOOL_FOLLOWERS_MAX = 64 };

struct spool_position {
	int64_t journal;
	uint32_t rewrites; /* of the journal: if it was written again since, its profiles are passed again */
	uint64_t profiles; /* of the journal that were passed */
};

/* Is it a valid name: letters, digits, - and _, at most SPOOL_NAME_MAX? */
bool spool_is_name(const char *name);

/*
 * Add a follower, or continue an earlier one of this name. A new one begins with the profiles that are stored from now on.
 *
 * max    bytes of journals that are kept for it; 0: SPOOL_DEFAULT
 * Fails  ERR_USAGE for more than SPOOL_FOLLOWERS_MAX; ERR_IO
 */
int spool_add(struct store_writer *w, const char *name, uint64_t max, struct spool_position *out, struct err *err);

/* Remove a follower, and the journals that are kept for it alone. Fails with ERR_IO; a follower that is missing is no error. */
int spool_remove(struct store_writer *w, const char *name, struct err *err);

/* The names of all followers, [SPOOL_FOLLOWERS_MAX]. Returns their number. */
size_t spool_list(struct store_writer *w, char (*name)[SPOOL_NAME_MAX + 1]);

/*
 * Save a position. It survives the end of the process, and with sync also a power failure. Journals that all followers passed are
 * removed.
 *
 * Returns 1 if journals that this position had not passed were removed meanwhile, for lack of room: *p is then the new position. Else 0
 * Fails   ERR_IO
 */
int spool_save(struct store_writer *w, const char *name, struct spool_position *p, bool sync, struct err *err);

/* Profiles that a follower lost since it was added; bytes of the journals that are kept for it now. */
struct spool_stat {
	uint64_t n_lost, bytes, max;
};
void spool_get_stat(struct store_writer *w, const char *name, struct spool_stat *out);

/* A journal to follow. */
struct spool_journal {
	int64_t seq;       /* of this journal, or the next one if it does not exist any more */
	uint32_t rewrites; /* of the open journal */
	uint64_t batches;  /* number of the last durable one; UINT64_MAX: all of the file */
	bool is_complete;  /* nothing will be added to it */
};

/* Find journal seq, or the first one after it. Returns false if there is none yet. */
bool spool_find(struct store_writer *w, int64_t seq, struct spool_journal *out);

/* Open it for reading. Returns a descriptor; fails with ERR_IO. name gets its name for messages, [64] */
int spool_open(struct store_writer *w, int64_t seq, char *name, struct err *err);

/* Wait until a batch is durable, at most ms milliseconds. Returns when spool_wake is called. */
void spool_wait(struct store_writer *w, unsigned ms);
void spool_wake(struct store_writer *w);

#endif
