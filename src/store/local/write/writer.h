/*
 * writer.h - appends profiles to a store
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef STORE_LOCAL_WRITE_WRITER_H
#define STORE_LOCAL_WRITE_WRITER_H

#include "base/buf.h"
#include "base/err.h"
#include "store/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct store_writer;

struct store_writer_options {
	/* Max bytes of everything below the directory. 0: the value of the store, which is at first the smaller of
	   10 GiB and a tenth of the file system. */
	uint64_t cap;
	int64_t retain_raw_ns; /* raw profiles are kept so long, and removed then; INT64_MAX: for ever; 0: as retain says */
	const char *retain;   /* lines of rules, see retain.h; NULL: those of the store, at first RETAIN_DEFAULT */
	const char *group;    /* its members may read; "" for none */
	const char *owner;    /* for the lock file and messages: the command, and its socket if it has one */
	int64_t (*now)(void); /* ns since 1970; NULL: the clock. For tests. */
};

/* Append messages about damage that the writer found and repaired since the last call, a line each. Any thread. */
void writer_take_notes(struct store_writer *w, struct buf *out);

/* A profile to store. Borrowed during the call. */
struct store_input {
	const char *service, *kind;
	const struct store_label *label; /* [n_labels] sorted by name, without service and kind */
	size_t n_labels;
	const struct profile *profile;
	int64_t start_ns;    /* replaces the time of the profile if that is 0 */
	int64_t duration_ns; /* likewise */
};

/*
 * Add a profile to the current batch. It is durable after store_commit.
 *
 * id         [16] filled in, see block_profile_id; may be NULL
 * duplicate  set if the store has this profile already: nothing was added
 * Fails      ERR_LIMIT when nothing can be freed under the cap; ERR_RANGE; ERR_IO
 */
int writer_append(struct store_writer *w, const struct store_input *in, uint8_t *id, bool *duplicate, struct err *err);

/* Write and sync the batch. Fails with ERR_IO: nothing of the batch is then durable, and it stays for the next call. */
int writer_commit(struct store_writer *w, struct err *err);

int writer_add_mark(struct store_writer *w, const char *service, const struct store_mark *m, struct err *err);

/* Write the head as a segment and begin a new journal. */
int writer_flush(struct store_writer *w, struct err *err);

/* Is a flush due: is the journal an hour old, or the journal or head large? */
bool writer_flush_is_due(struct store_writer *w);

/* The same from the counters of the writer, quickly: no file is read, dict_bytes and block_bytes are 0. Any thread. */
void writer_get_stat(struct store_writer *w, struct store_stat *out);

#endif
