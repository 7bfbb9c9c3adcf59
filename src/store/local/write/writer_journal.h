/*
 * writer_journal.h - journals for the writer
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef STORE_LOCAL_WRITE_WRITER_JOURNAL_H
#define STORE_LOCAL_WRITE_WRITER_JOURNAL_H

#include "store/local/format/head.h"
#include "store/local/format/journal_file.h"
#include "store/local/write/writer_state.h"

#include <stdbool.h>
#include <stdint.h>

/* An open journal and its content, or an old one that waits for its flush. */
struct store_journal {
	struct store_journal *next;
	int64_t seq;
	int fd;
	char name[32]; /* below the directory of the store */
	int64_t made_ns;
	uint64_t end, allocated, charged; /* end of the batches; size of the file; bytes counted under the cap */
	uint64_t batches, durable;        /* written; synced */
	uint32_t rewrites;                /* number of times that the file was written again */
	bool needs_sync;                  /* batches were written, but not synced */
	bool is_untrusted; /* a sync failed, or the file does not have what the head believes: it is written again */
	bool is_damaged;   /* not everything could be read: it is moved to bad/ after its flush */
	char *problem;     /* with is_damaged */
	struct journal_head *head;
	struct journal_counts counts, next_counts; /* of the file; with the batch that is being written */
	struct packer *packer;
	struct chapter **chapter; /* [n_chapters] made of the head for a flush that failed */
	uint32_t n_chapters;
};

/* Make an empty journal, durable. reserved: bytes reserved under the cap, which are settled. */
int writer_journal_create(struct store_writer *w, int64_t seq, uint64_t reserved, struct store_journal **out,
			  struct err *err);

/* Open a journal that a crash left, and clear its torn end. Fails with ERR_FORMAT when its header is damaged. err is not NULL. */
int writer_journal_reopen(struct store_writer *w, int64_t seq, struct store_journal **out, struct err *err);
void writer_journal_close(struct store_journal *j); /* takes NULL; frees the head */

/*
 * Write what the head has that is not logged, and sync it.
 *
 * Fails  ERR_IO, ERR_LIMIT: nothing new is durable; the next call tries again, with a new file if a sync failed
 */
int writer_journal_commit(struct store_writer *w, struct store_journal *j, struct err *err);

#endif
