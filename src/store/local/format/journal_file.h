/*
 * journal_file.h - the layout of a journal, for its writer
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef STORE_LOCAL_FORMAT_JOURNAL_FILE_H
#define STORE_LOCAL_FORMAT_JOURNAL_FILE_H

#include "base/err.h"
#include "store/local/format/journal.h"

#include <stdbool.h>
#include <stdint.h>

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
	uint64_t batches;   /* number of the last one */
	uint64_t end;       /* of the last batch */
	bool is_torn;       /* other bytes follow */
};

/* Like journal_read. */
int journal_load(int fd, const char *name, bool has_ids, struct journal_info *info, struct journal_head **out,
		 struct err *err);

#endif
