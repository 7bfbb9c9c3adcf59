/*
 * flush.h - journals of a writer: begun, flushed, removed
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef STORE_LOCAL_WRITE_FLUSH_H
#define STORE_LOCAL_WRITE_FLUSH_H

#include "store/local/write/writer_state.h"

#include <stdbool.h>

/* Like writer_flush, with the maintenance lock held. reopen: begin a new journal for what follows. */
int writer_flush_locked(struct store_writer *w, bool reopen, struct err *err);

/* Make a journal. may_free: the maintenance lock is held, so older data may be removed to make room. */
int writer_begin_journal(struct store_writer *w, int64_t seq, bool may_free, struct store_journal **out,
			 struct err *err);

/* Remove a journal that has no batch. */
void writer_drop_journal(struct store_writer *w, struct store_journal *j);

/* Move a damaged file to bad/, with a text that says why. A failure is added to the notes of the writer. */
void writer_set_aside(struct store_writer *w, const char *name, const char *why);

#endif
