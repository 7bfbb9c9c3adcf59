/*
 * journal_file.h - the layout of a journal, and checks of the records of a batch before they are written
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A reader refuses records that refer to entries that the file does not have. So the writer counts what its file has, from the
 * records alone, and does not write a batch that a reader would refuse, whatever its memory says.
 */
#ifndef STORE_LOCAL_FORMAT_JOURNAL_FILE_H
#define STORE_LOCAL_FORMAT_JOURNAL_FILE_H

#include "base/buf.h"
#include "base/err.h"
#include "store/local/format/dict.h"
#include "store/local/format/journal.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct journal_head;

/* The numbers of entries of a service in a journal, by table. */
struct journal_entries {
	uint64_t n[DICT_TABLES_END];
};

struct journal_counts {
	struct journal_entries *service; /* [n] */
	size_t n, cap;
};

/* The counts of a journal that was read into a head. c is empty. */
void journal_counts_read(struct journal_counts *c, const struct journal_head *h);
void journal_counts_copy(struct journal_counts *to, const struct journal_counts *from);
void journal_counts_release(struct journal_counts *c); /* takes a zeroed one */

/*
 * Check the records of a batch, in order, and add them to the counts.
 *
 * n      the number of records
 * Fails  ERR_FORMAT "record 3: row 900 of 850 does not exist": c is then not valid any more
 */
int journal_check_records(struct journal_counts *c, const struct buf *records, uint32_t n, struct err *err);

enum {
	JOURNAL_HEADER = 64,
	JOURNAL_BATCH = 32,                /* bytes of the head of a batch */
	JOURNAL_BATCH_RAW_MAX = 128 << 20, /* records of a batch */
	JOURNAL_BATCH_RAW = 1 << 20,       /* records after which another batch is begun */
	JOURNAL_GROW = 4 << 20,            /* added to the allocated size if that does not suffice */
};

#define JOURNAL_MAGIC "CPAJNL\r\n"
#define JOURNAL_BATCH_MAGIC 0x48435442u /* "BTCH" */

struct journal_info {
	uint8_t store[16];
	int64_t seq, made_ns;
	uint64_t allocated; /* bytes at first; 0: written by an older cpa */
	uint32_t rewrites;  /* number of times that it was written again from memory, with other batches */
	uint64_t batches;   /* number of the last one */
	uint64_t end;       /* of the last batch */
	bool is_torn;       /* other bytes follow */
};

/* Like journal_read. */
int journal_load(int fd, const char *name, bool has_ids, struct journal_info *info, struct journal_head **out,
		 struct err *err);

#endif
