/*
 * journal_check.h - checks the records of a batch before they are written to a journal
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A reader refuses records that refer to entries that the file does not have. So the writer counts what its file has, from the
 * records alone, and does not write a batch that a reader would refuse, whatever its memory says.
 */
#ifndef STORE_LOCAL_FORMAT_JOURNAL_CHECK_H
#define STORE_LOCAL_FORMAT_JOURNAL_CHECK_H

#include "base/buf.h"
#include "base/err.h"
#include "store/local/format/dict.h"

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

#endif
